//! What a test's body holds: an expectation and what it looks at, or nothing but a failure.

use std::collections::BTreeSet;

use super::claim::{Claim, Says, Weight, callee, claims};
use super::flow::{Flow, is_function, is_plain};
use super::known_calls::{is_harmless, may_assert};
use super::literal::{self, Worth};
use super::plain::Plain;
use super::swallowed::is_swallowed;
use super::tree::{Span, Tree};
use super::{Declared, Language};

/// Whether a body expects something that can be seen to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    Yes,
    /// It expects nothing and calls nothing, or the grammar lost its way in it.
    No,
    /// Only in a recorded snapshot, and what was recorded does not stand in the body itself.
    Snapshot,
    /// It calls something and expects nothing that can be seen.
    Unknown,
}

/// What the body of a test holds (contract section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyFacts {
    pub expectation: Expectation,
    /// All names that its expectations look at, through variables, helpers of the same file,
    /// fixtures and imports; and those that are handed to what may hold an expectation elsewhere.
    pub looks_at: BTreeSet<String>,
    /// It fails whatever the code does.
    pub unconditional: bool,
    /// Assertions that hold whatever the code does, as they are written; and, if there is no other,
    /// those that only ask whether something is there.
    pub hollow: Vec<String>,
    /// What keeps it from running, as it is written.
    pub skipped: Option<String>,
}

/// All that is asked of one file, made once.
pub(super) struct Reading<'t, 's> {
    tree: &'t Tree<'s>,
    flow: Flow<'s>,
    /// Functions of the file that hold an expectation.
    asserting: BTreeSet<&'s str>,
}

/// A body, the first place in it that can end the test early, and the names that it alone decides.
struct Scene<'b, 's> {
    body: &'b Span,
    leaves: Option<usize>,
    plain: Plain<'s>,
}

/// Claims that say nothing of the code.
#[derive(Default)]
struct Silent {
    claims: Vec<Span>,
    /// The failure of one never reaches the runner.
    any_lost: bool,
    /// What one comes to was not worked out.
    any_unsure: bool,
}

/// For each node of a body whether one of these spans holds it.
fn covered<'a>(body: &Span, spans: impl Iterator<Item = &'a Span>) -> Vec<bool> {
    let mut edges = vec![0i32; body.len() + 1];
    for span in spans {
        let place = |at: usize| at.clamp(body.start, body.end) - body.start;
        edges[place(span.start)] += 1;
        edges[place(span.end)] -= 1;
    }
    let depth = edges.iter().scan(0, |depth, edge| {
        *depth += edge;
        Some(*depth > 0)
    });
    depth.take(body.len()).collect()
}

/// Characters of a hollow assertion that are shown.
const SHOWN: usize = 120;

impl<'t, 's> Reading<'t, 's> {
    pub(super) fn new(tree: &'t Tree<'s>, tests: &[Declared]) -> Self {
        let nodes: Vec<usize> = tests.iter().map(|test| test.node).collect();
        let flow = Flow::of(tree, &nodes);
        let mut reading = Self { tree, flow, asserting: BTreeSet::new() };
        reading.find_asserting();
        reading
    }

    /// A helper that calls one that asserts does so itself; few files nest them deeper than this.
    fn find_asserting(&mut self) {
        for _ in 0..8 {
            let mut found = BTreeSet::new();
            for (name, body) in self.flow.functions.iter().filter(|(name, _)| !self.asserting.contains(name))
            {
                let full =
                    |claim: &Claim| claim.weight == Weight::Full && !self.is_empty(claim, &Plain::default());
                let calls = |at: usize| self.calls_asserting(at);
                if claims(self.tree, body).iter().any(full) || body.clone().any(calls) {
                    found.insert(*name);
                }
            }
            if found.is_empty() {
                return;
            }
            self.asserting.extend(found);
        }
    }

