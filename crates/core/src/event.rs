//! What happened: the journal's vocabulary (contract section 11).

use serde::{Deserialize, Serialize};

use crate::attempt::{AgentReturn, Attempt, CheckpointId, Digest};
use crate::budget::Bounds;
use crate::commands::ProjectCommands;
use crate::criterion::CriterionId;
use crate::effect::RollBack;
use crate::facts::PutBack;
use crate::finding::{Findings, RedFindings, RunRef, SuiteBaseline};
use crate::fix::{FixFindings, FixJudgement, FixStarted};
use crate::halt::{Ending, Halt};
use crate::held_out::{Held, Holding};
use crate::isolation::Confinement;
use crate::mdtest::AgentWord;
use crate::path::RelPath;
use crate::policy::EffectivePolicy;
use crate::proof::{Extent, ProofFindings};
use crate::requirement::Requirement;
use crate::role::{Asked, Key};
use crate::test::TestId;
use crate::usage::{CapPlan, ChildUse};
use crate::verdict::{AtReturn, Reason, Verdict};

mod decision;
mod missing_block;
mod models;
mod names;
mod noted;
mod session;
mod test_run;

pub use crate::facts::{Leaked, Runs};
pub use crate::run_name::RunId;
pub use decision::Decision;
pub use missing_block::MissingBlock;
pub use noted::{BRINGS_BACK, note_leaked, note_left};
pub use session::{
    EditFact, EditGround, GateMode, GitSeen, Repair, RepairCause, SessionEvent, SessionId, SessionStarted,
    Settled, Step, Switch, ToolClass,
};
pub use test_run::{PassFail, TestIdSource, TestRunFact};

/// The end of a line about what somebody changed and what is not put back.
pub const LEFT_ALONE: &str = "left as it is";
/// The end of a line about what can't be put back.
pub const GONE: &str = "there is no copy of it";

