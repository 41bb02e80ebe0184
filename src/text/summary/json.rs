//! The summary for programs.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Row, SummaryFacts, commit_command, evidence, matrix, undo_command, unverified};
use crate::text::object::parts::SetAside;
use crate::text::object::usage::UsageReport;
use tdd_core::criterion::CriterionId;
use tdd_core::event::{Leaked, Refactoring, RunId, Runs};
use tdd_core::finding::{ClassedChange, Notice, RedKind};
use tdd_core::halt::Ending;
use tdd_core::machine::Machine as _;
use tdd_core::path::RelPath;
use tdd_core::proof::ProofFindings;
use tdd_core::state::{Progress, State};

/// A run that went through.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    pub run: RunId,
    /// The requirement's id.
    pub requirement: String,
    pub title: Option<String>,
    pub ending: Ending,
    pub criteria: Vec<CriterionReport>,
    /// What differs from the tree before the run.
    pub changed: Vec<ClassedChange>,
    /// Files of `changed` that somebody else changed, alone or besides a role.
    pub theirs: BTreeSet<RelPath>,
    /// Folders with changes that are repositories of their own, which git leaves out of a commit.
    pub inner_repositories: Vec<RelPath>,
    /// Children that were forked.
    pub forks: usize,
    pub attempts: Vec<Attempts>,
    /// Attempts that were kept on findings alone: no valid block came.
    pub no_claim: Vec<Unclaimed>,
    pub usage: UsageReport,
    pub runs: Runs,
    pub refactor: Refactoring,
    /// Criteria that an earlier one's work had turned green.
    pub early_green: Vec<CriterionId>,
    pub not_verified: Vec<NotVerified>,
    /// What is to be known of how strong the evidence is.
    pub evidence: Vec<String>,
    pub proof: Option<ProofFindings>,
    pub leaked: Vec<Leaked>,
    pub notices: Vec<Notice>,
    /// What was left in git's own files: to look at before the next git command.
    pub left_in_git: Vec<String>,
    pub set_aside: Vec<SetAside>,
    pub isolation: String,
    /// Milliseconds.
    pub duration_ms: u64,
    pub run_dir: String,
    /// The command that commits what changed; none where nothing did.
    pub commit: Option<String>,
    /// The command that takes it back; none where a later run has worked since.
    pub undo: Option<String>,
}

/// One criterion's way from red to green.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CriterionReport {
    pub criterion: CriterionId,
    /// How many.
    pub tests: usize,
    /// How they were red.
    pub red: Vec<RedKind>,
    pub green: Progress,
    pub forks: usize,
    pub early_green: bool,
    /// Whose code turned it green: `agent` or `operator`.
    pub author: Option<String>,
    /// Whether an expectation of its tests was seen failing, before the work or in the final proof.
    pub assertion_seen_failing: bool,
}

/// The forks of one key, and which of them failed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempts {
    /// The role, and the criterion of an implementer.
    pub key: String,
    pub forks: usize,
    pub failed: FailedAttempts,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FailedAttempts {
    /// On their work.
    pub semantic: u8,
    /// On their block.
    pub format: u8,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unclaimed {
    pub key: String,
    pub attempt: u8,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotVerified {
    pub criterion: CriterionId,
    pub why: String,
}

/// All of it.
pub fn summary(state: &State, ending: Ending, facts: &SummaryFacts) -> Summary {
    let attempts = state.ledgers.iter().map(|(key, ledger)| Attempts {
        key: key.to_string(),
        forks: ledger.entries.len(),
        failed: FailedAttempts { semantic: ledger.spent.semantic, format: ledger.spent.format },
    });
    let no_claim = state.without_claim().map(|(key, attempt)| Unclaimed { key: key.to_string(), attempt });
    let not_verified = unverified(state).into_iter().map(|(criterion, why)| NotVerified { criterion, why });
    Summary {
        run: state.run.run.clone(),
        requirement: state.run.requirement.id.clone(),
        title: state.run.requirement.title.clone(),
        ending,
        criteria: matrix(state, facts).iter().map(CriterionReport::of).collect(),
        changed: facts.changed.clone(),
        theirs: facts.theirs.clone(),
        inner_repositories: facts.inner_repositories.clone(),
        forks: state.forks(),
        attempts: attempts.collect(),
        no_claim: no_claim.collect(),
        usage: UsageReport::of(state),
        runs: state.facts.runs,
        refactor: state.run.plan.refactor,
        early_green: facts.early_green.clone(),
        not_verified: not_verified.collect(),
        evidence: evidence(state),
        proof: state.proof.as_deref().cloned(),
        leaked: state.facts.leaked.clone(),
        notices: state.notices.clone(),
        left_in_git: state.facts.left_in_git.clone(),
        set_aside: SetAside::of(&state.facts),
        isolation: facts.isolation.clone(),
        duration_ms: facts.duration_ms,
        run_dir: facts.run_dir.clone(),
        commit: commit_command(state, facts),
        undo: (!facts.is_followed).then(|| undo_command(state)),
    }
}

impl CriterionReport {
    fn of(row: &Row) -> Self {
        Self {
            criterion: row.id.clone(),
            tests: row.tests,
            red: row.red.clone(),
            green: row.progress,
            forks: row.forks,
            early_green: row.early,
            author: row.author().map(str::to_owned),
            assertion_seen_failing: !row.red.is_empty()
                && row.seen_failing()
                && row.progress != Progress::AlreadyGreen,
        }
    }
}
