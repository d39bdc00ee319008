//! What a script holds: statements, commands and words, each with its place.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of the script's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Span {
    /// From a byte to behind another one.
    pub fn new(start: usize, end: usize) -> Self {
        let short = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: short(start), end: short(end) }
    }

    /// The same as a range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether another span lies in this one.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// The index of a command in [`super::Script::commands`].
pub type CommandId = usize;

/// How a statement follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// It starts a list, or follows `;`, `&` or a line break.
    Next,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// One command of a list, with how it is linked to its neighbours.
#[derive(Debug)]
pub struct Statement<'t> {
    /// All of it, redirections included.
    pub span: Span,
    /// How it follows the statement before it.
    pub link: Link,
    /// Whether `!` stands in front.
    pub negated: bool,
    /// Whether `&` ends its list.
    pub background: bool,
    /// What it is.
    pub body: Body<'t>,
    /// Redirections of a compound command; those of a simple one are in the command.
    pub redirects: Vec<Redirect<'t>>,
}

/// Statements in source order.
pub type List<'t> = Vec<Statement<'t>>;

/// The kinds of statements.
#[derive(Debug)]
pub enum Body<'t> {
    /// A command with words.
    Simple(CommandId),
    /// `{ ...; }`
    Group(List<'t>),
    /// `( ... )`
    Subshell(List<'t>),
    /// `if`: condition and body of each branch, and the body of `else`.
    If(Vec<(List<'t>, List<'t>)>, List<'t>),
    /// `while` and `until`: condition and body.
    While(List<'t>, List<'t>),
    /// `for` and `select`.
    For(For<'t>),
    /// `case`: the word, and patterns and body of each arm.
    Case(Word<'t>, Vec<(Vec<Word<'t>>, List<'t>)>),
    /// A function.
    Function(Function<'t>),
    /// `[[ ... ]]`
    Test(Vec<Word<'t>>),
    /// `(( ... ))`
    Arithmetic(Vec<Part<'t>>),
}

/// A loop over words.
#[derive(Debug)]
pub struct For<'t> {
    /// The variable, empty for `for (( ))`.
    pub variable: &'t str,
    /// Where it is named.
    pub span: Span,
    /// What it runs over; `None` without `in`, which is over the arguments.
    pub words: Option<Vec<Word<'t>>>,
    /// The parts of `for (( ))`.
    pub arithmetic: Vec<Part<'t>>,
    /// What is repeated.
    pub body: List<'t>,
}

/// A function.
#[derive(Debug)]
pub struct Function<'t> {
    /// Its name.
    pub name: &'t str,
    /// Where it is named.
    pub span: Span,
    /// What it does; one statement, usually a group.
    pub body: List<'t>,
}

/// A simple command.
#[derive(Debug)]
pub struct Command<'t> {
    /// All of it.
    pub span: Span,
    /// `X=1` in front of the words, or alone.
    pub assignments: Vec<Word<'t>>,
    /// The words, the name first; empty when it only assigns.
    pub words: Vec<Word<'t>>,
    /// Its redirections.
    pub redirects: Vec<Redirect<'t>>,
    /// Shell texts in single quotes that it runs.
    pub embedded: Vec<Embedded<'t>>,
    /// Where it stands; filled in when the script is walked.
    pub context: Context<'t>,
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Context<'t> {
    /// The function that holds it.
    pub function: Option<&'t str>,
    /// Whether it decides an `if`, a loop or a list (`cmd && ...`, `cmd || ...`, `! cmd`).
    pub is_condition: bool,
    /// Whether it runs beside the script.
    pub background: bool,
    /// Whether it runs in a shell of its own: `( )`, `$( )`, a pipeline, a text for `bash -c`.
    pub in_subshell: bool,
    /// Whether it stands in a loop.
    pub in_loop: bool,
    /// Whether it stands in a branch: it may not run at all.
    pub in_branch: bool,
}

/// Who runs a text in single quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `trap`, in the same shell, later.
    Trap,
    /// `eval`, in the same shell.
    Eval,
    /// `bash -c`: another shell that sees what is exported.
    Child,
}

/// Shell inside single quotes.
#[derive(Debug)]
pub struct Embedded<'t> {
    /// Who runs it.
    pub runner: Runner,
    /// The bytes between the quotes.
    pub span: Span,
    /// What it does.
    pub list: List<'t>,
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect<'t> {
    /// The operator and the word behind it.
    pub span: Span,
    /// Which kind.
    pub operator: RedirectOperator,
    /// The variable of `{fd}>file`.
    pub descriptor: Option<(&'t str, Span)>,
    /// The file, the descriptor or the delimiter.
    pub target: Word<'t>,
    /// The index in [`super::Script::heredocs`], for a here-document.
    pub heredoc: Option<usize>,
}

/// The kinds of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`, `<>`, `<&`
    Input,
    /// `>`, `>|`, `>&`, `&>`
    Output,
    /// `>>`, `&>>`
    Append,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A here-document.
#[derive(Debug)]
pub struct Heredoc<'t> {
    /// The redirection that asks for it.
    pub span: Span,
    /// The word that ends it.
    pub delimiter: Cow<'t, str>,
    /// Whether nothing is expanded in it.
    pub quoted: bool,
    /// Whether leading tabs are dropped.
    pub strip_tabs: bool,
    /// Its lines, without the delimiter.
    pub body: Span,
    /// The lines as literals and expansions.
    pub parts: Vec<Part<'t>>,
}

/// A word.
#[derive(Debug, Default)]
pub struct Word<'t> {
    /// All of it, quotes included.
    pub span: Span,
    /// Its parts; together they are the whole word.
    pub parts: Vec<Part<'t>>,
    /// Set when it has the form `NAME=value`.
    pub assignment: Option<AssignmentHead<'t>>,
}

/// The left side of an assignment.
#[derive(Debug, Clone, Copy)]
pub struct AssignmentHead<'t> {
    /// The variable.
    pub name: &'t str,
    /// Where it is named.
    pub span: Span,
    /// Whether it is `+=`.
    pub append: bool,
    /// Whether an element of an array is assigned.
    pub indexed: bool,
    /// The first part of the value.
    pub value_from: usize,
}

