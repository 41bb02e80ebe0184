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

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_split_as_a_shell_does_and_a_shell_is_never_guessed() {
        let split = |text: &str| super::words(text).map(|words| words.join("|"));
        for (line, want) in [
            ("cargo test", Some("cargo|test")),
            ("  a  'b c' \"d \\\" e\" f\\ g ''", Some("a|b c|d \" e|f g|")),
            ("pytest 'tests/a b.py'", Some("pytest|tests/a b.py")),
            ("node --test test/*.js", Some("node|--test|test/*.js")),
            ("a && b", None),
            ("a | b", None),
            ("a $HOME", None),
            ("a \"$HOME\"", None),
            ("a > b", None),
            ("~/x", None),
            ("a 'b", None),
            ("a \\", None),
        ] {
            assert_eq!(split(line).as_deref(), want, "{line}");
        }
    }

    #[test]
    fn words_are_split_as_the_shell_splits_them() {
        let split = |text: &str| super::words(text).unwrap();
        assert_eq!(
            split(r#"a 'b c' "d \" e" f\ g h'i'j '' "\x""#),
            ["a", "b c", "d \" e", "f g", "hij", "", "\\x"]
        );
        assert_eq!(split("a* b~ '#'"), ["a*", "b~", "#"]);
        assert_eq!(super::words(&"x".repeat(16 * 1024 + 1)), None);
    }
}
