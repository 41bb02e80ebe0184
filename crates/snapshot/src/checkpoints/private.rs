//! The run's own git folders and its frozen rules.
//!
//! ```text
//! git/     a head and a configuration: snapshots are made and read here
//! refs/    the same, with links to the user's refs: they are read and written here
//! ```
//!
//! So no configuration that lies in the repository has a part in what git does for us: not a hook that
//! is told of every ref, not a program that fetches what is missing, not a format that git refuses.
#![expect(clippy::disallowed_methods, reason = "folders of ours")]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Beside;
use super::edit::{Permissions, Tree};
use super::git::{self, Git};
use super::place::GitPlace;
use super::rules::Rules;
use super::walk::{self, Reading};
use tdd_core::trouble::Trouble;

/// Where git keeps refs, in either of its formats, and what it notes of their moves.
const OF_REFS: [&str; 4] = ["refs", "packed-refs", "reftable", "logs"];

pub(super) fn frozen_rules(
    (place, beside): (&GitPlace, Beside),
    tree: &Tree,
    own: &Git,
    file: &Path,
) -> Result<Rules, Trouble> {
    if let Some(mut rules) = Rules::load(file) {
        rules.leave_out_what_is_printed(&place.work_tree);
        return Ok(rules);
    }
    let mut rules = Rules::begin(place, own)?;
    let scan =
        walk::walk(&place.work_tree, tree, Reading::Learning(&mut rules), |_| beside == Beside::Looked);
    // Whatever was closed was so before the run.
    tree.close_again(|_, _| true);
    let scan = scan?;
    // Whatever the umask is, it was at work on a file of ours.
    let ours = std::fs::metadata(file.with_file_name("git").join("config"));
    let plain = ours.map_or(0o644, |about| about.permissions().mode() & 0o777);
    rules.keep_beyond_git(scan, plain);
    rules.save(file)?;
    Ok(rules)
}

/// The two git folders of a run.
#[derive(Debug)]
pub(super) struct Private {
    folder: PathBuf,
    config: String,
    /// Where the links of `refs/` lead.
    common_dir: PathBuf,
    git_dir: PathBuf,
}

impl Private {
    /// Lays them out in `folder`.
    pub(super) fn lay(folder: &Path, place: &GitPlace, own: &Git) -> Result<Self, Trouble> {
        let format = own.ask(&["config", "--get", "extensions.objectFormat"], b"")?;
        // 1 is for a setting that nobody has made.
        if !matches!(format.code, Some(0 | 1)) {
            return Err(git::refused(&["config"], &format.stderr));
        }
        let sha256 = format.ok && format.stdout.trim_ascii().eq_ignore_ascii_case(b"sha256");
        let reftable = place.common_dir.join("reftable").exists();
        let mut extensions = String::new();
        for (is_so, line) in [(sha256, "\tobjectFormat = sha256\n"), (reftable, "\trefStorage = reftable\n")]
        {
            if is_so {
                extensions.push_str(line);
            }
        }
        let version = u8::from(!extensions.is_empty());
        let config = format!(
            "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n\tprotectNTFS = false\n\
             \tprotectHFS = false\n\tprecomposeUnicode = false\n[extensions]\n{extensions}"
        );
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (common_dir, git_dir) = (real(&place.common_dir), real(&place.git_dir));
        let private = Self { folder: folder.to_owned(), config, common_dir, git_dir };
        private.lay_out().map_err(|error| disk(folder, &error))?;
        Ok(private)
    }

    pub(super) fn for_objects(&self) -> PathBuf {
        self.folder.join("git")
    }

    pub(super) fn for_refs(&self) -> PathBuf {
        self.folder.join("refs")
    }

    /// Lays them out anew after a child that could write to them. Not where they are gone: then the
    /// run's folder is.
    pub(super) fn lay_again(&self) -> Result<(), Trouble> {
        if !self.for_objects().is_dir() {
            return Ok(());
        }
        self.lay_out().map_err(|error| disk(&self.folder, &error))
    }

    fn lay_out(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let tree = Tree::open(&self.folder)?;
        for (folder, shares_refs) in [("git", false), ("refs", true)] {
            tree.clear(folder.as_bytes())?;
            std::fs::create_dir_all(self.folder.join(folder).join("objects"))?;
            let put = |name: &str, text: &str| {
                let path = format!("{folder}/{name}");
                tree.put_file(path.as_bytes(), Permissions::Plain, |file| file.write_all(text.as_bytes()))
            };
            let config = if shares_refs {
                self.config.clone()
            } else {
                self.config.replace("\trefStorage = reftable\n", "")
            };
            put("config", &config)?;
            put("HEAD", "ref: refs/heads/unused\n")?;
            if shares_refs {
                self.link_to_refs(&tree, folder)?;
            } else {
                std::fs::create_dir_all(self.folder.join(folder).join("refs/heads"))?;
            }
        }
        Ok(())
    }

    fn link_to_refs(&self, tree: &Tree, folder: &str) -> std::io::Result<()> {
        use std::os::unix::ffi::OsStrExt;
        let link = |name: &[u8], to: &Path| {
            let path = [folder.as_bytes(), b"/", name].concat();
            tree.put_link(&path, to.as_os_str().as_bytes())
        };
        for name in OF_REFS {
            if name == "refs" || self.common_dir.join(name).exists() {
                link(name.as_bytes(), &self.common_dir.join(name))?;
            }
        }
        // What a split index is built on.
        for entry in std::fs::read_dir(&self.git_dir)?.flatten() {
            if entry.file_name().as_bytes().starts_with(b"sharedindex.") {
                link(entry.file_name().as_bytes(), &entry.path())?;
            }
        }
        Ok(())
    }
}

/// The trouble of a disk that says no.
pub(super) fn disk(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("can't write {}", path.display()))
        .because(error)
        .advise("see that the folder may be written and that nothing else changes it")
}
