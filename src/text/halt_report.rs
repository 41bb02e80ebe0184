//! The halt report, as text and as JSON (contract section 10).
//!
//! Both forms are written from one value, so that they can't tell different stories. The
//! order of its fields is the order of section 10. Every word that a child, a runner or a file
//! name brought in is made harmless before it is shown; nothing is left out because of it, the
//! named files hold all.

mod false_red;
mod full;
pub mod json;
mod limit;
mod next_step;
mod next_steps;
mod over;
mod pace;
mod page;
mod review;

pub use next_step::NextStep;
pub use next_steps::{is_mended_by_hand, next_steps};
pub use pace::is_of_remarks;
pub use review::{Advice, Review, about, review};

use self::limit::Limit;
use tdd_core::attempt::{AgentEnd, CheckpointId};
use tdd_core::cause::{self, Cause, Left, Place};
use tdd_core::claim::Claim;
use tdd_core::counted::and_more;
use tdd_core::criterion::CriterionId;
use tdd_core::excerpt;
use tdd_core::finding::{Change, RunRef, VacuousAssertion};
use tdd_core::halt::Halt;
use tdd_core::harmless;
use tdd_core::isolation::Reach;
use tdd_core::judge::Verdict;
use tdd_core::mode::Mode;
use tdd_core::path::RelPath;
use tdd_core::state::{Entry, Ledger, Progress, State, Unclaimed};
use tdd_spec::strict::line::line_of;

/// How many lines of a run's output are shown, around the failure.
const EVIDENCE_LINES: usize = 40;
/// How many lines of raw child output are shown when there is no block.
const RAW_LINES: usize = 60;
/// How wide a quoted line may be.
const LINE_WIDTH: usize = 500;
/// Where a project's settings stand.
const SETTINGS: &str = "tdd.yaml";
/// How many paths or reasons are listed one by one.
const LISTED: usize = 50;

/// What the state does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each fact")]
pub struct HaltFacts {
    /// The folder of the run: journal, logs, side files.
    pub run_dir: String,
    /// The repository's absolute path.
    pub root: String,
    /// What differs between the last good checkpoint and the failed work, by-products left out.
    pub changed: Vec<Change>,
    /// Where the failed work is by now.
    pub work: Work,
    /// Whether the files are not those of the last good work any more, or the requirement is another one.
    pub is_edited: bool,
    /// Whether all that it changed are comments and blank lines.
    pub remarks_alone: bool,
    /// Protected files that the last attempt touched; they were put back.
    pub touched: Vec<RelPath>,
    /// Those of them that decide how tests or the gate run, and that a requirement may allow.
    pub allowable: Vec<RelPath>,
    /// The last lines of what the child printed, noise removed; shown when it gave no block.
    pub raw_tail: String,
    /// What a command that goes on with the run must repeat: ` --cassette FILE`, or nothing.
    pub resume_with: String,
    /// Whether a later run has worked since: going back to before this one would take that back too.
    pub is_followed: bool,
    /// Whether the last two failed attempts left the same files.
    pub repeats: bool,
    /// The line of `tdd.yaml` with the limit that stopped the attempt.
    pub setting_line: Option<u32>,
    /// What children may reach, where anything is prevented.
    pub fences: Option<Reach>,
    /// Where the failed work first differs from the last good one; asked of a refactorer's halt alone.
    pub first_change: Option<Place>,
}

impl HaltFacts {
    fn left(&self) -> Left {
        match (self.changed.is_empty(), self.remarks_alone) {
            (true, _) => Left::Nothing,
            (false, true) => Left::Remarks,
            (false, false) => Left::Work,
        }
    }
}

/// Where the work of a failed attempt is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Work {
    /// In git alone; the tree holds the last good work.
    #[default]
    Kept,
    /// Somebody brought it back into the tree.
    InTree,
    /// These files of it are neither as it left them nor as the last good work has them.
    Edited(Vec<RelPath>),
}

