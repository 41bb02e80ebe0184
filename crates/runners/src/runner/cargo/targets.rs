//! From a build's messages to what can be run and what did not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::folder_of;
use super::options::Options;
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::test_report::cargo_build::{Build, CompileError, Target, classify};
use crate::test_report::cargo_metadata::Workspace;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Failure, LoadFailure, Outcome, TestId, TestResult};
use tdd_source::Language;

/// Sources whose modules are looked for.
const MOST_SOURCES: usize = 2000;
/// Bytes of one that are read.
const MOST_BYTES: u64 = 512 * 1024;

/// A test binary that can be run.
#[derive(Clone, Debug)]
pub(super) struct Binary {
    pub(super) package_id: String,
    pub(super) manifest: PathBuf,
    pub(super) executable: PathBuf,
    /// `lib`, `test`, `bin`, …
    pub(super) kind: String,
    /// The target's own.
    pub(super) name: String,
    /// Links against the compiler's own libraries.
    pub(super) is_proc_macro: bool,
    /// The target's root file.
    pub(super) file: RelPath,
    id_path: String,
}

impl Binary {
    pub(super) fn id(&self, name: &str) -> TestId {
        TestId(format!("{}::{name}", self.id_path))
    }

    /// What nextest calls this binary.
    pub(super) fn nextest_id(&self) -> String {
        let package = package_name(&self.package_id).unwrap_or(&self.name);
        match self.kind.as_str() {
            "test" => format!("{package}::{}", self.name),
            "bin" | "example" | "verification" => format!("{package}::{}/{}", self.kind, self.name),
            _ => package.to_owned(),
        }
    }

    /// Whether the manifest says `harness = false` for this target.
    pub(super) fn has_own_harness(&self) -> bool {
        let text = regular_file::read_to_string(&self.manifest).unwrap_or_default();
        let manifest: toml::Table = text.parse().unwrap_or_default();
        let Some(section) = manifest.get(&self.kind) else { return false };
        let says = |target: &toml::Value| target.get("harness").and_then(toml::Value::as_bool) == Some(false);
        let named = |target: &&toml::Value| {
            target.get("name").and_then(toml::Value::as_str) == Some(self.name.as_str())
        };
        says(section) || section.as_array().is_some_and(|all| all.iter().filter(named).any(says))
    }

    /// The file that holds a test, if its modules lie where modules lie; else the root file.
    pub(super) fn file_of(&self, name: &str, place: &Place) -> RelPath {
        let modules: Vec<&str> = name.split("::").collect();
        let root = Path::new(self.file.as_str());
        let folder = root.parent().unwrap_or(Path::new(""));
        for depth in (1..modules.len()).rev() {
            let path = folder.join(modules[..depth].join("/"));
            let path = path.to_string_lossy();
            for candidate in [format!("{path}.rs"), format!("{path}/mod.rs")] {
                if let Some(file) = RelPath::new(&candidate).filter(|file| place.absolute(file).is_file()) {
                    return file;
                }
            }
        }
        self.file.clone()
    }
}

/// A build, sorted out.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) binaries: Vec<Binary>,
    /// With the root file of the target that did not compile.
    pub(super) failures: Vec<(RelPath, LoadFailure)>,
    pub(super) project_broken: Option<Failure>,
    /// Ids of the packages that are broken themselves.
    pub(super) broken: Vec<String>,
}

