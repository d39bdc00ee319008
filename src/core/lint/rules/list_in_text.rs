//! A list or an object inside a text: `'[${{ matrix.config.conc }}]'`.

use super::super::shape::shape_of;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Function, Node, NodeKind};

pub(super) const RULE: Rule = Rule { code: Code::ListInText, name: "list-in-text", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        let Ok(template) = &site.template else { continue };
        let is_whole = template.as_expression().is_some();
        for expression in template.expressions() {
            let Some(root) = expression.root() else { continue };
            let mut report = |node: Node<'_>| {
                let known = shape_of(repository, owner, site, node);
                if known.shape.is_collection() {
                    let message =
                        format!("{} inside a text becomes the word `{}`", known.shape.noun(), known.shape.word());
                    let name = node.text();
                    let diagnostic = Diagnostic::error(Code::ListInText, message)
                        .labelled(site.source(), site.locate(node.span()), known.because.clone())
                        .help(format!(
                            "write `${{{{ toJson({name}) }}}}` as the whole value, and read it with fromJson"
                        ));
                    found.push(diagnostic);
                }
            };
            if !is_whole {
                report(root);
            }
            // The arguments of format become text in the same way.
            for call in expression.nodes().filter(|node| matches!(node.kind(), NodeKind::Call(Function::Format))) {
                call.children().skip(1).for_each(&mut report);
            }
        }
    }
}
