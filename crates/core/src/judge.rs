//! Findings and a claim make a verdict. Nothing else decides.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::attempt::{AgentEnd, AgentReturn, Exhaustion};
use crate::claim::{ClaimError, ClaimStatus, Dispute};
use crate::criterion::CriterionId;
use crate::event::Plan;
use crate::finding::{
    Findings, GreenFindings, GreenJudge, RedFindings, RedKind, RefactorFindings, RunRef, TestAware,
    TestAwareKind,
};
use crate::guard::{self, Guard};
use crate::mode::Mode;
use crate::path::RelPath;
use crate::role::Key;
use crate::test::TestId;

/// The judgement on an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Passed,
    Failed(Fault),
    /// The role says that a test is wrong: the operator decides.
    Disputed(Dispute),
}

/// Why an attempt failed: its mode and every reason that was found, at least one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    pub mode: Mode,
    pub reasons: Vec<Reason>,
}

/// One reason. Its [`Display`](fmt::Display) is one fixed line made of measured paths and ids only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    ClaimedFailed,
    Exhausted(Exhaustion),
    Format(ClaimError),
    /// The role may not change this file.
    Forbidden(RelPath),
    /// A protected file was not as it was.
    Touched(RelPath),
    /// A test that lives in this source was changed or removed.
    InlineTest(RelPath),
    /// Production code that tests see another face of.
    TestAwareCode(TestAware),
    /// An existing test was changed or removed and not named in `supersedes:`.
    Unlisted(TestId),
    NoCandidate(CriterionId),
    /// A new test that is red and belongs to no criterion.
    Unowned(TestId),
    NotRed {
        criterion: CriterionId,
        test: TestId,
        kind: RedKind,
    },
    /// A superseded test was not changed, or is not red in an accepted kind.
    NotSuperseded(TestId),
    /// A known green is red after RED.
    Broken(TestId),
    /// No test of the criterion ran.
    NothingRan(CriterionId),
    TestFailed(TestId),
    TestSkipped(TestId),
    TestVanished(TestId),
    Regressed(TestId),
    FewerTests {
        before: usize,
        now: usize,
    },
    GateRed,
    NoEvidence(String),
    /// A copy that expects something else passes too: what the code does with expectations is no work.
    Toothless(TestId),
}

impl Reason {
    /// Whether a rule and not a test failed: then a retry prompt holds this line instead of output.
    pub fn is_rule(&self) -> bool {
        match self {
            Self::Forbidden(_)
            | Self::Touched(_)
            | Self::InlineTest(_)
            | Self::TestAwareCode(_)
            | Self::Unlisted(_)
            | Self::NoCandidate(_)
            | Self::Unowned(_)
            | Self::NotRed { .. }
            | Self::NotSuperseded(_)
            | Self::NothingRan(_)
            | Self::TestSkipped(_)
            | Self::TestVanished(_)
            | Self::Toothless(_)
            | Self::FewerTests { .. }
            // No rule of files, but a bound: who is not told of it runs into it again.
            | Self::Exhausted(_) => true,
            Self::ClaimedFailed
            | Self::Format(_)
            | Self::Broken(_)
            | Self::TestFailed(_)
            | Self::Regressed(_)
            | Self::GateRed
            | Self::NoEvidence(_) => false,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClaimedFailed => f.write_str("the role itself said `status: failed`"),
            Self::Exhausted(what) => write!(f, "the role was stopped: {what}"),
            Self::Format(error) => write!(f, "{}: {}", error.kind, error.message),
            Self::Forbidden(path) => write!(f, "this role may not change: {path}"),
            Self::InlineTest(path) => {
                write!(
                    f,
                    "a test inside this source was added, changed or removed; put the test code as it was: {path}"
                )
            }
            Self::TestAwareCode(TestAware { path, kind: TestAwareKind::UnderTest }) => {
                write!(f, "this source is built in another way for tests (`cfg` with `test`): {path}")
            }
            Self::TestAwareCode(TestAware { path, kind: TestAwareKind::Shadow }) => {
                write!(f, "this source gives the name of an assertion another meaning: {path}")
            }
            Self::Touched(path) => write!(f, "a protected file was changed: {path}"),
            Self::Unlisted(id) => {
                write!(f, "an existing test was changed and is not named in `supersedes:`: {id}")
            }
            Self::NoCandidate(id) => {
                write!(
                    f,
                    "no new or changed test belongs to {id}: name its file with {}, or list tests that lie \
                     inside sources under `tests:` in the block, `{id}: [src/file.rs::module::name]`",
                    id.slug()
                )
            }
            Self::Unowned(id) => {
                write!(f, "a new test is red and belongs to no criterion: {id}")?;
                f.write_str("; name its file after one, or list it under `tests:` in the block")
            }
            Self::NotRed { criterion, test, kind } => {
                write!(f, "{criterion} is not RED: {test} is {kind}: {}", kind.meaning())
            }
            Self::NotSuperseded(id) => write!(f, "a superseded test must be changed and red: {id}"),
            Self::Broken(id) => write!(f, "a test that was green is red now: {id}"),
            Self::NothingRan(id) => write!(f, "no test of {id} ran"),
            Self::TestFailed(id) => write!(f, "failed: {id}"),
            Self::TestSkipped(id) => write!(f, "skipped: {id}"),
            Self::TestVanished(id) => write!(f, "expected and not seen: {id}"),
            Self::Regressed(id) => write!(f, "was green and is red now: {id}"),
            Self::FewerTests { before, now } => {
                write!(f, "fewer tests than before: {now} now, {before} before")
            }
            Self::GateRed => f.write_str("the gate command failed"),
            Self::NoEvidence(why) => write!(f, "the run is no evidence: {why}"),
            Self::Toothless(id) => write!(
                f,
                "a copy of this test that expects something else passes too, so its pass says nothing of the \
                 code: {id}"
            ),
        }
    }
}

