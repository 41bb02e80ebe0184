//! Where the project lies in the repository, and what a path is called in each.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use tdd_core::path::RelPath;
use tdd_core::test::TestId;
use tdd_core::tool_folder::is_installed;

/// Where our own reporters lie.
const OWN_FOLDER: &str = ".tdd";

/// Where Python looks for modules before anywhere else.
pub(super) const PYTHON_PATH: &str = "PYTHONPATH";

/// Both roots, absolute and without links.
#[derive(Clone, Debug)]
pub struct Place {
    pub(super) repository: PathBuf,
    pub(super) project: PathBuf,
    /// In a checkout: where Python finds what is installed as it lies in the work tree.
    python_path: Vec<PathBuf>,
}

impl Place {
    pub fn new(repository: &Path, project: &Path) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { repository: real(repository), project: real(project), python_path: Vec::new() }
    }

    /// Of a checkout: what is installed as it lies in these folders of the work tree is imported from its own.
    pub(super) fn importing_from(mut self, roots: &BTreeSet<String>) -> Self {
        self.python_path = roots.iter().map(|root| self.repository.join(root)).collect();
        self
    }

    /// The variable that leads Python there, before where it looks anyway.
    pub(super) fn python_path(&self, rest: Option<OsString>) -> Option<OsString> {
        let rest = rest.filter(|rest| !rest.is_empty());
        let own = self.python_path.iter().map(|folder| folder.clone().into_os_string());
        let all: Vec<OsString> = own.chain(rest).collect();
        (!all.is_empty()).then(|| all.join(OsStr::new(":")))
    }

    /// A path of the repository, on the disk.
    pub(super) fn absolute(&self, path: &RelPath) -> PathBuf {
        self.repository.join(path.as_str())
    }

    /// What a runner calls a file (absolute, or relative to the project), as findings name it.
    pub(super) fn in_repository(&self, told: &str) -> Option<RelPath> {
        let is_plain = !told.starts_with('/') && told.split('/').all(|part| part != "..");
        if is_plain && self.project == self.repository {
            return RelPath::new(told);
        }
        let path = lexical(&self.project.join(told));
        RelPath::new(path.strip_prefix(&self.repository).ok()?.to_str()?)
    }

    /// Those of the files that are the repository's own and nobody has installed there.
    pub(super) fn own_files(&self, told: &BTreeSet<String>) -> BTreeSet<RelPath> {
        // Some are words that are a library's, as `node` is an environment.
        let files =
            told.iter().filter(|file| file.starts_with('/')).filter_map(|file| self.in_repository(file));
        files.filter(|file| !is_installed(file) && !file.is_within(OWN_FOLDER)).collect()
    }

    /// Those of the folders that are the repository's own, relative to it; empty for itself.
    pub(super) fn own_folders(&self, told: &BTreeSet<String>) -> BTreeSet<String> {
        let own = |folder: &String| {
            let inside = Path::new(folder).strip_prefix(&self.repository).ok()?.to_str()?.to_owned();
            let is_own = RelPath::new(&inside).is_none_or(|path| {
                !is_installed(&path) && !path.is_within(OWN_FOLDER) && path.as_str() == inside
            });
            is_own.then_some(inside)
        };
        told.iter().filter_map(own).collect()
    }

    /// A file relative to the project, with `/`; `None` if it lies outside.
    pub(super) fn in_project(&self, path: &RelPath) -> Option<String> {
        let path = self.absolute(path);
        Some(path.strip_prefix(&self.project).ok()?.to_str()?.to_owned())
    }

    /// The path that an id of this file's tests begins with.
    pub(super) fn id_path(&self, path: &RelPath) -> String {
        if self.project == self.repository {
            return path.as_str().to_owned();
        }
        self.in_project(path).unwrap_or_else(|| path.as_str().to_owned())
    }

    /// Takes an id apart into the file and the full name.
    pub(super) fn file_of_id<'id>(&self, id: &'id TestId) -> Option<(RelPath, &'id str)> {
        let (path, name) = id.0.split_once("::")?;
        Some((self.in_repository(path)?, name))
    }

    /// The files of the tree that a pattern relative to the project matches, sorted.
    pub(super) fn glob(&self, pattern: &str) -> Vec<RelPath> {
        let Ok(glob) = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build()
        else {
            return Vec::new();
        };
        let matcher = glob.compile_matcher();
        let mut found = self.files_below(&self.project);
        found.retain(|file| self.in_project(file).is_some_and(|path| matcher.is_match(path)));
        found
    }

    /// All files below a folder, sorted; never follows links, and never enters folders that hold
    /// no sources of the project's own.
    pub fn files_below(&self, folder: &Path) -> Vec<RelPath> {
        let mut found = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name();
                if kind.is_dir() {
                    if !SKIPPED.iter().any(|skipped| name == *skipped) {
                        open.push(entry.path());
                    }
                } else if let Some(path) = entry.path().to_str().and_then(|path| self.in_repository(path)) {
                    found.push(path);
                }
            }
            if found.len() > FILE_CAP {
                break;
            }
        }
        found.sort();
        found
    }
}

const SKIPPED: &[&str] = &[".git", "node_modules", ".venv", "venv", "target", "__pycache__", ".tdd", ".tox"];

/// Files that are looked at when a tree is searched.
const FILE_CAP: usize = 200_000;

/// Removes `.` and `..` by name alone: the file may be gone by now.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}
