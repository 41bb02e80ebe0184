//! `tdd undo`: the work tree as it was before a run, byte for byte (contract sections 2 and 7).
//!
//! Nothing is lost by it: the tree as it is gets a checkpoint first, and what somebody else
//! changed is not overwritten unasked. Going back is the operator's action on the tree and no step of
//! the run; that it was done is told in its journal afterwards.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

mod own;
mod story;
mod words;

use self::story::{Story, chosen};
use self::words::{
    action, commit_advice, elsewhere, files, given_back, left_elsewhere, left_permissions, listed,
    of_run_and_others, present, see,
};
use super::run::execute;
use crate::cli::UndoArgs;
use crate::commands::runs::chosen::repository;
use crate::commands::runs::journalled::tell_undone;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::text::object::VERSION;
use crate::view::print;
use crate::world::journal_file::folders;
use crate::world::lock::WorkTreeLock;
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::harmless::{line, shell_word};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::restore::{Outlook, Restore, RulesUsed};
use tdd_snapshot::git_facts;

/// How many paths are listed for a person.
const LISTED: usize = 20;
/// How many of them a command is given for, which compares one.
const MOST_COMPARED: usize = 5;
/// The label of checkpoint 0.
const ZERO: &str = "0";

/// Brings the tree back, or says why not.
pub fn run(args: &UndoArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let run = chosen(&repository, args)?;
    folders::check(&repository, &run)?;
    let _lock = WorkTreeLock::acquire(&repository)?;
    // Before the tree is looked at: what a killed run has started may still write to it.
    execute::reap(&repository);
    let mut way = Restore::open(&repository, &run.id, &run.path)?;
    let story = Story::read(&repository, &run, &way, args)?;
    let target = target(&way, &run.id, &story, args)?;
    let since = story.began_ms.filter(|_| args.to.is_none()).map(|began| began / 1000);
    let outlook = way.outlook(&target.checkpoint, &story.own, since)?;
    if args.to.is_none() && way.labelled(ZERO).is_none() {
        // Somebody deleted our refs; the objects must be safe from `git gc`.
        way.keep(ZERO, &target.checkpoint)?;
        print::message(&format!("tdd: {} was gone; put back", way.ref_name(ZERO)));
    }
    if let Some(left) = left_permissions(&outlook.left_permissions) {
        print::message(&left);
    }
    if let Some(what) = git_facts::half_merged(&repository).filter(|_| !args.json) {
        print::message(&format!("tdd: {what}"));
    }
    let told = Told { args, repository, run, story, target, outlook };
    told.refuse_elsewhere(&way)?;
    if told.has_left_nothing() || told.outlook.is_there() {
        told.end_where_it_is(&mut way)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.to.is_none() && !args.discard_changes {
        let refused = told.story.status.refuse_superseded(&told.run.id);
        refused.inspect_err(|_| told.say(Outcome::Refused, None))?;
    }
    told.refuse_what_is_in_the_way()?;
    told.refuse_foreign(&way)?;
    told.refuse_committed()?;
    if way.rules == RulesUsed::OfToday {
        print::message(
            "tdd: the run's own rules about ignored files are gone or damaged; today's rules are used",
        );
    }
    let (label, now) = way.keep_undone(&told.outlook)?;
    told.say_discarded();
    let went = way.go(&told.outlook);
    if went.is_err() {
        way.note_broken_off(&told.outlook, (&label, &now));
    }
    let kept = Some((way.ref_name(&label), now));
    if let Err(trouble) = went {
        print::trouble(&trouble);
        told.say(Outcome::Broken, kept.as_ref());
        return Ok(ExitCode::from(1));
    }
    if let Some((_, now)) = &kept {
        tell_undone(&told.run, &told.target.checkpoint, (&label, now));
    }
    way.done();
    told.say(Outcome::Undone, kept.as_ref());
    Ok(ExitCode::SUCCESS)
}

/// Where to.
struct Target {
    /// For a person: `checkpoint 0`.
    name: String,
    checkpoint: CheckpointId,
}

fn target(way: &Restore, run: &RunId, story: &Story, args: &UndoArgs) -> Result<Target, Trouble> {
    if let Some(wanted) = &args.to {
        let label = wanted.strip_prefix(&way.ref_name("")).unwrap_or(wanted);
        let Some(checkpoint) = way.named(label).or_else(|| story.labels.get(label).cloned()) else {
            // Of a run that has ended each has its ref, or is gone.
            let untold = story.labels.keys().filter(|_| story.unfinished.is_some());
            let labels: BTreeSet<String> = way.labels().into_iter().chain(untold.cloned()).collect();
            let shown = labels.iter().rev().take(LISTED).cloned().collect::<Vec<_>>().join("\n");
            let trouble = Trouble::user(format!("the run has no checkpoint `{}`", line(wanted)));
            return Err(if labels.is_empty() {
                trouble
                    .because("its checkpoints are gone")
                    .advise(format!("`tdd clean {run}` removes the rest of it; `tdd status` lists all runs"))
            } else {
                trouble.advise(format!("it has these:\n{shown}"))
            });
        };
        return Ok(Target { name: format!("checkpoint {label}"), checkpoint });
    }
    let Some(zero) = story.zero.clone() else {
        return Err(Trouble::user("the run has no checkpoint 0")
            .because("it ended before it took one, so it changed nothing")
            .advise("name another run: `tdd status` lists them"));
    };
    Ok(Target { name: "checkpoint 0".to_owned(), checkpoint: zero })
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Undone,
    Already,
    Refused,
    Broken,
}

/// All that is said at the end.
struct Told<'a> {
    args: &'a UndoArgs,
    repository: PathBuf,
    run: RunDir,
    story: Story,
    target: Target,
    outlook: Outlook,
}

