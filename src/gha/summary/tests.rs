use std::fs;

use proptest::prelude::*;

use super::super::limits::SUMMARY_BYTES;
use super::*;
use crate::core::diag::Code;

fn table(rows: usize) -> Table<2> {
    let mut table = Table::new([Column::left("name"), Column::right("n")]);
    for row in 0..rows {
        table.row([Cell::text(&format!("row é {row}")), Cell::value(row)]);
    }
    table
}

#[test]
fn everything_is_shown_when_it_fits() {
    let mut summary = Summary::new();
    assert!(summary.is_empty());
    summary.heading(2, "a # b\nc").paragraph("1. x\ny").listing("json", "{\r\n}").table(table(1)).markdown("**own**");
    let text = summary.render(SUMMARY_BUDGET);
    assert_eq!(
        text,
        "## a \\# b c\n\n1\\. x<br>y\n\n```json\n{\n}\n```\n\n| name | n |\n| --- | --: |\n| row é 0 | 0 |\n\n**own**\n\n"
    );
    assert_eq!(summary.render(text.len()), text);
    assert_eq!(Summary::new().render(0), "");
}

#[test]
fn l30_a_table_is_cut_at_a_row_and_says_how_many_are_missing() {
    let mut summary = Summary::new();
    summary.heading(1, "t").table(table(50)).paragraph("later").paragraph("later");
    let text = summary.render(600);
    assert!(text.len() <= 600, "{}", text.len());
    let rows = text.lines().filter(|line| line.starts_with("| row")).count();
    assert!(rows > 10 && text.lines().filter(|line| line.starts_with('|')).all(|line| line.ends_with(" |")), "{text}");
    assert!(
        text.ends_with(&format!(
            "\n\n\n> **Left out here:** {} rows and 2 parts. A step summary may have 1 MiB.\n",
            50 - rows
        )),
        "{text}"
    );
}

#[test]
fn l30_what_shows_nothing_of_itself_counts_as_a_part() {
    let mut summary = Summary::new();
    summary.paragraph("first").table(table(1)).heading(1, "x");
    let all = summary.render(SUMMARY_BUDGET);
    let mut long = summary.clone();
    long.markdown(&"x".repeat(1000));
    assert_eq!(
        long.render(7 + NOTICE_BYTES),
        "first\n\n\n> **Left out here:** 3 parts. A step summary may have 1 MiB.\n"
    );
    assert_eq!(
        long.render(all.len() + NOTICE_BYTES),
        format!("{all}\n> **Left out here:** 1 part. A step summary may have 1 MiB.\n")
    );
    assert_eq!(long.render(NOTICE_BYTES - 1), "");
}

#[test]
fn l30_a_long_line_is_cut_at_a_character() {
    let mut summary = Summary::new();
    summary.listing("", &"é".repeat(1000));
    let text = summary.render(400);
    assert!(text.len() <= 400 && text.contains("é…\n```\n"), "{text}");
    let mut summary = Summary::new();
    summary.paragraph(&"<é>".repeat(1000));
    let text = summary.render(400);
    assert!(text.contains("…\n\n"), "{text}");
    assert!(text.contains("> **Left out here:** 1 line. "), "{text}");
}

#[test]
fn l30_a_listing_cannot_close_its_own_fence() {
    let mut summary = Summary::new();
    summary.listing("a`\nb", "x\n````\n::\r```");
    assert_eq!(summary.render(SUMMARY_BUDGET), "`````ab\nx\n````\n::\n```\n`````\n\n");
}

#[test]
fn l30_the_file_stays_below_the_budget_with_what_stands_there_already() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary");
    let mut summary = Summary::new();
    summary.table(table(60_000));
    assert!(summary.render(usize::MAX).len() > SUMMARY_BYTES);
    fs::write(&path, "x".repeat(500_000)).unwrap();
    summary.append_to(&path).unwrap();
    let first = fs::read(&path).unwrap();
    assert!((900_000..=SUMMARY_BUDGET).contains(&first.len()), "{}", first.len());
    assert_eq!(first[500_000], b'\n');
    summary.append_to(&path).unwrap();
    assert!(fs::read(&path).unwrap().len() <= SUMMARY_BUDGET);
    // What fits to the byte leaves no room for the line break that keeps it off an open last line.
    let mut exact = Summary::new();
    exact.markdown("12345678");
    fs::write(&path, "x".repeat(SUMMARY_BUDGET - exact.render(SUMMARY_BUDGET).len())).unwrap();
    exact.append_to(&path).unwrap();
    assert!(fs::read(&path).unwrap().len() <= SUMMARY_BUDGET);
    let missing = summary.append_to(&folder.path().join("nowhere")).unwrap_err();
    assert_eq!(missing.code, Code::OutputFile);
}

proptest! {
    #[test]
    fn l30_no_budget_is_ever_exceeded(
        texts in proptest::collection::vec((0..5_usize, "([`<|é\n]|\\PC){0,40}"), 0..8),
        budget in 0..900_usize,
    ) {
        let mut summary = Summary::new();
        for (kind, text) in &texts {
            match kind {
                0 => summary.heading(text.len(), text),
                1 => summary.paragraph(text),
                2 => summary.listing(text, text),
                3 => summary.table(table(text.len())),
                _ => summary.markdown(text),
            };
        }
        let text = summary.render(budget);
        prop_assert!(text.len() <= budget, "{} {}", text.len(), budget);
        let whole = summary.render(usize::MAX);
        prop_assert_eq!(text.contains("**Left out here:**"), whole.len() > budget && budget >= NOTICE_BYTES);
    }
}