/// Sorts a build's artifacts and errors. Binaries come in the order of their files.
/// `canary` is taken whatever the options choose.
pub(super) fn sort_out(build: &Build, place: &Place, options: &Options, canary: Option<&RelPath>) -> Found {
    let mut own = own_crates(build);
    own.extend(own_modules(build, place));
    let mut found = Found::default();
    for artifact in build.artifacts.iter().filter(|artifact| is_local(&artifact.package_id)) {
        let kind = artifact.target.kind.first().map_or("", String::as_str);
        let file = place.in_repository(&artifact.target.src_path);
        if let (true, Some(executable), Some(file)) = (artifact.test, &artifact.executable, file)
            && (options.takes(kind, &artifact.target.name) || canary == Some(&file))
        {
            found.binaries.push(Binary {
                package_id: artifact.package_id.clone(),
                manifest: PathBuf::from(&artifact.manifest_path),
                executable: PathBuf::from(executable),
                kind: kind.to_owned(),
                name: artifact.target.name.clone(),
                is_proc_macro: artifact.target.is("proc-macro"),
                id_path: place.id_path(&file),
                file,
            });
        }
    }
    // Two targets may have one root file: the names of binaries change with every build.
    found.binaries.sort_by(|a, b| (&a.file, &a.kind, &a.name).cmp(&(&b.file, &b.kind, &b.name)));
    let mut by_target: BTreeMap<(&str, &Target), Vec<&CompileError>> = BTreeMap::new();
    for error in &build.errors {
        by_target.entry((&error.package_id, &error.target)).or_default().push(error);
    }
    for ((package, target), errors) in by_target {
        let is_test_target = ["test", "verification", "example"].iter().any(|kind| target.is(kind));
        let as_others_see_it = build
            .artifacts
            .iter()
            .any(|artifact| !artifact.test && artifact.package_id == package && artifact.target == *target);
        if is_test_target || as_others_see_it {
            found.failures.extend(load_failures(target, &errors, place, &own));
        } else {
            found.project_broken.get_or_insert(classify(&errors, &own));
            found.broken.push(package.to_owned());
        }
    }
    found
}

/// One failure for each file that holds errors, so that a module of a large test target can be
/// blamed by name; the root file is blamed if no other can be, and for a helper that its tests share
/// (`tests/common/mod.rs`), which is no test of anybody's.
fn load_failures(
    target: &Target,
    errors: &[&CompileError],
    place: &Place,
    own: &[String],
) -> Vec<(RelPath, LoadFailure)> {
    let Some(root) = place.in_repository(&target.src_path) else { return Vec::new() };
    let has_own = holds_tests(place, &root) == Some(true);
    let mut by_file: BTreeMap<RelPath, Vec<&CompileError>> = BTreeMap::new();
    for error in errors {
        let file = error.file.as_deref().and_then(|file| existing(file, &target.src_path, place));
        let file = file.filter(|file| *file == root || !has_own || holds_tests(place, file) != Some(false));
        by_file.entry(file.unwrap_or_else(|| root.clone())).or_default().push(error);
    }
    by_file
        .into_iter()
        .map(|(file, errors)| (root.clone(), LoadFailure::new(file, classify(&errors, own))))
        .collect()
}

/// Whether tests are declared in a file of Rust; none if nobody can tell.
fn holds_tests(place: &Place, file: &RelPath) -> Option<bool> {
    let text = regular_file::read_to_string(place.absolute(file)).ok()?;
    let has_units = tdd_source::has_units(Language::Rust, &text).ok()?;
    Some(has_units || !tdd_source::declared(Language::Rust, &text).is_empty())
}

/// rustc names files relative to the workspace, which lies somewhere above the target.
fn existing(file: &str, src_path: &str, place: &Place) -> Option<RelPath> {
    Path::new(src_path).ancestors().skip(1).find_map(|folder| {
        let path = folder.join(file);
        let path = place.in_repository(path.to_str()?)?;
        place.absolute(&path).is_file().then_some(path)
    })
}

fn is_local(package_id: &str) -> bool {
    package_id.starts_with("path+file:") || package_id.contains("(path+file:")
}

/// Names of all local packages and of their libraries: what a test can be waiting for.
fn own_crates(build: &Build) -> Vec<String> {
    let artifacts = build.artifacts.iter().map(|artifact| (&artifact.package_id, &artifact.target));
    let errors = build.errors.iter().map(|error| (&error.package_id, &error.target));
    let mut names = BTreeSet::new();
    for (package_id, target) in artifacts.chain(errors).filter(|(package_id, _)| is_local(package_id)) {
        if target.is("lib") || target.is("proc-macro") {
            names.insert(target.name.replace('-', "_"));
        }
        names.extend(package_name(package_id).map(|name| name.replace('-', "_")));
    }
    names.into_iter().collect()
}