impl Told<'_> {
    /// The tree is as it is to be, or no business of the run's.
    fn end_where_it_is(&self, way: &mut Restore) -> Result<(), Trouble> {
        if self.has_left_nothing() {
            way.done();
            self.say(Outcome::Already, None);
            return Ok(());
        }
        way.finish_folders(&self.outlook)?;
        let broken_off = self.outlook.broken_off.clone();
        if let Some((label, now)) = &broken_off {
            tell_undone(&self.run, &self.target.checkpoint, (label, now));
        } else if !matches!(self.story.status, RunStatus::Undone { .. }) && self.args.to.is_none() {
            tell_undone(&self.run, &self.target.checkpoint, (ZERO, &self.target.checkpoint));
        }
        let kept = broken_off.map(|(label, now)| (way.ref_name(&label), now));
        way.done();
        self.say(if kept.is_some() { Outcome::Undone } else { Outcome::Already }, kept.as_ref());
        Ok(())
    }

    /// Of a run that was refused there is nothing to take back, whatever others have done since, but for what its
    /// first tests have left.
    fn has_left_nothing(&self) -> bool {
        let is_untouched = self.outlook.is_there() || !self.outlook.foreign.is_empty();
        let is_asked = self.args.to.is_some() || self.args.discard_changes;
        let is_told = self.outlook.broken_off.is_some() || self.story.status != RunStatus::AsJournalled;
        self.story.left_nothing && is_untouched && !is_asked && !is_told
    }

    /// The tree of another branch is as before the run because its work is on that one, and is not taken back by it.
    fn refuse_elsewhere(&self, way: &Restore) -> Result<(), Trouble> {
        let is_undone = matches!(self.story.status, RunStatus::Undone { .. } | RunStatus::HalfUndone { .. });
        let is_none = is_undone || self.args.to.is_some() || self.story.left_nothing;
        let (Some(began), false) = (self.story.began_ms, is_none) else { return Ok(()) };
        let places = way.elsewhere(&self.outlook, &self.story.own, began / 1000)?;
        if places.is_empty() {
            return Ok(());
        }
        // What lies in the tree is somebody else's alone, and may go where that is said.
        if self.args.discard_changes && !self.outlook.is_there() {
            if !self.args.json {
                print::message(&left_elsewhere(&places, &self.run.id));
            }
            return Ok(());
        }
        self.say(Outcome::Refused, None);
        Err(elsewhere(&places, &self.run.id))
    }

    fn refuse_what_is_in_the_way(&self) -> Result<(), Trouble> {
        let paths = &self.outlook.in_the_way;
        if paths.is_empty() {
            return Ok(());
        }
        let listed: Vec<String> = paths.iter().take(LISTED).map(|path| line(path.as_str())).collect();
        self.say(Outcome::Refused, None);
        Err(Trouble::user("what no checkpoint holds stands where files must come back")
            .because(format!("ignored files stand in the way of:\n{}", listed.join("\n")))
            .advise("nothing was changed; move what stands there away, then try again"))
    }

    /// Once they are kept indeed.
    fn say_discarded(&self) {
        let foreign = &self.outlook.foreign;
        if !foreign.is_empty() && !self.args.json {
            let list = listed(foreign, present);
            print::message(&format!("changed since by somebody else, and kept in a checkpoint:\n{list}"));
        }
    }

    fn refuse_foreign(&self, way: &Restore) -> Result<(), Trouble> {
        let foreign = &self.outlook.foreign;
        if foreign.is_empty() {
            return Ok(());
        }
        let list = listed(foreign, present);
        if self.args.discard_changes {
            return Ok(());
        }
        self.say(Outcome::Refused, None);
        let run = &self.run.id;
        let to = self.args.to.as_ref().map(|to| format!(" --to {}", shell_word(to))).unwrap_or_default();
        let mut next = vec!["nothing was changed".to_owned()];
        let later = self.later_run();
        if let Some(later) = &later {
            next.push(format!("a later run may have changed them; take that back first: tdd undo {later}"));
        }
        let is_undone = matches!(self.story.status, RunStatus::Undone { .. }) && self.args.to.is_none();
        let own = &self.story.own.trees;
        let trees = if is_undone { std::slice::from_ref(&self.target.checkpoint) } else { own.as_slice() };
        let apart = way.told_apart(trees, &self.outlook, MOST_COMPARED);
        next.extend(see(&self.repository, &apart));
        // Where another run's work lies on top that would go, too.
        next.extend(later.is_none().then(|| {
            format!("go back all the same, with the tree as it is kept first: tdd undo {run}{to} --discard-changes")
        }));
        let cut = self.story.unfinished.is_some() && self.story.own.at_work.is_none();
        let is_unnamed = foreign.iter().all(|change| self.story.unnamed.contains(&change.path));
        let who = match (cut, &later) {
            (_, None) if is_unnamed => {
                "while a role was at work, by that or by somebody else: no block names them"
            }
            (true, _) => "by somebody else, or by a child that was cut off",
            (false, Some(_)) => "by a later run, or by somebody else",
            (false, None) => "by somebody else",
        };
        let count = files(foreign.len());
        let what = if is_undone {
            format!("the run is undone already, and {count} would be overwritten that were changed since")
        } else if is_unnamed {
            format!("{count} would be overwritten that may be somebody else's")
        } else {
            format!("{count} would be overwritten that the run did not leave")
        };
        let since = if is_unnamed { "changed" } else { "changed since" };
        Err(Trouble::user(what).because(format!("{since} {who}:\n{list}")).advise(next.join("\n")))
    }

    /// What the person has committed meanwhile is not taken out of the work tree unasked.
    fn refuse_committed(&self) -> Result<(), Trouble> {
        let committed = &self.outlook.committed;
        if committed.is_empty() {
            return Ok(());
        }
        let list = listed(committed, action);
        if self.args.committed {
            if !self.args.json {
                print::message(&format!("committed since; taken back in the work tree alone:\n{list}"));
            }
            return Ok(());
        }
        self.say(Outcome::Refused, None);
        let flag = if self.args.discard_changes { " --discard-changes" } else { "" };
        Err(Trouble::user(of_run_and_others(committed, &self.outlook.foreign))
            .because(format!(
                "the work tree alone would be taken back, and git would show that as changes to HEAD:\n{list}"
            ))
            .advise(format!(
                "nothing was changed\n{}\n\
                 to take the files back in the work tree all the same: tdd undo {}{flag} --committed",
                commit_advice(&self.outlook.commits),
                self.run.id
            )))
    }

    /// Runs are taken back from the newest down.
    fn later_run(&self) -> Option<RunId> {
        run_status::later_work(&self.repository, &self.run.id)
    }

    fn say(&self, outcome: Outcome, kept: Option<&(String, CheckpointId)>) {
        let text = if self.args.json {
            format!("{}\n", self.json(outcome, kept))
        } else if outcome == Outcome::Refused {
            return;
        } else {
            self.text(outcome, kept.map(|(name, _)| name.as_str()))
        };
        print::result(&text);
    }

    /// The command that takes this undo back.
    fn back(&self, kept: &str) -> String {
        let label = kept.rsplit('/').next().unwrap_or(kept);
        format!("tdd undo {} --to {label}", self.run.id)
    }

    fn json(&self, outcome: Outcome, kept: Option<&(String, CheckpointId)>) -> Value {
        json!({
            "type": "undo", "v": VERSION, "outcome": outcome, "run": self.run.id, "to": self.target.checkpoint,
            "changes": self.outlook.changes, "foreign": self.outlook.foreign,
            "in_the_way": self.outlook.in_the_way, "given_back": self.outlook.given_back,
            "committed": self.outlook.committed,
            "kept_as": kept.map(|(name, _)| name), "kept": kept.map(|(_, now)| now),
            "back": kept.map(|(name, _)| self.back(name)),
            "unfinished": self.story.unfinished,
        })
    }

    fn text(&self, outcome: Outcome, kept: Option<&str>) -> String {
        let (run, name) = (&self.run.id, &self.target.name);
        let short = self.target.checkpoint.0.get(..12).unwrap_or(&self.target.checkpoint.0);
        let changes = &self.outlook.changes;
        let mut text = match outcome {
            Outcome::Already | Outcome::Refused if self.has_left_nothing() => {
                return format!(
                    "nothing to undo: {run} was refused before any work was done, and has changed nothing\n"
                );
            }
            Outcome::Already | Outcome::Refused => {
                let mut text =
                    format!("nothing to undo: the work tree is as {name} ({short}) of {run} holds it\n");
                text.push_str(&given_back(&self.outlook.given_back));
                let is_undone = matches!(self.story.status, RunStatus::Undone { .. });
                let below = is_undone.then(|| run_status::work_below(&self.repository, run)).flatten();
                if let Some(below) = below {
                    let _ = writeln!(
                        text,
                        "the work of a run before it lies in the tree; to take that back, too:\n  tdd undo {below}"
                    );
                }
                return text;
            }
            Outcome::Broken => format!("broken off on the way to {name} ({short}) of {run}\n"),
            Outcome::Undone => format!(
                "undone: the work tree is as {name} ({short}) of {run} holds it, {}\n{}\n",
                files(changes.len()),
                listed(changes, action)
            ),
        };
        text.push_str(&given_back(&self.outlook.given_back));
        text.push_str("branch, HEAD, index and stash were left alone, and so were ignored files\n");
        if let Some(kept) = kept {
            let back = self.back(kept);
            let _ = writeln!(text, "the tree as it was before this is kept as {kept}; back to it:\n  {back}");
        }
        if let Some(phase) = &self.story.unfinished {
            // One that is as before the run is undone, and no checkpoint else.
            let then = if self.story.zero.as_ref() == Some(&self.target.checkpoint) {
                format!("nothing goes on with it now, `tdd clean {run}` forgets it")
            } else {
                format!("to go on with it: tdd resume {run}")
            };
            let _ = writeln!(text, "the run was unfinished ({}); {then}", line(phase));
        }
        text
    }
}
