//! A fence: what the disk is to one child. Pure; backends turn it into their own language.
//!
//! ```text
//! fence = the whole file system as it is, but for rules { path: rule }
//! rule  = held | read-only | masked | emptied | fresh | writable
//!                                                     a path's rule holds for all that is below it,
//!                                                     up to the next rule
//! ```
//!
//! *Held* changes nothing but the name: a folder that is bound onto itself can't be renamed, which
//! is how a protected path is kept from being swapped together with its parent.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use tdd_core::isolation::Network;

/// What a child may do to a path and to what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Everything but renaming or removing the folder itself.
    Held,
    ReadOnly,
    /// An empty folder stands in its place.
    Masked,
    /// An empty file stands in its place.
    Emptied,
    /// An empty folder of the child's own stands in its place; what is put there goes with it.
    Fresh,
    /// Everything, in the midst of what is read-only or masked.
    Writable,
}

/// Rules by absolute path without links. Iterated in the order of paths, a folder comes before
/// what is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    rules: BTreeMap<PathBuf, Rule>,
    /// What is seen, read-only, in place of what lies at a path: ours, and the path.
    instead: Vec<(PathBuf, PathBuf)>,
    /// What is shown where a file is emptied.
    nothing: Option<PathBuf>,
    /// Variables that the child is not told.
    untold: Vec<&'static str>,
    network: Network,
}

/// A fence, and how many protected files it does not hold.
#[derive(Clone, Debug)]
pub struct Laid {
    pub fence: Fence,
    pub left_out: usize,
}

impl Fence {
    pub fn rules(&self) -> impl Iterator<Item = (&Path, Rule)> {
        self.rules.iter().map(|(path, rule)| (path.as_path(), *rule))
    }

    /// The rule that holds for a path: its own, else that of the nearest folder above.
    pub fn rule(&self, path: &Path) -> Option<Rule> {
        path.ancestors().find_map(|above| self.rules.get(above)).copied()
    }

    /// Paths in which nothing at all can be written or made that would stay.
    pub fn held_folders(&self) -> impl Iterator<Item = &Path> {
        let holds = |rule: &Rule| matches!(rule, Rule::ReadOnly | Rule::Masked);
        let all = self.rules.iter().filter(move |(_, rule)| holds(rule)).map(|(path, _)| path.as_path());
        all.filter(move |folder| {
            let from = self.rules.range::<Path, _>((Bound::Included(*folder), Bound::Unbounded));
            let mut below = from.take_while(|(path, _)| path.starts_with(folder));
            below.all(|(_, rule)| holds(rule) || *rule == Rule::Emptied)
        })
    }

    /// Adds a rule. The last one for a path counts.
    pub fn set(&mut self, path: &Path, rule: Rule) {
        self.rules.insert(path.to_owned(), rule);
    }

    /// Shows a file or folder of ours at a path where there is one of its kind.
    pub fn show_instead(&mut self, ours: &Path, path: &Path) {
        self.instead.push((ours.to_owned(), path.to_owned()));
    }

    /// What is shown instead, and where.
    pub fn instead(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.instead.iter().map(|(ours, path)| (ours.as_path(), path.as_path()))
    }

    /// An empty file of ours, to be seen in place of those that are emptied.
    pub fn empty_with(&mut self, ours: &Path) {
        self.nothing = Some(ours.to_owned());
    }

    /// What is seen in place of a file that is emptied: one of ours, else what nobody can read.
    pub fn nothing(&self) -> &Path {
        self.nothing.as_deref().unwrap_or(Path::new("/dev/null"))
    }

    /// The child does not get this variable.
    pub fn leave_untold(&mut self, variable: &'static str) {
        self.untold.push(variable);
    }

    pub fn untold(&self) -> &[&'static str] {
        &self.untold
    }

    /// The child reaches nobody but itself.
    pub fn cut_off(&mut self) {
        self.network = Network::Off;
    }

    pub fn network(&self) -> Network {
        self.network
    }

    /// Makes a path read-only unless it is already.
    pub fn protect(&mut self, path: &Path) {
        match self.rule(path) {
            Some(Rule::ReadOnly | Rule::Masked | Rule::Emptied) => {}
            Some(Rule::Held | Rule::Writable | Rule::Fresh) | None => self.set(path, Rule::ReadOnly),
        }
    }

    /// Holds every folder above what is read-only or masked below `top`, and `top` itself.
    pub fn hold_parents(&mut self, top: &Path) {
        let is_kept = |rule: &Rule| matches!(rule, Rule::ReadOnly | Rule::Masked | Rule::Emptied);
        let kept: Vec<PathBuf> = self
            .rules
            .iter()
            .filter(|(path, rule)| is_kept(rule) && path.starts_with(top) && *path != top)
            .map(|(path, _)| path.clone())
            .collect();
        for path in kept {
            for above in path.ancestors().skip(1).take_while(|above| above.starts_with(top)) {
                // Below a read-only folder nothing can be renamed anyway.
                if !self.rule(above).as_ref().is_some_and(is_kept) {
                    self.rules.entry(above.to_owned()).or_insert(Rule::Held);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fence: &Fence) -> Vec<String> {
        fence.rules().map(|(path, rule)| format!("{} {rule:?}", path.display())).collect()
    }

    #[test]
    fn every_folder_above_a_protected_path_is_held_up_to_the_top() {
        let mut fence = Fence::default();
        fence.protect(Path::new("/r/a/b/tests"));
        fence.protect(Path::new("/r/a/b/tests/deep/t.py"));
        fence.protect(Path::new("/r/c/tests"));
        fence.protect(Path::new("/r/conftest.py"));
        fence.set(Path::new("/tmp/x"), Rule::Masked);
        fence.hold_parents(Path::new("/r"));
        assert_eq!(
            shown(&fence),
            [
                "/r Held",
                "/r/a Held",
                "/r/a/b Held",
                "/r/a/b/tests ReadOnly",
                "/r/c Held",
                "/r/c/tests ReadOnly",
                "/r/conftest.py ReadOnly",
                "/tmp/x Masked"
            ]
        );
    }

    #[test]
    fn a_rule_holds_for_what_is_below_up_to_the_next() {
        let mut fence = Fence::default();
        fence.protect(Path::new("/r/.tdd"));
        fence.set(Path::new("/r/.tdd/runs"), Rule::Masked);
        fence.set(Path::new("/r/.tdd/runs/1/tests"), Rule::Writable);
        fence.hold_parents(Path::new("/r"));
        for (path, want) in [
            ("/r/.tdd/skills/x", Some(Rule::ReadOnly)),
            ("/r/.tdd/runs/1/events.jsonl", Some(Rule::Masked)),
            ("/r/.tdd/runs/1/tests/log", Some(Rule::Writable)),
            ("/r/src", Some(Rule::Held)),
            ("/elsewhere", None),
        ] {
            assert_eq!(fence.rule(Path::new(path)), want, "{path}");
        }
    }
}
