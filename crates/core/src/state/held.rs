//! Held-out tests: what a state knows of them, and what follows.

use super::{Phase, Progress, State};
use crate::attempt::AttemptKind;
use crate::criterion::CriterionId;
use crate::finding::{CriterionRed, RedFindings};
use crate::held_out::{Back, Held, HeldOut, Hidden, Hold, Holding, More, Parted, Parting, Where};
use crate::mapping::Mapping;
use crate::path::RelPath;
use crate::role::Key;

impl State {
    /// RED stands, and the coin was not thrown yet.
    fn is_to_be_parted(&self) -> bool {
        self.run.plan.held_out == Holding::On && self.held.is_none() && self.red.is_some()
    }

    /// Whether a second test-writer is still to be asked for: then RED is not over.
    pub(super) fn awaits_more_tests(&self) -> bool {
        let has_one =
            |red: &CriterionRed| red.tests.len() == 1 && !self.run.plan.already_green.contains(&red.id);
        let reds = self.red.iter().flat_map(|red| &red.criteria);
        self.more.is_none() && self.is_to_be_parted() && reds.into_iter().any(has_one)
    }

    /// What comes between RED and the first implementer, where tests are held out.
    pub(super) fn before_the_first_green(&self) -> Option<Phase> {
        let phase = match &self.more {
            Some(More::Due(criteria)) if !criteria.is_empty() => {
                Phase::Due { key: Key::TestWriter, kind: AttemptKind::First }
            }
            Some(More::Due(_) | More::Tried) | None => Phase::HoldingOut { step: Hold::Part },
        };
        self.is_to_be_parted().then_some(phase)
    }

    /// The criteria that a second test-writer writes for, while it does.
    pub fn more_tests_for(&self) -> &[CriterionId] {
        match &self.more {
            Some(More::Due(criteria)) if self.is_to_be_parted() => criteria,
            Some(More::Due(_) | More::Tried) | None => &[],
        }
    }

    /// Whether attempts of this key are of the second test-writer.
    pub(super) fn writes_more(&self, key: &Key) -> bool {
        *key == Key::TestWriter && !self.more_tests_for().is_empty()
    }

    fn more_tests_due(&mut self, criteria: &[CriterionId]) -> Phase {
        self.more = Some(More::Due(criteria.to_vec()));
        self.unclaimed = None;
        self.fresh(&Key::TestWriter);
        Phase::Due { key: Key::TestWriter, kind: AttemptKind::First }
    }

    /// Its session came to nothing: the criteria are judged by the tests that they have.
    pub(super) fn without_more_tests(&mut self) -> Phase {
        self.more = Some(More::Tried);
        self.unclaimed = None;
        self.stop_after_red();
        self.after_green()
    }

    pub(super) fn held_out(&mut self, step: Hold, held: &Held) -> Result<Phase, Box<Phase>> {
        match (step, held) {
            (Hold::Part, Held::More { criteria }) if self.more.is_none() && !criteria.is_empty() => {
                Ok(self.more_tests_due(criteria))
            }
            (Hold::Part, Held::Parted(parting)) => Ok(self.tests_parted(parting)),
            (Hold::TakeOut, Held::Out { checkpoint }) => {
                self.good = Some(checkpoint.clone());
                if let Some(held) = &mut self.held {
                    held.place = Where::Out;
                }
                Ok(self.after_green())
            }
            (Hold::BringBack, Held::Back(back)) => Ok(self.brought_back(back)),
            (Hold::Part | Hold::TakeOut | Hold::BringBack, _) => Err(Box::new(Phase::HoldingOut { step })),
        }
    }

    /// From now on RED is what is shown.
    fn tests_parted(&mut self, parting: &Parting) -> Phase {
        // None of them could have been parted whatever a second one wrote.
        if self.awaits_more_tests() {
            self.stop_after_red();
        }
        let mut hidden = Vec::new();
        if let Some(red) = &mut self.red {
            hidden.extend(parting.criteria.iter().filter_map(|parted| hide(red, parted)));
        }
        let is_out = hidden.is_empty();
        // What RED printed tells of all of them.
        if let Some(red) = self.red.as_mut().filter(|_| !is_out) {
            red.runs.clear();
        }
        self.held = Some(Box::new(HeldOut::new(parting.clone(), hidden)));
        if is_out { self.after_green() } else { Phase::HoldingOut { step: Hold::TakeOut } }
    }

