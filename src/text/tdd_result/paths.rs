//! Paths as children write them, made relative to the repository.

use crate::core::claim::ClaimErrorKind;
use crate::core::path::RelPath;

/// Reads one path of `files`. An absolute one must lie below `root`; a relative one must never
/// leave the root, not even to come back.
pub(super) fn relative(path: &str, root: &str) -> Result<RelPath, (ClaimErrorKind, String)> {
    let shown = crate::text::terminal_noise::shorten(path, 120);
    if path.trim().is_empty() || path.chars().any(char::is_control) {
        return Err((ClaimErrorKind::InvalidFiles, format!("`files` holds {shown:?}, which is no path")));
    }
    let inside = if path.starts_with('/') { below(path, root) } else { Some(path) };
    let leaves = || {
        let message = format!("`files` holds {shown:?}, which leaves the repository");
        (ClaimErrorKind::UnsafePath, message)
    };
    let inside = inside.filter(|path| !path.starts_with("~/")).ok_or_else(leaves)?;
    RelPath::new(inside).ok_or_else(|| {
        if inside.split('/').all(|part| part.is_empty() || part == ".") {
            let message = format!("`files` holds {shown:?}, which is the repository and no file in it");
            return (ClaimErrorKind::InvalidFiles, message);
        }
        leaves()
    })
}

/// What follows `root` in `path`, if whole parts match.
fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    let rest_is_whole = rest.is_empty() || rest.starts_with('/');
    rest_is_whole.then(|| rest.trim_start_matches('/'))
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
            for root in ["/r/p", "/r/p/"] {
                let got = relative(path, root).map_err(|(kind, _)| kind);
                assert_eq!(got.as_ref().map(RelPath::as_str), want.as_ref().copied(), "{path:?}");
            }
        }
    }
}