/// A part of a word.
#[derive(Debug)]
pub enum Part<'t> {
    /// Text as it is.
    Literal(Literal<'t>),
    /// `$X`, `${X...}`
    Variable(Box<Expansion<'t>>),
    /// `$( )` or backticks.
    Command(Span, List<'t>),
    /// `<( )`, `>( )`
    Process(Span, List<'t>),
    /// `$(( ))`
    Arithmetic(Span, Vec<Self>),
    /// A name inside arithmetic: read, or assigned.
    Name {
        /// The variable.
        name: &'t str,
        /// Where it is named.
        span: Span,
        /// Whether it gets a value.
        assigned: bool,
    },
    /// `( ... )` behind `NAME=`.
    Array(Span, Vec<Word<'t>>),
    /// `${{ }}`: GitHub replaces it before any shell sees it.
    Expression(Span),
}

impl Part<'_> {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Literal(literal) => literal.span,
            Self::Variable(expansion) => expansion.span,
            Self::Name { span, .. }
            | Self::Command(span, _)
            | Self::Process(span, _)
            | Self::Arithmetic(span, _)
            | Self::Array(span, _)
            | Self::Expression(span) => *span,
        }
    }
}

/// Text of a word.
#[derive(Debug, Clone, Copy)]
pub struct Literal<'t> {
    /// The text without quotes and backslashes.
    pub text: &'t str,
    /// Where it stands.
    pub span: Span,
    /// How it is quoted.
    pub quote: Quote,
}

/// How a text is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    /// Not at all.
    None,
    /// By a backslash.
    Escaped,
    /// `'...'`
    Single,
    /// `"..."`
    Double,
    /// `$'...'`, escapes left as they are.
    Ansi,
}

/// The expansion of a variable.
#[derive(Debug)]
pub struct Expansion<'t> {
    /// The variable; digits or a sign for parameters.
    pub name: &'t str,
    /// From `$` to the end.
    pub span: Span,
    /// What is done with the value.
    pub operator: Operator,
    /// Whether it stands in double quotes or in a here-document.
    pub quoted: bool,
    /// The index of an array.
    pub index: Vec<Part<'t>>,
    /// What stands behind the operator.
    pub argument: Vec<Part<'t>>,
}

/// What an expansion does with the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// Nothing: `$X`, `${X}`, `${X[@]}`.
    Plain,
    /// `${X:-d}`, `${X-d}`
    Default,
    /// `${X:=d}`, `${X=d}`
    AssignDefault,
    /// `${X:?message}`, `${X?message}`
    Require,
    /// `${X:+other}`, `${X+other}`
    Alternative,
    /// `${#X}`
    Length,
    /// `${!X}`: the variable that X names.
    Indirect,
    /// `${!X@}`, `${!X*}`, `${!X[@]}`: names or keys.
    Names,
    /// Trims, replaces, cuts or changes case.
    Edit,
}

