//! What a script does with variables, as data for rules.

use std::borrow::Cow;

use super::ast::{CommandId, Span};

/// A place where a variable is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read<'t> {
    /// The variable.
    pub name: &'t str,
    /// The expansion, or the name where only that stands there.
    pub span: Span,
    /// What happens when it is not set.
    pub kind: ReadKind,
    /// The variable that the value becomes, for `X=${Y:-d}`.
    pub becomes: Option<&'t str>,
    /// The function that reads it.
    pub function: Option<&'t str>,
    /// Whether another process reads it, from its environment: `bash -c`, Python.
    pub by_child: bool,
}

/// How a read treats a variable that is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadKind {
    /// Not at all: `$X`, `os.environ["X"]`.
    Bare,
    /// A default stands in: `${X:-d}`, `${X:=d}`, `os.environ.get("X")`.
    Defaulted,
    /// The script stops: `${X:?}`, or a loop that checks names.
    Required,
    /// It is asked whether it is set: `${X:+1}`, `-z "$X"`, `-v X`.
    Tested,
    /// Zero stands in: `(( X ))`.
    Arithmetic,
}

/// A place where a variable gets a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment<'t> {
    /// The variable.
    pub name: &'t str,
    /// Where it is named.
    pub span: Span,
    /// By what means.
    pub kind: AssignmentKind,
    /// Whether the same place exports it.
    pub exported: bool,
    /// The function that it happens in.
    pub function: Option<&'t str>,
    /// The command that it belongs to, if one does.
    pub command: Option<CommandId>,
    /// Whether another process does it.
    pub by_child: bool,
}

/// How a variable gets a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentKind {
    /// `X=1`, `declare X=1`, `readonly X`
    Plain,
    /// `local X`, or `declare` in a function: not seen outside.
    Local,
    /// `X=1 cmd`, `env X=1 cmd`: for one command, in its environment.
    Prefix,
    /// `for X in ...`, `select`
    Loop,
    /// `read X`, `mapfile X`, `printf -v X`, `getopts ... X`, `{X}>file`
    Builtin,
    /// `${X:=d}`
    Default,
    /// `(( X = 1 ))`
    Arithmetic,
}

/// A variable that is put into the environment of what the script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export<'t> {
    /// The variable.
    pub name: &'t str,
    /// Where it is named.
    pub span: Span,
    /// Whether the same place gives it a value.
    pub assigned: bool,
}

/// `source FILE`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<'t> {
    /// The word that names the file.
    pub span: Span,
    /// The path, with `*` for what is expanded.
    pub pattern: Cow<'t, str>,
}

/// `trap ACTION SIGNAL...`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trap<'t> {
    /// The whole command.
    pub span: Span,
    /// The action, when it is literal; `-` and the empty one reset.
    pub action: Option<Cow<'t, str>>,
    /// The signals in upper case, without `SIG`.
    pub signals: Vec<String>,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defined<'t> {
    /// Its name.
    pub name: &'t str,
    /// Where it is named.
    pub span: Span,
    /// Whether it looks at the variables that its arguments name, as a check of the environment does.
    pub checks_arguments: bool,
}

/// A file of the runner's protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerFile {
    /// `$GITHUB_ENV`
    Env,
    /// `$GITHUB_OUTPUT`
    Output,
    /// `$GITHUB_STATE`
    State,
}

/// `NAME=value` appended to a file of the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerWrite<'t> {
    /// Which file.
    pub file: RunnerFile,
    /// The name that is written.
    pub name: Cow<'t, str>,
    /// The word or line that is written.
    pub span: Span,
    /// The command that writes.
    pub command: CommandId,
}

/// What `set` switched on, anywhere in the script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `set -e` and `set +e` in source order, and whether it is switched on; the first line for `#!/bin/bash -e`.
    pub errexit: Vec<(Span, bool)>,
    /// `set -u`
    pub nounset: Option<Span>,
    /// `set -o pipefail`
    pub pipefail: Option<Span>,
}

impl Settings {
    /// Whether a command at this place stops the script when it fails. `before` holds where nothing was set.
    pub fn stops_at(&self, place: u32, before: bool) -> bool {
        self.errexit.iter().rfind(|(span, _)| span.start <= place).map_or(before, |(_, on)| *on)
    }

    /// Whether a failure stops the script anywhere.
    pub fn ever_stops(&self) -> bool {
        self.errexit.iter().any(|(_, on)| *on)
    }
}

/// A loop over words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopWords<'t> {
    /// The loop variable.
    pub variable: &'t str,
    /// The words that are literal, or in literal lists.
    pub words: Vec<&'t str>,
    /// Whether these are all.
    pub complete: bool,
}

/// Everything that rules ask a script for.
#[derive(Debug, Default)]
pub struct Facts<'t> {
    /// Variables that are read, in source order of the commands.
    pub reads: Vec<Read<'t>>,
    /// Variables that get a value.
    pub assignments: Vec<Assignment<'t>>,
    /// Variables that are exported.
    pub exports: Vec<Export<'t>>,
    /// Words of `export` that cannot be known, such as `export $(cmd)`.
    pub unknown_exports: Vec<Span>,
    /// `unset X`
    pub unsets: Vec<(&'t str, Span)>,
    /// Sourced files.
    pub sources: Vec<Sourced<'t>>,
    /// Traps.
    pub traps: Vec<Trap<'t>>,
    /// Functions.
    pub functions: Vec<Defined<'t>>,
    /// Writes to files of the runner.
    pub writes: Vec<RunnerWrite<'t>>,
    /// Loops over words.
    pub loops: Vec<LoopWords<'t>>,
    /// Options that were set.
    pub settings: Settings,
    /// Whether `eval` runs a text that is made at run time.
    pub evaluates: bool,
}