/// Where a patch changes something first, as the file is after it.
pub fn first_change(patch: &str) -> Option<Place> {
    let (mut file, mut at) = (None, None);
    for line in patch.lines() {
        if let Some(line_of_hunk) = at {
            if line.starts_with(['+', '-']) {
                return Some(Place { file: file?, line: line_of_hunk });
            }
            at = Some(line_of_hunk + 1);
        } else if let Some(name) = line.strip_prefix("--- a/").or(line.strip_prefix("+++ b/")) {
            file = Some(name.trim_end().to_owned());
        } else if let Some(hunk) = line.strip_prefix("@@ -") {
            let (_, after) = hunk.split_once(" +")?;
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            at = Some(after[..digits].parse::<u32>().ok()?.max(1));
        }
    }
    None
}

/// The line of `tdd.yaml` with the limit that this halt is for, if it stands there.
pub fn setting_line(state: &State, halt: &Halt, settings: &str) -> Option<u32> {
    line_of(settings, Limit::of(state, halt)?.keys()?)
}

/// The cause of a halt in one sentence.
pub fn cause_of(state: &State, halt: &Halt) -> String {
    let last = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last());
    let failed = last.and_then(|entry| entry.kept_as.as_ref());
    let left = if failed == state.good.as_ref() { Left::Nothing } else { Left::Work };
    cause(state, halt, left, "").sentence
}

fn cause(state: &State, halt: &Halt, left: Left, root: &str) -> Cause {
    let last = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last());
    let runs = last.map_or(&[][..], |entry| &entry.runs);
    let stopped = Limit::of(state, halt).map(|limit| limit.stopped(left));
    let stopped = stopped.or_else(|| over::stopped(state, halt, left));
    let cause = cause::of_stopped(&halt.key, &halt.verdict, stopped.as_ref(), (runs, root));
    match built_before(state, halt) {
        Some(sentence) => Cause { sentence, ..cause },
        None => cause,
    }
}

/// Of a requirement whose tests were there: how a test's file is named helps nobody.
fn built_before(state: &State, halt: &Halt) -> Option<String> {
    let Verdict::Failed(fault) = &halt.verdict else { return None };
    let is_it = fault.mode == Mode::A && false_red::is_built_before(state, &fault.reasons);
    let built = false_red::built_before(state, &fault.reasons);
    let named =
        built.iter().map(|(id, test)| format!("{id} has no new test, and {test} was green before the run"));
    is_it.then(|| named.collect::<Vec<_>>().join("; "))
}

/// The report for a person.
pub fn text(state: &State, halt: &Halt, facts: &HaltFacts) -> String {
    Report::new(state, halt, facts).text()
}

/// The same content for a machine: `halt.json`.
pub fn object(state: &State, halt: &Halt, facts: &HaltFacts) -> json::HaltReport {
    Report::new(state, halt, facts).object()
}

/// The first of these paths, and how many come behind them.
fn few(paths: &[RelPath]) -> String {
    const NAMED: usize = 2;
    let named = paths.iter().take(NAMED).map(|path| harmless::line(path.as_str())).collect::<Vec<_>>();
    named.join(", ") + &and_more(paths.len().saturating_sub(NAMED))
}

struct Report<'a> {
    state: &'a State,
    halt: &'a Halt,
    facts: &'a HaltFacts,
    ledger: Option<&'a Ledger>,
    last: Option<&'a Entry>,
    next: Vec<NextStep>,
    cause: Cause,
}

impl<'a> Report<'a> {
    fn new(state: &'a State, halt: &'a Halt, facts: &'a HaltFacts) -> Self {
        let ledger = state.ledgers.get(&halt.key);
        let last = ledger.and_then(|ledger| ledger.entries.last());
        let mut next = next_steps(state, halt, facts);
        next.retain(|step| !(facts.is_followed && step.goes_before(state)));
        for step in next.iter_mut().filter(|step| step.starts_agents()) {
            step.command.push_str(&facts.resume_with);
        }
        let mut cause = cause(state, halt, facts.left(), &facts.root);
        let setting = || facts.setting_line.map(|line| Place { file: SETTINGS.to_owned(), line });
        // An old test that fails by it is as it was; what was changed is to be looked at.
        let changed = facts.first_change.clone().filter(|_| review::is_about_the_change(halt));
        cause.place = changed.or(cause.place).or_else(setting);
        Self { state, halt, facts, ledger, last, next, cause }
    }

