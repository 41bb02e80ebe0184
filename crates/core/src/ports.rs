//! What the driver asks of the world. Each trait's obligations are checked by contract tests
//! over every implementation.
#![expect(async_fn_in_trait, reason = "the ports are used on one thread; no future has to be Send")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::attempt::{AgentEnd, AttemptKind, Bound, Digest};
use crate::audience::News;
use crate::commands::Suite;
use crate::criterion::CriterionId;
use crate::event::{Event, Leaked};
use crate::fix::classify::TypeErrors;
use crate::mapping::Without;
use crate::mdtest::{Status, Voice};
use crate::path::RelPath;
use crate::policy::{FileClass, Policy};
use crate::role::{Asked, Key};
use crate::test::{TestId, TestRun};
use crate::trouble::Trouble;
use crate::usage::{Cap, ChildUse, Usage};

mod bench;
mod checkpoints;
mod limits;

pub use bench::{Bench, Bring};
pub use checkpoints::Checkpoints;
pub use limits::{Allowance, Limits, Setters};

/// Where news between events go.
pub type Observer<'a> = &'a mut dyn FnMut(News);

/// Two clocks: one for stamps, one for spans.
pub trait Clock {
    /// Milliseconds since the epoch; it may jump either way, so no deadline and no span uses it.
    fn now_ms(&self) -> u64;
    /// Milliseconds since some moment; never steps back.
    fn monotonic_ms(&self) -> u64;
    /// Bytes that nobody can guess, for coins.
    fn random(&self, count: usize) -> Result<Vec<u8>, Trouble> {
        Ok(vec![0; count])
    }
}

/// The append-only journal of a run (contract section 11).
pub trait Journal {
    /// Writes each event as one line by one `write`, then syncs once. After `Ok` all of them
    /// survive a power cut; after `Err` the run must stop before the effect.
    fn append(&mut self, ts_ms: u64, events: &[Event]) -> Result<(), Trouble>;
    /// Keeps bytes in a side file named by their hash, synced. Storing the same bytes twice is fine.
    fn store(&mut self, bytes: &[u8]) -> Result<Digest, Trouble>;
    /// Writes a file of this name into the run's folder, synced: a report for a person.
    fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<(), Trouble>;
    /// The bytes of a side file, checked against their name.
    fn fetch(&mut self, digest: &Digest) -> Result<Vec<u8>, Trouble>;
}

/// The files that a role may not change, by a manifest of kind, mode, link count, target and hash.
pub trait Protection {
    /// From now on all files of these classes in the work tree are protected as they are,
    /// less those in `except`. Replaces the seal before it.
    fn seal(&mut self, classes: &[FileClass], except: &[RelPath]) -> Result<(), Trouble>;
    /// From now on files have the classes that this policy gives them.
    fn classify_by(&mut self, _policy: &Policy) {}
    /// What is no longer as it was sealed: changed, gone or new; sorted, never follows links. And
    /// files of tool folders that were changed since the first seal of all.
    fn check(&mut self) -> Result<Vec<RelPath>, Trouble>;
    /// What is sealed is looked at and can be written until the next seal: a first look at what a suite writes.
    fn loosen(&mut self) {}
    /// From now on these are not made read-only, because the suite itself writes them; they are looked
    /// at and put back all the same.
    fn let_rewrite(&mut self, _paths: &[RelPath]) {}
    /// Whether this file was read-only to each child since the last seal, so that none has written to it.
    fn is_held(&self, _path: &RelPath) -> bool {
        false
    }
    /// What is known of a file of which no copy is kept, so that it stays as it is.
    fn installed(&self, _path: &RelPath) -> Option<Installed> {
        None
    }
    /// Whether it was there when it was sealed.
    fn was_there(&self, _: &RelPath) -> bool {
        false
    }
    /// Makes these paths as they were sealed; new ones go. No copies are kept of tool folders, so that the next check
    /// tells of those again; what was learned of them is made as it was then.
    fn restore(&mut self, touched: &[RelPath]) -> Result<(), Trouble>;
    /// Files that hold what they held when they were sealed, and can be read, written or run by others: their mode
    /// alone is not as it was.
    fn modes_alone(&mut self) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }
    /// What the checks since this was last asked found to be as it was sealed, and yet written,
    /// replaced or given other times by somebody else; sorted.
    fn rewritten(&mut self) -> Vec<RelPath>;
    /// What was put back above the work tree since this was last asked, a line each.
    fn told_above(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Looks at the folders of tools, before anything of the project's has run.
    fn look_at_tools(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
    /// Whether something that is no installation has written there, and not since that look: it may do so where there
    /// is something new.
    fn may_write_in_tools(&mut self) -> bool {
        false
    }
    /// Files of tool folders that were made, changed or removed since that look.
    fn left_in_tools(&mut self) -> Vec<RelPath> {
        Vec::new()
    }
    /// The project's own commands write these files of tool folders: no check tells of them.
    fn learn_tools(&mut self, _files: &[RelPath]) {}
    /// What comes in tool folders until the next seal its role may install again: no check tells of it later.
    fn let_install(&mut self) {}
}

/// A file of a folder of tools, which was there before or may not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    /// Its bytes are known: whoever writes them anew has changed nothing.
    Known,
    /// Beyond what is hashed: to write it anew as it was looks like a change.
    Beyond,
    /// Python runs it before all else, and no package brings it.
    Hook,
    /// It came into a package that was there before, which was installed as a whole.
    New,
}

