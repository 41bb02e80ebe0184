//! Work that was kept and of which no block of its role names some files: a person may have written those while
//! the role was at work, and nobody can tell.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::effect::RollBack;
use crate::event::Event;
use crate::finding::{ChangeKind, ClassedChange};
use crate::labels;
use crate::path::RelPath;
use crate::policy::FileClass;
use crate::role::Asked;

/// The label of such a tree, and those files of it.
pub type Unnamed = (String, BTreeSet<RelPath>);

/// What a journal tells of it, in order.
pub fn unnamed<'e>(events: impl Iterator<Item = &'e Event>) -> Vec<Unnamed> {
    Book::of(events).unnamed
}

/// The same of roles that name other work of theirs: then it stands out, and an undo asks about it. Who names nothing
/// tells nothing of what is whose.
pub fn beside_named<'e>(events: impl Iterator<Item = &'e Event>) -> Vec<Unnamed> {
    let mut book = Book::of(events);
    book.unnamed.retain(|(label, _)| book.naming.contains(label));
    book.unnamed
}

#[derive(Default)]
struct Book {
    /// Of whom the next event tells.
    at_work: Option<(Asked, u8)>,
    claimed: HashMap<Asked, BTreeSet<RelPath>>,
    /// Where roles run, and what they name may be relative to.
    project: String,
    /// By all measurements of each since work of its was last taken back whole: what an attempt left in the tree and
    /// did not pass is kept with the one that does.
    written: HashMap<Asked, BTreeMap<RelPath, FileClass>>,
    unnamed: Vec<Unnamed>,
    /// Labels of work of which its role names some.
    naming: BTreeSet<String>,
}

impl Book {
    fn of<'e>(events: impl Iterator<Item = &'e Event>) -> Self {
        let mut book = Self::default();
        for event in events {
            book.take(event);
        }
        book
    }

    fn take(&mut self, event: &Event) {
        if let Event::RunStarted(run) = event {
            self.project.clone_from(&run.project);
        } else if let Event::FixStarted(run) = event {
            self.project.clone_from(&run.project);
        } else if let Event::AttemptStarted { attempt } = event {
            self.at_work = Some((attempt.key.clone(), attempt.number));
        } else if let Event::WorkTaken { key, number, .. } = event {
            self.at_work = Some((key.clone().into(), *number));
        }
        let Some((asked, number)) = self.at_work.clone() else { return };
        if let Event::AgentReturned { outcome, .. } = event {
            let files = outcome.claim.iter().flat_map(|claim| claim.files.iter().cloned());
            self.claimed.entry(asked).or_default().extend(files);
        } else if let Event::AttemptMeasured { findings, .. } = event {
            let written = findings.changed().iter().filter(|change| is_version(change));
            self.written
                .entry(asked)
                .or_default()
                .extend(written.map(|change| (change.path.clone(), change.class)));
        } else if let Event::WorkKept { .. } = event {
            let claimed = self.claimed.get(&asked).cloned().unwrap_or_default();
            let written = self.written.remove(&asked).unwrap_or_default().into_keys();
            let (named, files): (BTreeSet<RelPath>, BTreeSet<RelPath>) =
                written.partition(|path| self.is_named(&claimed, path));
            let attempt = labels::of_attempt(&asked, number);
            let label = labels::of_kind("good", Some(&attempt));
            self.naming.extend((!named.is_empty()).then(|| label.clone()));
            self.unnamed.extend((!files.is_empty()).then_some((label, files)));
        } else if let Event::FixMeasured { findings, .. } = event {
            let claimed = self.claimed.remove(&asked).unwrap_or_default();
            let written = findings.changed.iter().filter(|change| is_version(change));
            let kept =
                written.map(|change| change.path.clone()).filter(|path| !findings.put_back.contains(path));
            let (named, files): (BTreeSet<RelPath>, BTreeSet<RelPath>) =
                kept.partition(|path| self.is_named(&claimed, path));
            let label = labels::of_kind("after", Some(&labels::of_attempt(&asked, number)));
            self.naming.extend((!named.is_empty()).then(|| label.clone()));
            self.unnamed.extend((!files.is_empty()).then_some((label, files)));
        } else if let (Event::WorkRolledBack { extent, .. }, Asked::Key(_)) = (event, &asked) {
            let written = self.written.entry(asked).or_default();
            written.retain(|_, class| match extent {
                RollBack::DeletedOnly => true,
                RollBack::AllButTests => *class == FileClass::Test,
                RollBack::Everything => false,
            });
        } else if let (Event::WorkRolledBack { .. }, Asked::Fixer) = (event, &asked) {
            // That is held by itself.
            let label = labels::of_kind("after", Some(&labels::of_attempt(&asked, number)));
            self.unnamed.retain(|(other, _)| *other != label);
        }
    }
}

