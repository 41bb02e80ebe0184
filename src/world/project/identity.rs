//! Which requirement a file says it is.
//!
//! ```text
//! tracker id = letter { letter | digit } "-" digits        STE-12
//! ULID       = [ "fr_" ] 26 Crockford base 32 digits       fr_01KPR3M74XA75GJKT4Z4HG95TH
//! short ULID = the last six of them                        HG95TH
//! ```

use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_spec::requirement::Header;

/// How many digits of a ULID may name its file.
const SHORT: usize = 6;

/// What a person asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Path(String),
    /// The 26 digits in upper case.
    Ulid(String),
    /// A tracker id or whatever else a file may be called.
    Name(String),
}

impl Wanted {
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_markdown = |end: &str| text.len() > end.len() && text.to_ascii_lowercase().ends_with(end);
        if text.is_empty() || text.contains('\0') {
            return None;
        }
        if text.contains('/') || is_markdown(".md") || is_markdown(".markdown") {
            return Some(Self::Path(text.to_owned()));
        }
        Some(ulid(text).map_or_else(|| Self::Name(text.to_owned()), Self::Ulid))
    }

    /// Whether a file with this stem and header is the one. A stem that is a short ULID is taken
    /// for a match even if `id:` disagrees, so that [`check`] refuses it rather than nobody.
    pub(super) fn fits(&self, stem: &str, header: &Header) -> bool {
        let names = header.id.iter().chain(&header.trackers);
        match self {
            Self::Path(_) => false,
            Self::Name(name) => {
                stem.eq_ignore_ascii_case(name) || names.into_iter().any(|it| it.eq_ignore_ascii_case(name))
            }
            Self::Ulid(digits) => {
                let is_it = |name: &str| ulid(name).is_some_and(|other| other == *digits);
                is_it(stem) || names.into_iter().any(|name| is_it(name)) || is_short_of(stem, digits)
            }
        }
    }

    /// The stem that the file would have, for "nearest ids".
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Path(text) | Self::Ulid(text) | Self::Name(text) => text,
        }
    }

    /// Whether `header` agrees with a ULID that was asked for, where only the stem led to the file.
    pub(super) fn agrees(&self, stem: &str, header: &Header) -> bool {
        let Self::Ulid(digits) = self else { return true };
        let is_it = |name: &str| ulid(name).is_some_and(|other| other == *digits);
        is_it(stem) || header.id.iter().chain(&header.trackers).any(|name| is_it(name))
    }
}

/// Fails if the front matter names another id than the stem (contract section 3). A stem that is
/// no id (`login-page`) names nothing, so nothing can disagree with it.
pub(super) fn check(path: &RelPath, header: &Header) -> Result<(), Trouble> {
    let stem = path.stem();
    if !is_id(stem, header) || names_stem(stem, header) {
        return Ok(());
    }
    let names: Vec<&str> = header.id.iter().chain(&header.trackers).map(String::as_str).collect();
    Err(Trouble::user(format!("{path} is not sure which requirement it is"))
        .because(format!("the file is called `{stem}`, its front matter names {}", names.join(", ")))
        .advise("rename the file or correct `id:` or `tracker:`, so that they agree"))
}

/// What the ids of a requirement's criteria begin with, where its file does not hold them in full: its
/// tracker id, else its name. It is the same by whatever name the requirement was asked for.
pub(super) fn prefix(path: &RelPath, header: &Header) -> String {
    let stem = path.stem();
    let mut names = std::iter::once(stem).chain(header.id.iter().chain(&header.trackers).map(String::as_str));
    let name = names.find(|name| is_tracker_id(name)).map_or_else(|| of_folders(path), str::to_owned);
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '-';
    let fitting: String = name.chars().map(|char| if is_part(char) { char } else { '-' }).collect();
    fitting.trim_matches('-').to_owned()
}

/// The name of a file that is called as its tool calls all of them: that of the folders it lies in.
fn of_folders(path: &RelPath) -> String {
    let parts: Vec<&str> = path.as_str().split('/').collect();
    match parts.as_slice() {
        [.., "changes", change, "specs", name, "spec.md"] => format!("{change}-{name}"),
        [.., name, "spec.md" | "requirements.md"] => (*name).to_owned(),
        _ => path.stem().to_owned(),
    }
}

fn names_stem(stem: &str, header: &Header) -> bool {
    let is_stem = |name: &String| name.eq_ignore_ascii_case(stem) || same_ulid(name, stem);
    let by_tracker = header.trackers.iter().any(is_stem);
    match &header.id {
        None => by_tracker || header.trackers.is_empty(),
        Some(id) => match ulid(id) {
            Some(digits) => is_stem(id) || is_short_of(stem, &digits) || by_tracker,
            None => is_stem(id),
        },
    }
}

/// Whether a stem looks like an id. Six letters look like a short ULID only beside a ULID.
fn is_id(stem: &str, header: &Header) -> bool {
    let has_ulid = header.id.as_deref().and_then(ulid).is_some();
    let is_short =
        has_ulid && stem.len() == SHORT && digits(stem).is_some() && *stem == stem.to_ascii_uppercase();
    is_tracker_id(stem) || ulid(stem).is_some() || is_short
}

