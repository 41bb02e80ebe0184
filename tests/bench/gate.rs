//! What an agent waits for at each of its tools under the gate: whole processes, in a repository of 10,000 files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tdd::world::session_file::{Depth, Turn};
use tdd_core::event::{
    EditFact, EditGround, Event, PassFail, SessionEvent, SessionId, TestIdSource, TestRunFact,
};
use tdd_core::path::RelPath;
use tdd_core::test::{FailureKind, TestId};

use super::table::{Figure, Row, median, ms};

const FILES: usize = 10_000;
const TIMES: usize = 101;

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::TempDir::with_prefix("tdd-bench-").unwrap() };
        let repo = place.repo();
        std::fs::create_dir_all(place.dir.path().join("home")).unwrap();
        for number in 0..FILES {
            let file = repo.join(format!("src/part_{:03}/file_{number}.py", number / 100));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, format!("def f_{number}():\n    return {number}\n")).unwrap();
        }
        std::fs::create_dir_all(repo.join("tests")).unwrap();
        std::fs::write(repo.join("tests/test_a.py"), "def test_a():\n    assert 1 == 1\n").unwrap();
        std::fs::write(repo.join("tdd.yaml"), "test: python3 -m pytest -q\n").unwrap();
        place.git(&["init", "-q", "-b", "main"]);
        place.git(&["add", "-A"]);
        place.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "start"]);
        place
    }

    fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repo()).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.dir.path().join("home")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
    }

    fn git(&self, args: &[&str]) {
        assert!(self.command("git").args(args).stdout(Stdio::null()).status().unwrap().success());
    }

    fn call(&self, event: &str, tool: &str, file: &str) -> String {
        json!({
            "session_id": "bench", "hook_event_name": event, "tool_name": tool, "cwd": self.repo(),
            "tool_input": { "file_path": self.repo().join(file), "content": "x" },
        })
        .to_string()
    }

    /// The time of one call, start and end of the process included.
    fn hook(&self, call: &str, code: i32) -> Duration {
        let mut command = self.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["gate", "hook", "claude"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(call.as_bytes()).unwrap();
        let status = child.wait().unwrap();
        let took = began.elapsed();
        assert_eq!(status.code(), Some(code), "{call}");
        took
    }

    fn hooks(&self, call: &str, code: i32) -> Vec<Duration> {
        (0..TIMES).map(|_| self.hook(call, code)).collect()
    }

    /// A test's file is another one each time, which the gate allows.
    fn edit_a_test(&self, number: usize) {
        let text = format!("def test_a():\n    assert {number} == {number}\n");
        std::fs::write(self.repo().join("tests/test_a.py"), text).unwrap();
    }

    fn status(&self) -> Duration {
        let began = Instant::now();
        self.git(&["status", "--porcelain"]);
        began.elapsed()
    }
}

/// Adds events until the session has so many.
fn grow(repo: &Path, events: usize) {
    let turn = Turn::take(repo, &SessionId("bench".into())).unwrap();
    let Ok(mut session) = turn.open(Depth::Quick).unwrap() else { panic!("no session") };
    let tree = session.state.tree.clone();
    let of = |number: usize| {
        let id = TestId(format!("tests/test_a.py::test_{}", number / 3 % 50));
        let target = RelPath::new(&format!("src/part_000/file_{}.py", number / 3 % 50)).unwrap();
        match number % 3 {
            0 => Event::TestRun(TestRunFact {
                test_id: id,
                test_id_source: TestIdSource::Native,
                status: if number.is_multiple_of(2) { PassFail::Fail } else { PassFail::Pass },
                kind: (number.is_multiple_of(2)).then_some(FailureKind::Assertion),
                command: "python3 -m pytest -q tests/test_a.py".into(),
                duration_ms: 5,
                file: None,
                tree: Some(tree.clone()),
                output: None,
            }),
            1 => Event::Session(Box::new(SessionEvent::Edit(EditFact {
                edit_target: target,
                test_ids: vec![id],
                ground: EditGround::Claim,
                tool: Some("Edit".into()),
                base: tree.clone(),
                tree: tree.clone(),
            }))),
            _ => Event::TreeSeen { tree: tree.clone() },
        }
    };
    let missing = events.saturating_sub(usize::try_from(session.state.count).unwrap());
    let more: Vec<Event> = (0..missing).map(of).collect();
    session.record(1, &more).unwrap();
}

