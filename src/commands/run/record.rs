//! `--record FILE`: a run as a cassette. Made of the journal and the checkpoints when the process
//! ends, so it costs the run nothing, and a run of several processes is recorded as one.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::driver::setup::Setup;
use crate::view::print;
use crate::world::journal_file::{self, JournalFile};
use tdd_agents::cassette::write::{self, Recorded, RecordedAction};
use tdd_core::attempt::{AgentReturn, Attempt, CheckpointId, Digest};
use tdd_core::event::Event;
use tdd_core::labels;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::Journal as _;
use tdd_core::role::Key;
use tdd_core::state::{Entry, State};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::altered::{Altered, Kind, Now};

use tdd_child::regular_file;
use tdd_child::run_folder;

/// A larger file is not recorded.
const LARGEST_FILE: usize = 4 << 20;
/// Of one recording.
const MOST_BYTES: usize = 64 << 20;

/// Where a recording is to go. Refused before the first fork: a file that is there and is no
/// recording of this run, and a place in the repository, where it would look like somebody's work.
pub fn place(file: &Path, cwd: &Path, repository: &Path, run: Option<&str>) -> Result<PathBuf, Trouble> {
    let path = cwd.join(file);
    let refuse = |what: &str, next: &str| {
        Err(Trouble::user(format!("--record {}: {what}", file.display())).advise(next.to_owned()))
    };
    let (Some(name), Some(Ok(folder))) = (path.file_name(), path.parent().map(Path::canonicalize)) else {
        return refuse("there is no such folder", "make it, or name another file");
    };
    let path = folder.join(name);
    if path.starts_with(repository) {
        return refuse(
            "it lies in the repository, where it would be taken for a change by somebody else",
            "name a file outside of it, and copy it into the repository afterwards",
        );
    }
    if path.symlink_metadata().is_ok() {
        let is_ours = || {
            let text = regular_file::read_to_string(&path).unwrap_or_default();
            run.is_some_and(|run| write::is_recording_of(&text, run))
        };
        if !path.is_file() || path.is_symlink() || !is_ours() {
            return refuse(
                "the file is there already, and is no recording of this run",
                "remove it, or name another one",
            );
        }
    }
    // Made as the recording will be, so that nothing is paid for that can't be kept; it goes at once.
    match tempfile::NamedTempFile::new_in(&folder) {
        Ok(_) => Ok(path),
        Err(error) => refuse(
            &format!("its folder can't be written to: {error}"),
            "name a file in another folder, or change what the folder allows",
        ),
    }
}

/// Writes the recording. A recording that fails is told, and fails no run. Without an attempt that came
/// to an end there is none: what can't be replayed would only look like one.
pub fn keep(path: &Path, repository: &Path, run: &Path, setup: &Setup) {
    let written = recording(repository, run, setup).and_then(|recording| {
        let Some((text, lost)) = recording else { return Ok(None) };
        put(path, &text)?;
        Ok(Some(lost))
    });
    match written {
        Ok(None) => print::message(
            "tdd: nothing is recorded: no attempt has come to its end; `tdd resume --record FILE` records the run",
        ),
        Ok(Some(lost)) => {
            print::message(&format!("tdd: the run is recorded in {}", path.display()));
            for line in lost {
                print::message(&format!("  not recorded: {line}"));
            }
        }
        Err(trouble) => print::message(&format!("tdd: the run could not be recorded: {trouble}")),
    }
}

fn put(path: &Path, text: &str) -> Result<(), Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(std::io::Error::from).map(|_| ())
    });
    written
        .map_err(|error| Trouble::environment(format!("{} can't be written", path.display())).because(error))
}

