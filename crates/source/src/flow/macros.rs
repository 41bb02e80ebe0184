//! Rust: what statements among the tokens of a macro bind, where the grammar sees no statement
//! (`proptest! { … let two = twice(n); … }`).

use super::Flow;
use crate::Language;
use crate::tokens;
use crate::tree::Tree;

/// Tokens of one statement.
const STATEMENT_CAP: usize = 500;

impl<'s> Flow<'s> {
    /// What a statement binds or changes (`let two = twice(n);`, `for n in all {`,
    /// `cart.add(n);`).
    pub(super) fn take_tokens(&mut self, tree: &Tree<'s>, at: usize) {
        if tree.language != Language::Rust || !tokens::is_in_tokens(tree, at) {
            return;
        }
        let end = tree.node(tree.node(at).parent).last;
        let rest = || tree.siblings(tree.node(at).last..end).take(STATEMENT_CAP);
        let joint = match tree.text(at) {
            "let" => "=",
            "for" => "in",
            _ => return self.touch_in_tokens(tree, at, rest()),
        };
        let rest: Vec<usize> = rest().take_while(|place| tree.text(*place) != ";").collect();
        let Some(middle) = rest.iter().position(|place| tree.text(*place) == joint) else { return };
        if let (Some(first), Some(last)) = (rest.get(middle + 1), rest.last()) {
            let names = tree.node(at).last..tree.node(rest[middle]).last;
            self.bind(tree, &names, *first..tree.node(*last).last);
        }
    }

    /// The same as [`Self::touch`] for the first word of a statement.
    fn touch_in_tokens(&mut self, tree: &Tree<'s>, at: usize, mut rest: impl Iterator<Item = usize>) {
        let before = tree.node(at).before;
        let is_first =
            before == at || matches!(tree.text(before), ";" | "{" | "}") || tree.kind(before) == "token_tree";
        let is_known = || self.sources.contains_key(&(tree.text(at), self.owner(at)));
        if tree.kind(at) != "identifier" || !is_first || !is_known() {
            return;
        }
        // `cart.add(n);`
        if rest.next().is_some_and(|next| tree.text(next) == ".")
            && let Some(last) = rest.take_while(|place| tree.text(*place) != ";").last()
        {
            self.bind(tree, &(at..at + 1), at..tree.node(last).last);
        }
    }
}