/// One fact. Serialised with a `type` tag; what is too long for a line of the journal goes to a
/// side file as a whole, so an event is always complete in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    RunStarted(Box<RunStarted>),
    /// The first event of a run of `tdd fix`, whose state is [`FixState`](crate::fix::FixState).
    FixStarted(Box<FixStarted>),
    /// All checks were run on the tree as it was, or as a fixer left it.
    FixMeasured {
        findings: Box<FixFindings>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judged: Option<FixJudgement>,
    },
    /// The level that the children of this process are held at; changes no state, and may be
    /// another one after `resumed`.
    Isolated {
        isolation: Confinement,
    },
    /// Which file has which class for the children of this process; changes no state, and may be another
    /// one after `resumed`. Before it there is no child.
    PolicySettled {
        policy: Box<EffectivePolicy>,
    },
    /// The tree before anything is done.
    CheckpointZero {
        checkpoint: CheckpointId,
    },
    /// What is red and green before anything is done.
    BaselineMeasured {
        test: SuiteBaseline,
        gate: Box<SuiteBaseline>,
    },
    /// Intent: written before the child is forked, so that a crash leaves a trace.
    AttemptStarted {
        attempt: Attempt<Asked>,
    },
    /// What a child used, as its program tells it; written for every child, whatever came of it.
    Used {
        used: ChildUse,
    },
    /// With what the return alone decided; as everywhere, a journal of before verdicts were kept has none,
    /// and is judged when it is read.
    AgentReturned {
        outcome: Box<AgentReturn>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judged: Option<AtReturn>,
    },
    /// What was measured of an attempt, and what it came to.
    AttemptMeasured {
        findings: Box<Findings>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<Verdict>,
    },
    /// The work stands; a checkpoint holds it.
    WorkKept {
        checkpoint: CheckpointId,
    },
    /// The work does not stand: the tree is as it was before, and a checkpoint holds what was there.
    WorkRolledBack {
        to: CheckpointId,
        extent: RollBack,
        kept_as: CheckpointId,
    },
    /// The gate command was run on the work that stands.
    GateMeasured {
        green: bool,
        run: RunRef,
        /// Nothing was run: this tree was judged by the same command before, by this run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judged_at: Option<CheckpointId>,
    },
    /// The result was proven as it would be committed.
    Proved {
        findings: Box<ProofFindings>,
        /// What it halts for; none if it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        halt: Option<Halt>,
    },
    /// More tests were asked for, or tests were parted into shown and hidden ones, taken out of the work tree, or
    /// brought back.
    HeldOut {
        held: Box<Held>,
    },
    /// The tree as it is known to be now, so that a resumed run can tell whether somebody else
    /// changed it meanwhile.
    TreeSeen {
        tree: CheckpointId,
    },
    /// How long the run was at work since this was last said.
    Worked {
        ms: u64,
        #[serde(default, skip_serializing_if = "Runs::is_none")]
        runs: Runs,
    },
    /// The operator set other bounds for the rest of the run.
    Capped {
        caps: CapPlan,
    },
    /// A process goes on with the run. An attempt whose child had not come back is cut off.
    Resumed,
    /// What a cut-off child left was kept, and the tree is as it was before its fork.
    AttemptCut {
        kept_as: CheckpointId,
    },
    /// The operator's word, and nobody else's (contract section 11).
    Decided {
        decision: Decision,
        /// The operator's reason. It is for people and never part of a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The unfinished criteria's tests, as the operator edited them, were run.
    Rechecked {
        findings: Box<RedFindings>,
        checkpoint: CheckpointId,
        /// Why they do not stand; none if they do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        faults: Option<Vec<Reason>>,
    },
    /// The operator took work that came without a block: the work tree is this one now.
    WorkTaken {
        key: Key,
        number: u8,
        tree: CheckpointId,
    },
    /// Of interest to a corpus; changes no state.
    TestRun(TestRunFact),
    /// Of interest to a corpus; changes no state.
    EditClaim {
        test_id: TestId,
        edit_target: RelPath,
    },
    /// Git state or protected files that had to be put back, and lines that end in [`LEFT_ALONE`];
    /// changes no state.
    Restored {
        what: Vec<String>,
    },
    /// Files that somebody else changed, and the tree that holds them so. With the tree `before`: while no
    /// child of the run was at work, so that the run goes on with them and they are a person's. Without:
    /// protected files that no child could write to, or what was `put_back` and nobody can tell whose it was.
    Edited {
        paths: Vec<RelPath>,
        kept: CheckpointId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<CheckpointId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        put_back: Option<PutBack>,
    },
    /// Processes that outlived the command or child which had started them, and were ended;
    /// changes nothing that a verdict rests on.
    Leaked {
        processes: Vec<Leaked>,
    },
    /// What the agent's own program refused its model, as it told it: paths and commands. A claim,
    /// masked; changes no state.
    Denied {
        what: Vec<String>,
    },
    /// Lines of the requirement that stand in what a child printed whose role must not see it. Told and
    /// no more: masked; changes no state.
    Glimpsed {
        what: Vec<String>,
    },
    /// The Markdown test of a criterion was carried out by an agent: its word, and no finding.
    MdtestHeard {
        criterion: CriterionId,
        word: AgentWord,
    },
    /// A budget is spent, or a role disputes a test; the report is a side file.
    Halted {
        report: Digest,
    },
    /// All is done.
    Finished {
        ending: Ending,
    },
    /// Refused before the first child came back: the tree is as it was, and the run is over.
    Refused {
        why: String,
    },
    /// The operator went to another of the run's trees with `tdd undo`: checkpoint 0, or what was kept.
    Undone {
        to: CheckpointId,
        kept_as: CheckpointId,
        /// Of the checkpoint that holds what was there before.
        label: String,
    },
    /// Nothing is lost; `resume` goes on.
    Paused {
        reason: String,
    },
    /// A signal stopped the run; `resume` goes on.
    Stopped {
        signal: i32,
    },
    /// A newer `tdd` wrote it, and said that it changes no state. Read, shown by its name, and never written.
    #[serde(skip)]
    Unknown {
        name: String,
    },
    /// Of an agent's own session under the gate, and in no run's journal. Written and read by the journal's codec,
    /// with its own `type`.
    #[serde(skip)]
    Session(Box<SessionEvent>),
}

/// All that was decided before the first effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunStarted {
    pub run: RunId,
    /// The version of `tdd` that started it.
    pub version: String,
    pub requirement: Requirement,
    pub commands: ProjectCommands,
    /// Where the project lies in the repository; empty for the root.
    pub project: String,
    /// The agent's name for each role: test-writer, implementer, refactorer.
    pub agents: [String; 3],
    /// The model that the settings ask for, for each role; none is the agent's own choice.
    #[serde(default, skip_serializing_if = "models::are_none")]
    pub models: [Option<String>; 3],
    pub plan: Plan,
}

