use super::*;

const FULL: &str = r#"
test: make test
gate: make check
runner: { kind: junit, all: "make test", select: "make test ONLY='{files}'", report: build/report.xml }
specs_dir: ./docs/frs/
test_files: ["checks/**", "e2e/*.sh"]
agent: claude
roles:
  test-writer: { agent: claude, model: large }
  implementer:
    model: small
agents:
  mine: { argv: [mine, "{prompt_file}"] }
budgets: { semantic: 3, format: 0 }
regression: criterion
on_missing_block: take
deadline: 20m
attempt_deadline: 1h
idle_deadline: 90s
output_cap: 64MiB
backoff: [0s, 1m30s]
"#;

#[test]
fn every_setting_is_read() {
    let config = read("tdd.yaml", FULL).unwrap();
    assert_eq!(config.test.as_deref(), Some("make test"));
    assert_eq!(config.gate.as_deref(), Some("make check"));
    let runner = config.runner.unwrap();
    assert_eq!((runner.kind, runner.all.as_str()), (RunnerKind::Junit, "make test"));
    assert_eq!(runner.select.as_deref(), Some("make test ONLY='{files}'"));
    assert_eq!(runner.report.as_deref(), Some("build/report.xml"));
    assert_eq!(config.specs_dir.as_deref(), Some("docs/frs"));
    assert_eq!(config.test_files, ["checks/**", "e2e/*.sh"]);
    assert_eq!(config.agent.as_deref(), Some("claude"));
    assert_eq!(config.roles[&Role::TestWriter].model.as_deref(), Some("large"));
    assert_eq!(config.roles[&Role::Implementer].agent, None);
    assert!(!config.roles.contains_key(&Role::Refactorer));
    assert_eq!(config.agents["mine"].project.as_ref().unwrap().value["argv"][0], Value::from("mine"));
    assert_eq!(config.budgets, BudgetSetting { semantic: Some(3), format: Some(0) });
    assert_eq!(config.regression, Some(Regression::Criterion));
    assert_eq!(config.on_missing_block, Some(MissingBlock::Take));
    assert_eq!(config.deadline_ms, Some(1_200_000));
    assert_eq!(config.attempt_deadline_ms, Some(3_600_000));
    assert_eq!(config.idle_deadline_ms, Some(90_000));
    assert_eq!(config.output_cap, Some(64 << 20));
    assert_eq!(config.backoff_ms, Some(vec![0, 90_000]));
    assert_eq!(read("tdd.yaml", "backoff: []").unwrap().backoff_ms, Some(Vec::new()));
}

#[test]
fn nothing_is_set_by_nothing() {
    for text in ["", "# only a comment\n", "\u{feff}", "test:\nroles:\n", "{}"] {
        assert_eq!(read("tdd.yaml", text).unwrap(), ConfigFile::default(), "{text:?}");
    }
}

#[test]
fn the_runner_may_borrow_the_test_command() {
    let config = read("tdd.yaml", "test: make t\nrunner: { kind: exit-code }\n").unwrap();
    assert_eq!(config.runner.unwrap().all, "make t");
}

