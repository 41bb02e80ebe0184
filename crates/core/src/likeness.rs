//! Names that differ in words with digits alone: what tests name by time, process or number is of one kind.

use crate::path::RelPath;

/// Fewer letters of a number say little of who counts with it.
const TELLING: usize = 3;
/// As many digits as the greatest number of a process has: Linux counts to 4194304 at most, and then from 300 anew.
const OF_A_PROCESS: usize = 7;
/// As many digits as a day or a time of day has.
const OF_A_TIME: usize = 6;
/// Letters of the parts of a UUID.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// Whether two names are of one kind: where words with digits differ they are of one form.
pub fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (without_uuids(one), without_uuids(other));
    pairs(&one, &other).is_some_and(|pairs| pairs.iter().all(|(a, b)| a == b || is_of_one_form(a, b)))
}

/// The same of paths, part by part.
fn alike_paths(one: &str, other: &str) -> bool {
    of_parts(one, other, alike)
}

/// Whether two such paths differ by so much that nobody else would name a file so: by a time, a process or an id. A
/// person's `run-2` may lie beside the `run-1` that tests write.
pub fn is_telling(one: &str, other: &str) -> bool {
    of_parts(one, other, |one, other| {
        let (one, other) = (without_uuids(one), without_uuids(other));
        let Some(pairs) = pairs(&one, &other) else { return false };
        let mut differing = pairs.iter().filter(|(a, b)| a != b).peekable();
        differing.peek().is_none()
            || differing.any(|(a, b)| a.len().min(b.len()) >= TELLING)
            || one.chars().filter(char::is_ascii_digit).count() >= OF_A_TIME
    })
}

/// Both: a path that is named like another one, by a time, a process or an id.
pub fn is_named_like(one: &RelPath, other: &RelPath) -> bool {
    alike_paths(one.as_str(), other.as_str()) && is_telling(one.as_str(), other.as_str())
}

/// Whether two texts say the same but for words with digits.
pub fn say_alike(one: &str, other: &str) -> bool {
    pairs(one, other).is_some_and(|pairs| pairs.iter().all(|(a, b)| a == b || (has_digit(a) && has_digit(b))))
}

fn of_parts(one: &str, other: &str, are_so: fn(&str, &str) -> bool) -> bool {
    one.matches('/').count() == other.matches('/').count()
        && one.split('/').zip(other.split('/')).all(|(a, b)| are_so(a, b))
}

/// Word by word, and what stands between; `None` where one has more of them.
fn pairs<'t>(one: &'t str, other: &'t str) -> Option<Vec<(&'t str, &'t str)>> {
    let (mut left, mut right) = (words(one), words(other));
    let mut pairs = Vec::new();
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Some(pairs),
            (Some(a), Some(b)) => pairs.push((a, b)),
            (Some(_), None) | (None, Some(_)) => return None,
        }
    }
}

/// A process's number has a digit more or less as time goes on, as short ones have, or many less where they begin
/// anew; what else is drawn keeps its length.
fn is_of_one_form(one: &str, other: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|letter| letter.is_ascii_digit());
    let (most, least) = (one.len().max(other.len()), one.len().min(other.len()));
    let is_counted = most <= TELLING || (least >= TELLING && (most - least == 1 || most <= OF_A_PROCESS));
    let is_as_long = most == least || (is_number(one) && is_counted);
    has_digit(one) && has_digit(other) && is_number(one) == is_number(other) && is_as_long
}

/// Each UUID is a `0`.
fn without_uuids(name: &str) -> String {
    let mut left: Vec<&str> = name.split('-').collect();
    let mut at = 0;
    while at + UUID.len() <= left.len() {
        let hex = |letters: &str| letters.bytes().all(|letter| letter.is_ascii_hexdigit());
        let (first, last) = (left[at], left[at + UUID.len() - 1]);
        let head = first.len().checked_sub(UUID[0]).filter(|from| first.is_char_boundary(*from));
        let tail = Some(UUID[4]).filter(|to| last.is_char_boundary(*to) && *to <= last.len());
        let (Some(head), Some(tail)) = (head, tail) else {
            at += 1;
            continue;
        };
        let is_middle = (1..4).all(|part| left[at + part].len() == UUID[part] && hex(left[at + part]));
        if is_middle && hex(&first[head..]) && hex(&last[..tail]) {
            left.splice(at..at + UUID.len(), [&first[..head], "0", &last[tail..]]);
        }
        at += 1;
    }
    left.join("-")
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
        for (one, other, want, telling) in [
            ("logs/2026-11-25T14:58.log", "logs/2026-11-25T15:03.log", true, true),
            ("logs/2026-11-25.log", "logs/2026-11-26.log", true, true),
            ("rep/4711/r", "rep/4712/r", true, true),
            ("rep/999/r", "rep/1000/r", true, true),
            ("rep/99/r", "rep/100/r", true, false),
            ("logs/at-32727.log", "logs/at-349.log", true, true),
            ("logs/at-1764131234.log", "logs/at-349.log", false, true),
            ("rep/99/r", "rep/1000/r", false, true),
            ("gen/STE-1.out", "gen/STE-22.out", true, false),
            ("gen/STE-1.out", "gen/STE-2.out", true, false),
            ("run-1764131234.txt", "run-2.txt", false, true),
            ("run-1764131234.txt", "run-1764131299.txt", true, true),
            ("tmp/a1b2", "tmp/ffee09", false, true),
            ("tmp/a1b2cd", "tmp/ffee09", true, true),
            (
                "o-9f1b2c3d-aaaa-bbbb-cccc-0123456789ab.x",
                "o-ffffffff-0000-1111-2222-aaaaaaaaaaaa.x",
                true,
                true,
            ),
            ("9f1b2c3d-aaaa-bbbb-cccc-0123456789ab", "ffffffff-0000-1111-2222-aaaaaaaaaaaa", true, true),
            ("9f1b2c3d-aaaa-bbbb-cccc-0123456789ab", "notes-for-the-next-meeting", false, false),
            ("README.md", "README.md", true, true),
            ("README.md", "NOTES.md", false, true),
            ("logs/1.log", "logs/1.txt", false, true),
            ("logs/1.log", "logs/a/1.log", false, false),
            ("rep/4711/r", "rep/4712/s", false, false),
            ("a-1", "a1-1", false, false),
        ] {
            assert_eq!(alike_paths(one, other), want, "{one} {other}");
            assert!(!want || is_telling(one, other) == telling, "{one} {other}");
        }
    }

    #[test]
    fn texts_that_differ_in_numbers_alone_say_the_same() {
        assert!(say_alike("3 passed in 0.12 s\n", "14 passed in 1.02 s\n"));
        assert!(!say_alike("3 passed in 0.12 s\n", "my notes of run 3\n"));
    }
}
