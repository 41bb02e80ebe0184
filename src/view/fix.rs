//! A run of `tdd fix` as plain lines on stderr, or as one JSON object a line on stdout. It has no
//! live display: there is no row of criteria to draw.

use std::io::Write;

use super::lines::{note, write_line};
use super::tell::{Line, Tone};
use super::{Both, Detail, Mode, json};
use crate::text::{fix_report, usage_words};
use tdd_core::attempt::{AgentEnd, AgentReturn};
use tdd_core::audience::{Audience, News};
use tdd_core::event::{Event, Leaked};
use tdd_core::fix::{FixFindings, FixPhase, FixStarted, FixState};
use tdd_core::harmless;
use tdd_core::usage::Usage;

/// Complaints and paths that are shown one by one.
const SHOWN: usize = 5;

/// The audience for a mode.
pub fn audience(mode: Mode) -> Box<dyn Audience<FixState>> {
    match mode {
        Mode::Quiet => Box::new(Silence),
        Mode::Json(None) => Box::new(Json { out: std::io::stdout(), aside: anstream::stderr() }),
        Mode::Json(Some(detail)) => Box::new(Both(
            Json { out: std::io::stdout(), aside: std::io::sink() },
            Lines { out: anstream::stderr(), detail },
        )),
        Mode::Lines(detail) | Mode::Live(_, detail) => Box::new(Lines { out: anstream::stderr(), detail }),
    }
}

struct Silence;

impl Audience<FixState> for Silence {
    fn event(&mut self, _state: &FixState, _event: &Event, _ts_ms: u64) {}

    fn news(&mut self, _news: &News) {}
}

struct Json<W, A> {
    out: W,
    aside: A,
}

impl<W: Write, A: Write> Audience<FixState> for Json<W, A> {
    fn event(&mut self, _state: &FixState, event: &Event, ts_ms: u64) {
        let whole = format!("{}\n", json::line(event, ts_ms));
        let _ = self.out.write_all(whole.as_bytes()).and_then(|()| self.out.flush());
    }

    fn news(&mut self, news: &News) {
        if let News::Note(text) = news {
            note(&mut self.aside, text);
        }
    }
}

struct Lines<W> {
    out: W,
    detail: Detail,
}

impl<W: Write> Audience<FixState> for Lines<W> {
    fn event(&mut self, state: &FixState, event: &Event, _ts_ms: u64) {
        if self.detail == Detail::Brief && is_a_step(event) {
            return;
        }
        for line in tell(state, event) {
            write_line(&mut self.out, &line);
        }
    }

    fn news(&mut self, news: &News) {
        match news {
            News::Running { what, command } if self.detail == Detail::Full => {
                write_line(&mut self.out, &line(Tone::Dim, &format!("  runs {what}: {command}")));
            }
            News::Note(text) => note(&mut self.out, text),
            News::Running { .. }
            | News::ChildLine { .. }
            | News::Turns { .. }
            | News::Bounds { .. }
            | News::Tick { .. } => {}
        }
    }
}

/// What `--verbose` alone tells.
fn is_a_step(event: &Event) -> bool {
    if let Event::AgentReturned { outcome, .. } = event {
        let is_well = matches!(outcome.end, AgentEnd::Exited(exit) if exit.is_success());
        return is_well && outcome.message.is_some();
    }
    matches!(event, Event::Used { .. } | Event::Denied { .. })
}