/// How far one test file that does not load disturbs the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// A file (target) that does not load is reported and hides no other: one run does for all.
    PerFile,
    /// One bad file hides all: each criterion must be run with the others' files left out.
    Coupled,
}

/// Whether a run carries a canary, and what it is to imitate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CanaryWish {
    #[default]
    None,
    /// The judged test files: it lies beside them, imports what they import and, where each file is
    /// a process of its own, calls what they call. Files that are gone or can't be read are skipped.
    Beside(Vec<RelPath>),
}

/// Which copies of the judged tests are run once more in the place of these themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Confirm {
    /// Those that did not show beside them what they must.
    #[default]
    Suspects,
    /// Those that did, too: code that reads its tests finds these unchanged as long as copies lie beside them.
    All,
}

/// What is to be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestOrder {
    /// For a person and for the log's name: `baseline`, `RED`, `GREEN AC-STE-1.2`.
    pub label: String,
    /// What must not take part.
    pub without: Without,
    /// Only these files' tests and these ids; empty means all.
    pub only_files: Vec<RelPath>,
    pub only_ids: Vec<TestId>,
    /// Files whose tests are to be known by their file, even where the runner does not tell it.
    pub told_apart: Vec<RelPath>,
    /// Takes part whatever is chosen or left out, and is gone from the tree afterwards.
    pub canary: CanaryWish,
    /// Which copies of the judged tests are looked at in their own place.
    pub confirm: Confirm,
    /// Milliseconds after which it is ended, if its usual deadline is not earlier.
    pub deadline_ms: Option<u64>,
}

/// What the processes that were at a run before have measured, for one that goes on with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// Tests that were in a report.
    pub tests: Vec<TestId>,
    /// Files that tests were in.
    pub files: Vec<RelPath>,
    /// How long the first run of the test command took.
    pub first_ms: Option<u64>,
    /// What was run then, as a person would type it.
    pub command: Option<String>,
    /// Where installed modules lay in the repository then.
    pub import_roots: BTreeSet<String>,
}

/// Runs the project's commands. Never believes an exit code or a report alone; that is for
/// [`crate::finding`] to weigh.
pub trait Tests {
    fn isolation(&self) -> Isolation;
    /// From now on everything runs in this checkout of the repository, and sees of the work tree, where it can
    /// be kept from the rest, these paths alone; in the work tree again with `None`.
    fn work_in(&mut self, _checkout: Option<(&Path, &[PathBuf])>) {}
    /// To be told before anything is run, where the run is gone on with.
    fn recall(&mut self, _recalled: &Recalled) {}
    /// Runs the test command, read by its adapter. Children of the run are gone when it returns.
    async fn run(&mut self, order: &TestOrder, observer: Observer<'_>) -> Result<TestRun, Trouble>;
    /// Runs the gate command as it is; with tests left out, in a tree that lacks them (contract section 7: files of
    /// criteria that are not reached take no part). Its report is `None` unless it is the test command.
    async fn run_gate(
        &mut self,
        label: &str,
        without: &Without,
        observer: Observer<'_>,
    ) -> Result<TestRun, Trouble>;
    /// These test files are to be gone or changed: what earlier runs have left of them in the work tree goes, too.
    fn forget(&mut self, _files: &[RelPath]) -> Result<(), Trouble> {
        Ok(())
    }
    /// Processes that outlived a command and were ended since this was last asked.
    fn leaked(&mut self) -> Vec<Leaked> {
        Vec::new()
    }
    /// The command line that runs these files' tests, for a prompt.
    fn selection(&self, suite: Suite, files: &[RelPath]) -> String;
    /// The command line that runs all tests, whatever fails or does not load, for a prompt.
    fn everything(&self) -> String {
        self.selection(Suite::Test, &[])
    }
    /// Ids that the source of a test file declares, for one that does not load; none of a language that is not known.
    fn declared(&self, file: &RelPath, source: &[u8]) -> Vec<TestId>;
    /// Why the runner would never run what is declared by this id, though it looks like a test of another runner.
    fn never_runs(&self, _id: &TestId, _source: &str) -> Option<&'static str> {
        None
    }
}

/// One run of one check.
#[derive(Clone, Debug)]
pub struct CheckRun {
    pub run: TestRun,
    /// What a type checker printed, read; empty for any other check.
    pub types: TypeErrors,
}

