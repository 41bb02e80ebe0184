//! HEAD, refs, index, stash, configuration and hooks: recorded before a child runs, put back
//! after it (contract section 12, level `audit`).
//!
//! Not put back: reflogs (but the stash's, which is what `git stash list` shows), other work
//! trees, the git folders of submodules, objects. A child that destroys objects can't be undone.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use super::edit::{Permissions, Tree};
use super::git::Git;
use super::git_files::{self, Copied, Copies, Differs};
use super::place::{GitPlace, Pointer};
use super::refs::{OurRefs, RefFiles, RefValue, Refs, Sound, refs};
use super::specials::Clean;
use crate::core::guard::{self, Guard};
use crate::core::trouble::Trouble;

/// What `git stash list` shows.
const STASHES: &str = "logs/refs/stash";

/// A child can make thousands of refs; nobody reads that many lines.
const MOST_LINES: usize = 100;

/// What is needed to put things back.
pub(super) struct Restoring<'r> {
    pub(super) place: &'r GitPlace,
    pub(super) git: &'r Git,
    /// The beginning of the names under which a child's commits are kept.
    pub(super) keep: String,
    /// Our own refs: a child may have deleted them.
    pub(super) ours: &'r OurRefs,
    pub(super) clean: &'r mut Clean,
    pub(super) sound: &'r mut Sound,
}

/// The git state of a work tree at one moment.
#[derive(Debug)]
pub(super) struct GitState {
    /// But the run's own.
    refs: Arc<Refs>,
    /// The files that hold them; `None` where git has to be asked every time.
    files: Option<RefFiles>,
    of_work_tree: Copies,
    shared: Copies,
    /// Used only when a child's version of it can't be read.
    packed_refs: Option<Copied>,
    /// Files below `refs/`, sound or not: git does not list a dangling symbolic ref. Empty where
    /// `files` tell it.
    loose: BTreeSet<Vec<u8>>,
    /// The run's own refs, which are not the user's.
    our_folder: String,
}