/// What a return alone decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtReturn {
    /// The tree and the tests have to be measured.
    Measure,
    Settled(Verdict),
}

/// What can be said before anything was measured: a format violation and a dispute, nothing else.
pub fn at_return(outcome: &AgentReturn) -> AtReturn {
    match (&outcome.claim, outcome.end) {
        (Ok(claim), _) => match (&claim.dispute, claim.status) {
            (Some(dispute), ClaimStatus::Failed) if guard::stands(Guard::Dispute) => {
                AtReturn::Settled(Verdict::Disputed(dispute.clone()))
            }
            (Some(_) | None, _) => AtReturn::Measure,
        },
        (Err(error), AgentEnd::Exited(_)) if guard::stands(Guard::Format) => {
            let reasons = vec![Reason::Format(error.clone())];
            AtReturn::Settled(Verdict::Failed(Fault { mode: Mode::D, reasons }))
        }
        (Err(_), _) => AtReturn::Measure,
    }
}

/// The verdict on an attempt that was measured. The claim can only make it worse.
pub fn judge(key: &Key, plan: &Plan, outcome: &AgentReturn, findings: &Findings) -> Verdict {
    let mut reasons = match findings {
        Findings::Red(findings) => red_faults(plan, findings),
        Findings::Green(findings) => green_reasons(key, findings),
        Findings::Refactor(findings) => refactor_reasons(findings),
    };
    let mut mode = Mode::of_stage(key.stage());
    match (&outcome.claim, outcome.end) {
        (Ok(claim), _) if claim.status == ClaimStatus::Failed => reasons.insert(0, Reason::ClaimedFailed),
        (Ok(_), _) => {}
        (Err(_), AgentEnd::Exhausted(what)) => {
            mode = Mode::E;
            reasons.insert(0, Reason::Exhausted(what));
        }
        // Measured all the same where no format retry is left: it may be worth taking.
        (Err(error), AgentEnd::Exited(_)) => {
            mode = Mode::D;
            reasons.insert(0, Reason::Format(error.clone()));
        }
    }
    reasons.retain(|reason| guard::stands(Guard::of(reason)));
    if reasons.is_empty() { Verdict::Passed } else { Verdict::Failed(Fault { mode, reasons }) }
}

/// Whether nothing speaks against the work but that no valid block came with it.
pub fn lacks_only_a_block(verdict: &Verdict, outcome: &AgentReturn) -> bool {
    let Verdict::Failed(fault) = verdict else { return false };
    let is_of_block = |reason: &Reason| matches!(reason, Reason::Format(_) | Reason::Exhausted(_));
    outcome.claim.is_err() && fault.reasons.iter().all(is_of_block)
}