    fn headline(&self) -> String {
        let requirement = harmless::line(&self.state.run.requirement.id);
        let how = match &self.halt.verdict {
            Verdict::Disputed(_) => "disputed",
            Verdict::Failed(_) | Verdict::Passed => "halted",
        };
        let stage = self.halt.key.stage();
        let of = self.halt.key.criterion().map(|id| format!(" of {id}")).unwrap_or_default();
        format!("tdd {how}: {requirement}, {stage}{of}: {}", self.cause_line())
    }

    /// The one sentence that a person reads first and last.
    fn cause_line(&self) -> String {
        harmless::short(&self.cause.sentence, LINE_WIDTH)
    }

    /// Where to look first. What the failed attempt wrote is not in the tree any more.
    fn look_at(&self, place: &Place) -> String {
        let project = &self.state.run.project;
        let is_it = |path: &RelPath| {
            let rest = path.as_str().strip_suffix(place.file.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_suffix('/') == Some(project))
        };
        let is_of_failed =
            self.facts.work == Work::Kept && self.facts.changed.iter().any(|change| is_it(&change.path));
        let of = if is_of_failed { " (of the failed work)" } else { "" };
        format!("look at: {}{of}", harmless::line(&place.to_string()))
    }

    /// What is most likely wanted; the first of what can be done.
    fn recommended(&self) -> Option<&NextStep> {
        self.next.first()
    }

    /// Lines of a run's output around the failure.
    fn evidence(&self, run: &RunRef) -> (std::ops::Range<usize>, Vec<String>) {
        let lines: Vec<String> =
            harmless::lines(&run.output).lines().map(|line| harmless::short(line, LINE_WIDTH)).collect();
        let end = lines.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
        let range = excerpt::around(&lines[..end], &self.anchors(), EVIDENCE_LINES);
        (range.clone(), lines[range].to_vec())
    }

    /// Words of the output around which evidence is cut, as they are shown.
    fn anchors(&self) -> Vec<String> {
        self.cause.anchors.iter().map(|anchor| harmless::line(anchor)).collect()
    }

    /// The letter of the mode, its description, and each reason as one line.
    fn failure(&self) -> (Option<String>, String, Vec<String>) {
        match &self.halt.verdict {
            Verdict::Failed(fault) => {
                let reasons =
                    fault.reasons.iter().map(|reason| harmless::short(&reason.to_string(), LINE_WIDTH));
                (Some(fault.mode.to_string()), fault.mode.description().to_owned(), reasons.collect())
            }
            Verdict::Disputed(dispute) => {
                let said = format!("the role says: {}", harmless::short(&dispute.reason, LINE_WIDTH));
                let tests = dispute
                    .tests
                    .iter()
                    .map(|id| format!("disputed test: {}", harmless::short(id, LINE_WIDTH)));
                let what = "dispute: the role says that a test is wrong; the operator decides".to_owned();
                (None, what, std::iter::once(said).chain(tests).collect())
            }
            Verdict::Passed => (None, "no failure is recorded".to_owned(), Vec::new()),
        }
    }

    /// Failed attempts and the bound of each budget. A format violation may be mended `bounds.format`
    /// times, so one more than that ends the run.
    fn attempts(&self) -> [(u8, u8); 2] {
        let spent = self.ledger.map(|ledger| ledger.spent).unwrap_or_default();
        let bounds = self.state.run.plan.bounds;
        [(spent.semantic, bounds.semantic), (spent.format, bounds.format.saturating_add(1))]
    }

    /// Which attempt of its budget this was, and how many it has.
    fn nth(&self) -> [usize; 2] {
        let number = self.last.map_or(0, |entry| entry.attempt.number);
        let nth = self.ledger.map_or(1, |ledger| ledger.nth(number));
        [nth, usize::from(self.state.run.plan.bounds.semantic).max(nth)]
    }

