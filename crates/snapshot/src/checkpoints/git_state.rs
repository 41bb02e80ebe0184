//! What a child may have done to git where nothing kept it from it (contract section 12, level `audit`):
//! recorded before it runs, looked at after it.
//!
//! ```text
//! put back   HEAD, this work tree's branch and index, what git is in the midst of, refs of the run;
//!            what was found there is kept under refs/tdd/<run>/kept-…
//! told       other refs, the stash, configuration, hooks: a person's own work looks the same, so it
//!            stays; what was there before is kept
//! ```
//!
//! Not looked at: reflogs, other work trees, the git folders of submodules and nested repositories,
//! objects. A child that destroys objects can't be undone.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::git::Git;
use super::git_files::{self, Copied, Copies, Differs, put_back_or_say};
use super::git_pointer::put_back_pointer;
use super::git_restoring::Restoring;
use super::git_words::{LEFT, head_text, is_branch, line, moved, short};
use super::place::GitPlace;
use super::refs::{RefFiles, RefValue, Refs, refs};
use super::{git_locks, git_midst, git_told, run_refs};
use tdd_core::event::BRINGS_BACK;
use tdd_core::guard::{self, Guard};
use tdd_core::trouble::Trouble;

/// A child can make thousands of refs; nobody reads that many lines.
const MOST_LINES: usize = 100;

/// The git state of a work tree at one moment.
#[derive(Debug)]
pub(super) struct GitState {
    /// But the run's own.
    refs: Arc<Refs>,
    /// The files that hold them; `None` where git has to be asked every time.
    files: Option<RefFiles>,
    /// What is put back.
    mine: Copies,
    told: git_told::Told,
    locks: git_locks::Locks,
    others: run_refs::others::Others,
    /// Used only when a child's version of it can't be read.
    packed_refs: Option<Copied>,
    /// Files below `refs/`, sound or not: git does not list a dangling symbolic ref. Empty where
    /// `files` tell it.
    loose: BTreeSet<Vec<u8>>,
    /// The run's own refs, which are not the user's.
    our_folder: String,
}

impl GitState {
    /// `before` is an earlier record, of a state that can be the same.
    pub(super) fn record(
        place: &GitPlace,
        git: &Git,
        our_folder: &str,
        before: Option<&Self>,
    ) -> Result<Self, Trouble> {
        let known = before.and_then(|before| before.files.as_ref());
        let mut files = RefFiles::read(place, our_folder, known);
        let unchanged = files.as_ref().zip(known).is_some_and(|(files, known)| files.say_the_same(known));
        let refs = if let Some(before) = before.filter(|_| unchanged) {
            Arc::clone(&before.refs)
        } else {
            let mut refs = refs(git, "")?;
            refs.retain(|name, _| !name.starts_with(our_folder));
            // Of a ref that somebody moved meanwhile nobody knows which value git told.
            let again = RefFiles::read(place, our_folder, files.as_ref());
            files = files.zip(again).filter(|(was, is)| is.say_the_same(was)).map(|(_, is)| is);
            Arc::new(refs)
        };
        let all = || git_files::names(&place.common_dir, "refs");
        Ok(Self {
            refs,
            loose: if files.is_some() { BTreeSet::new() } else { all()? },
            files,
            mine: git_files::copy(&place.git_dir, git_files::OF_WORK_TREE)?,
            told: git_told::Told::record(place)?,
            locks: git_locks::Locks::record(place)?,
            others: run_refs::others::Others::record(place, git),
            packed_refs: git_files::copy_file(&place.common_dir, "packed-refs")?,
            our_folder: our_folder.to_owned(),
        })
    }

    pub(super) fn index(&self) -> Option<&Copied> {
        self.mine.get(&b"index"[..])
    }