/// Each wrong file, with parts that its message must hold.
const WRONG: &[(&str, &[&str])] = &[
    ("backoff: [5]", &["`backoff[0]`", "the number 5", "a text"]),
    ("backoff: [5s, soon]", &["backoff", "`soon`", "5s, 20s"]),
    ("backoff: [1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s]", &["backoff", "11"]),
    ("output_cap: 3GiB", &["output_cap", "2 GiB"]),
    ("output_cap: lots", &["output_cap", "`lots`", "64MiB"]),
    ("tets: x\n", &["tdd.yaml:1", "`tets`", "Did you mean `test`?"]),
    ("test: x\n\nspecs-dir: y\n", &["tdd.yaml:3", "Did you mean `specs_dir`?"]),
    ("colour: x\n", &["`colour`", "Known are: test, gate"]),
    ("test: [a]\n", &["tdd.yaml:1", "`test`", "a list", "wants a text"]),
    ("test: true\n", &["the word `true`", "quote it"]),
    ("test: 5\n", &["the number 5"]),
    ("test: ''\n", &["empty"]),
    ("test: \"a\\0b\"\n", &["NUL"]),
    ("runner: make\n", &["`runner`", "wants a table"]),
    ("runner:\n  knid: junit\n", &["tdd.yaml:2", "`runner.knid`", "Did you mean `kind`?"]),
    ("runner: { all: x }\n", &["tdd.yaml", "`runner.kind`", "cargo, nextest, pytest"]),
    ("runner: { kind: junit }\n", &["`runner.all`"]),
    ("runner: { kind: junit, all: x }\n", &["`runner.report`", "build/report.xml"]),
    ("runner: { kind: jnuit, all: x }\n", &["tdd.yaml:1", "`jnuit`", "Did you mean `junit`?"]),
    ("runner: { kind: mocha, all: x }\n", &["`mocha`"]),
    ("runner: { kind: cargo, all: x, select: y }\n", &["`runner.select`", "{files}"]),
    ("runner: { kind: junit, all: x, report: ../r.xml }\n", &["`runner.report`", "leave"]),
    ("specs_dir: /etc\n", &["`specs_dir`", "relative"]),
    ("specs_dir: ../x\n", &["`specs_dir`"]),
    ("test_files: tests/**\n", &["`test_files`", "a list of texts"]),
    ("test_files: ['a[']\n", &["`a[`", "no glob"]),
    ("test_files: [3]\n", &["`test_files[0]`", "the number 3", "a text"]),
    ("roles:\n  tester: {}\n", &["tdd.yaml:2", "`roles.tester`", "test-writer, implementer, refactorer"]),
    ("roles:\n  implementer: { modle: x }\n", &["tdd.yaml:2", "Did you mean `model`?"]),
    ("roles:\n  implementer: claude\n", &["`roles.implementer`", "wants a table"]),
    ("roles: { implementer: { max_turns: 0 } }\n", &["`roles.implementer.max_turns`", "from 1 to 10000"]),
    ("roles: { implementer: { max_turns: many } }\n", &["`roles.implementer.max_turns`", "from 1 to 10000"]),
    ("agents: { a: b }\n", &["`agents.a`", "wants a table"]),
    ("agents: { 1: {} }\n", &["key that is no text"]),
    ("budgets: { semantic: 0 }\n", &["`budgets.semantic`", "from 1 to 9"]),
    ("budgets: { semantic: 10 }\n", &["from 1 to 9"]),
    ("budgets: { format: -1 }\n", &["from 0 to 9"]),
    ("budgets: { format: '1' }\n", &["the text `1`"]),
    ("on_missing_block: keep\n", &["`keep`", "halt, take"]),
    ("regression: always\n", &["`always`", "auto, attempt, criterion, end"]),
    ("deadline: 10\n", &["`deadline`", "10m"]),
    ("deadline: soon\n", &["`soon`", "10m"]),
    ("- test\n", &["no table of settings", "a list"]),
    ("test: a\ntest: b\n", &["tdd.yaml gives the setting `test` twice", "line 1 and on line 2"]),
    ("test: a\n# x\n\ngate: test\n\"test\": b\n", &["`test` twice", "line 1 and on line 5"]),
    (
        "test: a\nrunner:\n  kind: junit\n  all: |\n    kind: x\n  kind: cargo\ngate: b\n",
        &["`runner.kind` twice", "line 3 and on line 6", "`kind:`"],
    ),
    ("roles: {implementer: {model: a, model: b}}\n", &["`roles.implementer.model` twice"]),
    ("test: 'a\n", &["not YAML"]),
];

#[test]
fn a_wrong_setting_is_named_with_what_is_wanted() {
    for (text, parts) in WRONG {
        let message = read("tdd.yaml", text).unwrap_err().to_string();
        for part in *parts {
            assert!(message.contains(part), "{text:?} should say {part:?}:\n{message}");
        }
    }
}

#[test]
fn a_huge_file_is_refused() {
    let text = format!("# {}\n", "x".repeat(MAX_BYTES));
    assert!(read("tdd.yaml", &text).unwrap_err().what.contains("too large"));
}

#[test]
fn what_is_set_for_fix_is_read_and_nothing_else() {
    let read = |text: &str| read("tdd.yaml", text);
    let config = read(
        "fix: { checks: [mypy ., pytest], max_retries: 0, type_deadline: 90s, test_deadline: 5m }\nroles: { fixer: { agent: x, code: false } }\n",
    )
    .unwrap();
    assert_eq!(config.fix.checks, ["mypy .", "pytest"]);
    assert_eq!((config.fix.max_retries, config.fix.type_deadline_ms), (Some(0), Some(90_000)));
    assert_eq!(config.fix.test_deadline_ms, Some(300_000));
    assert_eq!(config.roles[&Role::Fixer].code, Writes::Documents);
    for (text, part) in [
        ("fix: { check: [a] }", "fix.check"),
        ("fix: { max_retries: 21 }", "from 0 to 20"),
        ("fix: { checks: pytest }", "a list of texts"),
        ("fix: { type_deadline: soon }", "a duration"),
        ("roles: { fixer: { code: no-thanks } }", "`true` or `false`"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}
