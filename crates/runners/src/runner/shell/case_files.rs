//! Which file a case of a `JUnit` report belongs to.
//!
//! A report of thousands of tests that names no files is a question to the disk for each way in which a
//! class could be a file. So each folder is listed once, and each class looked up once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::runner::place::Place;
use crate::test_report::junit::Case;
use tdd_core::path::RelPath;

/// Where classes lie that are named without it.
const ROOTS: [&str; 5] = ["", "src/test/java/", "src/test/kotlin/", "test/", "tests/"];
/// JavaScript has no classes of tests: there a suite's title in words, such as `shop`, stands in the
/// class's place, and a file may well be called so.
const EXTENSIONS: [&str; 5] = ["py", "java", "kt", "rb", "php"];

/// The file that is told, the class, and the name where there is no class.
type Key = (Option<String>, String, String);
type Names = Rc<HashMap<OsString, FileType>>;

/// Looks up files for the cases of one report.
pub(super) struct CaseFiles<'a> {
    /// Where it ran, and where the files really are.
    places: [&'a Place; 2],
    folders: RefCell<HashMap<PathBuf, Names>>,
    known: RefCell<HashMap<Key, Option<RelPath>>>,
}

impl<'a> CaseFiles<'a> {
    pub(super) fn new(places: [&'a Place; 2]) -> Self {
        Self { places, folders: RefCell::default(), known: RefCell::default() }
    }

    pub(super) fn of(&self, case: &Case) -> Option<RelPath> {
        // A load failure is named by its file, so its name counts as well.
        if case.is_load_failure() {
            return self.find(case);
        }
        let name = if case.classname.is_empty() { case.name.clone() } else { String::new() };
        let key = (case.file.clone(), case.classname.clone(), name);
        let known = self.known.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let found = self.find(case);
            self.known.borrow_mut().insert(key, found.clone());
            found
        })
    }

    fn find(&self, case: &Case) -> Option<RelPath> {
        let told = case.file.as_deref().and_then(|file| self.inside(file));
        let named = || self.inside(&case.classname);
        let loaded = || self.inside(&case.name).filter(|_| case.is_load_failure());
        if let Some(file) = told.or_else(named).or_else(loaded) {
            return Some(file);
        }
        let dotted = if case.classname.is_empty() { &case.name } else { &case.classname };
        let parts: Vec<&str> = dotted.split('.').collect();
        (1..=parts.len()).rev().find_map(|count| {
            let path = parts[..count].join("/");
            ROOTS.iter().map(|root| format!("{root}{path}")).filter(|stem| self.has_folder_of(stem)).find_map(
                |stem| EXTENSIONS.iter().find_map(|extension| self.inside(&format!("{stem}.{extension}"))),
            )
        })
    }

    /// The file that a path means, where it ran or else where the files really are.
    fn inside(&self, told: &str) -> Option<RelPath> {
        let at =
            |place: &&Place| place.in_repository(told).filter(|file| self.is_file(&place.absolute(file)));
        self.places.iter().find_map(at)
    }

    fn has_folder_of(&self, told: &str) -> bool {
        let folders = self
            .places
            .iter()
            .filter_map(|place| Some(place.absolute(&place.in_repository(told)?).parent()?.to_owned()));
        folders.into_iter().any(|folder| !self.names(&folder).is_empty())
    }

    fn is_file(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let names = self.names(folder);
        names.get(name).is_some_and(|kind| kind.is_file() || kind.is_symlink() && path.is_file())
    }

    fn names(&self, folder: &Path) -> Names {
        if let Some(names) = self.folders.borrow().get(folder) {
            return Rc::clone(names);
        }
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let told = |entry: std::fs::DirEntry| Some((entry.file_name(), entry.file_type().ok()?));
        let names: Names = Rc::new(entries.filter_map(told).collect());
        self.folders.borrow_mut().insert(folder.to_owned(), Rc::clone(&names));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_report::junit;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes a project")]
    fn thousands_of_cases_ask_the_disk_a_few_times() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src/test/java/com/foo")).unwrap();
        std::fs::write(folder.path().join("src/test/java/com/foo/BarTest.java"), "").unwrap();
        std::fs::write(folder.path().join("test_a.py"), "").unwrap();
        std::fs::write(folder.path().join("shop.js"), "").unwrap();
        let place = Place::new(folder.path(), folder.path());
        let files = CaseFiles::new([&place, &place]);
        let one = |number: u32| format!("<testcase classname='com.foo.NoTest{number}' name='n{number}'/>");
        let cases = (0..5_000).map(one).collect::<Vec<_>>().concat();
        let found = "<testcase classname='shop' name='a'/><testcase classname='com.foo.BarTest' name='a'/><testcase classname='test_a.Class' name='b'/>\
                     <testcase classname='' name='test_a.c'/><testcase file='./test_a.py' classname='x' name='d'/>";
        let report = format!("<testsuites><testsuite name='p'>{cases}{found}</testsuite></testsuites>");
        let parsed = junit::parse(report.as_bytes());
        let told: Vec<Option<RelPath>> = parsed.cases.iter().map(|case| files.of(case)).collect();
        assert!(told[..=5_000].iter().all(Option::is_none));
        let told: Vec<&str> = told[5_001..].iter().map(|file| file.as_ref().unwrap().as_str()).collect();
        assert_eq!(told, ["src/test/java/com/foo/BarTest.java", "test_a.py", "test_a.py", "test_a.py"]);
        assert!(files.folders.borrow().len() < 40, "{}", files.folders.borrow().len());
    }
}
