//! Which known greens came and went: an event says that much and not all of them, because a run
//! of many attempts over many tests would else write every id down again and again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::test::TestId;

/// What changes [`State::greens`](crate::state::State::greens) once the work is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GreensChange {
    /// Green now and not known to be so before; sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<TestId>,
    /// Known greens that are so no more: superseded, moved, or gone; sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<TestId>,
}

impl GreensChange {
    /// What makes `now` out of `known`; neither has to be sorted.
    pub fn between<'t>(known: &'t [TestId], now: impl IntoIterator<Item = &'t TestId>) -> Self {
        let known: BTreeSet<&TestId> = known.iter().collect();
        let now: BTreeSet<&TestId> = now.into_iter().collect();
        let less = |one: &BTreeSet<&TestId>, other| one.difference(other).map(|id| (*id).clone()).collect();
        Self { gained: less(&now, &known), lost: less(&known, &now) }
    }

    /// Takes the change in. `greens` is sorted and without repeats afterwards if it was so before.
    pub fn fold_into(&self, greens: &mut Vec<TestId>) {
        if !self.lost.is_empty() {
            let lost: BTreeSet<&TestId> = self.lost.iter().collect();
            greens.retain(|id| !lost.contains(id));
        }
        if !self.gained.is_empty() {
            greens.extend(self.gained.iter().cloned());
            greens.sort();
            greens.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &str) -> Vec<TestId> {
        names.split_whitespace().map(|name| TestId(name.to_owned())).collect()
    }

    #[test]
    fn a_change_that_is_folded_in_makes_the_new_greens_of_the_old() {
        for (known, now, gained, lost) in [
            ("", "", "", ""),
            ("a b", "a b", "", ""),
            ("a b", "a b c", "c", ""),
            ("a c", "b c", "b", "a"),
            ("a b", "", "", "a b"),
            ("", "b a a", "a b", ""),
            ("c a", "a d", "d", "c"),
        ] {
            let change = GreensChange::between(&ids(known), &ids(now));
            assert_eq!(change, GreensChange { gained: ids(gained), lost: ids(lost) }, "{known} -> {now}");
            let mut greens = ids(known);
            greens.sort();
            change.fold_into(&mut greens);
            let mut want = ids(now);
            want.sort();
            want.dedup();
            assert_eq!(greens, want, "{known} -> {now}");
            change.fold_into(&mut greens);
            assert_eq!(greens, want, "twice is once: {known} -> {now}");
        }
    }
}
