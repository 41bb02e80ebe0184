//! Reads regular files of bounded size, and nothing else.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tdd_child::regular_file;
use tdd_core::trouble::Trouble;
use tdd_spec::requirement::SIZE_LIMIT;

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum FileError {
    Absent,
    Outside,
    /// A folder, a named pipe, a device.
    NotAFile(&'static str),
    TooLarge(u64),
    Unreadable(std::io::Error),
}

impl FileError {
    /// What to tell a person; `shown` is the path as they know it.
    pub(super) fn trouble(&self, shown: &str) -> Trouble {
        let trouble = Trouble::user(format!("can't read the requirement {shown}"));
        match self {
            Self::Absent => trouble
                .because("there is no such file")
                .advise("check the path; paths are relative to the current folder"),
            Self::Outside => trouble
                .because("it lies outside the repository, links resolved")
                .advise("copy it into the repository: its hash is part of the run"),
            Self::NotAFile(what) => trouble.because(format!("it is {what}")).advise("name a Markdown file"),
            Self::TooLarge(bytes) => trouble
                .because(format!("it has {bytes} bytes; at most {SIZE_LIMIT} (4 MiB) are read"))
                .advise("a requirement is a few pages of Markdown: name another file or split it"),
            Self::Unreadable(error) => trouble.because(error).advise("make it readable"),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.trouble("").why)
    }
}

/// Where a path leads, links resolved, if that is inside `repository`.
pub(super) fn resolve(path: &Path, repository: &Path) -> Result<PathBuf, FileError> {
    let real = std::fs::canonicalize(path).map_err(of_io)?;
    if real.starts_with(repository) { Ok(real) } else { Err(FileError::Outside) }
}

/// The whole of a file of at most 4 MiB inside `repository`; a larger one is told by its size.
pub(super) fn read_whole(path: &Path, repository: &Path) -> Result<Vec<u8>, FileError> {
    let (mut file, size) = open(&resolve(path, repository)?)?;
    if size > SIZE_LIMIT as u64 {
        return Err(FileError::TooLarge(size));
    }
    let bytes = read_at_most(&mut file, SIZE_LIMIT + 1)?;
    // The file may have grown since.
    if bytes.len() > SIZE_LIMIT { Err(FileError::TooLarge(bytes.len() as u64)) } else { Ok(bytes) }
}

/// At most `limit` bytes of the head of a regular file.
pub(super) fn read_head(path: &Path, limit: usize) -> Result<Vec<u8>, FileError> {
    let (mut file, _) = open(path)?;
    read_at_most(&mut file, limit)
}

/// Opens a regular file and gives its size.
fn open(path: &Path) -> Result<(File, u64), FileError> {
    require_file(&std::fs::metadata(path).map_err(of_io)?)?;
    let file = regular_file::open_linked(path).map_err(of_io)?;
    let size = file.metadata().map_err(of_io)?.len();
    Ok((file, size))
}

fn require_file(metadata: &std::fs::Metadata) -> Result<(), FileError> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let is_device = kind.is_block_device() || kind.is_char_device();
    Err(FileError::NotAFile(match (kind.is_dir(), kind.is_fifo(), is_device) {
        (true, _, _) => "a folder",
        (_, true, _) => "a named pipe",
        (_, _, true) => "a device",
        (false, false, false) => "no regular file",
    }))
}

fn read_at_most(file: &mut File, limit: usize) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    file.take(limit as u64).read_to_end(&mut bytes).map_err(of_io)?;
    Ok(bytes)
}

fn of_io(error: std::io::Error) -> FileError {
    use std::io::ErrorKind;
    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
        return FileError::Absent;
    }
    FileError::Unreadable(error)
}
