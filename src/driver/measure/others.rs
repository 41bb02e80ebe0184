//! What came while a role was at work, that role may not make, and most likely somebody else has made: files such as
//! were seen to come while no role was alive. They are put back, kept and named as any forbidden work is, so that
//! nothing rests on them; but the role is not blamed. So are files that a test-writer's block does not name.

use std::collections::BTreeSet;

use tdd_core::claim::Claim;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange, RedFindings};
use tdd_core::judge;
use tdd_core::likeness;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::{Drive, Work, listed};
use crate::driver::unclaimed::beside_named;

impl<W: World> Drive<'_, W> {
    /// Takes out of the changes, and of those that are forbidden, what is most likely somebody else's.
    pub(super) fn somebody_elses(
        &self,
        changed: &mut Vec<ClassedChange>,
        forbidden: &mut Vec<RelPath>,
        known: &BTreeSet<RelPath>,
    ) -> Vec<RelPath> {
        let (others, own): (Vec<RelPath>, Vec<RelPath>) =
            std::mem::take(forbidden).into_iter().partition(|path| self.is_like_theirs(path, known));
        *forbidden = own;
        changed.retain(|change| !others.contains(&change.path));
        others
    }

    /// Takes out of the findings the files that the test-writer may not change and its block, though it names others,
    /// does not name: a person may have saved them meanwhile. They are put back, so that whoever wrote them gains
    /// nothing; where the tests are no RED without them, or a new one is named in a test, they were needed, and stay held
    /// against the attempt.
    pub(super) fn leave_out_unnamed(
        &mut self,
        claim: Option<&Claim>,
        work: &Work,
        findings: &mut RedFindings,
    ) -> Result<Vec<RelPath>, Trouble> {
        let changed = work.changed.iter().map(|change| &change.path);
        let unnamed = beside_named(changed, claim.into_iter(), &self.state.run.project);
        let is_others =
            |path: &RelPath| unnamed.contains(path) && self.policy.classify(path) == FileClass::Source;
        let (others, own): (Vec<RelPath>, Vec<RelPath>) =
            findings.forbidden.iter().cloned().partition(is_others);
        if others.is_empty() || self.are_named_in_tests(&others, work)? {
            return Ok(Vec::new());
        }
        let mut without = RedFindings { forbidden: own, ..findings.clone() };
        without.changed.retain(|change| !others.contains(&change.path));
        if !judge::red_faults(&self.state.run.plan, &without).is_empty() {
            return Ok(Vec::new());
        }
        *findings = without;
        Ok(others)
    }

    /// Whether a test that was written names one of these files that are new, as whoever loads it does.
    fn are_named_in_tests(&mut self, paths: &[RelPath], work: &Work) -> Result<bool, Trouble> {
        let is_new =
            |change: &&ClassedChange| change.kind == ChangeKind::Added && paths.contains(&change.path);
        let new: Vec<&RelPath> = work.changed.iter().filter(is_new).map(|change| &change.path).collect();
        for test in work.changed.iter().filter(|change| change.class == FileClass::Test) {
            let text = self.diff().source(&work.after, &test.path)?.unwrap_or_default();
            if new.iter().any(|path| text.contains(path.stem())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// New data whose name differs by a time, a process or an id alone from one that came while no role was alive, and
    /// that the project's own commands did not make: a server at work writes such.
    fn is_like_theirs(&self, path: &RelPath, known: &BTreeSet<RelPath>) -> bool {
        let is_data = Language::of(path.extension()).is_none();
        is_data
            && !known.contains(path)
            && self.policy.classify(path) == FileClass::Source
            && self.state.facts.theirs.iter().any(|theirs| likeness::is_named_like(theirs, path))
    }
}

/// What a person is told of it.
pub(super) fn told_of_others(others: &[RelPath]) -> Option<Event> {
    told(others, "most likely somebody else's")
}

/// The same of what a block does not name.
pub(super) fn told_of_unnamed(others: &[RelPath]) -> Option<Event> {
    told(others, "no block names it, so it may be somebody else's")
}

fn told(others: &[RelPath], why: &str) -> Option<Event> {
    let text = format!("{}: {why}, held against nobody; put back", listed(others.iter()).join(", "));
    (!others.is_empty()).then(|| Event::Restored { what: vec![text] })
}
