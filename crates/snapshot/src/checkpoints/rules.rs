//! Which files are ignored: the rules as they were when the run started, so that a child that
//! changes `.gitignore` neither hides new files nor makes old ones vanish.
//!
//! From weak to strong: by-products (a tree without a `.gitignore` must not make snapshots of
//! `target`), and then as in git: `core.excludesFile`, `info/exclude`, then each folder's own
//! `.gitignore` from the top down. What git tracks is never ignored.
#![expect(clippy::disallowed_methods, reason = "reads the rules and keeps them for a resumed run")]

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::{Deserialize, Serialize};
use std::os::unix::ffi::OsStrExt;

use super::found::{Folder, Kind, Scan};
use super::git::Git;
use super::place::GitPlace;
use tdd_child::regular_file;
use tdd_core::policy::{BY_PRODUCTS, code_among_by_products};
use tdd_core::trouble::Trouble;

/// More than any rule file has that a person wrote.
const RULES_CAP: u64 = 1 << 20;

/// One file of rules, and the folder that they count from.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Source {
    folder: Vec<u8>,
    text: String,
}

/// What is kept on disk for a resumed run.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    sources: Vec<Source>,
    /// How many of the sources count for every folder.
    general: usize,
    forced: BTreeSet<Vec<u8>>,
    submodules: BTreeSet<Vec<u8>>,
    /// Files that this program itself prints into: `tdd … > run.log` in the project.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    printed: BTreeSet<Vec<u8>>,
    /// FIFOs, sockets and devices that were there.
    #[serde(default)]
    specials: BTreeSet<Vec<u8>>,
    /// Permissions that a new file would not get.
    #[serde(default)]
    modes: Vec<(Vec<u8>, u32)>,
    /// Those that it would get.
    #[serde(default)]
    plain: Option<u32>,
    /// Folders with permissions that a new one would not get, and those without a file in them.
    #[serde(default)]
    folders: Vec<(Vec<u8>, u32)>,
}

/// The frozen rules.
#[derive(Debug, Default)]
pub(super) struct Rules {
    kept: Kept,
    /// Compiled once something is asked.
    matchers: Vec<OnceCell<Gitignore>>,
    by_folder: HashMap<Vec<u8>, usize>,
}

/// The rules that count in one folder, from weak to strong.
pub(super) type Chain = Rc<Vec<usize>>;

/// What a new file gets where a plain one gets `plain`.
fn usual(plain: u32, kind: Kind) -> u32 {
    if kind == Kind::Executable { plain | (plain & 0o444) >> 2 } else { plain }
}

impl Rules {
    /// The rules that hold for the whole tree, and what git tracks. Those of the folders are
    /// added by [`Rules::learn`] during a walk.
    pub(super) fn begin(place: &GitPlace, git: &Git) -> Result<Self, Trouble> {
        let mut rules = Self::default();
        rules.add(Source { folder: Vec::new(), text: by_products() });
        let global = git.setting("core.excludesFile").map(std::path::PathBuf::from).or_else(default_excludes);
        for file in global.into_iter().chain([place.common_dir.join("info/exclude")]) {
            if let Ok(text) = read_rules(regular_file::open_linked(&file)) {
                rules.add(Source { folder: Vec::new(), text });
            }
        }
        rules.kept.general = rules.kept.sources.len();
        let (files, submodules) = tracked(git)?;
        rules.kept.submodules.extend(submodules);
        rules.kept.forced.extend(files);
        rules.leave_out_what_is_printed(&place.work_tree);
        Ok(rules)
    }

    /// Besides what earlier processes of the run printed into.
    pub(super) fn leave_out_what_is_printed(&mut self, work_tree: &Path) {
        self.kept.printed.extend(printed_into(work_tree));
    }

    /// Files that are no part of anything from now on, tracked or not.
    pub(super) fn leave_out(&mut self, paths: BTreeSet<Vec<u8>>) {
        self.kept.forced.retain(|path| !paths.contains(path));
        self.kept.printed.extend(paths);
    }

    /// The rules that an earlier process of this run has frozen.
    pub(super) fn load(file: &Path) -> Option<Self> {
        let kept: Kept = serde_json::from_slice(&regular_file::read(file).ok()?).ok()?;
        // Somebody else may have written the file.
        if kept.general > kept.sources.len() {
            return None;
        }
        let mut rules = Self::default();
        for (index, source) in kept.sources.iter().enumerate() {
            rules.matchers.push(OnceCell::new());
            if index >= kept.general {
                rules.by_folder.insert(source.folder.clone(), index);
            }
        }
        rules.kept = kept;
        Some(rules)
    }

