//! ava's TAP: which file a test is of.
//!
//! ```text
//! title = [ folder " › " … name " › " ] test        the file's words only if several files are run
//! point = title | Error: … | file " exited with a non-zero exit code: " code | "No tests found in " file
//! ```
//!
//! The words before a test's title are its file's path without the folder that all have in common,
//! without `__tests__`, `test-`, `.test`, `.spec` and the extension. In a run of one file none are
//! written, so a project of one file has none either.

use std::collections::BTreeMap;

use crate::runner::place::Place;
use crate::test_report::tap::{self, Point};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{LoadFailure, Outcome};

const BETWEEN: &str = " › ";
const SCRIPTS: [&str; 6] = ["js", "mjs", "cjs", "ts", "mts", "cts"];
/// A test file is a source; what is larger is none.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Says of each point which file it is of, and takes the file's words out of its title. The points that
/// stand for a file that did not load are taken out.
pub(super) fn tie(points: &mut Vec<Point>, only: Option<&RelPath>, places: [&Place; 2]) -> Vec<LoadFailure> {
    let place = places[0];
    let files = test_files(place);
    let alone = only.or_else(|| files.first().filter(|_| files.len() == 1)).cloned();
    let by_words = Titles::of(&files, place);
    let mut failures = Vec::new();
    let mut kept: Vec<Point> = Vec::new();
    for mut point in points.drain(..) {
        let title = point.path.first().cloned().unwrap_or_default();
        if let (Some(file), Outcome::Failed(_)) = (ended_badly(&title, place), &point.outcome) {
            let cause = cause_of(&file, &kept).map(|at| words_of_error(&kept.remove(at)));
            let failure = tap::load_failure(&cause.unwrap_or(title));
            failures.push(LoadFailure::new(file, failure));
            continue;
        }
        let named = split(&title, &by_words);
        let (file, name) = match (named, &alone) {
            (Some((file, name)), _) => (Some(file), name),
            (None, Some(file)) => (Some(file.clone()), title),
            (None, None) => (None, title),
        };
        // What ava tells by `at:` is a place in whatever threw.
        point.file = file.map(|file| place.absolute(&file).to_string_lossy().into_owned());
        point.path = vec![name];
        kept.push(point);
    }
    *points = kept;
    failures
}

fn split(title: &str, by_words: &Titles) -> Option<(RelPath, String)> {
    let ends = title.match_indices(BETWEEN).map(|(at, _)| at).collect::<Vec<usize>>();
    ends.into_iter().rev().find_map(|at| {
        let file = by_words.file(&title[..at])?;
        Some((file, title[at + BETWEEN.len()..].to_owned()))
    })
}

/// The file of `test/a.js exited with a non-zero exit code: 1`.
fn ended_badly(title: &str, place: &Place) -> Option<RelPath> {
    let before = [" exited with a non-zero exit code", " exited due to ", " failed to load"];
    let named = before.iter().find_map(|words| Some(title.split_once(words)?.0));
    let named = named.or_else(|| title.strip_prefix("No tests found in ")?.split(',').next())?;
    place.in_repository(named.trim()).filter(|file| place.absolute(file).is_file())
}

/// Which of the points says why this file ended badly: the one that names it, since files run side by
/// side, else the last error.
fn cause_of(file: &RelPath, points: &[Point]) -> Option<usize> {
    let names_it = |point: &Point| {
        let title = point.path.first().map(String::as_str).unwrap_or_default();
        title.rsplit_once(':').is_some_and(|(place, _)| place.ends_with(&format!("/{file}")))
    };
    let errors = || points.iter().enumerate().rev().filter(|(_, point)| is_error(point));
    errors().find(|(_, point)| names_it(point)).or_else(|| errors().next()).map(|(at, _)| at)
}

/// `Error [CODE]: message`, `SyntaxError: message`, or the place of what could not be read
/// (`file:///p/test/a.js:2`): thrown outside of every test.
fn is_error(point: &Point) -> bool {
    let title = point.path.first().map(String::as_str).unwrap_or_default();
    let class = title.split([':', ' ']).next().unwrap_or_default();
    let is_place = title.starts_with("file:///");
    matches!(point.outcome, Outcome::Failed(_)) && (class.ends_with("Error") || is_place)
}

/// What was thrown, with its diagnostics: a place alone says nothing of it.
fn words_of_error(point: &Point) -> String {
    let said = match &point.outcome {
        Outcome::Failed(failure) => failure.message.as_str(),
        Outcome::Passed | Outcome::Skipped => "",
    };
    format!("{}\n{said}", point.path.first().map(String::as_str).unwrap_or_default())
}