fn is_tracker_id(text: &str) -> bool {
    let Some((name, number)) = text.rsplit_once('-') else { return false };
    let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The 26 digits of a ULID in upper case.
fn ulid(text: &str) -> Option<String> {
    let bare = text.strip_prefix("fr_").or_else(|| text.strip_prefix("FR_")).unwrap_or(text);
    (bare.len() == 26).then(|| digits(bare)).flatten()
}

/// Crockford's base 32 has no I, L, O and U.
fn digits(text: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() && !matches!(byte, b'I' | b'L' | b'O' | b'U');
    upper.bytes().all(fits).then_some(upper)
}

fn same_ulid(a: &str, b: &str) -> bool {
    ulid(a).is_some_and(|a| ulid(b).is_some_and(|b| a == b))
}

fn is_short_of(stem: &str, digits: &str) -> bool {
    stem.len() == SHORT
        && digits.get(digits.len() - SHORT..).is_some_and(|end| end.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ULID: &str = "fr_01KPR3M74XA75GJKT4Z4HG95TH";

    fn header(id: Option<&str>, trackers: &[&str]) -> Header {
        Header {
            id: id.map(str::to_owned),
            trackers: trackers.iter().map(|it| (*it).to_owned()).collect(),
            ..Header::default()
        }
    }

    #[test]
    fn what_was_asked_for_is_told_apart() {
        for (text, want) in [
            ("STE-12", Some(Wanted::Name("STE-12".into()))),
            (ULID, Some(Wanted::Ulid(ULID[3..].into()))),
            ("01kpr3m74xa75gjkt4z4hg95th", Some(Wanted::Ulid(ULID[3..].into()))),
            ("./STE-12", Some(Wanted::Path("./STE-12".into()))),
            ("STE-12.md", Some(Wanted::Path("STE-12.md".into()))),
            ("  ", None),
        ] {
            assert_eq!(Wanted::read(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_file_is_found_by_stem_id_or_tracker() {
        for (wanted, stem, header, want) in [
            ("ste-12", "STE-12", header(None, &[]), true),
            ("STE-12", "STE-123", header(None, &[]), false),
            ("STE-12", "HG95TH", header(Some(ULID), &["STE-12"]), true),
            ("STE-12", "login", header(Some("ste-12"), &[]), true),
            (ULID, "login", header(Some(ULID), &[]), true),
            (&ULID[3..], "HG95TH", header(Some(ULID), &[]), true),
            (ULID, "hg95th", header(None, &[]), true),
            (ULID, "HG95TX", header(None, &[]), false),
        ] {
            assert_eq!(Wanted::read(wanted).unwrap().fits(stem, &header), want, "{wanted} {stem}");
        }
        assert!(!Wanted::read(ULID).unwrap().agrees("HG95TH", &header(None, &[])));
    }

    #[test]
    fn ids_begin_with_the_tracker_id_or_the_name() {
        for (path, header, want) in [
            ("specs/frs/STE-12.md", header(None, &[]), "STE-12"),
            ("specs/frs/STE-12.md", header(Some(ULID), &["STE-12"]), "STE-12"),
            ("specs/frs/HG95TH.md", header(Some(ULID), &["STE-12"]), "STE-12"),
            ("specs/frs/HG95TH.md", header(Some(ULID), &[]), "HG95TH"),
            ("docs/my login.md", header(None, &[]), "my-login"),
            ("specs/001-short-links/spec.md", header(None, &[]), "001-short-links"),
            ("openspec/changes/add/specs/links/spec.md", header(None, &[]), "add-links"),
            ("openspec/specs/links/spec.md", header(None, &[]), "links"),
            (".kiro/specs/links/requirements.md", header(None, &[]), "links"),
            ("spec.md", header(None, &[]), "spec"),
        ] {
            assert_eq!(prefix(&RelPath::new(path).unwrap(), &header), want, "{path}");
        }
    }

    #[test]
    fn a_file_that_disagrees_with_itself_is_refused() {
        for (stem, header, want) in [
            ("STE-12", header(None, &[]), true),
            ("STE-12", header(None, &["STE-12"]), true),
            ("STE-12", header(None, &["A-1", "ste-12"]), true),
            ("STE-12", header(Some("STE-12"), &["A-1"]), true),
            ("STE-12", header(Some(ULID), &["STE-12"]), true),
            ("HG95TH", header(Some(ULID), &["STE-12"]), true),
            ("login", header(Some("STE-12"), &[]), true),
            ("login-page", header(Some(ULID), &["STE-12"]), true),
            ("STE-12", header(None, &["STE-13"]), false),
            ("STE-12", header(Some("STE-13"), &[]), false),
            ("STE-12", header(Some("STE-13"), &["STE-12"]), false),
            ("STE-12", header(Some(ULID), &[]), false),
            ("HG95TX", header(Some(ULID), &[]), false),
        ] {
            let path = RelPath::new(&format!("specs/frs/{stem}.md")).unwrap();
            assert_eq!(check(&path, &header).is_ok(), want, "{stem} {header:?}");
        }
    }
}
