//! The floor of every benchmark: reads the parser crate's events of the files and does nothing with them.

#![expect(clippy::print_stdout, reason = "the count is the output")]

use granit_parser::{Event, Parser};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut events = 0_usize;
    for file in std::env::args_os().skip(1) {
        let text = std::fs::read_to_string(file)?;
        let mut parser = Parser::new_from_str(&text);
        while let Some(event) = parser.next_event() {
            events += usize::from(!matches!(event?.0, Event::StreamEnd));
        }
    }
    println!("{events}");
    Ok(())
}
