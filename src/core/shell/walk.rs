//! From statements to facts: one walk in source order.

use hashbrown::HashMap;

use super::ast::{
    Body, Command, CommandId, Context, Expansion, For, Heredoc, Link, List, Operator, Part, Quote, Redirect, Runner,
    Span, Statement, Word,
};
use super::facts::{Assignment, AssignmentKind, Defined, Export, Facts, LoopWords, Read, ReadKind};
use super::python::environment_uses;

/// What a walk carries along, and what it found.
pub(super) struct Walker<'s, 't> {
    pub(super) commands: &'s [Command<'t>],
    pub(super) heredocs: &'s [Heredoc<'t>],
    pub(super) facts: Facts<'t>,
    /// Where each command stands.
    pub(super) contexts: Vec<Context<'t>>,
    pub(super) context: Context<'t>,
    /// Whether another process runs what is walked.
    pub(super) by_child: bool,
    /// `set -a` holds.
    pub(super) all_exported: bool,
    /// Loop variables and the literal words that they run over; `None` for the arguments.
    loops: Vec<(&'t str, Option<Vec<&'t str>>)>,
    /// Literal words that variables and arrays hold.
    pub(super) lists: HashMap<&'t str, Vec<&'t str>>,
    /// The variable that gets the value being walked.
    pub(super) becomes: Option<&'t str>,
}

