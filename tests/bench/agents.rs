//! What the real agents' streams cost to read, and what an attempt with a real agent costs beside the
//! agent itself.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tdd_agents::agent_stream::AgentStream;
use tdd_agents::agent_table::{builtin, read_text};
use tdd_core::event::Event;

use super::project::Project;
use super::table::{Figure, Row, median, ms};

const TIMES: usize = 5;
/// As it comes from a terminal.
const CHUNK: usize = 64 << 10;
const BYTES: usize = 64 << 20;

pub fn measure() -> Vec<Row> {
    const AGENTS: [(&str, &str); 2] = [("claude", "2.1.330"), ("codex", "0.169.0")];
    let mut rows: Vec<Row> = AGENTS.map(|(agent, version)| parsing(agent, version)).into();
    match std::env::var_os("TDD_TEST_AGENTS").map(PathBuf::from) {
        Some(programs) => rows.extend(AGENTS.map(|(agent, _)| own_part(agent, &programs))),
        None => eprintln!("bench: no real agents: set TDD_TEST_AGENTS to the folder where they are"),
    }
    rows
}

const CRITERIA: usize = 3;
const FILES: usize = 200;

/// A whole run with the real program: its wall from the first fork to the end, less the children's
/// lives and the runs of tests, for each attempt.
fn own_part(agent: &str, programs: &Path) -> Row {
    let mut parts = Vec::new();
    let mut note = String::new();
    for _ in 0..TIMES {
        let project = Project::new(CRITERIA, FILES);
        let server = Server::start(&project);
        project.write("tdd.yaml", &settings(agent, &project, &server));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(programs.to_owned()).chain(std::env::split_paths(&path));
        let mut command = project.tdd();
        command.args(["--agent", agent]).env("PATH", std::env::join_paths(path).unwrap());
        command
            .env("ANTHROPIC_BASE_URL", &server.url)
            .env("ANTHROPIC_API_KEY", "dummy")
            .env("KIT_KEY", "dummy");
        let output = command.output().unwrap();
        assert!(output.status.success(), "tdd: {}", String::from_utf8_lossy(&output.stderr));
        let events = project.events();
        let begin =
            events.iter().position(|(_, event)| matches!(event, Event::AttemptStarted { .. })).unwrap();
        let forked = &events[begin..];
        let forks = forked.iter().filter(|(_, event)| matches!(event, Event::AttemptStarted { .. })).count();
        let wall = forked[forked.len() - 1].0 - forked[0].0;
        let others: u64 =
            forked.iter().map(|(_, event)| durations(&serde_json::to_value(event).unwrap())).sum();
        assert_eq!(forks, CRITERIA + 2, "one fork for each role and criterion");
        parts.push(Duration::from_millis(wall.saturating_sub(others)) / u32::try_from(forks).unwrap());
        note = format!(
            "median of {TIMES}; {forks} attempts, wall {}, children and tests {}",
            ms(Duration::from_millis(wall)),
            ms(Duration::from_millis(others))
        );
    }
    Row {
        what: format!("{CRITERIA} criteria, {FILES} files, the real {agent}: own part of an attempt"),
        figure: Figure::Time { measured: median(parts), bound: Duration::from_millis(80) },
        note,
    }
}

/// All that an event says of how long something of others' took.
fn durations(value: &Value) -> u64 {
    match value {
        Value::Object(map) => map
            .iter()
            .map(
                |(key, value)| {
                    if key == "duration_ms" { value.as_u64().unwrap_or(0) } else { durations(value) }
                },
            )
            .sum(),
        Value::Array(items) => items.iter().map(durations).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The settings of the project, with the built-in table and the server as its model's provider.
fn settings(agent: &str, project: &Project, server: &Server) -> String {
    let own = project.read("tdd.yaml");
    let head = own.split("agents:\n").next().unwrap();
    let provider = format!(
        "  - --strict-config\n  - [-c, model_provider=kit]\n  - [-c, 'model_providers.kit={{name=\"kit\",base_url=\"{}/v1\",wire_api=\"responses\",env_key=\"KIT_KEY\"}}']\n",
        server.url
    );
    let mut text = format!("{head}agents:\n  {agent}:\n");
    for line in builtin(agent).unwrap().replace("  - --strict-config\n", &provider).lines() {
        let _ = writeln!(text, "    {line}");
    }
    text
}

/// The scripted model server; each role calls the instant agent's script by its shell tool.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(project: &Project) -> Self {
        let script = project.beside("model.yaml");
        std::fs::write(&script, rules(&project.beside("agent.sh"))).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tdd"))
            .arg("__model-server")
            .arg("--script")
            .arg(script)
            .arg("--until-stdin-ends")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, url: line.trim().trim_start_matches("listening on ").to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn rules(agent: &Path) -> String {
    let mut text = "rules:\n".to_owned();
    let mut rule = |when: &str, role: &str, criterion: &str, files: &str| {
        let _ = writeln!(
            text,
            "- when: {{ {when} }}\n  turns:\n  - run: \"BENCH_CRITERIA={CRITERIA} sh {} {role} {criterion}\"\n  - say: |\n      Done.\n      ```tdd-result\n      role: {role}\n      status: ok\n      files: [{files}]\n      command: sh run.sh\n      output_excerpt: |\n        x\n      ```",
            agent.display()
        );
    };
    rule("role: test-writer", "test-writer", "none", "checks/ac_b_1_1.t");
    for number in 1..=CRITERIA {
        let (criterion, file) = (format!("AC-B-1.{number}"), format!("src/impl_{number}.txt"));
        rule(&format!("role: implementer, criterion: {criterion}"), "implementer", &criterion, &file);
    }
    rule("role: refactorer", "refactorer", "none", "");
    text
}

/// A recorded stream, again and again, as its table says.
fn parsing(agent: &str, version: &str) -> Row {
    let table = read_text(agent, builtin(agent).unwrap()).unwrap();
    let recorded = std::fs::read(transcripts().join(agent).join(version).join("finished.jsonl")).unwrap();
    let stream = recorded.repeat(BYTES / recorded.len());
    let once = |_| {
        let mut reader = AgentStream::new(&table);
        let began = Instant::now();
        stream.chunks(CHUNK).for_each(|chunk| reader.feed(chunk));
        let found = reader.finish(Some(0));
        let took = began.elapsed();
        assert!(found.message.is_some() && found.failure.is_none());
        took
    };
    let took = median((0..TIMES).map(once).collect());
    Row {
        what: format!("a recorded stream of {agent} {version}: MB/s read"),
        figure: Figure::Rate { measured: stream.len() as f64 / 1e6 / took.as_secs_f64(), bound: 100.0 },
        note: format!("median of {TIMES}; {} MB", stream.len() / 1_000_000),
    }
}

fn transcripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts")
}
