//! Sources in a copy without some of their tests.

use std::collections::BTreeMap;

use super::super::place::Place;
use super::super::verification::disk;
use tdd_child::regular_file;
use tdd_core::mapping::InlineTest;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// Cuts tests out of the sources below a copy's place. One that its source does not declare any more is gone already.
pub(super) fn cut(place: &Place, tests: &[InlineTest]) -> Result<(), Trouble> {
    let mut files: BTreeMap<&RelPath, Vec<&str>> = BTreeMap::new();
    for test in tests {
        files.entry(&test.file).or_default().push(&test.name);
    }
    for (file, names) in files {
        let path = place.absolute(file);
        let Some(language) = Language::of(file.extension()) else { continue };
        let Ok(source) = regular_file::read_to_string(&path) else { continue };
        let declared = tdd_source::declared(language, &source);
        // What stands in a test of Go goes with it, and by itself it can't.
        let stands_in = |name: &str, other: &str| {
            language == Language::Go && name.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
        };
        let names: Vec<String> = names
            .iter()
            .filter(|name| declared.iter().any(|one| one == **name))
            .filter(|name| !names.iter().any(|other| stands_in(name, other)))
            .map(|name| (*name).to_owned())
            .collect();
        if let Some(text) = tdd_source::without_tests_and_imports(language, &source, &names) {
            let text = if names.is_empty() { text } else { lenient(&text) };
            regular_file::write(&path, &text).map_err(|error| disk(&path, &error))?;
        }
    }
    Ok(())
}

/// What the tests that are gone have used is used by nothing now, and a project may deny warnings.
fn lenient(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        text.push_str(line);
        if line.trim() == "#[cfg(test)]" {
            let margin = &line[..line.len() - line.trim_start().len()];
            text.push_str(margin);
            text.push_str("#[allow(unused)]\n");
        }
    }
    text
}
