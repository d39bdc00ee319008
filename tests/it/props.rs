//! Laws that hold for all inputs, tried on random ones.

use std::collections::BTreeSet;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::Config as ProptestConfig;
use srtx::core::config::{Rules, load_runners, merge_masters};
use srtx::core::diag::{Diagnostics, Place, Source, render_human, render_json};
use srtx::core::matrix::{Filters, Inputs, NoRecipes, Options, Selection, fnmatch, generate};
use srtx::core::num::Num;
use srtx::core::shell::{Part, Script, Span, read_script};
use srtx::core::yaml::{NodeRef, Schema, Value, parse, write_yaml};

fn tries(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

// ---------------------------------------------------------------------------------------------------------------------
// YAML that is written reads back the same

/// Texts that are something else to YAML, or that need quotes or escapes.
const NASTY_TEXTS: &[&str] = &[
    "",
    " ",
    "~",
    "null",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "n",
    "true",
    "<<",
    "=",
    "-",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#",
    "*",
    "*a",
    "&a",
    "!tag",
    "%TAG",
    "@a",
    "`a`",
    "{",
    "}",
    "[a]",
    "a, b",
    "|",
    ">",
    "|-\n x",
    "'",
    "\"",
    "it's",
    "\\",
    "\\n",
    "---",
    "...",
    "--- a",
    "0",
    "08",
    "0o10",
    "0x1F",
    "0b1",
    "1_000",
    "1:30",
    "-1:30.5",
    "1e3",
    "1.0e+3",
    ".5",
    "-.5",
    "1.",
    ".",
    "+",
    "-0",
    ".inf",
    "-.INF",
    ".nan",
    "2026-11-30",
    "2026-11-30 01:02:03",
    "2026-02-31",
    "0x_",
    "1.10",
    "a\nb",
    "a\nb\n",
    "\na",
    "a\n\n",
    "a \nb",
    " a\n b",
    "a\tb",
    "\ta",
    "a\t",
    "a\rb",
    "a\r\nb",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffe}",
    "été",
    "日本",
    "🚀",
    "e\u{301}",
    "\u{202e}x",
    "a\u{85}b\n",
    "a\n\u{2028}b",
    "key with blanks",
    "sglang:v0.5.9",
    "http://a/b?c=d#e",
];

fn text() -> impl Strategy<Value = String> {
    let characters = "[-:#'\"\\\\,&*!|>%@`?{}\\[\\] \\t\\n\\r\u{85}\u{2028}aeyn0179._+=~éß日🚀]{0,12}";
    prop_oneof![
        2 => proptest::sample::select(NASTY_TEXTS).prop_map(str::to_owned),
        3 => characters,
        1 => ".{0,20}",
        // Two of them in one text, on one line or on two.
        1 => (proptest::sample::select(NASTY_TEXTS), "[ \\n]", proptest::sample::select(NASTY_TEXTS))
            .prop_map(|(a, between, b)| format!("{a}{between}{b}")),
    ]
}

fn scalar() -> impl Strategy<Value = Value<'static>> {
    let special_floats = vec![0.0, -0.0, 1e16, 1e-7, 1e22, 1.5e300, 5e-324, f64::MAX, 8.0, 0.1];
    let finite = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let dates = ["2026-11-30", "2026-11-30T01:02:03Z", "2026-1-2 3:04:05", "2026-11-30 01:02:03.5 +01:30"];
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any::<i64>().prop_map(Value::Int),
        1 => (-100_i64..100).prop_map(Value::Int),
        1 => "-?[1-9][0-9]{20,40}".prop_map(|digits| Value::Big(Box::new(digits.parse().unwrap()))),
        2 => prop_oneof![finite, proptest::sample::select(special_floats)].prop_map(Value::Float),
        1 => proptest::sample::select(dates.to_vec()).prop_map(|date| Value::Date(date.into())),
        6 => text().prop_map(Value::text),
    ]
}

fn tree() -> impl Strategy<Value = Value<'static>> {
    scalar().prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            proptest::collection::vec((text(), inner), 0..6).prop_map(|entries| {
                let mut seen = BTreeSet::new();
                let distinct = entries.into_iter().filter(|(key, _)| seen.insert(key.clone()));
                Value::Map(distinct.map(|(key, value)| (Value::text(key), value)).collect())
            }),
        ]
    })
}

