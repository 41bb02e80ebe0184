//! One line of the journal (contract section 11).
//!
//! ```text
//! line   = '{"v":1,"seq":' n ',"ts":' ms ',"prev":"' hash '",' sum rest LF     at most 4 KiB with LF
//! sum    = '"sum":"' the first 16 hex digits of the BLAKE3 of the line without `sum` and LF '",'
//!        | nothing                                                         in a line of an older tdd
//! rest   = '"type":"' name '",' [ '"aside":true,' ] fields of the event '}'     it fits
//!        | '"type":"' name '","file":"' hash '"}'                          it is in a side file
//! hash   = BLAKE3 of the line before, without its LF, as 64 hex digits; of the first line: 64 zeros
//! ```
//!
//! What becomes of a line is told by the `prev` of the next one. The last line has none, so it tells of
//! itself, by its `sum`.
//!
//! An event that changes no state is an *aside*. A reader that does not know its name passes over it; any other
//! event that is not known is a trouble, because what came after it can't be understood.
//!
//! A side file holds the event as JSON, `type` included, and is named by the hash of its bytes.
//! There are no leniencies: nobody but `tdd` writes this.

use serde::Deserialize;
use serde::de::IgnoredAny;

use tdd_core::attempt::{CheckpointId, Digest};
use tdd_core::event::{BRINGS_BACK, Event, PassFail, SessionEvent, TestIdSource, TestRunFact};
use tdd_core::finding::Findings;
use tdd_core::judge::Verdict;
use tdd_core::path::RelPath;
use tdd_core::test::{FailureKind, TestId};
use tdd_core::trouble::Trouble;

/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;
/// What a line may have, its newline included; one `write` of that much is not torn by a kill.
pub const LINE_CAP: usize = 4096;
/// The `prev` of the first line.
pub const NO_LINE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Behind the name of an event that changes no state.
const ASIDE: &str = ",\"aside\":true";

/// How many hex digits a line has of its own hash: enough for any damage that nobody meant.
const SUM_DIGITS: usize = 16;

/// An event ready to be written: the side file first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// With its newline.
    pub line: String,
    /// For an event that does not fit a line: the bytes of its side file, and their name.
    pub side: Option<(Digest, Vec<u8>)>,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub seq: u64,
    /// Milliseconds since the epoch.
    pub ts: u64,
    /// The hash of the line before.
    pub prev: String,
    pub body: Body,
}

/// Where the event is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Here(Box<Event>),
    /// In the side file of this name; the event's type is known.
    Spilled {
        name: String,
        file: Digest,
    },
}

/// Why a line is none of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Not JSON, or without the fields that every line has: torn, or not written by `tdd`.
    #[error("it is no line of a journal: {0}")]
    Malformed(String),
    #[error("it was written by a newer tdd (version {0} of the journal, this one reads {VERSION})")]
    Newer(u64),
    #[error("it holds an event `{name}` that this tdd does not know or can't read: {why}")]
    UnknownEvent { name: String, why: String },
    #[error("it has {0} bytes; a line has at most {LINE_CAP}")]
    TooLong(usize),
    /// One or more of its bytes are others than those that were written.
    #[error("it is not as it was written: its checksum is another")]
    Changed,
}

/// Makes the line of an event. `prev` is what [`hash`] gives of the line before. Fails only
/// if the event can't be JSON, which would be a bug of ours.
pub fn encode(seq: u64, ts: u64, prev: &str, event: &Event) -> Result<Encoded, Trouble> {
    let json = if let Event::Session(own) = event {
        serde_json::to_string(own)
    } else {
        serde_json::to_string(event)
    };
    let mut json = json.map_err(|error| {
        Trouble::internal(format!("the event {} is no JSON", event.name())).because(error.to_string())
    })?;
    if event.is_aside() {
        let named = format!("{{\"type\":\"{}\"", event.name());
        json.insert_str(named.len(), ASIDE);
    }
    let head = format!("{{\"v\":{VERSION},\"seq\":{seq},\"ts\":{ts},\"prev\":\"{prev}\",");
    let line = |rest: &str| format!("{head}\"sum\":\"{}\",{rest}\n", sum(&head, rest));
    if head.len() + "\"sum\":\"\",".len() + SUM_DIGITS + json.len() <= LINE_CAP {
        return Ok(Encoded { line: line(&json[1..]), side: None });
    }
    let digest = digest(json.as_bytes());
    let line = line(&format!("\"type\":\"{}\",\"file\":\"{}\"}}", event.name(), digest.0));
    Ok(Encoded { line, side: Some((digest, json.into_bytes())) })
}

