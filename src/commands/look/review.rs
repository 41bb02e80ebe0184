//! `tdd review`: an operator judges a halted run (contract section 13), on a whole screen ([`full`]) or line
//! by line ([`plain`]).
//!
//! Every action is the command that the report names, carried out by the same code: nothing can be done
//! here that can't be typed. Before each the journal is read again, since somebody may have gone on with
//! the run meanwhile.

mod edited;
mod editor;
mod files;
mod full;
mod lend;
mod panes;
mod plain;
mod shell;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::look::ReviewArgs;
use crate::cli::{Cli, Command, HaltArgs, OutputArgs, Reader, ResumeArgs, RunArgs};
use crate::commands::given::surroundings;
use crate::commands::runs::chosen::{chosen_work, repository};
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::For;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::commands::runs::story;
use crate::driver::report::{allowable, touched};
use crate::text::halt_report::{self, HaltFacts, NextStep, Review, review};
use crate::view::{self, dialog, print};
use crate::world::{config_file, journal_file};
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_child::signals;
use tdd_core::cause::Place;
use tdd_core::finding::Change;
use tdd_core::halt::Halt;
use tdd_core::harmless::shell_word;
use tdd_core::role::Key;
use tdd_core::state::{End, Entry, Ledger, Phase, State};
use tdd_core::story::Story;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;

/// A halted run under review.
pub(super) struct Halted {
    pub(super) repository: PathBuf,
    pub(super) run: RunDir,
    pub(super) story: Story,
    pub(super) halt: Halt,
    pub(super) facts: HaltFacts,
    /// What a command that goes on must repeat.
    with: String,
}

impl Halted {
    /// All attempts of the budget that ended it.
    fn entries(&self) -> &[Entry] {
        self.story.state.ledgers.get(&self.halt.key).map(|ledger| &ledger.entries[..]).unwrap_or_default()
    }

    fn last(&self) -> Option<&Entry> {
        self.entries().last()
    }
}

/// Shows the halt, and does what is asked until the run goes on or is left.
pub fn run(args: &ReviewArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let run = chosen_work(&repository, args.run.as_deref(), For::Looking)?;
    let mut halted = Halted::read(&repository, &run, &with(args.cassette.as_deref()))?;
    let _only_one = only_one(&run)?;
    if let Some(ink) = view::review::possible().filter(|_| !args.plain) {
        return full::run(&mut halted, ink);
    }
    if dialog::is_possible() {
        return plain::run(&mut halted);
    }
    halted.show();
    print::message(
        "tdd: nobody is at a terminal, so nothing is asked; the numbers are commands of the report",
    );
    Ok(ExitCode::from(1))
}

/// A review after a command that came to a halt.
pub struct Offer<'a> {
    run: Option<&'a str>,
    cassette: Option<&'a Path>,
    output: &'a OutputArgs,
    halt: HaltArgs,
    /// What halted is told in the end, and may be another one than the newest.
    is_of_several: bool,
}

impl<'a> Offer<'a> {
    pub fn after_run(args: &'a RunArgs) -> Self {
        Self {
            run: None,
            cassette: args.cassette.as_deref(),
            output: &args.output,
            halt: args.halt,
            is_of_several: args.means_several(),
        }
    }

    pub fn after_resume(args: &'a ResumeArgs) -> Self {
        let run = args.run.as_deref();
        Self {
            run,
            cassette: args.cassette.as_deref(),
            output: &args.output,
            halt: args.halt,
            is_of_several: false,
        }
    }

    /// `None` where nobody looks, or there is nothing to judge.
    pub fn take(&self) -> Option<Result<ExitCode, Trouble>> {
        let is_unwanted =
            self.is_of_several || self.halt.no_review || self.output.json.is_some() || self.output.quiet;
        let ink = view::review::possible().filter(|_| !is_unwanted)?;
        if surroundings().ok()?.1.ci {
            return None;
        }
        let repository = repository().ok()?;
        let run = chosen_work(&repository, self.run, For::Looking).ok()?;
        let mut halted = Halted::read(&repository, &run, &with(self.cassette)).ok()?;
        let _only_one = only_one(&run).ok()?;
        Some(full::run(&mut halted, ink))
    }
}