/// The text of the cassette, and what is not in it; nothing of a run without attempts.
fn recording(repository: &Path, run: &Path, setup: &Setup) -> Result<Option<(String, Vec<String>)>, Trouble> {
    let records = journal_file::read_for_state(run)?;
    let state = State::replay(records.iter().map(|record| &record.event))
        .ok()
        .flatten()
        .ok_or_else(|| Trouble::internal("the journal of the run that just ended tells none"))?;
    let seen = seen_before_return(records.iter().map(|record| &record.event));
    let id = run_folder::id_of(run);
    let mut tape = Tape {
        checkpoints: GitCheckpoints::open(repository, &id, run)?,
        journal: JournalFile::open(run)?.0,
        policy: &setup.policy,
        mask: &*setup.mask,
        room: MOST_BYTES,
    };
    let mut entries = Vec::new();
    for (key, ledger) in &state.ledgers {
        let returned = ledger.entries.iter().filter(|entry| !entry.cut);
        for (index, entry) in returned.enumerate() {
            let Some(outcome) = &entry.outcome else { continue };
            let tree = seen.get(&(key.clone(), entry.attempt.number));
            entries.push(tape.entry(entry, outcome, index + 1, tree)?);
        }
    }
    if entries.is_empty() {
        return Ok(None);
    }
    let requirement = &state.run.requirement.id;
    let about = [
        format!(
            "{requirement}, agents: {}; play it: tdd {requirement} --cassette FILE",
            state.run.agents.join(", ")
        ),
        "empty folders, ignored files, what running tests leaves and what was printed on the way are not in it"
            .to_owned(),
    ];
    Ok(Some((write::render(&id.0, &about, &entries), write::losses(&entries))))
}

/// The trees that were seen right before a child's return was noted: those of format violations,
/// whose work is not measured.
fn seen_before_return<'e>(events: impl Iterator<Item = &'e Event>) -> BTreeMap<(Key, u8), CheckpointId> {
    let mut all = BTreeMap::new();
    let (mut attempt, mut tree): (Option<Attempt>, Option<&CheckpointId>) = (None, None);
    for event in events {
        if let Event::AttemptStarted { attempt: started } = event {
            (attempt, tree) = (started.of_cycle(), None);
        } else if let Event::TreeSeen { tree: seen } = event {
            tree = Some(seen);
        } else if let Event::AgentReturned { .. } = event {
            let returned = attempt.take().zip(tree);
            all.extend(returned.map(|(of, seen)| ((of.key, of.number), seen.clone())));
        }
    }
    all
}

struct Tape<'a> {
    checkpoints: GitCheckpoints,
    journal: JournalFile,
    policy: &'a Policy,
    mask: &'a dyn Fn(&str) -> String,
    /// Bytes that may still be recorded.
    room: usize,
}