/// What keeps a RED from being one.
pub fn red_faults(plan: &Plan, findings: &RedFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.unlisted.iter().cloned().map(Reason::Unlisted));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(findings.unowned.iter().cloned().map(Reason::Unowned));
    for criterion in &findings.criteria {
        match (criterion.files.as_slice(), criterion.tests.as_slice()) {
            ([], []) => reasons.push(Reason::NoCandidate(criterion.id.clone())),
            ([_, ..], []) => reasons.push(Reason::NothingRan(criterion.id.clone())),
            (_, [_, ..]) => {}
        }
        let already = plan.already_green.contains(&criterion.id);
        for test in &criterion.tests {
            if already && test.kind != RedKind::Passed {
                reasons.push(Reason::TestFailed(test.id.clone()));
            } else if !already && !test.kind.is_accepted() && !is_of_put_back(test.kind, findings) {
                let (criterion, kind) = (criterion.id.clone(), test.kind);
                reasons.push(Reason::NotRed { criterion, test: test.id.clone(), kind });
            }
        }
    }
    let badly_superseded =
        findings.superseded.iter().filter(|test| !test.changed || !test.kind.is_accepted());
    reasons.extend(badly_superseded.map(|test| Reason::NotSuperseded(test.id.clone())));
    reasons.extend(findings.broken.iter().cloned().map(Reason::Broken));
    reasons
}

/// What was put back may be what the tests need, and then that they do not load says nothing more.
fn is_of_put_back(kind: RedKind, findings: &RedFindings) -> bool {
    let puts_back = !findings.forbidden.is_empty() && guard::stands(Guard::ForbiddenChange);
    match kind {
        RedKind::Load | RedKind::None => puts_back,
        RedKind::Assertion
        | RedKind::Error
        | RedKind::Missing
        | RedKind::Unconditional
        | RedKind::Passed
        | RedKind::Unrelated
        | RedKind::Flaky
        | RedKind::Timeout
        | RedKind::Crash => false,
    }
}

fn green_reasons(key: &Key, findings: &GreenFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.touched.iter().cloned().map(Reason::Touched));
    reasons.extend(findings.weakened.iter().cloned().map(Reason::InlineTest));
    reasons.extend(findings.test_aware.iter().cloned().map(Reason::TestAwareCode));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(toothless(&findings.runs));
    let ran = !(findings.passed.is_empty() && findings.failed.is_empty() && findings.skipped.is_empty());
    if let (false, GreenJudge::OwnTests, Some(id)) = (ran, findings.judged_by, key.criterion()) {
        reasons.push(Reason::NothingRan(id.clone()));
    }
    reasons.extend(findings.failed.iter().cloned().map(Reason::TestFailed));
    reasons.extend(findings.skipped.iter().cloned().map(Reason::TestSkipped));
    reasons.extend(findings.vanished.iter().cloned().map(Reason::TestVanished));
    reasons.extend(findings.regressed.iter().cloned().map(Reason::Regressed));
    reasons.extend(fewer(findings.collected_before, findings.collected_now));
    reasons.extend(findings.gate_red.then_some(Reason::GateRed));
    reasons
}

fn refactor_reasons(findings: &RefactorFindings) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = findings.forbidden.iter().cloned().map(Reason::Forbidden).collect();
    reasons.extend(findings.touched.iter().cloned().map(Reason::Touched));
    reasons.extend(findings.weakened.iter().cloned().map(Reason::InlineTest));
    reasons.extend(findings.test_aware.iter().cloned().map(Reason::TestAwareCode));
    reasons.extend(findings.no_evidence.iter().cloned().map(Reason::NoEvidence));
    reasons.extend(toothless(&findings.runs));
    reasons.extend(findings.regressed.iter().cloned().map(Reason::Regressed));
    reasons.extend(fewer(findings.collected_before, findings.collected_now));
    reasons.extend(findings.gate_red.then_some(Reason::GateRed));
    reasons
}

/// Tests that pass whatever they expect.
fn toothless(runs: &[RunRef]) -> impl Iterator<Item = Reason> {
    let all: BTreeSet<&TestId> = runs.iter().flat_map(|run| &run.copies.toothless).collect();
    all.into_iter().cloned().map(Reason::Toothless)
}

fn fewer(before: usize, now: usize) -> Option<Reason> {
    (now < before).then_some(Reason::FewerTests { before, now })
}

#[cfg(test)]
mod tests;
