//! Builtins that declare, export, assign, source and trap.

use std::borrow::Cow;

use super::ast::{Command, CommandId, Part, Span, Word, is_name};
use super::facts::{AssignmentKind, Export, ReadKind, Settings, Sourced, Trap};
use super::walk::Walker;

impl<'s, 't> Walker<'s, 't> {
    /// The words of a simple command.
    pub(super) fn builtin(&mut self, id: CommandId, command: &'s Command<'t>) {
        let name = command.name();
        let arguments = command.arguments();
        match &*name {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declaration(&name, id, arguments);
                return;
            }
            "[" | "test" => {
                self.test(&command.words);
                return;
            }
            "env" => self.prefixes_of_env(id, arguments),
            "read" | "mapfile" | "readarray" | "getopts" | "printf" | "let" | "wait" => {
                self.assigning(&name, id, arguments);
            }
            "unset" => {
                let names = arguments.iter().filter_map(whole_literal).filter(|(text, _)| is_name(text));
                self.facts.unsets.extend(names);
            }
            "source" | "." => {
                if let Some(word) = arguments.first() {
                    self.facts.sources.push(Sourced { span: word.span, pattern: pattern_of(&word.parts) });
                }
            }
            "trap" => self.trap(command, arguments),
            "set" => self.set(command.span, arguments),
            "eval" => {
                let is_made = |word: &Word<'_>| word.literal().is_none();
                self.facts.evaluates |= arguments.iter().any(is_made);
            }
            _ => {}
        }
        command.words.iter().for_each(|word| self.word(word));
    }

    fn declaration(&mut self, builtin: &str, id: CommandId, arguments: &'s [Word<'t>]) {
        let mut exports = builtin == "export";
        let mut local =
            builtin == "local" || builtin != "export" && builtin != "readonly" && self.context.function.is_some();
        for word in arguments {
            if word.assignment.is_some() {
                let kind = if local { AssignmentKind::Local } else { AssignmentKind::Plain };
                self.assignment(word, kind, exports, id);
                continue;
            }
            let Some((text, span)) = whole_literal(word) else {
                self.declared_by_expansion(word, exports);
                continue;
            };
            if let Some(flags) = text.strip_prefix('-') {
                if flags.contains(['f', 'p', 'F']) || builtin == "export" && flags.contains('n') {
                    return;
                }
                exports |= flags.contains('x');
                local &= !flags.contains('g');
            } else if is_name(text) {
                if builtin == "export" {
                    self.facts.exports.push(Export { name: text, span, assigned: false });
                } else {
                    let kind = if local { AssignmentKind::Local } else { AssignmentKind::Plain };
                    self.assign(text, span, kind, exports, Some(id));
                }
            }
        }
    }

    /// `export "$v"`, also `export "$v=1"` and `export "$v"=1`.
    fn declared_by_expansion(&mut self, word: &'s Word<'t>, exports: bool) {
        self.word(word);
        let [Part::Variable(expansion), rest @ ..] = word.parts.as_slice() else {
            if exports {
                self.facts.unknown_exports.push(word.span);
            }
            return;
        };
        let assigned = matches!(rest.first(), Some(Part::Literal(literal)) if literal.text.starts_with('='));
        let names = match self.loop_over(expansion.name) {
            Some(names) => names.map(<[&str]>::to_vec),
            None => self.lists.get(expansion.name).cloned(),
        };
        let Some(names) = names else {
            if exports {
                self.facts.unknown_exports.push(word.span);
            }
            return;
        };
        for name in names {
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            if exports && is_name(name) {
                self.facts.exports.push(Export { name, span: word.span, assigned });
            }
        }
    }

    /// `env X=1 cmd`
    fn prefixes_of_env(&mut self, id: CommandId, arguments: &'s [Word<'t>]) {
        for word in arguments {
            if let Some(head) = word.assignment {
                self.assign(head.name, head.span, AssignmentKind::Prefix, true, Some(id));
            } else if !word.literal().is_some_and(|text| text.starts_with('-')) {
                return;
            }
        }
    }

    fn assigning(&mut self, builtin: &str, id: CommandId, arguments: &'s [Word<'t>]) {
        let mut words = arguments.iter().filter_map(whole_literal);
        let mut assign = |(name, span): (&'t str, Span)| {
            if is_name(name) {
                self.assign(name, span, AssignmentKind::Builtin, false, Some(id));
            }
        };
        match builtin {
            "getopts" => words.nth(1).into_iter().for_each(assign),
            "let" => {
                for (text, span) in words {
                    let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                    let start = span.start as usize;
                    assign((&text[..length], Span::new(start, start + length)));
                }
            }
            "printf" | "wait" => {
                let flag = if builtin == "printf" { "-v" } else { "-p" };
                while let Some((text, _)) = words.next() {
                    if text == flag {
                        words.next().into_iter().for_each(&mut assign);
                    }
                }
            }
            _ => {
                // Behind these flags stands a value that is no variable, in a word of its own.
                let with_value = if builtin == "read" { "dinNptu" } else { "dnOsuCc" };
                let mut words = arguments.iter().map(whole_literal);
                while let Some(word) = words.next() {
                    let Some((text, span)) = word else { continue };
                    match text.strip_prefix('-') {
                        Some(flags) if flags.ends_with(|flag| with_value.contains(flag)) => {
                            words.next();
                        }
                        Some(_) => {}
                        None => assign((text, span)),
                    }
                }
            }
        }
    }

    fn trap(&mut self, command: &'s Command<'t>, arguments: &'s [Word<'t>]) {
        let arguments = match arguments.first() {
            Some(word) if word.is("--") => &arguments[1..],
            _ => arguments,
        };
        let [action, signals @ ..] = arguments else { return };
        let action = action.literal();
        if action.as_deref().is_some_and(|text| matches!(text, "-p" | "-l")) {
            return;
        }
        let name = |word: &Word<'_>| {
            let signal = word.literal()?.to_ascii_uppercase();
            Some(match signal.strip_prefix("SIG").unwrap_or(&signal) {
                "0" => "EXIT".to_owned(),
                "1" => "HUP".to_owned(),
                "2" => "INT".to_owned(),
                "15" => "TERM".to_owned(),
                other => other.to_owned(),
            })
        };
        let signals = signals.iter().filter_map(name).collect();
        self.facts.traps.push(Trap { span: command.span, action, signals });
    }

    fn set(&mut self, span: Span, arguments: &'s [Word<'t>]) {
        let mut words = arguments.iter().filter_map(Word::literal);
        while let Some(word) = words.next().filter(|word| *word != "--") {
            let (on, flags) = match (word.strip_prefix('-'), word.strip_prefix('+')) {
                (Some(flags), _) => (true, flags),
                (_, Some(flags)) => (false, flags),
                _ => return,
            };
            for flag in flags.chars() {
                let option = match flag {
                    'o' => words.next().unwrap_or_default(),
                    'e' => Cow::Borrowed("errexit"),
                    'u' => Cow::Borrowed("nounset"),
                    'a' => Cow::Borrowed("allexport"),
                    _ => continue,
                };
                if option == "allexport" {
                    self.all_exported = on;
                } else if option == "errexit" {
                    self.facts.settings.errexit.push((span, on));
                } else if on {
                    switch_on(&mut self.facts.settings, &option, span);
                }
            }
        }
    }

    /// `${!v}` by other means: `printenv NAME`.
    pub(super) fn named_reads(&mut self, command: &'s Command<'t>) {
        if command.is_named("printenv") {
            for (name, span) in command.arguments().iter().filter_map(whole_literal) {
                if is_name(name) {
                    self.read(name, span, ReadKind::Tested);
                }
            }
        }
    }
}

pub(super) fn switch_on(settings: &mut Settings, option: &str, span: Span) {
    let place = match option {
        "nounset" => &mut settings.nounset,
        "pipefail" => &mut settings.pipefail,
        _ => return,
    };
    place.get_or_insert(span);
}

/// The text of a word that is one literal, and where it stands.
pub(super) fn whole_literal<'t>(word: &Word<'t>) -> Option<(&'t str, Span)> {
    match word.parts.as_slice() {
        [Part::Literal(literal)] => Some((literal.text, literal.span)),
        _ => None,
    }
}

/// The literal text with `*` for whatever is expanded.
pub fn pattern_of<'t>(parts: &[Part<'t>]) -> Cow<'t, str> {
    if let [Part::Literal(literal)] = parts {
        return Cow::Borrowed(literal.text);
    }
    let mut pattern = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => pattern.push_str(literal.text),
            _ if pattern.ends_with('*') => {}
            _ => pattern.push('*'),
        }
    }
    Cow::Owned(pattern)
}
