//! `srtx-gh`: argv in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    srtx::cli::main()
}
