//! `tdd wait`: until a run's process has ended; then what the run came to, by the run's own exit code
//! (contract section 2). Exit 75 if it is still at work when the time is up.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use super::detach::SAID;
use super::fix;
use super::run::execute;
use crate::cli::detach::WaitArgs;
use crate::commands::runs::chosen;
use crate::commands::runs::headline;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::driver::flags::Flags;
use crate::exit::Exit;
use crate::settings::{Beside, OutputMode};
use crate::text::object::{AtWork, Content, CutOff};
use crate::view::print;
use crate::world::lock;
use tdd_child::clock::SystemClock;
use tdd_child::growth::{self, Waiting};
use tdd_child::regular_file;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::harmless;
use tdd_core::ports::Clock as _;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::amount::duration_ms;

/// Of a run that is still at work: as in sysexits, "try again".
pub const STILL_AT_WORK: u8 = 75;
/// How long nobody looks whether the process is there, while its journal does not grow.
const PATIENCE: Duration = Duration::from_millis(200);
/// Lines of what a run said last before it was cut off.
const LAST_LINES: usize = 8;
/// Bytes of what it said.
const MOST_SAID: u64 = 1 << 20;

pub fn run(args: &WaitArgs) -> Result<ExitCode, Trouble> {
    let timeout = args.timeout.as_deref().map(timeout).transpose()?;
    let repository = chosen::repository()?;
    let run = chosen::chosen_run(&repository, args.run.as_deref())?;
    let output = if args.json.is_some() { OutputMode::Json(Beside::Nothing) } else { OutputMode::Progress };
    if is_at_work_after(&repository, &run, timeout) {
        still_at_work(&repository, &run, output)?;
        return Ok(ExitCode::from(STILL_AT_WORK));
    }
    let (told, _) = Journalled::read(&run)?;
    let status = RunStatus::of(&repository, &run, &told);
    if let RunStatus::CutOff | RunStatus::NotBegun { .. } = status {
        cut_off(&run, &status, output);
        return Ok(ExitCode::from(Exit::Paused.code()));
    }
    let past = status.is_past() || matches!(status, RunStatus::HalfUndone { .. });
    if past && !told.has_ended() && !told.is_suspended() {
        return Err(past_before_its_end(&run, &told, &status));
    }
    let exit = match &told {
        Journalled::Cycle(state) => {
            let back = run_status::back_before(&repository, &run.id);
            execute::closing(state, &run.path, output, (&Flags::default(), back))?
        }
        Journalled::Fix(fix) => fix::closing(fix, &run.path, output, &Flags::default())?,
    };
    if let Exit::SetUp = exit {
        print::message(&format!("tdd: {} ended before any work was done{}", run.id, last_words(&run)));
    }
    if let Some(since) = status.since_it_ended(&run.id) {
        print::message(&since);
    }
    Ok(ExitCode::from(exit.code()))
}

/// A run that came to no end, and that nobody goes on with: it was taken back, say.
fn past_before_its_end(run: &RunDir, told: &Journalled, status: &RunStatus) -> Trouble {
    let next = status.advice(&run.id).unwrap_or_else(|| format!("`tdd status {}` tells of it", run.id));
    Trouble::user(format!("{} came to no end, and nothing goes on with it", run.id))
        .because(headline::headline(told, status))
        .advise(next)
}

fn timeout(text: &str) -> Result<Duration, Trouble> {
    // A look, and no wait.
    let none = matches!(text.trim(), "0" | "0s").then_some(0);
    none.or_else(|| duration_ms(text)).map(Duration::from_millis).ok_or_else(|| {
        Trouble::user(format!("--timeout: `{}` is no duration", harmless::line(text)))
            .advise("write a number with its unit, for example 90s or 10m")
    })
}

/// Whether a process still works on the run when the time is up.
fn is_at_work_after(repository: &Path, run: &RunDir, timeout: Option<Duration>) -> bool {
    let clock = SystemClock::default();
    let until = timeout.map(|timeout| clock.now_ms().saturating_add(millis(timeout)));
    let (events, mut waiting) = (run.path.join(run_folder::EVENTS), Waiting::new());
    loop {
        let length = growth::length(&events);
        if !lock::is_at_work(repository, &run.id) {
            return false;
        }
        let left =
            until.map_or(PATIENCE, |until| Duration::from_millis(until.saturating_sub(clock.now_ms())));
        if left.is_zero() {
            return true;
        }
        waiting.wait(&events, length, left.min(PATIENCE));
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn still_at_work(repository: &Path, run: &RunDir, output: OutputMode) -> Result<(), Trouble> {
    let again = format!("tdd wait {}", run.id);
    let (told, _) = Journalled::read(run)?;
    let state = headline::headline(&told, &RunStatus::of(repository, run, &told));
    if output.is_json() {
        let at_work = AtWork { run: run.id.clone(), state, wait: again };
        print::result(&Content::AtWork(at_work).last(STILL_AT_WORK));
    } else {
        print::result(&format!("{}  {state}\n  wait again: {again}\n", run.id));
    }
    Ok(())
}

/// Its process has gone without a word in the journal: killed, or ended by a trouble that it has printed.
fn cut_off(run: &RunDir, status: &RunStatus, output: OutputMode) {
    let resume = format!("tdd resume {}", run.id);
    if output.is_json() {
        let cut_off = CutOff { run: run.id.clone(), state: status.name().map(str::to_owned), resume };
        print::result(&Content::CutOff(cut_off).last(Exit::Paused.code()));
        return;
    }
    print::message(&format!(
        "tdd: {} was cut off: its process is gone, and its journal tells no end\n  go on: {resume}{}",
        run.id,
        last_words(run)
    ));
}

/// What a detached run printed last.
fn last_words(run: &RunDir) -> String {
    let said = regular_file::open(&run.path.join(SAID))
        .and_then(|file| regular_file::head_of(file, MOST_SAID))
        .unwrap_or_default();
    let said = harmless::lines(&String::from_utf8_lossy(&said));
    let lines: Vec<&str> = said.lines().collect();
    let mut text = String::new();
    for (index, line) in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)).enumerate() {
        let _ = write!(text, "{}    {line}", if index == 0 { "\n  what it said last:\n" } else { "\n" });
    }
    text
}
