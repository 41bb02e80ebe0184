//! The bytes of sealed files, one after the other in a file without a name, so that no child can
//! find it. What is taken out is checked against its hash all the same.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// So many bytes are moved at once.
const BUFFER: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(super) struct Copies {
    file: Option<File>,
    length: u64,
    buffer: Vec<u8>,
    places: HashMap<blake3::Hash, (u64, u64)>,
}

impl Copies {
    /// Reads a file to its end, keeps its bytes if they are new, and gives their hash.
    pub(super) fn keep(&mut self, folder: &Path, source: &mut File) -> io::Result<blake3::Hash> {
        let pack = match &mut self.file {
            Some(pack) => pack,
            none @ None => none.insert(tempfile::tempfile_in(folder)?),
        };
        let mut hasher = blake3::Hasher::new();
        let (start, mut end) = (self.length, self.length);
        self.buffer.resize(BUFFER, 0);
        loop {
            let read = source.read(&mut self.buffer)?;
            if read == 0 {
                break;
            }
            hasher.update(&self.buffer[..read]);
            pack.write_all_at(&self.buffer[..read], end)?;
            end += read as u64;
        }
        let hash = hasher.finalize();
        // What is there already is written over by the next file.
        if let Entry::Vacant(place) = self.places.entry(hash) {
            place.insert((start, end - start));
            self.length = end;
        }
        Ok(hash)
    }

    /// Writes the bytes of this hash. An error if they are not what they were.
    pub(super) fn put(&self, hash: &blake3::Hash, target: &mut File) -> io::Result<()> {
        let changed = || io::Error::other("the copy kept of it was changed");
        let (Some(pack), Some((start, length))) = (&self.file, self.places.get(hash)) else {
            return Err(changed());
        };
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; BUFFER];
        let (mut at, end) = (*start, start + length);
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(BUFFER).min(BUFFER);
            pack.read_exact_at(&mut buffer[..wanted], at).map_err(|_| changed())?;
            hasher.update(&buffer[..wanted]);
            target.write_all(&buffer[..wanted])?;
            at += wanted as u64;
        }
        if hasher.finalize() == *hash { Ok(()) } else { Err(changed()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom};

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file
    }

    fn taken(copies: &Copies, hash: &blake3::Hash) -> io::Result<Vec<u8>> {
        let mut target = file(b"");
        copies.put(hash, &mut target)?;
        target.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        target.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn what_was_kept_comes_back_and_what_was_changed_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut copies = Copies::default();
        let large = vec![7; 3 * BUFFER + 1];
        let texts: [&[u8]; 5] = [b"one", b"", &large, b"one", b"two"];
        let hashes = texts.map(|text| copies.keep(folder.path(), &mut file(text)).unwrap());
        for (text, hash) in texts.iter().zip(&hashes) {
            assert_eq!(taken(&copies, hash).unwrap(), *text);
        }
        assert_eq!(copies.length, 3 + 3 * BUFFER as u64 + 1 + 3, "the same bytes are kept once");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nobody can find it");
        copies.file.as_ref().unwrap().write_all_at(b"x", 1).unwrap();
        assert!(taken(&copies, &hashes[0]).unwrap_err().to_string().contains("was changed"));
        copies.file.as_ref().unwrap().set_len(4).unwrap();
        assert!(taken(&copies, &hashes[2]).unwrap_err().to_string().contains("was changed"));
        assert!(taken(&copies, &blake3::hash(b"never kept")).is_err());
    }
}
