//! The fence as a profile of macOS's `sandbox-exec`. Written by its manual; **not tested on a Mac**.
//!
//! ```text
//! profile = "(version 1)" "(allow default)" { "(deny file-write* (subpath P))"
//!           | "(deny file-read* file-write* (subpath P))" | "(allow file-read* file-write* (subpath P))" }
//!           [ "(deny network*)" and what allows the loopback interface ]
//! ```
//!
//! The last match wins, so rules are in the order of paths. Denying `file-write*` below a folder
//! denies renaming what is in it; a folder above is held by denying that it is unlinked. Nothing can be
//! shown in place of a file, and a variable stays told.

use std::fmt::Write as _;
use std::path::Path;

use super::fence::{Fence, Rule};
use tdd_core::isolation::Network;

/// The text for `sandbox-exec -p`.
pub fn profile(fence: &Fence) -> String {
    let mut text = "(version 1)\n(allow default)\n".to_owned();
    for (path, rule) in fence.rules() {
        let path = literal(path);
        let _ = match rule {
            Rule::Held => writeln!(text, "(deny file-write-unlink (literal {path}))"),
            Rule::ReadOnly => writeln!(text, "(deny file-write* (subpath {path}))"),
            Rule::Masked | Rule::Fresh => writeln!(text, "(deny file-read* file-write* (subpath {path}))"),
            Rule::Emptied => writeln!(text, "(deny file-read* file-write* (literal {path}))"),
            Rule::Writable => writeln!(text, "(allow file-read* file-write* (subpath {path}))"),
        };
    }
    if fence.network() == Network::Off {
        text.push_str("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n");
        text.push_str("(allow network* (remote ip \"localhost:*\"))\n");
    }
    text
}

/// A string of the profile's language, which is a Scheme.
fn literal(path: &Path) -> String {
    let escaped = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_says_each_rule_in_order() {
        let mut fence = Fence::default();
        fence.protect(Path::new("/r/te\"sts"));
        fence.set(Path::new("/x"), Rule::Masked);
        fence.set(Path::new("/x/own"), Rule::Writable);
        fence.set(Path::new("/y"), Rule::Emptied);
        fence.hold_parents(Path::new("/r"));
        assert_eq!(
            profile(&fence),
            "(version 1)\n(allow default)\n\
             (deny file-write-unlink (literal \"/r\"))\n\
             (deny file-write* (subpath \"/r/te\\\"sts\"))\n\
             (deny file-read* file-write* (subpath \"/x\"))\n\
             (allow file-read* file-write* (subpath \"/x/own\"))\n\
             (deny file-read* file-write* (literal \"/y\"))\n"
        );
        fence.cut_off();
        assert!(profile(&fence).contains("(deny network*)\n(allow network* (local ip \"localhost:*\"))"));
    }
}
