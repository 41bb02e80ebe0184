//! What is printed of a run that waits to be gone on with.

use std::path::Path;

use crate::exit::Exit;
use crate::settings::OutputMode;
use crate::text::object::{Content, Paused};
use crate::text::summary::set_aside;
use crate::view::print;
use tdd_core::machine::Facts;

/// `again` is the run's id with what must be repeated, `back` the command that goes back.
pub fn tell(
    reason: &str,
    run: &Path,
    (again, back): (&str, Option<String>),
    (facts, output, exit): (&Facts, OutputMode, Exit),
) -> Exit {
    let back = back.map(|undo| format!("\n  back to before the run: {undo}")).unwrap_or_default();
    match output {
        OutputMode::Json(_) | OutputMode::Summary(_) => {
            let paused = Paused::of(reason, run, format!("tdd resume {again}"), facts);
            print::result(&Content::Paused(paused).last(exit.code()));
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => {
            let aside: String = set_aside(facts).flat_map(|line| ["\n  ".to_owned(), line]).collect();
            print::message(&format!(
                "tdd: paused: {reason}{aside}\n  go on: tdd resume {again}{back}\n  run folder: {}",
                run.display()
            ));
        }
    }
    exit
}
