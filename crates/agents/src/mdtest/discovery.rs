//! Which Markdown tests there are.
//!
//! A test is a file whose name ends in `.test.md`. `.git` is skipped and links to folders are not
//! followed, so a loop of links is none. A link to a file is a test like any other, as long as the
//! file lies below the root. What can't be tested is found all the same, with the reason: a test
//! that is left out in silence looks like one that passes.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "the tests lay out suites"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use tdd_child::regular_file;
use tdd_core::trouble::Trouble;
use tdd_spec::mdtest::SUFFIX;

/// More tests than this are a mistake, or an attack.
const MOST_TESTS: usize = 100_000;

/// Bytes of a test that are looked at.
const MOST_READ: u64 = 1 << 20;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Relative to the root, with `/` between its parts.
    pub name: String,
    /// Absolute.
    pub path: PathBuf,
    /// Why it can't be carried out.
    pub obstacle: Option<String>,
    /// What it says, if nobody may have changed that when its turn comes.
    pub print: Option<Print>,
}

/// Tells one text from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print(blake3::Hash);

impl Print {
    /// `None` if it can't be read.
    pub fn of(path: &Path) -> Option<Self> {
        let text =
            regular_file::open_linked(path).and_then(|file| regular_file::head_of(file, MOST_READ)).ok()?;
        Some(Self(blake3::hash(&text)))
    }
}

impl Test {
    /// Why what an agent says of it is not believed: another one may have changed what it asks for.
    pub(super) fn is_changed(&self) -> Option<String> {
        (self.print.is_some() && Print::of(&self.path) != self.print).then(|| {
            "its file is not as it was when the suite began: see who changed it (an agent of this suite may have), then \
             run it again"
                .to_owned()
        })
    }
}

/// The tests below `root`, or just those in `wanted` (files and folders, relative to `cwd`), sorted
/// by name. `root` is absolute, without links. A trouble if there is none, if something wanted is no
/// test or lies elsewhere, or if a folder can't be read.
pub fn find(root: &Path, wanted: &[PathBuf], cwd: &Path) -> Result<Vec<Test>, Trouble> {
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        walk(root, root, &mut found)?;
    }
    for path in wanted {
        let below = below_root(root, &cwd.join(path), path)?;
        if below.is_dir() {
            walk(root, &below, &mut found)?;
        } else if is_test_name(&below) {
            add(root, &below, &mut found)?;
        } else {
            return Err(Trouble::user(format!("{} is no Markdown test", path.display()))
                .because(format!("its name does not end in {SUFFIX}"))
                .advise("name a test, or a folder with tests"));
        }
    }
    if found.is_empty() {
        let looked: Vec<String> = if wanted.is_empty() {
            vec![root.display().to_string()]
        } else {
            wanted.iter().map(|path| path.display().to_string()).collect()
        };
        return Err(Trouble::user(format!("no Markdown test in {}", looked.join(", ")))
            .because(format!("no file's name there ends in {SUFFIX}"))
            .advise(format!("write one, for example smoke{SUFFIX}, or name another folder with --dir")));
    }
    Ok(found.into_values().collect())
}

/// What a person named, with the links of its folders resolved: it must lie below the root.
fn below_root(root: &Path, path: &Path, typed: &Path) -> Result<PathBuf, Trouble> {
    let missing = |error: std::io::Error| {
        Trouble::user(format!("{} can't be found", typed.display()))
            .because(error)
            .advise("`tdd mdtest list` shows all tests")
    };
    fs::symlink_metadata(path).map_err(missing)?;
    // The last part may itself be a link; where that leads is looked at with every test.
    let real = match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if !path.is_dir() => folder.canonicalize().map_err(missing)?.join(name),
        _ => path.canonicalize().map_err(missing)?,
    };
    if real.starts_with(root) {
        return Ok(real);
    }
    Err(Trouble::user(format!("{} lies outside of the suite", typed.display()))
        .because(format!("the suite's root is {}", root.display()))
        .advise("name another root with --dir"))
}

fn walk(root: &Path, from: &Path, found: &mut BTreeMap<String, Test>) -> Result<(), Trouble> {
    let mut waiting = vec![from.to_owned()];
    while let Some(folder) = waiting.pop() {
        let unreadable = |error: std::io::Error| {
            Trouble::environment(format!("the folder {} can't be read", folder.display()))
                .because(error)
                .advise("its tests would be left out: let it be read, or name other paths")
        };
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                if entry.file_name() != ".git" {
                    waiting.push(path);
                }
            } else if is_test_name(&path) && !(kind.is_symlink() && path.is_dir()) {
                add(root, &path, found)?;
            }
        }
    }
    Ok(())
}

fn is_test_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(SUFFIX.as_bytes()))
}

