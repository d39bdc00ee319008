//! Shell scripts: no text may crash or stall the reader, every span must lie in the text between characters, and what is
//! said to be a name or a literal must stand there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::core::shell::{Part, Quote, Span, Word, environment_uses, read_script};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let script = read_script(text);
    let inside = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?}");
    script.problems.iter().for_each(|problem| inside(problem.span));
    script.heredocs.iter().for_each(|heredoc| inside(heredoc.body));
    for command in &script.commands {
        inside(command.span);
        command.assignments.iter().chain(&command.words).for_each(|word| check_word(text, word));
        command.redirects.iter().for_each(|redirect| inside(redirect.span));
    }
    script.facts.reads.iter().for_each(|read| inside(read.span));
    for one in &script.facts.assignments {
        assert!(text[one.span.range()].contains(one.name));
    }
    script.facts.exports.iter().for_each(|one| inside(one.span));
    script.facts.writes.iter().for_each(|one| inside(one.span));
    for one in environment_uses(text) {
        assert_eq!(&text[one.span.range()], one.name);
    }
});

fn check_word(text: &str, word: &Word<'_>) {
    assert!(text.get(word.span.range()).is_some());
    for part in &word.parts {
        assert!(word.span.contains(part.span()), "{part:?} in {:?}", word.span);
        match part {
            Part::Literal(literal) => {
                assert_eq!(&text[literal.span.range()], literal.text);
                assert!(literal.quote != Quote::Single || !literal.text.contains('\''));
            }
            Part::Array(_, words) => words.iter().for_each(|word| check_word(text, word)),
            _ => {}
        }
    }
}
