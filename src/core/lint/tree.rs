//! The files of a checkout that anybody may ask for.

use std::sync::Arc;

use crate::core::diag::{Diagnostic, Source};

/// The named texts of one checkout. Names are relative to its root, with slashes.
#[derive(Debug, Default)]
pub struct Tree {
    /// Texts that were read, by name in ascending order.
    pub files: Vec<Arc<Source>>,
    /// The names of all files, also of those that nobody reads, in ascending order.
    pub names: Vec<String>,
    /// What is to be said of files that should have been read and could not be.
    pub unread: Vec<Diagnostic>,
    /// The names of files that are links to others, in ascending order.
    pub links: Vec<String>,
}

/// What a file is for, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A workflow.
    Workflow,
    /// The manifest of an action.
    Action,
    /// A master config.
    Master,
    /// The runner file.
    Runners,
    /// A recipe of srt-slurm.
    Recipe,
    /// A shell script.
    Shell,
    /// A Python script.
    Python,
    /// A script by its first line only, if it is one.
    PerhapsScript,
    /// Another text that may name variables: a template, a build file, a setting.
    Text,
}

/// The folders in which configs are looked for.
const CONFIG_FOLDERS: [&str; 2] = ["configs/", ".github/configs/"];

/// What a file is for; `None` for what no rule reads.
pub fn role_of(name: &str) -> Option<Role> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let is_yaml = base.ends_with(".yml") || base.ends_with(".yaml");
    if is_yaml && below(name, ".github/workflows/").is_some_and(|rest| !rest.contains('/')) {
        return Some(Role::Workflow);
    }
    if matches!(base, "action.yml" | "action.yaml") {
        return Some(Role::Action);
    }
    let config = CONFIG_FOLDERS.iter().find_map(|folder| below(name, folder)).filter(|rest| !rest.contains('/'));
    if let Some(config) = config.filter(|_| is_yaml) {
        if matches!(config, "runners.yaml" | "runners.yml") {
            return Some(Role::Runners);
        }
        if config.contains("master") {
            return Some(Role::Master);
        }
    }
    if is_yaml && name.split('/').rev().skip(1).any(|folder| matches!(folder, "recipes" | "srt-slurm-recipes")) {
        return Some(Role::Recipe);
    }
    if base.starts_with("Dockerfile") || matches!(base, "Makefile" | "Containerfile") {
        return Some(Role::Text);
    }
    match base.rsplit_once('.') {
        Some((_, "yml" | "yaml" | "j2" | "jinja" | "tmpl" | "env" | "mk")) => Some(Role::Text),
        Some((_, "sh" | "bash")) => Some(Role::Shell),
        Some((_, "py")) => Some(Role::Python),
        None => Some(Role::PerhapsScript),
        Some(_) => None,
    }
}

fn below<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    name.strip_prefix(folder)
}

impl Tree {
    /// A tree of these files and no others.
    pub fn new(mut files: Vec<Arc<Source>>) -> Self {
        files.sort_by(|a, b| a.name().cmp(b.name()));
        let names = files.iter().map(|file| file.name().to_owned()).collect();
        Self { files, names, unread: Vec::new(), links: Vec::new() }
    }

    /// Whether the checkout has a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }
}
