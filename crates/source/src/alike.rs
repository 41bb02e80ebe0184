//! Whether two expressions of a test are the same: written alike, or by variables that stand for the same.

use std::collections::HashMap;

use super::claim::Claim;
use super::tree::{Span, Tree, is_name};

/// What the variables of a test stand for where each is bound once and used in claims and conditions alone, so that
/// nothing can have changed the one and not the other.
pub(super) struct Alike<'s> {
    values: HashMap<&'s str, String>,
}

impl<'s> Alike<'s> {
    pub(super) fn of(tree: &Tree<'s>, body: &Span, claims: &[Claim]) -> Self {
        let mut bound: HashMap<&'s str, Vec<(usize, Span)>> = HashMap::new();
        for (name, value) in body.clone().filter_map(|at| binding(tree, at)) {
            bound.entry(tree.text(name)).or_default().push((name, tree.span(value)));
        }
        let mut looks: Vec<Span> = claims.iter().map(|claim| claim.whole.clone()).collect();
        looks.extend(body.clone().filter_map(|at| condition(tree, at)));
        looks.sort_by_key(|span| (span.start, span.end));
        for at in tree.tokens(body.clone()).filter(|at| is_name(tree.kind(*at))) {
            let is_binding = |of: &Vec<(usize, Span)>| of.iter().any(|(name, _)| *name == at);
            if bound.get(tree.text(at)).is_some_and(|of| of.len() > 1 || !is_binding(of))
                && !is_within(&looks, at)
            {
                bound.remove(tree.text(at));
            }
        }
        let values = bound.into_iter().filter_map(|(name, of)| match of.as_slice() {
            [(_, value)] => Some((name, plain(tree, value))),
            _ => None,
        });
        Self { values: values.collect() }
    }

    pub(super) fn are(&self, tree: &Tree<'s>, left: &Span, right: &Span) -> bool {
        self.words(tree, left) == self.words(tree, right)
    }

    fn words(&self, tree: &Tree<'s>, span: &Span) -> String {
        let word = |at: usize| match self.values.get(tree.text(at)) {
            Some(value) if is_name(tree.kind(at)) => value.as_str(),
            Some(_) | None => tree.text(at),
        };
        tree.tokens(span.clone()).map(word).collect::<Vec<_>>().join(" ")
    }
}

/// Spans are nested or apart, and sorted by where they begin.
fn is_within(spans: &[Span], at: usize) -> bool {
    let after = spans.partition_point(|span| span.start <= at);
    spans.get(..after).is_some_and(|before| before.iter().rev().take(NESTED).any(|span| span.contains(&at)))
}

/// Claims and conditions around each other that are looked through.
const NESTED: usize = 16;

/// The tokens of a span, whatever white space stands between them.
pub(super) fn plain(tree: &Tree<'_>, span: &Span) -> String {
    tree.tokens(span.clone()).map(|at| tree.text(at)).collect::<Vec<_>>().join(" ")
}

fn condition(tree: &Tree<'_>, at: usize) -> Option<Span> {
    let is_branch = matches!(tree.kind(at), "if_statement" | "if_expression");
    tree.child(at, "condition").filter(|_| is_branch).map(|condition| tree.span(condition))
}

/// A single name and what it is bound to.
fn binding(tree: &Tree<'_>, at: usize) -> Option<(usize, usize)> {
    let (name, value) = match tree.kind(at) {
        "let_declaration" => ("pattern", "value"),
        "variable_declarator" | "var_spec" => ("name", "value"),
        "assignment" | "assignment_expression" | "assignment_statement" | "short_var_declaration" => {
            ("left", "right")
        }
        _ => return None,
    };
    let single = |at: usize| match tree.kind(at) {
        "expression_list" => Some(tree.parts(at).collect::<Vec<_>>()).filter(|all| all.len() == 1)?.pop(),
        _ => Some(at),
    };
    let (name, value) = (single(tree.child(at, name)?)?, single(tree.child(at, value)?)?);
    (tree.is_leaf(name) && is_name(tree.kind(name))).then_some((name, value))
}
