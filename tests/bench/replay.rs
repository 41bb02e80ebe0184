//! The calls of a run, made again by a plain shell: what the children and the tests cost alone.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::project::Project;

/// The calls of one attempt: its child, then the tests that judged it.
pub type Calls = Vec<String>;

/// The calls as they were written down, an attempt each. What came before the first child is
/// the baseline, and is given apart.
pub fn calls(project: &Project) -> (Calls, Vec<Calls>) {
    let text = std::fs::read_to_string(project.calls()).unwrap();
    let (mut before, mut attempts) = (Calls::new(), Vec::<Calls>::new());
    for line in text.lines() {
        if line.starts_with("agent ") {
            attempts.push(Calls::new());
        }
        attempts.last_mut().unwrap_or(&mut before).push(line.to_owned());
    }
    (before, attempts)
}

/// How long a shell takes that does nothing but these calls, with its output in a file.
pub fn time<'c>(project: &Project, calls: impl Iterator<Item = &'c String>) -> Duration {
    let mut script = String::new();
    for call in calls {
        let (kind, rest) = call.split_once(' ').unwrap();
        let program = if kind == "agent" { "agent.sh" } else { "run.sh" };
        let path = project.beside(program);
        let _ = writeln!(script, "sh -c 'exec sh {} {rest}' </dev/null >>../plain.log 2>&1", path.display());
    }
    let plain = project.beside("plain.sh");
    std::fs::write(&plain, script).unwrap();
    let mut command = project.command("sh");
    command.arg(&plain).env("BENCH_CALLS", project.beside("calls-again")).stdout(Stdio::null());
    let began = Instant::now();
    command.status().unwrap();
    began.elapsed()
}
