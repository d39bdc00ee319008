//! From the name of a runner to its launcher.

/// The launcher of a runner: the text before the first underscore, or the whole name where there is none.
pub fn launcher_of(runner_name: &str) -> &str {
    runner_name.split_once('_').map_or(runner_name, |(launcher, _)| launcher)
}

/// Where the script of a launcher stands in a repository that has its own.
pub fn launcher_script(launcher: &str) -> String {
    format!("runners/launch_{launcher}.sh")
}

/// The launchers of some runners, each once, in the order in which they first appear. A label may span several.
pub fn launchers_of<'r>(runner_names: impl IntoIterator<Item = &'r str>) -> Vec<&'r str> {
    let mut launchers = Vec::new();
    for name in runner_names {
        let launcher = launcher_of(name);
        if !launchers.contains(&launcher) {
            launchers.push(launcher);
        }
    }
    launchers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_what_stands_before_the_first_underscore() {
        assert_eq!(launcher_of("b200-dgxc_03"), "b200-dgxc");
        assert_eq!(launcher_of("gb300-nv_0_b"), "gb300-nv");
        assert_eq!(launcher_of("lone"), "lone");
        assert_eq!(launcher_of("_x"), "");
    }

    #[test]
    fn a_label_may_span_launchers() {
        assert_eq!(launchers_of(["a_1", "b_1", "a_2"]), ["a", "b"]);
        assert!(launchers_of([]).is_empty());
    }
}