    fn scene<'b>(&self, body: &'b Span, claims: &[Claim]) -> Scene<'b, 's> {
        let leaves = body.clone().find(|at| self.ends_early(*at, body));
        let mut scene = Scene { body, leaves, plain: Plain::default() };
        let is_sure = |value: &Span| {
            let binding = self.tree.node(value.start).parent;
            body.contains(&binding) && self.conditions(&self.tree.span(binding), &scene).is_empty()
        };
        let plain = Plain::of(self.tree, &self.flow, body, claims, is_sure);
        scene.plain = plain;
        scene
    }

    fn calls_asserting(&self, at: usize) -> bool {
        let last = |name: &String| self.asserting.contains(name.rsplit('.').next().unwrap_or_default());
        callee(self.tree, at).as_ref().is_some_and(last)
    }

    pub(super) fn facts(&self, test: &Declared) -> BodyFacts {
        let body = &test.body;
        let claims = claims(self.tree, body);
        let scene = self.scene(body, &claims);
        let mut spans: Vec<Span> = Vec::new();
        let (mut real, mut full): (Vec<Claim>, usize) = (Vec::new(), 0);
        let mut silent = Silent::default();
        let mut facts = BodyFacts {
            expectation: Expectation::No,
            looks_at: BTreeSet::new(),
            unconditional: false,
            hollow: Vec::new(),
            skipped: test.skipped.clone(),
        };
        let claimed = covered(body, claims.iter().map(|claim| &claim.whole));
        for claim in claims {
            facts.unconditional |= !test.expects_failure && self.is_doomed(&claim, &scene);
            let lost = is_swallowed(self.tree, &claim.whole, body);
            if lost || self.is_empty(&claim, &scene.plain) {
                facts.hollow.push(self.shown(&claim));
                silent.any_lost |= lost;
                silent.any_unsure |= !lost && self.forced(&claim, &scene.plain) == Some(Worth::Some);
                silent.claims.push(claim.whole);
                continue;
            }
            let around = self.conditions(&claim.whole, &scene);
            if claim.says == Says::Fails && around.iter().all(|span| self.is_closed(span, &scene)) {
                silent.any_unsure |= !around.is_empty();
                silent.claims.push(claim.whole);
                continue;
            }
            spans.extend(around);
            spans.extend(claim.subjects.iter().cloned());
            full += usize::from(claim.weight == Weight::Full);
            real.push(claim);
        }
        // What is a claim by its own name is weighed as that.
        for at in body.clone().filter(|at| !claimed[at - body.start] && self.calls_asserting(*at)) {
            spans.push(self.tree.span(at));
            spans.extend(self.conditions(&self.tree.span(at), &scene));
            real.push(Claim::holds("a helper", at, Vec::new()));
            full += 1;
        }
        if test.expects_failure || self.prints_what_is_expected(test) {
            spans.push(body.clone());
            real.push(Claim::holds("the whole body", body.start, Vec::new()));
            full += 1;
        }
        if facts.hollow.is_empty() && full > 0 && real.iter().all(|claim| self.is_thin(claim)) {
            facts.hollow.extend(real.iter().map(|claim| self.shown(claim)));
        }
        facts.expectation = self.expectation(&real, body, &mut spans, &silent);
        // It calls nothing and looks at nothing but itself, so that it is red for ever if it is red.
        let is_closed = facts.expectation == Expectation::No && !self.tree.is_torn(body);
        facts.unconditional |= is_closed && silent.any_unsure && !test.expects_failure;
        facts.looks_at = self.flow.closure(self.tree, spans);
        facts
    }

    fn expectation(
        &self,
        real: &[Claim],
        body: &Span,
        spans: &mut Vec<Span>,
        silent: &Silent,
    ) -> Expectation {
        let mut expects = real.iter().filter(|claim| claim.weight == Weight::Full).peekable();
        if expects.peek().is_some() && expects.all(|claim| self.is_unrecorded(claim)) {
            return Expectation::Snapshot;
        }
        if !real.is_empty() {
            return Expectation::Yes;
        }
        if self.tree.is_torn(body) {
            return Expectation::No;
        }
        let hollow = covered(body, silent.claims.iter());
        let (mut calls, mut asks) = (false, false);
        for at in body.clone().filter(|at| !hollow[at - body.start]) {
            let Some(name) = callee(self.tree, at) else { continue };
            if is_harmless(self.tree.language, &name) {
                continue;
            }
            calls = true;
            if may_assert(self.tree, at, &name) {
                asks = true;
                spans.extend(self.handed(at));
            }
        }
        // Where it meant to expect something and lets nobody know, a call alone is no expectation.
        if calls && (asks || !silent.any_lost) { Expectation::Unknown } else { Expectation::No }
    }

    /// What a call is given, without its own name.
    fn handed(&self, call: usize) -> Option<Span> {
        let list =
            self.tree.child(call, "arguments").or_else(|| self.tree.child_of_kind(call, "token_tree"))?;
        Some(self.tree.span(list))
    }

    /// No code but the test's own decides what this comes to.
    fn is_closed(&self, span: &Span, scene: &Scene<'_, '_>) -> bool {
        literal::tokens(self.tree, span, &scene.plain).is_some()
    }

    /// It looks at nothing that any code could change.
    fn is_empty(&self, claim: &Claim, plain: &Plain<'_>) -> bool {
        if claim.says == Says::Fails {
            return false;
        }
        let literal = |span: &Span| literal::worth(self.tree, span, plain).is_some();
        if claim.subjects.iter().all(literal) {
            // One that always fails says something where it stands, behind a condition.
            return self.forced(claim, plain) != Some(Worth::False);
        }
        if let (Says::Holds, [subject]) = (claim.says, claim.subjects.as_slice())
            && self.is_true_anyway(subject)
        {
            return true;
        }
        let sides = self.sides(claim);
        sides.is_some_and(|(left, right)| {
            let (left, right) = (self.condensed(&left), self.condensed(&right));
            left == right && !left.contains('(')
        })
    }

    /// A tuple that holds something (`assert (got, want)`), or one side of an `or` that is true.
    fn is_true_anyway(&self, subject: &Span) -> bool {
        let text = self.condensed(subject);
        let is_tuple = self.tree.kind(subject.start) == "tuple" && text.contains(',');
        let last = ["or True", "or 1", "|| true"].iter().any(|tail| text.ends_with(&format!(" {tail}")));
        let first = ["True or", "1 or", "true ||"].iter().any(|head| text.starts_with(&format!("{head} ")));
        is_tuple || last || first
    }

    fn condensed(&self, span: &Span) -> String {
        self.tree.tokens(span.clone()).map(|at| self.tree.text(at)).collect::<Vec<_>>().join(" ")
    }

    /// The two sides that a claim compares for being equal.
    fn sides(&self, claim: &Claim) -> Option<(Span, Span)> {
        if let (Says::Compares, [left, right, ..]) = (claim.says, claim.subjects.as_slice()) {
            return Some((left.clone(), right.clone()));
        }
        let [subject] = claim.subjects.as_slice() else { return None };
        let is_comparison =
            matches!(self.tree.kind(subject.start), "comparison_operator" | "binary_expression");
        let parts: Vec<usize> = self.tree.children(subject.start).collect();
        let in_tokens: Vec<usize> = self.tree.siblings(subject.clone()).collect();
        let sides = if is_comparison { parts } else { in_tokens };
        let sign = sides.iter().position(|at| matches!(self.tree.text(*at), "==" | "==="))?;
        let (first, last) = (*sides.first()?, *sides.last()?);
        let left = first..self.tree.node(*sides.get(sign.checked_sub(1)?)?).last;
        Some((left, *sides.get(sign + 1)?..self.tree.node(last).last))
    }

    /// What a claim about literals alone comes to.
    fn forced(&self, claim: &Claim, plain: &Plain<'_>) -> Option<Worth> {
        let negative = ["not", "Not", "_ne", "False", "falsy", "Falsy", "isFalse"];
        let is_negative = negative.iter().any(|word| claim.name.contains(word));
        let worth = match (claim.says, claim.subjects.as_slice()) {
            (Says::Compares, [left, right, ..]) => literal::are_equal(self.tree, left, right, plain)?,
            (Says::Holds, [subject]) if !claim.name.contains("None") && !claim.name.contains("Nil") => {
                literal::worth(self.tree, subject, plain)?
            }
            _ => return None,
        };
        Some(match (worth, is_negative) {
            (Worth::True, true) => Worth::False,
            (Worth::False, true) => Worth::True,
            (worth, _) => worth,
        })
    }

    fn is_doomed(&self, claim: &Claim, scene: &Scene<'_, '_>) -> bool {
        let fails = claim.says == Says::Fails || self.forced(claim, &scene.plain) == Some(Worth::False);
        fails && self.conditions(&claim.whole, scene).is_empty()
    }

    /// Everything that decides whether this place is reached: the heads of what stands around it,
    /// and all before it if that can end the test early.
    fn conditions(&self, place: &Span, scene: &Scene<'_, '_>) -> Vec<Span> {
        let (at, body) = (place.start, scene.body);
        let mut found = Vec::new();
        for around in self.tree.ancestors(at).take_while(|around| *around >= body.start) {
            if !is_plain(self.tree.kind(around)) {
                found.push(around + 1..at);
            }
        }
        if scene.leaves.is_some_and(|leaves| leaves < at) {
            found.push(body.start..at);
        }
        found
    }

    fn ends_early(&self, at: usize, body: &Span) -> bool {
        let leaves = match self.tree.kind(at) {
            "return_statement" | "return_expression" | "break_expression" | "yield" => true,
            "call" | "call_expression" | "macro_invocation" => callee(self.tree, at).is_some_and(|name| {
                let last = name.rsplit('.').next().unwrap_or_default();
                matches!(
                    last,
                    "skip" | "Skip" | "Skipf" | "SkipNow" | "skipTest" | "exit" | "_exit" | "importorskip"
                )
            }),
            _ => false,
        };
        leaves
            && !self
                .tree
                .ancestors(at)
                .take_while(|around| *around >= body.start)
                .any(|around| is_function(self.tree.kind(around)))
    }

    /// It asks only whether something is there.
    fn is_thin(&self, claim: &Claim) -> bool {
        let text = self.condensed(&claim.whole);
        let names = ["assertIsNotNone", "toBeDefined", "NotNil", "isDefined", "exists"];
        text.ends_with("is not None")
            || names.iter().any(|name| claim.name.contains(name))
            || (claim.name == "toBeNull" && text.contains("not"))
            || (claim.name == "assert"
                && (text.ends_with(". is_some ( ) )") || text.ends_with(". is_ok ( ) )")))
    }

    /// A comparison with what an earlier run recorded, unless it stands in the source.
    fn is_unrecorded(&self, claim: &Claim) -> bool {
        let names = claim.subjects.iter().flat_map(|span| self.tree.tokens(span.clone()));
        let mut names = names.map(|at| self.tree.text(at));
        let python = self.tree.language == Language::Python && names.any(|name| name == "snapshot");
        if !(python || claim.name.contains("napshot")) {
            return false;
        }
        let texts: Vec<&str> = claim.whole.clone().map(|at| self.tree.text(at)).collect();
        let recorded =
            |text: &&str| text.len() > 2 && text.starts_with(['"', '\'', '`', 'r']) && *text != "r\"\"";
        let insta = texts.windows(2).any(|pair| pair[0] == "@" && recorded(&pair[1]));
        let inline = claim.name.contains("Inline")
            && claim.subjects.get(1).is_some_and(|span| self.tree.span_text(span).len() > 2);
        !(insta || inline)
    }

    /// A Go example: its comment says what it must print.
    fn prints_what_is_expected(&self, test: &Declared) -> bool {
        self.tree.language == Language::Go && test.name.starts_with("Example")
    }

    fn shown(&self, claim: &Claim) -> String {
        let text = self.tree.span_text(&claim.whole);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(SHOWN).collect()
    }
}