fn add(root: &Path, path: &Path, found: &mut BTreeMap<String, Test>) -> Result<(), Trouble> {
    if found.len() >= MOST_TESTS {
        return Err(Trouble::user(format!("more than {MOST_TESTS} tests in {}", root.display()))
            .advise("name paths, or another folder with --dir"));
    }
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let name = parts.join("/");
    let obstacle = obstacle(root, path);
    let print = if obstacle.is_none() { Print::of(path) } else { None };
    let test = Test { name: name.clone(), path: path.to_owned(), obstacle, print };
    found.insert(name, test);
    Ok(())
}

fn obstacle(root: &Path, path: &Path) -> Option<String> {
    let Some(text) = path.to_str() else {
        return Some("its path is no UTF-8, so no agent can be told of it".to_owned());
    };
    if text.chars().any(char::is_control) {
        return Some("its path holds a control character, so no agent can be told of it".to_owned());
    }
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) => return Some(format!("it can't be read: {error}")),
    };
    if !real.starts_with(root) {
        return Some(format!("it is a link that leads out of the suite, to {}", real.display()));
    }
    if !real.is_file() {
        return Some("it is no regular file".to_owned());
    }
    access(&real, Access::READ_OK).err().map(|error| format!("it can't be read: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn suite(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("suite");
        fs::create_dir(&root).unwrap();
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "# a test\n").unwrap();
        }
        (dir, root)
    }

    fn names(found: Result<Vec<Test>, Trouble>) -> Vec<String> {
        found.unwrap().into_iter().map(|test| test.name).collect()
    }

    #[test]
    fn discovery_order_with_git_and_symlinks() {
        let (_dir, root) = suite(&[
            "b.test.md",
            "a/z.test.md",
            "a-b.test.md",
            "a.test.md",
            ".git/x.test.md",
            "sub/.git/y.test.md",
            "notes.md",
            "x.test.md.bak",
            "real/in.test.md",
        ]);
        symlink(root.join("real"), root.join("linked")).unwrap();
        symlink(&root, root.join("a/loop")).unwrap();
        symlink("real", root.join("folder.test.md")).unwrap();
        symlink("../b.test.md", root.join("a/link.test.md")).unwrap();
        fs::create_dir(root.join("dir.test.md")).unwrap();
        fs::write(root.join("dir.test.md/inner.test.md"), "").unwrap();
        let want = [
            "a-b.test.md",
            "a.test.md",
            "a/link.test.md",
            "a/z.test.md",
            "b.test.md",
            "dir.test.md/inner.test.md",
            "real/in.test.md",
        ];
        assert_eq!(names(find(&root, &[], &root)), want, "by bytes of the whole path");
    }

    #[test]
    fn paths_choose_and_none_is_taken_twice() {
        let (_dir, root) = suite(&["a/1.test.md", "a/2.test.md", "b.test.md", "c.md"]);
        let find_in = |cwd: &Path, paths: &[&str]| {
            find(&root, &paths.iter().map(PathBuf::from).collect::<Vec<_>>(), cwd)
        };
        assert_eq!(
            names(find_in(&root, &["b.test.md", "a", "a/1.test.md"])),
            ["a/1.test.md", "a/2.test.md", "b.test.md"]
        );
        assert_eq!(
            names(find_in(&root.join("a"), &["2.test.md", "../b.test.md"])),
            ["a/2.test.md", "b.test.md"]
        );
        for (paths, word) in [
            (&["c.md"][..], "is no Markdown test"),
            (&["gone.test.md"], "can't be found"),
            (&["../out.test.md"], "can't be found"),
        ] {
            assert!(find_in(&root, paths).unwrap_err().what.contains(word), "{paths:?}");
        }
        fs::write(root.join("../out.test.md"), "").unwrap();
        assert!(find_in(&root, &["../out.test.md"]).unwrap_err().what.contains("outside of the suite"));
        let (_dir, empty) = suite(&["c.md"]);
        assert!(find(&empty, &[], &empty).unwrap_err().what.contains("no Markdown test in"));
    }

    #[test]
    fn what_can_t_be_tested_is_found_with_the_reason() {
        let (_dir, root) = suite(&["fine.test.md", "new\nline.test.md"]);
        fs::write(root.join("../out.md"), "secret").unwrap();
        symlink("../out.md", root.join("out.test.md")).unwrap();
        symlink("self.test.md", root.join("self.test.md")).unwrap();
        symlink("gone.md", root.join("gone.test.md")).unwrap();
        let found = find(&root, &[], &root).unwrap();
        let obstacles: Vec<(&str, &str)> =
            found.iter().map(|test| (test.name.as_str(), test.obstacle.as_deref().unwrap_or(""))).collect();
        for (name, word) in [
            ("fine.test.md", ""),
            ("new\nline.test.md", "control character"),
            ("out.test.md", "leads out of the suite"),
            ("self.test.md", "can't be read"),
            ("gone.test.md", "can't be read"),
        ] {
            let (_, obstacle) = obstacles.iter().find(|(found, _)| *found == name).unwrap();
            assert!(obstacle.contains(word) && obstacle.is_empty() == word.is_empty(), "{name}: {obstacle}");
        }
    }
}