    /// Puts back what is this work tree's, and says what that was and what else differs. The order
    /// matters: first what would keep git from working, then what a child's commits hang on.
    pub(super) fn restore(&mut self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        let mut said = put_back_pointer(at.place)?;
        said.extend(at.clean.remove_specials(&at.place.git_dir, &at.place.common_dir));
        if guard::stands(Guard::GitConfig) {
            said.extend(self.told.differing(at)?);
        }
        said.extend(self.locks.remove_new(at.place, self.branch().as_deref())?);
        let head_now = git_files::copy_file(&at.place.git_dir, "HEAD")?;
        let index_now = git_files::copy_file(&at.place.git_dir, "index")?;
        let mine = git_files::differing(&at.place.git_dir, git_files::OF_WORK_TREE, &self.mine)?;
        let midst = git_midst::found(&at.place.git_dir, &mine)?;
        let kept = (!midst.is_empty()).then(|| at.keeper.midst(&midst));
        for (path, differs) in mine {
            let was = self.mine.get(&path);
            if path == b"index"
                && differs == Differs::Changed
                && at.keeper.says_the_same(was, index_now.as_ref())
            {
                continue;
            }
            let text = match (path.as_slice(), &head_now) {
                (b"HEAD", Some(now)) => self.head_line(at, now)?,
                (b"index", _) => line(&path, differs, at.keeper.index(index_now.as_ref(), head_now.as_ref())),
                // A rebase has some twenty files.
                _ if differs == Differs::New => line(git_midst::top_of(&path), differs, None),
                _ => line(&path, differs, None),
            };
            put_back_or_say(&at.place.git_dir, &path, was)?;
            if said.last() != Some(&text) {
                said.push(text);
            }
        }
        git_midst::remove_empty(&at.place.git_dir, &self.mine)?;
        said.extend(kept);
        said.extend(self.restore_refs(at)?);
        if said.len() > MOST_LINES {
            let more = said.len() - MOST_LINES;
            said.truncate(MOST_LINES);
            said.push(format!("and {more} more"));
        }
        Ok(said)
    }

    /// Puts back the run's own refs alone: where no child could write to git's folder, all else there
    /// is somebody else's work.
    pub(super) fn restore_ours(&self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        // What the run proposes would be committed there.
        let head = git_files::copy_file(&at.place.git_dir, "HEAD")?;
        let (was, is) = (head_text(self.mine.get(b"HEAD".as_slice())), head_text(head.as_ref()));
        let moved = format!("HEAD was moved from {} to {}; {LEFT}", short(&was), short(&is));
        let mut said: Vec<String> = (was != is).then_some(moved).into_iter().collect();
        said.extend(self.commits_of_others(at)?);
        if at.sound.are_all(at.place, &self.our_folder, at.ours) {
            return Ok(said);
        }
        let now = refs(at.git, &self.our_folder)?;
        let (lost, update) = our_lost(at, &now);
        said.extend(lost);
        write_refs(at, &[], &update)?;
        Ok(said)
    }

    /// What somebody else has done to this work tree's branch.
    fn commits_of_others(&self, at: &Restoring<'_>) -> Result<Option<String>, Trouble> {
        let Some(branch) = self.branch() else { return Ok(None) };
        let was = self.refs.get(&branch);
        let file = git_files::copy_file(&at.place.common_dir, &branch)?;
        // Mostly git need not be asked.
        if let (Some(was), Some(Copied::File { bytes, .. })) = (was, &file)
            && bytes.trim_ascii() == was.object.as_bytes()
        {
            return Ok(None);
        }
        let now = refs(at.git, &branch)?.remove(&branch);
        let end = format!("by somebody else, since no child could; {LEFT}");
        Ok((was != now.as_ref()).then(|| moved(&branch, was, now.as_ref(), Some(&end))))
    }

    /// The full name of the branch that HEAD stood for.
    fn branch(&self) -> Option<String> {
        let Some(Copied::File { bytes, .. }) = self.mine.get(b"HEAD".as_slice()) else { return None };
        let text = std::str::from_utf8(bytes).ok()?.trim();
        text.strip_prefix("ref: ").map(|name| name.trim().to_owned())
    }

