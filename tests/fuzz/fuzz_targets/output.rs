//! The writer of runner files: whatever it takes must read back the same on every platform, or be refused.
//!
//! The first byte chooses the file and the delimiters; 0xFF, which is in no UTF-8, stands between names and values.

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
    let mut taken: Vec<(String, String)> = Vec::new();
    let fields: Vec<&[u8]> = rest.split(|&byte| byte == 0xff).collect();
    for pair in fields.chunks(2) {
        let [name, value] = pair else { break };
        let (Ok(name), Ok(value)) = (std::str::from_utf8(name), std::str::from_utf8(value)) else { continue };
        let added = if as_json { records.json_text(name, value) } else { records.text(name, value) };
        if added.is_ok() {
            // A JSON text is written in another form than it was given in.
            let kept = if as_json { records.pairs().last().map_or("", |(_, kept)| kept) } else { value };
            taken.push((name.to_owned(), kept.to_owned()));
        }
    }
    // A delimiter that a value may well hold, or one as they are in earnest, but the same for the same input.
    let short = choice & 0x80 != 0;
    let mut number = 0_u128;
    let delimiters = || {
        number += 1;
        Ok(if short { "E".to_owned() } else { format!("srtx_{number:032x}") })
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