/// What a command that goes on must repeat.
fn with(cassette: Option<&Path>) -> String {
    let with = cassette.map(|file| format!(" --cassette {}", shell_word(&file.to_string_lossy())));
    with.unwrap_or_default()
}

/// Carries a command out. `None` where the run is still halted, and is to be shown again.
fn act(halted: &mut Halted, step: &NextStep, reason: Option<&str>) -> Result<Option<ExitCode>, Trouble> {
    let now = halted.again()?;
    if now.story.state != halted.story.state {
        print::message("tdd: somebody went on with this run meanwhile; look again, nothing was done");
        *halted = now;
        return Ok(None);
    }
    let words = shell_words::split(&step.command).ok();
    let words = words.map(|words| words.into_iter().map(OsString::from).collect::<Vec<_>>());
    let reason = reason.into_iter().flat_map(|reason| ["--reason".into(), OsString::from(reason)]);
    let Some(Ok(mut cli)) = words.map(|words| Cli::try_parse_from(words.into_iter().chain(reason))) else {
        return Err(Trouble::internal(format!("`{}` is no command", step.command)));
    };
    if halted.is_still_unedited(&cli) {
        let shown = halted.review();
        print::message(
            "nothing was edited since the halt, so no agent was started; edit code, test or requirement first \
             (your editor opens now), then choose the same number again",
        );
        editor::open(halted, shown.place.as_ref())?;
        return Ok(None);
    }
    // A halt comes back to this review.
    cli.run.halt.no_review = true;
    if let Some(Command::Resume(args)) = &mut cli.command {
        args.halt.no_review = true;
    }
    let code = crate::commands::run(cli, Reader::Person);
    // The run has listened to them; at the question below they are the terminal's again.
    signals::uninstall();
    match halted.again() {
        Ok(again) => {
            *halted = again;
            Ok(None)
        }
        // It is over, undone, or goes on elsewhere: the command has said what became of it.
        Err(_) => Ok(Some(code)),
    }
}

/// Whether a path is a file of the repository, wherever links lead: a child may have printed the name.
fn is_file_of(halted: &Halted, file: &Path) -> bool {
    let real = file.canonicalize().ok();
    let top = halted.repository.canonicalize().ok();
    real.zip(top).is_some_and(|(real, top)| real.starts_with(top) && real.is_file())
}

/// What the report that was written at the halt says of it: to compare trees takes longer than all else here.
fn said_to_repeat(run: &RunDir) -> Option<bool> {
    let text = regular_file::read_to_string(run.path.join("halt.json")).ok()?;
    serde_json::from_str::<serde_json::Value>(&text).ok()?.get("repeats")?.as_bool()
}

/// Whether the last two failed attempts left the same files. Not where they can't be compared any more.
pub(super) fn repeats(repository: &Path, state: &State, halt: &Halt) -> bool {
    let trees = state.ledgers.get(&halt.key).map(Ledger::failed_trees).unwrap_or_default();
    let [.., before, last] = trees.as_slice() else { return false };
    before == last || checkpoints::patch(repository, (before, last), &[]).is_ok_and(|patch| patch.is_empty())
}

/// What the failed attempts of this budget have changed. What one of them left in the tree is no change of the
/// next one's; a refactorer finds the tree as it was.
fn changed(story: &Story, halt: &Halt) -> Vec<Change> {
    let ledger = story.state.ledgers.get(&halt.key);
    let first = match halt.key {
        Key::Refactorer => ledger.and_then(|ledger| ledger.fresh().next_back()),
        Key::TestWriter | Key::Implementer(_) => ledger.and_then(|ledger| ledger.fresh().next()),
    };
    let since = first.map_or(0, |entry| entry.attempt.number);
    let told = story.attempts.iter().filter(|told| told.key == halt.key && told.number >= since);
    let all = told.flat_map(|told| told.findings.changed());
    let by_path: BTreeMap<_, _> = all.map(|one| (&one.path, one.kind)).collect();
    by_path.into_iter().map(|(path, kind)| Change { path: path.clone(), kind }).collect()
}

