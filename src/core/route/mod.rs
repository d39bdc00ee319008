//! Native or legacy, and why.
//!
//! In: a point, the recipes, runners and scripts of its checkout. Out: a [`Decision`] for each launcher of its label. Which
//! files exist is asked of whoever has them; nothing is read here.

pub mod bind;
mod book;
mod decide;
mod launcher;
mod multinode;
mod script;
mod status;

pub use book::{Asked, Page, RecipeBook, Selected, Unusable};
pub use decide::{Checkout, Decision, Route, Routed, Rule, route};
pub use launcher::{launcher_of, launcher_script, launchers_of};
pub use multinode::check_multinode;
pub use script::{LegacyPoint, legacy_scripts};
pub use status::{ConfigStatus, Judged, State, Status, status};
