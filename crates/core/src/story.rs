//! A run's attempts, told from its journal: what each found, and which work it left. For people who
//! look back; no verdict is made here.

use crate::attempt::CheckpointId;
use crate::criterion::CriterionId;
use crate::event::{Event, PassFail, TestRunFact};
use crate::finding::{CriterionRed, Findings, GreenFindings, RedTest};
use crate::held_out::Where;
use crate::judge::Verdict;
use crate::machine::IllegalEvent;
use crate::path::RelPath;
use crate::policy::FileClass;
use crate::role::Key;
use crate::state::{Phase, Progress, State};
use crate::test::TestId;

/// One attempt that was measured.
#[derive(Clone, Debug)]
pub struct Told {
    pub key: Key,
    /// The number of its fork within its key, from 1.
    pub number: u8,
    pub findings: Findings,
    pub verdict: Verdict,
    /// The last good work before it.
    pub from: Option<CheckpointId>,
    /// What it left: the new good work if it passed, the failed work else.
    pub left: Option<CheckpointId>,
    pub tests: TestsThen,
}

/// What was known of a criterion's tests when its implementer was measured.
#[derive(Clone, Debug, Default)]
pub struct TestsThen {
    /// As they were seen red; none for the other roles, and for a criterion without tests.
    pub red: Option<CriterionRed>,
    /// Test files that took no part: those of criteria not yet reached.
    pub left_out: Vec<RelPath>,
    /// Seen green after the attempt before and before this one was started.
    pub green_before: Vec<TestId>,
}

/// A run and its attempts, in order.
#[derive(Clone, Debug)]
pub struct Story {
    pub state: State,
    pub attempts: Vec<Told>,
}

/// What became of one test of a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestStory<'a> {
    pub criterion: &'a CriterionId,
    pub test: &'a RedTest,
    pub after: After,
    /// The attempt of the implementer that `after` was seen in.
    pub attempt: Option<u8>,
}

/// What a test did at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Green,
    /// Held out until the end, and green then.
    GreenHeldOut,
    /// Green before the implementer changed anything: an earlier criterion's work did it.
    GreenByEarlier,
    /// A person's own work turned it after a halt, as measured then.
    GreenByHand,
    Red,
    Skipped,
    /// No attempt has run it.
    NotRun,
}

impl After {
    pub fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::GreenHeldOut => "green, held out",
            Self::GreenByEarlier => "green by earlier work",
            Self::GreenByHand => "green by hand",
            Self::Red => "red",
            Self::Skipped => "skipped",
            Self::NotRun => "not run",
        }
    }
}

/// Folds a journal. `None` if it tells of no run of the cycle.
pub fn tell<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Option<Story>, IllegalEvent> {
    let mut events = events.into_iter();
    let Some(Event::RunStarted(started)) = events.next() else { return Ok(None) };
    let mut story = Story { state: State::open((**started).clone()), attempts: Vec::new() };
    let mut green_before = Vec::new();
    for event in events {
        let from = story.state.good.clone();
        let at_work = if let Phase::Returned { attempt, .. } = &story.state.phase {
            Some((attempt.key.clone(), attempt.number))
        } else {
            None
        };
        if let Event::TestRun(TestRunFact { test_id, status: PassFail::Pass, .. }) = event
            && at_work.is_none()
        {
            green_before.push(test_id.clone());
        }
        story.state.apply(event)?;
        if let (Event::AttemptMeasured { findings, .. }, Some((key, number))) = (event, at_work) {
            let tests = story.tests_of(&key, std::mem::take(&mut green_before));
            story.add((key, number, tests), (**findings).clone(), from);
        }
        if let Event::WorkKept { checkpoint } = event {
            story.leave(checkpoint, |verdict| *verdict == Verdict::Passed);
        }
        if let Event::WorkRolledBack { kept_as, .. } = event {
            story.leave(kept_as, |verdict| *verdict != Verdict::Passed);
        }
    }
    Ok(Some(story))
}

impl Story {
    fn tests_of(&self, key: &Key, green_before: Vec<TestId>) -> TestsThen {
        let (Some(id), Some(red)) = (key.criterion(), self.state.red.as_ref()) else {
            return TestsThen::default();
        };
        let criteria = self.state.run.requirement.criteria.iter().map(|criterion| criterion.id.clone());
        let unreached: Vec<CriterionId> = criteria.filter(|other| !self.state.is_reached(other)).collect();
        TestsThen { red: red.of(id).cloned(), left_out: red.mapping.left_out(&unreached), green_before }
    }

