//! The writer of runner files: whatever it takes must read back the same on every platform, or be refused.
//!
//! The first byte chooses the file and the delimiters; 0xFF, which is in no UTF-8, stands between names and values. The
//! input is read by hand, so that a seed is what one sees and not what a derived reader makes of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::gha::Records;
use srtx::gha::output::render;
use srtx::gha::reader::{Newlines, read};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let mut records = match choice % 3 {
        0 => Records::outputs(),
        1 => Records::variables(),
        _ => Records::state(),
    };
    let as_json = choice & 0x40 != 0;
    let mut fields = rest.split(|&byte| byte == 0xff).map(|field| std::str::from_utf8(field).unwrap_or("\u{fffd}"));
    // A delimiter that the values may well hold, or those of earnest, but the same for the same input.
    let hostile = if choice & 0x80 != 0 { fields.next() } else { None };
    let mut taken: Vec<(String, String)> = Vec::new();
    while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
        // Most random names are refused; their letters behind a prefix are not, and the value is tested all the same.
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        for name in [name, &format!("n_{letters}")] {
            let added = if as_json { records.json_text(name, value) } else { records.text(name, value) };
            if added.is_ok() {
                // A JSON text is written in another form than it was given in.
                let kept = if as_json { records.pairs().last().map_or("", |(_, kept)| kept) } else { value };
                taken.push((name.to_owned(), kept.to_owned()));
            }
        }
    }
    let mut number = 0_u128;
    let delimiters = || {
        number += 1;
        Ok(hostile.map_or_else(|| format!("srtx_{number:032x}"), str::to_owned))
    };
    let Ok(text) = render(&records, delimiters) else { return };
    for newlines in [Newlines::Unix, Newlines::Windows] {
        let reading = read(&text, newlines);
        assert_eq!(reading.error, None, "{newlines:?} {text:?}");
        assert_eq!(reading.records, taken, "{newlines:?} {text:?}");
        // None shadows another.
        assert_eq!(reading.outputs().0.len(), taken.len(), "{text:?}");
    }
});
