//! What the project's own commands write into folders of tools.

use std::path::Path;

use super::{Manifest, Tree, survey};
use tdd_child::sandbox::ToolWrites;
use tdd_core::path::RelPath;

impl Manifest {
    /// A tool believes what it wrote for itself (a record of what was checked), so what a child could
    /// have forged there is what it was before any child ran. What can't be put back is left.
    pub(super) fn put_learned_back(&self, tree: &Tree) {
        let Ok(pass) = self.pass() else { return };
        for (path, learned) in &self.learned {
            let now = self.look(&pass, path, None).ok().flatten().map(|(sealed, _)| sealed);
            if now == *learned {
                continue;
            }
            let _ = match learned {
                Some(sealed) => self.restore_one(tree, path, sealed),
                None => tree.clear(path),
            };
        }
    }

    pub(super) fn learn(&mut self, files: &[RelPath]) {
        let made = std::fs::create_dir_all(&self.scratch).is_ok();
        let Some(pass) = made.then(|| self.pass().ok()).flatten() else { return };
        for file in files {
            let path = file.as_str().as_bytes();
            // What can't be read could not be made as it was.
            if let Ok(seen) = self.look(&pass, path, Some(&mut self.copies.borrow_mut())) {
                self.learned.insert(path.to_vec(), seen.map(|(sealed, _)| sealed));
            }
        }
        let written = self.learned.keys().map(|path| survey::full_path(Path::new(""), path)).collect();
        self.told.let_write_in_tools(ToolWrites::These(written));
    }
}
