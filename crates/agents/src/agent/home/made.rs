//! The files that a table makes in a session's private folders, each time the agent is started: a
//! bound may be another one now, and what a role left there does not count.
#![expect(clippy::disallowed_methods, reason = "these files are on the disk")]

use std::fs;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path};

use super::persons_own;
use crate::agent::AgentSetup;
use crate::agent::call::Call;
use crate::agent::exchange::{make_folder, unwritable};
use crate::agent_table::StateDir;
use crate::agent_table::home::Made;
use tdd_child::regular_file;
use tdd_core::trouble::{Trouble, Why};

/// The longest file of the person's own that parts are kept of.
const LONGEST_OWN: u64 = 1 << 20;

pub(super) fn make(
    dir: &StateDir,
    folder: &Path,
    call: &Call<'_>,
    setup: &AgentSetup,
) -> Result<(), Trouble> {
    for made in &dir.files {
        let text = call.fill(&made.text)?;
        let text = match persons_own(dir, setup).map(|own| own.join(&made.path)) {
            Some(own) if !made.keep.is_empty() && own.is_file() => kept(made, &text, &own)?,
            Some(_) | None => text,
        };
        let file = folder.join(&made.path);
        place(folder, Path::new(&made.path), &text).map_err(|error| unwritable(&file, &error))?;
    }
    Ok(())
}

/// Takes away what parts of the person's own files were put into: how somebody logs in may be a key.
/// Where a folder on the way was replaced nothing is done, for it would be done elsewhere.
pub(super) fn take_away(dir: &StateDir, folder: &Path) {
    for made in dir.files.iter().filter(|made| !made.keep.is_empty()) {
        let file = folder.join(&made.path);
        let mut above = file.ancestors().skip(1).take_while(|above| above.starts_with(folder));
        if above.all(|above| fs::symlink_metadata(above).is_ok_and(|about| about.is_dir())) {
            // It is for this user's eyes alone, and is made anew each time.
            let _ = fs::remove_file(file);
        }
    }
}

fn kept(made: &Made, text: &str, own: &Path) -> Result<String, Trouble> {
    let unreadable = |why: Why| {
        Trouble::environment(format!("{} can't be read", own.display()))
            .because(format!("how you log in is taken from it, and {why}"))
            .advise("mend it; the agent's own program reads it, too")
    };
    let mut content = String::new();
    regular_file::open_linked(own)
        .and_then(|file| file.take(LONGEST_OWN).read_to_string(&mut content))
        .map_err(|error| unreadable(error.into()))?;
    made.with_kept(text, &content).map_err(|why| unreadable(why.into()))
}

/// The child could write here: no link is followed, neither on the way nor in the file's place.
fn place(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut above = folder.to_owned();
    let parents = path.parent().into_iter().flat_map(Path::components);
    for part in parents.filter(|part| matches!(part, Component::Normal(_))) {
        above.push(part);
        match fs::symlink_metadata(&above) {
            Ok(about) if about.is_dir() => {}
            Ok(_) => return Err(Error::new(ErrorKind::NotADirectory, "a folder was replaced on the way")),
            Err(_) => make_folder(&above)?,
        }
    }
    let file = folder.join(path);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(&file)?.write_all(text.as_bytes())
}
