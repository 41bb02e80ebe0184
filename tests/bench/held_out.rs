//! What held-out tests cost: a run of three criteria with two tests each, of which a coin hides some, over the same
//! run in which none is hidden; the agents' own time is left out of both.

use std::time::{Duration, Instant};

use tdd_core::event::Event;

use super::project::{NEXT_FUNCTION, Project, whole_runs_in};
use super::table::{Figure, Row, median, ms};

const CRITERIA: usize = 3;
const BOUND: f64 = 1.5;
const TIMES: usize = 3;

const FILES: &[(&str, &str)] = &[
    (".gitignore", "__pycache__/\n"),
    ("shop.py", "def zero():\n    return 0\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_old.py",
        "import time\nimport unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        time.sleep(0.3)\n        \
         self.assertEqual(shop.zero(), 0)\n",
    ),
];
const RED: &str = "for n in 1 2 3; do printf 'import unittest\\nimport shop\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        self.assertEqual(shop.f%s(), %s)\\n\\n    def test_more(self):\\n        self.assertEqual(shop.f%s() + 1, %s)\\n' $n $n $n $((n + 1)) > tests/test_ac_b_1_$n.py; done";

/// The run's own time, and how often the whole suite ran.
struct Took {
    own: Duration,
    whole: usize,
}

pub fn measure() -> Vec<Row> {
    let (mut plain, mut held, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut whole = (0, 0);
    // By turns, because the machine is somebody else's too.
    for _ in 0..TIMES {
        let (without, with) = (run(&[]), run(&["--held-out"]));
        ratios.push(with.own.as_secs_f64() / without.own.as_secs_f64());
        whole = (without.whole, with.whole);
        plain.push(without.own);
        held.push(with.own);
    }
    ratios.sort_by(f64::total_cmp);
    let note = format!(
        "median of {TIMES}, agents' time left out; {} for {} whole runs with hidden tests, {} for {} without",
        ms(median(held)),
        whole.1,
        ms(median(plain)),
        whole.0,
    );
    vec![Row {
        what: format!("{CRITERIA} criteria: a run with held-out tests over one without"),
        figure: Figure::Growth { measured: ratios[TIMES / 2], bound: BOUND },
        note,
    }]
}

fn run(more: &[&str]) -> Took {
    let project = Project::scripted(CRITERIA, "python3 -m unittest discover -s tests -t .", FILES);
    let cassette = project.cassette(RED, NEXT_FUNCTION, ":");
    let mut command = project.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("B-1").arg("--cassette").arg(&cassette).args(more);
    let began = Instant::now();
    let output = command.output().unwrap();
    let wall = began.elapsed();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "tdd {more:?}: {said}");
    let events = project.events();
    let is_held = events.iter().any(|(_, event)| matches!(event, Event::HeldOut { .. }));
    assert_eq!(is_held, !more.is_empty(), "{said}");
    Took { own: wall.saturating_sub(of_agents(&events)), whole: whole_runs_in(&said).0 }
}

/// From each fork to its return.
fn of_agents(events: &[(u64, Event)]) -> Duration {
    let (mut spent, mut forked) = (0, None);
    for (at, event) in events {
        match event {
            Event::AttemptStarted { .. } => forked = Some(*at),
            Event::AgentReturned { .. } => {
                spent += forked.take().map_or(0, |forked| at.saturating_sub(forked));
            }
            _ => {}
        }
    }
    Duration::from_millis(spent)
}