/// Names of modules of the targets that do not compile. rustc says a path as it was written: with all names of the module
/// above in scope, `parts::mean` may begin with one of these as well as with a crate.
fn own_modules(build: &Build, place: &Place) -> BTreeSet<String> {
    let local = build.errors.iter().filter(|error| is_local(&error.package_id));
    let folders: BTreeSet<&Path> =
        local.filter_map(|error| Path::new(&error.target.src_path).parent()).collect();
    let mut names = BTreeSet::new();
    let sources = folders.into_iter().flat_map(|folder| place.files_below(folder));
    for file in sources.filter(|file| file.extension() == "rs").take(MOST_SOURCES) {
        let Ok(bytes) = regular_file::head(&place.absolute(&file), MOST_BYTES) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        let declared = words.windows(2).filter(|pair| pair[0] == "mod").map(|pair| pair[1]);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        names.extend(declared.filter_map(|name| Some(name.split(|c| !is_part(c)).next()?.to_owned())));
    }
    names.remove("");
    names
}

/// `path+file:///p/shop#0.1.0` or `path+file:///p/dir#shop@0.1.0`.
fn package_name(package_id: &str) -> Option<&str> {
    let (path, version) = package_id.rsplit_once('#')?;
    match version.split_once('@') {
        Some((name, _)) => Some(name),
        None => path.rsplit('/').next(),
    }
}

/// Whether a library that is chosen, and whose manifest does not say `doctest = false`, holds a fenced
/// block in its documentation: running rustdoc for nothing costs more than looking.
pub(super) fn has_doctests(workspace: Option<&Workspace>, options: &Options, place: &Place) -> bool {
    let Some(workspace) = workspace else { return false };
    let chosen = workspace.chosen(&options.shared);
    let libs = chosen.iter().filter_map(|package| package.lib()).filter(|lib| lib.doctest);
    let mut folders = libs.map(|lib| folder_of(&lib.src_path));
    folders.any(|folder| place.files_below(&folder).iter().any(|file| holds_a_doctest(place, file)))
}

fn holds_a_doctest(place: &Place, file: &RelPath) -> bool {
    if file.extension() != "rs" {
        return false;
    }
    let text = regular_file::read_to_string(place.absolute(file)).unwrap_or_default();
    // Documentation may be a text of its own, as `#![doc = include_str!("../../README.md")]`.
    text.contains("```") || (text.contains("include_str!") && text.contains("doc"))
}

/// What the name of a doctest begins with in its id.
const DOCTEST: &str = "doctest of ";

/// Whether a doctest can be in this scope: always if nothing is chosen, whatever is left out; else
/// if an id of one or a file with one is.
pub(super) fn takes_doctests(scope: &Scope, place: &Place) -> bool {
    let by_id = |id: &TestId| id.0.split_once("::").is_some_and(|(_, name)| name.starts_with(DOCTEST));
    scope.is_unchosen()
        || scope.only_ids.iter().any(by_id)
        || scope.only_files.iter().any(|file| holds_a_doctest(place, file))
}

/// Doctests are named by their line, which every edit above moves: their id has their order
/// within the item instead.
pub(super) fn doctest_results(tests: Vec<(String, Outcome)>, root: &Path, place: &Place) -> Vec<TestResult> {
    let mut parsed: Vec<(String, String, u64, Outcome)> = Vec::new();
    for (name, outcome) in tests {
        let (path, rest) = name.split_once(" - ").unwrap_or(("", &name));
        let (item, line) = rest.rsplit_once("(line ").unwrap_or((rest, "0"));
        let line = line.split(')').next().and_then(|line| line.parse().ok()).unwrap_or(0);
        parsed.push((path.to_owned(), item.trim().to_owned(), line, outcome));
    }
    parsed.sort_by(|a, b| (&a.0, &a.1, a.2).cmp(&(&b.0, &b.1, b.2)));
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    parsed
        .into_iter()
        .map(|(path, item, _, outcome)| {
            let count = counts.entry((path.clone(), item.clone())).or_default();
            *count += 1;
            let item = if item.is_empty() { "the module" } else { &item };
            // rustdoc names files relative to the workspace, which may lie above the project.
            let file = root.join(&path).to_str().and_then(|path| place.in_repository(path));
            let path = file.as_ref().map_or(path, |file| place.id_path(file));
            let id = TestId(format!("{path}::{DOCTEST}{item} #{count}"));
            TestResult { id, file, outcome, duration_ms: 0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_their_name_in_their_id() {
        assert_eq!(package_name("path+file:///p/shop#0.1.0"), Some("shop"));
        assert_eq!(package_name("path+file:///p/dir#shop@0.1.0"), Some("shop"));
        assert_eq!(package_name("x"), None);
    }
}
