//! Paths as children write them, made relative to the repository.

use tdd_core::claim::ClaimErrorKind;
use tdd_core::path::RelPath;

/// Reads one path of `files`. An absolute one must lie below one of `roots` once its `.` and `..`
/// are gone; a relative one must never leave the root, not even to come back.
pub(super) fn relative(path: &str, roots: &[&str]) -> Result<RelPath, (ClaimErrorKind, String)> {
    let shown = tdd_core::terminal_noise::shorten(path, 120);
    if path.trim().is_empty() || path.chars().any(char::is_control) {
        return Err((ClaimErrorKind::InvalidFiles, format!("`files` holds {shown:?}, which is no path")));
    }
    let leaves = || {
        let message = format!("`files` holds {shown:?}, which leaves the repository");
        (ClaimErrorKind::UnsafePath, message)
    };
    let is_repository = || {
        let message = format!("`files` holds {shown:?}, which is the repository and no file in it");
        (ClaimErrorKind::InvalidFiles, message)
    };
    if path.starts_with('/') {
        let below = roots.iter().filter_map(|root| below(path, root)).min_by_key(Vec::len);
        let parts = below.ok_or_else(leaves)?;
        return RelPath::new(&parts.join("/")).ok_or_else(is_repository);
    }
    if path.starts_with("~/") {
        return Err(leaves());
    }
    RelPath::new(path).ok_or_else(|| {
        let is_root = path.split('/').all(|part| part.is_empty() || part == ".");
        if is_root { is_repository() } else { leaves() }
    })
}

/// What follows `root` in `path`, if whole parts match. The system resolves `..` after a link
/// elsewhere than the text says; that is of no matter, because a claim's paths are only shown.
fn below<'a>(path: &'a str, root: &str) -> Option<Vec<&'a str>> {
    let (path, root) = (parts(path), parts(root));
    path.starts_with(&root).then(|| path[root.len()..].to_vec())
}

/// The parts of an absolute path without `.` and `..`; above the top there is the top again.
fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_relative_or_refused() {
        for (path, want) in [
            ("src/a.ts", Ok("src/a.ts")),
            ("./src//a.ts", Ok("src/a.ts")),
            ("src/x/../a.ts", Ok("src/a.ts")),
            ("/r/p/src/a.ts", Ok("src/a.ts")),
            ("/r/p//src/./a.ts", Ok("src/a.ts")),
            ("a b.ts", Ok("a b.ts")),
            ("..a", Ok("..a")),
            ("/r/p-other/a.ts", Err(ClaimErrorKind::UnsafePath)),
            ("/r/p/../p/src/a.ts", Ok("src/a.ts")),
            ("/r/p/src/../../p/a.ts", Ok("a.ts")),
            ("/r/./x/../p/a.ts", Ok("a.ts")),
            ("/../r/p/a.ts", Ok("a.ts")),
            ("/r/p/../x", Err(ClaimErrorKind::UnsafePath)),
            ("/etc/passwd", Err(ClaimErrorKind::UnsafePath)),
            ("../x", Err(ClaimErrorKind::UnsafePath)),
            ("src/../../p/a.ts", Err(ClaimErrorKind::UnsafePath)),
            ("~/.ssh/id", Err(ClaimErrorKind::UnsafePath)),
            ("", Err(ClaimErrorKind::InvalidFiles)),
            (".", Err(ClaimErrorKind::InvalidFiles)),
            ("/r/p/", Err(ClaimErrorKind::InvalidFiles)),
            ("a\u{1b}[2J", Err(ClaimErrorKind::InvalidFiles)),
            ("a\nb", Err(ClaimErrorKind::InvalidFiles)),
        ] {
            for roots in [&["/r/p"] as &[_], &["/r/p/"], &["/r/p", "/link/p"], &["/other", "/r/x/../p"]] {
                let got = relative(path, roots).map_err(|(kind, _)| kind);
                assert_eq!(got.as_ref().map(RelPath::as_str), want.as_ref().copied(), "{path:?}");
            }
        }
    }
    #[test]
    fn the_root_may_be_spelled_in_several_ways() {
        let roots = ["/private/tmp/p", "/tmp/p", "/tmp/p/inner"];
        for (path, want) in [
            ("/private/tmp/p/a.rs", Some("a.rs")),
            ("/tmp/p/src/../a.rs", Some("a.rs")),
            ("/tmp/p/inner/a.rs", Some("a.rs")),
            ("/tmp/q/a.rs", None),
            ("/private/tmp/p/../q/a.rs", None),
        ] {
            let got = relative(path, &roots);
            assert_eq!(got.as_ref().ok().map(RelPath::as_str), want, "{path}");
        }
        assert!(relative("/tmp/p/a.rs", &[]).is_err());
    }
}