/// Files by the words that a title begins with.
struct Titles {
    /// From the folder on that all files have in common.
    exact: BTreeMap<String, RelPath>,
    /// By the last words alone, since the files of a run may have more in common; nothing where two
    /// files share them.
    ends: BTreeMap<String, Option<RelPath>>,
}

impl Titles {
    fn of(files: &[RelPath], place: &Place) -> Self {
        let words: Vec<(Vec<String>, &RelPath)> =
            files.iter().map(|file| (words_of(file, place), file)).collect();
        let first: &[String] = words.first().map(|(words, _)| words.as_slice()).unwrap_or_default();
        let is_common =
            |at: usize| words.iter().all(|(words, _)| at + 1 < words.len() && words[at] == first[at]);
        let base = (0..first.len()).take_while(|at| is_common(*at)).count();
        let mut titles = Self { exact: BTreeMap::new(), ends: BTreeMap::new() };
        for (words, file) in &words {
            titles.exact.insert(words[base..].join(BETWEEN), (*file).clone());
            for from in 0..words.len() {
                let end = titles.ends.entry(words[from..].join(BETWEEN));
                end.and_modify(|known| *known = None).or_insert_with(|| Some((*file).clone()));
            }
        }
        titles
    }

    fn file(&self, words: &str) -> Option<RelPath> {
        self.exact.get(words).cloned().or_else(|| self.ends.get(words)?.clone())
    }
}

fn words_of(file: &RelPath, place: &Place) -> Vec<String> {
    let path = place.id_path(file);
    let mut words: Vec<String> =
        path.split('/').filter(|part| *part != "__tests__").map(str::to_owned).collect();
    if let Some(name) = words.pop() {
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let stem = stem.strip_suffix(".spec").unwrap_or(stem);
        let stem = stem.strip_suffix(".test").unwrap_or(stem);
        words.push(stem.replacen("test-", "", 1));
    }
    words
}

/// The scripts that import ava.
fn test_files(place: &Place) -> Vec<RelPath> {
    let mut files = place.files_below(&place.project);
    files.retain(|file| {
        let source = || regular_file::head(&place.absolute(file), MAX_BYTES).ok();
        let imports = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes);
            text.contains("'ava'") || text.contains("\"ava\"")
        };
        SCRIPTS.contains(&file.extension()) && source().is_some_and(imports)
    });
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_report::tap::parse;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes a project")]
    fn a_test_is_of_the_file_that_its_title_begins_with() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("test/deep")).unwrap();
        for (name, text) in [
            ("test/a.js", "import test from 'ava';"),
            ("test/test-b.spec.ts", "import test from \"ava\";"),
            ("test/deep/a.js", "const test = require('ava');"),
            ("test/c.js", "import test from 'ava'; import '../nope.js';"),
            ("test/d.js", "import test from 'ava'; import {slug} from '../shop.js';"),
            ("test/helper.js", "export default 1;"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let place = Place::new(folder.path(), folder.path());
        let mut points = parse(
            "ok 1 - a › adds\nok 2 - b › x › y\nok 3 - deep › a › adds\nnot ok 4 - Error [X]: Cannot find module '/p/nope.js' imported from /p/test/c.js\n\
             not ok 5 - test/c.js exited with a non-zero exit code: 1\n\
             not ok 6 - file:///p/test/d.js:2\n  ---\n    name: SyntaxError\n    message: The requested module '../shop.js' does not provide an export named 'slug'\n  ...\n\
             ok 7 - a › multiplies\n\
             not ok 8 - test/d.js exited with a non-zero exit code: 1\n\n1..3\n"
                .as_bytes(),
        )
        .points;
        let failures = tie(&mut points, None, [&place, &place]);
        let told: Vec<String> = points
            .iter()
            .map(|point| {
                let file = point.file.as_ref().unwrap().rsplit_once("/test/").unwrap().1;
                format!("{file}::{}", point.path[0])
            })
            .collect();
        assert_eq!(told, ["a.js::adds", "test-b.spec.ts::x › y", "deep/a.js::adds", "a.js::multiplies"]);
        let absent = |at: usize| failures.get(at).and_then(|load| load.failure.absent.as_deref());
        assert_eq!((failures.len(), absent(0), absent(1)), (2, Some("/p/nope.js"), Some("slug")));
        let only = RelPath::new("test/a.js").unwrap();
        let mut points = parse(b"ok 1 - adds\n1..1\n").points;
        assert!(tie(&mut points, Some(&only), [&place, &place]).is_empty());
        assert!(points[0].file.as_ref().unwrap().ends_with("test/a.js"));
    }
}
