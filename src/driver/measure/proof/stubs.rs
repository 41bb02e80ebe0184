//! (iii) Stubs in the bodies that the run wrote: a criterion is seen if a test of its own is red under one.
//!
//! ```text
//! "not implemented"   red by the error that it threw, or by an expectation, which may be that nothing is thrown
//!        │                ─► only as good as what follows
//!        ▼            green ─► open
//! values, one by one  red ─► seen
//!                     green under all, and no changed copy fails or what is run does nothing
//!                         ─► by the error alone, or hollow
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::classify::counting;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{RedKind, RedTest};
use tdd_core::ports::{Bench, Clock, TestOrder, World};
use tdd_core::proof::{Extent, ProofFindings, Seen, Stub};
use tdd_core::test::{Exit, FailureKind, Outcome, TestId, TestReport};
use tdd_core::trouble::Trouble;
use tdd_proof::{Stubs, has_word};

use super::own::Met;
use super::{Proving, passes};

/// Runs with fewer bodies stubbed, because with all of them something does not load.
const MOST_PARTS_TRIED: usize = 8;

/// So many of them a run counts as that did not end by itself.
const PARTS_OF_ENDLESS: usize = 3;

/// So many times what the whole suite took at baseline a run with stubs may take, and this beside.
const USUAL_TIMES: u64 = 5;
const AT_LEAST_MS: u64 = 30_000;

/// Random bytes in what a stub says.
const SALT: usize = 10;

/// What the tests of criteria do under stubs, kind by kind.
#[derive(Default)]
struct Watch {
    seen: BTreeMap<CriterionId, (Stub, TestId)>,
    /// Red by the error that `not implemented` throws, which any call lets through, and an expectation that
    /// nothing is thrown says in its own words.
    thrown: BTreeMap<CriterionId, TestId>,
    /// Those of them of whose expectations a run with values told nothing.
    undecided: BTreeSet<CriterionId>,
    /// Bodies under whose stubs all tests of a criterion were seen green.
    green: BTreeMap<(CriterionId, Stub), BTreeSet<usize>>,
    /// Whose `not implemented` their red tests told of.
    met: Met,
}

impl Watch {
    /// Whether more kinds of stub are to be tried for it.
    fn is_open(&self, id: &CriterionId) -> bool {
        !self.seen.contains_key(id) && !self.undecided.contains(id)
    }

    /// Whether all its tests passed with each of these parts stubbed so.
    fn is_green(&self, id: &CriterionId, kind: Stub, stubs: &Stubs) -> bool {
        let green = self.green.get(&(id.clone(), kind));
        stubs.fitting(kind).is_subset(green.unwrap_or(&BTreeSet::new()))
    }
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn prove_stubs(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let stubs = Stubs::of(&proving.changes).told_apart(letters(&self.ports.clock.random(SALT)?));
        findings.bodies = stubs.count();
        findings.unstubbed = stubs.left().map(|line| (self.setup.mask)(line)).collect();
        let mut watch = Watch::default();
        let kinds: &[Stub] = match findings.extent {
            Extent::Full => &Stub::ALL,
            Extent::Quick | Extent::Off => &[Stub::NotImplemented],
        };
        // Else no number of runs says that nothing is looked at.
        let can_tell =
            findings.extent == Extent::Full && stubs.left().next().is_none() && stubs.give_values();
        for kind in kinds {
            let is_open =
                |id: &&CriterionId| watch.is_open(id) && (can_tell || !watch.thrown.contains_key(*id));
            let open: Vec<CriterionId> = proving.criteria.iter().filter(is_open).cloned().collect();
            if open.is_empty() || stubs.count() == 0 {
                break;
            }
            self.try_stubs(*kind, (&stubs, proving, &open), &mut watch, findings).await?;
        }
        for at in 0..findings.criteria.len() {
            let id = findings.criteria[at].id.clone();
            let was_red = self.was_red_on_code(&id, &stubs);
            let idle = self.reaches_nothing(&id, findings).filter(|_| !was_red);
            let seen = match (idle, watch.seen.remove(&id), watch.thrown.get(&id).cloned()) {
                (Some(test), _, _) => Seen::NeverReached { test },
                (None, Some((stub, test)), _) => Seen::By { stub, test },
                (None, None, Some(test)) if was_red => Seen::By { stub: Stub::NotImplemented, test },
                (None, None, Some(test)) => {
                    let is_green = can_tell && Stub::values().all(|kind| watch.is_green(&id, kind, &stubs));
                    if is_green
                        && (self.runs_nothing(proving, (&id, &stubs), findings).await?
                            || !self.can_fail(proving, &id, findings).await?)
                    {
                        Seen::ByErrorAlone { test }
                    } else if stubs.count() == stubs.idle().len() {
                        Seen::Not { why: "no body of the change does anything".to_owned() }
                    } else {
                        Seen::By { stub: Stub::NotImplemented, test }
                    }
                }
                (None, None, None) => unseen(&watch, &id, &stubs, findings.extent),
            };
            findings.criteria[at].seen = seen;
        }
        self.ask_for_their_own(proving, (&stubs, &watch.met), findings).await
    }

