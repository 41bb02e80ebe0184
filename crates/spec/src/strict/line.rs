//! Where a setting stands in the text of `tdd.yaml`, for a person who wants to change it.

/// The number of the line that holds the last of these keys, each of which stands in or below the one before it.
/// `None` where one of them is not there.
pub fn line_of(text: &str, keys: &[impl AsRef<str>]) -> Option<u32> {
    let mut at = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.split(" #").next().unwrap_or_default();
        while let Some(found) =
            after_key(rest, keys.get(at)?.as_ref(), if at == 0 { At::Begin } else { At::Anywhere })
        {
            (rest, at) = (found, at + 1);
            if at == keys.len() {
                return Some(number);
            }
        }
    }
    None
}

/// The line of the setting to which this is the way (`agents.mine.argv[1]`), or of the nearest around it that
/// can be told: a key may hold dots.
pub fn nearest_line(text: &str, setting: &str) -> Option<u32> {
    let keys: Vec<&str> = setting.split('.').map(|key| key.split('[').next().unwrap_or(key)).collect();
    (1..=keys.len()).rev().find_map(|count| line_of(text, keys.get(..count)?))
}

/// Where a key has to stand on its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// One of the top begins it.
    Begin,
    Anywhere,
}

/// What follows a key on its line.
fn after_key<'t>(text: &'t str, key: &str, at: At) -> Option<&'t str> {
    text.match_indices(key).find_map(|(begin, _)| {
        let before = &text[..begin];
        let begins = match at {
            At::Begin => before.trim_matches(['"', '\'']).is_empty(),
            At::Anywhere => before.is_empty() || before.ends_with([' ', '{', ',', '"', '\'']),
        };
        let rest = text[begin + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        rest.strip_prefix(':').filter(|_| begins && !before.trim_start().starts_with('#'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_found_in_every_way_of_writing_it() {
        let block = "# idle_deadline: 1s\ntest: pytest\nidle_deadline: 5s # short\nroles:\n  test-writer:\n    max_turns: 9\n  implementer:\n    max_turns: 4\n";
        assert_eq!(line_of(block, &["idle_deadline"]), Some(3));
        assert_eq!(line_of(block, &["roles", "implementer", "max_turns"]), Some(8));
        let flow = "\"roles\": { test-writer: { max_turns: 9 }, implementer: { max_turns: 4 } }\n";
        assert_eq!(line_of(flow, &["roles", "implementer", "max_turns"]), Some(1));
        for keys in [&["deadline"][..], &["roles", "refactorer", "max_turns"], &["max_turns"]] {
            assert_eq!(line_of(block, keys), None, "{keys:?}");
        }
    }

    #[test]
    fn a_setting_that_cannot_be_found_is_told_by_what_it_is_in() {
        let text = "test: make\nagents:\n  mine:\n    argv: [a,\n      b]\n    files: { role.json: x }\n";
        for (setting, line) in [
            ("agents.mine.argv[1]", Some(4)),
            ("agents.mine.files.role.json", Some(6)),
            ("agents.mine.wall", Some(3)),
            ("agents", Some(2)),
            ("gate", None),
            ("", None),
        ] {
            assert_eq!(nearest_line(text, setting), line, "{setting}");
        }
    }
}
