//! What each role is told, from the state and from checkpoint 0, never from the tree as a child
//! left it: a role must not write the next one's instructions.

use crate::text::prompt::{
    self, Configuration, ExistingTests, FirstTests, ImplementerBrief, LeftWork, Prompt, Protected,
    RefactorerBrief, RetryCause, TestWriterBrief,
};
use tdd_core::attempt::AttemptKind;
use tdd_core::commands::Suite;
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::event::SupersedeRule;
use tdd_core::judge::Verdict;
use tdd_core::role::Key;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::seen::SeenTests;
use tdd_core::ports::{Agents, Checkpoints, Journal, Tests, World};

impl<W: World> Drive<'_, W> {
    pub(super) fn prompt(
        &mut self,
        key: &Key,
        kind: AttemptKind,
        seen: &SeenTests,
    ) -> Result<Prompt, Trouble> {
        match kind {
            AttemptKind::First => self.first_prompt(key, seen),
            AttemptKind::Semantic => {
                let first = self.first_prompt(key, seen)?;
                let entry = self.state.ledgers.get(key).and_then(|ledger| ledger.last());
                let cause = entry.and_then(|entry| match &entry.verdict {
                    Some(Verdict::Failed(fault)) => Some(RetryCause::of(fault, &entry.runs)),
                    Some(Verdict::Passed | Verdict::Disputed(_)) | None => None,
                });
                let cause =
                    cause.ok_or_else(|| Trouble::internal("a retry was ordered without a failure"))?;
                Ok(prompt::semantic_retry(&first, (&cause, LeftWork::of(key)), &self.setup.mask))
            }
            AttemptKind::Format => self.format_prompt(key, seen),
        }
    }

    fn format_prompt(&mut self, key: &Key, seen: &SeenTests) -> Result<Prompt, Trouble> {
        let goes_on = self.ports.agents.resumes(key);
        let entry = self.state.ledgers.get(key).and_then(|ledger| ledger.last());
        let said = entry.and_then(|entry| entry.outcome.as_ref()?.message.clone());
        let Some(said) = said else {
            let first = if goes_on { None } else { Some(self.first_prompt(key, seen)?) };
            return Ok(prompt::silence_retry(first.as_ref(), &self.setup.mask));
        };
        let previous = if goes_on { None } else { Some(self.ports.journal.fetch(&said)?) };
        let previous = previous.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(prompt::format_retry(&self.what_was_wrong(key), previous.as_deref(), &self.setup.mask))
    }

    fn first_prompt(&mut self, key: &Key, seen: &SeenTests) -> Result<Prompt, Trouble> {
        let first = match key {
            Key::TestWriter => self.test_writer_prompt(),
            Key::Implementer(id) => self.implementer_prompt(id, seen),
            Key::Refactorer => self.refactorer_prompt(),
        }?;
        let is_overruled = self.state.ledgers.get(key).is_some_and(|ledger| ledger.overruled);
        Ok(if is_overruled { prompt::with_overruled_dispute(&first, &self.setup.mask) } else { first })
    }

    fn test_writer_prompt(&mut self) -> Result<Prompt, Trouble> {
        let habits = self.habits()?;
        let fixed = self.configuration_among_tests()?;
        let run = &self.state.run;
        let more = self.state.more_tests_for();
        let in_hand = |criterion: &&Criterion| {
            run.plan.criteria.contains(&criterion.id) && (more.is_empty() || more.contains(&criterion.id))
        };
        let criteria: Vec<Criterion> = run.requirement.criteria.iter().filter(in_hand).cloned().collect();
        let allowed: Vec<String> = run.requirement.allow_config.iter().map(ToString::to_string).collect();
        let brief = TestWriterBrief {
            requirement: &run.requirement.path,
            title: run.requirement.title.as_deref(),
            criteria: &criteria,
            already_green: &run.plan.already_green,
            command: &run.commands.test,
            runner: run.commands.runner,
            habits: &habits,
            test_patterns: self.policy.test_patterns(),
            configuration: Configuration { fixed: &fixed, allowed: &allowed },
            existing_tests: match run.plan.supersede {
                SupersedeRule::AsListed => ExistingTests::MayBeSuperseded,
                SupersedeRule::Refuse => ExistingTests::Fixed,
            },
            turns: self.turns(&Key::TestWriter),
        };
        if more.is_empty() {
            return Ok(prompt::test_writer(&brief, &self.setup.mask));
        }
        Ok(prompt::more_tests(&brief, &self.first_tests(more), &self.setup.mask))
    }

    /// Files that fit a test pattern and that no role may write.
    fn configuration_among_tests(&mut self) -> Result<Vec<String>, Trouble> {
        let Some(zero) = self.state.facts.zero.clone() else { return Ok(Vec::new()) };
        let mut files = self.ports.checkpoints.files(&zero)?;
        files.retain(|file| self.policy.is_gate_among_tests(file));
        Ok(files.iter().map(ToString::to_string).collect())
    }

    /// The tests that these criteria have.
    fn first_tests(&self, criteria: &[CriterionId]) -> Vec<FirstTests> {
        let reds = self.state.red.iter().flat_map(|red| &red.criteria);
        let reds = reds.filter(|red| criteria.contains(&red.id));
        let names = reds.map(|red| {
            let tests = red.tests.iter().map(|test| test.id.0.clone()).collect();
            FirstTests { id: red.id.clone(), tests }
        });
        names.collect()
    }

    fn implementer_prompt(&self, id: &CriterionId, seen: &SeenTests) -> Result<Prompt, Trouble> {
        let run = &self.state.run;
        let criterion = run
            .requirement
            .criterion(id)
            .ok_or_else(|| Trouble::internal(format!("the requirement does not hold {id}")))?;
        let command = match &criterion.verify {
            Verify::Test => self.ports.tests.selection(Suite::Test, &self.files_of(id)),
            Verify::Gate => run.commands.gate.clone(),
            Verify::Mdtest(_) | Verify::Manual => run.commands.test.clone(),
        };
        let tests = self.policy.test_files();
        let protected = Protected { tests: &tests, but: &run.requirement.allow_config };
        let turns = self.turns(&Key::Implementer(id.clone()));
        let whole = self.ports.tests.everything();
        let (seen, whole) = (seen.as_told(), whole.as_str());
        let brief = ImplementerBrief { criterion, command: &command, seen, whole, protected, turns };
        Ok(prompt::implementer(&brief, &self.setup.mask))
    }

    fn refactorer_prompt(&mut self) -> Result<Prompt, Trouble> {
        let diff = self.work_as_diff()?;
        let run = &self.state.run;
        let tests = self.policy.test_files();
        let brief = RefactorerBrief {
            title: run.requirement.title.as_deref(),
            files: &self.state.worked_on,
            diff: &diff,
            gate: &run.commands.gate,
            red_gate: self.state.gate.as_ref().filter(|gate| !gate.green).map(|gate| &gate.run),
            protected: Protected { tests: &tests, but: &run.requirement.allow_config },
            turns: self.turns(&Key::Refactorer),
        };
        Ok(prompt::refactorer(&brief, &self.setup.mask))
    }

    /// What the implementers' work comes to, in production code.
    fn work_as_diff(&mut self) -> Result<String, Trouble> {
        let (Some(start), Some(good)) = (self.state.start.clone(), self.state.good.clone()) else {
            return Ok(String::new());
        };
        // No paths would mean all of them.
        if self.state.worked_on.is_empty() {
            return Ok(String::new());
        }
        self.ports.checkpoints.patch(&start, &good, &self.state.worked_on)
    }

    /// What the reader of blocks said against the last message.
    fn what_was_wrong(&self, key: &Key) -> String {
        let entry = self.state.ledgers.get(key).and_then(|ledger| ledger.last());
        let claim = entry.and_then(|entry| entry.outcome.as_ref()).map(|outcome| &outcome.claim);
        let error = claim.and_then(|claim| claim.as_ref().err());
        error
            .map(|error| match error.line {
                Some(line) => format!("line {line} of the message: {}", error.message),
                None => error.message.clone(),
            })
            .unwrap_or_default()
    }

    /// The role's skill and the project's instructions, both as of checkpoint 0.
    pub(super) fn role_text(&mut self, key: &Key) -> Result<String, Trouble> {
        let zero = self.state.facts.zero.clone();
        let project = self.state.run.project.clone();
        self.diff().role_text(key.role(), zero.as_ref(), &project)
    }
}
