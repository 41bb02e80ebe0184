//! `tdd <FR> --detach`: the run goes on without the shell that began it, since an agent's shell ends a command
//! after some minutes. Exit 0 once it is at work; what a run would end with if it never came so far.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use crate::exit::Exit;
use crate::settings::OutputMode;
use crate::text::object::{Content, Detached};
use crate::view::print;
use tdd_child::detached::{self, Started};
use tdd_core::event::RunId;
use tdd_core::trouble::Trouble;

use tdd_child::run_folder;

/// What a detached run says once its journal is there.
const SIGN: &str = "tdd: at work on ";
/// What a detached run prints, in its folder: each step and each error, but not its report, which has files of
/// its own.
pub const SAID: &str = "said.txt";

/// Starts this program again as it was called, apart from this terminal.
pub fn start(output: OutputMode) -> Result<ExitCode, Trouble> {
    let tdd = std::env::current_exe()
        .map_err(|error| Trouble::environment("the path of this program can't be found").because(error))?;
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (started, said) = detached::start(&tdd, &apart(words), SIGN).map_err(|error| {
        Trouble::environment("the run can't be started apart from this shell")
            .because(error)
            .advise("see the limits on processes and open files (`ulimit -a`), or leave --detach out")
    })?;
    match started {
        Started::GoesOn { pid, word: run } => {
            if !said.is_empty() {
                print::message(said.trim_end());
            }
            let run = RunId(run);
            print::result(&if output.is_json() {
                let wait = format!("tdd wait {run}");
                Content::Detached(Detached { run, pid, wait }).last(Exit::Verified.code())
            } else {
                format!(
                    "{run} is at work, process {pid}\n  wait for its end:  tdd wait {run} --timeout 90s\n  \
                     follow it:         tdd log --follow {run}\n  stop it:           kill {pid}\n"
                )
            });
            Ok(ExitCode::SUCCESS)
        }
        Started::Ended(status) if status.success() => {
            print::result(&said);
            Ok(ExitCode::SUCCESS)
        }
        Started::Ended(status) => {
            print::message(said.trim_end());
            Ok(ExitCode::from(code(status)))
        }
    }
}

/// The words of a command line, with the flag that is for the process that goes on.
fn apart(words: Vec<OsString>) -> Vec<OsString> {
    let mut is_flag = true;
    let word = |word: OsString| {
        is_flag &= word != OsStr::new("--");
        if is_flag && word == OsStr::new("--detach") { OsString::from("--detached") } else { word }
    };
    words.into_iter().map(word).collect()
}

fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let by_signal = || status.signal().and_then(|signal| u8::try_from(128 + signal).ok());
    status.code().and_then(|code| u8::try_from(code).ok()).or_else(by_signal).unwrap_or(70)
}

/// The run in this folder is there: whoever waits for that may go, and from now on its file is spoken into.
pub fn begun(run: &Path) -> Result<(), Trouble> {
    let failed = |error: std::io::Error| {
        Trouble::environment("what the run prints can't be led into its folder").because(error)
    };
    let file = detached::file_for(&run.join(SAID)).map_err(failed)?;
    print::message(&format!("{SIGN}{}", run_folder::id_of(run).0));
    detached::speak_into(&file).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_alone_is_replaced() {
        for (words, want) in [
            (&["STE-1", "--detach"][..], &["STE-1", "--detached"][..]),
            (&["run", "--detach", "--", "--detach"], &["run", "--detached", "--", "--detach"]),
            (&["STE-1", "--detach", "--test=--detach"], &["STE-1", "--detached", "--test=--detach"]),
        ] {
            let typed = words.iter().map(OsString::from).collect();
            assert_eq!(apart(typed), want.iter().map(OsString::from).collect::<Vec<_>>());
        }
    }
}
