//! What the incumbent's option parser allows and clap does not: unambiguous prefixes of its own option names.

use std::ffi::OsString;

/// Options of the incumbent, for both verbs of `matrix`.
const COMMON: &[&str] = &[
    "config-files",
    "runner-config",
    "no-evals",
    "evals-only",
    "all-evals",
    "runner-node-filter",
    "scenario-type",
    "seq-lens",
    "help",
];
const FULL_SWEEP: &[&str] = &[
    "model-prefix",
    "precision",
    "framework",
    "runner-type",
    "step-size",
    "min-conc",
    "max-conc",
    "max-tp",
    "max-ep",
    "single-node",
    "multi-node",
];
const TEST_CONFIG: &[&str] = &["config-keys", "conc"];
/// Later options; they count only where the later rules are asked for, so that they cannot make an old prefix ambiguous.
const LATER: &[&str] = &["smoke", "trim-conc"];
const LATER_TEST_CONFIG: &[&str] = &["exp-names"];

/// Writes out prefixes of long options behind `matrix VERB`. The rest of the command line stays as it is.
pub(super) fn expand(arguments: &[OsString]) -> Result<Vec<OsString>, String> {
    let words: Vec<Option<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    let Some(verb_at) = verb_position(&words) else { return Ok(arguments.to_vec()) };
    let verb = words[verb_at].unwrap_or_default();
    let names = names_of(verb, asks_for_later_rules(&words));
    let mut out = arguments[..=verb_at].to_vec();
    for (word, text) in arguments[verb_at + 1..].iter().zip(&words[verb_at + 1..]) {
        match text.and_then(|text| text.strip_prefix("--")).filter(|option| !option.is_empty()) {
            Some(option) => out.push(expand_one(option, &names)?.map_or_else(|| word.clone(), OsString::from)),
            None => out.push(word.clone()),
        }
    }
    Ok(out)
}

/// Where the verb stands behind `matrix`, if that is the command.
fn verb_position(words: &[Option<&str>]) -> Option<usize> {
    let matrix = words.iter().position(|word| *word == Some("matrix"))?;
    let before = &words[1..matrix.max(1)];
    let only_globals = before
        .iter()
        .all(|word| word.is_some_and(|word| word.starts_with("--diagnostics") || matches!(word, "json" | "human")));
    let verb = words.iter().skip(matrix + 1).position(|word| matches!(word, Some("full-sweep" | "test-config")));
    verb.filter(|_| only_globals).map(|offset| matrix + 1 + offset)
}

fn asks_for_later_rules(words: &[Option<&str>]) -> bool {
    let flag = words.windows(2).any(|pair| pair == [Some("--rules"), Some("2026-09")]);
    flag || words.contains(&Some("--rules=2026-09"))
}

fn names_of(verb: &str, later: bool) -> Vec<&'static str> {
    let test_config = verb == "test-config";
    let mut names = COMMON.to_vec();
    names.extend(if test_config { TEST_CONFIG } else { FULL_SWEEP });
    if later {
        names.extend(LATER);
        names.extend(LATER_TEST_CONFIG.iter().filter(|_| test_config));
    }
    names
}

/// `None`: leave the word to clap.
fn expand_one(option: &str, names: &[&str]) -> Result<Option<String>, String> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    };
    if names.contains(&name) {
        return Ok(None);
    }
    let fitting: Vec<&str> = names.iter().copied().filter(|known| known.starts_with(name)).collect();
    match fitting.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(match value {
            Some(value) => format!("--{only}={value}"),
            None => format!("--{only}"),
        })),
        several => Err(format!("--{name} is ambiguous: it could be --{}", several.join(", --"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> Result<String, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        expand(&words).map(|words| words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn unambiguous_prefixes_are_written_out() {
        for (line, out) in [
            ("srtx-gh matrix full-sweep --max-c 5", "srtx-gh matrix full-sweep --max-conc 5"),
            (
                "srtx-gh matrix full-sweep --max-c=5 --prec fp8",
                "srtx-gh matrix full-sweep --max-conc=5 --precision fp8",
            ),
            (
                "srtx-gh --diagnostics json matrix test-config --conf x",
                "srtx-gh --diagnostics json matrix test-config --conf x",
            ),
            ("srtx-gh matrix test-config --conc 5", "srtx-gh matrix test-config --conc 5"),
            ("srtx-gh explain --li", "srtx-gh explain --li"),
            ("srtx-gh matrix full-sweep --e", "srtx-gh matrix full-sweep --evals-only"),
            ("srtx-gh matrix full-sweep --rules 2026-09 --sm", "srtx-gh matrix full-sweep --rules 2026-09 --smoke"),
        ] {
            if out.contains("--conf x") {
                assert!(expanded(line).is_err(), "{line}");
            } else {
                assert_eq!(expanded(line).as_deref(), Ok(out));
            }
        }
    }

    #[test]
    fn ambiguous_prefixes_name_the_candidates() {
        let message = expanded("srtx-gh matrix full-sweep --max 8").unwrap_err();
        assert!(message.contains("--max-conc, --max-tp, --max-ep"), "{message}");
    }

    #[test]
    fn own_options_have_no_prefixes() {
        assert_eq!(
            expanded("srtx-gh matrix full-sweep --rule 2026-09").unwrap(),
            "srtx-gh matrix full-sweep --rule 2026-09"
        );
    }
}
