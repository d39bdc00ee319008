//! The writer of the runner's output files: whatever it accepts must read back as the same values, on every system.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use srtx::gha::Records;
use srtx::gha::output::render;
use srtx::gha::reader::{Newlines, read};

#[derive(Debug, Arbitrary)]
struct Case {
    records: Vec<(String, String)>,
    /// A hostile source of delimiters.
    delimiter: String,
    good_delimiter: bool,
}

fuzz_target!(|data: &[u8]| {
    let Ok(case) = Case::arbitrary(&mut Unstructured::new(data)) else { return };
    let mut records = Records::outputs();
    for (name, value) in &case.records {
        // Half of all random names are refused; a prefix lets the values be tested too.
        let _ = records.text(name, value.as_str());
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let _ = records.text(&format!("n_{letters}"), value.as_str());
    }
    let mut count = 0_u32;
    let rendered = render(&records, || {
        count += 1;
        Ok(if case.good_delimiter { format!("srtx_{count:032x}") } else { case.delimiter.clone() })
    });
    let Ok(text) = rendered else { return };
    for newlines in [Newlines::Unix, Newlines::Windows] {
        let reading = read(&text, newlines);
        assert!(reading.error.is_none(), "{:?} in {text:?}", reading.error);
        let (outputs, error) = reading.outputs();
        assert!(error.is_none(), "{error:?} in {text:?}");
        let expected: std::collections::BTreeMap<&str, &str> = records.pairs().collect();
        let same = expected.iter().all(|(name, value)| outputs.get(name) == Some(value)) && expected.len() == outputs.len();
        assert!(same, "{newlines:?}: {expected:?} became {outputs:?} through {text:?}");
    }
});
