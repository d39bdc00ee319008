use proptest::prelude::*;
use serde_json::json;

use super::*;

fn secrets(pairs: &[(&str, &str)]) -> Secrets {
    Secrets::of_env(pairs.iter().copied())
}

#[test]
fn b12_a_value_of_a_secret_variable_inside_the_payload_is_named_and_not_shown() {
    let secrets = secrets(&[("HOME", "/home/u"), ("FOO_TOKEN", "abcd")]);
    assert_eq!(secrets.find("plan with xabcdx in it"), Some(Leak::Variable("FOO_TOKEN")));
    let refused = secrets.check("points", r#"[{"image":"i"},{"image":"xabcdx"}]"#).unwrap_err();
    assert_eq!(refused.code, Code::SecretInOutput);
    assert_eq!(refused.path.as_deref(), Some("output.points[1].image"));
    let shown = format!("{refused:?} {secrets:?}");
    assert!(shown.contains("FOO_TOKEN"), "{shown}");
    assert!(!shown.contains("abcd"), "{shown}");
    assert!(secrets.check("points", r#"[{"image":"/home/u"}]"#).is_ok());
}

#[test]
fn a_log_shows_no_secret() {
    let secrets = secrets(&[("FOO_TOKEN", "abcd"), ("BAR_TOKEN", "cdef"), ("A_PASSWORD", "pä\"ss")]);
    for (text, shown) in [
        ("plain", "plain"),
        ("xabcdx abcd", "x***x ***"),
        // Where two overlap, nothing of either is left.
        ("xabcdefx", "x***x"),
        ("abcdabcd", "******"),
        ("{\"a\":\"p\\u00e4\\\"ss\"} pä\"ss é", "{\"a\":\"***\"} *** é"),
    ] {
        assert_eq!(secrets.hidden(text), shown, "{text}");
    }
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    assert_eq!(Secrets::default().hidden(&format!("x {token} y")), "x *** y");
}

#[test]
fn b12_l18_the_place_is_named_as_far_as_it_is_known() {
    let secrets = secrets(&[("FOO_TOKEN", "abcd")]);
    for (value, path) in [
        ("abcd", "output.o"),
        ("\"abcd\"", "output.o"),
        ("{\"a\":{\"b\":[1,\"x abcd\"]}}", "output.o.a.b[1]"),
        ("{\"abcd\":1}", "output.o.***"),
        ("{\"k\":{\"abcd\":1}}", "output.o.k.***"),
        ("[[\"abcd\"]]", "output.o[0][0]"),
    ] {
        assert_eq!(secrets.check("o", value).unwrap_err().path.as_deref(), Some(path), "{value}");
    }
}

#[test]
fn b12_l18_a_number_in_json_can_be_the_secret() {
    let secrets = secrets(&[("DB_PASSWORD", "12345678")]);
    assert_eq!(secrets.check("o", "{\"a\":12345678}").unwrap_err().path.as_deref(), Some("output.o.a"));
}

#[test]
fn l18_an_escaped_secret_is_found_in_json() {
    let secrets = secrets(&[("A_PASSWORD", "pä\"ss\\word")]);
    let value = json!([{"dsn": "pä\"ss\\word"}]);
    for payload in
        [value.to_string(), crate::gha::json::to_compact_json(&value).unwrap(), json!(value.to_string()).to_string()]
    {
        assert_eq!(secrets.find(&payload), Some(Leak::Variable("A_PASSWORD")), "{payload}");
    }
}

#[test]
fn l18_each_line_of_a_secret_is_masked_so_each_is_looked_for() {
    let secrets = secrets(&[("GCP_CREDENTIALS", "{\n  \"private_id\": \"0a1b2c\",\n  \"x\": 1\n}\n")]);
    assert_eq!(secrets.find("\"private_id\": \"0a1b2c\","), Some(Leak::Variable("GCP_CREDENTIALS")));
    // The runner masks `{` too, but so short a line would refuse every JSON, and nobody could tell why.
    assert_eq!(secrets.find("{\"a\":{\"x\": 1}}"), None);
}

#[test]
fn l18_tokens_are_found_by_shape_with_and_without_a_variable() {
    let token = ["gh", "p_q8Zk2Lw93nVbTx71RrPdq8Zk2Lw93nVbTx71"].concat();
    let none = Secrets::default();
    assert_eq!(none.find(&format!("x {token}")), Some(Leak::Shape("a GitHub token")));
    let message = none.check("o", &token).unwrap_err().message;
    assert!(message.contains("a GitHub token") && !message.contains("q8Zk"), "{message}");
    let url = format!("https://x:{token}@github.com");
    let harmless_name = secrets(&[("ORIGIN", url.as_str())]);
    assert_eq!(harmless_name.find(&token), Some(Leak::Variable("ORIGIN")));
    assert_eq!(harmless_name.find("https://x:y@github.com"), Some(Leak::Shape("a password in a URL")));
}

#[test]
fn b12_a_password_of_a_url_in_the_environment_is_looked_for_alone() {
    let secrets = secrets(&[("DATABASE_URL", "postgres://user:hunter2x@db/name")]);
    assert_eq!(secrets.find("pw=hunter2x"), Some(Leak::Variable("DATABASE_URL")));
    assert_eq!(secrets.find("postgres://db/name user"), None);
}

#[test]
fn l18_short_and_common_values_do_not_refuse_everything() {
    let secrets = secrets(&[
        ("A_TOKEN", "1"),
        ("B_TOKEN", "true"),
        ("C_SECRET", "prod"),
        ("D_TOKEN", ""),
        ("E_API_KEY", "EMPTY"),
        ("MAX_TOKENS", "8192"),
        ("CONFIG_KEY", "dsr1-fp8"),
    ]);
    assert!(secrets.variables().is_empty());
    assert_eq!(secrets.find("{\"a\":1,\"b\":true,\"c\":\"prod\",\"d\":8192,\"k\":\"dsr1-fp8\"}"), None);
}

#[test]
fn a_variable_is_listed_once() {
    let secrets = secrets(&[("A_TOKEN", "line one is long\nline two is long"), ("B_TOKEN", "something")]);
    assert_eq!(secrets.variables(), ["A_TOKEN", "B_TOKEN"]);
}

proptest! {
    #[test]
    fn l18_a_secret_is_found_anywhere_in_any_json(secret in "[!-~é]{8,24}", before in ".{0,8}", after in ".{0,8}") {
        let secret = format!("S{secret}S");
        let secrets = secrets(&[("X_TOKEN", secret.as_str())]);
        let text = format!("{before}{secret}{after}");
        let value = json!({"a": [text.as_str()]});
        for payload in [text.clone(), value.to_string(), crate::gha::json::to_compact_json(&value).unwrap()] {
            prop_assert_eq!(secrets.find(&payload), Some(Leak::Variable("X_TOKEN")));
            let refused = secrets.check("o", &payload).unwrap_err();
            prop_assert!(!refused.message.contains(&secret) && !refused.path.unwrap().contains(&secret));
        }
    }

    #[test]
    fn l18_any_environment_and_payload_are_judged_without_a_panic(
        pairs in proptest::collection::vec(("[A-Z_]{0,6}(TOKEN|KEY|URL)?", "(\\PC|://|:|@|-----BEGIN |PRIVATE KEY|ghp_|\n){0,12}"), 0..5),
        payload in "(\\PC|://|:|@|-----BEGIN |-----|PRIVATE KEY|ghp_|\n){0,20}",
    ) {
        let secrets = Secrets::of_env(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let found = secrets.find(&payload).is_some();
        prop_assert_eq!(secrets.check("o", &payload).is_err(), found);
    }
}
