//! What the final proof costs: processor time over one run of the suite, and the whole run of three criteria with it
//! over one run of a suite of 0.3 s; the agents' time is left out, since theirs is none.

use std::time::{Duration, Instant};

use super::project::{NEXT_FUNCTION, Project, whole_runs_in};
use super::table::{Figure, Row, median};

const CRITERIA: usize = 3;
const TIMES: usize = 3;
/// With `not implemented` alone.
const FIRST: f64 = 4.0;
/// With one more kind of stub: the tests here look at what they call, so that the first value shows it.
const FULL: f64 = FIRST + 1.0;
const WHOLE: f64 = 12.0;

const TEST: &str = "python3 -m unittest discover -s tests -t .";
/// Works for the 0.3 s, since a sleep takes no processor time.
const FILES: &[(&str, &str)] = &[
    (".gitignore", "__pycache__/\n"),
    ("shop.py", "def zero():\n    return 0\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_old.py",
        "import time\nimport unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        \
         end = time.process_time() + 0.3\n        while time.process_time() < end:\n            pass\n        \
         self.assertEqual(shop.zero(), 0)\n",
    ),
];
const RED: &str = "for n in 1 2 3; do printf 'import unittest\\nimport shop\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        self.assertEqual(shop.f%s(), %s)\\n' $n $n > tests/test_ac_b_1_$n.py; done";

/// One command: seconds of processor time, its own time, and what it said.
struct Took {
    processor: f64,
    wall: Duration,
    said: String,
}

pub fn measure() -> Vec<Row> {
    let (mut quick, mut complete, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let (mut plains, mut runs, mut line) = (Vec::new(), Vec::new(), String::new());
    // By turns, because the machine is somebody else's too.
    for _ in 0..TIMES {
        let plain = plain();
        let [off, first, full] = ["off", "quick", "full"].map(run);
        quick.push((first.processor - off.processor) / plain.processor);
        complete.push((full.processor - off.processor) / plain.processor);
        whole.push(full.wall.as_secs_f64() / plain.wall.as_secs_f64());
        plains.push(plain.wall);
        runs.push(full.wall);
        line = whole_runs_in(&full.said).1;
    }
    let [over_quick, over_full, over_plain] = [quick, complete, whole].map(|mut ratios| {
        ratios.sort_by(f64::total_cmp);
        ratios[TIMES / 2]
    });
    let seconds = |times: Vec<Duration>| median(times).as_secs_f64();
    let times = format!("{:.2} s over {:.2} s; {line}", seconds(runs), seconds(plains));
    let row = |what: &str, measured: f64, bound: f64, note: String| Row {
        what: format!("proof: {what}"),
        figure: Figure::Growth { measured, bound },
        note: format!("median of {TIMES}; {note}"),
    };
    let processor = || "processor time of a run with it, less one without".to_owned();
    vec![
        row("quick, over a run of the suite", over_quick, FIRST, processor()),
        row("full, two kinds of stub, over a run of the suite", over_full, FULL, processor()),
        row("whole run of 3 criteria over a run of the suite", over_plain, WHOLE, times),
    ]
}

fn project() -> Project {
    Project::scripted(CRITERIA, TEST, FILES)
}

fn plain() -> Took {
    let project = project();
    took(&project, &["sh", "-c", TEST])
}

fn run(proof: &str) -> Took {
    let project = project();
    let cassette = project.cassette(RED, NEXT_FUNCTION, ":");
    let argv =
        [env!("CARGO_BIN_EXE_tdd"), "B-1", "--proof", proof, "--cassette", &cassette.to_string_lossy()];
    took(&project, &argv)
}

fn took(project: &Project, argv: &[&str]) -> Took {
    let began = Instant::now();
    let (processor, said) = project.processor_time(argv);
    Took { processor, wall: began.elapsed(), said }
}