    /// RED with shown and hidden tests, for whoever lays both.
    pub fn mapping_with_hidden(&self) -> Mapping {
        let mut mapping = self.red.as_ref().map(|red| red.mapping.clone()).unwrap_or_default();
        for hidden in self.held.iter().flat_map(|held| &held.red) {
            map_back(&mut mapping, hidden);
        }
        mapping
    }

    /// Which of them are among the tests that the tree holds now, because a person has put them there.
    pub(super) fn note_put_back(&mut self) {
        let (Some(held), Some(red)) = (&mut self.held, &self.red) else { return };
        let is_there = |hidden: &&CriterionRed| {
            let known = red.of(&hidden.id);
            known.is_some_and(|known| {
                hidden.tests.iter().all(|test| known.tests.iter().any(|other| other.id == test.id))
            })
        };
        held.put_back = held.red.iter().filter(is_there).map(|hidden| hidden.id.clone()).collect();
    }

    fn brought_back(&mut self, back: &Back) -> Phase {
        self.good = Some(back.checkpoint.clone());
        self.judged = None;
        let Some(held) = &mut self.held else { return self.to_the_end() };
        held.place = Where::Back;
        held.not_back.clone_from(&back.not_back);
        held.unjudged.clone_from(&back.unjudged);
        let is_here = |red: &&CriterionRed| !red.files.iter().any(|file| back.not_back.contains(file));
        let hidden: Vec<CriterionRed> = held.red.iter().filter(is_here).cloned().collect();
        if let Some(red) = &mut self.red {
            for hidden in hidden {
                map_back(&mut red.mapping, &hidden);
                if let Some(known) = red.criteria.iter_mut().find(|known| known.id == hidden.id) {
                    let new = hidden.files.iter().filter(|file| !known.files.contains(file));
                    let new: Vec<RelPath> = new.cloned().collect();
                    known.files.extend(new);
                    // A person may have put them back before.
                    let new = hidden.tests.into_iter();
                    let new = new.filter(|test| !known.tests.iter().any(|other| other.id == test.id));
                    let new: Vec<_> = new.collect();
                    known.tests.extend(new);
                }
            }
        }
        self.greens.extend(back.green.iter().cloned());
        self.greens.sort();
        self.greens.dedup();
        let Some(halt) = &back.halt else { return self.to_the_end() };
        if let Some(id) = halt.key.criterion() {
            self.progress.insert(id.clone(), Progress::Red);
        }
        let last = self.ledgers.get_mut(&halt.key).and_then(|ledger| ledger.entries.last_mut());
        if let Some(entry) = last {
            entry.verdict = Some(halt.verdict.clone());
        }
        Phase::Halting { halt: halt.clone() }
    }

    /// Criteria with hidden tests that judge work now: those that were reached.
    pub fn held_out_due(&self) -> Vec<CriterionId> {
        let Some(held) = self.held.as_ref().filter(|held| held.place == Where::Out) else {
            return Vec::new();
        };
        let ids = held.red.iter().map(|red| red.id.clone());
        ids.filter(|id| self.is_reached(id)).collect()
    }
}

/// Takes the hidden tests of one criterion out of RED, and gives them.
fn hide(red: &mut RedFindings, parted: &Parted) -> Option<CriterionRed> {
    let known = red.criteria.iter_mut().find(|known| known.id == parted.id)?;
    if parted.hidden.is_empty() {
        return None;
    }
    let gone = |how: Hidden| parted.files.iter().filter(move |file| file.how == how).map(|file| &file.path);
    let is_gone = |path: &_| gone(Hidden::Whole).any(|file| file == path);
    let (hidden, shown) = known.tests.drain(..).partition(|test| parted.hidden.contains(&test.id));
    known.tests = shown;
    known.files.retain(|file| !is_gone(file));
    if let Some(owned) = red.mapping.owned.get_mut(&parted.id) {
        owned.files.retain(|file| !is_gone(file));
        owned.ids.retain(|id| !parted.hidden.contains(id));
    }
    let files = parted.files.iter().map(|file| file.path.clone()).collect();
    Some(CriterionRed { id: parted.id.clone(), files, tests: hidden, may_skip: Vec::new() })
}

fn map_back(mapping: &mut Mapping, hidden: &CriterionRed) {
    let owned = mapping.owned.entry(hidden.id.clone()).or_default();
    let new: Vec<_> = hidden.files.iter().filter(|file| !owned.files.contains(file)).cloned().collect();
    owned.files.extend(new);
}

#[cfg(test)]
mod tests;
