//! The run's own git folder and its frozen rules, laid out once for a run.
#![expect(clippy::disallowed_methods, reason = "a folder of ours")]

use std::path::Path;

use super::git::Git;
use super::place::GitPlace;
use super::rules::Rules;
use super::walk::{self, Reading};
use crate::core::trouble::Trouble;

pub(super) fn frozen_rules(place: &GitPlace, own: &Git, file: &Path) -> Result<Rules, Trouble> {
    if let Some(rules) = Rules::load(file) {
        return Ok(rules);
    }
    let mut rules = Rules::begin(place, own)?;
    walk::walk(&place.work_tree, Reading::Learning(&mut rules))?;
    rules.save(file)?;
    Ok(rules)
}

/// Lays out the private git folder: a head, a configuration, nothing else.
pub(super) fn make_private(git_dir: &Path, own: &Git) -> Result<(), Trouble> {
    let format = own.ask(&["config", "--get", "extensions.objectFormat"], b"")?;
    let sha256 = format.ok && format.stdout.trim_ascii().eq_ignore_ascii_case(b"sha256");
    let (version, extension) = if sha256 { (1, "[extensions]\n\tobjectFormat = sha256\n") } else { (0, "") };
    let config = format!(
        "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n\tprotectNTFS = false\n\
         \tprotectHFS = false\n\tprecomposeUnicode = false\n{extension}"
    );
    let lay = || -> std::io::Result<()> {
        std::fs::create_dir_all(git_dir.join("objects"))?;
        std::fs::create_dir_all(git_dir.join("refs/heads"))?;
        std::fs::write(git_dir.join("config"), config)?;
        std::fs::write(git_dir.join("HEAD"), "ref: refs/heads/unused\n")
    };
    lay().map_err(|error| disk(git_dir, &error))
}

/// The trouble of a disk that says no.
pub(super) fn disk(path: &Path, error: &std::io::Error) -> Trouble {
    let trouble = Trouble::environment(format!("can't write {}", path.display())).because(error);
    if error.kind() == std::io::ErrorKind::StorageFull {
        return trouble.advise("make room on the disk, then `tdd resume`");
    }
    trouble.advise("see that the folder may be written and that nothing else changes it")
}
