//! Files above the repository that decide how its tests run: tools look for them upwards from where they are called.
//!
//! In level `enforce` no child can write there. In `audit` what is new, changed or gone is made as it was before
//! each of our runs, what lay there is kept in the run's folder, and both are told. Nobody is blamed: it may have been
//! somebody at work in the folder above.
//!
//! Kept by name, since no tool says where it would look: what each one's own documentation names. A tool that is
//! not here, and a package that is put into a folder `node_modules` above, are missed.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tdd_child::regular_file;

/// Of a file that a person wrote; a larger one is not kept, and told alone.
const MOST_BYTES: u64 = 1 << 20;

/// What is looked for in each folder upwards, and by whom.
const NAMES: [&str; 57] = [
    // pytest: the configuration and with it the root folder, up to which it loads every conftest.py.
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "conftest.py",
    // cargo, rustup, clippy, rustfmt
    ".cargo/config.toml",
    ".cargo/config",
    "Cargo.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "clippy.toml",
    ".clippy.toml",
    "rustfmt.toml",
    ".rustfmt.toml",
    // go, golangci-lint
    "go.work",
    "go.mod",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    // node, npm, jest; mocha; TypeScript; babel; postcss
    "package.json",
    "jest.config.js",
    "jest.config.ts",
    "jest.config.mjs",
    "jest.config.cjs",
    "jest.config.json",
    ".mocharc.js",
    ".mocharc.cjs",
    ".mocharc.yaml",
    ".mocharc.yml",
    ".mocharc.json",
    "tsconfig.json",
    ".babelrc",
    ".babelrc.json",
    "postcss.config.js",
    ".postcssrc",
    "deno.json",
    "deno.jsonc",
    // eslint, prettier, biome, editorconfig
    "eslint.config.js",
    "eslint.config.mjs",
    ".eslintrc.json",
    ".prettierrc",
    "biome.json",
    ".editorconfig",
    // mypy, pyright, ruff, pylint
    "mypy.ini",
    "pyrightconfig.json",
    "ruff.toml",
    ".ruff.toml",
    ".pylintrc",
    // versions of tools: asdf, pyenv, nvm, mise
    ".tool-versions",
    ".python-version",
    ".nvmrc",
    "mise.toml",
    // just, task
    "justfile",
    "Taskfile.yml",
];

/// What one of them was before the first child.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Was {
    Absent,
    File {
        mode: u32,
        bytes: Vec<u8>,
    },
    /// A folder, a link, a special or a file that is too large: by what `lstat` tells.
    Other {
        inode: u64,
        size: u64,
        changed: (i64, i64),
    },
}

/// The files above a repository as they were.
#[derive(Debug)]
pub(super) struct Above {
    was: BTreeMap<PathBuf, Was>,
    kept_in: PathBuf,
    kept: usize,
    told: Vec<String>,
}

impl Above {
    /// Looks at all that lies above `top`; what is replaced later is kept in `kept_in`.
    pub(super) fn look(top: &Path, kept_in: PathBuf) -> Self {
        let folders = top.ancestors().skip(1);
        let paths = folders.flat_map(|folder| NAMES.map(|name| folder.join(name)));
        Self {
            was: paths.map(|path| (path.clone(), now(&path))).collect(),
            kept_in,
            kept: 0,
            told: Vec::new(),
        }
    }

    /// Makes what differs as it was.
    pub(super) fn put_back(&mut self) {
        let differing: Vec<(PathBuf, Was)> = self
            .was
            .iter()
            .filter(|(path, was)| now(path) != **was)
            .map(|(path, was)| (path.clone(), was.clone()))
            .collect();
        for (path, was) in differing {
            let shown = path.display();
            let became = match self.replace(&path, &was) {
                Ok(Some(kept)) => format!("as it was again; what lay there is kept as {}", kept.display()),
                Ok(None) => "as it was again".to_owned(),
                Err(error) => {
                    // Told once, and not before every run.
                    self.was.insert(path.clone(), now(&path));
                    format!("left as it is: {error}")
                }
            };
            self.told.push(format!(
                "{shown}, above the repository, where tools look for it, was changed while the run was at work; {became}"
            ));
        }
    }