/// `Debug` tells -0.0 from 0.0 and an integer from a float, which `==` does not.
fn read(text: &str, schema: Schema) -> Result<String, String> {
    let source = Source::new("written.yaml", text);
    let mut found = Diagnostics::new();
    let document = parse(&source, schema, &mut found);
    if !found.as_slice().is_empty() {
        return Err(render_json(found.as_slice()));
    }
    let document = document.ok_or("refused without a reason")?;
    Ok(format!("{:?}", document.root().map_or(Value::Null, Value::of)))
}

fn has_date(value: &Value<'_>) -> bool {
    match value {
        Value::Date(_) => true,
        Value::List(items) => items.iter().any(has_date),
        Value::Map(entries) => entries.iter().any(|(_, value)| has_date(value)),
        _ => false,
    }
}

proptest! {
    #![proptest_config(tries(2000))]

    #[test]
    fn what_is_written_reads_back_the_same(value in tree()) {
        let written = write_yaml(&value);
        let wanted = format!("{value:?}");
        prop_assert_eq!(read(&written, Schema::V11), Ok(wanted.clone()), "{}", &written);
        // Readers of YAML 1.2 agree, but for dates, which they do not know.
        if !has_date(&value) {
            prop_assert_eq!(read(&written, Schema::Core12), Ok(wanted), "{}", &written);
        }
    }
}

