//! Where a name that a file of tests imports is at home.
//!
//! ```text
//! files of the project      they can be read
//! the project, not there    code that is yet to be written
//! the language, the runner  known by name
//! anything else             a library: what it does can't be read here
//! ```

mod own;

use std::collections::BTreeSet;

use tdd_core::path::RelPath;

use self::own::{JAVASCRIPT_OWN, PYTHON_OWN};
use super::Language;

/// What an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Files(Vec<RelPath>),
    /// The project's, and not among its files.
    Absent,
    /// The language's own, or a test runner.
    Own,
    Library,
}

/// A package that the project holds, by the name that others import it with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// Its folder, without a slash at the end; empty for the root.
    pub folder: String,
}

/// All files of a project, and its packages.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub(super) files: BTreeSet<RelPath>,
    packages: Vec<Package>,
}

/// Files of one package that are given for one import.
const MOST_FILES: usize = 40;

/// Folders around a file that are looked through.
const MOST_FOLDERS: usize = 16;

impl Files {
    pub fn new(files: Vec<RelPath>, packages: Vec<Package>) -> Self {
        Self { files: files.into_iter().collect(), packages }
    }

    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.files.iter()
    }

    /// The name that a manifest gives its package: `Cargo.toml`, `package.json`, `go.mod`.
    pub fn package(manifest: &RelPath, text: &str) -> Option<Package> {
        let (folder, file) = manifest.as_str().rsplit_once('/').unwrap_or(("", manifest.as_str()));
        let name = match file {
            "go.mod" => text.lines().find_map(|line| line.strip_prefix("module "))?.trim().to_owned(),
            "Cargo.toml" => {
                let table: toml::Table = text.parse().ok()?;
                let name = |table: &str, from: &toml::Table| {
                    Some(from.get(table)?.get("name")?.as_str()?.replace('-', "_"))
                };
                name("lib", &table).or_else(|| name("package", &table))?
            }
            "package.json" => {
                let value: serde_json::Value = serde_json::from_str(text).ok()?;
                value.get("name")?.as_str()?.to_owned()
            }
            _ => return None,
        };
        (!name.is_empty()).then(|| Package { name, folder: folder.to_owned() })
    }

    /// Where this import of this file leads.
    pub fn place(&self, language: Language, file: &RelPath, from: &str) -> Place {
        match language {
            Language::Python => self.python(file, from),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.script(file, from),
            Language::Rust => self.rust(file, from),
            Language::Go => self.go(from),
        }
    }

    /// Files whose names a file of tests may use without an import.
    pub fn beside(&self, language: Language, file: &RelPath) -> Vec<RelPath> {
        let folder = file.folder();
        match language {
            Language::Go => {
                let is_beside = |other: &&RelPath| {
                    other.folder() == folder && other.as_str().ends_with("_test.go") && *other != file
                };
                self.files.iter().filter(is_beside).take(MOST_FILES).cloned().collect()
            }
            Language::Python => {
                folders(file).iter().filter_map(|folder| self.one(&join(folder, "conftest.py"))).collect()
            }
            Language::Rust | Language::JavaScript | Language::TypeScript | Language::Tsx => Vec::new(),
        }
    }

    fn one(&self, path: &str) -> Option<RelPath> {
        RelPath::new(path).filter(|path| self.files.contains(path))
    }

    /// The first of these that is there.
    fn first(&self, paths: &[String]) -> Option<Place> {
        paths.iter().find_map(|path| self.one(path)).map(|path| Place::Files(vec![path]))
    }

    fn python(&self, file: &RelPath, from: &str) -> Place {
        let (module, name) = from.split_once(':').unwrap_or((from, ""));
        let words: Vec<&str> = module.split('.').filter(|word| !word.is_empty()).collect();
        let dots = module.len() - module.trim_start_matches('.').len();
        let bases: Vec<String> = if dots > 0 {
            folders(file).into_iter().skip(dots - 1).take(1).collect()
        } else {
            let around = folders(file).into_iter();
            around.flat_map(|folder| [folder.clone(), join(&folder, "src"), join(&folder, "lib")]).collect()
        };
        let as_files = |base: &str, words: &[&str]| {
            let path = join(base, &words.join("/"));
            [format!("{path}.py"), join(&path, "__init__.py")]
        };
        for base in &bases {
            let whole: Vec<&str> =
                words.iter().copied().chain(Some(name).filter(|name| !name.is_empty())).collect();
            let mut paths = as_files(base, &whole).to_vec();
            paths.extend(as_files(base, &words));
            if let Some(found) = self.first(&paths) {
                return found;
            }
        }
        let Some(root) = words.first().filter(|_| dots == 0) else { return Place::Absent };
        let ends = [format!("/{root}.py"), format!("/{root}/__init__.py")];
        let is_there = |path: &RelPath| ends.iter().any(|end| format!("/{path}").ends_with(end));
        if self.files.iter().any(is_there) || bases.iter().any(|base| self.holds_folder(&join(base, root))) {
            return Place::Absent;
        }
        if PYTHON_OWN.contains(root) { Place::Own } else { Place::Library }
    }

    /// Files that a module of Python of this name may be, in whatever folder that is no package itself.
    pub(super) fn of_this_name(&self, name: &str) -> Vec<RelPath> {
        let ends = [format!("{name}.py"), format!("{name}/__init__.py")];
        let is_it = |path: &&RelPath| {
            let folder = ends.iter().find_map(|end| path.as_str().strip_suffix(end.as_str()));
            folder.is_some_and(|folder| {
                (folder.is_empty() || folder.ends_with('/'))
                    && self.one(&format!("{folder}__init__.py")).is_none()
            })
        };
        self.files.iter().filter(is_it).take(MOST_FILES).cloned().collect()
    }

    fn holds_folder(&self, folder: &str) -> bool {
        let within = format!("{folder}/");
        self.files.iter().any(|path| path.as_str().starts_with(&within))
    }

    fn script(&self, file: &RelPath, from: &str) -> Place {
        let as_files = |path: &str| {
            let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
            let mut paths = vec![path.to_owned()];
            for end in ["js", "ts", "mjs", "cjs", "mts", "cts", "tsx", "jsx"] {
                paths.push(format!("{path}.{end}"));
                paths.push(format!("{path}/index.{end}"));
            }
            paths.extend(["ts", "tsx", "mts", "cts"].map(|end| format!("{stem}.{end}")));
            paths
        };
        if from.starts_with('.') {
            let path = normal(&format!("{}/{from}", file.folder()));
            return self.first(&as_files(&path)).unwrap_or(Place::Absent);
        }
        let root = from.split('/').next().unwrap_or(from);
        if from.starts_with("node:") || JAVASCRIPT_OWN.contains(&root) || JAVASCRIPT_OWN.contains(&from) {
            return Place::Own;
        }
        let of = |package: &&Package| from == package.name || from.starts_with(&format!("{}/", package.name));
        if let Some(package) = self.packages.iter().find(of) {
            let rest = from.get(package.name.len() + 1..).unwrap_or_default();
            let paths = [join(&package.folder, rest), join(&join(&package.folder, "src"), rest)];
            let paths: Vec<String> = paths.iter().flat_map(|path| as_files(path)).collect();
            return self.first(&paths).filter(|_| !rest.is_empty()).unwrap_or(Place::Absent);
        }
        let is_alias = from.starts_with("@/") || from.starts_with(['~', '#', '$']);
        let rest = from.trim_start_matches(['@', '~', '#', '$']).trim_start_matches('/');
        let around = folders(file).into_iter();
        let bases = around.flat_map(|folder| [folder.clone(), join(&folder, "src")]);
        let paths: Vec<String> = bases.flat_map(|base| as_files(&join(&base, rest))).collect();
        let missing = if is_alias { Place::Absent } else { Place::Library };
        self.first(&paths).unwrap_or(missing)
    }

    fn rust(&self, file: &RelPath, from: &str) -> Place {
        if let Some(module) = from.strip_prefix("mod ") {
            return self.first(&modules(file, module)).unwrap_or(Place::Absent);
        }
        let mut words = from.trim_start_matches("::").split("::").filter(|word| !word.is_empty());
        let root = words.next().unwrap_or_default();
        match root {
            "std" | "core" | "alloc" | "proc_macro" | "test" => return Place::Own,
            "crate" | "self" | "super" => {
                let module = words.find(|word| !matches!(*word, "self" | "super")).unwrap_or_default();
                return self.first(&modules(file, module)).unwrap_or(Place::Absent);
            }
            _ => {}
        }
        if let Some(found) = self.first(&modules(file, root)) {
            return found;
        }
        let Some(package) = self.packages.iter().find(|package| package.name == root) else {
            return if root.starts_with(char::is_uppercase) { Place::Own } else { Place::Library };
        };
        let within = join(&package.folder, "src/");
        let sources =
            self.files.iter().filter(|path| path.as_str().starts_with(&within) && path.extension() == "rs");
        Place::Files(sources.take(MOST_FILES).cloned().collect())
    }

    fn go(&self, from: &str) -> Place {
        let of = |package: &&Package| from == package.name || from.starts_with(&format!("{}/", package.name));
        let own = self.packages.iter().filter(of).max_by_key(|package| package.name.len());
        let Some(package) = own else {
            let is_own = !from.split('/').next().unwrap_or(from).contains('.');
            return if is_own { Place::Own } else { Place::Library };
        };
        let folder = join(&package.folder, from.get(package.name.len() + 1..).unwrap_or_default());
        let is_of = |path: &&RelPath| path.folder() == folder && path.extension() == "go";
        let files: Vec<RelPath> = self.files.iter().filter(is_of).take(MOST_FILES).cloned().collect();
        if files.is_empty() { Place::Absent } else { Place::Files(files) }
    }
}

