//! Names of one test that nothing but its own literals can decide.
//!
//! ```text
//! plain = a name that is bound in the test, always by literals and plain names, wherever the
//!         test goes; that is given to no call, changed in no other way, and shared with no
//!         other function
//! ```
//!
//! Where anything is in doubt a name is not plain: a test that looks at the code must not be taken
//! for one that does not.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::{Claim, Says};
use super::flow::Flow;
use super::tree::{Span, Tree, is_function, is_name, is_string};

/// The plain names of a test, and what those come to that are bound once.
#[derive(Debug, Default)]
pub(super) struct Plain<'s> {
    names: BTreeMap<&'s str, Option<Vec<&'s str>>>,
}

/// Names within names that are looked through.
const ROUNDS: usize = 8;

/// Claims within steps that are looked through.
const STEPS: usize = 8;

/// Nodes of a body that is read so closely.
const BODY_CAP: usize = 100_000;

impl<'s> Plain<'s> {
    /// `is_sure` says whether a place of the body is always reached.
    pub(super) fn of(
        tree: &Tree<'s>,
        flow: &Flow<'s>,
        body: &Span,
        claims: &[Claim],
        is_sure: impl Fn(&Span) -> bool,
    ) -> Self {
        if body.len() > BODY_CAP {
            return Self::default();
        }
        let opened = Opened::of(tree, body);
        let mut spoilt: BTreeSet<&'s str> = BTreeSet::new();
        let mut values: BTreeMap<&'s str, Vec<Span>> = BTreeMap::new();
        for at in body.clone().filter(|at| tree.kind(*at) == "identifier") {
            let name = tree.text(at);
            if spoilt.contains(name) {
                continue;
            }
            let from = looked_at_from(tree, claims, at).unwrap_or(body.start);
            if opened.is_open(tree, at, from) {
                spoilt.insert(name);
            } else if !values.contains_key(name) {
                // What a claim is given it only looks at.
                let is_claim = |value: &&Span| {
                    claims.binary_search_by_key(&value.start, |claim| claim.whole.start).is_ok()
                };
                let bound = flow.bound_in_test(name, body.start).iter();
                let bound: Vec<Span> = bound.filter(|value| !is_claim(value)).cloned().collect();
                if bound.is_empty() || !bound.iter().all(&is_sure) {
                    spoilt.insert(name);
                } else {
                    values.insert(name, bound);
                }
            }
        }
        values.retain(|name, _| !spoilt.contains(name));
        let mut plain = Self::default();
        for _ in 0..ROUNDS {
            let mut found = BTreeMap::new();
            for (name, spans) in values.iter().filter(|(name, _)| !plain.names.contains_key(*name)) {
                let all: Option<Vec<_>> = spans.iter().map(|span| tokens(tree, span, &plain)).collect();
                let Some(mut all) = all else { continue };
                let once = all.len() == 1 && spans.iter().all(|span| is_of_one_name(tree, span, name));
                found.insert(*name, all.pop().filter(|_| once));
            }
            if found.is_empty() {
                break;
            }
            plain.names.extend(found);
        }
        plain
    }

    /// What a name stands for: literals, or marks that say nothing of it. `None` if it is not plain.
    pub(super) fn tokens_of(&self, name: &str) -> Option<&[&'s str]> {
        let known = self.names.get(name)?;
        Some(known.as_deref().unwrap_or(&["?", "?"]))
    }
}

/// The words of an expression, plain names by what they stand for.
pub(super) fn tokens<'s>(tree: &Tree<'s>, span: &Span, plain: &Plain<'s>) -> Option<Vec<&'s str>> {
    let mut found = Vec::new();
    for at in tree.tokens(span.clone()) {
        let kind = tree.kind(at);
        let word = tree.text(at);
        let constant = matches!(word, "undefined" | "NaN" | "nil" | "true" | "false" | "Infinity");
        if let Some(value) = plain.tokens_of(word).filter(|_| kind == "identifier") {
            found.extend(value);
            continue;
        }
        if (is_name(kind) && !constant) || matches!(kind, "self" | "this" | "super" | "crate") {
            return None;
        }
        // A prefix may make anything of a string, and code may stand in it.
        if is_string(kind) && word.starts_with(char::is_alphabetic) && !word.starts_with(['r', 'b', 'u']) {
            return None;
        }
        found.push(word);
    }
    (!found.is_empty()).then_some(found)
}

/// For each node of a body the nearest one that opens what stands in it: itself, or one around it.
struct Opened {
    start: usize,
    nearest: Vec<Option<usize>>,
}

impl Opened {
    fn of(tree: &Tree<'_>, body: &Span) -> Self {
        let mut opened = Self { start: body.start, nearest: Vec::with_capacity(body.len()) };
        for at in body.clone() {
            // A node stands behind its parent, so what is around that is known.
            let nearest = if opens(tree, at) { Some(at) } else { opened.nearest(tree.node(at).parent) };
            opened.nearest.push(nearest);
        }
        opened
    }

    fn nearest(&self, at: usize) -> Option<usize> {
        self.nearest.get(at.checked_sub(self.start)?).copied().flatten()
    }

    /// Whether a node around this one opens it and begins at `from` or later.
    fn is_open(&self, tree: &Tree<'_>, at: usize, from: usize) -> bool {
        self.nearest(tree.node(at).parent).is_some_and(|nearest| nearest >= from)
    }
}

/// Where the part of a claim begins that holds this place, be it what it looks at or what it tells
/// a person.
fn looked_at_from(tree: &Tree<'_>, claims: &[Claim], at: usize) -> Option<usize> {
    let begun = claims.partition_point(|claim| claim.whole.start <= at);
    // Steps may hold a claim inside them, and are listed before it.
    let mut around = claims[..begun].iter().rev().take(STEPS);
    let claim = around.find(|claim| claim.whole.contains(&at))?;
    if let Some(subject) = claim.subjects.iter().find(|subject| subject.contains(&at)) {
        return Some(subject.start);
    }
    let tells = claim.says == Says::Fails || tree.kind(claim.whole.start) == "macro_invocation";
    tells.then_some(at)
}

/// Whether what stands in this node may be changed or seen by others.
fn opens(tree: &Tree<'_>, at: usize) -> bool {
    let kind = tree.kind(at);
    is_function(kind)
        || matches!(
            kind,
            "call"
                | "call_expression"
                | "new_expression"
                | "macro_invocation"
                | "token_tree"
                | "reference_expression"
                | "attribute"
                | "member_expression"
                | "field_expression"
                | "selector_expression"
                | "subscript"
                | "subscript_expression"
                | "index_expression"
                | "update_expression"
                | "inc_statement"
                | "dec_statement"
                | "global_statement"
                | "nonlocal_statement"
                | "parameters"
        )
        || (kind == "unary_expression" && tree.text(at).starts_with('&'))
}

/// `x = 1`, not `x, y = "ab"`.
fn is_of_one_name(tree: &Tree<'_>, value: &Span, name: &str) -> bool {
    let binding = tree.node(value.start).parent;
    let left = ["left", "name", "pattern"].iter().find_map(|field| tree.child(binding, field));
    left.is_some_and(|left| tree.text(left) == name)
}
