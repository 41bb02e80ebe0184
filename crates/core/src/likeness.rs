//! Names that differ in words with digits alone: what tests name by time, process or number is of one kind.

/// Whether two names are of one kind.
pub fn alike(one: &str, other: &str) -> bool {
    let (mut left, mut right) = (words(one), words(other));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (has_digit(a) && has_digit(b)) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// The same of paths, part by part.
pub fn alike_paths(one: &str, other: &str) -> bool {
    one.matches('/').count() == other.matches('/').count()
        && one.split('/').zip(other.split('/')).all(|(a, b)| alike(a, b))
}

/// Words and what stands between them, by turns.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric()).flat_map(|part| {
        let end = part.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(part.len());
        [&part[..end], &part[end..]]
    })
}

fn has_digit(word: &str) -> bool {
    word.contains(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_time_or_process_are_of_one_kind() {
        for (one, other, want) in [
            ("logs/2026-11-25T14:58.log", "logs/2026-11-25T15:03.log", true),
            ("rep/4711/r", "rep/4712/r", true),
            ("gen/STE-1.out", "gen/STE-22.out", true),
            ("tmp/a1b2", "tmp/ffee09", true),
            ("README.md", "README.md", true),
            ("README.md", "NOTES.md", false),
            ("logs/1.log", "logs/1.txt", false),
            ("logs/1.log", "logs/a/1.log", false),
            ("rep/4711/r", "rep/4712/s", false),
            ("a-1", "a1-1", false),
        ] {
            assert_eq!(alike_paths(one, other), want, "{one} {other}");
        }
    }
}
