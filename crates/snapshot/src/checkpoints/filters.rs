//! What git's filters make of a file of a commit, as far as it can be told without running one: a filter's command stands
//! in a configuration that a model may write.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A pointer of Git LFS is no longer.
const LONGEST_POINTER: usize = 1024;
const IDENT: &[u8] = b"$Id";

/// Whether a file of the tree is what git lays there for this one of a commit, or the same with its filters undone: ends of
/// lines, `$Id$`, Git LFS.
pub(super) fn are_same(committed: &[u8], laid: &[u8]) -> bool {
    plain(committed) == plain(laid) || lfs_holds(committed, laid) || lfs_holds(laid, committed)
}

/// Without carriage returns before line feeds, and without what git puts into `$Id$`.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            at += 1;
            continue;
        }
        if bytes[at..].starts_with(IDENT)
            && let Some(length) = ident(&bytes[at..])
        {
            plain.extend_from_slice(b"$Id$");
            at += length;
            continue;
        }
        plain.push(*byte);
        at += 1;
    }
    plain
}

/// How long `$Id: NAME-OF-AN-OBJECT $` is.
fn ident(bytes: &[u8]) -> Option<usize> {
    let name = bytes.strip_prefix(b"$Id: ")?;
    let end = name.iter().position(|byte| !byte.is_ascii_hexdigit())?;
    (matches!(end, 40 | 64) && name[end..].starts_with(b" $")).then_some(b"$Id: ".len() + end + 2)
}

/// Whether one is a pointer of Git LFS to the other's bytes.
fn lfs_holds(pointer: &[u8], bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(pointer).ok().filter(|text| text.len() <= LONGEST_POINTER);
    let Some(text) = text.filter(|text| text.starts_with("version https://git-lfs.github.com/spec/")) else {
        return false;
    };
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
    let is_long = value("size").and_then(|size| size.parse().ok()) == Some(bytes.len());
    let Some(wanted) = value("oid").and_then(|oid| oid.strip_prefix("sha256:")) else { return false };
    let mut name = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(name, "{byte:02x}");
    }
    is_long && name == wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_itself_makes_of_a_file_is_the_same() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:\
                       ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nsize 3\n";
        let longer = pointer.replace("size 3", "size 4");
        for (committed, laid, is_same) in [
            ("a\r\nb\r\n".to_owned(), "a\nb\n".to_owned(), true),
            ("a\rb".to_owned(), "ab".to_owned(), false),
            ("a\r\r\n".to_owned(), "a\r\n".to_owned(), false),
            ("\r".to_owned(), String::new(), false),
            ("x $Id$ y".to_owned(), format!("x $Id: {id} $ y"), true),
            ("x $Id$ y".to_owned(), format!("x $Id: {id}; import os $ y"), false),
            ("x $Id$ y".to_owned(), "x $Id: abc $ y".to_owned(), false),
            (pointer.to_owned(), "abc".to_owned(), true),
            ("abc".to_owned(), pointer.to_owned(), true),
            (pointer.to_owned(), "abd".to_owned(), false),
            (longer, "abc".to_owned(), false),
            ("abc".to_owned(), "abd".to_owned(), false),
        ] {
            assert_eq!(are_same(committed.as_bytes(), laid.as_bytes()), is_same, "{committed:?} {laid:?}");
        }
    }
}
