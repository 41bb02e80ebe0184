//! Which target a file of Rust is a module of, and by which name.

use tdd_core::attempt::CheckpointId;
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::trouble::Trouble;

use crate::driver::cycle::Drive;
use crate::driver::measure::Work;
use crate::driver::measure::homes::homes;

/// A module that is not in the file that its name says.
pub(super) struct Led {
    /// The source that leads to it, as ids spell it.
    pub(super) owner: String,
    pub(super) module: String,
}

/// Sources that are asked whether they lead a module to a file.
const MOST_LEADERS: usize = 500;

impl<W: World> Drive<'_, W> {
    /// The root of the target that a file of Rust is a module of.
    pub(super) fn root_of(&mut self, file: &RelPath, work: &Work) -> Result<RelPath, Trouble> {
        if let Some(root) = self.root_that_names(file, work)? {
            return Ok(root);
        }
        let project = self.state.run.project.clone();
        let path = mapping::in_project(file, &project);
        let known = self.known_tests();
        let with_it = known.iter().find(|id| homes(id).iter().any(|home| home.file == path));
        if let Some(root) = with_it.and_then(|id| self.file_of(id)) {
            return Ok(root);
        }
        let parts: Vec<&str> = file.as_str().split('/').collect();
        for end in (0..parts.len()).rev() {
            let folder = parts[..end].join("/");
            for name in ["lib.rs", "main.rs"] {
                let Some(root) = RelPath::new(format!("{folder}/{name}").trim_start_matches('/')) else {
                    continue;
                };
                if self.source(&work.after, &root)?.is_some() {
                    return Ok(root);
                }
            }
        }
        Ok(file.clone())
    }

    /// Where a library and a program lie side by side, which of the two has this file for a module.
    fn root_that_names(&mut self, file: &RelPath, work: &Work) -> Result<Option<RelPath>, Trouble> {
        let parts: Vec<&str> = file.as_str().split('/').collect();
        for end in (0..parts.len()).rev() {
            let folder = parts[..end].join("/");
            let module = parts[end].trim_end_matches(".rs");
            let (mut roots, mut naming) = (0, Vec::new());
            for name in ["lib.rs", "main.rs"] {
                let path = format!("{folder}/{name}");
                let Some(root) = RelPath::new(path.trim_start_matches('/')) else { continue };
                let Some(text) = self.source(&work.after, &root)? else { continue };
                roots += 1;
                if tdd_source::has_module_of_its_own(&text, module) {
                    naming.push(root);
                }
            }
            if roots > 0 {
                return Ok(naming.pop().filter(|_| roots > 1 && naming.is_empty()));
            }
        }
        Ok(None)
    }

    /// The source that leads a module to this file by `#[path]`, as ids spell it, and the module's name.
    pub(super) fn led_to(&mut self, file: &RelPath, at: &CheckpointId) -> Result<Option<Led>, Trouble> {
        let all = self.ports.checkpoints.files(at)?;
        let is_near = |other: &&RelPath| {
            let folder = other.folder();
            other.extension() == "rs"
                && *other != file
                && (folder.is_empty() || file.as_str().starts_with(&format!("{folder}/")))
        };
        for owner in all.iter().filter(is_near).take(MOST_LEADERS) {
            let Some(text) = self.source(at, owner)?.filter(|text| text.contains(file.file_name())) else {
                continue;
            };
            let folder = owner.folder();
            let is_led = |(path, _): &(String, String)| {
                format!("{folder}/{}", path.trim_start_matches("./")).trim_start_matches('/') == file.as_str()
            };
            if let Some((_, module)) = tdd_source::led_modules(&text).into_iter().find(is_led) {
                let owner = mapping::in_project(owner, &self.state.run.project).to_owned();
                return Ok(Some(Led { owner, module }));
            }
        }
        Ok(None)
    }
}
