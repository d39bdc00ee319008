//! srt-slurm recipes. So far: how many nodes one takes.

mod nodes;

pub use nodes::node_count_of;