/// The checks of `tdd fix`. Never believes an exit code or a report alone; that is for
/// [`crate::fix::classify`].
pub trait Checks {
    /// From now on everything runs in this checkout, as for [`Tests::work_in`].
    fn work_in(&mut self, _checkout: Option<(&Path, &[PathBuf])>) {}
    /// Runs one of the checks, counted from 0, on all that it looks at. `canary` is for tests whose
    /// runner can carry one. Children of the run are gone when it returns.
    async fn run(
        &mut self,
        check: usize,
        label: &str,
        canary: &CanaryWish,
        observer: Observer<'_>,
    ) -> Result<CheckRun, Trouble>;
    /// Processes that outlived a command and were ended since this was last asked.
    fn leaked(&mut self) -> Vec<Leaked> {
        Vec::new()
    }
}

/// What one child is asked. Its exchange folder is made fresh by the adapter.
#[derive(Clone, Debug)]
pub struct AgentOrder {
    pub asked: Asked,
    /// The number of the fork within its key, from 1.
    pub number: u8,
    pub kind: AttemptKind,
    pub prompt: String,
    /// The system prompt: the role's skill and the project's own instructions.
    pub role_text: String,
    /// For a format retry in the same session.
    pub session: Option<String>,
    /// What that session had used when its last child ended.
    pub session_used: Usage,
    pub limits: Limits,
    /// Lines that the role must not see, and that nothing it is shown holds.
    pub out_of_sight: Vec<String>,
}

/// What came back, raw. The final message is what the table's selector found, not yet parsed.
#[derive(Clone, Debug)]
pub struct AgentReport {
    pub end: AgentEnd,
    /// The bound that ended it, if one of [`Limits`] did.
    pub bound: Option<Bound>,
    /// The last assistant message that holds a block, else the last one; `None` if there is none.
    pub message: Option<String>,
    pub session: Option<String>,
    pub turns: Option<u32>,
    /// The bound of the run for which it was stopped.
    pub run_cap: Option<Cap>,
    /// What the agent's own program refused its model: paths and commands, as it told them.
    pub denied: Vec<String>,
    /// Those lines of the order's that stand in what the child printed.
    pub glimpsed: Vec<String>,
    pub duration_ms: u64,
    /// How long it had printed nothing when it ended, where that is heard.
    pub silent_ms: Option<u64>,
    /// The raw log's path.
    pub log: String,
    /// Last lines, noise removed, at most 4 KiB.
    pub tail: String,
    /// What its program said last, where it ended with an exit code of failure and its message holds no block.
    pub died: Option<String>,
}

/// The Markdown test of a criterion, for an agent to carry out.
#[derive(Clone, Debug)]
pub struct MdtestOrder {
    pub criterion: CriterionId,
    /// Its path, as the requirement names it.
    pub test: String,
    /// What it said before the first fork: no role can have changed it.
    pub text: Vec<u8>,
    pub limits: Limits,
}

/// What came of it, raw.
#[derive(Clone, Debug)]
pub struct MdtestReport {
    pub status: Status,
    pub voice: Voice,
    pub reason: Option<String>,
    /// What the agent wrote down, its first 1 MiB.
    pub log: Option<Vec<u8>>,
}

/// Forks children. All of a child's processes are gone when `run` returns.
pub trait Agents {
    /// `Err` is for what is not the role's failure: the agent can't be started, or we were stopped.
    async fn run(&mut self, order: &AgentOrder, observer: Observer<'_>) -> Result<AgentReport, Trouble>;
    /// Has an agent carry out a Markdown test, in the same isolation as a role. A log that does not
    /// count is a report that says fail; `Err` is as for `run`.
    async fn mdtest(&mut self, order: &MdtestOrder, observer: Observer<'_>) -> Result<MdtestReport, Trouble>;
    /// What the children used since this was last asked, one for each that ended, as they tell it.
    fn used(&mut self) -> Vec<ChildUse> {
        Vec::new()
    }
    /// Processes that outlived a child and were ended since this was last asked.
    fn leaked(&mut self) -> Vec<Leaked> {
        Vec::new()
    }
    /// Whether this role's agent can go on with a session for a format retry.
    fn resumes(&self, key: &Key) -> bool;
    /// The name of the agent for this role.
    fn name(&self, key: &Key) -> String;
}

/// All ports of one kind of world; the driver is written once for all of them.
pub trait World {
    type Journal: Journal;
    type Checkpoints: Checkpoints;
    type Protection: Protection;
    type Tests: Tests;
    type Agents: Agents;
    type Bench: Bench;
    type Clock: Clock;
}

/// The ports of one run.
pub struct Ports<W: World> {
    pub journal: W::Journal,
    pub checkpoints: W::Checkpoints,
    pub protection: W::Protection,
    pub tests: W::Tests,
    pub agents: W::Agents,
    pub bench: W::Bench,
    pub clock: W::Clock,
}

/// Prompt texts, from the binary or from `.tdd/skills/`: skill name to the body of its file.
pub type Skills = BTreeMap<String, String>;
