//! An edit that `tdd` makes itself, for an agent that has no hooks: judged before, compared after.

use std::process::ExitCode;

use serde_json::Value;

use super::compare::compare;
use super::desk::Desk;
use super::paths::{self, Target};
use super::{at_work, hook, input, whole};
use crate::cli::gate::SessionArgs;
use crate::view::print;
use crate::world::project::Place;
use tdd_child::regular_file;
use tdd_core::event::GateMode;
use tdd_core::path::RelPath;
use tdd_core::session::Permit;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::watch::Look;

/// What the call may hold, the new text included.
const LARGEST: u64 = 16 << 20;
const REFUSED: u8 = 2;

pub(super) fn run(args: &SessionArgs) -> Result<ExitCode, Trouble> {
    let input = read()?;
    let (cwd, _) = crate::commands::given::surroundings()?;
    let place = crate::world::project::locate(&cwd)?;
    // Its own policy answers, and nothing is noted.
    if let Some(run) = at_work::policy(&place)? {
        let path = file(&place, &input)?;
        if let Permit::Refused(refusal) = tdd_core::session::in_run(&run.policy, run.role, &path) {
            return Ok(refused(&refusal.to_string()));
        }
        write(&place, &path, &proposed(&place, &path, &input)?)?;
        print::result(&format!("edited {path}\n"));
        return Ok(ExitCode::SUCCESS);
    }
    in_session(Desk::named(args.session.as_deref())?, &input)
}

fn in_session(mut desk: Desk, input: &Value) -> Result<ExitCode, Trouble> {
    // What was changed past us is judged by itself, and not as part of this edit.
    let before = compare(&mut desk, None, Look::Quick)?;
    if !before.told.is_empty() {
        print::message(&before.told);
    }
    let path = file(&desk.place, input)?;
    let new = proposed(&desk.place, &path, input)?;
    if let Permit::Refused(refusal) = hook::permit(input, &desk, &path) {
        if desk.state().started.mode == GateMode::Strict {
            return Ok(refused(&refusal.to_string()));
        }
        print::message(&hook::warning(&refusal));
    }
    write(&desk.place, &path, &new)?;
    let after = compare(&mut desk, Some("edit_file"), Look::Quick)?;
    if !after.told.is_empty() {
        return Ok(refused(&after.told));
    }
    print::result(&format!("edited {path}\n"));
    Ok(ExitCode::SUCCESS)
}

fn refused(why: &str) -> ExitCode {
    print::message(why);
    ExitCode::from(REFUSED)
}

fn unreadable(why: impl Into<String>) -> Trouble {
    Trouble::user("the edit can't be read").because(why.into()).advise(
        "give `path`, and `content` for the whole file, or `old_string` and `new_string` for a part of it",
    )
}

fn read() -> Result<Value, Trouble> {
    let bytes = input::read().map_err(unreadable)?;
    serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))
}

/// The file that is meant, whatever its name is spelt like: what is outside is not ours to write.
fn file(place: &Place, input: &Value) -> Result<RelPath, Trouble> {
    let typed = input["path"].as_str().ok_or_else(|| unreadable("it has no `path`"))?;
    match paths::target(&place.repository, &place.cwd, typed) {
        Ok(Target::Inside(path)) => Ok(path),
        Ok(Target::Outside(_)) => Err(Trouble::user(format!("{typed:?} is not written"))
            .because("it is no file of this repository, links followed")
            .advise("name a file of the repository, relative to its folder")),
        Err(error) => Err(Trouble::user(format!("the path {typed:?} can't be followed"))
            .because(error)
            .advise("name a file of the repository, relative to its folder")),
    }
}

fn proposed(place: &Place, path: &RelPath, input: &Value) -> Result<Vec<u8>, Trouble> {
    let at = place.repository.join(path.as_str());
    let old = match regular_file::head(&at, LARGEST + 1) {
        Ok(old) if old.len() as u64 > LARGEST => return Err(unreadable(format!("{path} is too large"))),
        Ok(old) => old,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(unreadable(format!("{path}: {error}"))),
    };
    hook::proposed(input, &old).ok_or_else(|| {
        let why = match input["old_string"].as_str() {
            Some(from) if !from.is_empty() && input["new_string"].is_string() => {
                let count = String::from_utf8_lossy(&old).matches(from).count();
                format!("`old_string` stands {count} times in {path}; it has to stand there once")
            }
            _ => "it has neither `content` nor both `old_string` and `new_string`".to_owned(),
        };
        unreadable(why)
    })
}

/// All of it or nothing. The path has no link in it.
fn write(place: &Place, path: &RelPath, bytes: &[u8]) -> Result<(), Trouble> {
    let at = place.repository.join(path.as_str());
    whole::write(&at, bytes).map_err(|error| {
        Trouble::environment(format!("{path} can't be written, and is as it was"))
            .because(error)
            .advise("see that its folder may be written")
    })
}
