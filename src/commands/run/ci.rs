//! What a pipeline is told when a run ends: the reports that were asked for; under GitHub Actions, where it says
//! so itself, an annotation of what went wrong and a summary of the job.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::prepare::Prepared;
use crate::commands::look::matrix;
use crate::commands::runs::headline;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::RunStatus;
use crate::commands::runs::story;
use crate::exit::Exit;
use crate::view::print;
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_core::harmless;
use tdd_core::state::State;
use tdd_core::story::After;
use tdd_core::trouble::Trouble;

/// Tells what the run in this folder came to.
pub(super) fn tell(prepared: &Prepared, state: &State, (run, exit): (&RunDir, Exit)) -> Result<(), Trouble> {
    let repository = &prepared.place.repository;
    for report in &prepared.reports {
        report.write_runs(repository, std::slice::from_ref(run))?;
    }
    if prepared.environment.var("GITHUB_ACTIONS").is_none_or(|word| word != "true") {
        return Ok(());
    }
    let told = Journalled::Cycle(Box::new(state.clone()));
    let headline = headline::headline(&told, &RunStatus::of(repository, run, &told));
    let cause = headline::cause_of(state);
    let story = story::story_of(run)?;
    let rows = story.matrix();
    let level = match exit {
        Exit::Verified => None,
        Exit::PartlyUnverified => Some("warning"),
        Exit::Halted | Exit::SetUp | Exit::Paused | Exit::Internal | Exit::Stopped(_) => Some("error"),
    };
    if let Some(level) = level {
        let file = rows.iter().find(|row| row.after == After::Red).map(|row| row.test.id.file().to_owned());
        print::message(&annotation(level, file.as_deref(), cause.as_deref().unwrap_or(&headline)));
    }
    if let Some(file) = prepared.environment.var("GITHUB_STEP_SUMMARY").map(PathBuf::from) {
        let cause = cause.map(|cause| format!("{}\n\n", in_markdown(&cause))).unwrap_or_default();
        let text =
            format!("### tdd {}\n\n{cause}{}\n", in_markdown(&headline), matrix::markdown(&story, &rows));
        if let Err(error) = add(&file, &text) {
            print::message(&format!(
                "tdd: the job's summary can't be written to {}: {error}",
                file.display()
            ));
        }
    }
    Ok(())
}

fn add(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    regular_file::with(options.create(true).append(true), file)?.write_all(text.as_bytes())
}

/// A workflow command: one line, whatever the words hold.
fn annotation(level: &str, file: Option<&str>, words: &str) -> String {
    let data = |text: &str| harmless::line(text).replace('%', "%25");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let file = file.map(|file| format!("file={},", property(file))).unwrap_or_default();
    format!("::{level} {file}title=tdd::{}", data(words))
}

/// Words that mean nothing to Markdown.
fn in_markdown(text: &str) -> String {
    let mut told = String::new();
    for c in harmless::line(text).chars() {
        if "\\`*_{}[]<>#|~!&".contains(c) {
            told.push('\\');
        }
        told.push(c);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_command_whatever_it_tells() {
        for (file, words, want) in [
            (Some("tests/a.py"), "1 != 2", "::error file=tests/a.py,title=tdd::1 != 2"),
            (
                Some("a:b,c.py"),
                "100 %\n::set-env::x",
                "::error file=a%3Ab%2Cc.py,title=tdd::100 %25 ::set-env::x",
            ),
            (None, "paused", "::error title=tdd::paused"),
        ] {
            let told = annotation("error", file, words);
            assert_eq!(told.lines().count(), 1, "{told}");
            assert_eq!(told.replace('\u{fffd}', " "), want);
        }
        assert_eq!(in_markdown("<b> [x](y)"), r"\<b\> \[x\](y)");
    }
}