/// The checksum of a line, of its parts before and after it.
fn sum(head: &str, rest: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head.as_bytes()).update(rest.as_bytes());
    hasher.finalize().to_hex()[..SUM_DIGITS].to_owned()
}

/// Whether a line without its newline is as it was written. For the last line of a journal: what
/// became of another is told by the one after it, without a second look at each byte.
pub fn check_sum(line: &str) -> Result<(), LineError> {
    let Some(Head { sum: Some(told), rest, .. }) = head(line) else { return Ok(()) };
    let before = line.len() - rest.len() - "\"sum\":\"\",".len() - SUM_DIGITS;
    if sum(&line[..before], rest) == told { Ok(()) } else { Err(LineError::Changed) }
}

/// Reads a line without its newline.
pub fn decode(line: &str) -> Result<Line, LineError> {
    if line.len() >= LINE_CAP {
        return Err(LineError::TooLong(line.len()));
    }
    let Some(Head { seq, ts, prev, rest, .. }) = head(line) else { return Err(malformed(line)) };
    let Some((name, fields)) = rest.strip_prefix("\"type\":\"").and_then(|rest| rest.split_once('"')) else {
        return Err(malformed(line));
    };
    let spilled = fields.strip_prefix(",\"file\":\"").and_then(|file| file.strip_suffix("\"}"));
    let body = match spilled.filter(|file| is_hash(file)) {
        Some(file) => Body::Spilled { name: name.to_owned(), file: Digest(file.to_owned()) },
        None => match decode_event(name, format!("{{{rest}").as_bytes()) {
            Ok(event) => Body::Here(Box::new(event)),
            // A torn line is no JSON at all; a whole one of an unknown type is another matter.
            Err(LineError::UnknownEvent { name, .. })
                if is_safely_unknown(&name, fields) && serde_json::from_str::<IgnoredAny>(line).is_ok() =>
            {
                Body::Here(Box::new(Event::Unknown { name }))
            }
            Err(_) if serde_json::from_str::<IgnoredAny>(line).is_err() => return Err(malformed(line)),
            Err(error) => return Err(error),
        },
    };
    Ok(Line { seq, ts, prev: prev.to_owned(), body })
}

/// An aside of a newer `tdd`: what this one writes itself must be readable.
fn is_safely_unknown(name: &str, fields: &str) -> bool {
    fields.starts_with(ASIDE) && !Event::NAMES.contains(&name) && !SessionEvent::NAMES.contains(&name)
}

/// For a line that holds a fact of no consequence for the state: its number and the hash of the
/// line before it. Its fields are not read, which makes up most of a long journal. What a person can bring back is
/// told wherever a run is looked at.
pub fn inconsequential(line: &str) -> Option<(u64, &str)> {
    let Head { seq, prev, rest, .. } = head(line).filter(|_| line.len() < LINE_CAP)?;
    let name = rest.strip_prefix("\"type\":\"")?;
    let is = |wanted: &str| name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('"'));
    let is_passed_over =
        ["test_run", "edit_claim"].into_iter().any(is) || (is("restored") && !line.contains(BRINGS_BACK));
    is_passed_over.then_some((seq, prev))
}

/// What every line begins with, and the rest.
struct Head<'l> {
    seq: u64,
    ts: u64,
    prev: &'l str,
    sum: Option<&'l str>,
    rest: &'l str,
}

fn head(line: &str) -> Option<Head<'_>> {
    let (seq, rest) = number(line.strip_prefix("{\"v\":1,\"seq\":")?)?;
    let (ts, rest) = number(rest.strip_prefix(",\"ts\":")?)?;
    let (prev, rest) = rest.strip_prefix(",\"prev\":\"")?.split_at_checked(NO_LINE.len())?;
    let prev = Some(prev).filter(|prev| is_hash(prev))?;
    let rest = rest.strip_prefix("\",")?;
    let Some(summed) = rest.strip_prefix("\"sum\":\"") else {
        return Some(Head { seq, ts, prev, sum: None, rest });
    };
    let (sum, rest) = summed.split_at_checked(SUM_DIGITS)?;
    Some(Head { seq, ts, prev, sum: Some(sum), rest: rest.strip_prefix("\",")? })
}

/// The digits at the beginning, and the rest.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit())?;
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().fold(true, |so_far, byte| so_far & byte.is_ascii_hexdigit())
}

/// Reads the event of a line, or of a side file.
pub fn decode_event(name: &str, json: &[u8]) -> Result<Event, LineError> {
    // The two events that a long run has most of are read without a detour: an enum with its tag
    // among the fields is read into loose values first, which takes twice as long.
    let event = match name {
        "attempt_measured" => serde_json::from_slice::<Measured>(json).and_then(Measured::event),
        "test_run" => serde_json::from_slice::<Tested>(json).and_then(Tested::event),
        name if SessionEvent::NAMES.contains(&name) => {
            serde_json::from_slice(json).map(|event| Event::Session(Box::new(event)))
        }
        _ => serde_json::from_slice(json),
    };
    event.map_err(|error| LineError::UnknownEvent { name: name.to_owned(), why: error.to_string() })
}

