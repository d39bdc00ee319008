//! Where diagnostics and data leave the program.

use std::io::{self, IsTerminal as _, Write};

use super::Exit;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity, annotations, render_human, render_json};
use crate::gha::Secrets;
use crate::gha::commands::harmless;
use crate::gha::json::inert_json;
use crate::gha::limits::annotation_limits;

/// Collects diagnostics and prints them once, when the command ends.
#[derive(Debug)]
pub(super) struct Reporter {
    found: Diagnostics,
    json: bool,
    /// Whether a runner reads along and looks for commands in every line, of both streams.
    on_github: bool,
}

impl Reporter {
    pub(super) fn new(json: bool) -> Self {
        let on_github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        Self { found: Diagnostics::new(), json, on_github }
    }

    /// Prints diagnostics as JSON, also when only the inputs of an action ask for it.
    pub(super) fn want_json(&mut self, wanted: bool) {
        self.json |= wanted;
    }

    /// Where findings go.
    pub(super) fn found(&mut self) -> &mut Diagnostics {
        &mut self.found
    }

    /// Forgets warnings and notes, where another job has already made them.
    pub(super) fn only_errors(&mut self) {
        self.found.keep_errors();
    }

    /// A command line that is wrong in a way that clap does not know.
    pub(super) fn usage(&mut self, message: &str) -> Exit {
        let help = "run the command with --help for its options and examples";
        self.found.push(Diagnostic::error(Code::Usage, message).help(help));
        Exit::Usage
    }

    /// What clap has to say: help and version on stdout, errors as diagnostics.
    pub(super) fn clap(&mut self, error: &clap::Error) -> Exit {
        if !error.use_stderr() {
            let text = error.render();
            let text = if io::stdout().is_terminal() { text.ansi().to_string() } else { text.to_string() };
            return self.print(|out| out.write_all(text.as_bytes()));
        }
        let text = error.render().to_string();
        if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            if self.json {
                return self.usage("a command is missing");
            }
            let mut stderr = anstream::stderr();
            let _ = write!(stderr, "{}", error.render().ansi());
            return Exit::Usage;
        }
        let message = text.strip_prefix("error: ").unwrap_or(&text);
        let message = message.split("\n\nUsage:").next().unwrap_or(message);
        let message = message.split("\n\nFor more information").next().unwrap_or(message);
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (message, tip) = message.split_once("\n\n  tip: ").unwrap_or((message, ""));
        let exit = self.usage(&one_line(message));
        if let Some(last) = self.found.last_mut().filter(|_| !tip.is_empty()) {
            last.help.insert(0, one_line(tip));
        }
        exit
    }

    /// Writes data to stdout. A reader that went away is no error; a full disk is.
    pub(super) fn print(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
        let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let result = write(&mut out).and_then(|()| out.flush());
        match result {
            Ok(()) => Exit::Done,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Err(error) => {
                let message = format!("standard output could not be written: {error}");
                self.found.push(Diagnostic::error(Code::OutputFailed, message).help("check the disk that it goes to"));
                Exit::Wrong
            }
        }
    }

    /// Writes text for people to stdout, for example a table. Configs name what stands in it, so on a runner it is made
    /// harmless.
    pub(super) fn print_text(&mut self, text: &str) -> Exit {
        let text = if self.on_github { harmless(text) } else { text.into() };
        self.print(|out| out.write_all(text.as_bytes()))
    }

    /// Writes JSON to stdout. On a runner its text may differ where it holds a command, and its value never.
    pub(super) fn print_json(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
        if !self.on_github {
            return self.print(write);
        }
        self.print(|out| {
            let mut bytes = Vec::new();
            write(&mut bytes)?;
            let text = String::from_utf8(bytes).map_err(io::Error::other)?;
            out.write_all(inert_json(&text).as_bytes())
        })
    }

    /// Whether a program reads the diagnostics on stderr.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints findings that are data to stdout, with annotations for a runner behind them if asked.
    pub(super) fn print_findings(&mut self, found: &[Diagnostic], annotate: bool) -> Exit {
        let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let mut text = String::new();
        for diagnostic in found {
            text.push_str(&render_human(diagnostic, colour));
            text.push('\n');
        }
        if !found.is_empty() {
            text.push_str(&totals(found));
            text.push('\n');
        }
        if !self.on_github && !annotate {
            return self.print(|out| out.write_all(text.as_bytes()));
        }
        let secrets = Secrets::of_process();
        let commands = if annotate { annotations(found, annotation_limits()).commands } else { String::new() };
        self.print(|out| {
            out.write_all(harmless(&secrets.hidden(&text)).as_bytes())?;
            out.write_all(secrets.hidden(&commands).as_bytes())
        })
    }

    /// Prints what was found to stderr. Nothing can be done when that fails.
    pub(super) fn finish(self) {
        if self.on_github {
            return self.finish_on_github();
        }
        let found = self.found.as_slice();
        if self.json {
            let _ = writeln!(io::stderr(), "{}", render_json(found));
            return;
        }
        if found.is_empty() {
            return;
        }
        let mut stderr = anstream::AutoStream::auto(io::stderr());
        let colour = stderr.current_choice() != anstream::ColorChoice::Never;
        for diagnostic in found {
            let _ = writeln!(stderr, "{}", render_human(diagnostic, colour));
        }
        let _ = writeln!(stderr, "{}", totals(found));
    }

    /// The same for a log that strangers can read. The runner hides the secrets that it knows; those of a self-hosted
    /// runner's own environment it does not, and a snippet may quote one.
    fn finish_on_github(self) {
        let secrets = Secrets::of_process();
        let mut found = self.found.as_slice().to_vec();
        for diagnostic in &mut found {
            let texts = diagnostic.help.iter_mut().chain(diagnostic.path.as_mut());
            for text in texts.chain(std::iter::once(&mut diagnostic.message)) {
                *text = secrets.hidden(text).into_owned();
            }
        }
        if self.json {
            let _ = writeln!(io::stderr(), "{}", inert_json(&secrets.hidden(&render_json(&found))));
            return;
        }
        if found.is_empty() {
            return;
        }
        let mut stderr = anstream::AutoStream::auto(io::stderr());
        let colour = stderr.current_choice() != anstream::ColorChoice::Never;
        for diagnostic in &found {
            // The runner looks for commands in every line, also in those that quote a config.
            let _ = writeln!(stderr, "{}", harmless(&secrets.hidden(&render_human(diagnostic, colour))));
        }
        let _ = writeln!(stderr, "{}", totals(&found));
        let _ = write!(stderr, "{}", secrets.hidden(&annotations(&found, annotation_limits()).commands));
    }
}

/// `2 errors, 1 warning`
fn totals(found: &[Diagnostic]) -> String {
    let mut parts = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        match found.iter().filter(|d| d.severity == severity).count() {
            0 => {}
            1 => parts.push(format!("1 {}", severity.word())),
            n => parts.push(format!("{n} {}s", severity.word())),
        }
    }
    parts.join(", ")
}
