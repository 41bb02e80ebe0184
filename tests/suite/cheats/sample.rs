//! The part of the battery that every change is tried on.
//!
//! Every tenth cheat that proves a guard, at level `audit`: what that guard catches must be caught, as `guards`
//! shows that it is missed without it. Of all other cheats of a group some, at level `enforce` and in the
//! runner that takes the least time. Of the honest children of that runner every twenty-fourth, by turns at one
//! level, and one of each other runner. `.ci/nightly/cheats` plays all.

use std::collections::BTreeSet;

use super::entry::{Entry, Intent};
use super::guards::PROOFS;
use super::projects;
use super::stage::Level;

/// Of so many cheats that prove no guard one is played.
const ONE_OF: usize = 64;

/// Of so many that do one is.
const PROOF_ONE_OF: usize = 10;

/// Of so many honest children one is.
const HONEST_ONE_OF: usize = 24;

pub fn of(groups: &[Vec<Entry>]) -> Vec<(&Entry, Level)> {
    let mut runners = BTreeSet::from([projects::UNITTEST.test]);
    groups.iter().flat_map(|group| of_group(group, &mut runners)).collect()
}

/// `runners`: those of which an honest child is played already.
fn of_group<'a>(group: &'a [Entry], runners: &mut BTreeSet<&'static str>) -> Vec<(&'a Entry, Level)> {
    let mut sample = Vec::new();
    let mut others = 0;
    for entry in group {
        let is_quick = entry.project.test == projects::UNITTEST.test && entry.project.disk.is_none();
        let level = match entry.intent {
            _ if proves_a_guard(entry) => is_chosen_proof(entry).then_some(Level::Audit),
            Intent::Honest if is_quick => {
                others += 1;
                let by_turns = if others % (2 * HONEST_ONE_OF) == 1 { Level::Enforce } else { Level::Audit };
                (others % HONEST_ONE_OF == 1).then_some(by_turns)
            }
            Intent::Honest if runners.insert(entry.project.test) => Some(Level::Enforce),
            Intent::Cheat if is_quick => {
                others += 1;
                (others % ONE_OF == 1).then_some(Level::Enforce)
            }
            Intent::Honest | Intent::Cheat => None,
        };
        // A machine without a sandbox has said so.
        let level = level.filter(|level| Level::known().contains(level)).or(level.map(|_| Level::Audit));
        sample.extend(level.map(|level| (entry, level)));
    }
    // A group without a quick cheat of its own.
    if Level::known().contains(&Level::Enforce) && sample.iter().all(|(_, level)| *level == Level::Audit) {
        sample.extend(group.first().map(|entry| (entry, Level::Enforce)));
    }
    sample
}

fn proves_a_guard(entry: &Entry) -> bool {
    PROOFS.iter().any(|(_, name)| *name == entry.name)
}

fn is_chosen_proof(entry: &Entry) -> bool {
    PROOFS.iter().step_by(PROOF_ONE_OF).any(|(_, name)| *name == entry.name)
}

#[test]
fn every_tenth_guard_and_every_group_is_in_the_sample() {
    let groups = [super::cheats(), super::honests()].concat();
    let sample = of(&groups);
    for (guard, name) in PROOFS.iter().step_by(PROOF_ONE_OF) {
        assert!(
            sample.iter().any(|(entry, level)| entry.name == *name && *level == Level::Audit),
            "{guard:?}"
        );
    }
    for (at, group) in groups.iter().enumerate() {
        let of_group = of(std::slice::from_ref(group));
        assert!(!of_group.is_empty(), "group {at}");
        if Level::known().contains(&Level::Enforce) {
            assert!(of_group.iter().any(|(_, level)| *level == Level::Enforce), "group {at}");
        }
    }
    let all = groups.iter().flatten().count();
    assert!(sample.len() >= 30 && sample.len() * 2 < all, "{} of {all}", sample.len());
}