    fn add(
        &mut self,
        (key, number, tests): (Key, u8, TestsThen),
        findings: Findings,
        from: Option<CheckpointId>,
    ) {
        let entries = self.state.ledgers.get(&key).map(|ledger| &ledger.entries[..]).unwrap_or_default();
        let entry = entries.iter().rev().find(|entry| entry.attempt.number == number);
        if let Some(verdict) = entry.and_then(|entry| entry.verdict.clone()) {
            self.attempts.push(Told { key, number, findings, verdict, from, left: None, tests });
        }
    }

    fn leave(&mut self, tree: &CheckpointId, fits: impl Fn(&Verdict) -> bool) {
        let is_open = |told: &&mut Told| told.left.is_none() && fits(&told.verdict);
        if let Some(last) = self.attempts.last_mut().filter(is_open) {
            last.left = Some(tree.clone());
        }
    }

    /// The attempts of a criterion's implementer.
    pub fn of<'a>(&'a self, id: &'a CriterionId) -> impl DoubleEndedIterator<Item = &'a Told> {
        self.attempts.iter().filter(move |told| told.key.criterion() == Some(id))
    }

    /// The attempt of the test-writer whose tests hold.
    pub fn red(&self) -> Option<&Told> {
        self.attempts.iter().rev().find(|told| told.key == Key::TestWriter && told.verdict == Verdict::Passed)
    }

    /// What the test-writer's last attempt wrote for a criterion, where no RED stands: it was set aside.
    pub fn set_aside(&self, id: &CriterionId) -> Option<(&Told, &CriterionRed)> {
        let is_it = |told: &&Told| told.key == Key::TestWriter && told.left.is_some();
        let last = self.attempts.iter().rev().find(is_it).filter(|_| self.state.red.is_none())?;
        let Findings::Red(red) = &last.findings else { return None };
        let own = red.of(id);
        Some((last, own.filter(|own| !own.files.is_empty() || !own.tests.is_empty())?))
    }

    /// Every test of every criterion in hand, in the order of the criteria.
    pub fn matrix(&self) -> Vec<TestStory<'_>> {
        let red = self.state.red.as_ref();
        let of = |id: &'_ CriterionId| red.and_then(|red| red.of(id));
        let criteria = self.state.run.plan.criteria.iter();
        let tests = criteria
            .filter_map(|id| Some((id, of(id)?)))
            .flat_map(|(id, red)| red.tests.iter().map(move |test| (id, test)));
        tests
            .map(|(criterion, test)| {
                let (after, attempt) = self.after(criterion, &test.id);
                TestStory { criterion, test, after, attempt }
            })
            .collect()
    }

    /// Whether a person's own work turned a criterion green: no attempt did.
    pub fn is_by_hand(&self, id: &CriterionId) -> bool {
        self.state.by_hand.contains(id) && self.state.progress.get(id) == Some(&Progress::Green)
    }

    /// What the last attempt that ran a test saw it do.
    fn after(&self, criterion: &CriterionId, test: &TestId) -> (After, Option<u8>) {
        if self.is_by_hand(criterion) {
            return (After::GreenByHand, None);
        }
        let seen = self.of(criterion).rev().find_map(|told| {
            let Findings::Green(green) = &told.findings else { return None };
            Some((seen_in(green, test)?, Some(told.number)))
        });
        let held = self.state.held.as_deref().filter(|held| held.place == Where::Back);
        let was_hidden = held.is_some_and(|held| {
            let is_judged = !held.unjudged.contains(criterion);
            is_judged && held.parted().any(|parted| parted.hidden.contains(test))
        });
        let at_the_end = was_hidden && self.state.greens.contains(test);
        seen.unwrap_or((if at_the_end { After::GreenHeldOut } else { After::NotRun }, None))
    }
}

fn seen_in(green: &GreenFindings, test: &TestId) -> Option<After> {
    let holds = |tests: &[TestId]| tests.iter().any(|one| one == test || one.shared() == test.shared());
    if holds(&green.failed) || holds(&green.vanished) {
        return Some(After::Red);
    }
    if holds(&green.skipped) {
        return Some(After::Skipped);
    }
    let by_earlier = if green.early_green { After::GreenByEarlier } else { After::Green };
    holds(&green.passed).then_some(by_earlier)
}

impl Told {
    /// The production files that it changed.
    pub fn sources(&self) -> impl Iterator<Item = &RelPath> {
        let changed = self.findings.changed().iter();
        changed.filter(|change| change.class == FileClass::Source).map(|change| &change.path)
    }
}