/// Where a module that a file declares may stand.
fn modules(file: &RelPath, module: &str) -> Vec<String> {
    let stem = file.as_str().strip_suffix(".rs").unwrap_or(file.as_str());
    let mut bases = vec![stem.to_owned()];
    bases.extend(folders(file).into_iter().take(3));
    if module.is_empty() {
        return Vec::new();
    }
    bases
        .iter()
        .flat_map(|base| [format!("{module}.rs"), format!("{module}/mod.rs")].map(|end| join(base, &end)))
        .collect()
}

/// The folders around a file, the nearest first, the root last.
fn folders(file: &RelPath) -> Vec<String> {
    let mut folder = file.folder();
    let mut found = vec![folder.to_owned()];
    while !folder.is_empty() && found.len() < MOST_FOLDERS {
        folder = folder.rsplit_once('/').map_or("", |(around, _)| around);
        found.push(folder.to_owned());
    }
    found
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.is_empty() { format!("{folder}{path}") } else { format!("{folder}/{path}") }
}

/// A path without `.` and `..`; one that leaves the project is none of its files.
fn normal(path: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in path.split('/') {
        match word {
            "" | "." => {}
            ".." if words.last().is_some_and(|last| *last != "..") => {
                words.pop();
            }
            word => words.push(word),
        }
    }
    words.join("/")
}

#[cfg(test)]
mod tests;
