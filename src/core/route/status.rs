//! How much of a fleet is native.

use super::decide::{Decision, Route, Rule};

/// How a config stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Every point is native.
    Native,
    /// Some points are.
    Mixed,
    /// None is, and each has its script.
    Legacy,
    /// None is, and something other than the config stands in the way.
    Blocked,
    /// None is, for want of a recipe that fits and of a script.
    NotPorted,
}

impl State {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Mixed => "mixed",
            Self::Legacy => "legacy",
            Self::Blocked => "blocked",
            Self::NotPorted => "not-ported",
        }
    }
}

/// One config.
#[derive(Debug)]
pub struct ConfigStatus {
    /// Its key.
    pub key: String,
    /// How it stands.
    pub state: State,
    /// How many points it has.
    pub points: usize,
    /// How many of them are native on every launcher of their label.
    pub native_points: usize,
    /// Why the others are not, each reason once.
    pub reasons: Vec<String>,
}

/// All configs.
#[derive(Debug, Default)]
pub struct Status {
    /// In the order of the files.
    pub configs: Vec<ConfigStatus>,
}

impl Status {
    /// How many points are native.
    pub fn native(&self) -> usize {
        self.configs.iter().map(|config| config.native_points).sum()
    }

    /// How many points there are.
    pub fn total(&self) -> usize {
        self.configs.iter().map(|config| config.points).sum()
    }
}

/// A point for the status: its config, and what makes it impossible to port besides the decisions.
#[derive(Debug)]
pub struct Judged<'p> {
    /// The key of its config.
    pub config: &'p str,
    /// `FRAMEWORK`
    pub framework: &'p str,
    /// The backend of its KV offload, where it has one.
    pub offload_backend: Option<&'p str>,
    /// What was decided.
    pub decisions: &'p [Decision],
}

/// srtctl writes this setting of ATOM itself, so a recipe cannot.
const RESERVED: &str = "srtctl sets ATOM's kv-transfer-config itself, so its LMCache offload cannot be a recipe";

/// Counts points config by config.
pub fn status<'p>(points: impl IntoIterator<Item = Judged<'p>>) -> Status {
    let mut status = Status::default();
    let mut tallies: Vec<Tally> = Vec::new();
    for point in points {
        let at = match status.configs.iter().position(|config| config.key == point.config) {
            Some(at) => at,
            None => {
                let key = point.config.to_owned();
                let (state, reasons) = (State::NotPorted, Vec::new());
                status.configs.push(ConfigStatus { key, state, points: 0, native_points: 0, reasons });
                tallies.push(Tally::default());
                status.configs.len() - 1
            }
        };
        count(&mut status.configs[at], &mut tallies[at], &point);
    }
    for (config, tally) in status.configs.iter_mut().zip(tallies) {
        config.state = tally.state(config);
    }
    status
}

#[derive(Default)]
struct Tally {
    legacy: usize,
    blocked: usize,
}

impl Tally {
    fn state(&self, config: &ConfigStatus) -> State {
        if config.native_points == config.points {
            State::Native
        } else if config.native_points > 0 {
            State::Mixed
        } else if self.blocked > 0 {
            State::Blocked
        } else if self.legacy == config.points {
            State::Legacy
        } else {
            State::NotPorted
        }
    }
}

fn count(config: &mut ConfigStatus, tally: &mut Tally, point: &Judged<'_>) {
    config.points += 1;
    let all = |route| point.decisions.iter().all(|decision| decision.route == route);
    if all(Route::Native) {
        config.native_points += 1;
        return;
    }
    tally.legacy += usize::from(all(Route::Legacy));
    let without_recipe = point.decisions.iter().all(|decision| decision.recipe.is_none());
    let reserved = without_recipe && point.framework == "atom" && point.offload_backend.is_some();
    let outside = |decision: &Decision| matches!(decision.rule, Rule::NoRunner | Rule::LauncherLegacy);
    tally.blocked += usize::from(reserved || point.decisions.iter().any(outside));
    let reserved = reserved.then(|| RESERVED.to_owned());
    let others = point.decisions.iter().filter(|decision| decision.route != Route::Native);
    for reason in reserved.into_iter().chain(others.map(|decision| decision.reason.clone())) {
        if !config.reasons.contains(&reason) {
            config.reasons.push(reason);
        }
    }
}
