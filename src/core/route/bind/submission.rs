//! The answer of a submission: one JSON object, never prose.

use serde_json::Value as Json;

use crate::core::diag::{Code, Diagnostic};

/// A job that was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Its id, as it was written: leading zeros are kept.
    pub job_id: String,
    /// Where its outputs appear: an absolute path.
    pub output_dir: String,
}

/// Reads the answer of `srtctl apply --json`.
///
/// # Errors
///
/// Everything that is wrong with it, each at its key.
pub fn read_submission(text: &str) -> Result<Submission, Vec<Diagnostic>> {
    let answer = match serde_json::from_str::<Json>(text) {
        Ok(Json::Object(answer)) => answer,
        Ok(other) => {
            let message = format!("the answer is {}, expected one JSON object", kind(&other));
            return Err(vec![wrong("", message)]);
        }
        Err(_) if text.trim().is_empty() => {
            return Err(vec![wrong("", "the answer is empty, expected one JSON object".to_owned())]);
        }
        Err(error) => {
            let message = format!("the answer is not one JSON object: {}", located(&error));
            return Err(vec![wrong("", message)]);
        }
    };
    let mut problems = Vec::new();
    let status = answer.get("status");
    if status.and_then(Json::as_str) != Some("submitted") {
        problems.push(wrong("status", format!("`status` is {}, expected \"submitted\"", shown(status))));
    }
    let job_id = job_id(answer.get("slurm_job_id"));
    if job_id.is_none() {
        let actual = shown(answer.get("slurm_job_id"));
        problems.push(wrong("slurm_job_id", format!("`slurm_job_id` is {actual}, expected a positive integer")));
    }
    let output_dir = answer.get("output_dir").and_then(Json::as_str).filter(|path| is_folder(path));
    if output_dir.is_none() {
        let actual = shown(answer.get("output_dir"));
        problems.push(wrong("output_dir", format!("`output_dir` is {actual}, expected an absolute path on one line")));
    }
    match (job_id, output_dir) {
        (Some(job_id), Some(output_dir)) if problems.is_empty() => {
            Ok(Submission { job_id, output_dir: output_dir.to_owned() })
        }
        _ => Err(problems),
    }
}

/// An integer, or a text of ASCII digits; more than zero.
fn job_id(value: Option<&Json>) -> Option<String> {
    let text = match value? {
        Json::String(text) => text.clone(),
        Json::Number(number) if number.is_u64() => number.to_string(),
        _ => return None,
    };
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits && text.bytes().any(|b| b != b'0')).then_some(text)
}

fn is_folder(path: &str) -> bool {
    path.starts_with('/') && !path.contains(['\n', '\r', '\0'])
}

fn wrong(path: &str, message: String) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::BadSubmission, message).help(
        "the command must print `{\"status\":\"submitted\",\"slurm_job_id\":…,\"output_dir\":…}` and nothing else",
    );
    if path.is_empty() { diagnostic } else { diagnostic.path(path) }
}

fn located(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

fn shown(value: Option<&Json>) -> String {
    value.map_or_else(|| "missing".to_owned(), Json::to_string)
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let problems = read_submission(text).unwrap_err();
        problems.into_iter().map(|problem| problem.path.unwrap_or_default()).collect()
    }

    #[test]
    fn an_id_is_kept_as_it_was_written() {
        for (id, expected) in [("42", "42"), ("\"42\"", "42"), ("\"042\"", "042")] {
            let text = format!("{{\"status\":\"submitted\",\"slurm_job_id\":{id},\"output_dir\":\"/o\",\"more\":1}}");
            let submission = read_submission(&text).unwrap();
            assert_eq!((&*submission.job_id, &*submission.output_dir), (expected, "/o"));
        }
    }

    #[test]
    fn no_other_id_passes() {
        for id in
            ["true", "42.0", "-1", "0", "\"000\"", "\"4 2\"", "\"42;43\"", "\"٤٢\"", "\"\"", "null", "[42]", "1e3"]
        {
            let text = format!("{{\"status\":\"submitted\",\"slurm_job_id\":{id},\"output_dir\":\"/o\"}}");
            assert_eq!(paths(&text), ["slurm_job_id"], "{id}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_said() {
        assert_eq!(paths("{}"), ["status", "slurm_job_id", "output_dir"]);
        assert_eq!(paths("{\"status\":\"submitted\",\"slurm_job_id\":1,\"output_dir\":\"a\"}"), ["output_dir"]);
        assert_eq!(paths("{\"status\":\"submitted\",\"slurm_job_id\":1,\"output_dir\":\"/a\\nb\"}"), ["output_dir"]);
    }

    #[test]
    fn prose_and_several_values_are_refused() {
        for text in ["", " \n", "Submitted batch job 42", "[]", "{} {}", "{\"status\":\"submitted\"", "null"] {
            assert_eq!(paths(text), [""], "{text}");
        }
    }
}
