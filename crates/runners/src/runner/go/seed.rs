//! What a person's own builds have left in go's cache of packages from outside of the project.
//!
//! ```text
//! <cache>/ab/ab…-a     entry:  "v1" ACTION OUTPUT SIZE TIME, the hashes in hexadecimal digits
//!         cd/cd…-d     output, by its hash
//! build id             = the first 15 bytes of ACTION in base64 "/" …
//! what was printed     : the entry of SHA-256("subkey:" ACTION "stdout")
//! ```
//!
//! Since 1.20 go keeps its own library there too, so a cache that begins empty compiles hundreds of
//! packages. They are copied before the first role runs, so they are as trustworthy as the person's own
//! `go test`: what an earlier child could have put there, it could have put before that one, too. What
//! is of the project itself, or lies in its folders, is compiled, because a verdict rests on it. go
//! looks an entry up by all that goes into it, so a package too few costs time, and none is wrong.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Going, base_environment};
use crate::runner::verification::{Step, Verification, read_capped};
use crate::runner::words;
use crate::test_report::REPORT_CAP;
use tdd_child::regular_file;
use tdd_core::trouble::Trouble;

/// The output of a compiled package, a space, and its build id.
const FOREIGN: &str = "{{if .Standard}}{{.Export}} {{.BuildID}}\
    {{else if .Module}}{{if not .Module.Main}}{{if not .Module.Replace}}{{.Export}} {{.BuildID}}{{end}}{{end}}{{end}}";

/// Bytes of an action that a build id holds.
const ACTION_BYTES: usize = 15;
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Going<'_> {
    /// Copies what the packages of the command need from the person's own cache into an empty one. What
    /// is not there is compiled: into the person's cache, as their own command would.
    pub(super) async fn sow(&self, into: &Path, verification: &mut Verification) -> Result<(), Trouble> {
        // With this nothing is looked up in any cache.
        if self.options.build.iter().any(|option| option == "-a") {
            return Ok(());
        }
        let mut argv = vec![self.program()];
        argv.extend(["list", "-e", "-deps", "-test", "-export", "-f", FOREIGN].map(OsString::from));
        argv.extend(words(&self.options.build));
        argv.extend(words(&self.options.packages));
        let before = verification.parts();
        let stdout = verification.fresh("seed");
        let (cwd, env) = (self.place.project.clone(), base_environment(self.call));
        verification.build(Step { argv, cwd, env, stdout: Some(stdout.clone()) }).await?;
        let listed = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        verification.hide_parts(before);
        for line in String::from_utf8_lossy(&listed).lines() {
            if let Some((output, build_id)) = line.rsplit_once(' ') {
                copy_package(Path::new(output), build_id, into);
            }
        }
        Ok(())
    }
}

/// `None` where a part of it is missing or is not as go writes it; then go compiles it.
fn copy_package(output: &Path, build_id: &str, into: &Path) -> Option<()> {
    let cache = output.parent()?.parent()?;
    let compiled = Entry::read(cache, &action_of(cache, build_id)?)?;
    if !output.ends_with(compiled.output_path()) {
        return None;
    }
    // go takes no output without what was printed for it, which is empty as a rule.
    let printed = Entry::read(cache, &subkey(&compiled.action, "stdout")?)?;
    for entry in [&printed, &compiled] {
        entry.copy(cache, into).ok()?;
    }
    Some(())
}

