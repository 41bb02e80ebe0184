use super::*;
use tdd_core::claim::ClaimErrorKind;
use tdd_spec::tdd_result;

fn id(text: &str) -> CriterionId {
    CriterionId::parse(text).unwrap()
}

#[test]
fn the_first_entry_that_fits_is_it() {
    let cassette = Cassette::read(
        r"
- { role: test-writer, print: tests }
- { role: implementer, criterion: AC-D-1.1, number: 2, print: second }
- { role: implementer, criterion: AC-D-1.1, print: first }
- { role: implementer, number: 3, print: third }
",
    )
    .unwrap();
    let one = id("AC-D-1.1");
    let two = id("AC-D-1.2");
    for (role, criterion, number, want) in [
        (Role::TestWriter, None, 1, Some("tests")),
        (Role::Implementer, Some(&one), 1, Some("first")),
        (Role::Implementer, Some(&one), 2, Some("second")),
        (Role::Implementer, Some(&one), 3, Some("first")),
        (Role::Implementer, Some(&two), 3, Some("third")),
        (Role::Implementer, Some(&two), 1, None),
        (Role::Refactorer, None, 1, None),
    ] {
        let found = cassette.find(role, criterion, number).and_then(|entry| entry.print.as_deref());
        assert_eq!(found, want, "{role} {criterion:?} {number}");
    }
}

#[test]
fn an_entry_says_what_is_done_in_its_order() {
    let cassette = Cassette::read(
        r#"
- role: implementer
  chmod: { a.sh: "0755" }
  append: { b.py: more }
  write: { "src/b.py": "x = 1\n" }
  delete: [old.py]
  run: [git, commit, -m, x]
  prompt_has: [AC-D-1.1]
  prompt_lacks: [AC-D-1.2]
  misbehave: { touch-test: tests/t.py }
- role: implementer
  run: [[a], [b, c]]
  misbehave: { exit: 3 }
"#,
    )
    .unwrap();
    let text = str::to_owned;
    assert_eq!(
        cassette.entries[0].actions,
        [
            Action::Delete(text("old.py")),
            Action::Write(text("src/b.py"), text("x = 1\n")),
            Action::Append(text("b.py"), text("more")),
            Action::Chmod(text("a.sh"), 0o755),
            Action::Run(vec![text("git"), text("commit"), text("-m"), text("x")]),
        ]
    );
    assert_eq!(cassette.entries[0].misbehave, Misbehaviour::TouchTest(text("tests/t.py")));
    assert_eq!(cassette.entries[1].actions.len(), 2);
    assert_eq!(cassette.entries[1].misbehave, Misbehaviour::Exit(3));
    assert_eq!(Cassette::read("").unwrap().entries, []);
}

#[test]
fn what_is_wrong_is_named_with_its_entry() {
    for (yaml, what, next) in [
        ("role: x", "cassette", ""),
        ("- {}", "entry 1.role", ""),
        ("- { role: implementor }", "entry 1.role", "`implementer`"),
        (
            "- { role: refactorer }\n- { role: refactorer, wirte: {} }",
            "`entry 2.wirte` is not known",
            "`write`",
        ),
        ("- { role: refactorer, number: 0 }", "entry 1.number", ""),
        ("- { role: refactorer, criterion: 1.1 }", "entry 1.criterion", ""),
        ("- { role: refactorer, criterion: AC-1 }", "entry 1.criterion", ""),
        ("- { role: refactorer, say: {}, raw: x }", "both", ""),
        ("- { role: refactorer, say: { status: fine } }", "entry 1.say.status", ""),
        ("- { role: refactorer, say: { file: [] } }", "file` is not known", "`files`"),
        ("- { role: refactorer, misbehave: hangs }", "entry 1.misbehave", "`hang`"),
        ("- { role: refactorer, misbehave: touch-test }", "entry 1.misbehave", ""),
        ("- { role: refactorer, misbehave: { exit: 256 } }", "entry 1.misbehave.exit", ""),
        ("- { role: refactorer, chmod: { a: '9' } }", "entry 1.chmod.a", ""),
        ("- { role: refactorer, run: [] }", "entry 1.run", ""),
        ("- [", "no YAML", ""),
    ] {
        let trouble = Cassette::read(yaml).expect_err(yaml);
        assert!(trouble.what.contains(what), "{yaml}: {trouble}");
        assert!(trouble.next.contains(next), "{yaml}: {trouble}");
    }
}

#[test]
fn what_is_said_comes_back_through_the_reader_of_blocks() {
    for command in ["pytest tests", "npm test -- -t \"a: b\"", "cargo test # all", "'quoted' x", "it's"] {
        for excerpt in [
            "as expected",
            "   Compiling x\nok",
            "a: b\n\n  c\n",
            "```\nfence\n```",
            "---\n...",
            "- x",
            "\ttab",
        ] {
            let yaml = serde_json::json!([{"role": "implementer", "say": {
                "files": ["src/a b.py", "src/-.py", "x"], "command": command, "output_excerpt": excerpt,
                "notes": "it: is # so", "tests": {"AC-D-1.1": ["tests/a.py::A::b[x: y]"]},
                "dispute": {"tests": ["t"], "reason": "no: \"way\""},
            }}]);
            let cassette = Cassette::read(&yaml.to_string()).unwrap();
            let message = cassette.entries[0].message().unwrap();
            let claim = tdd_result::read(&message, Role::Implementer, &["/repo"]);
            let claim = claim.unwrap_or_else(|error| panic!("{error:?}\n{message}"));
            assert_eq!(claim.command, command, "{message}");
            assert_eq!(claim.output_excerpt.trim_end(), excerpt.trim_end(), "{message}");
            assert_eq!(claim.files.len(), 3, "{message}");
            assert_eq!(claim.notes.as_deref(), Some("it: is # so"), "{message}");
            assert_eq!(claim.tests.len(), 1, "{message}");
            assert_eq!(claim.dispute.map(|dispute| dispute.reason).as_deref(), Some("no: \"way\""));
        }
    }
}

#[test]
fn a_misbehaving_message_breaks_its_own_rule() {
    for (word, want) in [
        ("no-block", ClaimErrorKind::NoBlock),
        ("two-blocks", ClaimErrorKind::ManyBlocks),
        ("unclosed-block", ClaimErrorKind::UnclosedBlock),
        ("wrong-role", ClaimErrorKind::WrongRole),
    ] {
        let yaml = format!("- {{ role: implementer, say: {{ files: [a] }}, misbehave: {word} }}");
        let message = Cassette::read(&yaml).unwrap().entries[0].message().unwrap();
        let error = tdd_result::read(&message, Role::Implementer, &["/repo"]).unwrap_err();
        assert_eq!(error.kind, want, "{word}: {message}");
    }
}
