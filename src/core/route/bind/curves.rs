//! Golden acceptance: which curve file a draft belongs to, and the length that it gives.

use std::sync::Arc;

use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::launch::Environment;
use crate::core::num::Num;
use crate::core::recipe::{Data, Tree};
use crate::core::yaml::{Schema, parse};

/// What a curve is chosen by.
pub(super) struct Draft<'d> {
    /// The method, in lower case.
    pub(super) method: String,
    /// The name of the draft model, where the recipe has one.
    pub(super) model: Option<String>,
    /// How draft tokens are sampled, where the recipe says it.
    pub(super) sample_method: Option<String>,
    /// How many tokens are drafted.
    pub(super) length: Option<Tree<'d>>,
}

/// Model prefixes whose EAGLE drafts are EAGLE3 heads.
const EAGLE3_MODELS: [&str; 2] = ["kimik2.5", "minimaxm3"];
const THINKING_MODES: [&str; 2] = ["thinking_on", "thinking_off"];

/// The name of the curve, without its folder and `.yaml`.
///
/// # Errors
///
/// The prefix is missing or no plain file name, or the sampling of the draft has no curve.
pub(super) fn curve_name(draft: &Draft<'_>, env: &Environment) -> Result<String, Diagnostic> {
    let prefix = env.get("MODEL_PREFIX").map_or("", String::as_str);
    let is_plain = !prefix.is_empty() && !prefix.contains(['/', '\\', '\0']) && !prefix.starts_with('.');
    if !is_plain {
        let message = format!("MODEL_PREFIX is `{prefix}`, expected a plain name: a curve file is named after it");
        let diagnostic = Diagnostic::error(Code::RuntimeInput, message).path("env.MODEL_PREFIX");
        return Err(diagnostic.help("give the model prefix of the point, for example dsv4"));
    }
    let method = match &*draft.method {
        "eagle" | "nextn" if EAGLE3_MODELS.contains(&prefix) => "eagle3",
        "eagle" | "nextn" => "mtp",
        other => other,
    };
    if method == "dspark" && prefix.starts_with("dsv4") {
        return Ok("dsv4-pro-0813-dspark".to_owned());
    }
    let name = format!("{prefix}_{method}");
    let is_gqa = draft.model.as_ref().is_some_and(|model| model.to_lowercase().contains("gqa"));
    match (prefix, method) {
        ("minimaxm3", "eagle3") if is_gqa => Ok(format!("{name}_gqa")),
        ("kimik3", "dspark") => match draft.sample_method.as_deref() {
            Some("probabilistic") => Ok(format!("{name}_probabilistic_sample_method_block_rejection_sample_method")),
            Some("greedy") => Ok(name),
            other => {
                let actual = other.map_or_else(|| "missing".to_owned(), |other| format!("`{other}`"));
                let message = format!("draft_sample_method is {actual}, expected probabilistic or greedy");
                Err(Diagnostic::error(Code::NoAcceptance, message).path("draft_sample_method"))
            }
        },
        _ => Ok(name),
    }
}

/// The acceptance length of a draft on its curve.
///
/// # Errors
///
/// The thinking mode is missing, the curve is malformed, or it does not know the length.
pub(super) fn acceptance_length(
    source: &Arc<Source>,
    draft: &Draft<'_>,
    env: &Environment,
) -> Result<Num, Vec<Diagnostic>> {
    let mode = env.get("THINKING_MODE").map_or("", String::as_str);
    if !THINKING_MODES.contains(&mode) {
        let message = format!("THINKING_MODE is `{mode}`, expected {}", THINKING_MODES.join(" or "));
        return Err(vec![Diagnostic::error(Code::RuntimeInput, message).path("env.THINKING_MODE")]);
    }
    let length = draft_length(draft).map_err(|diagnostic| vec![diagnostic])?;
    let mut found = Diagnostics::new();
    let document = parse(source, Schema::V11, &mut found);
    let Some(document) = document else { return Err(found.into_iter().collect()) };
    let curve = document.root().map(Tree::of);
    let models = curve.as_ref().and_then(Tree::as_map).map_or(&[][..], |map| map.entries());
    let wrong = |message: String| {
        let diagnostic = Diagnostic::error(Code::NoAcceptance, message).in_file(source.name());
        vec![
            diagnostic.help("a curve is one model, below it the thinking modes, below those draft lengths with values"),
        ]
    };
    let [model] = models else {
        return Err(wrong(format!("{} has {} models, expected one", source.name(), models.len())));
    };
    let Some(values) = model.value.get(mode).and_then(Tree::as_map) else {
        return Err(wrong(format!("{} has no `{mode}`", source.name())));
    };
    let entry = values.entries().iter().find(|entry| entry.key.as_num().is_some_and(|key| key == length));
    let Some(entry) = entry else {
        return Err(wrong(format!("{} has no value for {length} draft tokens below `{mode}`", source.name())));
    };
    let most = length.plus(&Num::Int(1));
    match entry.value.as_num() {
        Some(value) if value.to_f64().is_finite() && value >= Num::Int(1) && value <= most => Ok(value),
        _ => {
            let value = entry.value.python_str();
            let message =
                format!("the value for {length} draft tokens is `{value}`, expected a number from 1 to {most}");
            Err(wrong(message))
        }
    }
}

/// The number of draft tokens: a positive integer.
fn draft_length(draft: &Draft<'_>) -> Result<Num, Diagnostic> {
    let number = draft.length.as_ref().and_then(|length| match length.data() {
        Data::Int(_) | Data::Big(_) => length.as_num(),
        _ => None,
    });
    match number.filter(|number| *number > Num::Int(0)) {
        Some(number) => Ok(number),
        None => {
            let actual = draft.length.as_ref().map_or_else(|| "missing".into(), |length| length.python_str());
            let message =
                format!("the number of draft tokens of {} is {actual}, expected a positive integer", draft.method);
            let diagnostic = Diagnostic::error(Code::NoAcceptance, message);
            Err(match draft.length.as_ref().and_then(Tree::place) {
                Some((source, span)) => diagnostic.at(source, span),
                None => diagnostic.help("the acceptance of a draft is known by how many tokens it drafts"),
            })
        }
    }
}
