//! What each role is told, from the state and from checkpoint 0, never from the tree as a child
//! left it: a role must not write the next one's instructions.

use crate::core::attempt::AttemptKind;
use crate::core::commands::Suite;
use crate::core::criterion::{Criterion, CriterionId, Verify};
use crate::core::event::SupersedeRule;
use crate::core::judge::Verdict;
use crate::core::role::Key;
use crate::core::trouble::Trouble;
use crate::text::prompt::{
    self, ExistingTests, ImplementerBrief, Prompt, RefactorerBrief, RetryCause, TestWriterBrief,
};

use super::drive::Drive;
use super::ports::{Agents, Journal, Tests, World};

impl<W: World> Drive<'_, W> {
    pub(super) fn prompt(&mut self, key: &Key, kind: AttemptKind) -> Result<Prompt, Trouble> {
        match kind {
            AttemptKind::First => self.first_prompt(key),
            AttemptKind::Semantic => {
                let first = self.first_prompt(key)?;
                let entry = self.state.ledgers.get(key).and_then(|ledger| ledger.last());
                let cause = entry.and_then(|entry| match &entry.verdict {
                    Some(Verdict::Failed(fault)) => Some(RetryCause::of(fault, &entry.runs)),
                    Some(Verdict::Passed | Verdict::Disputed(_)) | None => None,
                });
                let cause =
                    cause.ok_or_else(|| Trouble::internal("a retry was ordered without a failure"))?;
                Ok(prompt::semantic_retry(&first, &cause, &self.setup.mask))
            }
            AttemptKind::Format => {
                let previous =
                    if self.ports.agents.resumes(key) { None } else { self.previous_message(key)? };
                let retry = prompt::format_retry(previous.as_deref(), &self.setup.mask);
                Ok(retry)
            }
        }
    }

    fn first_prompt(&self, key: &Key) -> Result<Prompt, Trouble> {
        match key {
            Key::TestWriter => Ok(self.test_writer_prompt()),
            Key::Implementer(id) => self.implementer_prompt(id),
            Key::Refactorer => Ok(self.refactorer_prompt()),
            Key::Fixer => Err(Trouble::internal("a cycle asked for a fixer")),
        }
    }

    fn test_writer_prompt(&self) -> Prompt {
        let run = &self.state.run;
        let in_hand = |criterion: &&Criterion| run.plan.criteria.contains(&criterion.id);
        let criteria: Vec<Criterion> = run.requirement.criteria.iter().filter(in_hand).cloned().collect();
        let brief = TestWriterBrief {
            requirement: &run.requirement.path,
            criteria: &criteria,
            already_green: &run.plan.already_green,
            command: &run.commands.test,
            runner: run.commands.runner,
            test_folder: None,
            existing_tests: match run.plan.supersede {
                SupersedeRule::AsListed => ExistingTests::MayBeSuperseded,
                SupersedeRule::Refuse => ExistingTests::Fixed,
            },
            turns: self.turns(&Key::TestWriter),
        };
        prompt::test_writer(&brief, &self.setup.mask)
    }

    fn implementer_prompt(&self, id: &CriterionId) -> Result<Prompt, Trouble> {
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
        let protected = self.setup.policy.test_patterns();
        let turns = self.turns(&Key::Implementer(id.clone()));
        let brief = ImplementerBrief { criterion, command: &command, protected, turns };
        Ok(prompt::implementer(&brief, &self.setup.mask))
    }

    fn refactorer_prompt(&self) -> Prompt {
        let run = &self.state.run;
        let brief = RefactorerBrief {
            files: &self.state.worked_on,
            gate: &run.commands.gate,
            red_gate: self.state.gate.as_ref().filter(|gate| !gate.green).map(|gate| &gate.run),
            protected: self.setup.policy.test_patterns(),
            turns: self.turns(&Key::Refactorer),
        };
        prompt::refactorer(&brief, &self.setup.mask)
    }

    fn previous_message(&mut self, key: &Key) -> Result<Option<String>, Trouble> {
        let entry = self.state.ledgers.get(key).and_then(|ledger| ledger.last());
        let digest = entry.and_then(|entry| entry.outcome.as_ref()?.message.clone());
        let Some(digest) = digest else { return Ok(None) };
        let bytes = self.ports.journal.fetch(&digest)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The role's skill and the project's instructions, both as of checkpoint 0.
    pub(super) fn role_text(&mut self, key: &Key) -> Result<String, Trouble> {
        let zero = self.state.zero.clone();
        let project = self.state.run.project.clone();
        self.stock().role_text(key.role(), zero.as_ref(), &project)
    }
}