    fn attempts_line(&self) -> String {
        let [nth, of] = self.nth();
        let [(failed, _), (violations, end)] = self.attempts();
        let retries = end.saturating_sub(1);
        let used = violations.min(retries);
        let earlier = match self.ledger.map_or(0, |ledger| ledger.fresh_from.min(ledger.entries.len())) {
            0 => String::new(),
            more => format!("; agents before them, on budgets that were used up: {more}"),
        };
        format!(
            "attempts: {nth} of {of}, judged and failed: {failed}; asked for its result block again: {used} of \
             {retries}{earlier}"
        )
    }

    /// What the last two attempts have in common, if they left the same.
    fn sameness(&self) -> Option<&'static str> {
        self.facts.repeats.then_some("the last two attempts left the same files, byte for byte")
    }

    /// What the agent was at when its deadline passed.
    fn pace(&self) -> Option<String> {
        Limit::of(self.state, self.halt)?.pace(self.facts.left())
    }

    /// How far the run came, and what the files are now: all that is lost is the last attempt.
    fn state_of_work(&self) -> [String; 2] {
        let of = |wanted: &[Progress]| -> Vec<String> {
            let criteria = self.state.run.plan.criteria.iter();
            let has = |id: &&CriterionId| self.state.progress.get(*id).is_some_and(|is| wanted.contains(is));
            criteria.filter(has).map(ToString::to_string).collect()
        };
        let or_none = |ids: Vec<String>| if ids.is_empty() { "none".to_owned() } else { ids.join(", ") };
        let green = or_none(of(&[Progress::Green, Progress::AlreadyGreen, Progress::Unverified]));
        let red = or_none(of(&[Progress::Red, Progress::Pending]));
        let files = match &self.facts.work {
            Work::InTree => "with the failed work, which was brought back".to_owned(),
            Work::Edited(paths) => format!("edited since the halt: {}", few(paths)),
            Work::Kept if self.state.good == self.state.facts.zero => {
                "as they were before the run".to_owned()
            }
            Work::Kept => {
                "those of the last good work; nothing of the failed attempt is among them".to_owned()
            }
        };
        [format!("criteria done: {green}; not done: {red}"), format!("your files now: {files}")]
    }

    fn forks(&self) -> usize {
        self.ledger.map_or(0, |ledger| ledger.entries.len())
    }

    fn claim(&self) -> Option<&'a Claim> {
        self.last?.outcome.as_ref()?.claim.as_ref().ok()
    }

    fn log(&self) -> Option<&'a str> {
        Some(self.last?.outcome.as_ref()?.log.as_str())
    }

    fn end(&self) -> String {
        match self.last.and_then(|entry| entry.outcome.as_ref()).map(|outcome| outcome.end) {
            Some(AgentEnd::Exited(exit)) => format!("the agent ended by itself, {exit}"),
            Some(AgentEnd::Exhausted(what)) => format!("the agent was stopped: {what}"),
            None => "the agent's end is not recorded".to_owned(),
        }
    }

    /// The run that shows the failure: the one that the cause was seen in, else the last one that did
    /// not succeed, else the last.
    fn run(&self) -> Option<&'a RunRef> {
        let runs = &self.last?.runs;
        let shows = |run: &&RunRef| {
            self.cause.test.is_some() && run.failed.iter().any(|item| item.test == self.cause.test)
        };
        let red = || runs.iter().rev().find(|run| !run.exit.is_success());
        runs.iter().rev().find(shows).or_else(red).or_else(|| runs.last())
    }

    fn failed_work(&self) -> Option<&'a CheckpointId> {
        self.last?.kept_as.as_ref()
    }

    fn vacuous(&self) -> impl Iterator<Item = &'a VacuousAssertion> {
        self.state.red.iter().flat_map(|red| &red.vacuous)
    }

    /// Work that measures as passed, or that nobody has measured, though no valid block came with it.
    fn unclaimed(&self) -> Option<&'a Unclaimed> {
        self.state.takeable(self.halt)
    }

    fn checkpoints(&self) -> [(&'static str, Option<&'a CheckpointId>); 3] {
        [
            ("before the run", self.state.facts.zero.as_ref()),
            ("last good work", self.state.good.as_ref()),
            ("the failed work", self.failed_work()),
        ]
    }
}
