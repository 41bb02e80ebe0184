//! The prompt of the second test-writer: more tests for criteria that have one, of which a coin hides some from whoever
//! writes the code (contract section 7, held-out tests).

use super::{Draft, Mask, Prompt, TestWriterBrief, criterion_words, list, quote, test_file, titled, turns};
use tdd_core::criterion::CriterionId;

/// The tests that a criterion has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTests {
    pub id: CriterionId,
    pub tests: Vec<String>,
}

/// The first prompt of the second session of RED. `brief` holds the criteria that need more tests.
pub fn more_tests(brief: &TestWriterBrief<'_>, first: &[FirstTests], mask: Mask<'_>) -> Prompt {
    let mut draft = Draft::new(mask);
    draft.add(
        "task",
        format!(
            "Write more failing tests for some acceptance criteria of the requirement `{}`{}, each of which has one \
             test so far. Read the requirement first.\n\nThe test command of this project is {}. Run it when the \
             tests are written, and see them fail.",
            brief.requirement,
            titled(brief.title),
            quote::code(brief.command),
        ),
    );
    draft.add("rules", rules(brief));
    draft.add(
        "why",
        "Some of all these tests, drawn by lot, will be kept from whoever writes the code, and judge it all the same. \
         So each of yours has to hold by itself, and to say something that the requirement says and the test that is \
         there does not: other inputs, other consequences, an edge. Call the code by the names by which the test that is \
         there calls it: read it.",
    );
    draft.add("turns", turns(brief.turns));
    draft.add("criteria", "The criteria that need more tests:");
    for criterion in brief.criteria {
        let id = &criterion.id;
        let has = first.iter().find(|first| first.id == *id).and_then(|first| list(&first.tests));
        let has = has.map(|list| format!("It has this test:\n\n{list}\n\n")).unwrap_or_default();
        let place = test_file(brief.runner, brief.habits, &format!("{}_more", id.slug()));
        let place = place.map_or_else(
            || format!("a new file beside it, whose name holds `{}_more`", id.slug()),
            |file| {
                format!(
                    "a new file, `{file}` (another extension or folder is fine where the project has one)"
                )
            },
        );
        let note = format!("{has}At least one more goes into {place}.");
        draft.add(&id.to_string(), criterion_words(criterion, &note));
    }
    draft.finish()
}

fn rules(brief: &TestWriterBrief<'_>) -> String {
    let patterns = match list(brief.test_patterns) {
        None => String::new(),
        Some(list) => format!(", whose names match one of these patterns:\n\n{list}\n\n"),
    };
    let gap = if patterns.ends_with('\n') { "" } else { ". " };
    format!(
        "You may add files of tests{patterns}{gap}Every file that is there is read-only for you, the tests and the \
         manifests included."
    )
}

#[cfg(test)]
mod tests {
    use tdd_core::commands::RunnerKind;
    use tdd_core::criterion::{Criterion, Verify};
    use tdd_core::path::RelPath;

    use super::super::{Configuration, ExistingTests, Habits};
    use super::*;

    #[test]
    fn ac_tdd_8_65_the_second_test_writer_is_told_which_test_there_is_and_where_more_go() {
        let id = CriterionId::parse("AC-STE-1.1").unwrap();
        let criteria =
            [Criterion { id: id.clone(), text: "doubles".to_owned(), verify: Verify::Test, line: 3 }];
        let (requirement, habits) = (RelPath::new("specs/frs/STE-1.md").unwrap(), Habits::default());
        let brief = TestWriterBrief {
            requirement: &requirement,
            title: None,
            criteria: &criteria,
            already_green: &[],
            command: "pytest -q",
            runner: RunnerKind::Pytest,
            habits: &habits,
            test_patterns: &["test_*.py".to_owned()],
            configuration: Configuration::default(),
            existing_tests: ExistingTests::MayBeSuperseded,
            turns: 9,
        };
        let first = [FirstTests { id, tests: vec!["tests/test_ac_ste_1_1.py::test_three".to_owned()] }];
        let text = more_tests(&brief, &first, &str::to_owned).text;
        for words in [
            "- `tests/test_ac_ste_1_1.py::test_three`",
            "a new file, `tests/test_ac_ste_1_1_more.py`",
            "Every file that is there is read-only for you",
            "`specs/frs/STE-1.md`",
            "doubles",
            "9 turns",
        ] {
            assert!(text.contains(words), "no {words} in {text}");
        }
        assert!(!text.contains("supersedes"), "{text}");
    }
}