#[test]
fn nasty_texts_read_back_the_same_as_keys_items_and_values() {
    let texts: Vec<Value<'_>> = NASTY_TEXTS.iter().map(|text| Value::text(*text)).collect();
    let list = Value::List(texts.clone());
    let keys = Value::Map(texts.iter().map(|text| (text.clone(), text.clone())).collect());
    let nested =
        Value::List(vec![Value::List(texts.clone()), keys.clone(), Value::Map(vec![(Value::text("k"), keys.clone())])]);
    for value in texts.into_iter().chain([list, keys, nested]) {
        let written = write_yaml(&value);
        for schema in [Schema::V11, Schema::Core12] {
            assert_eq!(read(&written, schema), Ok(format!("{value:?}")), "{schema:?}\n{written}");
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading never panics, and places lie in the text

/// Text that is nearly YAML, so that the reader comes far.
fn nearly_yaml() -> impl Strategy<Value = String> {
    let pieces = [
        "a: ",
        "b:",
        "- ",
        "-",
        "? ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "\n",
        "\n  ",
        "\n    ",
        "  ",
        "\t",
        "&x ",
        "*x",
        "<<: ",
        "!t ",
        "!!int ",
        "'",
        "\"",
        "\\",
        "|\n",
        ">-\n",
        "|+2\n",
        "#",
        " # c",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "8",
        "08",
        "yes",
        "2026-02-31",
        "1e3",
        ".nan",
        "~",
        "é",
        "🚀",
        "\u{feff}",
        "\u{85}",
        "\u{202e}",
        "\r\n",
        "\r",
        "x y",
        "k: v\n",
        "k: w\n",
    ];
    prop_oneof![
        proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat()),
        any::<String>(),
        "[-:{}\\[\\],&*!|>'\"%@# \\n\\ta0é]{0,60}",
    ]
}

fn check_span(text: &str, span: Range<usize>) -> Result<(), TestCaseError> {
    prop_assert!(span.start <= span.end, "{:?}", span);
    prop_assert!(text.get(span.clone()).is_some(), "{:?} of {} bytes is no text", span, text.len());
    Ok(())
}

/// Places of a node and of all below it; what stands later in the text comes later in the tree.
fn check_node(text: &str, node: NodeRef<'_>) -> Result<(), TestCaseError> {
    check_span(text, node.site())?;
    check_span(text, node.span())?;
    if node.is_alias() {
        return Ok(());
    }
    let mut last = node.site().start;
    let children: Vec<NodeRef<'_>> =
        node.items().chain(node.written_entries().flat_map(|(key, value)| [key, value])).collect();
    for child in children {
        // A value that is left out has no place of its own.
        if !child.site().is_empty() {
            prop_assert!(child.site().start >= last, "{:?} before {}", child.site(), last);
            last = child.site().start;
        }
        check_node(text, child)?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(tries(2000))]

    #[test]
    fn any_text_is_read_or_refused_with_places_in_it(text in nearly_yaml()) {
        for schema in [Schema::V11, Schema::Core12] {
            let source = Source::new("any.yaml", text.as_str());
            let mut found = Diagnostics::new();
            let document = parse(&source, schema, &mut found);
            prop_assert_eq!(document.is_none(), found.has_errors(), "{:?}", found);
            for diagnostic in found.as_slice() {
                prop_assert!(!diagnostic.help.is_empty() && !diagnostic.message.is_empty(), "{:?}", diagnostic);
                let Place::Span(label) = &diagnostic.place else { panic!("no place: {diagnostic:?}") };
                check_span(&text, label.span.clone())?;
                for label in &diagnostic.related {
                    check_span(&text, label.span.clone())?;
                }
                let human = render_human(diagnostic, false);
                let turns = |c: char| ('\u{202a}'..='\u{202e}').contains(&c);
                let control = human.chars().find(|c| (c.is_control() && *c != '\n') || turns(*c));
                prop_assert_eq!(control, None, "{}", human);
            }
            if let Some(root) = document.as_ref().and_then(|document| document.root()) {
                check_node(&text, root)?;
            }
        }
    }

    #[test]
    fn positions_follow_the_text(text in any::<String>()) {
        let source = Source::new("any.txt", text.as_str());
        let places: Vec<_> = (0..=text.len() + 2).map(|offset| source.position(offset)).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", places);
        let lines = text.matches('\n').count() + 1;
        prop_assert_eq!(places[text.len()].line, lines);
        prop_assert!(places.iter().all(|place| place.line >= 1 && place.column >= 1));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Patterns

/// What `*` and `?` mean, said as plainly as possible.
fn naive_match(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|skipped| naive_match(rest, &text[skipped..])),
        Some(('?', rest)) => !text.is_empty() && naive_match(rest, &text[1..]),
        Some((c, rest)) => text.first() == Some(c) && naive_match(rest, &text[1..]),
    }
}

proptest! {
    #![proptest_config(tries(4000))]

    #[test]
    fn patterns_match_as_their_definition_says(pattern in "[ab*?é]{0,8}", text in "[abé]{0,10}") {
        let characters = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(fnmatch(&pattern, &text), naive_match(&characters(&pattern), &characters(&text)));
    }

    #[test]
    fn a_text_matches_itself_and_its_starts_with_a_star(text in "[a-z0-9._-]{0,12}", cut in 0_usize..12) {
        prop_assert!(fnmatch(&text, &text));
        let cut = cut.min(text.len());
        let start = format!("{}*", &text[..cut]);
        let end = format!("*{}", &text[cut..]);
        prop_assert!(fnmatch(&start, &text) && fnmatch(&end, &text));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Ladders

#[derive(Debug, Clone)]
struct Ladder {
    start: u32,
    end: u32,
    step: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Fixed,
    Agentic,
    MultiNode,
}

fn ladder() -> impl Strategy<Value = Ladder> {
    let kind = prop_oneof![Just(Kind::Fixed), Just(Kind::Agentic), Just(Kind::MultiNode)];
    (1_u32..300, 0_u32..5000, 2_u32..9, kind).prop_map(|(start, more, step, kind)| Ladder {
        start,
        end: start + more,
        step,
        kind,
    })
}

impl Ladder {
    fn config(&self) -> String {
        let range = format!("conc-start: {}, conc-end: {}", self.start, self.end);
        let worker = "{ num-worker: 1, tp: 4, ep: 1, dp-attn: false }";
        let (multinode, scenario) = match self.kind {
            Kind::Fixed => {
                (false, format!("fixed-seq-len: [{{ isl: 1024, osl: 1024, search-space: [{{ tp: 8, {range} }}] }}]"))
            }
            Kind::Agentic => {
                (false, format!("agentic-coding: [{{ search-space: [{{ tp: 8, kv-offloading: none, {range} }}] }}]"))
            }
            Kind::MultiNode => (
                true,
                format!(
                    "fixed-seq-len: [{{ isl: 1024, osl: 1024, search-space: \
                     [{{ prefill: {worker}, decode: {worker}, {range} }}] }}]"
                ),
            ),
        };
        format!(
            "k: {{ image: i, model: m, model-prefix: p, precision: fp8, framework: f, runner: 'cluster:a', \
             multinode: {multinode}, scenarios: {{ {scenario} }} }}\n"
        )
    }

    /// The concurrencies of all rows, in order.
    fn rungs(&self, options: &Options) -> Vec<i64> {
        let runners = Source::new("runners.yaml", "labels: { 'cluster:a': [a_0] }\n");
        let master = Source::new("master.yaml", self.config());
        let mut found = Diagnostics::new();
        let master = parse(&master, Schema::V11, &mut found).unwrap();
        let runners = parse(&runners, Schema::V11, &mut found).unwrap();
        let rules = options.rules;
        let configs = merge_masters(&[&master], rules, &mut found).unwrap_or_else(|| panic!("{found:?}"));
        let runners = load_runners(&runners, rules, &mut found).unwrap();
        let inputs = Inputs { configs: &configs, runners: &runners, recipes: &NoRecipes };
        let rows = generate(&inputs, options, &mut found).unwrap();
        let number = |value: &Value<'_>| match value {
            Value::Int(value) => *value,
            other => panic!("{other:?}"),
        };
        rows.iter().flat_map(|row| row.concurrencies().iter().map(number).collect::<Vec<_>>()).collect()
    }

    fn options(&self) -> Options {
        let selection = Selection::FullSweep(Filters::default());
        Options { step: Num::Int(i64::from(self.step)), ..Options::new(Rules::R2026_08, selection) }
    }
}

proptest! {
    #![proptest_config(tries(300))]

    #[test]
    fn a_ladder_goes_from_start_to_end_without_wide_gaps(ladder in ladder()) {
        let rungs = ladder.rungs(&ladder.options());
        let (start, end, step) = (i64::from(ladder.start), i64::from(ladder.end), i64::from(ladder.step));
        prop_assert_eq!(rungs.first(), Some(&start));
        prop_assert_eq!(rungs.last(), Some(&end));
        prop_assert!(rungs.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", rungs);
        prop_assert!(rungs.windows(2).all(|pair| pair[1] <= pair[0] * step), "{:?}", rungs);
        // All rungs but the last are powers of the factor above the start.
        let (_, inner) = rungs.split_last().unwrap();
        prop_assert!(inner.iter().zip(0..).all(|(rung, power)| *rung == start * step.pow(power)), "{:?}", rungs);
    }

    #[test]
    fn limits_keep_what_lies_between_them(ladder in ladder(), min in 1_i64..400, more in 0_i64..2000) {
        let all = ladder.rungs(&ladder.options());
        let max = min + more;
        let limited = Options { min_conc: Some(Num::Int(min)), max_conc: Some(Num::Int(max)), ..ladder.options() };
        let rungs = ladder.rungs(&limited);
        prop_assert!(rungs.iter().all(|rung| *rung <= max), "{:?}", rungs);
        match ladder.kind {
            // A plain filter.
            Kind::Agentic => {
                let between: Vec<i64> = all.into_iter().filter(|rung| (min..=max).contains(rung)).collect();
                prop_assert_eq!(rungs, between);
            }
            // The start moves up, so the rungs may be others; a ladder that ends below the minimum is dropped, one that
            // starts above the maximum becomes the maximum.
            Kind::Fixed => {
                prop_assert_eq!(rungs.is_empty(), i64::from(ladder.end) < min);
                prop_assert!(rungs.iter().all(|rung| *rung >= min), "{:?}", rungs);
            }
            // A filter on the rungs, except that the maximum stands in where it removed all that the minimum left.
            Kind::MultiNode => {
                let above: Vec<i64> = all.into_iter().filter(|rung| *rung >= min).collect();
                let between: Vec<i64> = above.iter().copied().filter(|rung| *rung <= max).collect();
                let expected = if between.is_empty() && !above.is_empty() { vec![max] } else { between };
                prop_assert_eq!(rungs, expected);
            }
        }
    }
}

#[test]
fn long_and_deep_values_read_back_the_same() {
    let long = "word ".repeat(1000).trim_end().to_owned();
    let quoted = format!("\"{}\"", "é ".repeat(700));
    let mut deep = Value::text("bottom");
    for level in 0..90 {
        deep = match level % 2 {
            0 => Value::List(vec![Value::Null, deep]),
            _ => Value::Map(vec![(Value::text("k"), deep)]),
        };
    }
    for value in [
        Value::List(vec![Value::text(long.clone()), Value::text(quoted.clone())]),
        Value::List(vec![Value::Map(vec![
            (Value::text(long.clone()), Value::Null),
            (Value::text(quoted), Value::List(vec![Value::Int(1)])),
            (
                Value::text("k"),
                Value::Map(vec![(Value::text(long), Value::Map(vec![(Value::text("a"), Value::Int(1))]))]),
            ),
        ])]),
        deep,
    ] {
        let written = write_yaml(&value);
        assert_eq!(read(&written, Schema::V11), Ok(format!("{value:?}")), "{written}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Shell scripts: any text can be read, and what is found stands where it is said to

/// Pieces of shell that open, close and escape.
const SHELL_PIECES: &[&str] = &[
    "$",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "'",
    "`",
    "\\",
    "\n",
    " ",
    ";",
    "&",
    "|",
    "<",
    ">",
    "<<EOF\n",
    "EOF\n",
    "<<-'E'\n",
    "\tE\n",
    "=",
    "+=",
    "[",
    "]",
    "[[ ",
    " ]]",
    "if ",
    "; then ",
    "; fi\n",
    "for x in ",
    "; do ",
    "; done\n",
    "case x in ",
    ";;",
    " esac\n",
    "A",
    "b1",
    "export ",
    "local ",
    "read ",
    "${{ ",
    " }}",
    "${A:-",
    "$((",
    "))",
    "# c\n",
    "é",
    "\r\n",
    "\0",
    "f() ",
    "trap ",
    "bash -c ",
    "\"$GITHUB_ENV\"",
    "echo A=1 >>",
    "!",
    "@(",
    "os.environ[\"A\"]",
    "-v ",
    "2>&1",
    "{fd}>",
];

#[test]
fn hostile_texts_take_linear_time() {
    let size = 1 << 17;
    let started = std::time::Instant::now();
    let pieces = [
        "((", "$((", "`", "\"", "'", "<<A\n", "a[", "${{ ", "$'", "fi ", ")", "x=(", "&&", "[[ ", "\\", "getenv('",
        "<<A <<B ",
    ];
    for piece in pieces {
        let _ = read_script(&piece.repeat(size / piece.len()));
        let _ = read_script(&format!("{piece}\n").repeat(size / (piece.len() + 1)));
    }
    // All take about a second in a debug build; a single quadratic one would take minutes.
    assert!(started.elapsed().as_secs() < 30);
}

fn every_span(script: &Script<'_>) -> Vec<Range<usize>> {
    let facts = &script.facts;
    let commands = script.commands.iter().flat_map(|command| {
        let words = command.assignments.iter().chain(&command.words);
        let parts = words.flat_map(|word| word.parts.iter().map(Part::span).chain([word.span]));
        parts.chain(command.redirects.iter().map(|one| one.span)).chain([command.span])
    });
    let named = facts.reads.iter().map(|one| one.span).chain(facts.assignments.iter().map(|one| one.span));
    let others = facts.exports.iter().map(|one| one.span).chain(facts.writes.iter().map(|one| one.span));
    let spans = commands.chain(named).chain(others).chain(script.problems.iter().map(|one| one.span));
    spans.chain(script.heredocs.iter().map(|one| one.body)).map(Span::range).collect()
}

proptest! {
    #![proptest_config(tries(1024))]

    #[test]
    fn any_text_can_be_read_as_shell(pieces in prop::collection::vec(prop::sample::select(SHELL_PIECES), 0..40)) {
        let text = pieces.concat();
        let script = read_script(&text);
        for span in every_span(&script) {
            prop_assert!(text.get(span.clone()).is_some(), "{span:?} in {text:?}");
        }
        for one in &script.facts.assignments {
            prop_assert!(text[one.span.range()].contains(one.name));
        }
    }

    #[test]
    fn what_is_quoted_is_one_word(value in "[a-zA-Z0-9 $`\"\\\\;&|<>(){}#é\n]{0,12}") {
        let text = format!("cmd '{value}' \"x\"\nnext");
        let script = read_script(&text);
        prop_assert!(script.problems.is_empty());
        prop_assert_eq!(script.commands.len(), 2);
        prop_assert!(script.commands[0].words[1].is(&value));
    }
}