    /// What HEAD was; a commit that only a detached HEAD held is kept.
    fn head_line(&self, at: &mut Restoring<'_>, now: &Copied) -> Result<String, Trouble> {
        let now = head_text(Some(now));
        let was = head_text(self.mine.get(b"HEAD".as_slice()));
        let mut line = format!("HEAD was moved from {} to {}; put back", short(&was), short(&now));
        let is_object = matches!(now.len(), 40 | 64) && now.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_object && now != was {
            if self.held(at).contains(now.as_str()) {
                line = format!("{line}{BRINGS_BACK}git switch --detach {}", short(&now));
            } else if let Some(kept) = at.keeper.commit(&now, "HEAD")? {
                line =
                    format!("{line}, its commits are kept as {kept}{BRINGS_BACK}git switch --detach {kept}");
            }
        } else if let Some(branch) = now.strip_prefix("branch ").filter(|branch| is_branch(branch)) {
            line = format!("{line}{BRINGS_BACK}git switch {branch}");
        }
        Ok(line)
    }

    /// All objects that the recorded refs and ours point at.
    fn held<'h>(&'h self, at: &'h Restoring<'_>) -> BTreeSet<&'h str> {
        let recorded = self.refs.values().map(|value| value.object.as_str());
        recorded.chain(at.ours.values().map(|commit| commit.0.as_str())).collect()
    }

    fn was_loose(&self, path: &[u8]) -> bool {
        self.loose.contains(path) || self.files.as_ref().is_some_and(|files| files.has(path))
    }

    /// Removes files below `refs/` that git can't read as refs, and then fails at: no git writes such a
    /// file. One that stands for a ref that is not there is a ref.
    fn remove_broken(
        &self,
        at: &Restoring<'_>,
        now: &Refs,
    ) -> Result<(Vec<String>, BTreeSet<String>), Trouble> {
        let (mut said, mut broken) = (Vec::new(), BTreeSet::new());
        for path in git_files::names(&at.place.common_dir, "refs")? {
            let name = String::from_utf8_lossy(&path).into_owned();
            let is_lock = path.ends_with(b".lock");
            if now.contains_key(&name)
                || is_lock
                || at.ours.contains_key(&name)
                || self.was_dangling(&path, &name)
            {
                continue;
            }
            let content = git_files::copy_file(&at.place.common_dir, &name)?;
            let is_symbolic =
                matches!(content, Some(Copied::File { bytes, .. }) if bytes.starts_with(b"ref:"));
            if is_symbolic {
                said.push(format!("{}, which leads nowhere, was left behind; {LEFT}", short(&name)));
                continue;
            }
            put_back_or_say(&at.place.common_dir, &path, None)?;
            if self.refs.contains_key(&name) {
                broken.insert(name);
            } else {
                said.push(format!("{}, which is no ref, was left behind; removed", short(&name)));
            }
        }
        Ok((said, broken))
    }

    /// Whether a file was there that git did not list.
    fn was_dangling(&self, path: &[u8], name: &str) -> bool {
        self.was_loose(path) && !self.refs.contains_key(name)
    }

    fn restore_refs(&mut self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        let files = RefFiles::read(at.place, &self.our_folder, self.files.as_ref());
        if let Some((now, was)) = files.zip(self.files.as_ref())
            && now.say_the_same(was)
            && at.sound.are_all(at.place, &self.our_folder, at.ours)
        {
            self.files = Some(now);
            return Ok(Vec::new());
        }
        let mut said = Vec::new();
        let mut now = if let Ok(now) = refs(at.git, "") {
            now
        } else {
            put_back_or_say(&at.place.common_dir, b"packed-refs", self.packed_refs.as_ref())?;
            said.push("git's packed-refs could not be read; put back".to_owned());
            refs(at.git, "")?
        };
        let (lines, broken) = self.remove_broken(at, &now)?;
        said.extend(lines);
        let (ours, mut update) = our_lost(at, &now);
        now.retain(|name, _| !name.starts_with(&self.our_folder));
        let branch = self.branch();
        let mut delete = Vec::new();
        let mut told = Vec::new();
        for name in now.keys().chain(self.refs.keys()).collect::<BTreeSet<_>>() {
            let (was, is) = (self.refs.get(name), now.get(name));
            if was == is || self.others.did(name, was, is, &now) {
                continue;
            }
            let is_in_the_way = || branch.as_deref().is_some_and(|branch| lies_across(name, branch));
            let is_mine = branch.as_ref() == Some(name) || broken.contains(name);
            if is_mine || (is.is_some() && is_in_the_way()) {
                said.push(self.put_back_ref(at, name, (was, is), (&mut delete, &mut update))?);
            } else {
                told.push((name.clone(), was.cloned(), is.cloned()));
            }
        }
        said.extend(at.keeper.tell(&told, &now)?);
        said.extend(ours);
        write_refs(at, &delete, &update)?;
        Ok(said)
    }

    fn put_back_ref(
        &self,
        at: &mut Restoring<'_>,
        name: &str,
        (was, is): (Option<&RefValue>, Option<&RefValue>),
        (delete, update): (&mut Vec<String>, &mut Vec<(String, RefValue)>),
    ) -> Result<String, Trouble> {
        let mut line = moved(name, was, is, None);
        if let Some(value) = is.filter(|value| value.target.is_empty()) {
            let mut at_commit = short(&value.object);
            let is_held = self.held(at).contains(value.object.as_str());
            if !is_held && let Some(kept) = at.keeper.commit(&value.object, name)? {
                line = format!("{line}, its commits are kept as {kept}");
                at_commit = kept;
            }
            // Its commit and its index; the files stay as they are.
            if self.branch().as_deref() == Some(name) {
                line = format!("{line}{BRINGS_BACK}git reset {at_commit}");
            }
        }
        match was {
            Some(was) => update.push((name.to_owned(), was.clone())),
            None => delete.push(name.to_owned()),
        }
        Ok(line)
    }
}

