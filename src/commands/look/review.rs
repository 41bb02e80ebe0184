//! `tdd review`: an operator judges a halted run, line by line (contract section 13).
//!
//! Every action is the command that the report names, carried out by the same code: nothing can be done
//! here that can't be typed. Before each the journal is read again, since somebody may have gone on with
//! the run meanwhile.

mod editor;
mod panes;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::cli::look::ReviewArgs;
use crate::commands::journalled::Journalled;
use crate::commands::run_status::{self, RunStatus};
use crate::commands::status::{chosen_run, repository};
use crate::driver::report::touched;
use crate::text::halt_report::{HaltFacts, NextStep, Review, review};
use crate::view::{dialog, print};
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_child::signals;
use tdd_core::finding::Change;
use tdd_core::halt::Halt;
use tdd_core::harmless::shell_word;
use tdd_core::state::{End, Phase};
use tdd_core::story::Story;
use tdd_core::trouble::Trouble;

/// A halted run under review.
pub(super) struct Halted {
    pub(super) repository: PathBuf,
    pub(super) run: RunDir,
    pub(super) story: Story,
    pub(super) halt: Halt,
    pub(super) facts: HaltFacts,
}

const KEYS: &str = "look  c criterion  o output  d diff  p prompt  s said  j journal  r report\n\
                    do    a number  e edit  ? again  q leave";

/// Shows the halt, and does what is asked until the run goes on or is left.
pub fn run(args: &ReviewArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let run = chosen_run(&repository, args.run.as_deref())?;
    let with =
        args.cassette.as_deref().map(|file| format!(" --cassette {}", shell_word(&file.to_string_lossy())));
    let with = with.unwrap_or_default();
    let mut halted = Halted::read(&repository, &run, &with)?;
    let _only_one = only_one(&run)?;
    let mut shown = halted.show();
    if !dialog::is_possible() {
        print::message(
            "tdd: nobody is at a terminal, so nothing is asked; the numbers are commands of the report",
        );
        return Ok(ExitCode::from(1));
    }
    loop {
        let Some(word) = dialog::ask("review> ") else { return Ok(ExitCode::from(1)) };
        match Key::of(&word, &shown) {
            Key::Leave => return Ok(ExitCode::from(1)),
            Key::Again => shown = halted.show(),
            Key::Unknown => print::message(&format!("no such key; {KEYS}")),
            Key::Look(pane) => panes::show(&halted, &shown, pane)?,
            Key::Edit => editor::open(&halted, shown.place.as_ref()),
            Key::Do(step) => {
                if step.is_final()
                    && !dialog::agrees(&format!("{}\n  {}\nreally? [y/N] ", step.what, step.command))
                {
                    continue;
                }
                match act(&mut halted, &step, &with)? {
                    Some(code) => return Ok(code),
                    None => shown = halted.show(),
                }
            }
        }
    }
}

/// What was typed.
enum Key {
    Leave,
    Again,
    Unknown,
    Look(char),
    Edit,
    Do(NextStep),
}

impl Key {
    fn of(word: &str, shown: &Review) -> Self {
        let step = word.parse::<usize>().ok().and_then(|number| shown.steps.get(number.checked_sub(1)?));
        match (word, step) {
            (_, Some(step)) => Self::Do(step.clone()),
            ("q", None) => Self::Leave,
            ("?" | "", None) => Self::Again,
            ("e", None) => Self::Edit,
            ("c" | "o" | "d" | "p" | "s" | "j" | "r", None) => {
                Self::Look(word.chars().next().unwrap_or_default())
            }
            (_, None) => Self::Unknown,
        }
    }
}

/// Carries a command out. `None` where the run is still halted, and is to be shown again.
fn act(halted: &mut Halted, step: &NextStep, with: &str) -> Result<Option<ExitCode>, Trouble> {
    let (repository, run) = (halted.repository.clone(), halted.run.clone());
    let now = Halted::read(&repository, &run, with)?;
    if now.story.state != halted.story.state {
        print::message("tdd: somebody went on with this run meanwhile; look again, nothing was done");
        *halted = now;
        return Ok(None);
    }
    let words: Option<Vec<OsString>> =
        shell_words::split(&step.command).ok().map(|words| words.into_iter().map(OsString::from).collect());
    let Some(Ok(cli)) = words.map(Cli::try_parse_from) else {
        return Err(Trouble::internal(format!("`{}` is no command", step.command)));
    };
    let code = crate::commands::run(cli);
    // The run has listened to them; at the question below they are the terminal's again.
    signals::uninstall();
    match Halted::read(&repository, &run, with) {
        Ok(again) => {
            *halted = again;
            Ok(None)
        }
        // It is over, undone, or goes on elsewhere: the command has said what became of it.
        Err(_) => Ok(Some(code)),
    }
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
        let told = Journalled::read(run)?.0;
        let status = RunStatus::of(repository, run, &told);
        let story = super::story_of(run)?;
        status.refuse_past(run, &story.state.run.requirement.id)?;
        let Phase::Ended { end: End::Halted(halt) } = story.state.phase.clone() else {
            return Err(Trouble::user(format!("{} has not halted", run.id))
                .because(status.words(&told.phase()))
                .advise(format!("`tdd status {}` says what can be done", run.id)));
        };
        let failed = story.attempts.iter().rev().find(|one| one.key == halt.key);
        let changed = failed.map(|one| one.findings.changed()).unwrap_or_default().iter();
        let facts = HaltFacts {
            run_dir: run.path.display().to_string(),
            root: repository.display().to_string(),
            changed: changed.map(|one| Change { path: one.path.clone(), kind: one.kind }).collect(),
            touched: touched(&halt.verdict),
            raw_tail: String::new(),
            resume_with: with.to_owned(),
            is_followed: run_status::later_work(repository, &run.id).is_some(),
        };
        Ok(Self { repository: repository.to_owned(), run: run.clone(), story, halt, facts })
    }

    fn show(&self) -> Review {
        let shown = review(&self.story.state, &self.halt, &self.facts);
        print::result(&format!("\n{}\n{KEYS}\n", shown.page));
        shown
    }
}
