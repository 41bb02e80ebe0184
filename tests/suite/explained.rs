//! `tdd explain` knows the words that the program prints, as its own tables, types and texts have them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use tdd::exit::Exit;
use tdd::text::explain;
use tdd::text::object::schema::Name;
use tdd_core::finding::RedKind;
use tdd_core::proof::{Extent, Stub};
use tdd_core::role::Role;

use super::sandbox::{Sandbox, fixtures};

#[track_caller]
fn all_are_known(words: impl IntoIterator<Item = String>, least: usize) {
    let words: BTreeSet<String> = words.into_iter().collect();
    let unknown: Vec<&String> = words.iter().filter(|word| explain::of(word).is_err()).collect();
    assert!(unknown.is_empty(), "tdd explain does not know {unknown:?}");
    assert!(words.len() >= least, "{} words: {words:?}", words.len());
}

/// Each word of a choice, and each `type`, of the objects that a schema describes.
fn words_of(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let choice = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
            let one = fields.get("const").into_iter();
            words.extend(choice.chain(one).filter_map(Value::as_str).map(str::to_owned));
            for field in fields.values() {
                words_of(field, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| words_of(item, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn ac_tdd_12_8_every_word_that_json_holds_is_explained() {
    left_to_the_night!();
    let mut words = BTreeSet::new();
    for name in [Name::Events, Name::Last, Name::Summary, Name::Halt, Name::Fix] {
        words_of(&serde_json::from_str(&name.text()).unwrap(), &mut words);
    }
    all_are_known(words, 150);
}

#[test]
fn ac_tdd_12_8_modes_red_kinds_stubs_roles_and_exit_codes_are_explained() {
    all_are_known(RedKind::ALL.map(|kind| kind.name().to_owned()), 11);
    all_are_known(Stub::ALL.map(|stub| stub.words().to_owned()), 7);
    all_are_known(Extent::WORDS.map(|(word, _)| word.to_owned()), 3);
    all_are_known(Role::KNOWN.map(|role| role.name().to_owned()), 4);
    let exits =
        [Exit::Verified, Exit::Halted, Exit::SetUp, Exit::Paused, Exit::PartlyUnverified, Exit::Internal];
    let stopped = [1, 2, 3, 15].map(Exit::Stopped);
    all_are_known(exits.into_iter().chain(stopped).map(|exit| exit.code().to_string()), 10);
}

/// What stands before the colon of a line, or of a line in a source's text.
fn label(line: &str) -> Option<&str> {
    let (label, rest) = line.split_once(':')?;
    let is_label = |letter: char| letter.is_ascii_lowercase() || " ,-".contains(letter);
    let is_plain =
        label.starts_with(|letter: char| letter.is_ascii_lowercase()) && label.chars().all(is_label);
    // A path or an id has something close behind its colon, and a sentence is no label.
    (is_plain && label.len() <= 45 && (rest.is_empty() || rest.starts_with([' ', '"', '\\'])))
        .then_some(label)
}

#[test]
fn ac_tdd_12_8_every_line_of_a_halt_report_is_explained() {
    let reports = std::fs::read_dir(fixtures().join("halt")).unwrap().map(|entry| entry.unwrap().path());
    let texts = reports
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .map(|path| std::fs::read_to_string(path).unwrap());
    // Next steps stand further in, as sentences with their command below.
    let labels = texts.flat_map(|text| text.lines().filter_map(label).map(str::to_owned).collect::<Vec<_>>());
    all_are_known(labels, 15);
}

#[test]
fn ac_tdd_12_8_every_line_of_a_summary_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text");
    let more = std::fs::read_dir(root.join("summary")).unwrap().map(|entry| entry.unwrap().path());
    let files = more.chain(["summary.rs", "usage_words.rs"].map(|name| root.join(name)));
    let mut labels = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(file).unwrap();
        let source = source.split("#[cfg(test)]").next().unwrap();
        let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let quoted = lines.flat_map(|line| line.split('"').skip(1));
        labels.extend(quoted.filter_map(label).filter(|label| *label != "tdd").map(str::to_owned));
    }
    all_are_known(labels, 20);
}

#[test]
fn ac_tdd_12_8_words_of_the_summary_are_explained_by_the_program() {
    let sandbox = Sandbox::with(&[("a.txt", "")]);
    for (words, said) in [
        (&["vacuous"][..], "holds whatever the code does"),
        (&["hollow"], "pass whatever the code does"),
        (&["green,", "early"], "an earlier criterion's work"),
        (&["seen", "failing"], "tried on wrong code"),
        (&["notices"], "looks whether tests run"),
        (&["abandon"], "The run is given up"),
        (&["run_started"], "a line of `--json`"),
    ] {
        sandbox.tdd(&[&["explain"], words].concat()).expect(0).says_on_stdout(&[said]);
    }
}
