//! Which names may stand in a runner file. In: a name. Out: nothing, or why it is refused.

use crate::core::diag::{Code, Diagnostic};

/// Variables that change what later steps run: loaders, interpreters, shells, search paths. A value that a stranger can
/// influence must never reach them. Compared without regard to case, as Windows does.
const DANGEROUS: &[&str] = &[
    "ALL_PROXY",
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "CI",
    "CLASSPATH",
    "COMSPEC",
    "CURL_HOME",
    "ENV",
    "GLOBIGNORE",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PATHEXT",
    "PROMPT_COMMAND",
    "PS4",
    "PSMODULEPATH",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "SSLKEYLOGFILE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Families of such variables, among them those that the runner owns.
const DANGEROUS_FAMILIES: &[&str] = &[
    "ACTIONS_",
    "BASH_FUNC_",
    "DYLD_",
    "GIT_",
    "GITHUB_",
    "INPUT_",
    "LD_",
    "NPM_CONFIG_",
    "PERL5",
    "PYTHON",
    "RUNNER_",
];

/// Checks the name of an output or of a saved state: `[A-Za-z_][A-Za-z0-9_-]*`.
///
/// The runner takes more, but `=`, `<<` and line breaks would change how the file is read, and a name with a blank cannot
/// be used in an expression.
///
/// # Errors
///
/// [`Code::OutputName`].
pub fn check_output_name(name: &str) -> Result<(), Diagnostic> {
    if is_name(name, true) {
        return Ok(());
    }
    Err(refused(name).help("a name starts with a letter or `_` and goes on with letters, digits, `_` and `-`"))
}

/// Checks the name of a variable for later steps: `[A-Za-z_][A-Za-z0-9_]*`, and none that changes what they run.
///
/// # Errors
///
/// [`Code::OutputName`].
pub fn check_env_name(name: &str) -> Result<(), Diagnostic> {
    if !is_name(name, false) {
        return Err(
            refused(name).help("a variable starts with a letter or `_` and goes on with letters, digits and `_`")
        );
    }
    if is_dangerous(name) {
        return Err(refused(name).help(
            "it belongs to the runner or changes what later steps run; set it with `env:` in the workflow if it is meant",
        ));
    }
    Ok(())
}

fn is_name(name: &str, hyphen: bool) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || (hyphen && b == b'-'))
}

fn is_dangerous(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    DANGEROUS.contains(&name.as_str()) || DANGEROUS_FAMILIES.iter().any(|family| name.starts_with(family))
}

fn refused(name: &str) -> Diagnostic {
    Diagnostic::error(Code::OutputName, format!("the name `{}` is refused", shown(name)))
}

/// A foreign text as it may stand in a message: on one line, and not longer than one reads.
pub(super) fn shown(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l27_names_of_outputs_keep_to_the_grammar() {
        for name in ["a", "_", "A-b_9", "count", "single-node-count", "PATH", "GITHUB_TOKEN"] {
            assert!(check_output_name(name).is_ok(), "{name}");
        }
        for name in
            ["", "9a", "-a", "a b", "a ", " a", "a=b", "a<<b", "a\nb", "a\r", "é", "a.b", "a\u{feff}", "\u{feff}a"]
        {
            assert_eq!(check_output_name(name).unwrap_err().code, Code::OutputName, "{name:?}");
        }
    }

    #[test]
    fn b17_variables_that_change_later_steps_are_refused_in_any_case() {
        for name in [
            "NODE_OPTIONS",
            "node_options",
            "PATH",
            "Path",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "DYLD_INSERT_LIBRARIES",
            "BASH_ENV",
            "ENV",
            "BASH_FUNC_ls",
            "GITHUB_TOKEN",
            "GITHUB_ENV",
            "RUNNER_TEMP",
            "ACTIONS_RUNTIME_TOKEN",
            "INPUT_X",
            "GIT_SSH_COMMAND",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PERL5LIB",
            "IFS",
        ] {
            let refused = check_env_name(name).unwrap_err();
            assert_eq!(refused.code, Code::OutputName, "{name}");
            assert!(refused.help[0].contains("later steps"), "{name}");
        }
    }

    #[test]
    fn harmless_variables_pass_and_malformed_ones_do_not() {
        for name in ["SRTX_RULES", "MODEL", "PATHS", "ENVIRONMENT", "OLD_PATH", "LDFLAGS", "GITHUB", "_x"] {
            assert!(check_env_name(name).is_ok(), "{name}");
        }
        for name in ["", "a-b", "1A", "A B", "A=B", "A\nB"] {
            assert_eq!(check_env_name(name).unwrap_err().code, Code::OutputName, "{name:?}");
        }
    }

    #[test]
    fn a_name_is_shown_on_one_line_and_cut() {
        assert_eq!(check_output_name("a\n::error::b").unwrap_err().message, "the name `a\\n::error::b` is refused");
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
    }
}