impl Book {
    fn is_named(&self, claimed: &BTreeSet<RelPath>, path: &RelPath) -> bool {
        claimed.iter().any(|named| path.is_meant_by(named, &self.project))
    }
}

/// What is deleted leaves no version, and a tool's lock file follows from what is named.
fn is_version(change: &ClassedChange) -> bool {
    let is_there = match change.kind {
        ChangeKind::Added | ChangeKind::Modified | ChangeKind::Retyped => true,
        ChangeKind::Deleted | ChangeKind::Submodule => false,
    };
    is_there && change.class != FileClass::Lock
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId};
    use crate::claim::{Claim, ClaimStatus};
    use crate::finding::{Findings, GreenFindings};
    use crate::role::{Key, Role};
    use crate::test::Exit;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn started(number: u8) -> Event {
        let before = CheckpointId("zero".to_owned());
        let (key, kind) = (Key::Refactorer.into(), AttemptKind::First);
        Event::AttemptStarted { attempt: Attempt { key, number, kind, before, prompt: vec![] } }
    }

    fn measured(work: &[(&str, ChangeKind, FileClass)]) -> Event {
        let changed = work.iter().map(|(name, kind, class)| ClassedChange {
            path: path(name),
            kind: *kind,
            class: *class,
        });
        let findings = GreenFindings { changed: changed.collect(), ..GreenFindings::default() };
        Event::AttemptMeasured { findings: Box::new(Findings::Green(findings)), verdict: None }
    }

    #[test]
    fn what_no_block_of_the_role_names_is_told_of_kept_work_alone() {
        use ChangeKind::{Added, Deleted, Modified};
        use FileClass::{Lock, Source};
        let kept = || Event::WorkKept { checkpoint: CheckpointId("good".to_owned()) };
        let work = [
            ("a.rs", Modified, Source),
            ("theirs", Added, Source),
            ("gone", Deleted, Source),
            ("Cargo.lock", Modified, Lock),
        ];
        // The first attempt names one file and the second another: the tree keeps both.
        let all = [
            started(1),
            returned(&["a.rs"]),
            measured(&work),
            started(2),
            returned(&[]),
            measured(&work),
            kept(),
        ];
        let want = vec![("good-refactorer-2".to_owned(), BTreeSet::from([path("theirs")]))];
        assert_eq!(unnamed(all.iter()), want);
        assert_eq!(unnamed(all[..6].iter()), [], "nothing was kept");
        // What came with an attempt that failed stays in the tree, and the next one's changes are told without it.
        let back = |extent| Event::WorkRolledBack {
            to: CheckpointId("zero".to_owned()),
            extent,
            kept_as: CheckpointId("failed".to_owned()),
        };
        let retried = |extent| {
            [
                started(1),
                returned(&["a.rs"]),
                measured(&work),
                back(extent),
                started(2),
                returned(&["a.rs"]),
                measured(&work[..1]),
                kept(),
            ]
        };
        assert_eq!(unnamed(retried(RollBack::DeletedOnly).iter()), want);
        assert_eq!(
            unnamed(retried(RollBack::Everything).iter()),
            [],
            "it was taken back, and is held by itself"
        );
        let honest = [started(1), returned(&["a.rs", "theirs"]), measured(&work), kept()];
        assert_eq!(unnamed(honest.iter()), []);
    }

    fn returned(files: &[&str]) -> Event {
        let claim = Claim {
            role: Role::Refactorer,
            status: ClaimStatus::Ok,
            files: files.iter().map(|file| path(file)).collect(),
            command: "t".to_owned(),
            output_excerpt: String::new(),
            notes: None,
            tests: std::collections::BTreeMap::default(),
            supersedes: std::collections::BTreeMap::default(),
            dispute: None,
        };
        let outcome = AgentReturn {
            silent_ms: None,
            end: AgentEnd::Exited(Exit::Code(0)),
            bound: None,
            claim: Ok(claim),
            session: None,
            turns: None,
            duration_ms: 1,
            log: String::new(),
            message: None,
        };
        Event::AgentReturned { outcome: Box::new(outcome), judged: None }
    }
}
