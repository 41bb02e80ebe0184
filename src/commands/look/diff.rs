//! `tdd diff`: what the roles of a run wrote, as a patch, with files that git does not know yet.
//! Exit 0, or 2 if there is no such run or work.

use std::process::ExitCode;

use crate::cli::look::DiffArgs;
use crate::commands::runs::chosen::{chosen_work, repository};
use crate::commands::runs::status::For;
use crate::commands::runs::story;
use crate::view::{patch, print};
use tdd_core::attempt::CheckpointId;
use tdd_core::criterion::CriterionId;
use tdd_core::judge::Verdict;
use tdd_core::story::{Story, Told};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;

/// What is shown: from where to where, and in words.
struct Shown {
    from: CheckpointId,
    to: CheckpointId,
    what: String,
}

/// Prints the patch.
pub fn run(args: &DiffArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    // `tdd diff AC-STE-1.1` is of the newest run.
    let is_criterion = |word: &&String| word.to_ascii_uppercase().starts_with("AC-");
    let (run, criterion) = match (&args.run, &args.criterion) {
        (Some(word), None) if is_criterion(&word) => (None, Some(word)),
        (run, criterion) => (run.as_ref(), criterion.as_ref()),
    };
    let run = chosen_work(&repository, run.map(String::as_str), For::Looking)?;
    let story = story::story_of(&run)?;
    let shown = match criterion {
        Some(word) => {
            let id = super::criterion(&story, word)?;
            let of = if args.failed { failed_work } else { kept_work };
            of(&story, id)?
        }
        None if args.failed => of_failed(&story)?,
        None => of_run(&story)?,
    };
    print::message(&format!("tdd: {}: {}", run.id, shown.what));
    let bytes = checkpoints::patch(&repository, (&shown.from, &shown.to), &[])?;
    patch::print(&bytes);
    Ok(ExitCode::SUCCESS)
}

fn of_run(story: &Story) -> Result<Shown, Trouble> {
    let (Some(from), Some(to)) = (story.state.start.clone(), story.state.good.clone()) else {
        return Err(nothing(story, "no work was kept yet"));
    };
    Ok(Shown { from, to, what: "all work that was kept".to_owned() })
}

fn kept_work(story: &Story, id: &CriterionId) -> Result<Shown, Trouble> {
    let last = story.of(id).rev().find(|told| told.verdict == Verdict::Passed && told.left.is_some());
    last.and_then(of_attempt).ok_or_else(|| nothing(story, &format!("no work for {id} was kept")))
}

fn failed_work(story: &Story, id: &CriterionId) -> Result<Shown, Trouble> {
    let last = story.of(id).rev().find(|told| told.verdict != Verdict::Passed && told.left.is_some());
    last.and_then(of_attempt).ok_or_else(|| nothing(story, &format!("no attempt for {id} failed")))
}

/// The newest failed attempt of anybody.
fn of_failed(story: &Story) -> Result<Shown, Trouble> {
    let last =
        story.attempts.iter().rev().find(|told| told.verdict != Verdict::Passed && told.left.is_some());
    last.and_then(of_attempt).ok_or_else(|| nothing(story, "no attempt has failed"))
}

fn of_attempt(told: &Told) -> Option<Shown> {
    let word = if told.verdict == Verdict::Passed { "passed" } else { "failed" };
    let what = format!("{}, attempt {}, {word}", told.key, told.number);
    Some(Shown { from: told.from.clone()?, to: told.left.clone()?, what })
}

fn nothing(story: &Story, why: &str) -> Trouble {
    Trouble::user(format!("{} has nothing to show", story.state.run.run))
        .because(why)
        .advise(format!("`tdd status {}` says where it stands", story.state.run.run))
}
