//! What a role is shown before it begins: how the criterion's tests fail now, and how the project's own
//! tests lie and look. All of it is measured, and nothing of it is of other criteria.

use std::collections::BTreeSet;

use crate::text::prompt::{Example, GREEN_ALREADY, Habits, RED_OUTPUT, Seen};
use tdd_agents::glimpse;
use tdd_core::attempt::{AttemptKind, CheckpointId};
use tdd_core::criterion::CriterionId;
use tdd_core::event::Event;
use tdd_core::finding::RunRef;
use tdd_core::labels;
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::{self, FileClass};
use tdd_core::role::Key;
use tdd_core::test::{TestId, TestRun};
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::measure::{facts, put_back_touched};
use super::setup::sealed_classes;
use super::whose::{held, kept_as};
use tdd_core::ports::{CanaryWish, Checkpoints, Journal, Protection, TestOrder, World};

/// Files among which the example is chosen.
const MOST_LOOKED_AT: usize = 20;
/// A shorter file shows nothing of how tests are written.
const SHORTEST_EXAMPLE: usize = 80;

/// How the tests of the criterion at hand were seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SeenTests {
    Red(String),
    Green,
    Unseen,
    /// As the first attempt was told it: the name and the text of the prompt's part.
    Again(String, String),
}

impl SeenTests {
    pub(super) fn as_told(&self) -> Seen<'_> {
        match self {
            Self::Red(output) => Seen::Red(output),
            Self::Green => Seen::Green,
            Self::Unseen => Seen::Unseen,
            Self::Again(name, text) => Seen::Again(name, text),
        }
    }
}

