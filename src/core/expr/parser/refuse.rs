//! What the parser says when it refuses.

use std::ops::Range;

use super::super::ast::{NodeId, Span};
use super::super::error::{Error, ErrorKind, Problem};
use super::super::functions::{Function, Signature};
use super::super::{MAX_DEPTH, MAX_LENGTH};
use super::{Parser, Waiting};
use crate::core::schema::suggestion;

fn parsing(problem: Problem, span: Range<usize>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Parsing, problem, span, message)
}

impl Parser<'_> {
    pub(super) fn check_length(&self) -> Result<(), Error> {
        // No text has more units than bytes.
        if self.text.len() <= MAX_LENGTH {
            return Ok(());
        }
        let length = self.text.encode_utf16().count();
        if length <= MAX_LENGTH {
            return Ok(());
        }
        let message = format!("the expression has {length} characters, and {MAX_LENGTH} are allowed");
        Err(parsing(Problem::TooLong, 0..self.text.len(), message)
            .help("pass large data in a file, an output or an environment variable instead of writing it here"))
    }

    pub(super) fn check_depth(&self, root: Option<NodeId>) -> Result<(), Error> {
        let Some(root) = root.map(|id| &self.nodes[id as usize]) else { return Ok(()) };
        if usize::from(root.height) <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the expression nests {} deep, and {MAX_DEPTH} are allowed", root.height);
        Err(parsing(Problem::TooDeep, root.span.range(), message)
            .help("compute parts of it in a step or job of their own"))
    }

    /// A token that may not stand where it stands.
    pub(super) fn unexpected(&self, span: Span) -> Error {
        let span = span.range();
        let symbol = &self.text[span.clone()];
        let error = parsing(Problem::UnexpectedToken, span.clone(), format!("unexpected `{symbol}`"));
        let before = self.text[..span.start].trim_end();
        let advice = match symbol {
            "[" if self.operands.is_empty() || before.ends_with(['(', ',', '=', '<', '>', '&', '|', '!', '[']) => {
                "there is no array literal: use fromJSON('[...]')"
            }
            "[" | "." => "only contexts, calls and groups have members: put a literal into parentheses if it is meant",
            "(" => "only functions are called, and a property is none",
            "," => "commas stand between the arguments of a function only",
            ")" | "]" if before.is_empty() => "nothing was opened before it",
            ")" | "]" => "an operand is missing before it, or it closes what was not opened",
            "*" => "`*` selects all members, as in `needs.*.result`; expressions cannot multiply",
            "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => "an operand is missing before it",
            _ => "an operator is missing before it",
        };
        error.help(advice)
    }

    /// The end, where an operand or a closing bracket is missing. It points at the last token.
    pub(super) fn unexpected_end(&self, last: Span, open: Option<&Waiting>) -> Error {
        let last = last.range();
        let symbol = &self.text[last.clone()];
        let missing = match open {
            Some(Waiting::Group { .. }) => "a closing `)` is missing".to_owned(),
            Some(Waiting::Index) => "a closing `]` is missing".to_owned(),
            Some(Waiting::Call { signature, .. }) => {
                format!("the closing `)` of {} is missing", signature.function.name())
            }
            _ => "an operand is missing behind it".to_owned(),
        };
        parsing(Problem::UnexpectedEnd, last, format!("the expression ends after `{symbol}`")).help(missing)
    }

    pub(super) fn check_name(&self, span: Span) -> Result<(), Error> {
        let span = span.range();
        let name = &self.text[span.clone()];
        if self.allowed.names.allow(name) {
            return Ok(());
        }
        let error =
            parsing(Problem::UnknownName(name.to_owned()), span.clone(), format!("there is no context `{name}` here"));
        let known = self.allowed.names.list();
        Err(if ["true", "false", "null"].iter().any(|word| word.eq_ignore_ascii_case(name)) {
            error.help(format!("write it in lower case: {}", name.to_ascii_lowercase()))
        } else if let Some(near) = suggestion(name, known.iter().copied()) {
            error.help(format!("did you mean `{near}`?"))
        } else if known.is_empty() {
            error.help("no context exists here; a text stands in single quotes")
        } else {
            error.help(format!("there are {}; a text stands in single quotes", known.join(", ")))
        })
    }

    pub(super) fn check_function(&self, span: Span) -> Result<Signature, Error> {
        let span = span.range();
        let name = &self.text[span.clone()];
        let function = Function::from_name(name);
        if let Some(signature) = function.and_then(|function| self.allowed.signature(function)) {
            return Ok(signature);
        }
        let problem = Problem::UnknownFunction(name.to_owned());
        Err(match function {
            Some(function) => {
                let place = match function {
                    Function::Status(_) => "the status functions exist in `if:` conditions only",
                    Function::HashFiles => "hashFiles exists in the steps of a job only, where there are files",
                    _ => "it is not available at this place",
                };
                let message = format!("the function `{}` does not exist here", function.name());
                parsing(problem, span.clone(), message).help(place)
            }
            None => {
                let error = parsing(problem, span.clone(), format!("there is no function `{name}`"));
                let names: Vec<&str> = self.allowed.signatures().map(|signature| signature.function.name()).collect();
                match suggestion(name, names.iter().copied()) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help(format!("there are {}", names.join(", "))),
                }
            }
        })
    }

    pub(super) fn check_arguments(&self, signature: Signature, name: Span, given: usize) -> Result<(), Error> {
        let Signature { function, min, max } = signature;
        let (min, max) = (usize::from(min), usize::from(max));
        let called = function.name();
        let refuse = |message: String| Err(parsing(Problem::ArgumentCount, name.range(), message));
        let arguments = |count: usize| if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") };
        if !(min..=max).contains(&given) {
            let takes = match (min, max) {
                (min, max) if min == max => arguments(min),
                (min, max) if given > max => format!("at most {}, at least {min}", arguments(max)),
                (min, _) => format!("at least {}", arguments(min)),
            };
            return refuse(format!("{called} takes {takes}, and {given} are given"));
        }
        if function == Function::Case && given.is_multiple_of(2) {
            return refuse(format!("case takes an odd number of arguments, and {given} are given"))
                .map_err(|error| error.help("pairs of predicate and value, then the default"));
        }
        Ok(())
    }
}
