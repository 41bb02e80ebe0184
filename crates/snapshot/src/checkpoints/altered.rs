//! What a child did to the tree, whole: names and bytes as they are, for a recording.

use std::io::Write;

use super::{GitCheckpoints, listing, ref_folder, slug};
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// One path that differs between two checkpoints.
#[derive(Debug)]
pub struct Altered {
    pub path: Vec<u8>,
    pub was: Option<Kind>,
    pub now: Now,
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Executable,
    Link,
    Submodule,
}

/// What a path holds now.
#[derive(Debug)]
pub enum Now {
    Gone,
    Holds(Kind, Vec<u8>),
    /// More than was asked for: its size in bytes.
    TooLarge(u64),
}

impl Altered {
    /// The path for the rules and for people.
    pub fn shown(&self) -> RelPath {
        super::shown(&self.path)
    }
}

impl GitCheckpoints {
    /// The checkpoint that was taken under this label, if there is one.
    pub fn labelled(&self, label: &str) -> Option<CheckpointId> {
        let name = format!("{}{}", ref_folder(&self.run), slug(label));
        self.waiting.get(&name).or_else(|| self.refs.get(&name)).cloned()
    }

    /// All differences with their bytes; of a file at most `most`.
    pub fn altered(
        &mut self,
        from: &CheckpointId,
        to: &CheckpointId,
        most: usize,
    ) -> Result<Vec<Altered>, Trouble> {
        let differences = listing::differences(&self.private, from, to)?;
        let read = |mode: &str| mode.starts_with("100") || mode == "120000";
        let wanted = differences.iter().filter(|one| read(&one.new_mode));
        let mut batch =
            listing::Batch::start(&self.private, wanted.map(|one| one.new_object.clone()).collect())?;
        let mut all = Vec::new();
        for one in differences {
            let now = match kind(&one.new_mode) {
                None => Now::Gone,
                Some(Kind::Submodule) => Now::Holds(Kind::Submodule, Vec::new()),
                Some(kind) => {
                    let mut bytes = Bounded { kept: Vec::new(), most, size: 0 };
                    batch.copy(&one.new_object, &mut bytes)?;
                    bytes.now(kind)
                }
            };
            all.push(Altered { path: one.path, was: kind(&one.old_mode), now });
        }
        Ok(all)
    }
}

fn kind(mode: &str) -> Option<Kind> {
    match mode {
        "000000" => None,
        "100755" => Some(Kind::Executable),
        "120000" => Some(Kind::Link),
        "160000" => Some(Kind::Submodule),
        _ => Some(Kind::File),
    }
}

/// Keeps the first bytes, and counts all.
struct Bounded {
    kept: Vec<u8>,
    most: usize,
    size: u64,
}

impl Bounded {
    fn now(self, kind: Kind) -> Now {
        if self.size > self.kept.len() as u64 {
            Now::TooLarge(self.size)
        } else {
            Now::Holds(kind, self.kept)
        }
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = self.most.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        self.size = self.size.saturating_add(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
