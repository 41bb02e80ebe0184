//! One look at one file, as it is on the disk.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

use super::closed::Pass;
use super::copies::Copies;
use super::stamp::Stamp;
use super::{Manifest, Sealed, survey};
use crate::checkpoints::edit::is_absent;

impl Manifest {
    /// What is there at `path` now, told without following a link, with its stamp if the file can't
    /// have changed meanwhile. The bytes of a file are kept if `copies` are given.
    pub(super) fn look(
        &self,
        pass: &Pass,
        path: &[u8],
        copies: Option<&mut Copies>,
    ) -> io::Result<Option<(Sealed, Option<Stamp>)>> {
        let Some(meta) = self.lstat(pass, path)? else { return Ok(None) };
        if meta.is_symlink() {
            return Ok(Some((Sealed::Link { target: pass.tree.read_link(path)? }, None)));
        }
        if !meta.is_file() {
            return Ok(Some((Sealed::Special, None)));
        }
        let began = SystemTime::now();
        let stamp = Stamp::of(&meta);
        let mode = meta.mode() & 0o7777;
        let mut file = pass.tree.read_file(path)?;
        let hash = if let Some(copies) = copies {
            copies.keep(&self.scratch, &mut file)
        } else {
            blake3::Hasher::new().update_reader(&mut file).map(|hasher| hasher.finalize())
        };
        if mode & 0o400 == 0 {
            // Reading it meant to make it readable; what is to be seen is what was there.
            file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        let is_still = file.metadata().is_ok_and(|after| Stamp::of(&after) == stamp);
        let stamp = Some(stamp).filter(|stamp| is_still && stamp.is_settled(began));
        Ok(Some((Sealed::File { mode, hash: hash? }, stamp)))
    }

    pub(super) fn lstat(&self, pass: &Pass, path: &[u8]) -> io::Result<Option<std::fs::Metadata>> {
        match std::fs::symlink_metadata(survey::full_path(&self.repository, path)) {
            Ok(meta) => Ok(Some(meta).filter(|_| self.lies_in_folders(pass, path))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether all that stands above a path is a folder and no link to one.
    fn lies_in_folders(&self, pass: &Pass, path: &[u8]) -> bool {
        let Some(at) = path.iter().rposition(|byte| *byte == b'/') else { return true };
        let above = &path[..at];
        if pass.folders.borrow().contains(above) {
            return true;
        }
        let is_folder = std::fs::symlink_metadata(survey::full_path(&self.repository, above))
            .is_ok_and(|meta| meta.is_dir());
        let is_so = is_folder && self.lies_in_folders(pass, above);
        if is_so {
            pass.folders.borrow_mut().insert(above.to_vec());
        }
        is_so
    }
}
