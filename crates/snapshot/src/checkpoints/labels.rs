//! Labels of checkpoints, and the refs that stand for them: `refs/tdd/<run>/<label>`.
//!
//! A commit gets its first label at once, because a ref must hold it. Its other labels are written when
//! the run ends or its process does: each ref is a file more to be looked at after every child.

use std::collections::BTreeMap;

use super::refs::OurRefs;
use super::{GitCheckpoints, refs};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::trouble::Trouble;

impl GitCheckpoints {
    /// Labels a checkpoint that is there.
    pub(super) fn set_ref(&mut self, label: &str, commit: &CheckpointId) -> Result<(), Trouble> {
        let name = format!("{}{}", ref_folder(&self.run), slug(label));
        if self.refs.values().any(|held| held == commit) {
            self.waiting.insert(name, commit.clone());
            return Ok(());
        }
        if self.refs.contains_key(&name) {
            return self.move_ref(name, commit);
        }
        if !refs::write_new(&self.place, &name, commit) {
            refs::update(&self.own, &[(&name, commit)])?;
        }
        self.waiting.remove(&name);
        self.refs.insert(name, commit.clone());
        Ok(())
    }

    /// What the ref held gets another one, with a number, if nothing else holds it: the journal may
    /// name it, and whoever goes on with the run after a kill may have to go back to it.
    fn move_ref(&mut self, name: String, commit: &CheckpointId) -> Result<(), Trouble> {
        let mut moves = Vec::new();
        let is_held = |held: &CheckpointId| self.refs.iter().any(|(other, by)| *other != name && by == held);
        if let Some(held) = self.refs.get(&name).filter(|held| *held != commit && !is_held(held)) {
            let mut numbered = (2_u32..).map(|number| format!("{name}.{number}"));
            let free = numbered.find(|name| !self.refs.contains_key(name));
            moves.extend(free.map(|free| (free, held.clone())));
        }
        self.waiting.remove(&name);
        moves.push((name, commit.clone()));
        refs::update(&self.own, &moves.iter().map(|(name, commit)| (name, commit)).collect::<Vec<_>>())?;
        self.refs.extend(moves);
        Ok(())
    }

    /// Writes the labels of commits that other refs hold. By git, which makes no ref to a commit that a
    /// child has destroyed.
    pub(super) fn write_waiting(&mut self) -> Result<(), Trouble> {
        // What can't be written now goes on waiting.
        let (moved, mut new): (OurRefs, OurRefs) =
            self.waiting.clone().into_iter().partition(|(name, _)| self.refs.contains_key(name));
        refs::update(&self.own, &new.iter().collect::<Vec<_>>())?;
        self.waiting.retain(|name, _| !new.contains_key(name));
        self.refs.append(&mut new);
        for (name, commit) in moved {
            if self.refs.get(&name) == Some(&commit) {
                self.waiting.remove(&name);
            } else {
                self.move_ref(name, &commit)?;
            }
        }
        Ok(())
    }

    /// Labels again what a process that was killed had labelled, as its journal tells. What is no longer
    /// in git can't be.
    pub fn label_again(&mut self, labels: BTreeMap<String, CheckpointId>) -> Result<(), Trouble> {
        for (label, commit) in labels {
            let name = format!("{}{}", ref_folder(&self.run), slug(&label));
            let is_there = self.refs.get(&name).or_else(|| self.waiting.get(&name)) == Some(&commit);
            let is_held = || self.refs.values().any(|held| *held == commit);
            if !is_there && (is_held() || self.own.holds(&commit)) {
                self.set_ref(&label, &commit)?;
            }
        }
        Ok(())
    }
}

impl Drop for GitCheckpoints {
    /// What still waits is held by another ref, so that nothing but a name can be lost here.
    fn drop(&mut self) {
        let _ = self.write_waiting();
    }
}

pub(super) fn ref_folder(run: &RunId) -> String {
    format!("refs/tdd/{}/", slug(&run.0))
}

/// A part of a ref's name: git allows no spaces, `:`, `~`, `..` or `.lock` in one.
pub fn slug(label: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
    let mut name: String = label.chars().take(120).map(fits).collect();
    while name.contains("..") {
        name = name.replace("..", ".");
    }
    let name = name.trim_matches('.').to_owned();
    // git refuses exactly this ending.
    let name = if name.as_bytes().ends_with(b".lock") { format!("{name}-") } else { name };
    if name.is_empty() { "checkpoint".to_owned() } else { name }
}