/// Whether a failed attempt that a limit stopped changed nothing but comments.
fn remarks_alone(repository: &Path, state: &State, halt: &Halt) -> bool {
    let failed = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.as_ref());
    let Some((good, failed)) = state.good.as_ref().zip(failed).filter(|_| halt.is_of_a_limit()) else {
        return false;
    };
    let patch = checkpoints::patch(repository, (good, failed), &[]);
    patch.is_ok_and(|patch| halt_report::is_of_remarks(&String::from_utf8_lossy(&patch)))
}

/// Where a refactorer's work first differs from the last good one.
fn first_change(repository: &Path, state: &State, halt: &Halt) -> Option<Place> {
    let failed = state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.as_ref());
    let (good, failed) = state.good.as_ref().zip(failed).filter(|_| halt.key == Key::Refactorer)?;
    let patch = checkpoints::patch(repository, (good, failed), &[]).ok()?;
    halt_report::first_change(&String::from_utf8_lossy(&patch))
}

fn setting_line(repository: &Path, state: &State, halt: &Halt) -> Option<u32> {
    let settings = config_file::read(&repository.join(&state.run.project)).ok()??;
    halt_report::setting_line(state, halt, &settings)
}

/// Holds the review of a run, as long as the file is open.
fn only_one(run: &RunDir) -> Result<File, Trouble> {
    let path = run.path.join("review.lock");
    let unheld = |error: std::io::Error| {
        Trouble::environment(format!("{} can't be made", path.display()))
            .because(error)
            .advise("see that you may write there")
    };
    let options = &mut File::options();
    let file = regular_file::with(options.write(true).create(true).truncate(false), &path).map_err(unheld)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::Error(error)) => Err(unheld(error)),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(Trouble::user(format!("{} is reviewed already", run.id))
                .because("another `tdd review` of it is open")
                .advise("go on there, or leave it first"))
        }
    }
}

impl Halted {
    fn read(repository: &Path, run: &RunDir, with: &str) -> Result<Self, Trouble> {
        let records = journal_file::read_for_state(&run.path)?;
        let story = story::story_in(run, &records)?;
        let told = Journalled::Cycle(Box::new(story.state.clone()));
        let status = RunStatus::of(repository, run, &told);
        status.refuse_past(run, &story.state.run.requirement.id)?;
        let Phase::Ended { end: End::Halted(halt) } = story.state.phase.clone() else {
            return Err(Trouble::user(format!("{} has not halted", run.id))
                .because(status.words(&told.phase()))
                .advise(format!("`tdd status {}` says what can be done", run.id)));
        };
        let changed = changed(&story, &halt);
        let facts = HaltFacts {
            run_dir: run.path.display().to_string(),
            root: repository.display().to_string(),
            work: files::where_the_work_is(repository, &story.state, (&halt, &changed)),
            changed,
            touched: touched(&halt.verdict),
            allowable: story::policy_of(&records)
                .map(|policy| allowable(&policy, &halt.verdict))
                .unwrap_or_default(),
            raw_tail: String::new(),
            resume_with: with.to_owned(),
            is_followed: run_status::later_work(repository, &run.id).is_some(),
            repeats: said_to_repeat(run).unwrap_or_else(|| repeats(repository, &story.state, &halt)),
            is_edited: false,
            remarks_alone: remarks_alone(repository, &story.state, &halt),
            first_change: first_change(repository, &story.state, &halt),
            setting_line: setting_line(repository, &story.state, &halt),
            fences: None,
        };
        let (repository, run, with) = (repository.to_owned(), run.clone(), with.to_owned());
        let mut halted = Self { repository, run, story, halt, facts, with };
        // A look at the whole tree, where it decides what is advised. Where that can't be told it is not said.
        halted.facts.is_edited = halted.facts.repeats && halted.is_past_good().unwrap_or(false);
        Ok(halted)
    }

    /// The same run as its journal tells it now.
    fn again(&self) -> Result<Self, Trouble> {
        Self::read(&self.repository, &self.run, &self.with)
    }

    fn review(&self) -> Review {
        review(&self.story.state, &self.halt, &self.facts)
    }

    fn show(&self) -> Review {
        let shown = self.review();
        print::result(&format!("\n{}\n{}\n", shown.page, plain::KEYS));
        shown
    }
}
