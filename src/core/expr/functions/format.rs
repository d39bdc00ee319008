//! `format`.

use std::borrow::Cow;

use super::super::ast::Node;
use super::super::error::{Error, ErrorKind, Problem};
use super::super::eval::Evaluator;
use super::super::unknown::Unknown;
use super::super::value::Value;
use super::argument;

/// A piece of a format text.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    Text(&'t str),
    Argument { index: usize, specifier: Option<&'t str> },
}

/// Replaces `{0}` and so on by the arguments. The format text is checked before any argument is evaluated, and arguments
/// that it does not name never are.
pub(super) fn format(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let first = argument(node, 0);
    let format = evaluator.eval(first)?;
    let text = match format.to_text() {
        Ok(text) => text,
        Err(unknown) => return Ok(unknown.computed().into()),
    };
    let refuse = |message: String| Error::new(ErrorKind::Evaluation, Problem::Format, first.span(), message);
    let pieces = pieces(&text).map_err(|at| {
        refuse(format!("the format text {text:?} is malformed at its character {}", text[..at].chars().count() + 1))
            .help("`{0}` names the first argument behind the format text; write `{{` and `}}` for braces")
    })?;
    let given = node.children().len() - 1;
    for piece in &pieces {
        match piece {
            Piece::Argument { index, .. } if *index >= given => {
                let message = format!("the format text {text:?} names {{{index}}}, and {given} arguments follow it");
                return Err(refuse(message).help("counting starts at {0}"));
            }
            Piece::Argument { specifier: Some(specifier), .. } => {
                let message = format!("the format specifier {specifier:?} is not supported");
                return Err(refuse(message).help("write {0} without a colon"));
            }
            _ => {}
        }
    }
    let mut values: Vec<Option<Cow<'_, Value>>> = vec![None; given];
    for piece in &pieces {
        if let Piece::Argument { index, .. } = piece
            && values[*index].is_none()
        {
            values[*index] = Some(evaluator.eval(argument(node, index + 1))?);
        }
    }
    let mut result = evaluator.builder(node);
    let mut unknown: Option<Unknown> = None;
    for piece in &pieces {
        match piece {
            Piece::Text(text) => result.push(text)?,
            Piece::Argument { index, .. } => match values[*index].as_deref() {
                Some(Value::Unknown(found)) => {
                    unknown = Some(unknown.map_or(found.computed(), |all| all.union(found)));
                }
                Some(value) => result.push_value(value)?,
                None => {}
            },
        }
    }
    Ok(match unknown {
        None => result.finish(),
        // One character that is known makes it no empty text.
        Some(unknown) if !result.is_empty() => unknown.certainly(true).into(),
        Some(unknown) => unknown.into(),
    })
}

/// Takes a format text apart, or says at which byte it is malformed.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>, usize> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let Some(brace) = memchr::memchr2(b'{', b'}', &text.as_bytes()[at..]).map(|offset| at + offset) else {
            pieces.push(Piece::Text(&text[at..]));
            break;
        };
        let doubled = text.as_bytes().get(brace + 1) == Some(&text.as_bytes()[brace]);
        if doubled {
            pieces.push(Piece::Text(&text[at..=brace]));
            at = brace + 2;
            continue;
        }
        if text.as_bytes()[brace] == b'}' {
            return Err(brace);
        }
        if brace > at {
            pieces.push(Piece::Text(&text[at..brace]));
        }
        let (piece, end) = placeholder(text, brace + 1).ok_or(brace)?;
        pieces.push(piece);
        at = end;
    }
    Ok(pieces)
}

/// What stands behind an opening brace, and where the text goes on.
fn placeholder(text: &str, start: usize) -> Option<(Piece<'_>, usize)> {
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let index: u8 = text[start..start + digits].parse().ok()?;
    let index = usize::from(index);
    let rest = &text[start + digits..];
    if rest.starts_with('}') {
        return Some((Piece::Argument { index, specifier: None }, start + digits + 1));
    }
    let specifier = rest.strip_prefix(':')?;
    let mut from = 0;
    loop {
        let brace = from + specifier[from..].find('}')?;
        if !specifier[brace + 1..].starts_with('}') {
            let named = Some(&specifier[..brace]).filter(|specifier| !specifier.is_empty());
            return Some((Piece::Argument { index, specifier: named }, start + digits + 1 + brace + 1));
        }
        from = brace + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_texts_are_taken_apart() {
        let plain = |index| Piece::Argument { index, specifier: None };
        assert_eq!(pieces("a{0}b"), Ok(vec![Piece::Text("a"), plain(0), Piece::Text("b")]));
        assert_eq!(pieces("{{{00}}}"), Ok(vec![Piece::Text("{"), plain(0), Piece::Text("}")]));
        assert_eq!(pieces("{1:}"), Ok(vec![plain(1)]));
        assert_eq!(pieces("{1:x}}y}z").map(|pieces| pieces.len()), Ok(2));
        assert_eq!(pieces(""), Ok(vec![]));
    }

    #[test]
    fn malformed_format_texts_are_refused_where_they_are() {
        for (text, at) in
            [("{0", 0), ("a}", 1), ("{0}}", 3), ("{{0}", 3), ("{}", 0), ("{x}", 0), ("{256}", 0), ("{0:", 0)]
        {
            assert_eq!(pieces(text), Err(at), "{text}");
        }
    }
}
