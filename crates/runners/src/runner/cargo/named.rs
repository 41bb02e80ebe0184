//! How `cargo test` is told to run a file's tests: by package, target and name.

use std::path::{Path, PathBuf};

use super::folder_of;
use crate::runner::place::Place;
use tdd_child::regular_file;
use tdd_core::path::RelPath;

/// The words that choose a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// `None` if no manifest above the file names one.
    pub(super) package: Option<String>,
    /// The package is the one of the project's own folder.
    pub(super) is_root: bool,
    pub(super) target: Option<Vec<String>>,
    pub(super) filter: Option<String>,
}

/// By the nearest manifest: by the tests that it names, and else by the usual layout of a package.
pub(super) fn by_path(place: &Place, file: &RelPath) -> Named {
    let path = place.absolute(file);
    let Some((folder, manifest)) = nearest(place, &path) else {
        let (target, filter) = by_layout(&place.id_path(file));
        return Named { package: None, is_root: true, target, filter };
    };
    let package = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    let below = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
    let (target, filter) = match by_table(&manifest, &below) {
        Some(named) => named,
        None => by_layout(&below),
    };
    Named { package: package.map(str::to_owned), is_root: folder == place.project, target, filter }
}

/// The manifest of the package that a file is of, and its folder.
fn nearest(place: &Place, file: &Path) -> Option<(PathBuf, toml::Table)> {
    let mut folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(&place.repository));
    folders.find_map(|folder| {
        let text = regular_file::read_to_string(folder.join("Cargo.toml")).ok()?;
        let table: toml::Table = text.parse().ok()?;
        table.contains_key("package").then(|| (folder.to_owned(), table))
    })
}

type TargetAndFilter = (Option<Vec<String>>, Option<String>);

/// A `[[test]]` whose root is this file, or lies above it in a folder of its own.
fn by_table(manifest: &toml::Table, below: &str) -> Option<TargetAndFilter> {
    let tests = manifest.get("test")?.as_array()?;
    let roots =
        tests.iter().filter_map(|test| Some((test.get("name")?.as_str()?, test.get("path")?.as_str()?)));
    let mut best: Option<(&str, &str)> = None;
    for (name, root) in roots {
        let folder = folder_of(root);
        let holds = root == below || Path::new(below).starts_with(&folder);
        let is_better =
            best.is_none_or(|(_, other)| root == below || (other != below && root.len() > other.len()));
        if holds && is_better {
            best = Some((name, root));
        }
    }
    let (name, root) = best?;
    let target = Some(vec!["--test".to_owned(), name.to_owned()]);
    if root == below {
        return Some((target, None));
    }
    // With targets found by their place, a file beside the root is one of its own.
    let finds = manifest.get("package")?.get("autotests").and_then(toml::Value::as_bool) != Some(false);
    let modules = Path::new(below).strip_prefix(folder_of(root)).ok()?.with_extension("");
    let modules: Vec<String> = modules.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if finds && modules.len() < 2 {
        return None;
    }
    let filter = format!("{}::", modules.join("::").trim_end_matches("::mod"));
    Some((target, Some(filter)))
}

fn by_layout(path: &str) -> TargetAndFilter {
    let parts: Vec<&str> = path.split('/').collect();
    let Some(tests) = parts.iter().rposition(|part| *part == "tests") else {
        return (Some(vec!["--lib".to_owned()]), None);
    };
    let target = |name: &str| Some(vec!["--test".to_owned(), name.to_owned()]);
    match &parts[tests + 1..] {
        [file] => (target(file.trim_end_matches(".rs")), None),
        [folder, "main.rs"] => (target(folder), None),
        [folder, modules @ ..] => {
            let modules: Vec<&str> = modules.iter().map(|part| part.trim_end_matches(".rs")).collect();
            (target(folder), Some(format!("{}::", modules.join("::").trim_end_matches("::mod"))))
        }
        [] => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown((target, filter): &TargetAndFilter) -> String {
        let target = target.as_ref().map(|words| words.join(" ")).unwrap_or_default();
        format!("{target} {}", filter.as_deref().unwrap_or_default()).trim().to_owned()
    }

    #[test]
    fn a_file_is_named_by_its_target() {
        for (path, want) in [
            ("tests/ac_1.rs", "--test ac_1"),
            ("tests/suite/main.rs", "--test suite"),
            ("tests/suite/ac_1.rs", "--test suite ac_1::"),
            ("crates/a/tests/x.rs", "--test x"),
            ("src/tests.rs", "--lib"),
        ] {
            assert_eq!(shown(&by_layout(path)), want, "{path}");
        }
    }

    #[test]
    fn a_file_is_named_as_the_manifest_names_it() {
        let head = "[package]\nname = 'a'\n";
        let one = "[[test]]\nname = 'integration'\npath = 'tests/tests.rs'\n";
        for (auto, path, want) in [
            ("autotests = false\n", "tests/tests.rs", "--test integration"),
            ("autotests = false\n", "tests/ac_1.rs", "--test integration ac_1::"),
            ("autotests = false\n", "tests/deep/mod.rs", "--test integration deep::"),
            ("", "tests/tests.rs", "--test integration"),
            ("", "tests/ac_1.rs", "none"),
            ("", "src/lib.rs", "none"),
        ] {
            let manifest: toml::Table = format!("{head}{auto}{one}").parse().unwrap();
            let got = by_table(&manifest, path).map_or("none".to_owned(), |named| shown(&named));
            assert_eq!(got, want, "{auto}{path}");
        }
    }
}