impl<'t> Word<'t> {
    /// The text, when nothing in it is expanded.
    pub fn literal(&self) -> Option<Cow<'t, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [Part::Literal(one)] => Some(Cow::Borrowed(one.text)),
            parts => {
                let texts = parts.iter().map(|part| match part {
                    Part::Literal(literal) => Some(literal.text),
                    _ => None,
                });
                texts.collect::<Option<String>>().map(Cow::Owned)
            }
        }
    }

    /// Whether the word is this text.
    pub fn is(&self, text: &str) -> bool {
        let mut rest = text;
        for part in &self.parts {
            let Part::Literal(literal) = part else { return false };
            let Some(after) = rest.strip_prefix(literal.text) else { return false };
            rest = after;
        }
        rest.is_empty()
    }

    /// The literal text in front of the first expansion.
    pub fn literal_start(&self) -> Cow<'t, str> {
        let mut start = Cow::Borrowed("");
        for part in &self.parts {
            let Part::Literal(literal) = part else { break };
            if start.is_empty() {
                start = Cow::Borrowed(literal.text);
            } else {
                start.to_mut().push_str(literal.text);
            }
        }
        start
    }

    /// The variable, when the word is the expansion of one and nothing else.
    pub fn only_variable(&self) -> Option<&Expansion<'t>> {
        match self.parts.as_slice() {
            [Part::Variable(expansion)] => Some(expansion),
            _ => None,
        }
    }

    /// The parts of the value, when the word assigns.
    pub fn value(&self) -> Option<&[Part<'t>]> {
        let head = self.assignment.as_ref()?;
        Some(self.parts.get(head.value_from..).unwrap_or_default())
    }
}

impl<'t> Command<'t> {
    /// The name, when it is literal; empty when there are no words.
    pub fn name(&self) -> Cow<'t, str> {
        self.words.first().and_then(Word::literal).unwrap_or_default()
    }

    /// Whether the name is this one, with or without a folder in front.
    pub fn is_named(&self, name: &str) -> bool {
        self.words.first().is_some_and(|word| {
            word.is(name)
                || word.literal().is_some_and(|text| text.rsplit('/').next() == Some(name) && text.contains('/'))
        })
    }

    /// The words from the program on that does the work: behind `sudo`, `exec`, `timeout 10`, `env X=1` and their like.
    pub fn program(&self) -> &[Word<'t>] {
        const WRAPPERS: [&str; 12] = [
            "builtin", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo",
            "timeout",
        ];
        /// Options of them that take a word of their own.
        const WITH_VALUE: [&str; 8] = ["-u", "-g", "-n", "-k", "-s", "-C", "-h", "-a"];
        let mut words = self.words.as_slice();
        while let Some(wrapper) = words.first().filter(|word| WRAPPERS.iter().any(|wrapper| word.is(wrapper))) {
            let (takes_value, takes_time) = (!wrapper.is("env"), wrapper.is("timeout"));
            let mut rest = &words[1..];
            while let Some((option, behind)) = rest.split_first() {
                if option.literal_start().starts_with('-') {
                    let has_value =
                        takes_value && WITH_VALUE.iter().any(|one| option.is(one)) && !wrapper_flag(wrapper, option);
                    rest = if has_value { behind.get(1..).unwrap_or_default() } else { behind };
                } else if option.assignment.is_some() {
                    rest = behind;
                } else {
                    break;
                }
            }
            if takes_time {
                rest = rest.get(1..).unwrap_or_default();
            }
            words = rest;
        }
        words
    }

    /// Whether this program does the work, whatever stands in front of it.
    pub fn runs(&self, program: &str) -> bool {
        self.program().first().is_some_and(|word| {
            word.is(program)
                || word.literal().is_some_and(|text| text.contains('/') && text.rsplit('/').next() == Some(program))
        })
    }

    /// The words behind the program.
    pub fn program_arguments(&self) -> &[Word<'t>] {
        self.program().get(1..).unwrap_or_default()
    }

    /// Whether words of the form `NAME=value` assign here, as they do for `export`.
    pub fn is_declaration(&self) -> bool {
        ["export", "declare", "local", "readonly", "typeset"]
            .iter()
            .any(|name| self.words.first().is_some_and(|w| w.is(name)))
    }

    /// The words that assign a variable.
    pub fn assigning_words(&self) -> impl Iterator<Item = &Word<'t>> {
        let declared = if self.is_declaration() { self.words.as_slice() } else { &[] };
        self.assignments.iter().chain(declared).filter(|word| word.assignment.is_some())
    }

    /// The words behind the name.
    pub fn arguments(&self) -> &[Word<'t>] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// Flags of `sudo` that take a value with other wrappers.
fn wrapper_flag(wrapper: &Word<'_>, option: &Word<'_>) -> bool {
    wrapper.is("sudo") && ["-n", "-s", "-k"].iter().any(|flag| option.is(flag))
}

/// Whether a text may name a variable.
pub fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&b| is_name_start(b)) && bytes.iter().all(|&b| is_name_byte(b))
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
