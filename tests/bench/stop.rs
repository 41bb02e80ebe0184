//! From a stop that is asked for to the end of every child, when the child ignores what it is told.

use std::time::{Duration, Instant};

use super::project::Project;
use super::table::{Figure, Row, median};

const TIMES: usize = 5;
/// What the agent's table grants: 200 ms after SIGINT, 300 ms after SIGTERM.
const GRACE: Duration = Duration::from_millis(500);

/// Neither it nor the one that it starts in a session of its own ends by a signal that can be ignored.
const AGENT: &str = r"
trap '' INT TERM HUP
setsid sh -c 'echo $$ >> ../pids; while :; do sleep 60; done' &
sleep 60 &
echo $! >> ../pids
echo $$ >> ../pids
while :; do sleep 60; done
";

pub fn measure() -> Vec<Row> {
    let bound = GRACE + Duration::from_millis(100);
    let measured = median((0..TIMES).map(|_| once()).collect());
    vec![Row {
        what: "stop requested to every child gone; TERM is ignored, g = 500 ms".to_owned(),
        figure: Figure::Time { measured, bound },
        note: format!("median of {TIMES}"),
    }]
}

fn once() -> Duration {
    let project = Project::with_agent(1, 10, AGENT, "    stop: { interrupt: 200ms, terminate: 300ms }\n");
    let mut tdd = project.tdd().spawn().unwrap();
    let pids = await_pids(&project);
    let began = Instant::now();
    let pid = rustix::process::Pid::from_raw(i32::try_from(tdd.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    while pids.iter().any(|pid| is_alive(pid)) {
        assert!(began.elapsed() < Duration::from_secs(20), "a child outlives the stop");
        std::thread::sleep(Duration::from_millis(1));
    }
    let gone = began.elapsed();
    let status = tdd.wait().unwrap();
    assert_eq!(status.code(), Some(143), "a run that is stopped by SIGTERM says so");
    gone
}

/// Waits until the child and all of its own are there.
fn await_pids(project: &Project) -> Vec<String> {
    let began = Instant::now();
    loop {
        let told = std::fs::read_to_string(project.beside("pids")).unwrap_or_default();
        let pids: Vec<String> = told.lines().map(str::to_owned).collect();
        if pids.len() == 3 {
            return pids;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the child did not start: {told}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A zombie is gone: it holds nothing and does nothing.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