    /// One of its tests, if none of them reaches anything that it expects.
    fn reaches_nothing(&self, id: &CriterionId, findings: &ProofFindings) -> Option<TestId> {
        let red = self.state.red.as_ref()?.of(id)?;
        let is_so = |test: &RedTest| findings.never_reached.contains(&test.id);
        red.tests.first().filter(|_| red.tests.iter().all(is_so)).map(|test| test.id.clone())
    }

    /// Whether a test of it was seen failing on code that was there before the run, and not for want of what is new:
    /// who asks that nothing is thrown any more has met the code that threw.
    fn was_red_on_code(&self, id: &CriterionId, stubs: &Stubs) -> bool {
        let red = self.state.red.as_ref().and_then(|red| red.of(id));
        let is_so = |test: &RedTest| {
            matches!(test.kind, RedKind::Assertion | RedKind::Error)
                && !stubs.new_names().any(|name| has_word(&test.message, name))
        };
        stubs.changes_older() && red.is_some_and(|red| red.tests.iter().any(is_so))
    }

    /// Whether of the change its tests run nothing but bodies that do nothing: what a changed copy of them expects
    /// then is nothing that the code could give.
    async fn runs_nothing(
        &mut self,
        proving: &Proving,
        (id, stubs): (&CriterionId, &Stubs),
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let idle = stubs.idle();
        let others: Vec<usize> = stubs.fitting(Stub::NotImplemented).difference(&idle).copied().collect();
        if idle.is_empty() || others.is_empty() {
            return Ok(!idle.is_empty());
        }
        self.check_out(&proving.tree, proving.bring)?;
        self.ports.bench.put(&stubs.with(Stub::NotImplemented, &others))?;
        let own = self.stub_order("proof: not implemented but what does nothing", std::slice::from_ref(id));
        let run = self.proof_run(&own, findings).await?;
        let Some(report) = &run.report else { return Ok(false) };
        Ok(passes(&self.mapping(), id, report))
    }

    /// Whether a copy of one of its tests fails by what it expects, once that is changed.
    async fn can_fail(
        &mut self,
        proving: &Proving,
        id: &CriterionId,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        self.check_out(&proving.tree, proving.bring)?;
        let own = self.own_tests("proof: changed copies", std::slice::from_ref(id));
        let run = self.proof_run(&own, findings).await?;
        Ok(run.report.is_none() || run.copies.seen > 0)
    }

    /// All bodies at once; where something does not load then, halves of them, as long as a criterion is red under
    /// nothing yet.
    async fn try_stubs(
        &mut self,
        kind: Stub,
        (stubs, proving, open): (&Stubs, &Proving, &[CriterionId]),
        watch: &mut Watch,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let mut waiting: Vec<Vec<usize>> = vec![stubs.fitting(kind).into_iter().collect()];
        waiting.retain(|parts| !parts.is_empty());
        let mut tried = 0;
        while let Some(parts) = waiting.pop() {
            if tried >= MOST_PARTS_TRIED {
                break;
            }
            tried += 1;
            self.check_out(&proving.tree, proving.bring)?;
            self.ports.bench.put(&stubs.with(kind, &parts))?;
            let order = self.stub_order(&format!("proof: {}", kind.words()), open);
            let run = self.proof_run(&order, findings).await?;
            if run.exit == Exit::Deadline {
                tried += PARTS_OF_ENDLESS;
            }
            let told =
                run.report.as_ref().map(|report| self.watch(report, (kind, stubs, &parts, open), watch));
            if told.is_none() && kind != Stub::NotImplemented {
                watch.undecided.extend(open.iter().filter(|id| watch.thrown.contains_key(id)).cloned());
            }
            let is_red = |id: &CriterionId| watch.seen.contains_key(id) || watch.thrown.contains_key(id);
            if told != Some(true) && parts.len() > 1 && !open.iter().all(is_red) {
                let (one, other) = parts.split_at(parts.len() / 2);
                waiting.extend([other.to_vec(), one.to_vec()]);
            }
        }
        Ok(())
    }