impl Tape<'_> {
    fn entry(
        &mut self,
        entry: &Entry,
        outcome: &AgentReturn,
        number: usize,
        seen: Option<&CheckpointId>,
    ) -> Result<Recorded, Trouble> {
        let attempt = &entry.attempt;
        let mut lost = Vec::new();
        let actions = if let Some(after) = self.tree_after(attempt, seen) {
            self.actions(&attempt.before, &after, &mut lost)?
        } else {
            lost.push("its files: no snapshot was taken after it".to_owned());
            Vec::new()
        };
        let mut read = |digest: &Digest| -> Result<String, Trouble> {
            Ok(String::from_utf8_lossy(&self.journal.fetch(digest)?).into_owned())
        };
        Ok(Recorded {
            role: attempt.key.role(),
            criterion: attempt.key.criterion().cloned(),
            number,
            actions,
            message: outcome.message.as_ref().map(&mut read).transpose()?,
            usage: entry.used.told,
            turns: outcome.turns,
            duration_ms: outcome.duration_ms,
            end: outcome.end,
            lost,
        })
    }

    /// The tree as the child left it.
    fn tree_after(&self, attempt: &Attempt, seen: Option<&CheckpointId>) -> Option<CheckpointId> {
        let of = labels::of_attempt(&attempt.key.clone().into(), attempt.number);
        let measured = || self.checkpoints.labelled(&format!("after-{of}"));
        let failed = || self.checkpoints.labelled(&format!("failed-{of}"));
        seen.cloned().or_else(measured).or_else(failed)
    }

    fn actions(
        &mut self,
        before: &CheckpointId,
        after: &CheckpointId,
        lost: &mut Vec<String>,
    ) -> Result<Vec<RecordedAction>, Trouble> {
        let mut altered = self.checkpoints.altered(before, after, LARGEST_FILE)?;
        altered.retain(|one| self.policy.classify(&one.shown()) != FileClass::ByProduct);
        let mut actions = deletions(&altered);
        for one in altered {
            self.write(one, &mut actions, lost);
        }
        Ok(actions)
    }

    fn write(&mut self, one: Altered, actions: &mut Vec<RecordedAction>, lost: &mut Vec<String>) {
        let shown = one.shown();
        let mut skip = |why: &str| lost.push(format!("{shown}: {why}"));
        if self.masked(&one.path).is_some() {
            return skip("its name holds a secret");
        }
        let (kind, bytes) = match one.now {
            Now::Gone => return,
            Now::TooLarge(size) => {
                return skip(&format!("it has {size} bytes, and at most {LARGEST_FILE} are kept"));
            }
            Now::Holds(Kind::Submodule, _) => return skip("it is a submodule"),
            Now::Holds(kind, bytes) => (kind, bytes),
        };
        if bytes.len() > self.room {
            return skip(&format!("the recording holds {MOST_BYTES} bytes of files already"));
        }
        self.room -= bytes.len();
        let bytes = match self.masked(&bytes) {
            None => bytes,
            Some(Ok(masked)) if kind != Kind::Link => {
                skip("secrets in it are masked");
                masked.into_bytes()
            }
            Some(_) => return skip("it holds a secret that can't be masked"),
        };
        if kind == Kind::Link {
            actions.push(RecordedAction::Link(one.path, bytes));
            return;
        }
        actions.push(RecordedAction::Write(one.path.clone(), bytes));
        let was_executable = one.was == Some(Kind::Executable);
        if was_executable != (kind == Kind::Executable) {
            let mode = if kind == Kind::Executable { 0o755 } else { 0o644 };
            actions.push(RecordedAction::Chmod(one.path, mode));
        }
    }

    /// The text without its secrets, if it holds some; an error if they lie among other bytes.
    fn masked(&self, bytes: &[u8]) -> Option<Result<String, ()>> {
        let text = String::from_utf8_lossy(bytes);
        let masked = (self.mask)(&text);
        if masked == *text {
            return None;
        }
        Some(if matches!(text, std::borrow::Cow::Borrowed(_)) { Ok(masked) } else { Err(()) })
    }
}

/// What is gone; what is of another kind now goes first too, and so does a folder in whose place a
/// file is now.
fn deletions(altered: &[Altered]) -> Vec<RecordedAction> {
    let is_link = |kind: Option<Kind>| kind == Some(Kind::Link);
    let now = |one: &Altered| match &one.now {
        Now::Holds(kind, _) => Some(*kind),
        Now::Gone | Now::TooLarge(_) => None,
    };
    let inside =
        |path: &[u8], folder: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
    let gone: Vec<&Altered> = altered.iter().filter(|one| matches!(one.now, Now::Gone)).collect();
    let replaced = altered.iter().filter(|one| {
        let retyped = one.was.is_some() && is_link(one.was) != is_link(now(one)) && now(one).is_some();
        let was_folder = one.was.is_none() && gone.iter().any(|other| inside(&other.path, &one.path));
        retyped || was_folder
    });
    let mut first: Vec<Vec<u8>> = replaced.map(|one| one.path.clone()).collect();
    let left: Vec<Vec<u8>> = gone
        .iter()
        .filter(|one| !first.iter().any(|folder| inside(&one.path, folder)))
        .map(|one| one.path.clone())
        .collect();
    first.extend(left);
    first.into_iter().map(RecordedAction::Delete).collect()
}
