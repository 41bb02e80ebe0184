//! A look at the work tree by many short processes, one after the other: what one has seen is kept beside the
//! rules, so that the next one need not ask git whether anything has changed.
//!
//! ```text
//! seen = "tdd seen 1\n" commit "\n" file* hash     hash: BLAKE3 of all before it
//! file = length(u32) path 'S' stamp | length(u32) path 'F' stamp hash
//! ```
//!
//! Whoever could write this file can make a change pass unseen until the next whole look; a session asks for
//! one at the end of each turn.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use super::edit::Tree;
use super::import::{Content, Known};
use super::rules::Rules;
use super::walk::{self, Reading, Stamp};
use super::{GitCheckpoints, SCRATCH, disk, listing, ref_folder, refs};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::trouble::Trouble;

const NAME: &str = "seen";
const HEAD: &[u8] = b"tdd seen 1\n";
/// More than a tree of the greatest size takes.
const LARGEST: u64 = 1 << 30;

/// Whether the work tree is still as it was when this commit was seen. Asks no git. `false` where that is not
/// known.
pub fn is_as_seen(repository: &Path, scratch: &Path, commit: &CheckpointId) -> Result<bool, Trouble> {
    let scratch = scratch.join(SCRATCH);
    let Some(known) = load(&scratch).filter(|known| known.commit.as_ref() == Some(commit)) else {
        return Ok(false);
    };
    let Some(rules) = Rules::load(&scratch.join("rules.json")) else { return Ok(false) };
    let tree = Tree::open(repository).map_err(|error| disk(repository, &error))?;
    let scan = walk::walk(repository, &tree, Reading::Frozen(&rules))?;
    tree.close_again(|path, mode| rules.was_closed(path, mode));
    Ok(known.delta(&scan, &tree).is_empty())
}

/// How much of what is known is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A file whose stamp is as it was is as it was.
    Quick,
    /// Every file is read.
    Whole,
}

impl GitCheckpoints {
    /// Opens the checkpoints of a session with what an earlier process has seen.
    pub fn watching(repository: &Path, session: &RunId, scratch: &Path, look: Look) -> Result<Self, Trouble> {
        let mut checkpoints = Self::open(repository, session, scratch)?;
        checkpoints.known = load(&checkpoints.scratch).unwrap_or_default();
        if look == Look::Whole {
            // What was there stays known by its name, so that it is seen to be gone.
            checkpoints.known.files.values_mut().for_each(|content| *content = Content::Unknown);
        }
        Ok(checkpoints)
    }

    /// The tree as it is. One ref holds it, and all that were seen before it.
    pub fn see(&mut self) -> Result<CheckpointId, Trouble> {
        let before = self.known.commit.clone();
        let (mut commit, _) = self.snapshot("tdd: seen")?;
        if let Some(before) = before.clone().filter(|before| *before != commit)
            && listing::differences(&self.private, &before, &commit)?.is_empty()
        {
            // The same tree keeps its name.
            self.known.commit = Some(before.clone());
            commit = before;
        }
        let name = format!("{}{NAME}", ref_folder(&self.run));
        if let (None, Some(lost)) = (&before, self.refs.get(&name).cloned()) {
            // This one does not go on from there, so those before it need a name of their own.
            let old = format!("{name}-before-{}", commit.0.get(..12).unwrap_or_default());
            refs::update(&self.own, &[(&old, &lost)])?;
            self.refs.insert(old, lost);
        }
        if self.refs.get(&name) != Some(&commit) {
            if self.refs.contains_key(&name) || !refs::write_new(&self.place, &name, &commit) {
                refs::update(&self.own, &[(&name, &commit)])?;
            }
            self.refs.insert(name, commit.clone());
        }
        let at = self.scratch.join(NAME);
        save(&self.known, &at).map_err(|error| disk(&at, &error))?;
        Ok(commit)
    }
}

fn save(known: &Known, at: &Path) -> std::io::Result<()> {
    let mut bytes = HEAD.to_vec();
    bytes.extend(known.commit.iter().flat_map(|commit| commit.0.bytes()));
    bytes.push(b'\n');
    for (path, content) in &known.files {
        let (kind, stamp, hash) = match content {
            Content::Settled(stamp) => (b'S', stamp, None),
            Content::Fresh(stamp, hash) => (b'F', stamp, Some(hash)),
            Content::Unknown => continue,
        };
        bytes.extend(u32::try_from(path.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(path);
        bytes.push(kind);
        bytes.extend(stamp.to_bytes());
        bytes.extend(hash.iter().flat_map(|hash| *hash.as_bytes()));
    }
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    let folder = at.parent().unwrap_or(at);
    let mut file = tempfile::Builder::new().prefix(".seen-").tempfile_in(folder)?;
    file.write_all(&bytes)?;
    file.persist(at).map_err(|error| error.error)?;
    Ok(())
}

/// `None` if it is not there or not as it was written.
fn load(scratch: &Path) -> Option<Known> {
    let file = regular_file::open(&scratch.join(NAME)).ok()?;
    let bytes = regular_file::head_of(file, LARGEST).ok()?;
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(blake3::OUT_LEN)?)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let rest = body.strip_prefix(HEAD)?;
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let commit = CheckpointId(String::from_utf8(rest[..end].to_vec()).ok()?);
    let mut rest = &rest[end + 1..];
    let mut files = HashMap::with_capacity(rest.len() / 100);
    while !rest.is_empty() {
        let length = usize::try_from(u32::from_le_bytes(take(&mut rest, 4)?.try_into().ok()?)).ok()?;
        let path = take(&mut rest, length)?.to_vec();
        let kind = take(&mut rest, 1)?[0];
        let stamp = Stamp::from_bytes(take(&mut rest, Stamp::BYTES)?)?;
        let content = match kind {
            b'S' => Content::Settled(stamp),
            b'F' => {
                let hash: [u8; blake3::OUT_LEN] = take(&mut rest, blake3::OUT_LEN)?.try_into().ok()?;
                Content::Fresh(stamp, hash.into())
            }
            _ => return None,
        };
        files.insert(path, content);
    }
    Some(Known { commit: Some(commit), files })
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