pub fn measure() -> Vec<Row> {
    let place = Place::new();
    place.hook(&place.call("SessionStart", "", ""), 0);
    let before = place.call("PreToolUse", "Edit", "src/part_001/file_101.py");
    let after = place.call("PostToolUse", "Edit", "src/part_001/file_101.py");
    let mut at = Vec::new();
    for events in [100, 10_000, 100_000] {
        grow(&place.repo(), events);
        let mut times = place.hooks(&before, 2);
        times.sort_unstable();
        at.push((median(times.clone()), times[TIMES * 99 / 100]));
        if events == 10_000 {
            // The stamps of new files settle first.
            place.hook(&after, 0);
        }
    }
    // In turn, so that what else the machine does weighs on both.
    let (compared, status): (Vec<Duration>, Vec<Duration>) =
        (0..TIMES).map(|_| (place.hook(&after, 0), place.status())).unzip();
    let (compared, status) = (median(compared), median(status));
    let kept = |number| {
        place.edit_a_test(number);
        place.hook(&after, 0)
    };
    let kept = median((0..TIMES / 5).map(kept).collect());
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let note = || format!("median of {TIMES}, fork and exec included; 10,000 events, {FILES} files");
    let mut rows = vec![
        Row {
            what: "gate: PreToolUse".into(),
            figure: Figure::Time { measured: at[1].0, bound: Duration::from_millis(8) },
            note: note(),
        },
        Row {
            what: "gate: PreToolUse, 99th percentile".into(),
            figure: Figure::Time { measured: at[1].1, bound: Duration::from_millis(25) },
            note: note(),
        },
        Row {
            what: "gate: PreToolUse, 100 to 100,000 events".into(),
            figure: Figure::Growth { measured: ratio(at[2].0, at[0].0), bound: 1.5 },
            note: format!("{} to {}", ms(at[0].0), ms(at[2].0)),
        },
        Row {
            what: "gate: PostToolUse with the tree's comparison".into(),
            figure: Figure::Growth { measured: ratio(compared, status), bound: 1.2 },
            note: format!("{} against {} of git status; 100,000 events", ms(compared), ms(status)),
        },
        Row {
            what: "gate: PostToolUse after an edit, kept as a commit".into(),
            figure: Figure::Time { measured: kept, bound: Duration::from_millis(150) },
            note: format!("{:.1} times git status; a bound of ours", ratio(kept, status)),
        },
    ];
    rows.push(export(&place));
    rows.extend(memory(&place, &after, "nothing changed"));
    place.edit_a_test(TIMES);
    rows.extend(memory(&place, &after, "an edit was kept, by git"));
    rows.extend(words(&place));
    rows
}

/// A corpus of what the session has turned.
fn export(place: &Place) -> Row {
    let out = place.dir.path().join("corpus.jsonl");
    let times = (0..5).map(|_| {
        let mut tdd = place.command(env!("CARGO_BIN_EXE_tdd"));
        tdd.args(["corpus", "export", "--out"]).arg(&out).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        assert!(tdd.status().unwrap().success());
        began.elapsed()
    });
    Row {
        what: "gate: corpus export of a session of 100,000 events".into(),
        figure: Figure::Time { measured: median(times.collect()), bound: Duration::from_secs(2) },
        note: "median of 5".into(),
    }
}

/// The most memory that a call takes, as the system counts it.
fn memory(place: &Place, call: &str, when: &str) -> Option<Row> {
    let script = "import resource,subprocess,sys\nsubprocess.run(sys.argv[1:],input=sys.stdin.buffer.read())\n\
                  print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let mut command = place.command("python3");
    command.args(["-c", script, env!("CARGO_BIN_EXE_tdd"), "gate", "hook", "claude"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(call.as_bytes()).ok()?;
    let said = child.wait_with_output().ok()?;
    let kib: f64 = String::from_utf8_lossy(&said.stdout).trim().parse().ok()?;
    Some(Row {
        what: format!("gate: PostToolUse, peak memory, {when}"),
        figure: Figure::Memory { measured: kib / 1024.0, bound: 20.0 },
        note: format!("of tdd or of a git that it called; {FILES} files, 100,000 events"),
    })
}

/// What a model reads again and again. `TDD_BENCH_TOKENIZER` names a folder of node packages with `gpt-tokenizer`
/// in it (`.ci/nightly/gate-peers` makes one); no tokenizer of Anthropic's models is to be had. Without it four bytes
/// count as a token.
fn words(place: &Place) -> Vec<Row> {
    let red = "tests/test_a.py::test_0";
    let mut claim = place.command(env!("CARGO_BIN_EXE_tdd"));
    let claim = claim.args(["gate", "claim", red, "src/part_000/file_0.py"]).output().unwrap();
    let claim = String::from_utf8(claim.stdout).unwrap();
    assert!(claim.starts_with("claimed "), "{claim}");
    let id = "tests/test_total.py::test_sum";
    let footer = format!(
        "red {id} (assertion)\ntdd: next: tdd gate claim {id} FILE\ntdd: red: {id}\ntdd: taken back: shop.py; kept as refs/tdd/s-1/taken-9\ntdd: claim again, then another edit. The tests said:\n"
    );
    [("gate: tokens of a claim's answer", claim, 30), ("gate: tokens of a run's footer", footer, 80)]
        .map(|(what, text, bound)| {
            let counted = tokens(&text);
            let tokenizer = if counted.is_some() { "gpt-tokenizer, o200k_base" } else { "bytes by four" };
            Row {
                what: what.into(),
                figure: Figure::Count { measured: counted.unwrap_or(text.len().div_ceil(4)), bound },
                note: format!("tokenizer: {tokenizer}; {} bytes", text.len()),
            }
        })
        .into()
}

fn tokens(text: &str) -> Option<usize> {
    let modules = PathBuf::from(std::env::var_os("TDD_BENCH_TOKENIZER")?);
    let script = "const {encode} = require('gpt-tokenizer/encoding/o200k_base');\
                  console.log(encode(require('fs').readFileSync(0, 'utf8')).length)";
    let mut node = Command::new("node");
    node.args(["-e", script]).current_dir(modules.parent()?);
    let mut child = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let said = child.wait_with_output().ok()?;
    String::from_utf8_lossy(&said.stdout).trim().parse().ok()
}