impl<W: World> Drive<'_, W> {
    /// How the criterion's tests are right now, and what had to be put back after looking.
    pub(super) async fn seen_before(
        &mut self,
        key: &Key,
        kind: AttemptKind,
        tree: &CheckpointId,
    ) -> Result<(SeenTests, Vec<Event>), Trouble> {
        let Key::Implementer(id) = key else { return Ok((SeenTests::Unseen, Vec::new())) };
        match kind {
            AttemptKind::First => self.look_at_red(id, tree).await,
            AttemptKind::Semantic | AttemptKind::Format => Ok((self.seen_first(key)?, Vec::new())),
        }
    }

    /// A retry is told what the first attempt was told, whatever the tests print by now: that comes
    /// after it.
    fn seen_first(&mut self, key: &Key) -> Result<SeenTests, Trouble> {
        let entries = self.state.ledgers.get(key).map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
        let first = entries.iter().rev().find(|entry| entry.attempt.kind == AttemptKind::First && !entry.cut);
        let mut parts = first.iter().flat_map(|entry| &entry.attempt.prompt);
        let part = parts.find(|part| [RED_OUTPUT, GREEN_ALREADY].contains(&part.name.as_str())).cloned();
        let Some(part) = part else { return Ok(SeenTests::Unseen) };
        let text = self.ports.journal.fetch(&part.digest)?;
        Ok(SeenTests::Again(part.name, String::from_utf8_lossy(&text).into_owned()))
    }

    /// RED's own run holds the tests of all criteria, so it is shown only where there is but one. Else
    /// the criterion's are run alone, which also tells whether earlier work has made them green.
    async fn look_at_red(
        &mut self,
        id: &CriterionId,
        tree: &CheckpointId,
    ) -> Result<(SeenTests, Vec<Event>), Trouble> {
        let own = self.mapping().of(id).cloned().unwrap_or_default();
        let Some(red) = self.state.red.as_ref().filter(|_| !own.files.is_empty() || !own.ids.is_empty())
        else {
            return Ok((SeenTests::Unseen, Vec::new()));
        };
        let is_alone = self.state.run.requirement.criteria.len() == 1;
        if let Some(run) = red.runs.last().filter(|_| is_alone) {
            return Ok((SeenTests::Red(run.output.clone()), Vec::new()));
        }
        let order = TestOrder {
            label: format!("RED {id}, for the prompt"),
            without: self.mapping().without(&self.unreached(Some(id))),
            only_files: own.files.clone(),
            only_ids: own.ids,
            told_apart: own.files,
            canary: CanaryWish::None,
            ..TestOrder::default()
        };
        self.ports.protection.seal(sealed_classes(&Key::Implementer(id.clone())), &[])?;
        let run = self.run_tests(&order).await?;
        let label = labels::of_kind("seen", Some(&id.slug()));
        let found = self.ports.checkpoints.take(&label)?;
        let touched = self.ports.protection.check()?;
        let whole = self.with_ignored(&found, &touched)?;
        let edited = held(&self.ports.protection, &touched);
        self.refuse_edited(&edited, &whole)?;
        self.hold_after_runs(&whole, tree, touched.iter())?;
        let (touched, told) = put_back_touched(&mut self.ports.protection)?;
        let told = told.into_iter().chain(kept_as(&whole, touched.iter()));
        let now = if touched.is_empty() { found } else { self.ports.checkpoints.take(&label)? };
        self.hold_left(tree, &now)?;
        let left = self.diff().put_back_what_is_left((tree, &now), "a run of tests")?;
        let own = self.facts_of(id, &run);
        let seen = match RunRef::of(&run, &self.setup.mask) {
            run if run.exit.is_success() => SeenTests::Green,
            run if run.output.trim().is_empty() => SeenTests::Unseen,
            run => SeenTests::Red(run.output),
        };
        Ok((seen, told.chain(left).chain(own).collect()))
    }

    /// For a corpus: whether an edit turned a test, or earlier work had turned it already.
    fn facts_of(&self, id: &CriterionId, run: &TestRun) -> Vec<Event> {
        let Some(report) = &run.report else { return Vec::new() };
        let mapping = self.mapping();
        let own: BTreeSet<&TestId> = mapping.results(id, report).into_iter().map(|test| &test.id).collect();
        facts(run, report, |test| own.contains(&test.id))
    }

    /// The requirement's lines that this role is neither told nor finds in tests: those quote what they
    /// are for.
    pub(super) fn out_of_sight(
        &mut self,
        key: &Key,
        tree: &CheckpointId,
        told: &[&str],
    ) -> Result<Vec<String>, Trouble> {
        if *key == Key::TestWriter {
            return Ok(Vec::new());
        }
        let requirement = self.state.run.requirement.path.clone();
        let Some(hidden) = self.diff().source(tree, &requirement)? else { return Ok(Vec::new()) };
        let files: Vec<RelPath> = self.mapping().owned.into_values().flat_map(|owned| owned.files).collect();
        let mut known: Vec<String> = told.iter().map(|text| (*text).to_owned()).collect();
        // As the requirement has it: its id before its text.
        let own = key.criterion().and_then(|id| self.state.run.requirement.criterion(id));
        known.extend(own.map(|criterion| format!("{} {}", criterion.id, criterion.text)));
        for file in &files {
            known.extend(self.diff().source(tree, file)?);
        }
        Ok(glimpse::lines(&hidden, &known))
    }

    /// From what the runner reported of the baseline; where it tells no tests, from the names of
    /// checkpoint 0's files.
    pub(super) fn habits(&mut self) -> Result<Habits, Trouble> {
        let Some(zero) = self.state.facts.zero.clone() else { return Ok(Habits::default()) };
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(&zero)?.into_iter().collect();
        let mut files: Vec<RelPath> =
            self.reported_files().into_iter().filter(|file| known.contains(file)).collect();
        if files.is_empty() {
            let is_test =
                |path: &RelPath| self.policy.classify(path) == FileClass::Test && policy::names_a_test(path);
            files = known.into_iter().filter(is_test).collect();
        }
        let project = &self.state.run.project;
        let in_project = |file: &RelPath| RelPath::new(mapping::in_project(file, project));
        let in_project: Vec<RelPath> = files.iter().filter_map(in_project).collect();
        let mut habits = Habits::of(self.state.run.commands.runner, &in_project);
        habits.example = self.example(&zero, habits.folder.as_deref(), &in_project)?;
        Ok(habits)
    }

    pub(super) fn in_repository(&self, file: &RelPath) -> RelPath {
        let path = format!("{}/{file}", self.state.run.project);
        RelPath::new(path.trim_start_matches('/')).unwrap_or_else(|| file.clone())
    }

    /// The shortest of the first few that shows something.
    fn example(
        &mut self,
        zero: &CheckpointId,
        folder: Option<&str>,
        files: &[RelPath],
    ) -> Result<Option<Example>, Trouble> {
        let is_there =
            |file: &&RelPath| folder.is_none_or(|folder| folder.is_empty() || file.is_within(folder));
        let mut best: Option<Example> = None;
        for path in files.iter().filter(is_there).take(MOST_LOOKED_AT) {
            let at = self.in_repository(path);
            // In a source only a part would be tests.
            if self.policy.classify(&at) != FileClass::Test {
                continue;
            }
            let Some(text) = self.diff().source(zero, &at)? else { continue };
            let is_better = best.as_ref().is_none_or(|best| text.len() < best.text.len());
            if text.len() >= SHORTEST_EXAMPLE && is_better {
                best = Some(Example { path: path.clone(), text });
            }
        }
        Ok(best)
    }
}
