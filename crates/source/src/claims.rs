//! Where a body has claims, in each language.

use super::claim::{Claim, Weight};
use super::tree::{Span, Tree};
use super::{Language, go, javascript, python, rust};

/// All claims of a span, outermost first; what stands inside one is part of it.
pub(super) fn claims(tree: &Tree<'_>, span: &Span) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let claim = match tree.language {
            Language::Rust => rust::claim(tree, at).or_else(|| rust::claim_in_tokens(tree, at)),
            Language::Python => python::claim(tree, at),
            Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::claim(tree, at),
            Language::Go => go::claim(tree, at),
        };
        match claim {
            Some(mut claim) => {
                claim.whole.end = claim.whole.end.max(tree.node(at).last);
                // A step may hold a claim inside it, and only then is that what counts.
                at = if claim.weight == Weight::Full { claim.whole.end } else { at + 1 };
                found.push(claim);
            }
            None => at += 1,
        }
    }
    found
}
