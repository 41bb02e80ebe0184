//! Files that do not hold the ids in full, each with what it gives or why it is refused.

use super::*;
use tdd_core::criterion::Verify;
use tdd_core::requirement::Reading;

fn section(lines: &str) -> String {
    format!("# Title\n\n## Acceptance Criteria\n\n{lines}\n")
}

fn told(text: &str) -> Result<(Reading, Vec<(String, String)>), String> {
    let parsed =
        read(text.as_bytes(), "STE-12").map_err(|error| format!("{error}; {}", error.advice("STE-12")))?;
    let criteria = parsed.criteria.into_iter().map(|it| (it.id.to_string(), it.text));
    Ok((parsed.reading, criteria.collect()))
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_number_alone_gets_the_prefix() {
    for (lines, want) in [
        ("- [ ] AC-1: a\n- [x] AC-2: b", &[("AC-STE-12.1", "a"), ("AC-STE-12.2", "b")][..]),
        ("- AC1: a\n  more\n- AC3: b", &[("AC-STE-12.1", "a\nmore"), ("AC-STE-12.3", "b")]),
        ("AC-1 a\n\nAC-2 b, unlike AC-1", &[("AC-STE-12.1", "a"), ("AC-STE-12.2", "b, unlike AC-1")]),
        ("### AC-1: a\n\ntext\n\n### AC-02\n\nb", &[("AC-STE-12.1", "a\n\ntext"), ("AC-STE-12.2", "b")]),
        ("Two:\n\n- **AC-1**: a\n  - sub\n- verify: gate\n", &[("AC-STE-12.1", "a\n- sub")]),
    ] {
        assert_eq!(told(&section(lines)), Ok((Reading::Short, pairs(want))), "{lines:?}");
    }
}

#[test]
fn items_are_counted_where_nothing_looks_like_an_id() {
    for (lines, want) in [
        ("- a\n- [ ] b\n  - sub", &[("AC-STE-12.1", "a"), ("AC-STE-12.2", "b\n- sub")][..]),
        ("Both hold:\n\n1. a\n\n   more\n2. b", &[("AC-STE-12.1", "a\n\nmore"), ("AC-STE-12.2", "b")]),
        ("1. a\n1. b\n1. c", &[("AC-STE-12.1", "a"), ("AC-STE-12.2", "b"), ("AC-STE-12.3", "c")]),
        (
            "### One\n\n- a\n  ```\n  - code\n  ```\n\n### Two\n\n- b",
            &[("AC-STE-12.1", "a\n```\n- code\n```\n\n### Two"), ("AC-STE-12.2", "b")],
        ),
    ] {
        assert_eq!(told(&section(lines)), Ok((Reading::Counted, pairs(want))), "{lines:?}");
    }
    let parsed = read(section("- a\n  verify: gate\n- b").as_bytes(), "STE-12").unwrap();
    assert_eq!((&parsed.criteria[0].verify, &parsed.criteria[1].verify), (&Verify::Gate, &Verify::Test));
}

#[test]
fn what_can_be_meant_in_two_ways_is_refused_with_its_line() {
    for (lines, words) in [
        ("- a\n* b", &["line 6 is `* b`", "another style", "`AC-STE-12.1: …`"][..]),
        ("- a\n\n1. b", &["line 7 is `1. b`", "another style"]),
        ("1. a\n\n### More\n\n1. b\n2. c", &["line 10 is `2. c`", "not its place"]),
        ("1. a\n3. b", &["line 6 is `3. b`", "not its place"]),
        ("- a\n- see AC-7 for more", &["line 6", "can't be read", "`AC-STE-12.1: …`"]),
        ("- AC-STE: a", &["line 5 is `- AC-STE: a`", "can't be read"]),
        ("- a\n\n```\nAC-1\n```", &["line 8", "can't be read"]),
        ("- AC-1: a\n- b", &["line 6 is `- b`", "begin with an id"]),
        ("- AC-1: a\n- AC1: b", &["AC-STE-12.1 stands on line 5 and on line 6"]),
        ("- AC-STE-12.1: a\n- AC-2: b", &["line 6 is `- AC-2: b`", "id in full"]),
        ("- a\n-\n- c", &["line 6", "holds no text"]),
        ("none yet", &["holds no criterion", "`- AC-STE-12.1: …`"]),
    ] {
        let why = told(&section(lines)).unwrap_err();
        assert!(words.iter().all(|word| why.contains(word)), "{lines:?}: {why}");
    }
    let stray = told("# T\n\n- AC-1.1: a\n\n## Acceptance Criteria\n\n- b\n").unwrap_err();
    assert!(stray.contains("outside it on line 3"), "{stray}");
}

#[test]
fn ids_are_written_into_the_file_and_nothing_else_is() {
    for (lines, want) in [
        ("- [ ] AC-1: a\n- AC2 b", "- [ ] AC-STE-12.1: a\n- AC-STE-12.2 b"),
        ("* **AC-1**: a\n  b", "* **AC-STE-12.1**: a\n  b"),
        ("1. a\n   - sub\n2. [ ] b", "1. AC-STE-12.1: a\n   - sub\n2. [ ] AC-STE-12.2: b"),
        ("### AC-1 a", "### AC-STE-12.1 a"),
    ] {
        for (end, mark) in [("\n", ""), ("\r\n", "\u{feff}"), ("\r", "")] {
            let text = |lines| format!("{mark}---\ntitle: x\n---\n{}", section(lines)).replace('\n', end);
            let (before, after) = (text(lines), text(want));
            assert_eq!(with_ids(before.as_bytes(), "STE-12").unwrap().as_deref(), Some(after.as_str()));
            assert_eq!(with_ids(after.as_bytes(), "STE-12"), Ok(None), "it is written once");
            let (then, now) =
                (read(before.as_bytes(), "STE-12").unwrap(), read(after.as_bytes(), "STE-12").unwrap());
            assert_eq!((then.criteria, now.reading), (now.criteria, Reading::Written), "{lines:?}");
        }
    }
}

const SPEC_KIT: &str =
    include_str!("../../../../fixtures/specifications/spec-kit/specs/001-short-links/spec.md");
const OPEN_SPEC: &str = include_str!(
    "../../../../fixtures/specifications/openspec/openspec/changes/add-short-links/specs/links/spec.md"
);
const KIRO: &str =
    include_str!("../../../../fixtures/specifications/kiro/.kiro/specs/short-links/requirements.md");

#[test]
fn files_of_other_tools_give_their_criteria() {
    for (text, reading, ids, some) in [
        (
            SPEC_KIT,
            Reading::SpecKit,
            "US1.1 US1.2 US2.1 FR.1 FR.2",
            "**FR-002**: System MUST keep at most 1,000 links\n- the oldest goes first",
        ),
        (
            OPEN_SPEC,
            Reading::OpenSpec,
            "1.1 1.2 2.1",
            "Follow a link\nA code SHALL lead to its address.\n\n#### Scenario: An unknown code\n- **WHEN** a code is looked up that no link has\n- **THEN** the answer is nothing",
        ),
        (KIRO, Reading::Kiro, "1.1 1.2 2.1", "IF an address has no scheme THEN the system SHALL refuse it"),
    ] {
        let (read, criteria) = told(text).unwrap();
        let got: Vec<&str> = criteria.iter().map(|(id, _)| id.trim_start_matches("AC-STE-12-")).collect();
        assert_eq!((read, got.join(" ").as_str()), (reading, ids));
        assert!(criteria.iter().any(|(_, text)| text == some), "{criteria:#?}");
        assert_eq!(with_ids(text.as_bytes(), "STE-12"), Ok(None), "the form is the other tool's");
    }
}

#[test]
fn what_another_tool_left_open_is_refused() {
    for (text, from, to, words) in [
        (SPEC_KIT, "without a scheme", "[NEEDS CLARIFICATION: which?]", ["FR-001", "needs clarification"]),
        (SPEC_KIT, "FR-002", "FR-001", ["AC-STE-12-FR.1 stands on line", "number of its own"]),
        (SPEC_KIT, "FR-002", "FR-2b", ["FR-2b", "can't be read"]),
        (SPEC_KIT, "2. **Given**", "4. **Given**", ["4. **Given**", "not its place"]),
        (OPEN_SPEC, "#### Scenario: An unknown code", "Unknown:", ["Follow a link", "no scenario"]),
        (KIRO, "1. WHEN a known", "WHEN a known", ["Requirement 2", "no criterion"]),
        (KIRO, "Requirement 2", "Requirement 1", ["Requirement 1", "stands twice"]),
    ] {
        assert!(text.contains(from));
        let why = told(&text.replace(from, to)).unwrap_err();
        assert!(words.iter().all(|word| why.contains(word)), "{to}: {why}");
    }
    // What says it outside of what is read is no criterion's affair.
    let edge = SPEC_KIT.replace("code is unknown?", "code is unknown? [NEEDS CLARIFICATION: or empty]");
    assert!(told(&edge).is_ok());
}
