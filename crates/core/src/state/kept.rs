//! Work that is kept, and what the state keeps of it.

use super::{Phase, Progress, State};
use crate::attempt::{Attempt, CheckpointId};
use crate::criterion::Verify;
use crate::event::StopAfter;
use crate::finding::{Findings, Notice, RedFindings};
use crate::held_out::More;
use crate::machine::Suspension;
use crate::path::RelPath;
use crate::policy::FileClass;
use crate::role::Key;
use crate::test::TestId;

/// Remarks that a state keeps.
const MOST_REMARKS: usize = 100;

impl State {
    pub(super) fn work_kept(
        &mut self,
        attempt: &Attempt,
        findings: Findings,
        checkpoint: &CheckpointId,
    ) -> Phase {
        let before = self.good.replace(checkpoint.clone());
        self.unclaimed = None;
        let is_more = self.writes_more(&attempt.key);
        if is_more {
            self.more = Some(More::Tried);
        }
        match (&attempt.key, findings) {
            (Key::TestWriter, Findings::Red(red)) => {
                red.greens.fold_into(&mut self.greens);
                for id in red.criteria.iter().map(|criterion| &criterion.id) {
                    let already = self.run.plan.already_green.contains(id);
                    let progress = if already { Progress::AlreadyGreen } else { Progress::Red };
                    self.progress.insert(id.clone(), progress);
                }
                if is_more {
                    self.of_second_writer = new_tests(&red, self.red.as_ref());
                }
                self.red = Some(red);
                self.red_tree = Some(checkpoint.clone());
            }
            (Key::Implementer(id), Findings::Green(green)) => {
                green.greens.fold_into(&mut self.greens);
                if let Some(judged) = green.judged {
                    self.judged = green.runs.get(judged.run).map(|run| (*judged, run.clone()));
                }
                let before = before.unwrap_or_else(|| attempt.before.clone());
                let work = self.work.entry(id.clone()).or_insert_with(|| (before, checkpoint.clone()));
                work.1 = checkpoint.clone();
                self.early_green.extend(green.early_green.then(|| id.clone()));
                self.collected = self.collected.max(green.collected_now);
                self.notice(&green.notices);
                self.note_work(&green.changed.iter().map(|c| (c.path.clone(), c.class)).collect::<Vec<_>>());
                let progress = match self.verify(id) {
                    Verify::Test | Verify::Gate => Progress::Green,
                    Verify::Manual | Verify::Mdtest(_) => Progress::Unverified,
                };
                self.progress.insert(id.clone(), progress);
            }
            (Key::Refactorer, Findings::Refactor(refactor)) => {
                self.notice(&refactor.notices);
                return self.to_the_end();
            }
            (Key::Refactorer, _) => return self.to_the_end(),
            (Key::TestWriter | Key::Implementer(_), _) => {}
        }
        if attempt.key == Key::TestWriter && !self.awaits_more_tests() {
            self.stop_after_red();
        }
        self.after_green()
    }

    /// RED is over, and nothing else was to be done.
    pub(super) fn stop_after_red(&mut self) {
        if self.run.plan.stop_after == StopAfter::Red {
            self.facts.suspension = Some(Suspension::Paused("stopped after RED, as asked".to_owned()));
        }
    }

    fn notice(&mut self, notices: &[Notice]) {
        let room = MOST_REMARKS.saturating_sub(self.notices.len());
        let new: Vec<Notice> = notices.iter().filter(|one| !self.notices.contains(one)).cloned().collect();
        self.notices.extend(new.into_iter().take(room));
    }

    fn note_work(&mut self, changed: &[(RelPath, FileClass)]) {
        for (path, class) in changed {
            if *class == FileClass::Source
                && let Err(at) = self.worked_on.binary_search(path)
            {
                self.worked_on.insert(at, path.clone());
            }
        }
    }
}

/// Tests of this RED that were not among those of the one before.
fn new_tests(red: &RedFindings, before: Option<&RedFindings>) -> Vec<TestId> {
    let of = |red: &RedFindings| -> Vec<TestId> {
        red.criteria.iter().flat_map(|criterion| &criterion.tests).map(|test| test.id.clone()).collect()
    };
    let known = before.map(of).unwrap_or_default();
    of(red).into_iter().filter(|id| !known.contains(id)).collect()
}
