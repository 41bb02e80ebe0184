//! What git lays into the tree and does not commit: a merge that waits for its commit or for somebody who resolves it, a
//! squashed one, the files of a submodule. All of it follows from commits, so it can be worked out and compared.

use super::git::{Git, object_name};
use super::listing::is_name;
use super::place::GitPlace;
use super::{GitCheckpoints, holds, shown};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// How git shows a conflict; another setting is none of its.
const STYLES: [&str; 3] = ["merge", "diff3", "zdiff3"];
/// The first letters of the lines that part a conflict; what follows is a name for the person.
const MARKS: [&[u8]; 3] = [b"<<<<<<< ", b"||||||| ", b">>>>>>> "];

/// A commit that is merged into HEAD, and what both come from where git need not find that out.
type Side = (CheckpointId, Option<CheckpointId>);

impl GitCheckpoints {
    /// Those of these paths that lie in `now` as a merge of HEAD with a known commit has them that is under way, or a known
    /// commit that is picked or reverted, conflicts included, where all that it brings lies there so and nothing of
    /// `before` is lost.
    pub fn merged(
        &mut self,
        known: (&CheckpointId, &GitSeen),
        trees: (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let side = match self.other_side() {
            Some(side) => Some(side),
            None => self.picked(&["CHERRY_PICK_HEAD", "REVERT_HEAD"])?,
        };
        let Some((other, base)) = side else { return Ok(Vec::new()) };
        let Some(head) = self.commit_of("HEAD")? else { return Ok(Vec::new()) };
        for commit in std::iter::once(&other).chain(&base) {
            if !self.is_known(known, commit)? {
                return Ok(Vec::new());
            }
        }
        let Some(merged) = self.merge_of(&head, &other, base.as_ref())? else { return Ok(Vec::new()) };
        let brought = self.laid_whole((&head, &merged), trees)?.unwrap_or_default();
        Ok(paths.iter().filter(|path| brought.contains(path)).cloned().collect())
    }

    /// What a merge changes of HEAD, where all of it lies in the tree and nothing that was there before is lost.
    pub(super) fn laid_whole(
        &mut self,
        (head, merged): (&CheckpointId, &CheckpointId),
        (before, now): (&CheckpointId, &CheckpointId),
    ) -> Result<Option<Vec<RelPath>>, Trouble> {
        let brought: Vec<RelPath> = self.differing(head, merged)?.iter().map(|path| shown(path)).collect();
        let (missing, lost) = (self.differing(merged, now)?, self.differing(head, before)?);
        for path in &brought {
            let lies_there = !holds(&missing, path) || self.is_as_laid(path, merged, now);
            if !lies_there || (holds(&lost, path) && !self.differ_by_filters(path, head, before)) {
                return Ok(None);
            }
        }
        Ok(Some(brought))
    }

    /// The tree of what git is in the midst of.
    pub(super) fn laid(&self, head: &CheckpointId) -> Result<Option<CheckpointId>, Trouble> {
        let side = match self.other_side() {
            Some(side) => Some(side),
            None => self.picked(&["CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"])?,
        };
        let Some((other, base)) = side else { return Ok(None) };
        self.merge_of(head, &other, base.as_ref())
    }

    /// Those of these paths that are submodules whose files are those of the commit that HEAD wants there. What lay there
    /// was such a commit's, too, or nothing.
    pub fn updated_submodules(
        &mut self,
        known: (&CheckpointId, &GitSeen),
        (before, now): (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let modules: Vec<RelPath> = paths
            .iter()
            .filter(|path| self.rules.submodule(path.as_str().as_bytes()).is_some())
            .cloned()
            .collect();
        if modules.is_empty() {
            return Ok(Vec::new());
        }
        let Some(head) = self.commit_of("HEAD")? else { return Ok(Vec::new()) };
        if head != known.1.head && !self.is_known(known, &head)? {
            return Ok(Vec::new());
        }
        let mut updated = Vec::new();
        for module in modules {
            let Ok(place) = GitPlace::find(&self.place.work_tree.join(module.as_str())) else { continue };
            let (own, inner) = (self.own_git(), Git::own(&place));
            let tree_of = |commit: &str| name(&inner, &format!("{commit}^{{tree}}"));
            let wanted = name(&own, &format!("{head}:{module}")).and_then(|link| tree_of(&link));
            let there = |tree: &CheckpointId| name(&own, &format!("{tree}:{module}"));
            let was = there(before);
            let earlier = [name(&own, &format!("{}:{module}", known.1.head)), Some("HEAD@{1}".to_owned())];
            let is_kept =
                was.is_none() || earlier.into_iter().flatten().any(|commit| tree_of(&commit) == was);
            if wanted.is_some() && there(now) == wanted && is_kept {
                updated.push(module);
            }
        }
        Ok(updated)
    }

    /// What is merged into HEAD, and not committed yet.
    pub(super) fn other_side(&self) -> Option<Side> {
        let commit = if let Some(heads) = self.note("MERGE_HEAD") {
            // More than two sides are merged without a conflict, and committed at once.
            heads.trim().to_owned()
        } else {
            let squashed = self.note("SQUASH_MSG")?;
            squashed.lines().find_map(|line| line.strip_prefix("commit "))?.trim().to_owned()
        };
        is_name(&commit).then_some((CheckpointId(commit), None))
    }

    /// The commit that is picked or taken out, by the first of git's notes that is there.
    fn picked(&self, notes: &[&str]) -> Result<Option<Side>, Trouble> {
        let mut read = notes.iter().filter_map(|note| Some((*note, self.note(note)?.trim().to_owned())));
        let Some((note, commit)) = read.next().filter(|(_, commit)| is_name(commit)) else {
            return Ok(None);
        };
        let commit = CheckpointId(commit);
        if !self.own.holds(&commit) {
            return Ok(None);
        }
        let Ok([parent]) = <[CheckpointId; 1]>::try_from(self.parents(&commit)?) else { return Ok(None) };
        Ok(Some(if note == "REVERT_HEAD" { (parent, Some(commit)) } else { (commit, Some(parent)) }))
    }

    /// What git itself has noted in its folder.
    fn note(&self, name: &str) -> Option<String> {
        let bytes = regular_file::read(self.place.git_dir.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The tree of a merge, with conflicts as git writes them; `None` where this git can't tell, or there is no merge. No
    /// driver or attribute of the user's has a part in it.
    pub(super) fn merge_of(
        &self,
        head: &CheckpointId,
        other: &CheckpointId,
        base: Option<&CheckpointId>,
    ) -> Result<Option<CheckpointId>, Trouble> {
        let style = self.own_git().setting("merge.conflictStyle").and_then(|style| style.into_string().ok());
        let style = style.filter(|style| STYLES.contains(&style.as_str()));
        let style = format!("merge.conflictStyle={}", style.as_deref().unwrap_or(STYLES[0]));
        let base = base.map(|base| format!("--merge-base={base}"));
        let mut words = vec!["-c", &style, "merge-tree", "--write-tree", "--no-messages"];
        words.extend(base.as_deref());
        words.extend([head.0.as_str(), other.0.as_str()]);
        let said = self.private.ask(&words, b"")?;
        // 1 is for conflicts, which stand in the tree.
        if !matches!(said.code, Some(0 | 1)) {
            return Ok(None);
        }
        let first = said.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Ok(object_name(first, "merge-tree").ok().map(CheckpointId))
    }

    /// Whether a file lies there as a merge has it, but for git's filters and the names in a conflict.
    pub(super) fn is_as_laid(&mut self, path: &RelPath, merged: &CheckpointId, now: &CheckpointId) -> bool {
        self.differ_by_filters(path, merged, now) || self.is_conflict(path, merged, now)
    }

    /// Whether both are the same but for what the sides of a conflict are called.
    fn is_conflict(&mut self, path: &RelPath, merged: &CheckpointId, now: &CheckpointId) -> bool {
        let mut read = |at| self.contents.read(at, path).ok().flatten().map(|bytes| unnamed(&bytes));
        let merged = read(merged);
        merged.is_some() && merged == read(now)
    }
}

fn name(git: &Git, word: &str) -> Option<String> {
    let said = git.ask(&["rev-parse", "--verify", "--quiet", word], b"").ok().filter(|said| said.ok)?;
    object_name(&said.stdout, "rev-parse").ok()
}

/// Without the names behind the marks of a conflict, and without carriage returns at the ends of lines.
fn unnamed(bytes: &[u8]) -> Vec<Vec<u8>> {
    let line = |line: &[u8]| {
        let mark = MARKS.iter().find(|mark| line.starts_with(mark));
        mark.map_or(line.strip_suffix(b"\r").unwrap_or(line), |mark| mark).to_vec()
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect()
}
