//! What is printed after a run that went through (contract section 13): what was seen red and
//! green, what changed, what was not verified and why, and the commit that a person may make.
//! `tdd` itself never commits.

use std::collections::BTreeSet;
use std::fmt::Write as _;

mod accepted;
mod commit;
mod copies;
pub mod held_out;
pub mod json;
mod proof;
mod set_aside;
mod unverified;

use super::usage_words;
pub use accepted::red_gate;
pub use commit::UNCLAIMED;
pub use commit::{COMMIT_PATHS, commit_paths, pathspec};
use commit::{changed_lines, commit_command, nameless};
pub use set_aside::{of_git, set_aside};
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::event::{BRINGS_BACK, Refactoring, Runs};
use tdd_core::finding::{ClassedChange, CriterionRed, RedKind};
use tdd_core::halt::Ending;
use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::machine::Machine;
use tdd_core::mode::BudgetKind;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::proof::Stub;
use tdd_core::role::Key;
use tdd_core::state::{Entry, Progress, State};
use tdd_core::test::Canary;
pub(super) use unverified::unverified;

/// How much of anything is listed one by one.
const LISTED: usize = 100;

/// What the state does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryFacts {
    pub run_dir: String,
    /// What differs between checkpoint 0 and the last good checkpoint.
    pub changed: Vec<ClassedChange>,
    /// Those of them whose names hold a secret or are no UTF-8: what is shown of them is no name.
    pub unnamed: BTreeSet<RelPath>,
    /// Those of them that somebody else changed while no child was at work, alone or besides a role.
    pub theirs: BTreeSet<RelPath>,
    /// Those of them that no block of a role names: somebody may have written them meanwhile.
    pub unclaimed: BTreeSet<RelPath>,
    /// Those of them that HEAD's commit has just so: somebody has committed them meanwhile.
    pub committed: BTreeSet<RelPath>,
    /// Folders with changes that are repositories of their own, which git leaves out of a commit.
    pub inner_repositories: Vec<RelPath>,
    /// Criteria that were green by an earlier criterion's work when their turn came.
    pub early_green: Vec<CriterionId>,
    /// The level of isolation and what it does not prevent, as printed when the run began.
    pub isolation: String,
    /// How long the run took, ms.
    pub duration_ms: u64,
    /// What git is in the midst of, and how that ends: until then it takes no commit of single files.
    pub half_merged: Option<String>,
    /// Whether a later run has worked since: going back to before this one would take that back too.
    pub is_followed: bool,
}

/// The summary for a person.
pub fn text(state: &State, ending: Ending, facts: &SummaryFacts) -> String {
    let mut out = Vec::new();
    let requirement = &state.run.requirement;
    let title = requirement.title.as_deref().map(|title| format!(" ({})", harmless::short(title, 100)));
    let id = harmless::line(&requirement.id);
    out.push(format!("tdd: {id}{} is done: {}", title.unwrap_or_default(), ending_words(ending)));
    out.push(String::new());
    out.extend(matrix_lines(&matrix(state, facts)));
    out.push(String::new());
    out.extend(changed_lines(facts));
    out.push(format!("attempts: {}{}", state.forks(), failures(state)));
    out.extend(usage_words::lines(state));
    out.push(format!("took: {} s, {}", facts.duration_ms / 1000, refactor_words(state)));
    out.push(runs_words(state));
    out.extend(state.without_claim().map(|(key, number)| {
        format!("no claim: {key}, attempt {number}: kept on findings alone, no valid block came")
    }));
    out.extend(held_out::lines(state));
    out.extend(proof::lines(state));
    out.extend(evidence(state).into_iter().map(|line| format!("evidence: {line}")));
    out.extend(
        state.notices.iter().map(|notice| format!("look at: {}", harmless::line(&notice.to_string()))),
    );
    for one in &state.facts.leaked {
        out.push(format!("left running, ended: {} ({})", harmless::short(&one.command, 200), one.pid));
    }
    out.extend(left_in_git(&state.facts.left_in_git));
    out.extend(set_aside(&state.facts));
    out.extend(unverified(state).into_iter().map(|(id, why)| format!("not verified: {id}, {why}")));
    if !facts.isolation.is_empty() {
        out.push(format!("isolation: {}", harmless::line(&facts.isolation)));
    }
    out.push(format!("run folder: {}", harmless::line(&facts.run_dir)));
    for inner in &facts.inner_repositories {
        let inner = harmless::line(inner.as_str());
        out.push(format!(
            "look at: {inner} is a repository of its own, so that what changed in it is not in the command \
             below: commit it there, or remove {inner}/.git first"
        ));
    }
    out.extend(accepted::still_there(state, facts));
    out.extend(facts.half_merged.iter().map(|what| format!("look at: {what}")));
    out.extend(commit::committed_already(facts));
    if let Some(command) = commit_command(state, facts) {
        out.push(String::new());
        out.push("nothing was committed; when you are content:".to_owned());
        out.push(format!("  {command}"));
        out.extend(nameless(facts));
        out.extend(commit::of_others(facts));
        if !facts.is_followed {
            out.push("or take it all back:".to_owned());
            out.push(format!("  {}", undo_command(state)));
        }
    }
    out.join("\n") + "\n"
}