    /// Milliseconds that a run may take whose code may wait for ever.
    pub(super) fn patience_of_proof(&self) -> u64 {
        let usual = self.state.baseline.as_ref().map_or(0, |baseline| baseline.test.duration_ms);
        usual.saturating_mul(USUAL_TIMES).saturating_add(AT_LEAST_MS)
    }

    /// The tests of these criteria. A loop that waits for what a stub never gives ends with nothing but its time.
    pub(super) fn stub_order(&self, label: &str, criteria: &[CriterionId]) -> TestOrder {
        TestOrder { deadline_ms: Some(self.patience_of_proof()), ..self.own_tests(label, criteria) }
    }

    /// Whether the run told of each criterion that is red under nothing yet.
    fn watch(
        &self,
        report: &TestReport,
        (kind, stubs, parts, open): (Stub, &Stubs, &[usize], &[CriterionId]),
        watch: &mut Watch,
    ) -> bool {
        let mapping = self.mapping();
        let mut tells_all = true;
        for id in open {
            let results = counting(&mapping.results(id, report));
            let red_by = |wanted: FailureKind| {
                let is_so = |outcome: &Outcome| match outcome {
                    Outcome::Failed(failure) => failure.kind == wanted,
                    Outcome::Passed | Outcome::Skipped => false,
                };
                results.iter().find(|test| is_so(&test.outcome)).map(|test| test.id.clone())
            };
            let is_all_green =
                !results.is_empty() && results.iter().all(|test| test.outcome == Outcome::Passed);
            // What it does with a value is its own; what a stub throws is not, whoever says that it threw.
            let is_own = kind != Stub::NotImplemented;
            let red = red_by(FailureKind::Assertion).or_else(|| red_by(FailureKind::Error));
            if let Some(test) = red.clone().filter(|_| is_own) {
                let first = watch.thrown.get(id).cloned().map(|test| (Stub::NotImplemented, test));
                watch.seen.entry(id.clone()).or_insert(first.unwrap_or((kind, test)));
            } else if let Some(test) = red {
                let met = results.iter().flat_map(|test| match &test.outcome {
                    Outcome::Failed(failure) => stubs.named_in(&failure.message),
                    Outcome::Passed | Outcome::Skipped => BTreeSet::new(),
                });
                watch.met.entry(id.clone()).or_default().extend(met);
                watch.thrown.entry(id.clone()).or_insert(test);
            } else if is_all_green {
                watch.green.entry((id.clone(), kind)).or_default().extend(parts);
            } else if is_own && watch.thrown.contains_key(id) {
                watch.undecided.insert(id.clone());
            } else {
                tells_all &= watch.seen.contains_key(id) || watch.thrown.contains_key(id);
            }
        }
        tells_all
    }
}

fn letters(random: &[u8]) -> String {
    random.iter().map(|byte| char::from(b'a' + byte % 26)).collect()
}

/// Only where nothing else of the change can be what its tests look at is a criterion hollow.
fn unseen(watch: &Watch, id: &CriterionId, stubs: &Stubs, extent: Extent) -> Seen {
    let green = |kind: Stub| watch.green.get(&(id.clone(), kind)).cloned().unwrap_or_default();
    let by_value: BTreeSet<usize> = Stub::values().flat_map(green).collect();
    let why = if stubs.count() == 0 {
        "nothing of the change can be stubbed".to_owned()
    } else if !watch.is_green(id, Stub::NotImplemented, stubs) {
        "with stubs in the change its tests do not load".to_owned()
    } else if extent != Extent::Full {
        "`not implemented` was the only stub that was tried (proof: quick)".to_owned()
    } else if let Some(left) = stubs.left().chain(stubs.shape()).next() {
        format!("its tests may look at what can't be stubbed: {left}")
    } else if by_value.len() < stubs.count() {
        "with a value in the place of each body its tests do not load, or no value is known for its type"
            .to_owned()
    } else {
        return Seen::Hollow;
    };
    Seen::Not { why }
}