impl<'s, 't> Walker<'s, 't> {
    pub(super) fn new(commands: &'s [Command<'t>], heredocs: &'s [Heredoc<'t>]) -> Self {
        Self {
            commands,
            heredocs,
            facts: Facts::default(),
            contexts: vec![Context::default(); commands.len()],
            context: Context::default(),
            by_child: false,
            all_exported: false,
            loops: Vec::new(),
            lists: HashMap::new(),
            becomes: None,
        }
    }

    /// Walks with a changed context, and restores it.
    fn inside(&mut self, change: impl FnOnce(&mut Context<'t>), walk: impl FnOnce(&mut Self)) {
        let before = self.context;
        change(&mut self.context);
        walk(self);
        self.context = before;
    }

    pub(super) fn list(&mut self, list: &'s List<'t>) {
        let conditions = conditions_of(list);
        for (at, statement) in list.iter().enumerate() {
            let is_piped = statement.link == Link::Pipe || list.get(at + 1).is_some_and(|next| next.link == Link::Pipe);
            let follows = matches!(statement.link, Link::And | Link::Or);
            let decides = conditions[at] || statement.negated;
            self.inside(
                |context| {
                    context.is_condition |= decides;
                    context.background |= statement.background;
                    context.in_subshell |= is_piped || statement.background;
                    context.in_branch |= follows;
                },
                |walker| walker.statement(statement),
            );
        }
        self.runner_writes_of_pipes(list);
    }

    fn statement(&mut self, statement: &'s Statement<'t>) {
        match &statement.body {
            Body::Simple(id) => self.command(*id),
            Body::Group(list) => self.list(list),
            Body::Subshell(list) => self.subshell(list),
            Body::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.inside(|context| context.is_condition = true, |walker| walker.list(condition));
                    self.branch(body);
                }
                self.branch(otherwise);
            }
            Body::While(condition, body) => {
                self.inside(
                    |context| (context.is_condition, context.in_loop) = (true, true),
                    |walker| walker.list(condition),
                );
                self.inside(|context| (context.in_loop, context.in_branch) = (true, true), |walker| walker.list(body));
            }
            Body::For(one) => self.for_loop(one),
            Body::Case(word, arms) => {
                self.word(word);
                for (patterns, body) in arms {
                    patterns.iter().for_each(|pattern| self.word(pattern));
                    self.branch(body);
                }
            }
            Body::Function(function) => {
                let (name, span) = (function.name, function.span);
                self.facts.functions.push(Defined { name, span, checks_arguments: false });
                let change = |context: &mut Context<'t>| {
                    *context = Context { function: Some(name), ..Context::default() };
                };
                self.inside(change, |walker| walker.list(&function.body));
            }
            Body::Test(words) => self.test(words),
            Body::Arithmetic(parts) => self.parts(parts),
        }
        self.redirects(&statement.redirects);
        if !statement.redirects.is_empty() {
            self.runner_writes_of(statement);
        }
    }

    fn branch(&mut self, list: &'s List<'t>) {
        self.inside(|context| context.in_branch = true, |walker| walker.list(list));
    }

    fn subshell(&mut self, list: &'s List<'t>) {
        self.inside(|context| context.in_subshell = true, |walker| walker.list(list));
    }

    fn for_loop(&mut self, one: &'s For<'t>) {
        if !one.variable.is_empty() {
            self.assign(one.variable, one.span, AssignmentKind::Loop, false, None);
        }
        self.parts(&one.arithmetic);
        let words = one.words.as_deref();
        words.unwrap_or_default().iter().for_each(|word| self.word(word));
        let names = words.and_then(|words| self.loop_words(words));
        if let Some(names) = &names {
            // Each word gives one name or more, or it was not understood.
            let complete = words.is_some_and(|words| words.iter().all(|word| self.is_known_list(word)));
            self.facts.loops.push(LoopWords { variable: one.variable, words: names.clone(), complete });
        }
        self.loops.push((one.variable, names));
        self.inside(|context| (context.in_loop, context.in_branch) = (true, true), |walker| walker.list(&one.body));
        self.loops.pop();
    }

    /// The literal words that a loop runs over; `None` when they are the arguments.
    fn loop_words(&self, words: &'s [Word<'t>]) -> Option<Vec<&'t str>> {
        let mut names = Vec::new();
        for word in words {
            match word.parts.as_slice() {
                [Part::Literal(literal)] => names.push(literal.text),
                [Part::Variable(expansion)] if matches!(expansion.name, "@" | "*") => return None,
                [Part::Variable(expansion)] => {
                    names.extend(self.lists.get(expansion.name).into_iter().flatten().copied());
                }
                _ => {}
            }
        }
        Some(names)
    }

    fn is_known_list(&self, word: &Word<'t>) -> bool {
        match word.parts.as_slice() {
            [Part::Literal(_)] => true,
            [Part::Variable(expansion)] => self.lists.contains_key(expansion.name),
            _ => false,
        }
    }

    /// The words that a loop variable stands for; the inner option is `None` for the arguments of a function.
    pub(super) fn loop_over(&self, variable: &str) -> Option<Option<&[&'t str]>> {
        self.loops.iter().rev().find(|(name, _)| *name == variable).map(|(_, names)| names.as_deref())
    }

    pub(super) fn read(&mut self, name: &'t str, span: Span, kind: ReadKind) {
        let (becomes, function, by_child) = (self.becomes, self.context.function, self.by_child);
        self.facts.reads.push(Read { name, span, kind, becomes, function, by_child });
    }

    pub(super) fn assign(
        &mut self,
        name: &'t str,
        span: Span,
        kind: AssignmentKind,
        exported: bool,
        command: Option<CommandId>,
    ) {
        let exported = exported || self.all_exported || kind == AssignmentKind::Prefix;
        if exported && kind != AssignmentKind::Prefix {
            self.facts.exports.push(Export { name, span, assigned: true });
        }
        let (function, by_child) = (self.context.function, self.by_child);
        self.facts.assignments.push(Assignment { name, span, kind, exported, function, command, by_child });
    }

    fn command(&mut self, id: CommandId) {
        let command = &self.commands[id];
        self.contexts[id] = self.context;
        let kind = if command.words.is_empty() { AssignmentKind::Plain } else { AssignmentKind::Prefix };
        for word in &command.assignments {
            self.assignment(word, kind, false, id);
        }
        for embedded in &command.embedded {
            let by_child = self.by_child;
            self.by_child |= embedded.runner == Runner::Child;
            self.subshell_if(embedded.runner == Runner::Child, &embedded.list);
            self.by_child = by_child;
        }
        self.builtin(id, command);
        self.named_reads(command);
        self.redirects(&command.redirects);
        self.runner_writes_of_command(id, command);
    }

    fn subshell_if(&mut self, other: bool, list: &'s List<'t>) {
        self.inside(|context| context.in_subshell |= other, |walker| walker.list(list));
    }

    /// `NAME=value`: what the value reads, then the assignment.
    pub(super) fn assignment(&mut self, word: &'s Word<'t>, kind: AssignmentKind, exported: bool, id: CommandId) {
        let Some(head) = word.assignment else { return self.word(word) };
        let before = self.becomes.replace(head.name);
        self.parts(&word.parts);
        self.becomes = before;
        self.remember_list(head.name, word.value().unwrap_or_default(), head.append);
        self.assign(head.name, head.span, kind, exported, Some(id));
    }

    /// Keeps the literal words of a value, for loops over it.
    fn remember_list(&mut self, name: &'t str, value: &'s [Part<'t>], append: bool) {
        let words: Vec<&'t str> = match value {
            [Part::Array(_, words)] => words
                .iter()
                .filter_map(|word| match word.parts.as_slice() {
                    [Part::Literal(one)] => Some(one.text),
                    _ => None,
                })
                .collect(),
            [Part::Literal(one)] => one.text.split_ascii_whitespace().collect(),
            _ => return,
        };
        let list = self.lists.entry(name).or_default();
        if !append {
            list.clear();
        }
        list.extend(words);
    }

    fn redirects(&mut self, redirects: &'s [Redirect<'t>]) {
        for redirect in redirects {
            if let Some((name, span)) = redirect.descriptor {
                self.assign(name, span, AssignmentKind::Builtin, false, None);
            }
            match redirect.heredoc.and_then(|index| self.heredocs.get(index)) {
                Some(heredoc) => self.parts(&heredoc.parts),
                None => self.word(&redirect.target),
            }
        }
    }

    pub(super) fn word(&mut self, word: &'s Word<'t>) {
        self.parts(&word.parts);
    }

    pub(super) fn parts(&mut self, parts: &'s [Part<'t>]) {
        for part in parts {
            match part {
                Part::Literal(literal) => {
                    if matches!(literal.quote, Quote::Single | Quote::Double) {
                        self.python_in(part);
                    }
                }
                Part::Expression(_) => {}
                Part::Variable(expansion) => self.expansion(expansion),
                Part::Command(_, list) | Part::Process(_, list) => {
                    let becomes = self.becomes;
                    self.inside(
                        |context| (context.in_subshell, context.is_condition) = (true, false),
                        |walker| walker.list(list),
                    );
                    self.becomes = becomes;
                }
                Part::Arithmetic(_, inner) => self.parts(inner),
                Part::Name { name, span, assigned: true } => {
                    self.assign(name, *span, AssignmentKind::Arithmetic, false, None);
                }
                Part::Name { name, span, assigned: false } => self.read(name, *span, ReadKind::Arithmetic),
                Part::Array(_, words) => words.iter().for_each(|word| self.word(word)),
            }
        }
    }

    fn python_in(&mut self, part: &Part<'t>) {
        let Part::Literal(literal) = part else { return };
        let shift = literal.span.start as usize;
        for one in environment_uses(literal.text) {
            let span = Span::new(shift + one.span.start as usize, shift + one.span.end as usize);
            if let Some(kind) = one.read {
                let (becomes, function) = (None, self.context.function);
                let read = Read { name: one.name, span, kind, becomes, function, by_child: true };
                self.facts.reads.push(read);
            }
        }
    }

    fn expansion(&mut self, expansion: &'s Expansion<'t>) {
        let (name, span) = (expansion.name, expansion.span);
        if super::ast::is_name(name) {
            match expansion.operator {
                Operator::Plain | Operator::Edit | Operator::Length => self.read(name, span, ReadKind::Bare),
                Operator::Default => self.read(name, span, ReadKind::Defaulted),
                Operator::AssignDefault => {
                    self.read(name, span, ReadKind::Defaulted);
                    self.assign(name, span, AssignmentKind::Default, false, None);
                }
                Operator::Require => self.read(name, span, ReadKind::Required),
                Operator::Alternative => self.read(name, span, ReadKind::Tested),
                Operator::Indirect => self.indirect(name, span),
                Operator::Names => {}
            }
        } else if expansion.operator == Operator::Indirect {
            // `${!1}`: the argument names the variable.
            self.checks_arguments();
        }
        self.parts(&expansion.index);
        self.parts(&expansion.argument);
    }

    /// `${!name}`: reads each variable that `name` runs over.
    pub(super) fn indirect(&mut self, name: &'t str, span: Span) {
        match self.loop_over(name).map(|names| names.map(<[&str]>::to_vec)) {
            Some(Some(names)) => {
                for name in names.into_iter().filter(|name| super::ast::is_name(name)) {
                    self.read(name, span, ReadKind::Required);
                }
            }
            Some(None) => self.checks_arguments(),
            None => self.read(name, span, ReadKind::Bare),
        }
    }

    fn checks_arguments(&mut self) {
        let function = self.context.function;
        if let Some(defined) = self.facts.functions.iter_mut().rev().find(|one| Some(one.name) == function) {
            defined.checks_arguments = true;
        }
    }

    /// The words of `[ ]` and `[[ ]]`: asking whether a variable is empty is no use of it.
    pub(super) fn test(&mut self, words: &'s [Word<'t>]) {
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let asks = before.is_some_and(|before| before.is("-z") || before.is("-n"));
            if before.is_some_and(|before| before.is("-v")) {
                if let [Part::Literal(literal)] = word.parts.as_slice()
                    && super::ast::is_name(literal.text)
                {
                    self.read(literal.text, literal.span, ReadKind::Tested);
                }
            } else if let (true, Some(expansion)) = (asks, word.only_variable())
                && expansion.operator == Operator::Plain
                && super::ast::is_name(expansion.name)
            {
                self.read(expansion.name, expansion.span, ReadKind::Tested);
            } else {
                self.word(word);
            }
        }
    }
}

/// For each statement whether its exit code decides what follows it in its list.
fn conditions_of(list: &List<'_>) -> Vec<bool> {
    let mut conditions = vec![false; list.len()];
    let mut decides = false;
    for (at, statement) in list.iter().enumerate().rev() {
        conditions[at] = decides;
        decides = match statement.link {
            Link::And | Link::Or => true,
            Link::Pipe => decides,
            Link::Next => false,
        };
    }
    conditions
}