impl GitState {
    /// `before` is an earlier record, after which all that children did was put back.
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
            loose: files.as_ref().map_or_else(all, |_| BTreeSet::new()),
            files,
            of_work_tree: git_files::copy(&place.git_dir, git_files::OF_WORK_TREE),
            shared: git_files::copy(&place.common_dir, git_files::SHARED),
            packed_refs: git_files::copy_file(&place.common_dir, "packed-refs"),
            our_folder: our_folder.to_owned(),
        })
    }

    /// Puts back what differs, and says what that was. The order matters: first what would keep
    /// git from working, then what a child's commits hang on, then the rest.
    pub(super) fn restore(&mut self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        let mut said = put_back_pointer(at.place)?;
        said.extend(at.clean.remove_specials(&at.place.git_dir, &at.place.common_dir));
        let head_now = git_files::copy_file(&at.place.git_dir, "HEAD");
        let index_now = git_files::copy_file(&at.place.git_dir, "index");
        let shared = git_files::differing(&at.place.common_dir, git_files::SHARED, &self.shared);
        for (path, differs) in shared.into_iter().filter(|_| guard::stands(Guard::GitConfig)) {
            put_back(&at.place.common_dir, &path, self.shared.get(&path))?;
            said.push(line(&path, differs));
        }
        let mut mine = git_files::differing(&at.place.git_dir, git_files::OF_WORK_TREE, &self.of_work_tree);
        // The index goes last: comparing it asks git, which needs a sound HEAD.
        mine.sort_by_key(|(path, _)| path == b"index");
        for (path, differs) in mine {
            let was = self.of_work_tree.get(&path);
            if path == b"index" && differs == Differs::Changed && says_the_same(at, was, index_now.as_ref()) {
                continue;
            }
            put_back(&at.place.git_dir, &path, was)?;
            said.push(match (path.as_slice(), &head_now) {
                (b"HEAD", Some(now)) => self.head_line(at, now)?,
                _ => line(&path, differs),
            });
        }
        said.extend(self.restore_refs(at)?);
        // Moving `refs/stash` writes a line of its own into this list.
        for (path, _) in git_files::differing(&at.place.common_dir, &[STASHES], &self.stashes()) {
            put_back(&at.place.common_dir, &path, self.shared.get(&path))?;
        }
        if said.len() > MOST_LINES {
            let more = said.len() - MOST_LINES;
            said.truncate(MOST_LINES);
            said.push(format!("and {more} more"));
        }
        Ok(said)
    }

    fn stashes(&self) -> Copies {
        let list = self.shared.get_key_value(STASHES.as_bytes());
        list.map(|(path, copied)| (path.clone(), copied.clone())).into_iter().collect()
    }

    /// What HEAD was; a commit that only a detached HEAD held is kept.
    fn head_line(&self, at: &Restoring<'_>, now: &Copied) -> Result<String, Trouble> {
        let now = head_text(Some(now));
        let was = head_text(self.of_work_tree.get(b"HEAD".as_slice()));
        let mut line = format!("HEAD was moved from {} to {}; put back", short(&was), short(&now));
        let is_object = matches!(now.len(), 40 | 64) && now.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_object
            && !self.held(at).contains(now.as_str())
            && now != was
            && let Some(kept) = keep(at, &now, "HEAD")?
        {
            line = format!("{line}, its commits are kept as {kept}");
        }
        Ok(line)
    }

    /// All objects that the recorded refs and ours point at.
    fn held<'h>(&'h self, at: &Restoring<'h>) -> BTreeSet<&'h str> {
        let recorded = self.refs.values().map(|value| value.object.as_str());
        recorded.chain(at.ours.values().map(|commit| commit.0.as_str())).collect()
    }

    fn was_loose(&self, path: &[u8]) -> bool {
        self.loose.contains(path) || self.files.as_ref().is_some_and(|files| files.has(path))
    }

    /// A lock that a killed git left behind would keep a ref from being put back.
    fn remove_locks(&self, place: &GitPlace) -> Result<(), Trouble> {
        for path in git_files::names(&place.common_dir, "refs") {
            if path.ends_with(b".lock") && !self.was_loose(&path) {
                put_back(&place.common_dir, &path, None)?;
            }
        }
        Ok(())
    }

    /// Files below `refs/` that are new and that git can't read as refs.
    fn remove_broken(&self, at: &Restoring<'_>, now: &Refs) -> Result<Vec<String>, Trouble> {
        let mut said = Vec::new();
        for path in git_files::names(&at.place.common_dir, "refs") {
            let name = String::from_utf8_lossy(&path);
            let is_ref = [now, &*self.refs].iter().any(|refs| refs.contains_key(&*name));
            if !is_ref && !at.ours.contains_key(&*name) && !self.was_loose(&path) {
                put_back(&at.place.common_dir, &path, None)?;
                said.push(format!("{}, which is no ref, was left behind; removed", short(&name)));
            }
        }
        Ok(said)
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
        self.remove_locks(at.place)?;
        let mut said = Vec::new();
        let now = if let Ok(now) = refs(at.git, "") {
            now
        } else {
            put_back(&at.place.common_dir, b"packed-refs", self.packed_refs.as_ref())?;
            said.push("git's packed-refs could not be read; put back".to_owned());
            refs(at.git, "")?
        };
        said.extend(self.remove_broken(at, &now)?);
        let mut delete = Vec::new();
        let mut update = Vec::new();
        let is_ours = |name: &str| name.starts_with(&self.our_folder);
        let mut held: BTreeSet<String> = self.held(at).into_iter().map(str::to_owned).collect();
        for (name, value) in now.iter().filter(|(name, _)| !is_ours(name)) {
            let was = self.refs.get(name);
            if was == Some(value) {
                continue;
            }
            let mut line = moved(name, was, Some(value));
            if value.target.is_empty()
                && held.insert(value.object.clone())
                && let Some(kept) = keep(at, &value.object, name)?
            {
                line = format!("{line}, its commits are kept as {kept}");
            }
            said.push(line);
            match was {
                Some(was) => update.push((name.clone(), was.clone())),
                None => delete.push(name.clone()),
            }
        }
        for (name, was) in self.refs.iter().filter(|(name, _)| !now.contains_key(*name)) {
            said.push(moved(name, Some(was), None));
            update.push((name.clone(), was.clone()));
        }
        for (name, commit) in at.ours.iter().filter(|_| guard::stands(Guard::OwnRefs)) {
            if now.get(name).is_none_or(|value| value.object != commit.0) {
                said.push(format!("{name}, which is ours, was moved or deleted; put back"));
                update.push((name.clone(), RefValue { object: commit.0.clone(), target: String::new() }));
            }
        }
        write_refs(at, &delete, &update)?;
        Ok(said)
    }
}

