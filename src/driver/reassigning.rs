//! Production code that gives a function of others another meaning for the whole program: older tests, which call it as
//! they always did, would expect something else by it.

use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{ChangeKind, ClassedChange, Notice, TestAware, TestAwareKind};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Language, Reassigned, Use, Whose, reassigned, use_of_reassigned};

use super::cycle::Drive;
use super::work_diff::{Between, WorkDiff};

/// What is refused, and what is told alone: done only where somebody calls for it, or of a class.
type Reassigning = (Vec<TestAware>, Vec<Notice>);

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// Sources that reassign what tests from before the run use, and that no changed file reassigned then.
    pub(in crate::driver) fn reassigning(
        &mut self,
        (zero, after): Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Reassigning, Trouble> {
        let is_source = |change: &&ClassedChange| {
            change.class == FileClass::Source
                && Language::of(change.path.extension()).is_some_and(|language| is_like(language, language))
        };
        let sources: Vec<&ClassedChange> = changed.iter().filter(is_source).collect();
        if sources.is_empty() {
            return Ok(Reassigning::default());
        }
        let files = self.files_at(after)?;
        let mut new: Vec<(Language, &RelPath, Reassigned)> = Vec::new();
        for change in sources.iter().filter(|change| change.kind != ChangeKind::Deleted) {
            new.extend(self.reassigned_by(&change.path, (after, &files), Whose::Others)?);
        }
        if new.is_empty() {
            return Ok(Reassigning::default());
        }
        let files = self.files_at(zero)?;
        for change in &sources {
            let known = self.reassigned_by(&change.path, (zero, &files), Whose::Others)?;
            let is_known = |shown: &str| known.iter().any(|(_, _, known)| known.shown == shown);
            new.retain(|(_, _, what)| !is_known(&what.shown));
        }
        let used = self.uses_of(&new, zero)?;
        let mut told = Reassigning::default();
        for ((_, path, what), (found, from)) in new.into_iter().zip(used) {
            let (path, name) = (path.clone(), what.shown);
            match (found, from) {
                (Use::Calls, Some(from)) if what.at_load => {
                    told.0.push(TestAware { path, kind: TestAwareKind::Reassigns { name, from } });
                }
                (Use::Calls | Use::Says, Some(from)) => {
                    told.1.push(Notice::Reassigns { path, name, from });
                }
                (Use::None, _) | (_, None) => {}
            }
        }
        Ok(told)
    }

    /// How a file of tests uses each of these at most, and which one.
    fn uses_of(
        &mut self,
        new: &[(Language, &RelPath, Reassigned)],
        zero: &CheckpointId,
    ) -> Result<Vec<(Use, Option<RelPath>)>, Trouble> {
        let mut tests: Vec<RelPath> = self.checkpoints.files(zero)?.into_iter().collect();
        tests.retain(|path| self.policy.classify(path) == FileClass::Test);
        let mut used = vec![(Use::None, None); new.len()];
        for from in tests {
            let Some(language) = Language::of(from.extension()) else { continue };
            let Some(text) = self.source(zero, &from)? else { continue };
            for (at, (_, path, what)) in
                new.iter().enumerate().filter(|(_, (other, ..))| is_like(*other, language))
            {
                let found = use_of_reassigned(language, &text, what);
                let is_near = language != Language::Go || from.folder() == path.folder();
                if found > used[at].0 && from != **path && is_near {
                    used[at] = (found, Some(from.clone()));
                }
            }
        }
        Ok(used)
    }

    /// The same of files of tests in Python, which share one process, functions of anybody's that older tests call; and in
    /// Go, which share a package.
    pub(in crate::driver) fn reassigned_by_tests(
        &mut self,
        (zero, after): Between<'_>,
        changed: &[ClassedChange],
    ) -> Result<Vec<(RelPath, Reassigned, RelPath)>, Trouble> {
        let is_test = |change: &&ClassedChange| {
            change.class == FileClass::Test
                && change.kind != ChangeKind::Deleted
                && matches!(change.path.extension(), "py" | "go")
        };
        let mut new: Vec<(Language, &RelPath, Reassigned)> = Vec::new();
        let tests: Vec<&ClassedChange> = changed.iter().filter(is_test).collect();
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        let (then, now) = (self.files_at(zero)?, self.files_at(after)?);
        for change in tests {
            let known = self.reassigned_by(&change.path, (zero, &then), Whose::Anybodys)?;
            let is_known = |shown: &str| known.iter().any(|(_, _, known)| known.shown == shown);
            let all = self.reassigned_by(&change.path, (after, &now), Whose::Anybodys)?;
            new.extend(all.into_iter().filter(|(_, _, what)| what.at_load && !is_known(&what.shown)));
        }
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let used = self.uses_of(&new, zero)?;
        let called = new.into_iter().zip(used).filter(|(_, (found, _))| *found == Use::Calls);
        Ok(called.filter_map(|((_, path, what), (_, from))| Some((path.clone(), what, from?))).collect())
    }

    fn reassigned_by<'p>(
        &mut self,
        path: &'p RelPath,
        (at, files): (&CheckpointId, &Files),
        whose: Whose,
    ) -> Result<Vec<(Language, &'p RelPath, Reassigned)>, Trouble> {
        let (Some(language), Some(text)) = (Language::of(path.extension()), self.source(at, path)?) else {
            return Ok(Vec::new());
        };
        let all = reassigned(language, (files, path), &text, whose);
        Ok(all.into_iter().map(|what| (language, path, what)).collect())
    }
}

/// Scripts with types and without are one language at run time.
fn is_like(one: Language, other: Language) -> bool {
    let is_alone = |language| matches!(language, Language::Python | Language::Go);
    other != Language::Rust && (one == other || !(is_alone(one) || is_alone(other)))
}

impl<W: World> Drive<'_, W> {
    pub(super) fn newly_reassigned(
        &mut self,
        after: &CheckpointId,
        changed: &[ClassedChange],
    ) -> Result<Reassigning, Trouble> {
        match self.state.facts.zero.clone() {
            Some(zero) => self.diff().reassigning((&zero, after), changed),
            None => Ok(Reassigning::default()),
        }
    }
}
