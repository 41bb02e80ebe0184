//! The Markdown test of a criterion (`verify: mdtest PATH`), after the last GREEN.
//!
//! Its outcome is an agent's word: it is journalled and shown, and no verdict hears of it. What the
//! agent did to the tree meanwhile is put back, as after any verifying run.

use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::Event;
use tdd_core::mdtest::{AgentWord, Status, Voice};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::measure::put_back_touched;
use super::whose::{held, kept_as};
use tdd_core::ports::{Agents, Checkpoints, Journal, Limits, MdtestOrder, Protection, World};

/// The deadline is what bounds a test.
const TURNS: u32 = 1000;

impl<W: World> Drive<'_, W> {
    pub(super) async fn hear_mdtest(&mut self, criterion: &CriterionId) -> Result<Vec<Event>, Trouble> {
        let Verify::Mdtest(name) = self.state.verify(criterion) else {
            return Err(Trouble::internal("a Markdown test was ordered for a criterion that has none"));
        };
        let heard = |word| Event::MdtestHeard { criterion: criterion.clone(), word };
        let Some(text) = self.as_before_the_first_fork(&name)? else {
            let reason = Some("there was no such file before the first attempt".to_owned());
            return Ok(vec![heard(AgentWord {
                test: name,
                status: Status::Fail,
                voice: Voice::Tdd,
                reason,
                log: String::new(),
            })]);
        };
        self.ports.checkpoints.record_git()?;
        self.ports.protection.seal(&[FileClass::Test, FileClass::Gate], &[])?;
        let limits = Limits { turns: TURNS, caps: self.allowance(), ..self.setup.limits };
        let order = MdtestOrder { criterion: criterion.clone(), test: name.clone(), text, limits };
        let audience = &mut *self.audience;
        let mut hear = |news| audience.news(&news);
        let report = self.ports.agents.mdtest(&order, &mut hear).await?;
        let log = match &report.log {
            None => String::new(),
            Some(log) => {
                let file = format!("mdtest-{}.log.md", criterion.slug());
                let masked = (self.setup.mask)(&String::from_utf8_lossy(log));
                self.ports.journal.keep(&file, masked.as_bytes())?;
                format!("{}/{file}", self.setup.run_dir)
            }
        };
        let mut events = self.put_git_back()?;
        let found = self.ports.checkpoints.take("found")?;
        let touched = self.ports.protection.check()?;
        let found = self.with_ignored(&found, &touched)?;
        let edited = held(&self.ports.protection, &touched);
        self.refuse_edited(&edited, &found)?;
        let (touched, told) = put_back_touched(&mut self.ports.protection)?;
        events.extend(told.into_iter().chain(kept_as(&found, touched.iter())));
        events.extend(self.discard_what_is_left("the agent of the Markdown test")?.1);
        let reason = report.reason.map(|reason| (self.setup.mask)(&reason));
        events.push(heard(AgentWord { test: name, status: report.status, voice: report.voice, reason, log }));
        Ok(events)
    }

    /// The file in checkpoint 0; the path is relative to the project.
    fn as_before_the_first_fork(&mut self, path: &str) -> Result<Option<Vec<u8>>, Trouble> {
        let project = &self.state.run.project;
        let path = if project.is_empty() { path.to_owned() } else { format!("{project}/{path}") };
        let Some((path, zero)) = RelPath::new(&path).zip(self.state.facts.zero.clone()) else {
            return Ok(None);
        };
        self.ports.checkpoints.read(&zero, &path)
    }
}
