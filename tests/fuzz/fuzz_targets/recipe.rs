//! The recipe reader: no text may crash it, every place must lie in the text, each selector that is listed must pick what is
//! listed, and what is consolidated must be proved.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::core::diag::{Diagnostics, Place, Source, render_human};
use srtx::core::recipe::{Overrides, RecipeFile, SchemaChoice, check_recipe, consolidate, mended, write_json};
use srtx::core::yaml::{Schema, parse};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The first line may hold a selector and changes.
    let (line, text) = text.split_once('\n').unwrap_or(("", text));
    let source = Source::new("fuzz.yaml", text);
    let mut found = Diagnostics::new();
    let Some(document) = parse(&source, Schema::V11, &mut found) else { return };
    if document.anchors().count() > 8 {
        return;
    }
    let Some(file) = RecipeFile::read(&document, &mut found) else { return look_at(found, text) };
    for variant in file.variants() {
        match &variant.recipe {
            Ok(recipe) => {
                let picked = file.select(variant.selector.as_deref()).map(|picked| picked.into_variants());
                // A group whose name holds other characters than words cannot be picked from.
                if let Ok(picked) = picked {
                    assert!(picked.len() == 1 && picked[0].recipe.as_ref().is_ok_and(|other| other.same(recipe)), "{text}");
                }
                let _ = write_json(&mut Vec::new(), recipe, Some(0));
                for choice in [SchemaChoice::One, SchemaChoice::Two] {
                    for finding in check_recipe(recipe, choice, true) {
                        found.push(finding.diagnostic("fuzz.yaml"));
                    }
                }
            }
            Err(diagnostic) => found.push((**diagnostic).clone()),
        }
    }
    if let Err(diagnostic) = file.select(Some(line)) {
        found.push(*diagnostic);
    }
    match Overrides::parse([line], [line]).and_then(|changes| file.overridden(&changes)) {
        Ok(changed) => drop(changed.variants()),
        Err(refused) => found.extend(refused),
    }
    for choice in [SchemaChoice::One, SchemaChoice::Two] {
        if let Some(mended) = mended(&source, None, choice) {
            let again = parse(&Source::new("mended.yaml", mended.text), Schema::V11, &mut Diagnostics::new());
            assert!(again.is_some(), "{text}");
        }
    }
    if file.base().is_none() {
        // It proves itself, or says why not.
        if let Err(refused) = consolidate(&[document]) {
            assert!(refused.has_errors());
        }
    }
    look_at(found, text);
});

fn look_at(found: Diagnostics, text: &str) {
    for diagnostic in found.as_slice() {
        if let Place::Span(label) = &diagnostic.place {
            assert!(label.span.start <= label.span.end && text.get(label.span.clone()).is_some(), "{diagnostic:?}");
        }
        render_human(diagnostic, false);
    }
}
