//! Calls within the tokens of a macro: the same questions as of any other call, as far as words
//! alone can answer them.

use std::collections::BTreeSet;

use super::super::around::{Holds, Home};
use super::super::flow::Flow;
use super::super::known_calls::is_harmless;
use super::super::tokens::{self, How, Written};
use super::super::tree::Tree;
use super::{Call, Calls};

impl<'s> Calls<'s> {
    pub(super) fn in_tokens(&self, tree: &Tree<'s>, flow: &Flow<'s>, at: usize) -> Option<Call> {
        let written = tokens::call(tree, at)?;
        let holds = self.of_written(tree, &written).filter(|holds| *holds != Holds::Nothing)?;
        let mut of = BTreeSet::from([written.root.to_owned(), written.name.to_owned()]);
        of.extend(flow.imported(written.root).cloned());
        Some(Call { holds, given: vec![written.whole], of })
    }

    fn of_written(&self, tree: &Tree<'s>, written: &Written<'s>) -> Option<Holds> {
        let (root, name) = (written.root, written.name);
        if is_harmless(tree.language, name) {
            return None;
        }
        if let Some(holds) = self.own.get(name).copied().filter(|_| self.around_allows(root)) {
            return Some(holds);
        }
        if written.how == How::Method {
            return self.of_helpers_trait(name);
        }
        if self.defined.contains(name) {
            return None;
        }
        if let Some(holds) = self.imported(root, name) {
            return Some(holds);
        }
        let is_foreign = matches!(self.home_of(root), Some((Home::Library, _)));
        let is_crate = root != name && matches!(self.around.homes.get(root), Some(Home::Library));
        if is_foreign || is_crate {
            return Some(Holds::Unreadable);
        }
        let is_macro = written.how == How::Macro;
        self.without_import(name).or(is_macro.then_some(Holds::Unreadable))
    }
}
