//! Agents as tables, run for real: the scripted agent with every misbehaviour, and small shell
//! programs for the ways of prompts, messages and sessions.
//!
//! No test sleeps: children may hang, and end by their deadlines.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts processes and looks at files, and fails by a panic"
)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tdd_agents::agent::{AgentSetup, RoleAgent, RoleAgents, TableAgents, choose_auto};
use tdd_agents::agent_table::{AgentTable, builtin, read_text};
use tdd_core::attempt::{AgentEnd, AttemptKind, Exhaustion};
use tdd_core::audience::News;
use tdd_core::claim::ClaimErrorKind;
use tdd_core::criterion::CriterionId;
use tdd_core::ports::{AgentOrder, AgentReport, Agents, Allowance, Limits, Setters};
use tdd_core::role::{Key, Role};
use tdd_core::test::Exit;
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_core::usage::Usage;
use tdd_spec::tdd_result;
use tempfile::TempDir;
use tokio::sync::watch;

const HOUR: u64 = 3_600_000;

/// A project, a folder for logs and one for exchanges, and the agent that works there.
struct Stage {
    dir: TempDir,
    table: AgentTable,
    model: Option<String>,
    cassette: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    signal: watch::Sender<Option<i32>>,
}

impl Stage {
    fn new(table: AgentTable) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["project/.git", "logs", "exchange"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let env = vec![(OsString::from("PATH"), std::env::var_os("PATH").unwrap_or_default())];
        Self { dir, table, model: None, cassette: None, env, signal: watch::channel(None).0 }
    }

    /// `argv` runs a shell text whose `$1` is the prompt's file.
    fn shell(script: &str, more: &str) -> Self {
        let argv = serde_json::json!(["sh", "-c", script, "sh", "{prompt_file}", "{run_dir}"]);
        Self::new(read_text("shell", &format!("argv: {argv}\n{more}")).unwrap())
    }

