//! `#[test]` functions with the modules around them.

use super::{Declared, close_of, skip_blanks, word_at};

pub(super) fn find(code: &str) -> Vec<Declared> {
    let mut found = Vec::new();
    walk(code, 0..code.len(), &mut Vec::new(), &mut found);
    found
}

/// Modules nest this deep at most; what is deeper is not looked at.
const DEPTH_CAP: usize = 32;

fn walk<'a>(
    code: &'a str,
    range: std::ops::Range<usize>,
    modules: &mut Vec<&'a str>,
    found: &mut Vec<Declared>,
) {
    let bytes = code.as_bytes();
    let mut at = range.start;
    let mut is_test = false;
    // Where the attributes of the item begin that is read.
    let mut head = None;
    while at < range.end {
        if bytes[at] == b'#' && bytes.get(at + 1) == Some(&b'[') {
            head = head.or(Some(at));
            let end = close_of(bytes, at + 1).min(range.end);
            is_test |= is_test_attribute(&code[at + 2..end.saturating_sub(1).max(at + 2)]);
            at = end;
            continue;
        }
        let word = word_at(code, at);
        match word {
            "" => {
                // Anything that ends an item also ends its attributes.
                let ends_item = matches!(bytes[at], b';' | b'}');
                is_test &= !ends_item;
                head = head.filter(|_| !ends_item);
                at += 1;
            }
            "fn" => {
                let name_at = skip_blanks(bytes, at + 2);
                let name = name_at_raw(code, name_at);
                let open = bytes[name_at..range.end].iter().position(|byte| matches!(byte, b'{' | b';'));
                let Some(open) = open.map(|open| name_at + open) else { return };
                let end = if bytes[open] == b'{' { close_of(bytes, open) } else { open + 1 };
                if is_test && !name.is_empty() {
                    let mut path = modules.clone();
                    path.push(name);
                    found.push(Declared {
                        name: path.join("::"),
                        head: head.unwrap_or(at),
                        body: open + 1..end.saturating_sub(1).max(open + 1),
                    });
                }
                (is_test, head) = (false, None);
                at = end;
            }
            "mod" => {
                let name_at = skip_blanks(bytes, at + 3);
                let name = name_at_raw(code, name_at);
                let open = skip_blanks(bytes, name_at + name.len());
                at = open;
                if bytes.get(open) == Some(&b'{') {
                    let end = close_of(bytes, open).min(range.end);
                    if modules.len() < DEPTH_CAP {
                        modules.push(name);
                        walk(code, open + 1..end, modules, found);
                        modules.pop();
                    }
                    at = end;
                }
                (is_test, head) = (false, None);
            }
            word => at += word.len(),
        }
    }
}

/// `r#match` is named with its prefix.
fn name_at_raw(code: &str, at: usize) -> &str {
    if code[at..].starts_with("r#") {
        let word = word_at(code, at + 2);
        return &code[at..at + 2 + word.len()];
    }
    word_at(code, at)
}

/// `test`, `tokio::test`, `tokio::test(flavor = …)`, `rstest`, `test_case(…)`.
fn is_test_attribute(attribute: &str) -> bool {
    let path = attribute.split('(').next().unwrap_or(attribute).trim();
    matches!(path.rsplit("::").next().map(str::trim), Some("test" | "rstest" | "quickcheck" | "test_log"))
}
