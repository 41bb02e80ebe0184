//! What steers git and is nobody's work of this run: configuration, hooks, attributes, the list of
//! stashes. It is told when it differs, and left, since a person's hand can't be told from a role's.
//! What git does for us does not read it (see `private`).

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use super::git::Git;
use super::git_files::{self, Copied, Copies, Differs};
use super::git_restoring::Restoring;
use super::git_words::{LEFT, line, short};
use super::place::GitPlace;
use tdd_core::trouble::Trouble;

/// What `git stash list` shows.
const STASHES: &str = "logs/refs/stash";
/// Settings that are named.
const MOST_NAMED: usize = 10;

/// As it was at one moment.
#[derive(Debug)]
pub(super) struct Told {
    of_work_tree: Copies,
    shared: Copies,
    stashes: Option<Copied>,
}

impl Told {
    pub(super) fn record(place: &GitPlace) -> Result<Self, Trouble> {
        Ok(Self {
            of_work_tree: git_files::copy(&place.git_dir, git_files::TOLD_OF_WORK_TREE)?,
            shared: git_files::copy(&place.common_dir, git_files::TOLD)?,
            stashes: git_files::copy_file(&place.common_dir, STASHES)?,
        })
    }

    /// A line for each thing that differs. What was there before is kept in the run's folder, for it
    /// may hold secrets; stashes that are gone are kept as refs.
    pub(super) fn differing(&self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        let mut said = Vec::new();
        let (mine, shared) = (at.place.git_dir.clone(), at.place.common_dir.clone());
        let both = [
            (&mine, git_files::TOLD_OF_WORK_TREE, &self.of_work_tree),
            (&shared, git_files::TOLD, &self.shared),
        ];
        let mut seen = BTreeSet::new();
        for (folder, names, was) in both {
            for (path, differs) in git_files::differing(folder, names, was)? {
                if seen.insert(path.clone()) {
                    said.push(told(at, folder, (&path, differs), was.get(&path)));
                }
            }
        }
        said.extend(self.lost_stashes(at)?);
        Ok(said)
    }

    /// Stashes but the last are held by lines of a log alone.
    fn lost_stashes(&self, at: &mut Restoring<'_>) -> Result<Vec<String>, Trouble> {
        let now = git_files::copy_file(&at.place.common_dir, STASHES)?;
        if now == self.stashes {
            return Ok(Vec::new());
        }
        let (was, now) = (stashes(self.stashes.as_ref()), stashes(now.as_ref()));
        let mut said = Vec::new();
        for (object, words) in was.iter().filter(|(object, _)| !now.iter().any(|(other, _)| other == object))
        {
            let kept = at.keeper.commit(object, "stash").ok().flatten();
            let kept = kept.map(|kept| format!("kept as {kept}; ")).unwrap_or_default();
            said.push(format!("the stash {} ({words}) was dropped; {kept}{LEFT}", short(object)));
        }
        for (object, words) in now.iter().filter(|(object, _)| !was.iter().any(|(other, _)| other == object))
        {
            said.push(format!("the stash {} ({words}) was made; {LEFT}", short(object)));
        }
        Ok(said)
    }
}

/// The objects of a list of stashes, each with what it says: `<old> SP <new> SP <who> TAB <words>`.
fn stashes(list: Option<&Copied>) -> Vec<(String, String)> {
    let Some(Copied::File { bytes, .. }) = list else { return Vec::new() };
    let text = String::from_utf8_lossy(bytes);
    let one = |line: &str| {
        let object = line.split(' ').nth(1)?;
        let is_object =
            matches!(object.len(), 40 | 64) && object.bytes().all(|byte| byte.is_ascii_hexdigit());
        let words = line.split_once('\t').map_or("", |(_, words)| words);
        is_object.then(|| (object.to_owned(), short(words)))
    };
    text.lines().filter_map(one).collect()
}

fn told(
    at: &Restoring<'_>,
    folder: &Path,
    (path, differs): (&[u8], Differs),
    was: Option<&Copied>,
) -> String {
    let mut end = String::new();
    let is_config = path == b"config" || path == b"config.worktree";
    if is_config {
        let name = String::from_utf8_lossy(path);
        let settings =
            settings_changed(at.git, was, git_files::copy_file(folder, &name).ok().flatten().as_ref());
        if !settings.is_empty() {
            end = format!("{}; ", settings.join(", "));
        }
    }
    if let Some(file) = was.and_then(|was| at.keeper.file(path, was)) {
        end = format!("{end}as it was before it is kept in {}; ", file.display());
    }
    line(path, differs, Some(format!("{end}{LEFT}")))
}

/// The names of settings that differ.
fn settings_changed(git: &Git, was: Option<&Copied>, now: Option<&Copied>) -> Vec<String> {
    let list = |file: Option<&Copied>| -> Option<BTreeSet<String>> {
        let Some(Copied::File { bytes, .. }) = file else { return Some(BTreeSet::new()) };
        let mut copy = tempfile::NamedTempFile::new().ok()?;
        copy.write_all(bytes).ok()?;
        let said = git.ask(&["config", "--file", copy.path().to_str()?, "--list", "-z"], b"").ok()?;
        let said = said.ok.then_some(said.stdout)?;
        Some(String::from_utf8_lossy(&said).split('\0').map(str::to_owned).collect())
    };
    let (Some(was), Some(now)) = (list(was), list(now)) else {
        return vec!["git can't read it".to_owned()];
    };
    let name = |setting: &String| short(setting.split('\n').next().unwrap_or_default());
    let names: BTreeSet<String> = was.symmetric_difference(&now).map(name).collect();
    names.into_iter().take(MOST_NAMED).collect()
}
