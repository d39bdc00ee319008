//! Labels, runners and launchers, as far as the files name them. Nothing here is validated: one wrong line of a runner file
//! must not hide what the others say.

use super::Repository;
use crate::core::yaml::NodeRef;

/// The folder and the start of the names of launchers.
pub(super) const LAUNCHER: &str = "runners/launch_";

/// A label of the runner file.
pub(super) struct Label<'d> {
    /// Its name.
    pub(super) name: &'d str,
    /// The runners that carry it, and where each is named.
    pub(super) runners: Vec<(&'d str, NodeRef<'d>)>,
}

/// The labels of the runner file, in its order; none without one.
pub(super) fn labels<'d>(repository: &Repository<'d>) -> Vec<Label<'d>> {
    let root = repository.runners_document().and_then(|document| document.root());
    let labels = root.and_then(|root| root.get("labels")).into_iter().flat_map(NodeRef::entries);
    labels
        .filter_map(|(key, list)| {
            let runners = list.items().filter_map(|item| Some((item.scalar_text()?, item)));
            Some(Label { name: key.scalar_text()?, runners: runners.collect() })
        })
        .collect()
}

/// The configs that name a runner: the label, and where it stands.
pub(super) fn runners_of_configs<'d>(repository: &Repository<'d>) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
    let documents = repository.master_documents().iter();
    let configs = documents.filter_map(|document| document.root()).flat_map(NodeRef::entries);
    configs.filter_map(|(_, config)| config.get("runner")).filter_map(|node| Some((node.as_str()?, node)))
}

/// The launchers of the checkout: file name and prefix.
pub(super) fn launchers<'d>(repository: &Repository<'d>) -> impl Iterator<Item = (&'d str, &'d str)> {
    repository.file_names().iter().filter_map(|name| {
        let prefix = name.strip_prefix(LAUNCHER)?.strip_suffix(".sh")?;
        (!prefix.is_empty() && !prefix.contains('/')).then_some((name.as_str(), prefix))
    })
}

/// The part of a runner's name that picks its launcher: all before the first underscore.
pub(super) fn prefix(runner: &str) -> &str {
    runner.split('_').next().unwrap_or(runner)
}
