//! What a person who looks waits for: a report and a review of a run of 300 attempts, a key in it; and what the
//! live display takes of a processor while an agent talks.

use std::io::{Read, Write};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::project::Project;
use super::table::{Figure, Row, median, ms};

const CRITERIA: usize = 150;
const TIMES: usize = 5;
const MOST: Duration = Duration::from_mins(1);
/// How long the display is looked at while its agent talks.
const LOOKS: Duration = Duration::from_secs(20);

/// Each criterion takes two attempts, and the last one fails for good.
const HALTS: &str = r#"
role=$1 criterion=$2
printf 'agent %s %s\n' "$role" "$criterion" >> "$BENCH_CALLS"
i=0; while [ $i -lt 40 ]; do echo "line $i of what $role says of $criterion"; i=$((i + 1)); done
case $role in
test-writer)
    i=1 files=
    while [ $i -le "$BENCH_CRITERIA" ]; do
        echo "expects impl_$i" > "checks/ac_b_1_$i.t"
        files="$files, checks/ac_b_1_$i.t" i=$((i + 1))
    done
    files=${files#, } ;;
*)
    number=${criterion##*.}
    tries=$(grep -c "^agent implementer $criterion\$" "$BENCH_CALLS")
    files=src/impl_$number.txt
    if [ "$tries" -eq 1 ] || [ "$number" -eq "$BENCH_CRITERIA" ]; then files=src/wrong_$number.txt; fi
    i=0; while [ $i -lt 30 ]; do echo "line $i of criterion $number"; i=$((i + 1)); done > "$files" ;;
esac
printf 'Done.\n```tdd-result\nrole: %s\nstatus: ok\nfiles: [%s]\ncommand: sh run.sh\noutput_excerpt: |\n  x\n```\n' "$role" "$files"
"#;

/// Talks ten times a second for as long as it is let.
const TALKS: &str = r#"
i=0; while [ $i -lt 100000 ]; do echo "line $i of many that an agent prints while it works on its task"; i=$((i + 1)); sleep 0.1; done
"#;

pub fn measure() -> Vec<Row> {
    let mut rows = looked_back_at();
    rows.push(live());
    rows
}

fn looked_back_at() -> Vec<Row> {
    let project = Project::with_agent(CRITERIA, 50, HALTS, "");
    let ended = project.tdd().output().unwrap();
    assert_eq!(ended.status.code(), Some(1), "it halts: {}", String::from_utf8_lossy(&ended.stderr));
    let attempts = std::fs::read_to_string(project.calls()).unwrap();
    let attempts = attempts.lines().filter(|line| line.starts_with("agent ")).count();
    let file = project.beside("report.html");
    let times: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let mut command = project.command(env!("CARGO_BIN_EXE_tdd"));
            command.args(["report", "--out"]).arg(&file);
            let began = Instant::now();
            assert!(command.output().unwrap().status.success());
            began.elapsed()
        })
        .collect();
    let bytes = usize::try_from(std::fs::metadata(&file).unwrap().len()).unwrap();
    let (mut firsts, mut keys, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let mut command = project.command(env!("CARGO_BIN_EXE_tdd"));
        command.arg("review");
        let mut seat = Seat::take(&command);
        firsts.push(seat.until("q leave"));
        for times in [&mut read, &mut keys] {
            for (key, words) in
                [("c", "specs/frs/B-1.md"), ("t", "expects impl_150"), ("d", "of criterion 150")]
            {
                times.push(seat.press(key, words));
            }
        }
        seat.press("q", "");
    }
    let note = |what: &str| format!("median of {TIMES}; {attempts} attempts{what}");
    vec![
        Row {
            what: "report of a run of 300 attempts".to_owned(),
            figure: Figure::Time { measured: median(times), bound: Duration::from_secs(1) },
            note: note(""),
        },
        Row {
            what: "bytes of that report".to_owned(),
            figure: Figure::Count { measured: bytes, bound: 3_000_000 },
            note: note(""),
        },
        Row {
            what: "review of that run: first screen".to_owned(),
            figure: Figure::Time { measured: median(firsts), bound: Duration::from_millis(100) },
            note: note(", from the start of the program"),
        },
        Row {
            what: "review of that run: key to screen".to_owned(),
            figure: Figure::Time { measured: median(keys), bound: Duration::from_millis(16) },
            note: note(&format!("; a sheet that is read first {}", ms(median(read)))),
        },
    ]
}

fn live() -> Row {
    let project = Project::with_agent(1, 5, TALKS, "");
    let mut command = project.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("B-1");
    let mut seat = Seat::take(&command);
    seat.until("line 1");
    let (before, began) = (seat.processor_ms(), Instant::now());
    std::thread::sleep(LOOKS);
    let spent = seat.processor_ms() - before;
    let share = 100.0 * spent / (began.elapsed().as_secs_f64() * 1000.0);
    seat.type_in("\x03");
    Row {
        what: "live display: percent of a processor".to_owned(),
        figure: Figure::Growth { measured: share, bound: 2.0 },
        note: format!("of {} s in which the agent prints ten lines a second", LOOKS.as_secs()),
    }
}

/// A person before a terminal.
struct Seat {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    shown: Arc<(Mutex<vt100::Parser>, Condvar)>,
    began: Instant,
    _master: Box<dyn portable_pty::MasterPty + Send>,
}

impl Seat {
    fn take(inner: &Command) -> Self {
        let size = PtySize { rows: 40, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(inner.get_program());
        command.args(inner.get_args());
        command.cwd(inner.get_current_dir().unwrap());
        command.env_clear();
        for (name, value) in inner.get_envs().filter_map(|(name, value)| Some((name, value?))) {
            command.env(name, value);
        }
        command.env("TERM", "xterm-256color");
        let cells = |count: u16| std::num::NonZero::new(count).unwrap();
        let shown = Arc::new((Mutex::new(vt100::Parser::new(cells(40), cells(100), 0)), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let screen = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut chunk) {
                screen.0.lock().unwrap().process(&chunk[..count]);
                screen.1.notify_all();
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let began = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        Self { child, keyboard, shown, began, _master: pair.master }
    }

    /// How long since the start, or the last key, until these words stand on the screen.
    fn until(&self, words: &str) -> Duration {
        let mut parser = self.shown.0.lock().unwrap();
        while !parser.screen().contents().contains(words) {
            assert!(self.began.elapsed() < MOST, "never `{words}`:\n{}", parser.screen().contents());
            parser = self.shown.1.wait_timeout(parser, Duration::from_millis(100)).unwrap().0;
        }
        self.began.elapsed()
    }

    fn type_in(&mut self, key: &str) {
        self.began = Instant::now();
        self.keyboard.write_all(key.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    fn press(&mut self, key: &str, words: &str) -> Duration {
        self.type_in(key);
        self.until(words)
    }

    /// What the program itself has spent, without its children.
    fn processor_ms(&self) -> f64 {
        let pid = self.child.process_id().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let (_, rest) = stat.rsplit_once(')').unwrap();
        let ticks = rest.split_whitespace().skip(11).take(2).map(|word| word.parse::<f64>().unwrap());
        ticks.sum::<f64>() * 10.0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let end = Instant::now() + MOST;
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
