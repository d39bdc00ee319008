//! Reads bash scripts well enough for lint.
//!
//! In: the text of a script, or of a `run:` block. Out: a [`Script`]: its statements with byte spans, and the [`Facts`] that
//! rules ask for: what is read, assigned, exported, sourced, trapped and written to the runner's files. Nothing is run,
//! and what bash would refuse is a [`Problem`] while the rest is still read. `${{ }}` is text that GitHub replaces.
//! What is not here: globbing, brace expansion, aliases, and other shells.

mod ast;
mod builtins;
mod compound;
mod expansion;
mod facts;
mod list;
mod outputs;
mod parser;
mod python;
#[cfg(test)]
mod tests;
mod walk;
mod words;

pub use ast::{
    AssignmentHead, Body, Command, CommandId, Context, Embedded, Expansion, For, Function, Heredoc, Link, List,
    Literal, Operator, Part, Quote, Redirect, RedirectOperator, Runner, Span, Statement, Word, is_name,
};
pub use builtins::pattern_of;
pub use facts::{
    Assignment, AssignmentKind, Defined, Export, Facts, LoopWords, Read, ReadKind, RunnerFile, RunnerWrite, Settings,
    Sourced, Trap,
};
pub use parser::Problem;
pub use python::{EnvironmentUse, environment_uses};

/// A script that was read.
#[derive(Debug, Default)]
pub struct Script<'t> {
    /// Its statements.
    pub list: List<'t>,
    /// All simple commands; statements refer to them by index.
    pub commands: Vec<Command<'t>>,
    /// All here-documents.
    pub heredocs: Vec<Heredoc<'t>>,
    /// What it does with variables.
    pub facts: Facts<'t>,
    /// What bash would refuse.
    pub problems: Vec<Problem>,
}

/// Reads a script. There is always a result.
pub fn read_script(text: &str) -> Script<'_> {
    let mut parser = parser::Parser::new(text);
    let list = parser.list(&[]);
    let (mut commands, heredocs, problems) = parser.finish();
    let mut walker = walk::Walker::new(&commands, &heredocs);
    walker.list(&list);
    let (mut facts, contexts) = (walker.facts, walker.contexts);
    first_line_options(text, &mut facts);
    for (command, context) in commands.iter_mut().zip(contexts) {
        command.context = context;
    }
    Script { list, commands, heredocs, facts, problems }
}

/// `#!/bin/bash -e` sets options as well.
fn first_line_options(text: &str, facts: &mut Facts<'_>) {
    let line = text.lines().next().unwrap_or_default();
    let Some(interpreter) = line.strip_prefix("#!") else { return };
    let options = interpreter.split_ascii_whitespace().skip(1).filter_map(|word| word.strip_prefix('-'));
    let span = Span::new(0, line.len());
    for flag in options.flat_map(str::chars) {
        match flag {
            'e' => facts.settings.errexit.insert(0, (span, true)),
            'u' => builtins::switch_on(&mut facts.settings, "nounset", span),
            _ => {}
        }
    }
}
