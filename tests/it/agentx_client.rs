//! The AgentX client `benchmarks/srt_agentic.sh`, run by bash against small servers of our own. aiperf, the hub's client
//! and `srtx-gh results` are stand-ins that record how they were called: what is tested is the client, not them.

mod batch;
mod endpoints;
mod inputs;
mod point;
mod server;
mod support;
