//! What a run or a session alone holds of what somebody else has written: it is not removed without a word.

use super::{Candidate, Kind, LISTED, counted, sessions};
use crate::commands::runs::journalled::Journalled;
use tdd_core::event::Event;
use tdd_core::harmless::{line, typed_word};
use tdd_core::kept_work;
use tdd_core::labels;
use tdd_core::machine::PutBack;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::run_refs::RunRefs;
use tdd_snapshot::checkpoints::run_refs::taken::Taken;

/// What is said of a candidate that is the only one to hold somebody's commits or changes.
pub(super) fn alone(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    if candidate.kind == Kind::Session {
        return sessions::held_alone(refs, candidate);
    }
    let told = [commits(refs, candidate)?, files(refs, candidate)?];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let shown = candidate.shown();
    Ok((!told.is_empty()).then(|| {
        format!(
            "{shown}: {}\nremove them with the run: tdd clean {shown} --discard-commits",
            told.join("\nand ")
        )
    }))
}

fn commits(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    let only = refs.only_holders(&candidate.name)?;
    let Some((first, _)) = only.first() else { return Ok(None) };
    let lines = only.iter().take(LISTED).map(|(name, subject)| format!("  {name}  {}", line(subject)));
    let lines: Vec<String> = lines.collect();
    Ok(Some(format!(
        "nothing else holds {} of what was found in the repository or the work tree:\n{}\n\
         keep one: git branch NAME {first}",
        counted(only.len(), "commit"),
        lines.join("\n"),
    )))
}

/// The same of files that a person has written, or may have.
fn files(refs: &RunRefs, candidate: &Candidate) -> Result<Option<String>, Trouble> {
    let name = &candidate.name;
    let told = candidate.folder.as_ref().and_then(|dir| Journalled::read(dir).ok());
    let records = told.map(|(_, records)| records).unwrap_or_default();
    let mut theirs: Vec<Taken> = Vec::new();
    for record in &records {
        note(&mut theirs, &record.event);
    }
    // Of a run that was killed before it could tell, any file may be one.
    let is_told = |one: &Taken| theirs.iter().any(|told| told.label == one.label);
    let untold = refs.all_labelled(name, labels::THEIRS).into_iter().filter(|one| !is_told(one));
    let untold: Vec<Taken> = untold.collect();
    theirs.extend(untold);
    let unnamed = kept_work::unnamed(records.iter().map(|record| &record.event));
    theirs.extend(unnamed.into_iter().map(|(label, files)| Taken { label, files: Some(files) }));
    let only = refs.only_contents(name, &theirs)?;
    let Some(first) = only.first() else { return Ok(None) };
    let lines = only.iter().take(LISTED).map(|one| format!("  {}  {}", one.label, line(one.path.as_str())));
    let lines: Vec<String> = lines.collect();
    Ok(Some(format!(
        "nothing else holds {} of files that somebody else has written, or may have:\n{}\n\
         keep one: git show {} > FILE",
        counted(only.len(), "version"),
        lines.join("\n"),
        typed_word(&first.revision())
    )))
}

/// What is somebody's, or may be, less what was seen to be made by tests.
fn note(theirs: &mut Vec<Taken>, event: &Event) {
    let Event::Edited { paths, kept, put_back, .. } = event else { return };
    let label = labels::of_tree(labels::THEIRS, kept);
    if *put_back == Some(PutBack::StillWritten) {
        return;
    }
    if *put_back == Some(PutBack::MadeAgain) {
        for one in theirs.iter_mut().filter(|one| one.label == label) {
            one.files.iter_mut().for_each(|files| files.retain(|path| !paths.contains(path)));
        }
    } else {
        theirs.push(Taken { label, files: Some(paths.iter().cloned().collect()) });
    }
}
