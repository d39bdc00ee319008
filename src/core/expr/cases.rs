//! Files of cases: many expressions at once, for tests and comparisons.

use std::borrow::Cow;
use std::sync::Arc;

use super::error::Error;
use super::json::Json;
use super::object::Object;
use super::scope::Contexts;
use super::template::Template;
use super::value::Value;
use super::{evaluate, parse};

/// One case.
#[derive(Debug, Clone)]
pub struct Case<'t> {
    /// What is evaluated.
    pub source: Source<'t>,
    /// What it may refer to; shared by the cases of a file that has one object of contexts.
    pub contexts: Arc<Contexts>,
}

/// What a case evaluates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source<'t> {
    /// What stands between `${{` and `}}`.
    Expression(Cow<'t, str>),
    /// A text with such parts.
    Template(Cow<'t, str>),
}

impl Source<'_> {
    /// The text that is parsed.
    pub fn text(&self) -> &str {
        match self {
            Self::Expression(text) | Self::Template(text) => text,
        }
    }

    /// Parses and evaluates it.
    pub fn evaluate(&self, contexts: &Contexts) -> Result<Value, Error> {
        match self {
            Self::Expression(text) => parse(text, &contexts.allowed()).and_then(|expr| evaluate(&expr, contexts)),
            Self::Template(text) => {
                Template::parse(text, &contexts.allowed()).and_then(|template| template.evaluate(contexts))
            }
        }
    }
}

/// What is wrong with a file of cases: the path, and a sentence.
type Refusal = (String, &'static str);

/// The cases of a file in order: of `{group: [{"expr", "contexts"}]}`, or of `{"contexts", "cases": [{"expression"} or
/// {"template"}]}`. Other keys of a case are somebody else's.
pub fn read_cases(file: Json<'_>) -> Result<Vec<Case<'_>>, Refusal> {
    let Json::Object(members) = file else { return Err((String::new(), "expected an object")) };
    let is_list = |json: Option<&Json<'_>>| matches!(json, Some(Json::Array(_)));
    let names_one = |json: &Json<'_>| json.get("expression").is_some() || json.get("template").is_some();
    let file = Json::Object(members);
    let has_contexts = matches!(file.get("contexts"), Some(Json::Object(_)));
    let has_cases = match file.get("cases") {
        Some(Json::Array(items)) => items.first().is_some_and(names_one),
        _ => false,
    };
    if has_cases || (has_contexts && is_list(file.get("cases"))) { listed(file) } else { grouped(file) }
}

fn listed(file: Json<'_>) -> Result<Vec<Case<'_>>, Refusal> {
    let shared = contexts(file.get("contexts").cloned(), "contexts")?;
    let Json::Object(members) = file else { return Ok(Vec::new()) };
    let mut cases = Vec::new();
    for (name, value) in members {
        let ("cases", Json::Array(items)) = (&*name, value) else { continue };
        cases.reserve(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let path = || format!("cases[{index}]");
            let source = match (item.get("expression"), item.get("template")) {
                (Some(Json::Text(text)), None) => Source::Expression(text.clone()),
                (None, Some(Json::Text(text))) => Source::Template(text.clone()),
                _ => return Err((path(), "expected an object with either `expression` or `template`, a text")),
            };
            let contexts = match item.get("contexts") {
                Some(own) => contexts(Some(own.clone()), &format!("{}.contexts", path()))?,
                None => Arc::clone(&shared),
            };
            cases.push(Case { source, contexts });
        }
    }
    Ok(cases)
}

fn grouped(file: Json<'_>) -> Result<Vec<Case<'_>>, Refusal> {
    let Json::Object(groups) = file else { return Ok(Vec::new()) };
    let mut cases = Vec::new();
    for (group, items) in groups {
        let Json::Array(items) = items else { return Err((group.to_string(), "expected a list of cases")) };
        for (index, item) in items.into_iter().enumerate() {
            let path = || format!("{group}[{index}]");
            let Some(Json::Text(text)) = item.get("expr") else {
                return Err((path(), "expected an object with `expr`, a text"));
            };
            let source = Source::Expression(text.clone());
            let contexts = contexts(item.get("contexts").cloned(), &format!("{}.contexts", path()))?;
            cases.push(Case { source, contexts });
        }
    }
    Ok(cases)
}

fn contexts(json: Option<Json<'_>>, path: &str) -> Result<Arc<Contexts>, Refusal> {
    match json.unwrap_or(Json::Null) {
        Json::Null => Ok(Arc::new(Contexts::new(Object::new([])))),
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name.into(), Value::from(value)));
            Ok(Arc::new(Contexts::new(Object::new(members))))
        }
        _ => Err((path.to_owned(), "expected an object of contexts")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_json;
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, Refusal> {
        let cases = read_cases(read_json(text).unwrap())?;
        Ok(cases.iter().map(|case| format!("{:?}", case.source.evaluate(&case.contexts).ok())).collect())
    }

    #[test]
    fn both_shapes_are_read_in_order() {
        let grouped =
            r#"{"b": [{"expr": "x", "contexts": {"x": 1}, "result": {}}, {"expr": "x"}], "cases": [{"expr": "2"}]}"#;
        assert_eq!(read(grouped).unwrap(), ["Some(Number(1.0))", "None", "Some(Number(2.0))"]);
        let listed = r#"{"about": 1, "cases": [{"expression": "x"}, {"template": "${{ x }}!", "contexts": {"x": 2}}], "contexts": {"x": 1}}"#;
        assert_eq!(read(listed).unwrap(), ["Some(Number(1.0))", "Some(Str(\"2!\"))"]);
        assert_eq!(read(r#"{"contexts": {}, "cases": []}"#).unwrap(), [""; 0]);
    }

    #[test]
    fn malformed_files_are_refused_with_a_path() {
        for (text, path) in [
            ("[]", ""),
            (r#"{"a": 1}"#, "a"),
            (r#"{"a": [{"expr": "1"}, {"expr": 1}]}"#, "a[1]"),
            (r#"{"contexts": {}, "cases": [{}]}"#, "cases[0]"),
            (r#"{"contexts": {}, "cases": [{"expression": "1", "template": "1"}]}"#, "cases[0]"),
            (r#"{"a": [{"expr": "1", "contexts": []}]}"#, "a[0].contexts"),
        ] {
            assert_eq!(read(text).unwrap_err().0, path, "{text}");
        }
    }
}
