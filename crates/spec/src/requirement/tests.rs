//! Tables of requirement files. The corpus has a test of its own in the suite.

use super::*;
use tdd_core::criterion::Verify;

fn ids(text: &str) -> Result<String, RequirementError> {
    let parsed = read(text.as_bytes(), "X")?;
    Ok(parsed.criteria.iter().map(|it| it.id.to_string()).collect::<Vec<_>>().join(" "))
}

fn section(lines: &str) -> String {
    format!("# Title\n\n## Acceptance Criteria\n\n{lines}\n")
}

#[test]
fn the_section_is_a_heading_of_any_level_up_to_one_as_high() {
    for (text, want) in [
        ("## Acceptance Criteria\n- AC-1.1: a\n## Next\n- AC-1.2: b", "AC-1.1"),
        ("#### acceptance criteria: {#ac}\n- AC-1.1: a\n### Next\n- AC-1.2: b", "AC-1.1"),
        ("## **Acceptance Criteria**\n### Group\n- AC-1.1: a\n### Group\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        (
            "Acceptance Criteria\n===\n- AC-1.1: a\n\nNext\n----\n\n- AC-1.2: b\n\nTop\n===\n- AC-1.3: c",
            "AC-1.1 AC-1.2",
        ),
        ("## Acceptance Criteria ##\n\nAC-1.1: a\n---\nAC-1.2: b", "AC-1.1 AC-1.2"),
        ("```\n## Acceptance Criteria\n```\n# Acceptance Criteria\n- AC-1.1: a", "AC-1.1"),
        ("\u{feff}# Acceptance Criteria\r\n- AC-1.1: a\r\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("# Acceptance Criteria\r- AC-1.1: a\r- AC-1.2: b", "AC-1.1 AC-1.2"),
    ] {
        assert_eq!(ids(text), Ok(want.to_owned()), "{text:?}");
    }
}

#[test]
fn criteria_begin_items_headings_and_paragraphs_only() {
    for (lines, want) in [
        ("* AC-1.1: a\n+ AC-1.2: b\n3. AC-1.3: c\n- [ ] AC-1.4: d", "AC-1.1 AC-1.2 AC-1.3 AC-1.4"),
        ("### AC-1.1: a {#x}\n\ntext\n\n### AC-1.2: b", "AC-1.1 AC-1.2"),
        ("AC-1.1: a\ngoes on\nAC-1.9 in mid-paragraph\n\n**AC-1.2** b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a, see\n  AC-1.9 and\nAC-1.8 too\n- see AC-1.7", "AC-1.1"),
        ("- AC-1.1: a\n  ```\n- AC-1.9: x\n  ```\n- AC-1.2: b", "AC-1.1 AC-1.9 AC-1.2"),
        ("- AC-1.1: a\n  ```\n  - AC-1.9: x\n  ```\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n  ```\n  x\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n  - sub\n  ```\n  - AC-1.9: x\n  ```\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        (
            "- AC-1.1: a\n  - sub\n    - sub\n    more\n  ```\n  - AC-1.9: x\n  ```\n- AC-1.2: b",
            "AC-1.1 AC-1.2",
        ),
        ("1. AC-1.1: a\n   - sub\n\n   ~~~\n   - AC-1.9: x\n   ~~~\n2. AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n  - sub\n```\n- AC-1.9: x\n```\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n\n ```\n- AC-1.9: x\n ```\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n\n```md\n- AC-1.9: x\n## Notes\n```\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("~~~\n- AC-1.9: x\n```\n~~~\n- AC-1.1: a", "AC-1.1"),
        ("> - AC-1.9: x\n\n- > AC-1.8: y\n- AC-1.1: a", "AC-1.1"),
        (
            "<!--\n- AC-1.9: x\n-->\n- AC-1.1: a <!-- AC-1.8 -->\n<!-- x -->\n- <!-- y --> AC-1.2: b",
            "AC-1.1 AC-1.2",
        ),
        ("- AC-1.1: the `<!--` mark\n- AC-1.2: b\n\n-->", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a <!-- more\n- AC-1.9: x -->\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("- AC-1.1: a\n\n      - AC-1.9: code\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("<details>\n- AC-1.1: a\n</details>\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("<!-- a note -->\nAC-1.1: a\n\n[1]: /x\nAC-1.2: b", "AC-1.1 AC-1.2"),
        (
            "- <!-- x --> AC-1.1: a, see\n  AC-1.9 <!-- y -->\n- <!--\n- AC-1.8\n-->\n- AC-1.2: b",
            "AC-1.1 AC-1.2",
        ),
        ("- AC-1.1: a\n\ntwo\nlines\n---\n- AC-1.2: b", "AC-1.1 AC-1.2"),
        ("Two of them:\n2. AC-1.1: a\n3. AC-1.2: b\n       4. AC-1.9: c", "AC-1.1 AC-1.2"),
        ("    AC-1.9: code\nAC-1.1: a\n\u{a0}\nAC-1.2: b", "AC-1.1 AC-1.2"),
        ("- Group\n  - AC-1.1: a\n  - AC-1.2: b\n\n    AC-1.3: c", "AC-1.1 AC-1.2 AC-1.3"),
    ] {
        assert_eq!(ids(&section(lines)), Ok(want.to_owned()), "{lines:?}");
    }
}

#[test]
fn a_criterion_has_all_the_text_up_to_the_next() {
    let text =
        section("- [x] **AC-1.1**: first\n  second\n  - sub\n\n    ```\n    code\n    ```\n\n- AC-1.2: next");
    let parsed = read(text.as_bytes(), "X").unwrap();
    assert_eq!(parsed.criteria[0].text, "first\nsecond\n- sub\n\n  ```\n  code\n  ```");
    assert_eq!((parsed.criteria[0].line, parsed.criteria[1].line), (5, 13));
    assert_eq!(parsed.title.as_deref(), Some("Title"));
}

#[test]
fn a_fence_below_a_nested_item_belongs_to_the_criterion() {
    let text = section("- AC-M-1.1: x\n  - sub\n  ```\n  - AC-M-1.2: in fence\n  ```\n- AC-M-1.3: y");
    let parsed = read(text.as_bytes(), "X").unwrap();
    assert_eq!(parsed.criteria[0].text, "x\n- sub\n```\n- AC-M-1.2: in fence\n```");
    assert_eq!((parsed.criteria[1].text.as_str(), parsed.criteria.len()), ("y", 2));
}

#[test]
fn verify_says_how_a_criterion_is_judged() {
    for (line, want) in [
        ("  verify: gate", Verify::Gate),
        ("  - verify: `manual`", Verify::Manual),
        ("  - **verify:** test", Verify::Test),
        ("  `verify: gate`", Verify::Gate),
        ("  Verify: gate # lint", Verify::Gate),
        ("  verify: mdtest specs/a b.md", Verify::Mdtest("specs/a b.md".into())),
        ("  verify: `bun test x` PASSES", Verify::Test),
        ("  Verify: Gate", Verify::Gate),
        ("  VERIFY: MANUAL", Verify::Manual),
        ("  **Verify:** gate", Verify::Gate),
        ("  - [ ] **Verify: Manual**", Verify::Manual),
        ("  Verify: Mdtest specs/a.md", Verify::Mdtest("specs/a.md".into())),
        ("  Verify: thoroughly and often", Verify::Test),
        ("  Verify: gate stays green", Verify::Test),
        ("  ```\n  verify: gate\n  ```", Verify::Test),
        ("  to verify: gate", Verify::Test),
    ] {
        let parsed = read(section(&format!("- AC-1.1: a\n{line}")).as_bytes(), "X").unwrap();
        assert_eq!(parsed.criteria[0].verify, want, "{line:?}");
    }
    for line in [
        "verify: gates",
        "verify:",
        "verify: mdtest",
        "verify: mdtest ../x",
        "verify: gate\n  verify: test",
        "Verify: thoroughly",
        "verify: GATES",
        "**Verify:** gate.",
    ] {
        let error = read(section(&format!("- AC-1.1: a\n  {line}")).as_bytes(), "X").unwrap_err();
        assert!(matches!(error, RequirementError::Verify { line: 6 | 7, .. }), "{line:?}: {error:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_lines() {
    let id = CriterionId::parse("AC-1.1").unwrap();
    for (text, want) in [
        ("# T\n- AC-1.1: a\n".to_owned(), RequirementError::NoSection { stray: vec![2] }),
        (
            "# T\n- AC-1.1: a\n## Acceptance Criteria\nnone\n## X\n- AC-1.2: b\n".to_owned(),
            RequirementError::NoCriterion { section: 3, stray: vec![2, 6] },
        ),
        (section("- AC-1.1: a\n- AC-1.01: b"), RequirementError::Duplicate { id, first: 5, second: 6 }),
        (section("- AC-1.1: a\n\n```\n- AC-1.2: b"), RequirementError::Hidden { opened: 7, hidden: 8 }),
        (
            section("- AC-1.1: a\n  ```\n  - AC-1.2: b\n- AC-1.3: c"),
            RequirementError::Hidden { opened: 6, hidden: 7 },
        ),
        (
            section("- AC-1.1: a\n\n```\n- AC-1.2: b\n\n## Notes\n\n```sh\nx\n```"),
            RequirementError::Hidden { opened: 7, hidden: 8 },
        ),
        (
            section("- AC-1.1: a\n\n```\n- AC-1.2: b\n\n## Notes\n\n```\nx\n```"),
            RequirementError::Hidden { opened: 7, hidden: 8 },
        ),
        (section("- AC-1.1: a\n\n<!--\n- AC-1.2: b"), RequirementError::Hidden { opened: 7, hidden: 8 }),
        (
            "---\nid: a\n".to_owned(),
            RequirementError::FrontMatter { line: 1, why: FrontMatterError::Unclosed.to_string() },
        ),
        (
            "---\na: b\nid: x\nid: y\n---\n".to_owned(),
            RequirementError::FrontMatter { line: 4, why: "`id` is given twice".to_owned() },
        ),
        (
            "---\nneeds_technical_review: perhaps\n---\n".to_owned(),
            RequirementError::FrontMatter {
                line: 2,
                why: "`needs_technical_review` must be `true` or `false`".to_owned(),
            },
        ),
    ] {
        assert_eq!(read(text.as_bytes(), "X"), Err(want), "{text}");
    }
    assert_eq!(read(b"a\nb\xff", "X"), Err(RequirementError::NotUtf8 { line: 2 }));
    let bytes = SIZE_LIMIT as u64 + 1;
    assert_eq!(read(&vec![b'a'; SIZE_LIMIT + 1], "X"), Err(RequirementError::TooLarge { bytes }));
    let many: Vec<String> = (1..=1001).map(|number| format!("- AC-1.{number}: a\n")).collect();
    assert_eq!(ids(&section(&many.concat())), Err(RequirementError::TooMany { line: 1005 }));
    assert!(ids(&section(&many[..1000].concat())).is_ok());
}

#[test]
fn the_header_is_read_leniently() {
    let text = "---\nid: 'fr_X' \ntitle: Fix probe #26: `a` # b\nmilestone: [M1\ntracker:\n  linear: STE-1\n  other: {key: A-2, keys: [B-3]}\nneeds_technical_review: true # yes\n---\n";
    let got = header(text.as_bytes()).unwrap();
    assert_eq!(got.id.as_deref(), Some("fr_X"));
    assert_eq!(got.title.as_deref(), Some("Fix probe #26: `a` # b"));
    assert_eq!(got.trackers, ["STE-1", "A-2", "B-3"]);
    assert!(got.needs_technical_review);
    assert_eq!(header(b"# no front matter"), Ok(Header::default()));
}

/// Each would take minutes if anything were looked at again for each line.
#[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
#[test]
fn hostile_files_take_linear_time() {
    let start = std::time::Instant::now();
    for line in ["a <!-- b\n", "<!--\n", "```\n", "- ", "# \n", "- AC-1.1\n", "\t", "-\n", "`", "> ", "AC-"] {
        let text = line.repeat(64 * 1024 / line.len());
        let _ = ids(&text);
        let _ = ids(&section(&text));
        let _ = ids(&format!("---\n{text}"));
    }
    // Lists and quotes in one another, and lines that may belong to each of them.
    let stair = (0..300).map(|depth| "  ".repeat(depth)).collect::<Vec<_>>().join("- a\n");
    for head in ["- ".repeat(16 * 1024), ">".repeat(32 * 1024), stair] {
        let _ = ids(&section(&format!("{head}a\n{}", "a\n".repeat(16 * 1024))));
    }
    assert!(start.elapsed() < std::time::Duration::from_mins(1), "it took {:?}", start.elapsed());
}

#[test]
fn ac_tdd_12_5_a_criterion_that_says_nothing_is_refused_with_its_line() {
    for lines in [
        "- AC-1.1: a\n- AC-1.2:",
        "- AC-1.1: a\n- AC-1.2:\n\n  verify: gate",
        "### AC-1.1\n\ntext\n\n### AC-1.2\n",
    ] {
        let said = ids(&section(lines)).unwrap_err();
        assert!(said.to_string().contains("`AC-1.2:`: it says nothing"), "{lines:?}: {said}");
        assert!(said.line().is_some_and(|line| line > 5), "{lines:?}: {said:?}");
    }
    for (lines, text) in [
        ("- AC-1.1:\n  goes on below", "goes on below"),
        ("### AC-1.1\n\ntext", "text"),
        ("- AC-1.1: x", "x"),
        ("- AC-1.1:\n  verify: mdtest tests/a.md", ""),
    ] {
        let parsed = read(section(lines).as_bytes(), "X").unwrap();
        assert_eq!(parsed.criteria[0].text, text, "{lines:?}");
    }
}
