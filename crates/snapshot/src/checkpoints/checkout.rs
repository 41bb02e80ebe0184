//! A checkpoint in a folder of its own, byte for byte, and another one in its place: what the work tree,
//! the index and the branches of the repository know nothing of.
#![expect(clippy::disallowed_methods, reason = "files get times of their own")]

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::edit::{Permissions, Tree};
use super::git::Git;
use super::listing::{self, Batch};
use super::place::GitPlace;
use super::{disk, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// Compilers that keep what they made tell files apart by whole seconds.
const STEP: Duration = Duration::from_secs(2);
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// A folder that holds a checkpoint.
#[derive(Debug)]
pub struct Checkout {
    git: Git,
    tree: Tree,
    holds: Option<CheckpointId>,
    /// Of what is written next.
    written: SystemTime,
}

/// A file that is to be there.
struct Put {
    mode: String,
    object: String,
    path: Vec<u8>,
}

impl Checkout {
    /// In `folder`, which is there and empty.
    pub fn new(repository: &Path, folder: &Path) -> Result<Self, Trouble> {
        let git = Git::own(&GitPlace::find(repository)?);
        let tree = Tree::open(folder).map_err(|error| disk(folder, &error))?;
        Ok(Self { git, tree, holds: None, written: SystemTime::now() })
    }

    /// Makes the folder hold this checkpoint. What no checkpoint holds stays as it is.
    pub fn go(&mut self, to: &CheckpointId) -> Result<(), Trouble> {
        if self.holds.as_ref() == Some(to) {
            return Ok(());
        }
        let (gone, mut put) = match &self.holds {
            None => {
                let files = listing::files(&self.git, to)?;
                let put = |one: listing::Listed| Put { mode: one.mode, object: one.object, path: one.path };
                (Vec::new(), files.into_iter().map(put).collect::<Vec<_>>())
            }
            Some(from) => {
                let (gone, changed): (Vec<_>, Vec<_>) = listing::differences(&self.git, from, to)?
                    .into_iter()
                    .partition(listing::Difference::is_removal);
                let put = |one: listing::Difference| Put {
                    mode: one.new_mode,
                    object: one.new_object,
                    path: one.path,
                };
                (gone, changed.into_iter().map(put).collect())
            }
        };
        for path in gone.iter().map(|one| &one.path).chain(put.iter().map(|one| &one.path)) {
            refuse_outside(path)?;
        }
        for one in gone {
            self.tree.remove(&one.path).map_err(|error| unwritable(&one.path, &error))?;
        }
        put.retain(|one| one.mode != SUBMODULE);
        // A link last: what is written by the name of another file must not follow it.
        put.sort_by_key(|one| one.mode == LINK);
        self.put(&put)?;
        self.holds = Some(to.clone());
        self.written += STEP;
        Ok(())
    }

    fn put(&self, all: &[Put]) -> Result<(), Trouble> {
        let mut batch = Batch::start(&self.git, all.iter().map(|one| one.object.clone()).collect())?;
        for one in all {
            let path = one.path.as_slice();
            if one.mode == LINK {
                let mut target = Vec::new();
                batch.copy(&one.object, &mut target)?;
                self.tree.put_link(path, &target).map_err(|error| unwritable(path, &error))?;
                continue;
            }
            let permissions = if one.mode == "100755" { Permissions::Executable } else { Permissions::Plain };
            let mut copied = Ok(());
            let written = self.tree.put_file(path, permissions, |file| {
                copied = batch.copy(&one.object, file);
                if copied.is_ok() { file.set_modified(self.written) } else { Ok(()) }
            });
            copied?;
            written.map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

/// git itself makes no such names; whoever makes objects by hand can.
fn refuse_outside(path: &[u8]) -> Result<(), Trouble> {
    let is_sound = |part: &[u8]| {
        !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
    };
    if path.split(|byte| *byte == b'/').all(is_sound) {
        return Ok(());
    }
    Err(Trouble::user(format!("a checkpoint holds the path {}", shown(path)))
        .because("it leads out of the folder that it is to be in, or into git's own")
        .advise("no tdd made this checkpoint; see who put it into the repository"))
}

fn unwritable(path: &[u8], error: &std::io::Error) -> Trouble {
    disk(Path::new(shown(path).as_str()), error)
}
