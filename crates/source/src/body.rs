//! What a test's body holds: an expectation and what it looks at, or nothing but a failure.

use std::collections::BTreeSet;

mod effects;
mod empty;
mod file;
mod reached;

use super::alike::Alike;
use super::around::{Around, Holds};
use super::calls::{Call, Calls};
use super::claim::{Claim, Says, Weight, callee};
use super::claims::claims;
use super::doubtful::is_doubtful;
use super::flow::Flow;
use super::known_calls::is_harmless;
use super::literal::Worth;
use super::plain::{Plain, tokens};
use super::swallowed::is_swallowed;
use super::tree::{Span, Tree, fold};
use super::undefined::Unbound;
use super::{Declared, Language, go};

/// Whether a body expects something that can be seen to fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expectation {
    Yes,
    /// It expects nothing and calls nothing, or the grammar lost its way in it.
    #[default]
    No,
    /// Only in a recorded snapshot, and what was recorded does not stand in the body itself.
    Snapshot,
    /// It calls something and expects nothing that can be seen.
    Unknown,
}

/// A call that may hold an expectation of what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub what: String,
    /// Names of whoever is called, and of where they come from: what they make is not looked at.
    pub of: BTreeSet<String>,
    /// All names that it is given, through variables, fixtures and imports.
    pub given: BTreeSet<String>,
}

/// What the body of a test holds (contract section 7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyFacts {
    pub expectation: Expectation,
    /// All names that its expectations look at, through variables, helpers of the same file, fixtures and imports.
    pub looks_at: BTreeSet<String>,
    /// Calls that may hold an expectation that can't be read.
    pub asks: Vec<Ask>,
    /// Among them is one that lives only in a recorded snapshot.
    pub on_record: bool,
    /// It fails whatever the code does.
    pub unconditional: bool,
    /// Assertions that hold whatever the code does, as they are written; if there is no other, those that only ask for presence.
    pub vacuous: Vec<String>,
    /// What keeps it from running, as it is written.
    pub skipped: Option<String>,
    /// Whether its text says so at all, of a row, say.
    pub may_skip: bool,
    /// The line on which it begins.
    pub line: u32,
    /// A name that it uses and that stands for nothing, and its line: then it fails whatever the code does.
    pub undefined: Option<(String, u32)>,
}

/// All that is asked of one file, made once.
pub(super) struct Reading<'t, 's> {
    tree: &'t Tree<'s>,
    flow: Flow<'s>,
    calls: Calls<'s>,
    unbound: Unbound<'s>,
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

/// Expectations of one test whose shape is looked at.
const MOST_DOUBTED: usize = 200;

/// Calls of one test that may expect something.
const MOST_ASKS: usize = 16;

/// Characters of a vacuous assertion that are shown.
const SHOWN: usize = 120;

impl<'t, 's> Reading<'t, 's> {
    pub(super) fn new(tree: &'t Tree<'s>, tests: &[Declared], around: &Around) -> Self {
        let nodes: Vec<usize> = tests.iter().map(|test| test.node).collect();
        let flow = Flow::of(tree, &nodes);
        let mut calls = Calls::of(tree, &flow, around);
        let reading = Self { tree, flow, calls: Calls::default(), unbound: Unbound::of(tree) };
        calls.learn(tree, &reading.flow, |claim| reading.is_empty(claim, &Plain::default()));
        Self { calls, ..reading }
    }

    /// The functions of the file, and what each is to a test that calls it.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&'s str, Holds)> + '_ {
        self.calls.functions()
    }

    /// Of these, those that are called on something (Rust).
    pub(super) fn methods(&self) -> impl Iterator<Item = (&'s str, Holds)> + '_ {
        self.calls.functions().filter(|(name, _)| self.flow.methods.contains(name))
    }

    fn scene<'b>(&self, body: &'b Span, claims: &[Claim]) -> Scene<'b, 's> {
        let leaves = body.clone().find(|at| self.ends_early(*at, body));
        let leaves = leaves.into_iter().chain(go::first_call_that_may_panic(self.tree, body)).min();
        let mut scene = Scene { body, leaves, plain: Plain::default() };
        let is_sure = |value: &Span| {
            let binding = self.tree.node(value.start).parent;
            body.contains(&binding) && self.conditions(&self.tree.span(binding), &scene).is_empty()
        };
        let plain = Plain::of(self.tree, &self.flow, body, claims, is_sure);
        scene.plain = plain;
        scene
    }

