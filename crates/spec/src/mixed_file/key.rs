//! Dotted keys, written so that they can be split again.

/// `["target", "cfg(unix)", "dependencies"]` as `target."cfg(unix)".dependencies`.
pub fn join(parts: &[String]) -> String {
    parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".")
}

/// The parts of what [`join`] wrote.
pub fn split(key: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut in_quotes = false;
    let mut chars = key.chars();
    while let Some(next) = chars.next() {
        match next {
            '"' => in_quotes = !in_quotes,
            '\\' if in_quotes => last(&mut parts).extend(chars.next()),
            '.' if !in_quotes => parts.push(String::new()),
            plain => last(&mut parts).push(plain),
        }
    }
    parts
}

fn quoted(part: &str) -> String {
    let is_bare = !part.is_empty()
        && part.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '/' | '@'));
    if is_bare {
        return part.to_owned();
    }
    // A key is shown to a person and to a child, so that it must stay one line.
    let escaped = part.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped: String =
        escaped.chars().map(|next| if next.is_control() { '\u{fffd}' } else { next }).collect();
    format!("\"{escaped}\"")
}

fn last(parts: &mut Vec<String>) -> &mut String {
    if parts.is_empty() {
        parts.push(String::new());
    }
    let at = parts.len() - 1;
    &mut parts[at]
}