/// Before anybody's next git command, which a hook would be run by.
pub(super) fn left_in_git(lines: &[String]) -> impl Iterator<Item = String> {
    let left = lines.iter().filter(|line| !line.contains(BRINGS_BACK));
    left.map(|line| format!("look at, before your next git command: {}", harmless::short(line, 300)))
}

/// One criterion's way from red to green.
struct Row {
    id: CriterionId,
    tests: usize,
    red: Vec<RedKind>,
    progress: Progress,
    forks: usize,
    early: bool,
    by_hand: bool,
    /// By which stub its tests were seen failing in the final proof.
    stub: Option<Stub>,
    /// Nothing that its tests expect was seen failing there, though all was tried.
    asserts_nothing: bool,
}

impl Row {
    fn red_words(&self) -> String {
        if self.red.is_empty() {
            return "no tests asked".to_owned();
        }
        let kinds = self.red.iter().map(|kind| kind.name()).collect::<Vec<_>>().join("+");
        format!("{kinds} ({})", counted(self.tests, "test"))
    }

    fn green_words(&self) -> &'static str {
        match self.progress {
            Progress::Pending => "not worked on",
            Progress::Red => "red",
            Progress::Green if self.by_hand => "green, by hand",
            Progress::Green if self.early => "green, early",
            Progress::Green => "green",
            Progress::AlreadyGreen => "green at baseline",
            Progress::Accepted => "accepted",
            Progress::Unverified => "not verified",
        }
    }

    /// Whose code made it green.
    fn author(&self) -> Option<&'static str> {
        match self.progress {
            Progress::Green if self.by_hand => Some("operator"),
            Progress::Green => Some("agent"),
            Progress::Pending
            | Progress::Red
            | Progress::AlreadyGreen
            | Progress::Accepted
            | Progress::Unverified => None,
        }
    }

    fn seen_failing(&self) -> bool {
        !self.asserts_nothing && (!self.red.contains(&RedKind::Missing) || self.stub.is_some())
    }
}

fn matrix(state: &State, facts: &SummaryFacts) -> Vec<Row> {
    let row = |id: &CriterionId| {
        let found = state.red.as_ref().and_then(|red| red.of(id));
        let tests = found.map(|red| red.tests.as_slice()).unwrap_or_default();
        let kinds: BTreeSet<RedKind> = tests.iter().map(|test| test.kind).collect();
        Row {
            id: id.clone(),
            tests: tests.len(),
            red: kinds.into_iter().collect(),
            progress: state.progress.get(id).copied().unwrap_or(Progress::Pending),
            forks: state.ledgers.get(&Key::Implementer(id.clone())).map_or(0, |ledger| ledger.entries.len()),
            early: facts.early_green.contains(id),
            by_hand: state.by_hand.contains(id),
            stub: proof::seen_by(state, id),
            asserts_nothing: state.asserts_nothing(id),
        }
    };
    state.run.plan.criteria.iter().map(row).collect()
}

fn matrix_lines(rows: &[Row]) -> Vec<String> {
    let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    let reds: Vec<String> = rows.iter().map(Row::red_words).collect();
    let wide = |column: &[String], title: &str| {
        column.iter().map(String::len).chain([title.len()]).max().unwrap_or_default()
    };
    let (first, second) = (wide(&ids, "criterion"), wide(&reds, "seen red"));
    let mut lines = vec![format!("{:first$}  {:second$}  now", "criterion", "seen red")];
    for ((row, id), red) in rows.iter().zip(&ids).zip(&reds) {
        let mut line = format!("{id:first$}  {red:second$}  {}", row.green_words());
        if row.forks > 1 {
            let _ = write!(line, ", {} attempts", row.forks);
        }
        if row.asserts_nothing {
            line.push_str("; assertion never seen failing");
        } else if !row.seen_failing() {
            line.push_str("; seen failing: no (symbol missing)");
        } else if let Some(stub) = row.stub.filter(|_| row.red.contains(&RedKind::Missing)) {
            let _ = write!(line, "; seen failing: yes ({})", stub.words());
        }
        lines.push(line);
    }
    lines
}

fn kept(facts: &SummaryFacts) -> impl Iterator<Item = &ClassedChange> {
    facts.changed.iter().filter(|change| change.class != FileClass::ByProduct)
}

