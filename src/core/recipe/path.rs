//! Paths into a recipe, as `--set` and `--unset` take them: `roles.agg.args."a.b"[0]`.

/// How deep a path may lead; deeper than any file that can be read.
const MAX_STEPS: usize = 200;

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item of a list.
    Index(usize),
}

impl Step {
    /// A path with this step behind it.
    pub(super) fn appended(&self, path: &str) -> String {
        match self {
            Self::Key(key) if path.is_empty() => key.clone(),
            Self::Key(key) => format!("{path}.{key}"),
            Self::Index(index) => format!("{path}[{index}]"),
        }
    }
}

/// Reads a path, and what stands behind its first `=` outside of quotes when `with_value`.
///
/// Blanks around a segment are dropped. A segment that starts with a quote runs to the same quote; a quote elsewhere is an
/// ordinary character.
pub(super) fn parse_path(text: &str, with_value: bool) -> Result<(Vec<Step>, Option<&str>), String> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        let (key, after) = segment(rest, with_value)?;
        steps.push(Step::Key(key));
        rest = indices(after, &mut steps)?;
        if steps.len() > MAX_STEPS {
            return Err(format!("the path has more than {MAX_STEPS} steps"));
        }
        if rest.is_empty() {
            return Ok((steps, None));
        }
        if let Some(value) = rest.strip_prefix('=').filter(|_| with_value) {
            return Ok((steps, Some(value)));
        }
        match rest.strip_prefix('.') {
            Some(next) => rest = next,
            None => return Err(format!("`{rest}` follows where a dot is expected")),
        }
    }
}

/// Whether the path of a `--set` word is another path, or leads on from it. False where one of them is malformed.
pub fn is_path_below(set: &str, above: &str) -> bool {
    match (parse_path(set, true), parse_path(above, false)) {
        (Ok((below, _)), Ok((above, _))) => below.starts_with(&above),
        _ => false,
    }
}

/// The key at the start, and what follows it.
fn segment(text: &str, with_value: bool) -> Result<(String, &str), String> {
    let text = text.trim_start();
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let body = &text[1..];
        let Some(end) = body.find(quote) else { return Err(format!("the quote {quote} is never closed")) };
        return Ok((body[..end].to_owned(), body[end + 1..].trim_start()));
    }
    let end = text.find(|c| matches!(c, '.' | '[') || (with_value && c == '=')).unwrap_or(text.len());
    let key = text[..end].trim_end();
    if key.is_empty() {
        return Err("a segment is empty".to_owned());
    }
    Ok((key.to_owned(), &text[end..]))
}

/// The `[N]` behind a key.
fn indices<'t>(mut text: &'t str, steps: &mut Vec<Step>) -> Result<&'t str, String> {
    while let Some(body) = text.strip_prefix('[') {
        let Some((index, after)) = body.split_once(']') else { return Err("a `[` is never closed".to_owned()) };
        let digits = index.trim();
        let number = if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None };
        let Some(number) = number else { return Err(format!("`[{index}]` is no index, expected a number from 0")) };
        steps.push(Step::Index(number));
        text = after.trim_start();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        parse_path(text, false).unwrap().0
    }

    fn key(text: &str) -> Step {
        Step::Key(text.to_owned())
    }

    #[test]
    fn keys_indices_quotes_and_blanks() {
        assert_eq!(steps("a.b-c"), [key("a"), key("b-c")]);
        assert_eq!(steps(" a . b "), [key("a"), key("b")]);
        assert_eq!(steps("a[0][12].b"), [key("a"), Step::Index(0), Step::Index(12), key("b")]);
        assert_eq!(steps(r#"a."/p/x.y"[1].'z.="'"#), [key("a"), key("/p/x.y"), Step::Index(1), key("z.=\"")]);
        assert_eq!(steps(r#"a"b".c'"#), [key("a\"b\""), key("c'")]);
        assert_eq!(steps("a=b"), [key("a=b")]);
        let quoted = parse_path(r#"a."x=y"=z=1"#, true).unwrap();
        assert_eq!(quoted, (vec![key("a"), key("x=y")], Some("z=1")));
        assert_eq!(parse_path(" a.b =5", true).unwrap().1, Some("5"));
        assert_eq!(parse_path("a.b", true).unwrap().1, None);
    }

    #[test]
    fn malformed_paths_are_refused() {
        for text in
            ["", " ", ".a", "a.", "a..b", "[0]", "a[x]", "a[-1]", "a[]", "a[0", "a[0]b", "\"a", "\"a\"b", "a.'b"]
        {
            assert!(parse_path(text, false).is_err(), "{text}");
        }
        assert!(parse_path(&"a.".repeat(500), false).is_err());
        assert!(parse_path("=1", true).is_err());
    }
}
