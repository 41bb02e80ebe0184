//! A `verify:` line: how a criterion is judged.
//!
//! ```text
//! line = [ box ] "verify" ":" ( "test" | "gate" | "manual" | "mdtest" path ) [ " #" comment ]
//! ```
//!
//! Name and kind count in any case, and marks (`**verify:** gate`) do not: one word behind the colon
//! is always meant as a kind, so that no spelling of one is taken for prose. Several words are
//! prose (`verify: the suite passes`), unless the first is `mdtest`.

use super::start;
use tdd_core::criterion::Verify;
use tdd_core::path::RelPath;

/// The kind that a line names; `None` if it is no `verify:` line, `Err` with what it names.
pub(super) fn read(content: &str) -> Option<Result<Verify, String>> {
    let is_mark = |char: char| matches!(char, '*' | '_' | '`');
    let line = start::without_box(content).trim_matches(is_mark);
    let (name, value) = line.split_once(':')?;
    if !name.trim_matches(is_mark).trim().eq_ignore_ascii_case("verify") {
        return None;
    }
    let value = value.trim_start_matches(is_mark).trim();
    let value = value.split(" #").next().unwrap_or_default();
    let value = value.trim_matches(is_mark).trim();
    let (kind, more) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
    match (kind.to_ascii_lowercase().as_str(), more) {
        ("test", "") => Some(Ok(Verify::Test)),
        ("gate", "") => Some(Ok(Verify::Gate)),
        ("manual", "") => Some(Ok(Verify::Manual)),
        ("mdtest", path) => {
            let path = RelPath::new(path.trim().trim_matches('`'));
            Some(path.map(|path| Verify::Mdtest(path.to_string())).ok_or_else(|| value.to_owned()))
        }
        (_, "") => Some(Err(value.to_owned())),
        (_, _) => None,
    }
}