fn failures(state: &State) -> String {
    // Budgets begin anew with an operator's word; what failed before it has failed.
    let failed = |of: BudgetKind| {
        let verdicts =
            state.ledgers.values().flat_map(|ledger| &ledger.entries).filter_map(|one| one.verdict.as_ref());
        verdicts
            .filter(|verdict| matches!(verdict, Verdict::Failed(fault) if fault.mode.budget() == of))
            .count()
    };
    let (semantic, format) = (failed(BudgetKind::Semantic), failed(BudgetKind::Format));
    if semantic + format == 0 {
        return ", none failed".to_owned();
    }
    format!(", {semantic} failed on their work, {format} on their block")
}

/// How often the project's own commands ran.
fn runs_words(state: &State) -> String {
    let Runs { whole, narrowed, gate } = state.facts.runs;
    let gate = if gate == 0 { String::new() } else { format!("; of the gate: {gate}") };
    format!("whole runs of the suite: {whole}, narrowed: {narrowed}{gate}")
}

fn refactor_words(state: &State) -> &'static str {
    match state.run.plan.refactor {
        Refactoring::Once => "REFACTOR is done",
        Refactoring::Off => "REFACTOR was switched off",
    }
}

/// What a reader must know about how strong the evidence is.
pub(super) fn evidence(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    if !tdd_runners::of(state.run.commands.runner).tells_tests {
        lines.push("exit code only: nothing was read test by test".to_owned());
    }
    if let Some(run) = red_gate(state) {
        lines.push(format!(
            "the gate `{}` was red before the run and is red still ({}): it says nothing of this work",
            harmless::line(&state.run.commands.gate),
            run.exit
        ));
    }
    let allowed = state.run.requirement.allow_config.iter().filter(|path| state.worked_on.contains(path));
    let allowed: Vec<String> = allowed.map(|path| harmless::line(path.as_str())).collect();
    if !allowed.is_empty() {
        lines.push(format!(
            "the requirement lets its roles change what decides how tests or the gate run, and they did: {}",
            allowed.join(", ")
        ));
    }
    let criteria = state.red.iter().flat_map(|red| &red.criteria);
    let is_seen = |id| proof::seen_by(state, id).is_some() || state.asserts_nothing(id);
    let is_missing = |red: &&CriterionRed| red.tests.iter().any(|test| test.kind == RedKind::Missing);
    let missing = criteria.filter(is_missing).filter(|red| !is_seen(&red.id)).count();
    if missing > 0 {
        let of = if missing == 1 { "1 criterion".to_owned() } else { format!("{missing} criteria") };
        lines.push(format!(
            "seen failing: no (symbol missing) for {of}: the tests failed because what they ask for did not exist yet, so \
             what they expect was never tried on wrong code; read it before you rely on it"
        ));
    }
    lines.extend(left_out(state));
    for one in state.red.iter().flat_map(|red| &red.moved).take(LISTED) {
        let (test, criterion) = (harmless::line(&one.id.0), &one.criterion);
        lines.push(format!(
            "an existing test was given another example for {criterion}, and passes as before: {test}; see its diff"
        ));
    }
    for vacuous in state.red.iter().flat_map(|red| &red.vacuous).take(LISTED) {
        let (test, what) = (harmless::line(&vacuous.test.0), harmless::line(&vacuous.what));
        lines.push(format!("an assertion of {test} holds whatever the code does, or hardly looks: {what}"));
    }
    if carried_no_canary(state) {
        lines.push(format!("no canary: {}", state.run.commands.runner));
    }
    lines.extend(copies::lines(state));
    lines
}

/// Whether the final proof saw tests of every criterion fail on code that does nothing.
pub fn all_seen_failing(state: &State) -> bool {
    state.run.plan.criteria.iter().all(|id| proof::seen_by(state, id).is_some())
}

/// What was red or flaky at the baseline, of which no verdict says anything.
fn left_out(state: &State) -> Option<String> {
    let test = &state.baseline.as_ref()?.test;
    let ids: Vec<&str> = test.reds.iter().chain(&test.flaky).map(|id| id.0.as_str()).collect();
    let first = ids.first()?;
    let tests = if ids.len() == 1 {
        format!("1 test was red before anything was done, and is still left out: {first}")
    } else {
        format!("{} tests were red before anything was done, and are still left out: {first}, ...", ids.len())
    };
    Some(format!(
        "{}; `{}` as a whole may be red",
        harmless::line(&tests),
        harmless::line(&state.run.commands.test)
    ))
}

/// Whether work was kept on the word of a run whose runner can carry no canary.
fn carried_no_canary(state: &State) -> bool {
    let kept = |entry: &&Entry| entry.verdict == Some(Verdict::Passed);
    let entries = state.ledgers.values().flat_map(|ledger| &ledger.entries).filter(kept);
    entries.flat_map(|entry| &entry.runs).any(|run| run.canary == Canary::Unsupported)
}

/// The command that brings the tree back to how it was before the run.
fn undo_command(state: &State) -> String {
    format!("tdd undo {}", harmless::shell_word(&state.run.run.to_string()))
}

fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Verified => "every criterion is green, as measured",
        Ending::PartlyUnverified => "finished, but not every criterion is verified",
    }
}
