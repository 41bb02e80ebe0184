//! Which file of the repository a path means, however it is spelt.

use std::io;
use std::path::{Component, Path, PathBuf};

use tdd_core::path::RelPath;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Inside(RelPath),
    /// Not in this repository: no business of the gate's, but for what agents read of hooks.
    Outside(PathBuf),
}

/// Links that lead to links.
const MOST_LINKS: u8 = 40;

/// `text` as a tool was given it, in the folder `cwd`. `repository` has no links in it. An error is a path that
/// can't be followed: nobody knows what would be written.
pub(super) fn target(repository: &Path, cwd: &Path, text: &str) -> io::Result<Target> {
    if text.is_empty() || text.contains('\0') {
        return Err(io::Error::other("it is no path"));
    }
    let text = text.strip_prefix("file://").unwrap_or(text);
    let real = real(&cwd.join(text), MOST_LINKS)?;
    let Ok(inside) = real.strip_prefix(repository) else { return Ok(Target::Outside(real)) };
    let inside = inside.to_str().ok_or_else(|| io::Error::other("its name is no UTF-8"))?;
    // The top itself can be written by nobody.
    RelPath::new(inside).map(Target::Inside).ok_or_else(|| io::Error::other("it is the repository itself"))
}

/// The path without links and dots, as the system would follow it; its last parts need not be there.
fn real(path: &Path, links: u8) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            // Above what is not there the system would find nothing; a tool may go there by words alone.
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => {
                real.push(name);
                match std::fs::symlink_metadata(&real) {
                    Ok(meta) if meta.is_symlink() => {
                        let left = links
                            .checked_sub(1)
                            .ok_or_else(|| io::Error::other("its links lead in a circle"))?;
                        let leads_to = std::fs::read_link(&real)?;
                        real.pop();
                        real = self::real(&real.join(leads_to), left)?;
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    // Where names of both cases are one, this is how it is spelt on the disk.
    match real.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(real),
        spelt => spelt,
    }
}

/// The files that a patch names, as `apply_patch` reads it, or a unified diff.
pub(super) fn of_patch(patch: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 4] =
        ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut files = Vec::new();
    for line in patch.lines() {
        let own = BEGINNINGS.iter().find_map(|beginning| line.trim_start().strip_prefix(beginning));
        let of_diff = || {
            let named = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
            let named = named.split('\t').next().unwrap_or(named);
            let named = named.strip_prefix("a/").or_else(|| named.strip_prefix("b/")).unwrap_or(named);
            (named != "/dev/null").then_some(named)
        };
        files.extend(own.or_else(of_diff).map(|path| path.trim().to_owned()));
    }
    files.dedup();
    files
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_means_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let repository = top.join("r");
        std::fs::create_dir_all(repository.join("src/deep")).unwrap();
        std::fs::create_dir_all(top.join("other")).unwrap();
        std::fs::write(repository.join("src/a.py"), "").unwrap();
        let link = |from: &Path, to: &str| std::os::unix::fs::symlink(to, from).unwrap();
        link(&repository.join("src/alias.py"), "a.py");
        link(&repository.join("out"), "../other");
        link(&top.join("other/back"), "../r/src");
        link(&repository.join("loop"), "loop");
        link(&repository.join("new.py"), "src/written.py");
        let of = |text: &str| target(&repository, &repository.join("src"), text);
        let inside = |path: &str| Target::Inside(RelPath::new(path).unwrap());
        for (text, want) in [
            ("a.py", inside("src/a.py")),
            ("./deep/../a.py", inside("src/a.py")),
            ("../src//a.py", inside("src/a.py")),
            ("alias.py", inside("src/a.py")),
            ("../out/back/a.py", inside("src/a.py")),
            ("../out/x.py", Target::Outside(top.join("other/x.py"))),
            ("../new.py", inside("src/written.py")),
            ("not/there/../yet.py", inside("src/not/yet.py")),
            ("../../r/src/a.py", inside("src/a.py")),
            ("/etc/passwd", Target::Outside("/etc/passwd".into())),
        ] {
            assert_eq!(of(text).unwrap(), want, "{text}");
        }
        assert_eq!(of(&format!("file://{}/src/a.py", repository.display())).unwrap(), inside("src/a.py"));
        for bad in ["", "a\0b", "../loop", ".."] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_patch_tells_every_file_that_it_changes() {
        let patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n*** Add File: c.py\n+y\n*** Delete File: d.py\n*** End Patch\n";
        assert_eq!(of_patch(patch), ["a.py", "b.py", "c.py", "d.py"]);
        assert_eq!(
            of_patch("--- a/x.rs\n+++ b/x.rs\n@@\n--- /dev/null\n+++ b/y.rs\t2026\n"),
            ["x.rs", "y.rs"]
        );
        assert!(of_patch("nothing").is_empty());
    }
}