    /// What was put back since this was last asked.
    pub(super) fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    fn replace(&mut self, path: &Path, was: &Was) -> io::Result<Option<PathBuf>> {
        let kept = match now(path) {
            Was::Absent => None,
            Was::File { bytes, .. } => Some(self.keep(path, &bytes)?),
            Was::Other { .. } => return Err(io::Error::other("it is no regular file, or a large one")),
        };
        match was {
            Was::Absent => std::fs::remove_file(path)?,
            Was::File { mode, bytes } => write(path, *mode, bytes)?,
            Was::Other { .. } => return Err(io::Error::other("what it was is not kept")),
        }
        Ok(kept)
    }

    fn keep(&mut self, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        std::fs::create_dir_all(&self.kept_in)?;
        self.kept += 1;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept = self.kept_in.join(format!("{}-{name}", self.kept));
        regular_file::write_private(&kept, bytes)?;
        Ok(kept)
    }
}

fn now(path: &Path) -> Was {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return Was::Absent };
    let other =
        || Was::Other { inode: meta.ino(), size: meta.size(), changed: (meta.ctime(), meta.ctime_nsec()) };
    if !meta.is_file() || meta.len() > MOST_BYTES {
        return other();
    }
    regular_file::open(path)
        .and_then(|file| regular_file::head_of(file, MOST_BYTES))
        .map_or_else(|_| other(), |bytes| Was::File { mode: meta.mode() & 0o7777, bytes })
}

/// Whole or not at all.
fn write(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    file.persist(path).map(|_| ()).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_find_above_is_as_it_was_and_the_rest_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, top) = (folder.path().join("outer"), folder.path().join("outer/repo"));
        std::fs::create_dir_all(&top).unwrap();
        let at = |name: &str| outer.join(name);
        for (name, text) in [("pytest.ini", "[pytest]\n"), ("tox.ini", "gone\n"), ("notes.txt", "a\n")] {
            std::fs::write(at(name), text).unwrap();
        }
        std::fs::set_permissions(at("pytest.ini"), Permissions::from_mode(0o640)).unwrap();
        let mut above = Above::look(&top, folder.path().join("kept"));
        above.put_back();
        assert!(above.told().is_empty());

        std::fs::write(at("pytest.ini"), "[pytest]\naddopts = -k nothing\n").unwrap();
        std::fs::remove_file(at("tox.ini")).unwrap();
        std::fs::write(at("conftest.py"), "import os\n").unwrap();
        std::fs::create_dir(at(".cargo")).unwrap();
        std::fs::write(at(".cargo/config.toml"), "[alias]\n").unwrap();
        std::fs::write(at("notes.txt"), "b\n").unwrap();
        std::fs::write(top.join("conftest.py"), "").unwrap();
        std::fs::create_dir(at("justfile")).unwrap();
        above.put_back();
        let told = above.told();
        assert_eq!(told.len(), 5, "{told:#?}");
        assert!(
            told.iter().any(|line| line.contains("justfile") && line.contains("no regular file")),
            "{told:#?}"
        );
        let text = |name: &str| std::fs::read_to_string(at(name)).ok();
        assert_eq!(text("pytest.ini").as_deref(), Some("[pytest]\n"));
        assert_eq!(std::fs::metadata(at("pytest.ini")).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(text("tox.ini").as_deref(), Some("gone\n"));
        assert_eq!((text("conftest.py"), text(".cargo/config.toml")), (None, None));
        assert_eq!(text("notes.txt").as_deref(), Some("b\n"));
        assert!(top.join("conftest.py").is_file());
        let kept: Vec<String> = std::fs::read_dir(folder.path().join("kept"))
            .unwrap()
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        assert!(kept.contains(&"[pytest]\naddopts = -k nothing\n".to_owned()) && kept.len() == 3, "{kept:?}");
        // What can't be put back is told once.
        above.put_back();
        assert!(above.told().is_empty());
    }
}