/// [`Event::AttemptMeasured`] as it is written.
#[derive(Deserialize)]
struct Measured {
    #[serde(rename = "type")]
    name: String,
    findings: Box<Findings>,
    #[serde(default)]
    verdict: Option<Verdict>,
}

impl Measured {
    fn event(self) -> serde_json::Result<Event> {
        is_named(&self.name, "attempt_measured")?;
        Ok(Event::AttemptMeasured { findings: self.findings, verdict: self.verdict })
    }
}

/// [`Event::TestRun`] as it is written.
#[derive(Deserialize)]
struct Tested {
    #[serde(rename = "type")]
    name: String,
    test_id: TestId,
    test_id_source: TestIdSource,
    status: PassFail,
    #[serde(default)]
    kind: Option<FailureKind>,
    command: String,
    duration_ms: u64,
    #[serde(default)]
    file: Option<RelPath>,
    #[serde(default)]
    tree: Option<CheckpointId>,
    #[serde(default)]
    output: Option<Digest>,
}

impl Tested {
    fn event(self) -> serde_json::Result<Event> {
        is_named(&self.name, "test_run")?;
        let Self { test_id, test_id_source, status, kind, command, duration_ms, file, tree, output, .. } =
            self;
        Ok(Event::TestRun(TestRunFact {
            test_id,
            test_id_source,
            status,
            kind,
            command,
            duration_ms,
            file,
            tree,
            output,
        }))
    }
}

fn is_named(name: &str, wanted: &str) -> serde_json::Result<()> {
    if name == wanted {
        return Ok(());
    }
    Err(serde::de::Error::custom(format!("its type is `{name}`, not `{wanted}`")))
}

/// The hash by which the next line refers to this one, newline or not.
pub fn hash(line: &str) -> String {
    digest(line.trim_end_matches('\n').as_bytes()).0
}

/// The name of the side file that holds these bytes.
pub fn digest(bytes: &[u8]) -> Digest {
    Digest(blake3::hash(bytes).to_hex().to_string())
}

/// A line with its event inside, whatever its length: for `tdd log --json`.
pub fn resolved(line: &Line, event_json: &str) -> String {
    let Line { seq, ts, prev, .. } = line;
    let fields = event_json.strip_prefix('{').unwrap_or(event_json);
    format!("{{\"v\":{VERSION},\"seq\":{seq},\"ts\":{ts},\"prev\":\"{prev}\",{fields}")
}