    pub(super) fn facts(&self, test: &Declared) -> BodyFacts {
        let (body, claims) = (&test.body, claims(self.tree, &test.body));
        let scene = self.scene(body, &claims);
        let alike = Alike::of(self.tree, body, &claims);
        let mut spans: Vec<Span> = Vec::new();
        let (mut real, mut looks): (Vec<Claim>, Vec<(Span, Vec<Span>)>) = (Vec::new(), Vec::new());
        let (mut silent, mut doubtful) = (Silent::default(), Vec::new());
        let mut facts =
            BodyFacts { expectation: Expectation::No, skipped: test.skipped.clone(), ..BodyFacts::default() };
        let claimed = covered(body, claims.iter().map(|claim| &claim.whole));
        for claim in claims {
            facts.unconditional |= !test.expects_failure && self.is_doomed(&claim, &scene);
            let lost = is_swallowed(self.tree, &claim.whole, body);
            if lost || self.is_empty(&claim, &scene.plain) {
                facts.vacuous.push(self.shown(&claim));
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
            // Each is compared with the whole body, and a person reads no more of them.
            if real.len() < MOST_DOUBTED && self.is_doubtful(&claim, body, &alike) {
                doubtful.push(self.shown(&claim));
            }
            let subjects = self.subjects(&claim, around);
            spans.extend(subjects.iter().cloned());
            if claim.weight == Weight::Full {
                facts.on_record |= self.is_unrecorded(&claim);
                looks.push((claim.whole.clone(), subjects));
            }
            real.push(claim);
        }
        for call in self.classify_calls(body, &claimed, &mut facts, &mut silent) {
            let subjects: Vec<Span> =
                self.conditions(&call.0, &scene).into_iter().chain(call.1.given).collect();
            spans.extend(subjects.iter().cloned());
            real.push(Claim::holds("a helper", call.0.start, Vec::new()));
            looks.push((call.0, subjects));
        }
        let prints = go::prints_what_is_expected(self.tree, test);
        if test.expects_failure || prints {
            spans.push(body.clone());
            real.push(Claim::holds("the whole body", body.start, Vec::new()));
            looks.push((body.clone(), Vec::new()));
        }
        self.doubt(&mut facts, (&real, !looks.is_empty()), doubtful);
        facts.vacuous.retain(|_| !prints);
        facts.expectation = self.expectation(&real, body, &facts.asks, &silent);
        // It calls nothing and looks at nothing but itself, so that it is red for ever if it is red.
        let is_closed = facts.expectation == Expectation::No && !self.tree.is_torn(body);
        facts.unconditional |= is_closed && silent.any_unsure && !test.expects_failure;
        spans.extend(self.effects(body, &looks));
        facts.looks_at = self.flow.closure(self.tree, spans);
        facts.line = self.tree.line(test.node);
        facts.undefined = self.undefined(body);
        facts
    }

    /// Assertions that hold whatever the code does, or hardly look.
    fn doubt(&self, facts: &mut BodyFacts, (real, looks): (&[Claim], bool), doubtful: Vec<String>) {
        let is_thin = facts.vacuous.is_empty() && looks && real.iter().all(|claim| self.is_thin(claim));
        facts.vacuous.extend(real.iter().filter(|_| is_thin).map(|claim| self.shown(claim)));
        facts.vacuous.extend(doubtful);
    }

    /// What a claim looks at, beside what stands around it.
    fn subjects(&self, claim: &Claim, around: Vec<Span>) -> Vec<Span> {
        around
            .into_iter()
            .chain(claim.subjects.iter().cloned())
            .chain(self.own_matchers(&claim.whole))
            .collect()
    }

    /// Names of matchers in a claim that the file itself defines (`expect.extend({ toShout(…) {…} })`): they look at what
    /// their functions do, whatever they are given.
    fn own_matchers(&self, claim: &Span) -> Vec<Span> {
        let is_own = |at: &usize| {
            self.tree.kind(*at) == "property_identifier"
                && self.flow.functions.iter().any(|(name, _)| *name == self.tree.text(*at))
        };
        claim.clone().filter(is_own).map(|at| at..at + 1).collect()
    }

    fn is_doubtful(&self, claim: &Claim, body: &Span, alike: &Alike<'s>) -> bool {
        is_doubtful(self.tree, claim, self.sides(claim).as_ref(), body, alike)
    }

    fn undefined(&self, body: &Span) -> Option<(String, u32)> {
        let at = self.unbound.first_in(self.tree, body)?;
        Some((self.tree.text(at).to_owned(), self.tree.line(at)))
    }

    /// Calls of a body that are expectations, each with its place; those that may be are noted. What is
    /// a claim by its own name is weighed as that.
    fn classify_calls(
        &self,
        body: &Span,
        claimed: &[bool],
        facts: &mut BodyFacts,
        silent: &mut Silent,
    ) -> Vec<(Span, Call)> {
        let mut found = Vec::new();
        let mut asked = body.start;
        for at in body.clone().filter(|at| !claimed[at - body.start]) {
            let Some(call) = self.calls.classify(self.tree, &self.flow, at) else { continue };
            let whole = self.tree.span(at);
            if is_swallowed(self.tree, &whole, body) {
                silent.any_lost = true;
                silent.claims.push(whole);
            } else if call.holds == Holds::Expectation {
                found.push((whole, call));
            } else if at >= asked && facts.asks.len() < MOST_ASKS {
                // What stands inside one is given to it.
                asked = whole.end;
                facts.asks.push(self.ask(at, call));
            }
        }
        found
    }

    fn expectation(&self, real: &[Claim], body: &Span, asks: &[Ask], silent: &Silent) -> Expectation {
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
        let vacuous = covered(body, silent.claims.iter());
        let calls = body
            .clone()
            .filter(|at| !vacuous[at - body.start])
            .any(|at| callee(self.tree, at).is_some_and(|name| !is_harmless(self.tree.language, &name)));
        // Where it meant to expect something and lets nobody know, a call alone is no expectation.
        if calls && (!asks.is_empty() || !silent.any_lost) { Expectation::Unknown } else { Expectation::No }
    }

    fn ask(&self, at: usize, call: Call) -> Ask {
        let what = callee(self.tree, at).unwrap_or_default();
        Ask { what, of: call.of, given: self.flow.closure(self.tree, call.given) }
    }

    /// No code but the test's own decides what this comes to.
    fn is_closed(&self, span: &Span, scene: &Scene<'_, '_>) -> bool {
        tokens(self.tree, span, &scene.plain).is_some()
    }

    fn is_doomed(&self, claim: &Claim, scene: &Scene<'_, '_>) -> bool {
        let fails = claim.says == Says::Fails || self.forced(claim, &scene.plain) == Some(Worth::False);
        fails && self.conditions(&claim.whole, scene).is_empty()
    }

    /// It asks only whether something is there.
    fn is_thin(&self, claim: &Claim) -> bool {
        let text = self.condensed(&claim.whole);
        let names = ["assertIsNotNone", "toBeDefined", "NotNil", "isDefined", "exists"];
        text.ends_with("is not None")
            || text.starts_with("assert callable (")
            || names.iter().any(|name| claim.name.contains(name))
            || (claim.name == "toBeNull" && text.contains("not"))
            || (claim.name == "assert"
                && (text.ends_with(". is_some ( ) )") || text.ends_with(". is_ok ( ) )")))
    }

    /// A comparison with what an earlier run recorded, unless it stands in the source.
    fn is_unrecorded(&self, claim: &Claim) -> bool {
        let python = self.tree.language == Language::Python
            && claim.subjects.iter().any(|span| self.is_python_snapshot(claim, span));
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

    /// A fixture of that name as a whole, or `snapshot()` with nothing in it yet; other things may be called so, too.
    fn is_python_snapshot(&self, claim: &Claim, subject: &Span) -> bool {
        let is_fixture = self.tree.ancestors(claim.whole.start).any(|at| {
            let given = self.tree.child(at, "parameters");
            given.is_some_and(|given| self.tree.span(given).any(|at| self.tree.text(at) == "snapshot"))
        });
        let words: Vec<&str> = self.tree.tokens(subject.clone()).map(|at| self.tree.text(at)).collect();
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        (0..words.len()).filter(|at| word(*at) == "snapshot").any(|at| {
            let is_member = at > 0 && word(at - 1) == ".";
            let is_whole =
                if is_fixture { word(at + 1) != "[" } else { (word(at + 1), word(at + 2)) == ("(", ")") };
            !is_member && is_whole
        })
    }

    fn shown(&self, claim: &Claim) -> String {
        let text = self.tree.span_text(&claim.whole);
        let line = fold(text);
        line.chars().take(SHOWN).collect()
    }
}
