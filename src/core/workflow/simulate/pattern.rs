//! The patterns of branch, tag and path filters.

/// Whether a list of patterns takes a name: the last that matches decides, and one that starts with `!` takes it out.
pub(super) fn takes<'p>(patterns: impl IntoIterator<Item = &'p str>, name: &str) -> bool {
    let mut taken = false;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(pattern) if taken => taken = !matches(pattern, name),
            Some(_) => {}
            None => taken = taken || matches(pattern, name),
        }
    }
    taken
}

enum Part {
    /// One character, how often.
    One(Characters, Times),
    /// `*`: anything but a slash.
    Star,
    /// `**`: anything.
    Any,
    /// `**/` where a folder may begin: any folders, or none.
    Folders,
}

enum Characters {
    Is(char),
    /// `[a-z_]`: ranges, both ends included.
    In(Vec<(char, char)>),
}

#[derive(Clone, Copy, PartialEq)]
enum Times {
    Once,
    /// `?` behind it.
    Maybe,
    /// `+` behind it.
    Many,
}

impl Characters {
    fn has(&self, character: char) -> bool {
        match self {
            Self::Is(own) => *own == character,
            Self::In(ranges) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)),
        }
    }
}

/// Whether a pattern describes the whole of a name. Takes time in proportion to the product of both lengths.
fn matches(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let end = name.len();
    // For each place of the name: whether the parts looked at so far, which are the last ones, match the rest from there.
    let mut rest = vec![false; end + 1];
    rest[end] = true;
    for part in parse(pattern).iter().rev() {
        let mut fits = vec![false; end + 1];
        let mut folder_behind = false;
        for at in (0..=end).rev() {
            let next = |fits: &[bool]| at < end && fits[at + 1];
            fits[at] = match part {
                Part::One(characters, times) => {
                    let here = at < end && characters.has(name[at]);
                    match times {
                        Times::Once => here && rest[at + 1],
                        Times::Maybe => rest[at] || here && rest[at + 1],
                        Times::Many => here && (rest[at + 1] || fits[at + 1]),
                    }
                }
                Part::Star => rest[at] || at < end && name[at] != '/' && next(&fits),
                Part::Any => rest[at] || next(&fits),
                Part::Folders => {
                    folder_behind |= at < end && name[at] == '/' && rest[at + 1];
                    rest[at] || folder_behind
                }
            };
        }
        rest = fits;
    }
    rest[0]
}

fn parse(pattern: &str) -> Vec<Part> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let starts_folder = at == 0 || characters[at - 1] == '/';
        at += 1;
        match character {
            '*' if characters.get(at) == Some(&'*') => {
                at += 1;
                let folders = starts_folder && characters.get(at) == Some(&'/');
                at += usize::from(folders);
                parts.push(if folders { Part::Folders } else { Part::Any });
            }
            '*' => parts.push(Part::Star),
            '?' | '+' => match parts.last_mut() {
                Some(Part::One(_, times)) if *times == Times::Once => {
                    *times = if character == '?' { Times::Maybe } else { Times::Many };
                }
                _ => parts.push(Part::One(Characters::Is(character), Times::Once)),
            },
            '[' => match class(&characters[at..]) {
                Some((ranges, length)) => {
                    at += length;
                    parts.push(Part::One(Characters::In(ranges), Times::Once));
                }
                None => parts.push(Part::One(Characters::Is('['), Times::Once)),
            },
            '\\' if at < characters.len() => {
                parts.push(Part::One(Characters::Is(characters[at]), Times::Once));
                at += 1;
            }
            other => parts.push(Part::One(Characters::Is(other), Times::Once)),
        }
    }
    parts
}

/// The ranges of a class, and its length with the closing bracket.
fn class(rest: &[char]) -> Option<(Vec<(char, char)>, usize)> {
    let end = rest.iter().position(|character| *character == ']')?;
    let mut ranges = Vec::new();
    let mut inside = &rest[..end];
    loop {
        inside = match inside {
            [from, '-', to, others @ ..] => {
                ranges.push((*from, *to));
                others
            }
            [one, others @ ..] => {
                ranges.push((*one, *one));
                others
            }
            [] => return Some((ranges, end + 1)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_github_documents_them() {
        for (pattern, yes, no) in [
            ("feature/*", &["feature/my-branch", "feature/"][..], &["feature/a/b", "feature"][..]),
            ("feature/**", &["feature/a/b", "feature/a"], &["features/a"]),
            ("main", &["main"], &["main2", "xmain", ""]),
            ("*", &["main", "releases"], &["all/the", "a/b"]),
            ("**", &["all/the/branches", "x", ""], &[]),
            ("*feature", &["my-feature", "feature", "ver-10-feature"], &["feature-x", "a/feature"]),
            ("v2*", &["v2", "v2.0", "v2.9"], &["v1"]),
            ("v[12].[0-9]+.[0-9]+", &["v1.10.1", "v2.0.0"], &["v3.0.0", "v1..0", "v1.0"]),
            ("*.jsx?", &["page.js", "page.jsx"], &["page.jsxx", "a/page.js"]),
            ("**.js", &["index.js", "js/index.js", "src/js/app.js"], &["a.jsx"]),
            ("docs/**/*.md", &["docs/README.md", "docs/mona/hello.md", "docs/a/b.md"], &["docs/a.txt", "x/docs/a.md"]),
            ("**/docs/**", &["docs/hello.md", "dir/docs/my-file.txt"], &["mydocs/x"]),
            ("**/migrate-*.sql", &["migrate-10909.sql", "db/sept/migrate-v1.0.sql"], &["db/xmigrate-1.sql"]),
            ("a[", &["a["], &["a"]),
            ("a\\*", &["a*"], &["ab"]),
        ] {
            for name in yes {
                assert!(matches(pattern, name), "{pattern} {name}");
            }
            for name in no {
                assert!(!matches(pattern, name), "{pattern} {name}");
            }
        }
    }

    #[test]
    fn the_last_pattern_that_matches_decides() {
        let list = ["releases/**", "!releases/**-alpha", "releases/x-alpha"];
        assert!(takes(list, "releases/10"));
        assert!(!takes(list, "releases/beta/3-alpha"));
        assert!(takes(list, "releases/x-alpha"));
        assert!(!takes(["!a"], "b"), "only negative patterns take nothing");
    }
}
