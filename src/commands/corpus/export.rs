//! `tdd corpus export`: the runs of a repository as lines of a corpus, the newest run
//! first: of lines that teach the same that is the one that stays. Exit 0, also where there
//! are none; 2 if the file can't be written.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::found::{Scene, TOGETHER};
use super::sessions;
use crate::cli::corpus::ExportArgs;
use crate::commands::given::{mask_of, surroundings};
use crate::commands::runs::chosen::repository;
use crate::text::corpus::datasheet::{self, Counted, Sifted};
use crate::text::corpus::{self, From, since};
use crate::text::mask::MASKED;
use crate::view::print;
use tdd_child::clock::SystemClock;
use tdd_child::regular_file;
use tdd_child::run_folder;
use tdd_core::ports::Clock as _;
use tdd_core::trouble::Trouble;

/// Where the lines go.
enum Sink {
    Stdout,
    File(PathBuf, tempfile::NamedTempFile),
}

/// Writes the corpus, and with `--out` a datasheet beside it.
pub(super) fn run(args: &ExportArgs) -> Result<ExitCode, Trouble> {
    let since = args.since.as_deref().map(|word| since::read(word, SystemClock::default().now_ms()));
    let since = since.transpose()?.unwrap_or(0);
    let top = repository()?;
    let mask = mask_of(&surroundings()?.1);
    let mask = |text: &str| mask.apply(text).into_owned();
    let about = super::repository(&top, &mask);
    let scene = Scene { top: &top, about: &about, mask: &mask };
    let mut sink = Sink::new(args.out.as_deref())?;
    let runs = run_folder::runs_of(&top)?;
    let (mut counted, mut sifted, mut known) = (Counted::default(), Sifted::default(), BTreeSet::new());
    let sessions = sessions::list(&top);
    let chunks = runs.chunks(TOGETHER).map(|some| (From::Run, some));
    for (from, some) in chunks.chain(sessions.chunks(TOGETHER).map(|some| (From::Session, some))) {
        let mut text = String::new();
        let found = match from {
            From::Run => scene.found(some, &mut sifted)?,
            From::Session => scene.found_in_sessions(some, &mut sifted)?,
        };
        for one in found.iter().filter(|one| one.line.ts >= since) {
            if !known.insert(one.line.id.clone()) {
                sifted.duplicates += 1;
                continue;
            }
            counted.add(&one.line, MASKED);
            let line = corpus::write(&one.line);
            text +=
                &line.map_err(|error| Trouble::internal("a line is no JSON").because(error.to_string()))?;
        }
        sink.write(&text)?;
    }
    for run in &sifted.unreadable {
        print::message(&format!("tdd: left out: the journal of {run} can't be read"));
    }
    sink.end(&|file| datasheet::page(file, &counted, (&about, &sifted), &day))?;
    let (lines, left_out) = (counted.lines(), sifted.duplicates + sifted.gone);
    print::message(&format!(
        "tdd: {lines} red tests with the edits that turned them green; runs: {}, sessions: {}, left out: \
         {left_out} ({} duplicates, {} whose trees are gone)",
        sifted.runs, sifted.sessions, sifted.duplicates, sifted.gone
    ));
    Ok(ExitCode::SUCCESS)
}

fn day(ts_ms: u64) -> String {
    crate::text::row::time(ts_ms).split('T').next().unwrap_or_default().to_owned()
}

impl Sink {
    fn new(out: Option<&Path>) -> Result<Self, Trouble> {
        let Some(file) = out else { return Ok(Self::Stdout) };
        for file in [file.to_owned(), beside(file)] {
            if std::fs::symlink_metadata(&file).is_ok_and(|about| !about.is_file()) {
                return Err(unwritable(&file, &std::io::Error::other("something else than a file is there")));
            }
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // For its owner alone: it holds what sources hold.
        let new = tempfile::NamedTempFile::new_in(folder).map_err(|error| unwritable(file, &error))?;
        Ok(Self::File(file.to_owned(), new))
    }

    fn write(&mut self, text: &str) -> Result<(), Trouble> {
        match self {
            Self::Stdout => print::bytes(text.as_bytes()),
            Self::File(file, new) => {
                new.write_all(text.as_bytes()).map_err(|error| unwritable(file, &error))?;
            }
        }
        Ok(())
    }

    /// Both files are there, or the corpus as it was before.
    fn end(self, page: &dyn Fn(&str) -> String) -> Result<(), Trouble> {
        let Self::File(file, new) = self else { return Ok(()) };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sheet = beside(&file);
        regular_file::write_private(&sheet, page(&name).as_bytes())
            .map_err(|error| unwritable(&sheet, &error))?;
        new.persist(&file).map_err(|error| unwritable(&file, &error.error))?;
        print::result(&format!("{}\n{}\n", file.display(), sheet.display()));
        Ok(())
    }
}

/// The datasheet's name.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".datasheet.md");
    file.with_file_name(name)
}

fn unwritable(file: &Path, error: &std::io::Error) -> Trouble {
    Trouble::user(format!("{} can't be written", file.display()))
        .because(error.to_string())
        .advise("name a file in a folder that is there and that you may write: --out FILE")
}
