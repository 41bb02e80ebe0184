//! What a run or a session alone holds of what somebody else has written: it is not removed without a word.

use super::{Candidate, Kind, LISTED, counted, sessions};
use crate::commands::journalled::Journalled;
use tdd_core::event::Event;
use tdd_core::harmless::line;
use tdd_core::kept_work;
use tdd_core::labels;
use tdd_core::machine::PutBack;
use tdd_core::path::RelPath;
use tdd_core::policy::{self, Policy};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::run_refs::RunRefs;
use tdd_snapshot::checkpoints::run_refs::taken::Taken;
use tdd_source::Language;

/// The label of the tree that a run began with.
const ZERO: &str = "0";

/// What is said of a candidate that is the only one to hold somebody's commits or changes.
pub(super) fn alone(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    if candidate.kind == Kind::Session {
        return sessions::held_alone(refs, candidate);
    }
    let only = refs.only_holders(&candidate.name)?;
    let shown = candidate.shown();
    let Some((first, _)) = only.first() else { return files(refs, candidate) };
    let lines = only.iter().take(LISTED).map(|(name, subject)| format!("  {name}  {}", line(subject)));
    let lines: Vec<String> = lines.collect();
    Ok(Some(format!(
        "{shown}: nothing else holds {} of what was found in the repository or the work tree:\n{}\n\
         keep one: git branch NAME {first}\nremove them with the run: tdd clean {shown} --discard-commits",
        counted(only.len(), "commit"),
        lines.join("\n"),
    )))
}

/// The same of files that a person has written, or may have.
fn files(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    let (name, shown) = (&candidate.name, candidate.shown());
    let told = candidate.folder.as_ref().and_then(|dir| Journalled::read(dir).ok());
    let records = told.map(|(_, records)| records).unwrap_or_default();
    let mut theirs: Vec<Taken> = records.iter().filter_map(|record| theirs(&record.event)).collect();
    // Of a run that was killed before it could tell, any file may be one.
    let is_told = |one: &Taken| theirs.iter().any(|told| told.label == one.label);
    let untold = refs.all_labelled(name, labels::THEIRS).into_iter().filter(|one| !is_told(one));
    let untold: Vec<Taken> = untold.collect();
    theirs.extend(untold);
    let unnamed = kept_work::unnamed(records.iter().map(|record| &record.event));
    theirs.extend(unnamed.into_iter().map(|(label, files)| Taken { label, files: Some(files) }));
    theirs.extend(before_anybody(refs, name, records.iter().map(|record| &record.event)));
    let only = refs.only_contents(name, &theirs)?;
    let Some((first, path)) = only.first() else { return Ok(None) };
    let lines = only.iter().take(LISTED).map(|(label, path)| format!("  {label}  {}", line(path)));
    let lines: Vec<String> = lines.collect();
    Ok(Some(format!(
        "{shown}: nothing else holds {} of files that somebody else has written, or may have:\n{}\n\
         keep one: git show {first}:{} > FILE\nremove them with the run: tdd clean {shown} --discard-commits",
        counted(only.len(), "version"),
        lines.join("\n"),
        line(path)
    )))
}

/// What has changed from the beginning of a run to its first role: a person was at work while the baseline ran, or the
/// tests made it. By-products are nobody's.
fn before_anybody<'e>(refs: &RunRefs, run: &str, events: impl Iterator<Item = &'e Event>) -> Option<Taken> {
    let mut settled = None;
    let mut label = None;
    for event in events {
        if let Event::PolicySettled { policy } = event {
            settled = Some(policy);
        } else if let (Event::AttemptStarted { attempt }, None) = (event, &label) {
            label = Some(labels::of_attempt(&attempt.key, attempt.number));
        }
    }
    let effective = settled?;
    let policy = Policy::of((**effective).clone()).ok()?;
    let attempt = label?;
    let of_kind = |kind| labels::of_kind(kind, Some(&attempt));
    let label = of_kind("before");
    // What is new is a person's where it is code or prose; tests leave files of other kinds.
    let is_written = |path: &RelPath| {
        Language::of(path.extension()).is_some() || policy::is_document(path, &effective.specs_dir)
    };
    let mut files = refs.added(run, [ZERO, &label]);
    files.retain(is_written);
    files.extend(refs.changed(run, [ZERO, &label]));
    // And what tests write again and again is theirs.
    let again = refs.changed(run, [&of_kind("after"), &of_kind("after-runs")]);
    files.retain(|path| !policy.looks_like_by_product(path) && !again.contains(path));
    Some(Taken { label, files: Some(files) })
}

fn theirs(event: &Event) -> Option<Taken> {
    let Event::Edited { paths, kept, put_back, .. } = event else { return None };
    if *put_back == Some(PutBack::MadeAgain) {
        return None;
    }
    Some(Taken { label: labels::of_tree(labels::THEIRS, kept), files: Some(paths.iter().cloned().collect()) })
}
