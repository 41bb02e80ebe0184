//! A run that the operator gave up.

use std::path::Path;

use crate::exit::Exit;
use crate::settings::OutputMode;
use crate::text::object::{AwayTests, Content, GivenUp};
use crate::view::print;
use tdd_core::attempt::CheckpointId;
use tdd_core::harmless::shell_word;
use tdd_core::held_out::HeldOut;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints;
use tdd_core::state::State;
use tdd_core::trouble::Trouble;

pub(super) fn tell(state: &State, folder: &Path, output: OutputMode) {
    let run_dir = folder.display().to_string();
    let held_out = state.held.as_deref().and_then(away);
    if output.is_json() {
        let content = Content::GivenUp(GivenUp { run: state.run.run.clone(), run_dir, held_out });
        print::result(&content.last(Exit::Halted.code()));
        return;
    }
    let held_out = held_out.map(|away| in_words(&away)).unwrap_or_default();
    print::message(&format!(
        "tdd: the run is given up; the tree stays as it is\n  run folder: {run_dir}{held_out}"
    ));
}

/// A person may have put them back into the tree.
pub(super) fn look_for_held_out(
    held: &mut HeldOut,
    checkpoints: &mut impl Checkpoints,
    now: &CheckpointId,
) -> Result<(), Trouble> {
    for parted in &held.parting.criteria {
        let mut are_there = true;
        for file in parted.all_files() {
            let is = checkpoints.read(now, &file.path)?;
            are_there &= is == checkpoints.read(&held.parting.whole, &file.path)?;
        }
        if are_there && !held.put_back.contains(&parted.id) {
            held.put_back.push(parted.id.clone());
        }
    }
    Ok(())
}

/// Held-out tests that the run has left out of the tree.
fn away(held: &HeldOut) -> Option<AwayTests> {
    let files: Vec<RelPath> = held.away().into_iter().map(|file| file.path).collect();
    (!files.is_empty()).then(|| AwayTests { tree: held.parting.whole.clone(), files })
}

fn in_words(away: &AwayTests) -> String {
    let files: Vec<String> =
        away.files.iter().map(|file| shell_word(&format!(":/{}", file.as_str()))).collect();
    format!(
        "\n  held-out tests stay out of the tree; as the test-writer wrote them, they are in {tree}\n  \
         look:          git diff {tree} -- {files}\n  \
         put them back: git restore --source={tree} --worktree -- {files}",
        tree = away.tree.0.get(..12).unwrap_or(&away.tree.0),
        files = files.join(" ")
    )
}
