//! The words of a shell line, as far as it needs no shell.

/// The longest command line that is looked at.
const MAX_BYTES: usize = 16 * 1024;

/// The words of a shell line without any syntax but quotes; `None` if there is other syntax, or
/// no word.
pub fn words(command: &str) -> Option<Vec<String>> {
    if command.len() > MAX_BYTES || command.contains('\0') {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.trim().chars();
    while let Some(next) = chars.next() {
        match next {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => word.get_or_insert_default().push_str(&single_quoted(&mut chars)?),
            '"' => word.get_or_insert_default().push_str(&double_quoted(&mut chars)?),
            '\\' => match chars.next()? {
                '\n' => return None,
                escaped => word.get_or_insert_default().push(escaped),
            },
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '$' | '`' | '#' | '\n' | '\r' => {
                return None;
            }
            '~' if word.is_none() => return None,
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    (!words.is_empty()).then_some(words)
}

fn single_quoted(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '\'' => return Some(text),
            plain => text.push(plain),
        }
    }
}

fn double_quoted(chars: &mut std::str::Chars<'_>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '$' | '`' => return None,
            '\\' => match chars.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => text.push(escaped),
                other => text.extend(['\\', other]),
            },
            plain => text.push(plain),
        }
    }
}