/// What of the requirement is to be done, and how hard to try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The criteria in hand, in order; all of the requirement's unless `--only` says less.
    pub criteria: Vec<CriterionId>,
    /// Satisfied already, as the operator says: their tests must pass at once, no implementer.
    pub already_green: Vec<CriterionId>,
    pub bounds: Bounds,
    pub refactor: Refactoring,
    pub stop_after: StopAfter,
    pub regression: Regression,
    #[serde(default)]
    pub supersede: SupersedeRule,
    /// The test command, red before the first fork and unreadable test by test.
    #[serde(default)]
    pub red_baseline: RedRule,
    /// The gate command, red before the first fork.
    #[serde(default)]
    pub red_gate: RedRule,
    #[serde(default, skip_serializing_if = "CapPlan::is_none")]
    pub caps: CapPlan,
    #[serde(default)]
    pub sandbox: SandboxNeed,
    #[serde(default)]
    pub on_missing_block: MissingBlock,
    #[serde(default)]
    pub screens: Screens,
    #[serde(default)]
    pub proof: Extent,
    #[serde(default, skip_serializing_if = "Holding::is_off")]
    pub held_out: Holding,
    /// What the scripted agent plays; it is played when the run is gone on with, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cassette: Option<String>,
}

/// Who sits at the agents' screens; it holds when the run is gone on with, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Screens {
    #[default]
    Nobody,
    /// `--interactive`
    Person,
}

/// Whether a run may go on where nothing holds the children (contract section 12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SandboxNeed {
    #[default]
    AsGiven,
    /// `--require-sandbox`, `--sandbox enforce`, `sandbox: enforce`
    Required,
    /// `--sandbox audit`, `sandbox: audit`: it holds when the run is gone on with, too.
    LeftOut,
}

/// Whether RED may change the existing tests that the test-writer names (contract section 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SupersedeRule {
    #[default]
    AsListed,
    /// `--no-supersede`
    Refuse,
}

/// What to do when a command is red before the first fork (contract section 7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RedRule {
    #[default]
    Refuse,
    /// `--allow-red-baseline`, `--allow-red-gate`
    Allow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Refactoring {
    #[default]
    Once,
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StopAfter {
    #[default]
    End,
    Red,
}

/// When the tests of others are run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Regression {
    /// `attempt` while the baseline takes under 60 s, else `criterion`.
    #[default]
    Auto,
    Attempt,
    Criterion,
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_s_name_is_its_tag() {
        let checkpoint = || CheckpointId("c".into());
        for event in [
            Event::CheckpointZero { checkpoint: checkpoint() },
            Event::WorkKept { checkpoint: checkpoint() },
            Event::TreeSeen { tree: checkpoint() },
            Event::Used { used: ChildUse::default() },
            Event::Worked { ms: 7, runs: Runs::default() },
            Event::Capped { caps: CapPlan::default() },
            Event::Resumed,
            Event::WorkTaken { key: Key::Refactorer, number: 1, tree: checkpoint() },
            Event::AttemptCut { kept_as: checkpoint() },
            Event::Decided { decision: Decision::Retry, why: None },
            Event::Restored { what: vec![] },
            Event::Denied { what: vec![] },
            Event::Undone { to: checkpoint(), kept_as: checkpoint(), label: String::new() },
            Event::Glimpsed { what: vec![] },
            Event::Edited { paths: vec![], kept: checkpoint(), before: Some(checkpoint()), put_back: None },
            Event::Halted { report: Digest("d".into()) },
            Event::Finished { ending: Ending::Verified },
            Event::Refused { why: "x".into() },
            Event::Paused { reason: "x".into() },
            Event::Stopped { signal: 2 },
        ] {
            assert_eq!(serde_json::to_value(&event).unwrap()["type"], event.name());
        }
        assert_eq!(RunId("20260101T000000Z-x-abcd".into()).to_string(), "x-abcd", "as people name it");
    }

    #[test]
    fn a_decision_is_told_in_words() {
        let accept = Decision::Accept(CriterionId::new("X", 3).unwrap());
        for (decision, words) in [
            (Decision::Retry, "try again with new attempts"),
            (Decision::Take, "keep the work that came without a valid block"),
            (accept, "take AC-X.3 as it is"),
            (Decision::Abandon, "give the run up"),
        ] {
            assert_eq!(decision.words(), words);
        }
    }
}
