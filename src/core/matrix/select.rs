//! Which configs `--config-keys` means, and which rows `--exp-names` means.

use super::Inputs;
use super::row::Row;
use crate::core::config::Config;
use crate::core::diag::{Code, Diagnostic, Diagnostics};

/// Configs by exact key or pattern, in argument order, each once.
pub(super) fn configs_by_key<'d>(inputs: &Inputs<'d, '_>, keys: &[String], found: &mut Diagnostics) -> Vec<Config<'d>> {
    let mut chosen: Vec<Config<'d>> = Vec::new();
    for wanted in keys {
        let is_pattern = wanted.contains(['*', '?']);
        let mut matched = false;
        let fits = |key: &str| if is_pattern { fnmatch(wanted, key) } else { key == wanted };
        for config in inputs.configs.iter().filter(|config| fits(config.key)) {
            matched = true;
            if !chosen.iter().any(|earlier| earlier.key == config.key) {
                chosen.push(*config);
            }
        }
        if !matched {
            found.push(no_such_key(inputs, wanted));
        }
    }
    chosen
}

fn no_such_key(inputs: &Inputs<'_, '_>, wanted: &str) -> Diagnostic {
    let mut known: Vec<&str> = inputs.configs.iter().map(|config| config.key).collect();
    known.sort_unstable();
    let diagnostic = Diagnostic::error(Code::UnknownConfigKey, format!("--config-keys {wanted} matches no config"));
    match crate::core::schema::suggestion(wanted, known.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("keys: {}", known.join(", "))),
    }
}

/// Python's `fnmatchcase`: `*`, `?`, `[...]` and `[!...]`; a bracket without an end is itself.
pub fn fnmatch(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        if let Some(&wanted) = pattern.get(p) {
            if wanted == '*' {
                retry = Some((p + 1, t));
                p += 1;
                continue;
            }
            if let Some(&actual) = text.get(t)
                && let Some(next) = match_one(&pattern, p, actual)
            {
                p = next;
                t += 1;
                continue;
            }
        } else if t == text.len() {
            return true;
        }
        let Some((after_star, from)) = retry.filter(|(_, from)| *from < text.len()) else { return false };
        retry = Some((after_star, from + 1));
        (p, t) = (after_star, from + 1);
    }
}

/// Where the pattern goes on after one character, if it fits.
fn match_one(pattern: &[char], at: usize, actual: char) -> Option<usize> {
    match pattern[at] {
        '?' => Some(at + 1),
        '[' => match class_end(pattern, at) {
            Some(end) => class_holds(&pattern[at + 1..end], actual).then_some(end + 1),
            None => (actual == '[').then_some(at + 1),
        },
        wanted => (wanted == actual).then_some(at + 1),
    }
}

/// The closing bracket; one that stands first, or first after `!`, is an ordinary member.
fn class_end(pattern: &[char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    if pattern.get(at) == Some(&'!') {
        at += 1;
    }
    if pattern.get(at) == Some(&']') {
        at += 1;
    }
    (at..pattern.len()).find(|&i| pattern[i] == ']')
}

fn class_holds(class: &[char], actual: char) -> bool {
    let (negated, members) = match class.split_first() {
        Some(('!', rest)) => (true, rest),
        _ => (false, class),
    };
    let mut at = 0;
    let mut holds = false;
    while at < members.len() {
        if at + 2 < members.len() && members[at + 1] == '-' {
            holds |= (members[at]..=members[at + 2]).contains(&actual);
            at += 3;
        } else {
            holds |= members[at] == actual;
            at += 1;
        }
    }
    holds != negated
}

/// Keeps the rows with these experiment names. Every name must be the name of exactly one row; the error is about the
/// command line.
pub(super) fn rows_by_name<'d>(rows: Vec<Row<'d>>, names: &[String]) -> Result<Vec<Row<'d>>, String> {
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(format!("--exp-names gives {name} twice"));
        }
        match rows.iter().filter(|row| row.text("exp-name") == name).count() {
            1 => {}
            0 => return Err(format!("--exp-names {name} is the name of no row")),
            n => return Err(format!("--exp-names {name} is ambiguous: {n} rows have this name")),
        }
    }
    Ok(rows.into_iter().filter(|row| names.iter().any(|name| name == row.text("exp-name"))).collect())
}

#[cfg(test)]
mod tests {
    use super::fnmatch;

    #[test]
    fn patterns_match_as_in_python() {
        for (pattern, text) in [
            ("*", ""),
            ("dsr1-*", "dsr1-fp8"),
            ("dsr1-fp?-b200", "dsr1-fp8-b200"),
            ("dsr1-fp[48]-*", "dsr1-fp4-b200"),
            ("a[!b]c*", "axc"),
            ("a[0-9]*", "a5"),
            ("*a*b*c", "xxaxbxbxc"),
            ("[*", "[x"),
            ("a[]]*", "a]"),
            ("a[a-]*", "a-"),
        ] {
            assert!(fnmatch(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("?", ""),
            ("dsr1-*", "Dsr1-x"),
            ("a[!b]c*", "abc"),
            ("a[0-9]*", "ax"),
            ("*a", "ab"),
            ("a*b", "a"),
            ("[a", "a"),
        ] {
            assert!(!fnmatch(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        assert!(!fnmatch(&"*a".repeat(200), &"a".repeat(199)));
    }
}
