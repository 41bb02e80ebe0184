//! `tdd show`: the report of a run again, as it was printed when it ended. Exit 0, or 2 if there is none.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::look::ShowArgs;
use crate::commands::runs::chosen::{chosen_work, repository};
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::{For, RunStatus};
use crate::view::print;
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_core::harmless;
use tdd_core::state::{End, Phase};
use tdd_core::trouble::Trouble;

/// Bytes of a report at most; ours are far smaller.
const LARGEST: u64 = 8 << 20;

/// Prints the halt report or the summary.
pub fn run(args: &ShowArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let run = chosen_work(&repository, args.run.as_deref(), For::Looking)?;
    // A run that halted and went on has both; what it ended with was written last.
    let read = |name: &str| {
        let file = regular_file::open(&run.path.join(name)).ok()?;
        let written = file.metadata().and_then(|about| about.modified()).ok();
        Some((written, regular_file::head_of(file, LARGEST).ok()?))
    };
    let names = if args.json { ["halt.json", "summary.json"] } else { ["halt.txt", "summary.txt"] };
    let newest = names.into_iter().filter_map(read).max_by_key(|(written, _)| *written);
    let Some((_, bytes)) = newest else {
        return Err(Trouble::user(format!("{} has no report", run.id))
            .because(super::where_it_stands(&repository, &run)?)
            .advise(format!("`tdd status {0}` and `tdd log {0}` tell what happened so far", run.id)));
    };
    let text = harmless::lines(&String::from_utf8_lossy(&bytes));
    print::result(&if text.ends_with('\n') { text } else { text + "\n" });
    if let Some(since) = since(&repository, &run).filter(|_| !args.json) {
        print::message(&since);
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of the run later, which would make the report's advice a wrong one.
fn since(repository: &Path, run: &RunDir) -> Option<String> {
    let (told, _) = Journalled::read(run).ok()?;
    if let Journalled::Cycle(state) = &told
        && matches!(state.phase, Phase::Ended { end: End::Abandoned })
    {
        let id = &run.id;
        return Some(format!(
            "tdd: that was so when {id} halted; it was given up since\n  next: tdd status {id}"
        ));
    }
    RunStatus::of(repository, run, &told).since_it_ended(&run.id)
}
