//! The operator's own editor.

use std::path::Path;
use std::process::Command;

use super::files::Source;
use super::{Halted, is_file_of, lend};
use crate::view::print;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// Editors that take `+LINE` before a file.
const TAKE_LINE: [&str; 8] = ["vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak"];

/// Opens the file of the failure, and says how to go on. An editor that fails changes nothing here.
#[expect(clippy::disallowed_methods, reason = "the editor is the person's, on the person's terminal")]
pub(super) fn open(halted: &Halted, place: Option<&(String, u32)>) -> Result<(), Trouble> {
    let named = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    let Some(words) = shell_words::split(&editor).ok().filter(|words| !words.is_empty()) else {
        print::message(&format!("`{}` can't be read as a command; set EDITOR", harmless::line(&editor)));
        return Ok(());
    };
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(&halted.repository);
    let name = words[0].rsplit('/').next().unwrap_or_default();
    // A child may have printed the name: what is no file here, or looks like a flag, is none to be opened.
    let file = place.and_then(|(file, line)| Some((halted.file(file)?.1, line)));
    let source = place.and_then(|(file, _)| halted.read_file(file)).map(|(_, source)| source);
    let is_here = |file: &Path| file.is_absolute() && is_file_of(halted, file);
    if let Some((file, _)) = place.filter(|_| source == Some(Source::FailedWork))
        && !halted.file(file).is_some_and(|(_, on_disk)| is_here(&on_disk))
    {
        print::message(&format!(
            "{} is of the failed work, and not among your files now; the number that says `bring the failed work \
             back` puts it there, then e opens it",
            harmless::line(file)
        ));
        return Ok(());
    }
    if let Some((file, line)) = file.filter(|(file, _)| is_here(file)) {
        if TAKE_LINE.contains(&name) {
            command.arg(format!("+{line}"));
        }
        command.arg(file);
    } else {
        command.arg(".");
    }
    match lend::to(&mut command)? {
        Ok(status) if status.success() => {
            print::message("if you changed something, go on with the number that says `I have edited`");
        }
        Ok(status) => {
            print::message(&format!("`{}` ended with {status}; nothing was done", harmless::line(&editor)));
        }
        Err(error) => print::message(&format!(
            "`{}` can't be started: {error}; set VISUAL or EDITOR",
            harmless::line(&editor)
        )),
    }
    Ok(())
}