    /// Freezes the rules. Tracked files that no rule ignores need not be remembered.
    pub(super) fn save(&mut self, file: &Path) -> Result<(), Trouble> {
        let forced = std::mem::take(&mut self.kept.forced);
        self.kept.forced =
            forced.into_iter().filter(|path| self.ignores_below_root(path, Folder::No)).collect();
        let bytes = serde_json::to_vec(&self.kept).map_err(|error| Trouble::internal(error.to_string()))?;
        let temporary = file.with_extension("new");
        regular_file::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, file)).map_err(
            |error| {
                Trouble::environment(format!("can't write {}", file.display()))
                    .because(error)
                    .advise("make room on the disk, or make the folder writable")
            },
        )
    }

    /// Has these files held although a rule ignores them. Whether any of them was not.
    pub(super) fn hold(&mut self, paths: impl IntoIterator<Item = Vec<u8>>) -> bool {
        let before = self.kept.forced.len();
        for path in paths {
            if self.ignores_below_root(&path, Folder::No) {
                self.kept.forced.insert(path);
            }
        }
        self.kept.forced.len() > before
    }

    /// Takes in a folder's `.gitignore`.
    pub(super) fn learn(&mut self, folder: &[u8], file: std::io::Result<std::fs::File>) {
        if let Ok(text) = read_rules(file) {
            self.by_folder.insert(folder.to_vec(), self.kept.sources.len());
            self.add(Source { folder: folder.to_vec(), text });
        }
    }

    /// The chain of the top folder's parent; [`Rules::chain`] makes the next ones.
    pub(super) fn general(&self) -> Chain {
        Rc::new((0..self.kept.general).collect())
    }

    /// The rules that count in `folder`, given those of its parent.
    pub(super) fn chain(&self, parent: &Chain, folder: &[u8]) -> Chain {
        match self.by_folder.get(folder) {
            None => Rc::clone(parent),
            Some(index) => {
                let mut chain = (**parent).clone();
                chain.push(*index);
                Rc::new(chain)
            }
        }
    }

    /// Whether the rules of `chain` ignore this entry; that its parents are not ignored is known.
    pub(super) fn ignores(&self, chain: &Chain, path: &[u8], is_folder: Folder) -> bool {
        if self.kept.printed.contains(path) {
            return true;
        }
        for index in chain.iter().rev() {
            let Source { folder, text } = &self.kept.sources[*index];
            let below = if folder.is_empty() { path } else { path.get(folder.len() + 1..).unwrap_or(path) };
            let below = Path::new(std::ffi::OsStr::from_bytes(below));
            match self.matchers[*index].get_or_init(|| matcher(text)).matched(below, is_folder == Folder::Yes)
            {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    /// What a checkpoint can't hold of the tree as it is: what is neither file nor link stays, and a
    /// file that comes back gets the permissions that it had.
    /// `plain` is what a new file gets.
    pub(super) fn keep_beyond_git(&mut self, scan: Scan, plain: u32) {
        self.kept.plain = Some(plain);
        let usual = |kind: Kind| usual(plain, kind);
        let is_odd = |path: &[u8], mode: u32| mode != usual(Kind::Executable) || !scan.holds_below(path);
        let folders = scan.folders.iter().map(|(path, stamp)| (path, stamp.permissions()));
        let odd = folders.filter(|(path, mode)| is_odd(path, *mode));
        self.kept.folders = odd.map(|(path, mode)| (path.clone(), mode)).collect();
        let files = scan.files.into_iter().filter(|found| found.kind != Kind::Link);
        let modes = files.map(|found| (found.stamp.permissions(), found));
        let odd = modes.filter(|(mode, found)| *mode != usual(found.kind));
        self.kept.modes = odd.map(|(mode, found)| (found.path, mode)).collect();
        self.kept.specials.extend(scan.specials);
    }

    /// The permissions that a file had when the run began, if they were no usual ones.
    pub(super) fn mode(&self, path: &[u8]) -> Option<u32> {
        let at = self.kept.modes.binary_search_by(|(known, _)| known.as_slice().cmp(path)).ok()?;
        Some(self.kept.modes[at].1 & 0o7777)
    }

    /// Whether this file or folder had these permissions when the run began.
    pub(super) fn was_closed(&self, path: &[u8], mode: u32) -> bool {
        let folders = &self.kept.folders;
        let folder = folders.binary_search_by(|(known, _)| known.as_slice().cmp(path)).ok();
        self.mode(path).or(folder.map(|at| folders[at].1 & 0o7777)) == Some(mode)
    }

    /// The permissions that a file of the beginning had then; `None` if they were not kept.
    pub(super) fn mode_then(&self, path: &[u8], kind: Kind) -> Option<u32> {
        let fits = |mode: &u32| (mode & 0o100 != 0) == (kind == Kind::Executable);
        self.mode(path).filter(fits).or_else(|| Some(usual(self.kept.plain?, kind)))
    }

    /// Folders of the beginning that are not as a new one with files in it would be.
    pub(super) fn odd_folders(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.kept.folders.iter().map(|(path, mode)| (path.as_slice(), mode & 0o7777))
    }

    /// What a new folder got when the run began.
    pub(super) fn usual_folder(&self) -> Option<u32> {
        self.kept.plain.map(|plain| usual(plain, Kind::Executable))
    }

    /// What was neither file, folder nor link before the run.
    pub(super) fn specials(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.kept.specials.iter()
    }

    /// Whether something of that kind had this name before the run.
    pub(super) fn was_special(&self, path: &[u8]) -> bool {
        self.kept.specials.contains(path)
    }

    /// Whether git tracked this file when the run started although a rule ignores it.
    pub(super) fn is_forced(&self, path: &[u8]) -> bool {
        self.kept.forced.contains(path)
    }

    /// Whether there is such a file below this folder.
    pub(super) fn is_forced_below(&self, folder: &[u8]) -> bool {
        let mut start = folder.to_vec();
        start.push(b'/');
        self.kept.forced.range(start.clone()..).next().is_some_and(|path| path.starts_with(&start))
    }

    /// The submodule that this path is, or lies in.
    pub(super) fn submodule(&self, path: &[u8]) -> Option<&[u8]> {
        let holds = |module: &&Vec<u8>| {
            path.strip_prefix(module.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        self.kept.submodules.iter().find(holds).map(Vec::as_slice)
    }

    fn add(&mut self, source: Source) {
        self.matchers.push(OnceCell::new());
        self.kept.sources.push(source);
    }

    /// Whether a walk passes over it.
    pub(super) fn passes_over(&self, path: &[u8], is_folder: Folder) -> bool {
        let is_wanted = match is_folder {
            Folder::Yes => self.is_forced_below(path),
            Folder::No => self.is_forced(path),
        };
        !is_wanted && self.ignores_below_root(path, is_folder)
    }

    /// As a walk would find it: each folder on the way may be ignored.
    fn ignores_below_root(&self, path: &[u8], is_folder: Folder) -> bool {
        let mut chain = self.chain(&self.general(), b"");
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for at in slashes {
            if self.ignores(&chain, &path[..at], Folder::Yes) {
                return true;
            }
            chain = self.chain(&chain, &path[..at]);
        }
        self.ignores(&chain, path, is_folder)
    }
}

/// The files of the tree that stdout and stderr lead to. What is printed there is nobody's work: put back while
/// tests run, it would be lost. Where the system does not tell there are none.
fn printed_into(work_tree: &Path) -> BTreeSet<Vec<u8>> {
    let real = work_tree.canonicalize().unwrap_or_else(|_| work_tree.to_owned());
    let leads_to =
        ["/proc/self/fd/1", "/proc/self/fd/2"].into_iter().filter_map(|fd| std::fs::read_link(fd).ok());
    let inside = leads_to.filter_map(|file| {
        let path = file.strip_prefix(&real).ok()?;
        file.is_file().then(|| path.as_os_str().as_bytes().to_vec())
    });
    inside.collect()
}

type Paths = Vec<Vec<u8>>;

/// The files that git tracks, and the submodules.
pub(super) fn tracked(git: &Git) -> Result<(Paths, Paths), Trouble> {
    let listed = git.run(&["ls-files", "--stage", "-z"], b"")?;
    let (mut files, mut submodules) = (Paths::new(), Paths::new());
    for line in listed.split(|byte| *byte == 0) {
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
        let path = line[tab + 1..].to_vec();
        if line.starts_with(b"160000") { submodules.push(path) } else { files.push(path) }
    }
    Ok((files, submodules))
}

/// The rules for what tests leave. Folders among it are looked into, because code may lie there.
fn by_products() -> String {
    let code = code_among_by_products();
    let folders = code.iter().filter_map(|glob| glob.rsplit_once('/')).map(|(folder, _)| folder);
    let folders: BTreeSet<String> = folders.map(|folder| format!("!{folder}/")).collect();
    let code = code.iter().map(|glob| format!("!{glob}"));
    let lines = BY_PRODUCTS.iter().map(|glob| (*glob).to_owned());
    lines.chain(folders).chain(code).collect::<Vec<_>>().join("\n")
}

fn matcher(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that is no glob ignores nothing, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// git reads no rules through a link, and neither do we.
fn read_rules(file: std::io::Result<std::fs::File>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file?.take(RULES_CAP).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn default_excludes() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("XDG_CONFIG_HOME")
        .filter(|folder| !folder.is_empty())
        .map(std::path::PathBuf::from)
        .or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".config")))?;
    Some(folder.join("git/ignore"))
}