/// Makes a guarded file as it was.
fn put_back(folder: &std::path::Path, path: &[u8], was: Option<&Copied>) -> Result<(), Trouble> {
    git_files::put_back(folder, path, was).map_err(|error| {
        let shown = String::from_utf8_lossy(path).into_owned();
        Trouble::environment(format!("{shown} in the git folder was changed and can't be put back"))
            .because(error)
            .advise("see that the folder may be written; `tdd resume` tries again")
    })
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

/// Gives an object a name below `refs/tdd/`, so that it is not lost. `None` if it is no object.
fn keep(at: &Restoring<'_>, object: &str, name: &str) -> Result<Option<String>, Trouble> {
    let last = name.strip_prefix("refs/").unwrap_or(name).replace('/', "-");
    let kept = format!("{}-{last}", at.keep);
    let done = at.git.ask(&["update-ref", "--no-deref", &kept, object], b"")?;
    Ok(done.ok.then_some(kept))
}

/// Whether two versions of the index say the same of every path: `git status` writes the index
/// anew with other times in it.
fn says_the_same(at: &Restoring<'_>, was: Option<&Copied>, now: Option<&Copied>) -> bool {
    let (Some(Copied::File { bytes: was, .. }), Some(Copied::File { bytes: now, .. })) = (was, now) else {
        return false;
    };
    let entries = |bytes: &[u8]| -> Option<Vec<u8>> {
        let mut file = tempfile::NamedTempFile::new().ok()?;
        file.write_all(bytes).ok()?;
        at.git.list_index(file.path()).ok()
    };
    match (entries(was), entries(now)) {
        (Some(was), Some(now)) => was == now,
        _ => false,
    }
}

/// In a linked work tree `.git` is a file; a child may have pointed it elsewhere.
fn put_back_pointer(place: &GitPlace) -> Result<Vec<String>, Trouble> {
    let dot_git = place.work_tree.join(".git");
    let is_there = |meta: std::io::Result<std::fs::Metadata>| meta.is_ok_and(|meta| meta.is_dir());
    let lost = |why: String| {
        Trouble::environment("the repository's .git folder was moved away or replaced")
            .because(why)
            .advise("bring it back to where it was, then `tdd resume`")
    };
    if place.pointer == Pointer::Folder {
        if is_there(std::fs::symlink_metadata(&dot_git)) {
            return Ok(Vec::new());
        }
        return Err(lost(format!("{} is no folder", dot_git.display())));
    }
    let now = git_files::copy_file(&place.work_tree, ".git");
    let tree = Tree::open(&place.work_tree).map_err(|error| lost(error.to_string()))?;
    let put = match (&place.pointer, &now) {
        (Pointer::Folder, _) => return Ok(Vec::new()),
        (Pointer::File(was), Some(Copied::File { bytes: now, .. })) if was == now => return Ok(Vec::new()),
        (Pointer::Link(was), Some(Copied::Link(now))) if was == now => return Ok(Vec::new()),
        (Pointer::File(was), _) => tree.put_file(b".git", Permissions::Plain, |file| file.write_all(was)),
        (Pointer::Link(was), _) => tree.put_link(b".git", was),
    };
    put.map_err(|error| lost(error.to_string()))?;
    if !is_there(std::fs::metadata(&place.git_dir)) {
        return Err(lost(format!("{} is no folder", place.git_dir.display())));
    }
    Ok(vec!["the file .git was changed; put back".to_owned()])
}

fn remove_loose(place: &GitPlace, name: &str) {
    if name.starts_with("refs/") && !name.split('/').any(|part| part == "..") {
        let _ = git_files::put_back(&place.common_dir, name.as_bytes(), None);
    }
}

fn moved(name: &str, was: Option<&RefValue>, now: Option<&RefValue>) -> String {
    let shown = if let Some(branch) = name.strip_prefix("refs/heads/") {
        format!("branch {branch}")
    } else if let Some(tag) = name.strip_prefix("refs/tags/") {
        format!("tag {tag}")
    } else if name == "refs/stash" {
        "the stash".to_owned()
    } else {
        name.to_owned()
    };
    let of = |value: &RefValue| short(if value.target.is_empty() { &value.object } else { &value.target });
    match (was, now) {
        (Some(was), Some(now)) => format!("{shown} was moved from {} to {}; put back", of(was), of(now)),
        (None, Some(now)) => format!("{shown} was created at {}; removed", of(now)),
        (Some(was), None) => format!("{shown} was deleted; put back at {}", of(was)),
        (None, None) => shown,
    }
}

fn line(path: &[u8], differs: Differs) -> String {
    let path = String::from_utf8_lossy(path);
    let top = path.split('/').next().unwrap_or(&path);
    let what = match top {
        "index" => "the index".to_owned(),
        "hooks" => format!("the hook {}", path.strip_prefix("hooks/").unwrap_or(&path)),
        "config" | "config.worktree" => format!("git's {path}"),
        "MERGE_HEAD" => "a merge in progress (MERGE_HEAD)".to_owned(),
        "rebase-merge" | "rebase-apply" => format!("a rebase in progress ({path})"),
        "logs" => "the list of stashes".to_owned(),
        _ => format!(".git/{path}"),
    };
    match differs {
        Differs::New => format!("{what} was left behind; removed"),
        Differs::Gone => format!("{what} was removed; put back"),
        Differs::Changed => format!("{what} was changed; put back"),
    }
}

fn head_text(head: Option<&Copied>) -> String {
    match head {
        Some(Copied::File { bytes, .. }) => {
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).trim().to_owned();
            text.strip_prefix("ref: refs/heads/").map_or(text.clone(), |branch| format!("branch {branch}"))
        }
        Some(Copied::Link(target)) => String::from_utf8_lossy(target).into_owned(),
        None => "nothing".to_owned(),
    }
}

/// The first digits of an object's name; anything else as it is, on one line.
fn short(text: &str) -> String {
    let is_object = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_object {
        text[..10].to_owned()
    } else {
        text.chars().filter(|c| !c.is_control()).take(80).collect()
    }
}