/// Why a line that does not look like ours does not. A later version may have other fields, so
/// only the number is asked for.
fn malformed(line: &str) -> LineError {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    match serde_json::from_str::<Version>(line) {
        Ok(version) if version.v > VERSION => LineError::Newer(version.v),
        Ok(version) => LineError::Malformed(format!("version {}, but other fields", version.v)),
        Err(error) => LineError::Malformed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(text: &str) -> Event {
        Event::Restored { what: vec![text.to_owned()] }
    }

    #[test]
    fn a_line_comes_back_as_it_was() {
        for event in [restored("a \"quoted\" ünicode\nline"), Event::Stopped { signal: 15 }] {
            let encoded = encode(3, 1_700_000_000_000, NO_LINE, &event).unwrap();
            assert_eq!(encoded.side, None);
            assert_eq!(encoded.line.matches('\n').count(), 1);
            let line = decode(encoded.line.trim_end_matches('\n')).unwrap();
            assert_eq!((line.seq, line.ts, line.prev.as_str()), (3, 1_700_000_000_000, NO_LINE));
            assert_eq!(line.body, Body::Here(Box::new(event)));
        }
    }

    #[test]
    fn an_event_of_a_session_has_its_own_name_and_comes_back_as_it_was() {
        let event = Event::Session(Box::new(SessionEvent::RefactorOn { files: vec![], why: "x".into() }));
        let line = encode(0, 1, NO_LINE, &event).unwrap().line;
        assert!(line.contains("\"type\":\"refactor_on\",\"why\""), "{line}");
        assert_eq!(decode(line.trim_end()).unwrap().body, Body::Here(Box::new(event)));
        let unknown = line.replace("refactor_on\",", "refactor_on\",\"aside\":true,").replace("why", "who");
        assert!(decode(unknown.trim_end()).is_err(), "what is ours must be readable");
    }

    #[test]
    fn only_facts_that_change_no_state_are_passed_over() {
        let line = |event: &Event| encode(9, 1, NO_LINE, event).unwrap().line;
        let passed_over = |event: &Event| inconsequential(line(event).trim_end()).is_some();
        assert_eq!(inconsequential(line(&restored("x")).trim_end()), Some((9, NO_LINE)));
        assert!(passed_over(&restored(&"x".repeat(9000))), "wherever it is");
        assert!(!passed_over(&restored(&format!("branch main{BRINGS_BACK}git reset x"))));
        assert!(!passed_over(&Event::Stopped { signal: 15 }));
        assert!(!passed_over(&Event::Resumed));
        assert_eq!(inconsequential("{\"v\":1,\"seq\":9,\"type\":\"test_run\""), None);
        assert_eq!(inconsequential(&line(&restored("x")).replace("restored", "restoredly")), None);
    }

    #[test]
    fn an_aside_of_a_newer_tdd_is_passed_over_and_nothing_else_that_is_unknown() {
        let line = |rest: &str| format!("{{\"v\":1,\"seq\":1,\"ts\":2,\"prev\":\"{NO_LINE}\",{rest}}}");
        let known = decode(&line("\"type\":\"teleported\",\"aside\":true,\"to\":{\"x\":[1]}")).unwrap();
        assert_eq!(known.body, Body::Here(Box::new(Event::Unknown { name: "teleported".to_owned() })));
        for rest in [
            "\"type\":\"teleported\",\"aside\":false",
            "\"type\":\"teleported\",\"to\":1,\"aside\":true",
            "\"type\":\"restored\",\"aside\":true,\"what\":7",
            "\"type\":\"stopped\",\"aside\":true",
            "\"type\":\"teleported\",\"aside\":true,\"to\":",
        ] {
            let is_read = decode(&line(rest)).is_ok();
            assert!(!is_read, "{rest}");
        }
        // What is written says of itself whether it is one, and reads as it was.
        for (event, is_aside) in [(restored("x"), true), (Event::Stopped { signal: 2 }, false)] {
            let written = encode(1, 2, NO_LINE, &event).unwrap().line;
            assert_eq!(written.contains("\"aside\":true"), is_aside, "{written}");
            assert_eq!(decode(written.trim_end()).unwrap().body, Body::Here(Box::new(event)));
        }
    }

    #[test]
    fn no_line_has_more_than_4_kib_and_the_bound_is_used() {
        let mut spilled = 0;
        for length in (3700..4200).chain([100_000]) {
            let event = restored(&"x".repeat(length));
            let encoded = encode(u64::MAX, u64::MAX, NO_LINE, &event).unwrap();
            assert!(encoded.line.len() <= LINE_CAP, "{length}: {}", encoded.line.len());
            let line = decode(encoded.line.trim_end_matches('\n')).unwrap();
            match (line.body, encoded.side) {
                (Body::Here(read), None) => assert_eq!(*read, event),
                (Body::Spilled { name, file }, Some((digest, bytes))) => {
                    spilled += 1;
                    assert_eq!((name.as_str(), &file), ("restored", &digest));
                    assert_eq!(super::digest(&bytes), digest);
                    assert_eq!(decode_event("restored", &bytes).unwrap(), event);
                    let whole = resolved(
                        &decode(encoded.line.trim_end()).unwrap(),
                        std::str::from_utf8(&bytes).unwrap(),
                    );
                    assert_eq!(decode_event("restored", whole.as_bytes()).unwrap(), event);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!((2..500).contains(&spilled), "{spilled}");
    }

    #[test]
    fn a_bad_line_says_what_is_bad() {
        let line =
            |v: u64, rest: &str| format!("{{\"v\":{v},\"seq\":1,\"ts\":2,\"prev\":\"{NO_LINE}\",{rest}}}");
        for (text, want) in [
            (line(2, "\"type\":\"stopped\",\"signal\":2"), "newer tdd (version 2"),
            ("{\"v\":7,\"wholly\":\"other\"}".to_owned(), "newer tdd (version 7"),
            (line(0, "\"type\":\"stopped\",\"signal\":2"), "no line of a journal: version 0, but"),
            (line(1, "\"type\":\"teleported\""), "`teleported` that this tdd does not know"),
            (line(1, "\"type\":\"stopped\""), "missing field `signal`"),
            ("{\"v\":1,\"seq\":".to_owned(), "no line of a journal"),
            (String::new(), "no line of a journal"),
            ("[".repeat(3000), "no line of a journal"),
            (line(1, &format!("\"type\":\"paused\",\"reason\":\"{}\"", "x".repeat(5000))), "at most 4096"),
        ] {
            let said = decode(&text).unwrap_err().to_string();
            assert!(said.contains(want), "{text}: {said}");
        }
    }
}
