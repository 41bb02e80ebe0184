//! Files and lines that a runner's output names.
//!
//! ```text
//! place = path ":" line [":" column]        most programs
//!       | 'File "' path '", line ' line     Python
//!       | '(' name ', line ' line ')'        Python, of what it can't parse: the file's name alone
//! ```

use std::fmt;

/// A line of a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the repository.
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Where a failure is: where its message says; else the last line of its own file that the output
/// names; else, for what did not load, the place that stands nearest to the message in the output.
pub(super) fn of_failure(file: &str, (message, output): (&str, &str), root: &str) -> Option<Place> {
    let is_of_file = |place: &Place| is_in(place, file);
    let in_message = || message.lines().filter_map(|line| named(line, root)).next_back();
    let of_file = || output.lines().rev().filter_map(|line| named(line, root)).find(is_of_file);
    let found = in_message().or_else(|| beside(message, output, root)).or_else(of_file);
    found.map(|place| if is_of_file(&place) { Place { file: file.to_owned(), ..place } } else { place })
}

/// The place of a failed test: a line of its own file, before any other.
pub(super) fn of_test(file: &str, (message, output): (&str, &str), root: &str) -> Option<Place> {
    let own = |line: &str| named(line, root).filter(|place| is_in(place, file));
    let found = message.lines().rev().find_map(own).or_else(|| {
        // Most stacks end with the frame that failed; one whose frames begin with `at` begins with it.
        let of_frame =
            after(message, output).filter(|line| line.trim_start().starts_with("at ")).find_map(own);
        of_frame.or_else(|| output.lines().rev().find_map(own))
    });
    found.map(|place| Place { file: file.to_owned(), ..place })
}

/// Whether a place is in this file. A tool may name it by less than its path, or, where the project lies in a
/// folder of the repository, by more.
fn is_in(place: &Place, file: &str) -> bool {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    !file.is_empty() && (place.file == file || ends(file, &place.file) || ends(&place.file, file))
}

/// The lines of the output from where the message stands in it; none where it does not.
fn after<'o>(message: &str, output: &'o str) -> impl Iterator<Item = &'o str> {
    let start = start_of(message).unwrap_or("\0");
    output.lines().skip_while(move |line| !line.contains(start))
}

/// The beginning of a message, by which it is found again.
fn start_of(message: &str) -> Option<&str> {
    let first = message.lines().next()?.trim();
    let end = first.char_indices().nth(ENOUGH).map_or(first.len(), |(at, _)| at);
    first[..end].split(" (").next().filter(|start| start.len() > 3)
}

/// Lines around a message in which its place is looked for.
const NEAR: usize = 6;
/// Characters of a message by which it is found again: what follows may be said in other words.
const ENOUGH: usize = 30;

/// Programs say the place right above or right below what they complain of.
fn beside(message: &str, output: &str, root: &str) -> Option<Place> {
    let start = start_of(message)?;
    let lines: Vec<&str> = output.lines().collect();
    let at = lines.iter().position(|line| line.contains(start))?;
    let above = lines[at.saturating_sub(NEAR)..=at].iter().rev();
    let below = lines[at + 1..].iter().take(NEAR);
    above.chain(below).find_map(|line| named(line, root))
}

/// The place below `root` that a line names.
fn named(line: &str, root: &str) -> Option<Place> {
    let (path, number) = python(line).or_else(|| plain(line)).or_else(|| unparsed(line))?;
    Some(Place { file: below(path, root)?.to_owned(), line: number })
}

fn python(line: &str) -> Option<(&str, u32)> {
    let (_, named) = line.split_once("File \"")?;
    let (path, rest) = named.split_once("\", line ")?;
    Some((path, number(rest)?))
}

fn unparsed(line: &str) -> Option<(&str, u32)> {
    let (before, rest) = line.rsplit_once(", line ")?;
    let (_, name) = before.rsplit_once('(')?;
    Some((name, number(rest)?))
}

/// The first word of a line that ends in a number behind a colon.
fn plain(line: &str) -> Option<(&str, u32)> {
    let is_edge = |c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '`' | ',' | '<' | '>' | '❯')
    };
    line.split(is_edge).filter(|word| word.contains(':')).find_map(|word| {
        let word = word.strip_prefix("file://").unwrap_or(word);
        let (path, rest) = word.match_indices(':').find_map(|(at, _)| {
            let rest = &word[at + 1..];
            rest.starts_with(|c: char| c.is_ascii_digit()).then(|| (&word[..at], rest))
        })?;
        let has_extension = path.rsplit('/').next().is_some_and(|name| {
            name.rsplit_once('.').is_some_and(|(stem, end)| {
                !stem.is_empty() && !end.is_empty() && end.starts_with(|c: char| c.is_ascii_alphabetic())
            })
        });
        has_extension.then_some(())?;
        Some((path, number(rest)?))
    })
}

fn number(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..digits].parse().ok().filter(|number| *number > 0)
}

/// The path below `root`; a relative one is below it already, as far as it does not climb.
fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    let relative = if path.starts_with('/') {
        path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?
    } else {
        path.strip_prefix("./").unwrap_or(path)
    };
    // What others wrote lies below the root, too; these two are where they put it.
    let foreign = |part: &str| matches!(part, ".." | "node_modules" | "site-packages") || part.contains(':');
    let climbs = relative.split('/').any(foreign);
    (!relative.is_empty() && !climbs).then_some(relative)
}
