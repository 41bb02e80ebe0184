//! The `JUnit` report of a run, or its reports: surefire and gradle leave one for each class.

use std::path::{Path, PathBuf};

use globset::Glob;

use crate::runner::verification::read_capped;
use crate::test_report::REPORT_CAP;
use crate::test_report::junit::{self, JunitReport};

/// The files that a path means, sorted: its last part may hold a `*`.
pub(super) fn of(path: &Path) -> Vec<PathBuf> {
    let pattern = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains('*'));
    let (Some(pattern), Some(folder)) = (pattern, path.parent()) else { return vec![path.to_owned()] };
    let Ok(glob) = Glob::new(pattern) else { return Vec::new() };
    let matcher = glob.compile_matcher();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = |entry: &std::fs::DirEntry| matcher.is_match(entry.file_name());
    let mut found: Vec<PathBuf> = entries.filter(fits).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// All of them as one; why not, if there is none.
pub(super) fn read(path: &Path) -> Result<JunitReport, String> {
    let mut whole = JunitReport::default();
    let mut is_there = false;
    for file in of(path) {
        let Some(bytes) = read_capped(&file, REPORT_CAP)? else { continue };
        is_there = true;
        let parsed = junit::parse(&bytes);
        whole.cases.extend(parsed.cases);
        whole.flaw = whole.flaw.or(parsed.flaw);
    }
    if is_there { Ok(whole) } else { Err(format!("the command left no report at {}", path.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes reports")]
    fn a_pattern_means_all_reports_and_each_must_be_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("TEST-*.xml");
        assert!(read(&path).unwrap_err().contains("no report"));
        std::fs::write(folder.path().join("TEST-b.xml"), "<testsuite><testcase name='b'/></testsuite>")
            .unwrap();
        std::fs::write(folder.path().join("TEST-a.xml"), "<testsuite><testcase name='a'/></testsuite>")
            .unwrap();
        std::fs::write(folder.path().join("other.xml"), "no report").unwrap();
        let report = read(&path).unwrap();
        let names: Vec<&str> = report.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!((names, report.flaw), (vec!["a", "b"], None));
        std::fs::write(folder.path().join("TEST-c.xml"), "<testsuite>").unwrap();
        assert!(read(&path).unwrap().flaw.is_some());
        assert_eq!(of(&folder.path().join("one.xml")), [folder.path().join("one.xml")]);
    }
}
