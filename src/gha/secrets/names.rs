//! Judges a variable by its name. In: name and value. Out: whether the value counts as a secret.
//!
//! `TOKEN` and `KEY` are everyday words of inference benchmarks (`MAX_NUM_TOKENS`, `PAD_TOKEN`, `CONFIG_KEY`), so names are
//! compared word by word and not as substrings.

use super::{MIN_CHARS_HINTED, MIN_CHARS_PLAIN};

/// Words that say plainly that the value is a secret.
const PLAIN: &[&str] =
    &["CREDENTIAL", "CREDENTIALS", "PASSPHRASE", "PASSWD", "PASSWORD", "PASSWORDS", "SECRET", "SECRETS", "TOKEN"];

/// The same, glued to another word: `PGPASSWORD`, `AUTHTOKEN`.
const PLAIN_ENDINGS: &[&str] = &["PASSWORD", "PASSWD", "SECRET", "TOKEN"];

/// Short words that say it only behind another one: `PWD` alone is the working directory, `MYSQL_PWD` is a password.
const PLAIN_BEHIND_ANOTHER: &[&str] = &["DSN", "PAT", "PWD"];

/// Words that make a `KEY` a secret.
const KEY_OF: &[&str] = &[
    "ACCESS",
    "ACCOUNT",
    "API",
    "APP",
    "AUTH",
    "CLIENT",
    "DEPLOY",
    "ENCRYPTION",
    "GPG",
    "HMAC",
    "JWT",
    "LICENSE",
    "MASTER",
    "PGP",
    "PRIVATE",
    "RSA",
    "SERVICE",
    "SHARED",
    "SIGNING",
    "SSH",
    "SSL",
    "STORAGE",
    "SUBSCRIPTION",
    "TLS",
    "WEBHOOK",
];

/// A secret key, glued.
const KEY_ENDINGS: &[&str] = &["ACCESSKEY", "APIKEY", "PRIVATEKEY", "SECRETKEY"];

/// Words in front of `TOKEN` or `KEY` that make it something else.
const HARMLESS: &[&str] =
    &["BOS", "CLS", "EOS", "MASK", "MAX", "MIN", "NUM", "PAD", "PER", "PUBLIC", "SEP", "STOP", "UNK"];

/// Last words that say that the value is about the secret, not the secret: `TOKEN_FILE`, `SECRET_NAME`.
const ABOUT: &[&str] = &[
    "BUDGET", "COUNT", "DIR", "ENABLED", "ENDPOINT", "FILE", "HOST", "ID", "LENGTH", "LIMIT", "MODE", "NAME", "NAMES",
    "PATH", "PREFIX", "REQUIRED", "SIZE", "TTL", "TYPE", "URI", "URL", "VERSION",
];

/// Values that stand for no value, or that every text holds. Whoever really has such a secret has another problem.
const COMMON: &[&str] = &[
    "auto",
    "bearer",
    "changeme",
    "default",
    "dummy",
    "empty",
    "example",
    "fake",
    "false",
    "inherit",
    "main",
    "none",
    "null",
    "placeholder",
    "prod",
    "production",
    "redacted",
    "required",
    "staging",
    "test",
    "true",
    "unset",
    "unused",
];

/// Whether the value of a variable counts as a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    least_chars(name, value).is_some_and(|min| value.chars().count() >= min) && !is_everyday(value)
}

/// From how many characters on a variable of this name holds a secret; none when it never does.
fn least_chars(name: &str, value: &str) -> Option<usize> {
    let name = name.to_ascii_uppercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.last().is_some_and(|last| ABOUT.contains(last)) || words.iter().any(|word| HARMLESS.contains(word)) {
        return None;
    }
    let plain = words.iter().enumerate().any(|(at, word)| {
        PLAIN.contains(word)
            || PLAIN_ENDINGS.iter().any(|ending| word.ends_with(ending))
            || (at > 0 && PLAIN_BEHIND_ANOTHER.contains(word))
    });
    if plain {
        return Some(MIN_CHARS_PLAIN);
    }
    let key = words.contains(&"KEY");
    let secret_key = words.iter().any(|word| KEY_ENDINGS.iter().any(|ending| word.ends_with(ending)))
        || (key && (words.iter().any(|word| KEY_OF.contains(word)) || looks_random(value)));
    secret_key.then_some(MIN_CHARS_HINTED)
}