/// The whole action of which a build id holds the beginning.
fn action_of(cache: &Path, build_id: &str) -> Option<String> {
    let begins = hexadecimal(&decoded(build_id.split('/').next()?)?);
    let entries = std::fs::read_dir(cache.join(begins.get(..2)?)).ok()?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_its = |name: &String| name.starts_with(&begins) && name.ends_with("-a");
    names.filter(is_its).find_map(|name| name.strip_suffix("-a").map(str::to_owned))
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(ACTION_BYTES);
    for four in text.as_bytes().chunks(4) {
        let mut bits: u32 = 0;
        for byte in four {
            let value = BASE64.iter().position(|known| known == byte)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    (text.len() == ACTION_BYTES / 3 * 4).then_some(bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn subkey(action: &str, what: &str) -> Option<String> {
    let digits = action.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).ok());
    let bytes: Option<Vec<u8>> = digits.map(|two| u8::from_str_radix(two?, 16).ok()).collect();
    let text = [b"subkey:".as_slice(), &bytes?, what.as_bytes()].concat();
    Some(hexadecimal(&Sha256::digest(text)))
}

/// What go has noted of one action.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    action: String,
    output: String,
    text: String,
}

impl Entry {
    fn read(cache: &Path, action: &str) -> Option<Self> {
        let text = regular_file::read_to_string(cache.join(below(action, "a"))).ok()?;
        let mut words = text.split_whitespace();
        let is_its = words.next() == Some("v1") && words.next() == Some(action);
        let output = words.next().filter(|output| is_its && is_hash(output))?.to_owned();
        Some(Self { action: action.to_owned(), output, text })
    }

    fn output_path(&self) -> PathBuf {
        below(&self.output, "d")
    }

    /// The output first: an entry without one would be a promise that is not kept.
    fn copy(&self, from: &Path, into: &Path) -> std::io::Result<()> {
        let target = into.join(self.output_path());
        if !target.exists() {
            let mut source = regular_file::open(&from.join(self.output_path()))?;
            make_home(&target)?;
            std::io::copy(&mut source, &mut File::create_new(&target)?)?;
        }
        let target = into.join(below(&self.action, "a"));
        make_home(&target)?;
        regular_file::write(&target, &self.text)
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn below(hash: &str, kind: &str) -> PathBuf {
    Path::new(hash.get(..2).unwrap_or_default()).join(format!("{hash}-{kind}"))
}

fn make_home(file: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTION: &str = "00000000000000000000000000000000000000000000000000000000000000ff";
    const BUILD_ID: &str = "AAAAAAAAAAAAAAAAAAAA/Gv8hqhoty_RVKmEBTzH3";

    fn put(cache: &Path, action: &str, output: &str, held: &str) -> PathBuf {
        let (entry, made) = (cache.join(below(action, "a")), cache.join(below(output, "d")));
        for (path, text) in
            [(&entry, format!("v1 {action} {output} {:20} {:20}\n", held.len(), 1)), (&made, held.to_owned())]
        {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        made
    }

    #[test]
    fn a_package_is_copied_whole_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let (theirs, ours) = (root.path().join("theirs"), root.path().join("ours"));
        let (made, nothing) = ("c1".repeat(32), "e3".repeat(32));
        let output = put(&theirs, ACTION, &made, "compiled");
        assert_eq!(copy_package(&output, BUILD_ID, &ours), None, "go would not take it without its words");
        assert!(!ours.exists());
        put(&theirs, &subkey(ACTION, "stdout").unwrap(), &nothing, "");
        assert_eq!(copy_package(&output, BUILD_ID, &ours), Some(()));
        for action in [ACTION.to_owned(), subkey(ACTION, "stdout").unwrap()] {
            let entry = Entry::read(&ours, &action).unwrap();
            assert_eq!(entry, Entry::read(&theirs, &action).unwrap());
            assert!(ours.join(entry.output_path()).is_file());
        }
        let other = theirs.join(below(&"dd".repeat(32), "d"));
        for (output, build_id) in [
            (&output, "BAAAAAAAAAAAAAAAAAAA/x"),
            (&output, ""),
            (&output, "AAAA"),
            (&output, "ü"),
            (&other, BUILD_ID),
            (&PathBuf::from("/"), BUILD_ID),
        ] {
            assert_eq!(copy_package(output, build_id, &ours), None, "{output:?} {build_id}");
        }
    }

    #[test]
    fn names_are_made_as_go_makes_them() {
        assert_eq!(decoded("TVqzH2fXU5LsB5iALqG5").map(|bytes| hexadecimal(&bytes)).unwrap().len(), 30);
        // printf 'subkey:\0…\377stdout' | sha256sum
        let want = "f627f9d195943594985708ee78d49cee55891299a43b17e59fe1b27f0938e01e";
        assert_eq!(subkey(ACTION, "stdout").unwrap(), want);
        assert_eq!(subkey("x", "stdout"), None);
    }
}
