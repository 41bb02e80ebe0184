//! The triples of an agent's own session under the gate.

use std::collections::BTreeMap;

use crate::attempt::CheckpointId;
use crate::event::{EditFact, Event, SessionEvent, TestRunFact};
use crate::finding::RedKind;
use crate::path::RelPath;
use crate::test::{FailureKind, TestId};

use super::pairs;

/// A red test, the edits that a claim on it allowed, and the green with which a turn ended.
#[derive(Clone, Debug)]
pub struct SessionTriple<'a> {
    pub test: &'a TestId,
    pub red: &'a TestRunFact,
    pub kind: RedKind,
    pub green: &'a TestRunFact,
    /// The number of the event of the green.
    pub at: usize,
    pub base: &'a CheckpointId,
    pub result: &'a CheckpointId,
    /// What was edited for it, in order.
    pub files: Vec<&'a RelPath>,
}

/// The triples of a session's events, in the order of their greens.
pub fn session_triples<'a>(events: &[&'a Event]) -> Vec<SessionTriple<'a>> {
    let kept = events.iter().enumerate().filter_map(|(at, event)| {
        if let SessionEvent::Flushed { test_ids, .. } = session(event)? { Some((at, test_ids)) } else { None }
    });
    // The last end of a turn that kept a test's edits: what came after it may have been taken back.
    let mut last = BTreeMap::new();
    for (at, test_ids) in kept {
        last.extend(test_ids.iter().map(|test| (test, at)));
    }
    let runs: Vec<(usize, &TestRunFact)> = events
        .iter()
        .enumerate()
        .filter_map(|(at, event)| if let Event::TestRun(fact) = event { Some((at, fact)) } else { None })
        .filter(|(at, fact)| last.get(&fact.test_id).is_some_and(|end| at < end))
        .collect();
    let found = pairs(runs.iter().map(|(_, fact)| (&fact.test_id, fact.status)));
    found.into_iter().filter_map(|pair| triple(events, runs[pair.red], runs[pair.green])).collect()
}

fn session(event: &Event) -> Option<&SessionEvent> {
    if let Event::Session(event) = event { Some(event) } else { None }
}

fn triple<'a>(
    events: &[&'a Event],
    (red_at, red): (usize, &'a TestRunFact),
    (at, green): (usize, &'a TestRunFact),
) -> Option<SessionTriple<'a>> {
    let kind = match red.kind? {
        FailureKind::Assertion => RedKind::Assertion,
        FailureKind::Error => RedKind::Error,
        FailureKind::Missing => RedKind::Missing,
        FailureKind::Load | FailureKind::Timeout | FailureKind::Crash => return None,
    };
    let test = &red.test_id;
    let between = events.get(red_at + 1..at)?;
    let claimed = |event: &&Event| matches!(event, Event::EditClaim { test_id, .. } if test_id == test);
    let edited = between.iter().filter_map(|event| {
        let SessionEvent::Edit(EditFact { edit_target, test_ids, .. }) = session(event)? else { return None };
        test_ids.contains(test).then_some(edit_target)
    });
    let mut files: Vec<&RelPath> = edited.collect();
    files.dedup();
    let (base, result) = (red.tree.as_ref()?, green.tree.as_ref()?);
    let is_whole = between.iter().any(claimed) && !files.is_empty() && base != result;
    is_whole.then_some(SessionTriple { test, red, kind, green, at, base, result, files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{EditGround, PassFail, Repair, RepairCause, TestIdSource};

    fn tree(name: &str) -> CheckpointId {
        CheckpointId(name.to_owned())
    }

    fn ran(test: &str, status: PassFail, at: &str) -> Event {
        Event::TestRun(TestRunFact {
            test_id: TestId(test.to_owned()),
            test_id_source: TestIdSource::Native,
            status,
            kind: (status == PassFail::Fail).then_some(FailureKind::Assertion),
            command: "t".into(),
            duration_ms: 1,
            file: None,
            tree: Some(tree(at)),
            output: None,
        })
    }

    fn path() -> RelPath {
        RelPath::new("a.py").unwrap()
    }

    fn claim(test: &str) -> Event {
        Event::EditClaim { test_id: TestId(test.to_owned()), edit_target: path() }
    }

    fn happened(event: SessionEvent) -> Event {
        Event::Session(Box::new(event))
    }

    fn edit(test: &str) -> Event {
        happened(SessionEvent::Edit(EditFact {
            edit_target: path(),
            test_ids: vec![TestId(test.to_owned())],
            ground: EditGround::Claim,
            tool: None,
            base: tree("x"),
            tree: tree("y"),
        }))
    }

    fn flushed(test: &str) -> Event {
        happened(SessionEvent::Flushed { test_ids: vec![TestId(test.to_owned())], tree: tree("z") })
    }

    fn repair(test: &str) -> Event {
        happened(SessionEvent::Repair(Repair {
            cause: RepairCause::Red,
            test_ids: vec![TestId(test.to_owned())],
            taken_back: vec![path()],
            to: tree("a"),
            kept_as: tree("b"),
            label: "l".into(),
            output: None,
        }))
    }

    #[test]
    fn a_triple_is_a_red_a_claim_an_edit_and_a_green_that_a_turn_kept() {
        use PassFail::{Fail, Pass};
        let t = |events: &[Event]| -> Vec<(String, String)> {
            let events: Vec<&Event> = events.iter().collect();
            let found = session_triples(&events);
            found.iter().map(|one| (one.base.0.clone(), one.result.0.clone())).collect()
        };
        let one = |base: &str, result: &str| vec![(base.to_owned(), result.to_owned())];
        let (red, green) = (|at| ran("t", Fail, at), |at| ran("t", Pass, at));
        assert_eq!(t(&[red("1"), claim("t"), edit("t"), green("2"), flushed("t")]), one("1", "2"));
        // Without a claim, an edit, an end of the turn, another tree.
        assert_eq!(t(&[red("1"), edit("t"), green("2"), flushed("t")]), []);
        assert_eq!(t(&[red("1"), claim("t"), green("2"), flushed("t")]), []);
        assert_eq!(t(&[red("1"), claim("t"), edit("t"), green("2")]), []);
        assert_eq!(t(&[red("1"), claim("t"), edit("t"), green("1"), flushed("t")]), []);
        assert_eq!(t(&[red("1"), claim("u"), edit("u"), green("2"), flushed("t")]), []);
        // What a red end of a turn took back was no edit that counts; the next red is the one.
        let taken_back = [red("1"), claim("t"), edit("t"), red("2"), repair("t")];
        assert_eq!(t(&taken_back), []);
        let again = [red("3"), claim("t"), edit("t"), green("4"), flushed("t"), green("5")];
        assert_eq!(t(&[&taken_back[..], &again[..]].concat()), one("3", "4"));
    }
}
