//! The exchange folder of an attempt: the prompt, the role's text, generated files, the message.
//!
//! Fresh for each attempt, outside the repository, readable by its owner alone, gone after it.
#![expect(clippy::disallowed_methods, reason = "the exchange folder is on the disk")]

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::agent_stream::MAX_TEXT;
use crate::cassette::Cassette;
use tdd_child::random;
use tdd_child::regular_file;
use tdd_core::guard::{self, Guard};
use tdd_core::ports::AgentOrder;
use tdd_core::role::Asked;
use tdd_core::trouble::Trouble;

pub(super) struct Exchange {
    folder: tempfile::TempDir,
}

impl Exchange {
    pub(super) const PROMPT: &'static str = "prompt.md";
    pub(super) const ROLE: &'static str = "role.md";
    pub(super) const MESSAGE: &'static str = "message.txt";

    /// A new empty folder below `root`, mode 0700.
    pub(super) fn create(root: &Path, order: &AgentOrder) -> Result<Self, Trouble> {
        let prefix = format!("{}-{}-", slug(&order.asked), order.number);
        let private = fs::Permissions::from_mode(0o700);
        let mut folder = make_folder(root)
            .and_then(|()| tempfile::Builder::new().prefix(&prefix).permissions(private).tempdir_in(root))
            .map_err(|error| unwritable(root, &error))?;
        folder.disable_cleanup(!guard::stands(Guard::ExchangeFolder));
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn prompt_file(&self) -> PathBuf {
        self.folder().join(Self::PROMPT)
    }

    /// Writes the prompt, the role's text and the table's files, each a name and its text, each mode 0600.
    pub(super) fn fill(&self, order: &AgentOrder, of_table: Vec<(String, String)>) -> Result<(), Trouble> {
        let own = [
            (Self::PROMPT.to_owned(), order.prompt.clone()),
            (Self::ROLE.to_owned(), order.role_text.clone()),
        ];
        for (name, content) in own.into_iter().chain(of_table) {
            let path = self.folder().join(name);
            let mut options = fs::OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(&path);
            file.and_then(|mut file| file.write_all(content.as_bytes()))
                .map_err(|error| unwritable(&path, &error))?;
        }
        Ok(())
    }

    /// The file that the agent will write its message to; relative paths are below this folder.
    pub(super) fn watch(&self, path: &str) -> Watched {
        let path = self.folder().join(path);
        let before = Stamp::of(&path);
        Watched { path, before }
    }
}

/// A message's file, with what it was before the start: what an earlier attempt left does not count.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    before: Option<Stamp>,
}

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let about = fs::symlink_metadata(path).ok()?;
        Some(Self { inode: about.ino(), length: about.len(), changed: (about.ctime(), about.ctime_nsec()) })
    }
}

impl Watched {
    /// The message, if the file is new or changed and holds anything; its last 16 MiB. A link or
    /// a pipe in its place counts as none: the child could make us read anything, or wait for ever.
    pub(super) fn read(&self) -> Option<String> {
        let now = Stamp::of(&self.path)?;
        if self.before.as_ref() == Some(&now) {
            return None;
        }
        let mut file = regular_file::open(&self.path).ok()?;
        let most = u64::try_from(MAX_TEXT).ok()?;
        file.seek(SeekFrom::Start(file.metadata().ok()?.len().saturating_sub(most))).ok()?;
        let bytes = regular_file::head_of(file, most).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (!text.trim().is_empty()).then_some(text)
    }
}

/// Refuses a root that lies in the repository: what is in it would look like a role's work, and
/// one role could read another's prompt.
pub(super) fn check_root(root: &Path, cwd: &Path) -> Result<(), Trouble> {
    make_folder(root).map_err(|error| unwritable(root, &error))?;
    let real = |path: &Path| path.canonicalize().map_err(|error| unwritable(path, &error));
    let (root, cwd) = (real(root)?, real(cwd)?);
    let repository = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&cwd);
    if root.starts_with(repository) {
        return Err(Trouble::environment(format!(
            "the exchange folder {} is in the repository",
            root.display()
        ))
        .because(format!("prompts must lie outside {}, where the roles work", repository.display()))
        .advise("set TMPDIR to a folder outside the repository"));
    }
    Ok(())
}

/// Refuses a cassette that the scripted agent could not play.
pub(super) fn check_cassette(path: &Path) -> Result<(), Trouble> {
    let text = regular_file::read_to_string(path).map_err(|error| {
        Trouble::environment(format!("the cassette {} can't be read", path.display()))
            .because(error)
            .advise("name another one with --cassette FILE")
    })?;
    let cassette = Cassette::read(&text).map_err(|mut trouble| {
        trouble.what = format!("{}: {}", path.display(), trouble.what);
        trouble
    })?;
    if cassette.entries.is_empty() {
        return Err(Trouble::config(format!("{}: the cassette has no entries", path.display()))
            .because("the scripted agent could answer no call; no role is to blame for that")
            .advise("name another one with --cassette FILE"));
    }
    Ok(())
}

/// A path for this attempt's raw log. An attempt that a crash of ours cut off has one already,
/// under the same number; it is kept.
pub(super) fn free_log(logs: &Path, order: &AgentOrder) -> Result<PathBuf, Trouble> {
    const TRIES: u32 = 1_000;
    make_folder(logs).map_err(|error| unwritable(logs, &error))?;
    let name = format!("{}-{}", slug(&order.asked), order.number);
    let names = std::iter::once(format!("{name}.log"))
        .chain((2..TRIES).map(|again| format!("{name}.again-{again}.log")));
    names.map(|name| logs.join(name)).find(|path| !path.exists()).ok_or_else(|| {
        Trouble::internal(format!("no free name for a log of {} in {}", order.asked, logs.display()))
    })
}

/// A random UUID of version 4.
pub(super) fn new_uuid() -> Result<String, Trouble> {
    let mut bytes = random::bytes::<16>()?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&index) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 0x0f] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    Ok(text)
}

/// Whoever was asked as part of a file's name; criterion ids hold nothing that a name can't.
pub(super) fn slug(asked: &Asked) -> String {
    asked.to_string().replace(' ', "-")
}

pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be used", path.display()))
        .because(error)
        .advise("see its permissions and the space on its disk")
}
