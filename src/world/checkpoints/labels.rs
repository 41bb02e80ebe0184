//! Labels of checkpoints, and the refs that stand for them: `refs/tdd/<run>/<label>`.
//!
//! A commit gets its first label at once, because a ref must hold it. Its other labels are written when
//! the process ends: each ref is a file more to be looked at after every child.

use super::{GitCheckpoints, refs};
use crate::core::attempt::CheckpointId;
use crate::core::event::RunId;
use crate::core::trouble::Trouble;

impl GitCheckpoints {
    /// Labels a checkpoint.
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

    /// The ref may be the only one that holds what names wait for: they are given first.
    fn move_ref(&mut self, name: String, commit: &CheckpointId) -> Result<(), Trouble> {
        self.waiting.remove(&name);
        let is_written = |name: &String, commit: &CheckpointId| {
            !self.refs.contains_key(name) && refs::write_new(&self.place, name, commit)
        };
        let mut left: Vec<(&String, &CheckpointId)> =
            self.waiting.iter().filter(|(name, commit)| !is_written(name, commit)).collect();
        left.push((&name, commit));
        refs::update(&self.own, &left)?;
        self.refs.append(&mut self.waiting);
        self.refs.insert(name, commit.clone());
        Ok(())
    }
}

impl Drop for GitCheckpoints {
    /// What still waits is held by another ref, so that nothing but a name can be lost here. Done
    /// by git, which makes no ref to a commit that a child has destroyed.
    fn drop(&mut self) {
        let _ = refs::update(&self.own, &self.waiting.iter().collect::<Vec<_>>());
    }
}

pub(super) fn ref_folder(run: &RunId) -> String {
    format!("refs/tdd/{}/", slug(&run.0))
}

/// A part of a ref's name: git allows no spaces, `:`, `~`, `..` or `.lock` in one.
pub(in crate::world) fn slug(label: &str) -> String {
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
