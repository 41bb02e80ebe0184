//! The halt report for programs: `halt.json`.

use serde::Serialize;

use super::{LINE_WIDTH, RAW_LINES, Report};
use crate::text::object::parts::{SetAside, Step};
use crate::text::object::usage::UsageReport;
use tdd_core::attempt::CheckpointId;
use tdd_core::claim::Claim;
use tdd_core::criterion::CriterionId;
use tdd_core::event::RunId;
use tdd_core::finding::{Change, VacuousAssertion};
use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::path::RelPath;
use tdd_core::role::Role;
use tdd_core::test::{Exit, TestId};

/// A run that halted, in the order of contract section 10.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HaltReport {
    pub headline: String,
    pub cause: CauseReport,
    /// The first command of `next`.
    pub recommended: Option<String>,
    pub run: RunId,
    /// The requirement's id.
    pub requirement: String,
    /// The role says that a test is wrong.
    pub disputed: bool,
    /// The failure mode, A to E; none of a dispute.
    pub mode: Option<String>,
    pub description: String,
    pub reasons: Vec<String>,
    pub role: Role,
    /// Of an implementer.
    pub criterion: Option<CriterionId>,
    pub attempts: Budgets,
    /// The child's own word, which nothing rests on.
    pub block: Option<Claim>,
    /// The last lines that the child printed, where it gave no valid block.
    pub raw_output: Option<Vec<String>>,
    pub child: ChildReport,
    /// The run that the verdict rests on.
    pub ran: Option<RanReport>,
    /// What the failed work changed.
    pub changed: Vec<Change>,
    /// Protected files that it touched; they were put back.
    pub touched: Vec<RelPath>,
    pub left_in_git: Vec<String>,
    pub set_aside: Vec<SetAside>,
    /// Assertions that hold whatever the code does.
    pub vacuous: Vec<VacuousAssertion>,
    pub usage: UsageReport,
    pub run_dir: String,
    /// Which criteria are green and which are not, and what the work tree holds.
    pub state_of_work: [String; 2],
    /// The last two failed attempts left the same files.
    pub repeats: bool,
    pub checkpoints: CheckpointsReport,
    /// What a person can do, the best first.
    pub next: Vec<Step>,
}

/// Why it halted, and where to look.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CauseReport {
    pub sentence: String,
    pub test: Option<TestId>,
    /// As the runner names it.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Budgets {
    /// On the work.
    pub semantic: Budget,
    /// On the block.
    pub format: Budget,
    pub forks: usize,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Budget {
    pub failed: u8,
    pub of: u8,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChildReport {
    /// How it ended, in words.
    pub end: String,
    pub log: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RanReport {
    pub command: String,
    /// How its process ended.
    pub ended: Exit,
    /// The same in words.
    pub ended_text: String,
    pub duration_ms: u64,
    pub log: String,
    /// The lines around the failure.
    pub tail: Vec<String>,
}

/// Trees of the run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckpointsReport {
    /// Before the run.
    pub zero: Option<CheckpointId>,
    /// The last good work.
    pub good: Option<CheckpointId>,
    pub failed: Option<CheckpointId>,
    /// Work that passes and came without a valid block.
    pub unclaimed: Option<CheckpointId>,
}

impl Report<'_> {
    pub(super) fn object(&self) -> HaltReport {
        let (mode, description, reasons) = self.failure();
        let [(semantic, semantic_of), (format, format_of)] = self.attempts();
        let [zero, good, failed] = self.checkpoints().map(|(_, checkpoint)| checkpoint.cloned());
        let raw = || harmless::tail(&self.facts.raw_tail, RAW_LINES, LINE_WIDTH);
        HaltReport {
            headline: self.headline(),
            cause: CauseReport {
                sentence: self.cause_line(),
                test: self.cause.test.clone(),
                file: self.cause.place.as_ref().map(|place| place.file.clone()),
                line: self.cause.place.as_ref().map(|place| place.line),
            },
            recommended: self.recommended().map(|step| step.command.clone()),
            run: self.state.run.run.clone(),
            requirement: self.state.run.requirement.id.clone(),
            disputed: matches!(self.halt.verdict, Verdict::Disputed(_)),
            mode,
            description,
            reasons,
            role: self.halt.key.role(),
            criterion: self.halt.key.criterion().cloned(),
            attempts: Budgets {
                semantic: Budget { failed: semantic, of: semantic_of },
                format: Budget { failed: format, of: format_of },
                forks: self.forks(),
            },
            block: self.claim().cloned(),
            raw_output: self.claim().is_none().then(raw),
            child: ChildReport { end: self.end(), log: self.log().map(str::to_owned) },
            ran: self.ran_report(),
            changed: self.facts.changed.clone(),
            touched: self.facts.touched.clone(),
            left_in_git: self.state.facts.left_in_git.clone(),
            set_aside: SetAside::of(&self.state.facts),
            vacuous: self.vacuous().cloned().collect(),
            usage: UsageReport::of(self.state),
            run_dir: self.facts.run_dir.clone(),
            state_of_work: self.state_of_work(),
            repeats: self.facts.repeats,
            checkpoints: CheckpointsReport {
                zero,
                good,
                failed,
                unclaimed: self.unclaimed().map(|work| work.tree.clone()),
            },
            next: self
                .next
                .iter()
                .map(|step| Step { what: step.what.clone(), command: step.command.clone() })
                .collect(),
        }
    }

    fn ran_report(&self) -> Option<RanReport> {
        let run = self.run()?;
        Some(RanReport {
            command: run.command.clone(),
            ended: run.exit,
            ended_text: run.exit.to_string(),
            duration_ms: run.duration_ms,
            log: run.log.clone(),
            tail: self.evidence(run).1,
        })
    }
}
