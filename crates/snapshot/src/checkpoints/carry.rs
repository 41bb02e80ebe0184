//! The way from the tree as it is to a checkpoint: only what differs is touched.

use super::contents::LARGEST_READ;
use super::edit::Permissions;
use super::found::Scan;
use super::import::Content;
use super::listing::{self, Difference};
use super::walk::{self};
use super::{GitCheckpoints, disk, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The label of what lay in the tree when something was put back there.
const FOUND: &str = "found";

/// How much of a tree is brought back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent<'p> {
    All,
    AllBut(&'p [RelPath]),
    These(&'p [RelPath]),
}

impl Extent<'_> {
    fn has(self, path: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::AllBut(paths) => !paths.contains(&shown(path)),
            Self::These(paths) => paths.contains(&shown(path)),
        }
    }
}

impl GitCheckpoints {
    /// Makes the tree, or just these paths of it, as `to` holds it. What lies there is kept first.
    pub(super) fn go_back(&mut self, to: &CheckpointId, extent: Extent<'_>) -> Result<(), Trouble> {
        let (now, scan) = self.snapshot("tdd: before a restore")?;
        let mut differences = listing::differences(&self.private, &now, to)?;
        differences.retain(|difference| extent.has(&difference.path));
        let specials: Vec<Vec<u8>> = self.new_specials(scan).filter(|path| extent.has(path)).collect();
        if !differences.is_empty() {
            self.hold(&now)?;
        }
        let carried_out = self.carry_out(&differences, &specials);
        self.close_again();
        carried_out?;
        if matches!(extent, Extent::All) {
            for difference in &differences {
                if difference.is_removal() {
                    self.known.files.remove(&difference.path);
                } else {
                    // Its stamp is taken by the next walk, which reads it once more.
                    self.known.files.insert(difference.path.clone(), Content::Unknown);
                }
            }
            self.known.commit = Some(to.clone());
        }
        Ok(())
    }

    /// Sees that a ref holds what was just found in the tree: most often one does, and where somebody
    /// wrote right after the last look it is all that has it.
    fn hold(&mut self, now: &CheckpointId) -> Result<(), Trouble> {
        if self.refs.values().any(|held| held == now) { Ok(()) } else { self.set_ref(FOUND, now) }
    }

    /// What is neither file nor link, and was not there before the run.
    fn new_specials(&self, scan: Scan) -> impl Iterator<Item = Vec<u8>> {
        scan.specials.into_iter().filter(|path| !self.rules.was_special(path))
    }

    /// Carries out differences between the tree as it is and another one. Removals come first: they
    /// make room.
    pub(super) fn carry_out(
        &mut self,
        differences: &[Difference],
        specials: &[Vec<u8>],
    ) -> Result<(), Trouble> {
        let work_tree = self.place.work_tree.clone();
        for path in specials.iter().chain(differences.iter().filter(|d| d.is_removal()).map(|d| &d.path)) {
            let full = walk::full_path(&work_tree, path);
            self.tree.remove(path).map_err(|error| disk(&full, &error))?;
            self.known.forget(path);
        }
        let wanted = differences.iter().filter(|d| !d.is_removal() && d.new_mode != "160000");
        let (of_mode, wanted): (Vec<&Difference>, Vec<&Difference>) =
            wanted.partition(|difference| difference.is_of_mode() && self.chmod(difference));
        for difference in of_mode {
            self.known.forget(&difference.path);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let batch_of = |wanted: &[&Difference]| {
            let objects = wanted.iter().map(|difference| difference.new_object.clone());
            listing::Batch::start(&self.private, objects.collect())
        };
        let gone = self.gone_folders(&wanted);
        let mut batch = batch_of(&wanted)?;
        for (at, difference) in wanted.iter().enumerate() {
            let put = self.put(difference, &mut batch);
            if put.as_ref().is_err_and(is_of_a_full_disk) && !difference.is_addition() {
                // What stands there is kept in git, and makes room.
                let removed = self.tree.remove_alone(&difference.path);
                removed.map_err(|error| disk(&walk::full_path(&work_tree, &difference.path), &error))?;
                batch = batch_of(&wanted[at..])?;
                self.put(difference, &mut batch)?;
            } else {
                put?;
            }
        }
        for difference in wanted {
            self.known.forget(&difference.path);
        }
        for (folder, bits) in gone.iter().rev() {
            let put = self.tree.put_folder(folder, *bits);
            put.map_err(|error| disk(&walk::full_path(&work_tree, folder), &error))?;
        }
        Ok(())
    }

    /// Folders that have to be made for these, and that had permissions of their own when the run began,
    /// with those; the outermost first.
    fn gone_folders(&self, wanted: &[&Difference]) -> Vec<(Vec<u8>, u32)> {
        let is_above = |folder: &[u8], path: &[u8]| {
            path.strip_prefix(folder).is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        let odd = self.rules.odd_folders();
        let odd = odd.filter(|(folder, _)| wanted.iter().any(|one| is_above(folder, &one.path)));
        let gone = odd.filter(|(folder, _)| !walk::full_path(&self.place.work_tree, folder).is_dir());
        let mut gone: Vec<(Vec<u8>, u32)> = gone.map(|(folder, bits)| (folder.to_vec(), bits)).collect();
        gone.sort_unstable();
        gone
    }

    /// Sets the executable bit alone, so that the file and its times stay. `false` where that can't be
    /// done, or another name of the file would feel it.
    fn chmod(&self, difference: &Difference) -> bool {
        let Some(now) = self.tree.permissions(&difference.path) else { return false };
        let bits = self.mode(difference, now);
        self.tree.set_permissions(&difference.path, bits).is_ok()
    }

    /// The permissions of a file that is put back: what it had when the run began, else what the one
    /// in its place has, but for the executable bit.
    fn mode(&self, difference: &Difference, now: u32) -> u32 {
        let is_executable = difference.new_mode == "100755";
        let fits = |mode: &u32| (mode & 0o100 != 0) == is_executable;
        let then = self.rules.mode(&difference.path).filter(fits);
        then.unwrap_or(if is_executable { now | (now & 0o444) >> 2 } else { now & !0o111 })
    }

    fn put(&self, difference: &Difference, batch: &mut listing::Batch) -> Result<(), Trouble> {
        let path = &difference.path;
        let failed = |error: std::io::Error| disk(&walk::full_path(&self.place.work_tree, path), &error);
        if difference.new_mode == "120000" {
            let target = batch.bytes(&difference.new_object, LARGEST_READ)?;
            return self.tree.put_link(path, &target).map_err(failed);
        }
        let known = self.tree.permissions(path).or_else(|| self.rules.mode(path));
        let permissions = match (known, difference.new_mode.as_str()) {
            (Some(now), _) => Permissions::Exact(self.mode(difference, now)),
            (None, "100755") => Permissions::Executable,
            (None, _) => Permissions::Plain,
        };
        let mut trouble = None;
        let put = self.tree.put_file(path, permissions, |file| {
            batch.copy(&difference.new_object, file).map_err(|error| {
                trouble = Some(error);
                std::io::Error::other("git could not give the bytes")
            })
        });
        match trouble {
            Some(trouble) => Err(trouble),
            None => put.map_err(failed),
        }
    }
}

fn is_of_a_full_disk(trouble: &Trouble) -> bool {
    trouble.why.contains("No space left")
}
