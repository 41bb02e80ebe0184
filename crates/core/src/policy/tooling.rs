//! What the name of a file says of its purpose: whether it serves the tests or is what is tested.
//!
//! A gate file may run or import both. Who changes production code must never be blamed for it, so a
//! file that is only run or imported by a gate file is one itself if its name says so.

use crate::path::RelPath;

/// Folders of scripts around the code.
const TOOLS: &[&str] = &[
    "scripts",
    "script",
    "tools",
    "tool",
    "tooling",
    "ci",
    "hack",
    "dev",
    "devtools",
    "qa",
    "test",
    "tests",
    "testing",
    "e2e",
    "config",
    "configs",
    "cfg",
    "conf",
    "build-support",
    "make",
];
/// Words of a file's stem that say that it is about tests.
const WORDS: &[&str] = &[
    "test", "tests", "testing", "check", "checks", "lint", "ci", "verify", "gate", "coverage", "setup",
    "vitest", "jest", "vite", "preset", "config",
];
/// Folders of what is tested.
const SOURCES: &[&str] = &["src", "lib", "app", "source", "sources", "dist", "pkg", "internal", "cmd"];
/// Folders among sources that hold tests all the same.
const TESTS: &[&str] = &["test", "tests", "__tests__", "testing", "spec", "specs", "e2e"];

/// Whether a script or a part of a configuration serves the tests, by its name.
pub fn is_tooling(path: &RelPath) -> bool {
    let mut folders = folders(path);
    let has_word = path.stem().split(['-', '_', '.']).any(|word| WORDS.contains(&word));
    !lies_among_sources(path) && (folders.any(|folder| TOOLS.contains(&folder)) || has_word)
}

/// Whether a file lies in a folder of production code, and in none of tests there.
pub fn lies_among_sources(path: &RelPath) -> bool {
    let has = |names: &[&str]| folders(path).any(|folder| names.contains(&folder));
    has(SOURCES) && !has(TESTS)
}

fn folders(path: &RelPath) -> impl Iterator<Item = &str> {
    let folder = path.folder();
    folder.split('/').filter(|part| !part.is_empty())
}

/// Whether an editor holds this beside a file that is open in it, has kept it of a file as it was, or tries with it
/// whether it may write to a folder, as Vim does: no command makes such a file.
pub fn is_editors(path: &RelPath) -> bool {
    let name = path.file_name();
    let is_between = name.len() > 2 && name.starts_with('#') && name.ends_with('#');
    if name == "4913" || is_between || (name.len() > 1 && name.ends_with('~')) {
        return true;
    }
    let Some(name) = name.strip_prefix('.') else { return false };
    if name.len() > 1 && name.starts_with('#') {
        return true;
    }
    let is_swap = |end: &str| {
        end.len() == 3 && end.starts_with("sw") && end.ends_with(|last| matches!(last, 'a'..='p'))
    };
    name.rsplit_once('.').is_some_and(|(_, end)| is_swap(end) || end == "kate-swp")
        || (name.starts_with("~lock.") && name.ends_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_holds_beside_an_open_file_is_known_by_its_name() {
        for (path, want) in [
            (".shop.py.swp", true),
            ("src/.shop.py.swo", true),
            ("a/.b.kate-swp", true),
            (".~lock.a.odt#", true),
            ("src/shop.py~", true),
            ("#shop.py#", true),
            (".#shop.py", true),
            ("src/4913", true),
            ("4913/a", false),
            ("#", false),
            ("~", false),
            ("shop.swp", false),
            (".shop.swq", false),
            (".swap", false),
            (".env", false),
        ] {
            assert_eq!(is_editors(&RelPath::new(path).unwrap()), want, "{path}");
        }
    }

    #[test]
    fn a_name_says_whether_a_file_serves_the_tests() {
        for (path, tooling, among_sources) in [
            ("scripts/inner.sh", true, false),
            ("run-tests.sh", true, false),
            ("check.py", true, false),
            ("cfg/shared.ts", true, false),
            ("shop.py", false, false),
            ("greet.sh", false, false),
            ("src/scripts/deploy.sh", false, true),
            ("src/test/setup.ts", true, false),
            ("lib/check.js", false, true),
            ("contest.py", false, false),
        ] {
            let path = RelPath::new(path).unwrap();
            assert_eq!((is_tooling(&path), lies_among_sources(&path)), (tooling, among_sources), "{path}");
        }
    }
}
