//! `tdd corpus`: the runs of a repository as red tests with the edits that turned them green, written down and
//! replayed.

mod export;
mod found;
mod replays;
mod sessions;
mod verify;

use std::path::Path;
use std::process::ExitCode;

use crate::cli::corpus::{CorpusArgs, CorpusCommand};
use crate::text::corpus::{Repository, licence};
use tdd_child::regular_file;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;
use tdd_snapshot::git_facts;

/// Bytes of a manifest.
const LARGEST_MANIFEST: u64 = 1 << 20;
/// Files that tell a licence.
const MOST_FILES: usize = 10;

pub fn run(args: &CorpusArgs) -> Result<ExitCode, Trouble> {
    match &args.what {
        CorpusCommand::Export(args) => export::run(args),
        CorpusCommand::Verify(args) => verify::run(args),
    }
}

/// Where the corpus comes from, as the repository says now.
fn repository(top: &Path, mask: &dyn Fn(&str) -> String) -> Repository {
    let read = |name: &str| {
        let file = regular_file::open(&top.join(name)).ok()?;
        let bytes = regular_file::head_of(file, LARGEST_MANIFEST).ok()?;
        licence::declared(name, &String::from_utf8_lossy(&bytes))
    };
    let entries = std::fs::read_dir(top).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut files: Vec<String> =
        names.filter(|name| licence::is_told_by(name)).map(|name| harmless::short(&name, 100)).collect();
    files.sort_unstable();
    files.truncate(MOST_FILES);
    Repository {
        origin: git_facts::origin(top).map(|url| mask(&harmless::line(&url))),
        licence: licence::Licence {
            declared: licence::MANIFESTS.into_iter().filter_map(read).collect(),
            files,
        },
    }
}
