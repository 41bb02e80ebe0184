//! Held-out tests: parted by a coin after RED, taken out of the work tree, and brought back at the end (contract
//! section 7). What judges work by them meanwhile is in `measure/held_out.rs`.

mod parting;
mod rests;

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::criterion::CriterionId;
use tdd_core::event::Event;
use tdd_core::evidence::evidence;
use tdd_core::finding::CriterionRed;
use tdd_core::held_out::{Back, Held, HeldFile, HeldOut, Hidden, Hold};
use tdd_core::judge;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{CanaryWish, Checkpoints, Protection, TestOrder, Tests, World};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::measure::facts;

/// A file and what it is to hold; none if it is not to be there.
pub(super) type Laid = (RelPath, Option<Vec<u8>>);

impl<W: World> Drive<'_, W> {
    pub(super) async fn hold_out(&mut self, step: Hold) -> Result<Vec<Event>, Trouble> {
        match step {
            Hold::Part => self.part_tests().await,
            Hold::TakeOut => self.take_out(),
            Hold::BringBack => self.bring_back().await,
        }
    }

    pub(super) fn held(&self) -> Result<HeldOut, Trouble> {
        let held = self.state.held.as_deref().cloned();
        held.ok_or_else(|| Trouble::internal("held-out tests were asked for in a run that has none"))
    }

    /// What no role is to see is out of sight for its children and for the commands that run its code. For every
    /// process that goes on with the run.
    pub(super) fn hide_held_out(&mut self) -> Result<(), Trouble> {
        let held = self.state.held.as_deref().filter(|held| held.hides());
        let Some((whole, shown)) = held.map(|held| held.parting.whole.clone()).zip(self.state.good.clone())
        else {
            return self.ports.checkpoints.show_all();
        };
        let start = self.state.start.clone().into_iter().chain(self.state.facts.zero.clone());
        let open: Vec<CheckpointId> = start.chain([shown]).collect();
        let packed = self.ports.checkpoints.hide(&whole, &open)?;
        if packed > 0 {
            let text = format!(
                "{packed} git objects with held-out tests lie in a pack with the project's own, where a role could \
                 read them"
            );
            self.audience.news(&News::Note(text));
        }
        Ok(())
    }

    /// Can be done again by whoever goes on with a run that was killed meanwhile.
    fn take_out(&mut self) -> Result<Vec<Event>, Trouble> {
        let held = self.held()?;
        let files = held.files();
        let shown = self.shown_files(&held)?;
        self.take_reports_out(&held)?;
        self.ports.checkpoints.write(&shown)?;
        let paths: Vec<RelPath> = files.into_iter().map(|file| file.path).collect();
        self.ports.tests.forget(&paths)?;
        self.ports.protection.seal(&[FileClass::Gate, FileClass::Test], &[])?;
        let checkpoint = self.ports.checkpoints.take("held-out")?;
        let seen = Event::TreeSeen { tree: checkpoint.clone() };
        let held = Box::new(Held::Out { checkpoint });
        let events = vec![seen, Event::HeldOut { held }];
        self.record(&events)?;
        self.hide_held_out()?;
        Ok(Vec::new())
    }

    /// By-products of runs that had all tests, such as a report that quotes each that failed, are as at the start.
    fn take_reports_out(&mut self, held: &HeldOut) -> Result<(), Trouble> {
        let Some(start) = self.state.start.clone() else { return Ok(()) };
        let changed = self.ports.checkpoints.diff(&start, &held.parting.whole)?;
        let mut reports: Vec<RelPath> = changed.into_iter().map(|change| change.path).collect();
        reports.retain(|path| self.policy.classify(path) == FileClass::ByProduct);
        if reports.is_empty() { Ok(()) } else { self.ports.checkpoints.restore(&start, &reports) }
    }

    /// The files with hidden tests as roles may see them.
    fn shown_files(&mut self, held: &HeldOut) -> Result<Vec<Laid>, Trouble> {
        let whole = &held.parting.whole;
        let mut shown = Vec::new();
        for HeldFile { path, how } in held.files() {
            let text = match how {
                Hidden::Whole => None,
                Hidden::Cut => {
                    let hidden = held.hidden_in(&path);
                    let source = self.ports.checkpoints.read(whole, &path)?.unwrap_or_default();
                    let cut = parting::cut(&path, &source, &hidden);
                    Some(cut.ok_or_else(|| Trouble::internal(format!("{path} can't be cut any more")))?)
                }
            };
            shown.push((path, text));
        }
        Ok(shown)
    }

    /// The same files with all of their tests.
    pub(super) fn whole_files(&mut self, held: &HeldOut) -> Result<Vec<Laid>, Trouble> {
        let files = held.files().into_iter();
        let read = |file: HeldFile| {
            let text = self.ports.checkpoints.read(&held.parting.whole, &file.path)?;
            Ok((file.path, text))
        };
        files.map(read).collect()
    }

    async fn bring_back(&mut self) -> Result<Vec<Event>, Trouble> {
        let held = self.held()?;
        let now = self.state.facts.tree.clone().or_else(|| self.state.good.clone());
        let not_back = self.edited_meanwhile_in(&held, now)?;
        let mut back: Vec<RelPath> = held.files().into_iter().map(|file| file.path).collect();
        back.retain(|path| !not_back.contains(path));
        self.ports.checkpoints.show_all()?;
        self.ports.checkpoints.restore(&held.parting.whole, &back)?;
        self.ports.protection.seal(&[FileClass::Gate, FileClass::Test], &[])?;
        let checkpoint = self.ports.checkpoints.take("brought-back")?;
        self.record(&[Event::TreeSeen { tree: checkpoint.clone() }])?;
        let (green, red, mut events) = self.judge_back(&held, &not_back).await?;
        let (_, put_back) = self.discard_what_is_left("the held-out tests")?;
        events.extend(put_back);
        events.push(self.see_tree()?);
        let unjudged = unjudged(&held, &self.state.held_out_due(), &not_back);
        let back = Back { checkpoint, green, not_back, unjudged, halt: judge::held_out(&red) };
        events.push(Event::HeldOut { held: Box::new(Held::Back(back)) });
        Ok(events)
    }

    /// Where somebody has changed the file that shows the rest, theirs stands.
    pub(super) fn edited_meanwhile_in(
        &mut self,
        held: &HeldOut,
        now: Option<CheckpointId>,
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(now) = now else { return Ok(Vec::new()) };
        let whole = self.whole_files(held)?;
        let mut edited = Vec::new();
        for ((path, shown), (_, whole)) in self.shown_files(held)?.into_iter().zip(whole) {
            let there = self.ports.checkpoints.read(&now, &path)?;
            if there != shown && there != whole {
                edited.push(path);
            }
        }
        Ok(edited)
    }

    /// All together in the work tree, twice where one is red: which are green, and whose are not.
    async fn judge_back(
        &mut self,
        held: &HeldOut,
        not_back: &[RelPath],
    ) -> Result<(Vec<TestId>, Vec<CriterionId>, Vec<Event>), Trouble> {
        let due: Vec<CriterionId> = self.state.held_out_due();
        let mapping = self.state.mapping_with_hidden();
        let files = held.test_files();
        let mut order = TestOrder {
            label: "held-out tests".to_owned(),
            without: mapping.without(&self.unreached(None)),
            told_apart: files.clone(),
            canary: CanaryWish::Beside(files),
            ..TestOrder::default()
        };
        let shown: BTreeSet<TestId> = self.state.greens.iter().cloned().collect();
        let mut events = Vec::new();
        let mut green = BTreeSet::new();
        let mut red: Vec<CriterionId> = due.clone();
        let mut toothless = BTreeSet::new();
        for _ in 0..2 {
            let run = self.run_unseen(&order).await?;
            let Some(report) = run.report.as_ref().filter(|_| evidence(&run).is_ok()) else { continue };
            let asked = |test: &TestId| {
                due.iter().find(|id| mapping.results(id, report).iter().any(|result| result.id == *test))
            };
            toothless.extend(run.copies.toothless.iter().filter_map(asked).cloned());
            let mut still = Vec::new();
            for id in &due {
                let hidden = self.hidden_results(id, report, &shown);
                let is_back = held
                    .red
                    .iter()
                    .any(|red| red.id == *id && !red.files.iter().any(|file| not_back.contains(file)));
                if is_back && !hidden.is_green {
                    still.push(id.clone());
                }
                green.extend(hidden.passed());
            }
            let is_hidden = |id: &TestId| green.contains(id);
            events = facts(&run, report, |test| is_hidden(&test.id));
            red.retain(|id| still.contains(id));
            if red.is_empty() {
                break;
            }
            order.canary = CanaryWish::None;
        }
        for id in toothless {
            let text = format!(
                "held-out tests of {id} pass whatever they expect: copies with another expectation passed"
            );
            self.audience.news(&News::Note(text));
            red.extend((!red.contains(&id)).then_some(id));
        }
        Ok((green.into_iter().collect(), red, events))
    }
}

/// Criteria whose hidden tests say nothing of the work.
fn unjudged(held: &HeldOut, due: &[CriterionId], not_back: &[RelPath]) -> Vec<CriterionId> {
    let is_so =
        |red: &&CriterionRed| !due.contains(&red.id) || red.files.iter().any(|file| not_back.contains(file));
    held.red.iter().filter(is_so).map(|red| red.id.clone()).collect()
}
