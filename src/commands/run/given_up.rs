//! A run that the operator gave up.

use std::path::Path;

use crate::exit::Exit;
use crate::settings::OutputMode;
use crate::text::object::{Content, GivenUp};
use crate::view::print;
use tdd_core::event::RunId;

pub(super) fn tell(run: &RunId, folder: &Path, output: OutputMode) {
    let run_dir = folder.display().to_string();
    if output.is_json() {
        let content = Content::GivenUp(GivenUp { run: run.clone(), run_dir });
        print::result(&content.last(Exit::Halted.code()));
        return;
    }
    print::message(&format!("tdd: the run is given up; the tree stays as it is\n  run folder: {run_dir}"));
}