    /// The scripted agent with the misbehaviours' cassette.
    fn scripted(stdio: &str) -> Self {
        let text = builtin("scripted").unwrap().replace("stdio: pty", &format!("stdio: {stdio}"));
        let mut stage = Self::new(read_text("scripted", &text).unwrap());
        stage.table.stop.interrupt_ms = 100;
        stage.table.stop.terminate_ms = 100;
        let cassette = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cassettes/misbehaviours.yaml");
        // A copy, so that processes of this test can be told by its path.
        let own = stage.dir.path().join("cassette.yaml");
        fs::copy(cassette, &own).unwrap();
        stage.cassette = Some(own);
        stage
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn agents(&self) -> TableAgents {
        let agent = RoleAgent { table: self.table.clone(), model: self.model.clone() };
        TableAgents::new(AgentSetup {
            roles: RoleAgents::all(&agent),
            cwd: self.path("project"),
            tdd: PathBuf::from(env!("CARGO_BIN_EXE_tdd")),
            logs: self.path("logs"),
            exchange_root: self.path("exchange"),
            state_root: self.path("state"),
            cassette: self.cassette.clone(),
            backoff: Vec::new(),
            stop: self.signal.subscribe(),
            env: self.env.clone(),
            operator: None,
            task: None,
        })
    }

    fn run(&self, order: &AgentOrder) -> Result<AgentReport, Trouble> {
        self.run_hearing(order, &mut |_| {})
    }

    fn run_hearing(&self, order: &AgentOrder, hear: &mut dyn FnMut(News)) -> Result<AgentReport, Trouble> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.agents().run(order, hear))
    }

    fn logs(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path("logs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn order(criterion: &str) -> AgentOrder {
    AgentOrder {
        out_of_sight: Vec::new(),
        asked: Key::Implementer(CriterionId::parse(criterion).unwrap()).into(),
        number: 1,
        kind: AttemptKind::First,
        prompt: "Do it.\n".to_owned(),
        role_text: "You are the implementer.\n".to_owned(),
        session: None,
        session_used: Usage::default(),
        limits: Limits {
            turns: 8,
            wall_ms: HOUR,
            idle_ms: HOUR,
            output_bytes: 64 << 20,
            caps: Allowance::default(),
            set_by: Setters::default(),
        },
    }
}

fn said(report: &AgentReport) -> &str {
    report.message.as_deref().unwrap_or("").trim()
}

#[test]
fn a_scripted_child_ends_and_says_what_its_cassette_says() {
    let ok = AgentEnd::Exited(Exit::Code(0));
    for stdio in ["pty", "pipe"] {
        for (word, end, wanted) in [
            ("none", ok, Ok(())),
            ("no-block", ok, Err(Some(ClaimErrorKind::NoBlock))),
            ("two-blocks", ok, Err(Some(ClaimErrorKind::ManyBlocks))),
            ("unclosed-block", ok, Err(Some(ClaimErrorKind::UnclosedBlock))),
            ("wrong-role", ok, Err(Some(ClaimErrorKind::WrongRole))),
            ("exit", AgentEnd::Exited(Exit::Code(3)), Ok(())),
            ("garbage", ok, Ok(())),
            ("crash", AgentEnd::Exited(Exit::Signal(6)), Err(Some(ClaimErrorKind::NoBlock))),
            ("silence", ok, Err(None)),
            ("touch-test", ok, Ok(())),
            ("daemon", ok, Ok(())),
            ("raw", ok, Err(Some(ClaimErrorKind::NoBlock))),
        ] {
            let stage = Stage::scripted(stdio);
            let report = stage.run(&order(&format!("AC-{word}.1"))).unwrap();
            assert_eq!(report.end, end, "{stdio} {word}: {}", report.tail);
            let claim =
                report.message.as_deref().map(|text| tdd_result::read(text, Role::Implementer, &["/x"]));
            let outcome = match claim {
                None => Err(None),
                Some(Err(error)) => Err(Some(error.kind)),
                Some(Ok(_)) => Ok(()),
            };
            assert_eq!(outcome, wanted, "{stdio} {word}: {:?}", report.message);
            assert_eq!(stage.path("project/src/a.py").exists(), word == "none", "{stdio} {word}");
            assert_eq!(stage.path("project/touched.py").exists(), word == "touch-test", "{stdio} {word}");
            assert_eq!(survivors(&stage), 0, "{stdio} {word}: a process is left");
            assert_eq!(
                report.log,
                stage.path(&format!("logs/implementer-AC-{word}.1-1.log")).display().to_string()
            );
            assert_eq!(fs::metadata(&report.log).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn a_child_that_does_not_end_is_ended_by_the_bound_that_it_reached() {
    left_to_the_night!();
    let limits = order("AC-x.1").limits;
    for stdio in ["pty", "pipe"] {
        for (word, limits, wanted) in [
            ("hang", Limits { idle_ms: 300, ..limits }, Exhaustion::Idle),
            ("hang", Limits { wall_ms: 300, ..limits }, Exhaustion::Wall),
            ("ignore-term", Limits { idle_ms: 500, ..limits }, Exhaustion::Idle),
            ("flood", Limits { output_bytes: 1 << 20, ..limits }, Exhaustion::Output),
        ] {
            let stage = Stage::scripted(stdio);
            let report = stage.run(&AgentOrder { limits, ..order(&format!("AC-{word}.1")) }).unwrap();
            assert_eq!(report.end, AgentEnd::Exhausted(wanted), "{stdio} {word}");
            assert!(report.tail.len() <= 4 << 10);
            assert_eq!(survivors(&stage), 0, "{stdio} {word}: a process is left");
        }
    }
}

/// Processes whose command line names this stage's folder.
fn survivors(stage: &Stage) -> usize {
    let own = stage.dir.path().to_str().unwrap().to_owned();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let lines = processes.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&own)).count()
}

#[test]
fn an_unmatched_call_and_an_unwanted_prompt_are_told() {
    let stage = Stage::scripted("pipe");
    let unmatched = stage.run(&order("AC-nobody.1")).unwrap();
    assert_eq!(unmatched.end, AgentEnd::Exited(Exit::Code(64)));
    assert!(unmatched.tail.contains("no entry for this call"), "{}", unmatched.tail);
    for (prompt, code) in [("needed", 0), ("nothing", 65), ("needed secret", 65)] {
        let report = stage.run(&AgentOrder { prompt: prompt.to_owned(), ..order("AC-prompt.1") }).unwrap();
        assert_eq!(report.end, AgentEnd::Exited(Exit::Code(code)), "{prompt}: {}", report.tail);
    }
    let again = ["implementer-AC-prompt.1-1.again-2.log", "implementer-AC-prompt.1-1.again-3.log"];
    assert!(again.iter().all(|name| stage.logs().contains(&(*name).to_owned())), "{:?}", stage.logs());
}

#[test]
fn a_prompt_of_a_megabyte_comes_by_file_and_by_stdin() {
    let order = AgentOrder { prompt: "0123456789abcdef".repeat(1 << 16), ..order("AC-x.1") };
    for stdio in ["pty", "pipe"] {
        let by_file = Stage::shell("wc -c < \"$1\"; cat", &format!("stdio: {stdio}"));
        assert_eq!(said(&by_file.run(&order).unwrap()), "1048576", "file {stdio}");
        let by_stdin = Stage::shell("wc -c", &format!("prompt: stdin\nstdio: {stdio}"));
        assert_eq!(said(&by_stdin.run(&order).unwrap()), "1048576", "stdin {stdio}");
    }
}

#[test]
fn a_prompt_as_an_argument_has_a_bound_that_is_found_before_the_fork() {
    let table = |argv: &str| read_text("mine", &format!("argv: {argv}\nprompt: argv")).unwrap();
    for argv in ["[printf, '<%s>']", "[printf, '<%s>', '{prompt}']"] {
        let stage = Stage::new(table(argv));
        let report =
            stage.run(&AgentOrder { prompt: "a \"b\" $c\0d".to_owned(), ..order("AC-x.1") }).unwrap();
        assert_eq!(said(&report), "<a \"b\" $c\u{fffd}d>", "{argv}");
        let longest = "x".repeat(128 * 1024 - 1);
        let report = stage.run(&AgentOrder { prompt: longest.clone(), ..order("AC-x.1") }).unwrap();
        assert_eq!(said(&report).len(), longest.len() + 2, "{argv}");
        let logs = stage.logs();
        let trouble = stage.run(&AgentOrder { prompt: longest + "x", ..order("AC-x.1") }).unwrap_err();
        assert!(trouble.what.contains("mine") && trouble.next.contains("`prompt: file`"), "{trouble}");
        assert_eq!(stage.logs(), logs, "nothing was forked");
    }
}

#[test]
fn the_message_is_taken_from_where_the_table_says() {
    let lines =
        r#"printf '%s\n' '{"t":"m","id":1,"x":"a"}' 'noise' '{"t":"m","id":2,"x":"b"}' '{"t":"n","x":"c"}'"#;
    let document = r#"echo warning; printf '{\n"response":"hi"}\n'"#;
    for (script, more, want) in [
        (lines, "message: { jsonl: { where: { /t: m }, take: /x } }", Some("b")),
        (document, "message: { json: /response }", Some("hi")),
        (
            "echo no >&2; printf said > \"$2/message.txt\"",
            "message: { file: '{message_file}' }",
            Some("said"),
        ),
        ("printf said > \"$2/out.md\"", "message: { from: file, path: out.md }", Some("said")),
        (": > \"$2/out.md\"", "message: { file: out.md }", None),
        ("ln -s \"$1\" \"$2/out.md\"", "message: { file: out.md }", None),
        ("mkfifo \"$2/out.md\"", "message: { file: out.md }", None),
        ("mkdir \"$2/out.md\"", "message: { file: out.md }", None),
        ("true", "message: { file: out.md }", None),
        (lines, "message: { file: out.md, jsonl: { where: { /t: m }, take: /x } }", Some("b")),
        (
            "cat \"$2/made.txt\"",
            "files: { made.txt: 'for {role} {criterion}' }",
            Some("for implementer AC-x.1"),
        ),
        ("printf '\\033[1mbold\\033[0m\\r\\n'", "", Some("bold")),
    ] {
        for stdio in ["pty", "pipe"] {
            let stage = Stage::shell(script, &format!("stdio: {stdio}\n{more}"));
            let report = stage.run(&order("AC-x.1")).unwrap();
            assert_eq!(report.message.as_deref().map(str::trim), want, "{stdio} {script} {more}");
        }
    }
}

#[test]
fn a_message_that_an_earlier_attempt_left_does_not_count() {
    let keep = tempfile::tempdir().unwrap();
    let file = keep.path().join("last.txt");
    fs::write(&file, "old").unwrap();
    let more = format!("message: {{ file: '{}' }}", file.display());
    assert_eq!(Stage::shell("true", &more).run(&order("AC-x.1")).unwrap().message, None);
    let script = format!("printf new > '{}'", file.display());
    let stage = Stage::shell(&script, &more);
    assert_eq!(said(&stage.run(&order("AC-x.1")).unwrap()), "new");
}

#[test]
fn a_child_is_stopped_when_it_takes_more_turns_than_it_has() {
    let script = r#"n=0; while [ $n -lt 20 ]; do n=$((n+1)); echo "{\"type\":\"tool\",\"id\":$n}"; done; exec sleep 600"#;
    let turns = "turns: { where: { /type: tool }, by: /id }\nstop: { interrupt: 100ms, terminate: 100ms }";
    for stdio in ["pty", "pipe"] {
        let stage = Stage::shell(script, &format!("stdio: {stdio}\n{turns}"));
        let mut heard = Vec::new();
        let report = stage.run_hearing(&order("AC-x.1"), &mut |news| heard.push(news)).unwrap();
        assert_eq!(report.end, AgentEnd::Exhausted(Exhaustion::Turns), "{stdio}");
        assert!(report.turns.is_some_and(|turns| turns > 8), "{:?}", report.turns);
        assert!(heard.iter().any(|news| matches!(news, News::Turns { .. })), "{heard:?}");
    }
    let one_turn = || {
        let order = order("AC-x.1");
        AgentOrder { limits: Limits { turns: 1, ..order.limits }, ..order }
    };
    let enough = Stage::shell("echo '{\"type\":\"tool\"}'; echo done", turns);
    let report = enough.run(&one_turn()).unwrap();
    assert_eq!((report.end, report.turns), (AgentEnd::Exited(Exit::Code(0)), Some(1)));
    let script = "echo '{\"type\":\"tool\"}'; echo '{\"type\":\"tool\"}'; exec sleep 600";
    let too_many = Stage::shell(script, turns);
    assert_eq!(too_many.run(&one_turn()).unwrap().end, AgentEnd::Exhausted(Exhaustion::Turns));
}

#[test]
fn the_newest_line_is_told_while_a_child_works() {
    let stage = Stage::shell("echo looking; exec sleep 600", "stop: { interrupt: 100ms, terminate: 100ms }");
    let mut lines = Vec::new();
    let mut ticks = 0;
    let mut bounds = (0, 0);
    let signal = stage.signal.clone();
    let trouble = stage
        .run_hearing(&order("AC-x.1"), &mut |news| match news {
            News::ChildLine { line, .. } => lines.push(line),
            News::Tick { .. } => {
                ticks += 1;
                // Heard once the line is told: ends the wait without a deadline.
                if !lines.is_empty() {
                    signal.send_replace(Some(15));
                }
            }
            News::Bounds { wall_ms, idle_ms } => bounds = (wall_ms, idle_ms),
            News::Turns { .. } | News::Running { .. } | News::Note(_) => {}
        })
        .unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Stopped(15));
    assert!(bounds.0 > 0 && bounds.1 > 0, "what it may take is told before it starts");
    assert_eq!(lines, ["looking"]);
    assert!(ticks > 0);
}

#[test]
fn the_exchange_folder_is_fresh_private_outside_the_repository_and_gone_afterwards() {
    let stage = Stage::shell(
        "echo \"$2\"; ls \"$2\" | tr '\\n' ' '; echo; ls -ld \"$2\" \"$1\" | cut -c 1-10; pwd -P",
        "",
    );
    let mut folders = Vec::new();
    for _ in 0..2 {
        let report = stage.run(&order("AC-x.1")).unwrap();
        let lines: Vec<&str> = said(&report).lines().map(str::trim).collect();
        let [folder, listing, folder_mode, file_mode, cwd] = lines.as_slice() else { panic!("{lines:?}") };
        assert!(folder.starts_with(stage.path("exchange").to_str().unwrap()), "{folder}");
        assert_eq!((*listing, *folder_mode, *file_mode), ("prompt.md role.md", "drwx------", "-rw-------"));
        assert_eq!(PathBuf::from(cwd), stage.path("project").canonicalize().unwrap());
        assert!(!Path::new(folder).exists(), "{folder} is still there");
        folders.push((*folder).to_owned());
    }
    assert_ne!(folders[0], folders[1]);
}

#[test]
fn an_exchange_folder_in_the_repository_is_refused() {
    let mut agents = Stage::shell("true", "");
    agents.table.name = "x".to_owned();
    let agent = RoleAgent { table: agents.table.clone(), model: None };
    fs::create_dir_all(agents.path("project/deep/tmp")).unwrap();
    let inside = TableAgents::new(AgentSetup {
        roles: RoleAgents::all(&agent),
        cwd: agents.path("project/deep"),
        tdd: PathBuf::from(env!("CARGO_BIN_EXE_tdd")),
        logs: agents.path("logs"),
        exchange_root: agents.path("project/tmp"),
        state_root: agents.path("state"),
        cassette: None,
        backoff: Vec::new(),
        stop: agents.signal.subscribe(),
        env: agents.env.clone(),
        operator: None,
        task: None,
    });
    let trouble = inside.preflight().unwrap_err();
    assert!(trouble.what.contains("in the repository") && trouble.next.contains("TMPDIR"), "{trouble}");
    agents.agents().preflight().unwrap();
}

#[test]
fn the_environment_is_what_the_table_lets_through() {
    let env = [("GIT_DIR", "/x"), ("CLAUDECODE", "1"), ("KEEP", "k"), ("OTHER", "o")];
    let print = "echo \"$GIT_DIR|$CLAUDECODE|$KEEP|$OTHER|$SET\"";
    for (rules, want) in [
        ("{ set: { SET: '{role}' } }", "||k|o|implementer"),
        ("{ pass: [PATH, KEEP, GIT_DIR], set: { SET: s } }", "||k||s"),
        ("{ pass: [PATH, 'K*'], set: { GIT_DIR: mine } }", "mine||k||"),
    ] {
        let mut stage = Stage::shell(print, &format!("env: {rules}"));
        stage.env.extend(env.map(|(name, value)| (name.into(), value.into())));
        assert_eq!(said(&stage.run(&order("AC-x.1")).unwrap()), want, "{rules}");
    }
}

#[test]
fn a_format_retry_goes_on_in_its_session() {
    let tell = r#"["sh", "-c", "printf '%s' \"$*\"", "sh", "#;
    let yaml = format!(
        "argv: {tell} new, '{{session}}', '{{prompt_file}}']\nresume_argv: {tell} again, '{{session}}']\nsession: new-uuid"
    );
    let stage = Stage::new(read_text("mine", &yaml).unwrap());
    let first = stage.run(&order("AC-x.1")).unwrap();
    let id = first.session.clone().unwrap();
    assert!(id.len() == 36 && id.as_bytes()[14] == b'4', "{id}");
    assert!(said(&first).starts_with(&format!("new {id} ")), "{first:?}");
    let retry = |kind| AgentOrder { number: 2, kind, session: Some("s-7".to_owned()), ..order("AC-x.1") };
    let format = stage.run(&retry(AttemptKind::Format)).unwrap();
    assert_eq!((said(&format), format.session.as_deref()), ("again s-7", Some("s-7")));
    let semantic = stage.run(&retry(AttemptKind::Semantic)).unwrap();
    assert!(
        said(&semantic).starts_with("new ") && semantic.session.as_deref() != Some("s-7"),
        "{semantic:?}"
    );
    assert!(stage.agents().resumes(&Key::Refactorer));
    assert!(!Stage::shell("true", "").agents().resumes(&Key::Refactorer));
    assert_eq!(stage.agents().name(&Key::TestWriter), "mine");
}

#[test]
fn a_program_s_own_failure_is_no_role_s_failure_unless_a_block_came() {
    let block = "printf '```tdd-result\\nrole: implementer\\n```\\n'; exit 9";
    let map =
        "exit_map: { 9: not-logged-in, 53: turn-cap, 54: budget }\nfailures: { rate-limit: [slow down] }";
    for (script, want) in [
        ("exit 53", Ok(AgentEnd::Exhausted(Exhaustion::Turns))),
        ("exit 54", Ok(AgentEnd::Exhausted(Exhaustion::Cost))),
        ("exit 7", Ok(AgentEnd::Exited(Exit::Code(7)))),
        (block, Ok(AgentEnd::Exited(Exit::Code(9)))),
        ("echo slow down", Ok(AgentEnd::Exited(Exit::Code(0)))),
        ("echo please log in; exit 9", Err("not logged in")),
        ("echo slow down; exit 1", Err("limit")),
    ] {
        let outcome = Stage::shell(script, map).run(&order("AC-x.1"));
        match (outcome, want) {
            (Ok(report), Ok(end)) => assert_eq!(report.end, end, "{script}"),
            (Err(trouble), Err(word)) => {
                assert!(trouble.what.contains(word) && trouble.why.contains("logs/"), "{script}: {trouble}");
                let passing = word == "limit";
                assert_eq!(trouble.kind == TroubleKind::Passing, passing, "{trouble}");
            }
            (outcome, _) => panic!("{script}: {outcome:?}"),
        }
    }
}

#[test]
fn what_keeps_an_agent_from_starting_is_found_before_the_first_fork() {
    let programs = tempfile::tempdir().unwrap();
    let make = |name: &str, content: &str, mode: u32| {
        let path = programs.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    make("good", "#!/bin/sh\n", 0o755);
    make("plain", "#!/bin/sh\n", 0o644);
    make("words", "echo hello\n", 0o755);
    make("gone", "#!/no/such/interpreter -x\n", 0o755);
    make("crlf", "#!/bin/sh\r\n", 0o755);
    make("byenv", "#!/usr/bin/env no-such-language\n", 0o755);
    for (argv, more, want) in [
        ("[good, '{prompt_file}']", "", None),
        ("[missing, '{prompt_file}']", "", Some("none of the folders of PATH")),
        ("[./missing, '{prompt_file}']", "", Some("No such file")),
        ("[., '{prompt_file}']", "", Some("is no file")),
        ("[words, '{prompt_file}']", "", Some("without a #! line")),
        ("[gone, '{prompt_file}']", "", Some("/no/such/interpreter")),
        ("[crlf, '{prompt_file}']", "", Some("carriage return")),
        ("[byenv, '{prompt_file}']", "", Some("no-such-language")),
        ("[good, '{prompt_file}']", "env: { set: { PATH: /nowhere } }", Some("none of the folders of PATH")),
        ("[good, '{prompt_file}', '{model}']", "", Some("no model is set")),
        ("[good, '{prompt_file}', [-m, '{model}']]", "", None),
        ("[good, '{prompt_file}', '{cassette}']", "", Some("needs a cassette")),
        ("[good, '{prompt_file}', '{session}']", "", Some("not known before")),
        ("[good, '{prompt_file}', '{session}']", "session: new-uuid", None),
    ] {
        let table = read_text("mine", &format!("argv: {argv}\n{more}")).unwrap();
        let mut stage = Stage::new(table);
        stage.env = vec![("PATH".into(), programs.path().into())];
        match (stage.agents().preflight(), want) {
            (Ok(()), None) => {}
            (Err(trouble), Some(word)) => {
                assert!(trouble.why.contains(word), "{argv}: {trouble}");
                assert!(trouble.what.contains("mine") && !trouble.next.is_empty(), "{argv}: {trouble}");
            }
            (outcome, _) => panic!("{argv} {more}: {outcome:?}"),
        }
        assert_eq!(stage.logs(), Vec::<String>::new());
    }
    // Root may execute nothing either that nobody may execute.
    let stage = Stage::new(read_text("mine", "argv: [plain, '{prompt_file}']").unwrap());
    let stage = Stage { env: vec![("PATH".into(), programs.path().into())], ..stage };
    let trouble = stage.agents().preflight().unwrap_err();
    assert!(trouble.why.contains("not executable"), "{trouble}");
}

#[test]
fn a_cassette_that_can_t_be_played_is_found_before_the_first_fork() {
    let mut stage = Stage::scripted("pipe");
    stage.agents().preflight().unwrap();
    fs::write(stage.path("cassette.yaml"), "- { role: implementer, sya: {} }").unwrap();
    let trouble = stage.agents().preflight().unwrap_err();
    assert!(trouble.what.contains("cassette.yaml") && trouble.next.contains("`say`"), "{trouble}");
    stage.cassette = Some(stage.path("nowhere.yaml"));
    let trouble = stage.agents().preflight().unwrap_err();
    assert!(trouble.what.contains("nowhere.yaml"), "{trouble}");
    stage.cassette = None;
    assert!(stage.agents().preflight().unwrap_err().next.contains("--cassette"));
}

#[test]
fn auto_takes_claude_then_codex() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().as_os_str();
    let trouble = choose_auto(Some(path)).unwrap_err();
    assert!(trouble.why.contains("claude") && trouble.next.contains("--agent"), "{trouble}");
    assert!(choose_auto(None).is_err());
    for name in ["codex", "claude"] {
        let program = dir.path().join(name);
        fs::write(&program, "#!/bin/sh\n").unwrap();
        assert_ne!(choose_auto(Some(path)).ok(), Some(name), "not executable yet");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(choose_auto(Some(path)).unwrap(), name);
    }
}

/// A program of this name that notes how it was called and then does what `script` says.
fn stand_in(name: &str, script: &str) -> (Stage, TempDir) {
    let programs = tempfile::tempdir().unwrap();
    let note = programs.path().display();
    let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > '{note}/argv'\ncat > '{note}/stdin'\n{script}\n");
    fs::write(programs.path().join(name), text).unwrap();
    fs::set_permissions(programs.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    let mut stage = Stage::new(read_text(name, builtin(name).unwrap()).unwrap());
    let mut path = OsString::from(programs.path());
    path.push(":");
    path.push(&stage.env[0].1);
    stage.env[0].1 = path;
    (stage, programs)
}

const ALL_OK: &str =
    "```tdd-result\\nrole: implementer\\nstatus: ok\\nfiles: [a]\\ncommand: t\\noutput_excerpt: x\\n```";

#[test]
fn the_claude_table_calls_it_as_measured_and_reads_its_stream() {
    let line = |id: &str, block: &str| {
        format!(
            r#"echo '{{"type":"assistant","parent_tool_use_id":null,"message":{{"id":"{id}","content":[{block}]}}}}'"#
        )
    };
    let script = [
        // A settings file that is not there would be dropped without a word: so it must be.
        "last=; for a in \"$@\"; do if [ \"$last\" = --settings ]; then grep -q allow \"$a\" || exit 3; fi; last=$a; done"
            .to_owned(),
        r#"echo '{"type":"system","subtype":"hook_response","hook_event":"SessionStart"}'"#.to_owned(),
        r#"echo '{"type":"system","subtype":"init"}'"#.to_owned(),
        line("m1", r#"{"type":"tool_use","name":"Read"}"#),
        format!("cat <<'END'\n{{\"type\":\"assistant\",\"parent_tool_use_id\":null,\"message\":{{\"id\":\"m2\",\"content\":[{{\"type\":\"text\",\"text\":\"{ALL_OK}\"}}]}}}}\nEND"),
        line("m3", r#"{"type":"text","text":"bye"}"#),
        r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"bye"}'"#.to_owned(),
    ]
    .join("\n");
    let (mut stage, notes) = stand_in("claude", &script);
    stage.model = Some("big".to_owned());
    stage.agents().preflight().unwrap();
    let report = stage.run(&order("AC-x.1")).unwrap();
    assert_eq!(report.end, AgentEnd::Exited(Exit::Code(0)));
    assert_eq!(report.turns, Some(1));
    tdd_result::read(said(&report), Role::Implementer, &["/x"]).unwrap();
    let argv = fs::read_to_string(notes.path().join("argv")).unwrap();
    let id = report.session.unwrap();
    for part in [
        "-p\n--output-format\nstream-json\n--verbose\n",
        "--model\nbig\n",
        "--max-turns\n9\n",
        "--setting-sources\n\n",
        "--tools\nRead,Grep,Glob,Edit,Write,Bash\n",
        &format!("--session-id\n{id}\n"),
    ] {
        assert!(argv.contains(part), "{part:?} is not in {argv}");
    }
    assert_eq!(fs::read_to_string(notes.path().join("stdin")).unwrap(), "Do it.\n");
}

#[test]
fn the_codex_table_calls_it_as_measured_and_reads_its_file() {
    let script = format!(
        r#"
out=; last=; for a in "$@"; do if [ "$last" = -o ]; then out=$a; fi; last=$a; done
echo '{{"type":"thread.started","thread_id":"th-1"}}'
echo '{{"type":"item.completed","item":{{"id":"1","type":"command_execution"}}}}'
echo '{{"type":"item.completed","item":{{"id":"2","type":"agent_message","text":"example"}}}}'
printf '{ALL_OK}' > "$out"
echo '{{"type":"turn.completed"}}'"#
    );
    let (stage, notes) = stand_in("codex", &script);
    stage.agents().preflight().unwrap();
    let report =
        stage.run(&AgentOrder { role_text: "Be \"good\".\n".to_owned(), ..order("AC-x.1") }).unwrap();
    assert_eq!((report.turns, report.session.as_deref()), (Some(1), Some("th-1")));
    tdd_result::read(said(&report), Role::Implementer, &["/x"]).unwrap();
    let argv = fs::read_to_string(notes.path().join("argv")).unwrap();
    for part in ["exec\n-C\n", "\n--json\n-o\n", "developer_instructions=\"Be \\\"good\\\".\\n\"\n", "\n-\n"]
    {
        assert!(argv.contains(part), "{part:?} is not in {argv}");
    }
    assert!(!argv.contains("\n-m\n"), "{argv}");
    assert_eq!(fs::read_to_string(notes.path().join("stdin")).unwrap(), "Do it.\n");
    let retry =
        AgentOrder { kind: AttemptKind::Format, session: report.session, number: 2, ..order("AC-x.1") };
    stage.run(&retry).unwrap();
    let argv = fs::read_to_string(notes.path().join("argv")).unwrap();
    assert!(argv.contains("\nresume\nth-1\n--json\n"), "{argv}");
}