/// Whether there can be no branch while there is a ref of this other name.
fn lies_across(name: &str, branch: &str) -> bool {
    let below =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
    below(name, branch) || below(branch, name)
}

/// Refs of the run that are not as they should be.
fn our_lost(at: &Restoring<'_>, now: &Refs) -> (Vec<String>, Vec<(String, RefValue)>) {
    let is_lost = |name: &String, commit: &str| now.get(name).is_none_or(|value| value.object != commit);
    let lost = at.ours.iter().filter(|(name, commit)| is_lost(name, &commit.0));
    let lost = lost.filter(|_| guard::stands(Guard::OwnRefs));
    let value = |object: &str| RefValue { object: object.to_owned(), target: String::new() };
    lost.map(|(name, commit)| {
        let line = format!("{name}, which is ours, was moved or deleted; put back");
        (line, (name.clone(), value(&commit.0)))
    })
    .unzip()
}

/// Deletions first, because a branch `a/b` keeps the branch `a` from being made again.
fn write_refs(at: &Restoring<'_>, delete: &[String], update: &[(String, RefValue)]) -> Result<(), Trouble> {
    let mut all_at_once = Vec::new();
    for name in delete {
        all_at_once.extend_from_slice(format!("delete {name}\0\0").as_bytes());
    }
    let done =
        delete.is_empty() || at.git.ask(&["update-ref", "--no-deref", "--stdin", "-z"], &all_at_once)?.ok;
    for name in delete.iter().filter(|_| !done) {
        if !at.git.ask(&["update-ref", "--no-deref", "-d", name], b"")?.ok {
            remove_loose(at.place, name);
            at.git.run(&["update-ref", "--no-deref", "-d", name], b"")?;
        }
    }
    for (name, value) in update {
        let args = if value.target.is_empty() {
            vec!["update-ref", "--no-deref", name, value.object.as_str()]
        } else {
            vec!["symbolic-ref", name, value.target.as_str()]
        };
        if !at.git.ask(&args, b"")?.ok {
            // A file that holds no ref, or a folder in its place, is in the way.
            remove_loose(at.place, name);
            at.git.run(&args, b"")?;
        }
    }
    Ok(())
}

fn remove_loose(place: &GitPlace, name: &str) {
    if name.starts_with("refs/") && !name.split('/').any(|part| part == "..") {
        let _ = git_files::put_back(&place.common_dir, name.as_bytes(), None);
    }
}