/// The lines that an event is worth.
fn tell(state: &FixState, event: &Event) -> Vec<Line> {
    match event {
        Event::FixStarted(run) => opening(run),
        Event::Isolated { isolation } => vec![line(Tone::Plain, &format!("isolation: {isolation}"))],
        Event::FixMeasured { findings, .. } => measured(state, findings),
        Event::AttemptStarted { attempt } => {
            let (number, of) = (attempt.number, state.run.retries);
            vec![line(Tone::Heading, &format!("fixer, attempt {number} of {of} ({})", state.run.agent))]
        }
        Event::AgentReturned { outcome, .. } => vec![returned(outcome)],
        Event::Used { used } if used.usage != Usage::default() => {
            vec![line(Tone::Dim, &format!("  used {}", usage_words::usage(&used.usage)))]
        }
        Event::WorkRolledBack { kept_as, .. } => {
            let brief = kept_as.0.get(..12).unwrap_or(&kept_as.0);
            vec![line(Tone::Bad, &format!("  worse than before: taken back, kept as {brief}"))]
        }
        Event::Restored { what } | Event::Denied { what } | Event::Glimpsed { what } => {
            what.iter().take(SHOWN).map(|what| line(Tone::Bad, &format!("  {what}"))).collect()
        }
        Event::Leaked { processes } => {
            let words = |one: &Leaked| format!("  left running, ended: {}", one.command);
            processes.iter().take(SHOWN).map(|one| line(Tone::Dim, &words(one))).collect()
        }
        Event::Refused { why } => vec![line(Tone::Bad, &format!("refused: {why}; the tree is as it was"))],
        Event::CheckpointZero { .. }
        | Event::PolicySettled { .. }
        | Event::Unknown { .. }
        | Event::Edited { .. }
        | Event::Undone { .. }
        | Event::Used { .. }
        | Event::Worked { .. }
        | Event::TreeSeen { .. }
        | Event::Halted { .. }
        | Event::Finished { .. }
        | Event::Paused { .. }
        | Event::Stopped { .. }
        | Event::RunStarted(_)
        | Event::BaselineMeasured { .. }
        | Event::AttemptMeasured { .. }
        | Event::WorkKept { .. }
        | Event::GateMeasured { .. }
        | Event::Proved { .. }
        | Event::HeldOut { .. }
        | Event::MdtestHeard { .. }
        | Event::Capped { .. }
        | Event::Resumed
        | Event::AttemptCut { .. }
        | Event::WorkTaken { .. }
        | Event::Decided { .. }
        | Event::Rechecked { .. }
        | Event::TestRun(_)
        | Event::Session(_)
        | Event::EditClaim { .. } => Vec::new(),
    }
}

fn opening(run: &FixStarted) -> Vec<Line> {
    let checks = run.checks.iter().map(|check| {
        let kind = fix_report::kind(check.kind);
        line(Tone::Plain, &format!("check: `{}` ({}), {kind}", check.command, check.source))
    });
    let rest = [
        line(Tone::Plain, &format!("agent: {}, asked {} times at most", run.agent, run.retries)),
        line(Tone::Plain, &format!("run: {}", run.run)),
    ];
    checks.chain(rest).collect()
}

fn returned(outcome: &AgentReturn) -> Line {
    let end = match outcome.end {
        AgentEnd::Exited(exit) if exit.is_success() => "ended".to_owned(),
        AgentEnd::Exited(exit) => format!("ended, {exit}"),
        AgentEnd::Exhausted(what) => format!("stopped: {what}"),
    };
    let said = if outcome.message.is_some() { "" } else { "; it said nothing" };
    let seconds = outcome.duration_ms / 1000;
    line(Tone::Plain, &format!("  agent {end} after {seconds} s{said}"))
}

fn measured(state: &FixState, findings: &FixFindings) -> Vec<Line> {
    let mut lines = Vec::new();
    for check in &findings.checks {
        let command = harmless::short(&check.run.command, 120);
        if check.is_green() {
            lines.push(line(Tone::Good, &format!("  green: {command}")));
            continue;
        }
        lines.push(line(Tone::Bad, &format!("  red: {command}, failures: {}", check.failures)));
        lines.extend(check.unloaded.iter().map(|why| line(Tone::Dim, &format!("    {why}"))));
        let shown = check.complaints.iter().take(SHOWN);
        lines.extend(shown.map(|one| line(Tone::Dim, &format!("    {}", first_line(&one.text)))));
    }
    let faults = findings.faults().into_iter().take(SHOWN);
    lines.extend(faults.map(|(fault, path)| line(Tone::Bad, &format!("  {}: {path}", fault.words()))));
    let lost = if state.phase == FixPhase::Finishing { Vec::new() } else { state.lost(findings) };
    lines.extend(lost.iter().take(SHOWN).map(|id| line(Tone::Bad, &format!("  was green: {id}"))));
    lines
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn line(tone: Tone, text: &str) -> Line {
    Line { tone, text: harmless::short(text, 400) }
}
