//! Writes to `$GITHUB_ENV` and its like.

use std::borrow::Cow;

use super::ast::{Body, Command, CommandId, List, Part, Redirect, RedirectOperator, Span, Statement, Word};
use super::facts::{RunnerFile, RunnerWrite};
use super::walk::Walker;

impl<'s, 't> Walker<'s, 't> {
    /// `echo X=1 >> "$GITHUB_ENV"`, `cat <<EOF >> "$GITHUB_ENV"`.
    pub(super) fn runner_writes_of_command(&mut self, id: CommandId, command: &'s Command<'t>) {
        if let Some(file) = command.redirects.iter().find_map(file_of) {
            self.written_by(file, id, command);
        }
    }

    /// `{ echo X=1; echo Y=2; } >> "$GITHUB_ENV"`
    pub(super) fn runner_writes_of(&mut self, statement: &'s Statement<'t>) {
        let Some(file) = statement.redirects.iter().find_map(file_of) else { return };
        let mut commands = Vec::new();
        commands_of(&statement.body, &mut commands);
        for id in commands {
            let command = &self.commands[id];
            if !command.redirects.iter().any(is_output) {
                self.written_by(file, id, command);
            }
        }
    }

    /// `echo X=1 | tee -a "$GITHUB_ENV"`: the command in front of `tee` writes.
    pub(super) fn runner_writes_of_pipes(&mut self, list: &'s List<'t>) {
        for pair in list.windows(2) {
            let [Statement { body: Body::Simple(from), .. }, Statement { body: Body::Simple(to), link, .. }] = pair
            else {
                continue;
            };
            let tee = &self.commands[*to];
            if *link != super::ast::Link::Pipe || !tee.is_named("tee") {
                continue;
            }
            if let Some(file) = tee.arguments().iter().find_map(runner_file) {
                self.written_by(file, *from, &self.commands[*from]);
            }
        }
    }

    fn written_by(&mut self, file: RunnerFile, id: CommandId, command: &'s Command<'t>) {
        let mut write = |name: Cow<'t, str>, span: Span| {
            self.facts.writes.push(RunnerWrite { file, name, span, command: id });
        };
        match &*command.name() {
            "echo" | "printf" => {
                for word in command.arguments() {
                    // `echo -e "A=1\nB=2"` and `printf 'A=%s\n' "$a"` name what they write in front of `=`.
                    let start = word.literal_start();
                    for line in start.split("\\n").flat_map(|line| line.split('\n')) {
                        if let Some(name) = written_name(line) {
                            write(Cow::Owned(name.to_owned()), word.span);
                        }
                    }
                }
            }
            "cat" | "tee" => {
                let heredocs = command.redirects.iter().filter_map(|redirect| redirect.heredoc);
                for heredoc in heredocs.filter_map(|index| self.heredocs.get(index)) {
                    for (name, span) in lines_of(&heredoc.parts) {
                        write(Cow::Borrowed(name), span);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The names in front of `=` at the start of the lines of a here-document.
fn lines_of<'t>(parts: &[Part<'t>]) -> Vec<(&'t str, Span)> {
    let mut names = Vec::new();
    let mut starts_line = true;
    for part in parts {
        let Part::Literal(literal) = part else {
            starts_line = false;
            continue;
        };
        let mut offset = literal.span.start as usize;
        for line in literal.text.split_inclusive('\n') {
            if let (true, Some(name)) = (starts_line, written_name(line)) {
                names.push((name, Span::new(offset, offset + name.len())));
            }
            offset += line.len();
            starts_line = line.ends_with('\n');
        }
    }
    names
}

/// `NAME=` or `NAME<<`, and an output may have hyphens.
fn written_name(line: &str) -> Option<&str> {
    let length = line.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    let (name, rest) = line.split_at(length);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && (rest.starts_with('=') || rest.starts_with("<<"))).then_some(name)
}

fn is_output(redirect: &Redirect<'_>) -> bool {
    matches!(redirect.operator, RedirectOperator::Output | RedirectOperator::Append)
}

fn file_of(redirect: &Redirect<'_>) -> Option<RunnerFile> {
    if is_output(redirect) { runner_file(&redirect.target) } else { None }
}

fn runner_file(word: &Word<'_>) -> Option<RunnerFile> {
    let name = word.only_variable()?.name;
    match name {
        "GITHUB_ENV" => Some(RunnerFile::Env),
        "GITHUB_OUTPUT" => Some(RunnerFile::Output),
        "GITHUB_STATE" => Some(RunnerFile::State),
        _ => None,
    }
}

fn commands_of(body: &Body<'_>, commands: &mut Vec<CommandId>) {
    let mut of_list = |list: &List<'_>| list.iter().for_each(|statement| commands_of(&statement.body, commands));
    match body {
        Body::Simple(id) => commands.push(*id),
        Body::Group(list) | Body::Subshell(list) => of_list(list),
        Body::If(branches, otherwise) => {
            branches.iter().for_each(|(_, list)| of_list(list));
            of_list(otherwise);
        }
        Body::While(_, list) => of_list(list),
        Body::For(one) => of_list(&one.body),
        Body::Case(_, arms) => arms.iter().for_each(|(_, list)| of_list(list)),
        Body::Function(_) | Body::Test(_) | Body::Arithmetic(_) => {}
    }
}
