//! What is printed of a run that waits to be gone on with.

use std::path::Path;

use serde_json::json;

use crate::settings::OutputMode;
use crate::text::summary::{set_aside, set_aside_json};
use crate::view::print;
use tdd_core::machine::Facts;

/// `again` is the run's id with what must be repeated, `back` the command that goes back.
pub fn tell(
    reason: &str,
    run: &Path,
    (again, back): (&str, Option<String>),
    (facts, output): (&Facts, OutputMode),
) {
    let back = back.map(|undo| format!("\n  back to before the run: {undo}")).unwrap_or_default();
    match output {
        OutputMode::Json | OutputMode::Summary => {
            let line = json!({
                "type": "paused", "reason": reason, "run_dir": run, "resume": format!("tdd resume {again}"),
                "set_aside": set_aside_json(facts),
            });
            print::result(&format!("{line}\n"));
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => {
            let aside: String = set_aside(facts).flat_map(|line| ["\n  ".to_owned(), line]).collect();
            print::message(&format!(
                "tdd: paused: {reason}{aside}\n  go on: tdd resume {again}{back}\n  run folder: {}",
                run.display()
            ));
        }
    }
}