/// A text that a person would not write as a name: long, in one piece, of all kinds of characters. Digests and keys of
/// points are lower case, so they do not look so.
fn looks_random(value: &str) -> bool {
    const LONG: usize = 20;
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|b| kind(&b));
    value.len() >= LONG
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(&b))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
}

/// A common word, or a number: a limit of tokens, a time per token. Eight digits and more may be a password.
fn is_everyday(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let number = value.parse::<f64>().is_ok();
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    COMMON.contains(&lower.as_str()) || (number && !(digits && value.len() >= MIN_CHARS_HINTED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b12_l18_names_that_say_plainly_what_they_hold() {
        for name in [
            "FOO_TOKEN",
            "TOKEN",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "HF_TOKEN",
            "ACTIONS_RUNTIME_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "db-password",
            "PGPASSWORD",
            "MYSQL_PWD",
            "INFX_FRONTEND_PAT",
            "SENTRY_DSN",
            "npm_config__authToken",
            "CLIENT_SECRET",
            "CLIENT_SECRET_2",
            "TOKEN_PROD",
            "GCP_CREDENTIALS",
            "SSH_PASSPHRASE",
        ] {
            assert!(is_secret(name, "abcd"), "{name}");
            assert!(!is_secret(name, "abc"), "{name}");
        }
    }

    #[test]
    fn b12_l18_a_key_is_a_secret_when_the_name_or_the_value_says_so() {
        for name in
            ["OPENAI_API_KEY", "DEPLOY_KEY", "SSH_PRIVATE_KEY", "AWS_SECRET_ACCESS_KEY", "APIKEY", "STRIPE_APIKEY"]
        {
            assert!(is_secret(name, "abcd1234"), "{name}");
        }
        assert!(!is_secret("OPENAI_API_KEY", "abcd123"));
        assert!(is_secret("DD_KEY", "q8Zk2Lw93nVbTx71RrPd"));
        assert!(!is_secret("DD_KEY", "q8Zk2Lw93nVbTx71RrP"));
    }

    #[test]
    fn l18_names_of_the_field_are_no_secrets() {
        for (name, value) in [
            ("GITHUB_EVENT_KEY", "pull_request"),
            ("CONFIG_KEY", "dsr1-fp8-h200-dynamo-sglang"),
            ("CONFIG_KEYS", "dsr1-fp8-h200-dynamo-sglang"),
            ("POINT_KEY", "0123456789abcdef"),
            ("CACHE_KEY", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("SSH_PUBLIC_KEY", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA"),
            ("MAX_NUM_TOKENS", "163840000"),
            ("MAX_TOKEN", "16384000"),
            ("TOKENIZER", "deepseek-ai/DeepSeek-R1"),
            ("PAD_TOKEN", "<|endoftext|>"),
            ("TOKEN_FILE", "/run/secrets/token"),
            ("SECRET_NAME", "sweep-credentials"),
            ("ACTIONS_ID_TOKEN_REQUEST_URL", "https://pipelines.example/idtoken"),
            ("PWD", "/home/runner/work"),
            ("OLDPWD", "/home/runner"),
            ("PATH", "/usr/bin:/bin"),
            ("KEYBOARD", "us-intl-with-dead-keys"),
            ("MONKEY", "Abcdefghijklmnop1234567"),
            ("PATTERN", "dsr1-*-fp8"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }

    #[test]
    fn l18_common_words_and_numbers_are_no_secrets() {
        for value in
            ["", "1", "true", "True", "FALSE", "prod", "none", "EMPTY", "dummy", "8192", "1e5", "0.0123456789", "-12"]
        {
            assert!(!is_secret("X_TOKEN", value), "{value}");
        }
        for value in ["prod1", "12345678", "abcd", "a b c d"] {
            assert!(is_secret("X_TOKEN", value), "{value}");
        }
    }
}
