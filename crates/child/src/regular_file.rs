//! Opens and makes regular files, and nothing else: the one place for it.
//!
//! A child can put a named pipe, a device or a link where we expect a report, a log or a source. An
//! ordinary open of a pipe waits for its other side for ever, to open a device can do something, and a
//! link could make us read, or write over, anything. So nothing here waits, and what is read is bounded.
#![expect(clippy::disallowed_methods, reason = "this is the one place that opens files")]

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The most that is read of a file of the project as a whole.
const LARGEST: u64 = 64 << 20;

/// Opens the regular file at `path` for reading. A link in its place is refused.
pub fn open(path: &Path) -> io::Result<File> {
    with(OpenOptions::new().read(true), path)
}

/// The same where a link is followed: a person may have put one there.
pub fn open_linked(path: &Path) -> io::Result<File> {
    require(&std::fs::metadata(path)?)?;
    require_opened(OpenOptions::new().read(true).custom_flags(flags(OFlags::NONBLOCK)).open(path)?)
}

/// Opens the regular file at `path` with these options. A link in its place is refused.
pub fn with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Looked at before as well: a device is not to be opened at all.
    match std::fs::symlink_metadata(path) {
        Ok(about) => require(&about)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    require_opened(options.custom_flags(flags(OFlags::NONBLOCK | OFlags::NOFOLLOW)).open(path)?)
}

/// The whole of a file of at most 64 MiB; links are followed.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let bytes = head_of(open_linked(path.as_ref())?, LARGEST + 1)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {LARGEST} bytes"),
        ));
    }
    Ok(bytes)
}

/// The whole of a text of at most 64 MiB; links are followed.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// At most `most` bytes of the beginning of a file; links are followed.
pub fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    head_of(open_linked(path)?, most)
}

/// At most `most` bytes of the end of a file; a link is not followed.
pub fn tail(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    head_of(file, most)
}

/// At most `most` bytes of what is left of a file.
pub fn head_of(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A new, empty file in the place of whatever lies there, which is removed and not written to.
pub fn create(path: &Path) -> io::Result<File> {
    in_place_of(path, OpenOptions::new().write(true))
}

/// The same with these bytes, for its owner alone to read.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    in_place_of(path, OpenOptions::new().write(true).mode(0o600))?.write_all(bytes)
}

fn in_place_of(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    options.create_new(true).open(path)
}

/// A new file with these bytes in the place of whatever lies there.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    create(path.as_ref())?.write_all(bytes.as_ref())
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from((flags | OFlags::NOCTTY | OFlags::CLOEXEC).bits()).unwrap_or_default()
}

/// It may have been replaced between the look and the opening.
fn require_opened(file: File) -> io::Result<File> {
    require(&file.metadata()?)?;
    Ok(file)
}

fn require(about: &std::fs::Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Each of these would hold an ordinary open, read or write for ever.
    #[test]
    fn nothing_here_waits_or_follows_where_it_must_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        symlink("/dev/zero", at("device")).unwrap();
        symlink(at("pipe"), at("to-pipe")).unwrap();
        symlink(at("text"), at("link")).unwrap();
        std::fs::write(at("text"), "words").unwrap();
        for name in ["pipe", "device", "to-pipe", ""] {
            assert!(open(&at(name)).is_err(), "{name}");
            assert!(read(at(name)).is_err(), "{name}");
            assert!(with(OpenOptions::new().write(true).truncate(true), &at(name)).is_err(), "{name}");
        }
        assert!(open(&at("link")).is_err());
        assert_eq!(read(at("link")).unwrap(), b"words");
        assert_eq!(head(&at("text"), 2).unwrap(), b"wo");
        for name in ["pipe", "to-pipe", "link", "new"] {
            write(at(name), "ours").unwrap();
            assert_eq!(head_of(open(&at(name)).unwrap(), 9).unwrap(), b"ours", "{name}");
        }
        assert_eq!(std::fs::read(at("text")).unwrap(), b"words", "no link was written through");
    }
}
