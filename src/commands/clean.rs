//! `tdd clean`: removes old runs and their checkpoints (contract section 2), and nothing else:
//! folders `.tdd/runs/<run>` and refs below `refs/tdd/<run>/`, and the same of sessions, `.tdd/sessions/<session>`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

mod held;
pub(super) mod sessions;

use super::run::execute;
use crate::cli::CleanArgs;
use crate::commands::runs::chosen::repository;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::text::object::VERSION;
use crate::view::print;
use crate::world::journal_file::folders::{self, Entry};
use crate::world::lock::WorkTreeLock;
use crate::world::session_file::shelf;
use tdd_child::run_folder::RunDir;
use tdd_core::counted::counted;
use tdd_core::harmless::line;
use tdd_core::run_name::{self, Meaning};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::intent;
use tdd_snapshot::checkpoints::run_refs::RunRefs;

/// Commits that are listed for a person.
const LISTED: usize = 20;

/// Removes what is to go and says what that was, run by run.
pub fn run(args: &CleanArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    // Looking changes nothing, and may be done while a run is at work.
    let _lock = if args.dry_run { None } else { Some(WorkTreeLock::acquire(&repository)?) };
    if !args.dry_run {
        // What names a killed run's children goes with its folder.
        execute::reap(&repository);
        shelf::finish_removals(&repository);
    }
    let house = House::survey(&repository)?;
    let going = house.going(&repository, args)?;
    if args.runs.is_empty() {
        house.warn();
    }
    let mut sum = Sum::default();
    for candidate in &going {
        if candidate.removable == Removable::InUse {
            print::message(&format!("tdd: left alone: {}: {}", candidate.shown(), candidate.state));
            sum.failed += 1;
            continue;
        }
        if !args.discard_commits
            && let Some(held) = held::alone(&house.refs, candidate)?
        {
            print::message(&format!("tdd: left alone: {held}"));
            sum.failed += usize::from(!args.runs.is_empty());
            continue;
        }
        if !args.dry_run
            && let Err(trouble) = house.remove(&repository, candidate)
        {
            print::message(&format!("tdd: {trouble}"));
            sum.failed += 1;
            continue;
        }
        sum.count(candidate);
        print::result(&told_of(candidate, args));
    }
    let all = |kind| house.candidates.iter().filter(|one| one.kind == kind).count();
    let kept = (all(Kind::Run) - sum.runs, all(Kind::Session) - sum.sessions);
    print::result(&sum.told(args, kept));
    Ok(if sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What can become of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Removable {
    /// Finished or halted, or it never got to its first fork.
    Over,
    Unfinished,
    /// Somebody is at work on it, or an undo of it was cut off: its checkpoints are the way on and back.
    InUse,
    /// Its journal can't be read, so it may be unfinished.
    Damaged,
    /// Only refs are left of it.
    LeftOver,
}

/// What was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Run,
    Session,
}

/// Something that may be removed.
struct Candidate {
    kind: Kind,
    name: String,
    folder: Option<RunDir>,
    removable: Removable,
    /// For a person.
    state: String,
    bytes: u64,
    refs: usize,
}

impl Candidate {
    fn of_folder(repository: &Path, dir: RunDir, refs: &RunRefs) -> Self {
        let (removable, state) = match Journalled::read(&dir) {
            Ok((told, _)) => {
                let status = RunStatus::of(repository, &dir, &told);
                let removable = if matches!(status, RunStatus::Live { .. } | RunStatus::HalfUndone { .. }) {
                    Removable::InUse
                } else if status.is_past() || told.is_over() {
                    Removable::Over
                } else {
                    Removable::Unfinished
                };
                (removable, status.words(&told.phase()))
            }
            Err(trouble) => (Removable::Damaged, format!("damaged: {}", trouble.why)),
        };
        let bytes = folders::size(&dir.path);
        let refs = refs.count(&dir.id.0);
        let (name, state) = (dir.id.0.clone(), line(&state));
        Self { kind: Kind::Run, name, folder: Some(dir), removable, state, bytes, refs }
    }

    /// As people name it.
    fn shown(&self) -> &str {
        run_name::short(&self.name)
    }

    fn of_refs(name: &str, refs: &RunRefs) -> Self {
        Self {
            kind: Kind::Run,
            name: name.to_owned(),
            folder: None,
            removable: Removable::LeftOver,
            state: "its folder is gone".to_owned(),
            bytes: 0,
            refs: refs.count(name),
        }
    }
}

/// All runs, and what lies among them.
struct House {
    refs: RunRefs,
    /// The newest first; those of which only refs are left come last.
    candidates: Vec<Candidate>,
    odd: Vec<(String, &'static str)>,
    /// Why refs without a folder are not looked for.
    blind: Option<&'static str>,
}

impl House {
    fn survey(repository: &Path) -> Result<Self, Trouble> {
        // The refs first: a run that begins meanwhile in another work tree makes its folder first.
        let refs = RunRefs::list(repository)?;
        let mut candidates = Vec::new();
        let mut odd = Vec::new();
        for entry in folders::entries(repository)? {
            match entry {
                Entry::Run(dir) => candidates.push(Candidate::of_folder(repository, dir, &refs)),
                Entry::Odd { name, why } => odd.push((name, why)),
            }
        }
        let mut blind = None;
        match refs.work_trees() {
            None => blind = Some("a work tree of this repository can't be looked into"),
            Some(tops) => {
                let lives = |name: &str| tops.iter().any(|top| top.join(".tdd/runs").join(name).exists());
                let known: BTreeSet<&str> = odd.iter().map(|(name, _)| name.as_str()).collect();
                let left = refs.runs().filter(|name| folders::is_run_id(name));
                let left = left.filter(|name| !known.contains(name) && !lives(name));
                let left: Vec<Candidate> = left.map(|name| Candidate::of_refs(name, &refs)).collect();
                candidates.extend(left);
                candidates.extend(sessions::left_over(&tops, &refs));
            }
        }
        candidates.extend(sessions::survey(repository, &refs)?);
        // Of a run that can't be read its state doesn't tell.
        if let Some((run, _)) = intent::cut_off(repository)
            && let Some(one) = candidates.iter_mut().find(|one| one.name == run.0)
            && one.removable != Removable::InUse
        {
            let undo = format!("`tdd undo {run} --discard-changes` brings that to its end");
            one.state = format!("an undo of it was cut off, and {undo}; {}", one.state);
            one.removable = Removable::InUse;
        }
        Ok(Self { refs, candidates, odd, blind })
    }

    /// What is to be removed, as the command line says.
    fn going(&self, repository: &Path, args: &CleanArgs) -> Result<Vec<&Candidate>, Trouble> {
        if !args.runs.is_empty() {
            let mut going: Vec<&Candidate> = Vec::new();
            for name in &args.runs {
                let one = self.named(repository, name)?;
                if !going.iter().any(|other| other.name == one.name) {
                    going.push(one);
                }
            }
            return Ok(going);
        }
        let keep = if args.all { 0 } else { args.keep };
        let old = [Kind::Run, Kind::Session].into_iter().flat_map(|kind| {
            let all = self.candidates.iter().filter(move |one| one.kind == kind && one.folder.is_some());
            all.skip(keep).filter(|one| one.removable == Removable::Over)
        });
        Ok(old.chain(self.candidates.iter().filter(|one| one.removable == Removable::LeftOver)).collect())
    }

    /// The run that a name means.
    fn named(&self, repository: &Path, name: &str) -> Result<&Candidate, Trouble> {
        if let Some(exact) = self.candidates.iter().find(|one| one.name == name) {
            return Ok(exact);
        }
        if let Some((name, why)) = self.odd.iter().find(|(odd, _)| odd == name) {
            return Err(folders::refused(name, why));
        }
        // `@` counts runs.
        let fits = |one: &&Candidate| one.kind == Kind::Run || !name.starts_with('@');
        let ids: Vec<&str> = self.candidates.iter().filter(fits).map(|one| one.name.as_str()).collect();
        let shown = line(name);
        // What is removed is gone: a requirement means all of its runs here, and so none of them.
        let meant = match run_name::look_up(name, &ids) {
            Meaning::One(id) if name.starts_with('@') => Meaning::One(id),
            Meaning::One(_) | Meaning::Several(_) => run_name::part_of(name, &ids),
            Meaning::Nobody => Meaning::Nobody,
        };
        match meant {
            Meaning::One(id) => self
                .candidates
                .iter()
                .find(|one| one.name == id)
                .ok_or_else(|| Trouble::internal("a run was looked up that is not listed")),
            Meaning::Nobody => Err(run_status::of_another_work_tree(repository, name).unwrap_or_else(|| {
                Trouble::user(format!("no run `{shown}`"))
                    .advise("nothing was removed; `tdd clean --all --dry-run` and `tdd status` list the runs")
            })),
            Meaning::Several(fits) => Err(Trouble::user(format!("more than one run is meant by `{shown}`"))
                .advise(format!("nothing was removed; the runs are:\n{}", fits.join("\n")))),
        }
    }

    /// The refs go first: a folder without refs is found again, and has the journal that says
    /// what it was.
    fn remove(&self, repository: &Path, candidate: &Candidate) -> Result<(), Trouble> {
        if candidate.kind == Kind::Session {
            return sessions::remove(repository, &self.refs, candidate);
        }
        let dir = candidate.folder.as_ref();
        dir.map_or(Ok(()), |dir| folders::check(repository, dir))?;
        self.refs.delete(&candidate.name)?;
        dir.map_or(Ok(()), |dir| folders::remove(repository, dir))
    }

    /// What is left alone although a person may wonder about it.
    fn warn(&self) {
        for (name, why) in &self.odd {
            print::message(&format!("tdd: left alone: `{}` in .tdd/runs: {why}", name.escape_debug()));
        }
        for one in self.candidates.iter().filter(|one| one.removable == Removable::Damaged) {
            print::message(&format!("tdd: left alone: {}: {}; name it to remove it", one.name, one.state));
        }
        if let Some(why) = self.blind {
            print::message(&format!("tdd: refs without a run's folder are left alone: {why}"));
        }
    }
}

#[derive(Default)]
struct Sum {
    runs: usize,
    sessions: usize,
    bytes: u64,
    refs: usize,
    failed: usize,
}

impl Sum {
    fn count(&mut self, candidate: &Candidate) {
        match candidate.kind {
            Kind::Run => self.runs += 1,
            Kind::Session => self.sessions += 1,
        }
        self.bytes += candidate.bytes;
        self.refs += candidate.refs;
    }

    fn told(&self, args: &CleanArgs, kept: (usize, usize)) -> String {
        if args.json {
            let sum = json!({
                "type": "clean", "v": VERSION, "dry_run": args.dry_run, "runs": self.runs, "sessions": self.sessions,
                "bytes": self.bytes, "refs": self.refs, "failed": self.failed,
                "kept": kept.0, "kept_sessions": kept.1,
            });
            return format!("{sum}\n");
        }
        let kept = both(kept);
        if self.runs + self.sessions == 0 {
            return format!("nothing {}; {kept} kept\n", removed(args));
        }
        let gone = both((self.runs, self.sessions));
        format!(
            "{gone} {}, {} and {}; {kept} kept\n",
            removed(args),
            size(self.bytes),
            counted(self.refs, "ref")
        )
    }
}

/// Runs and sessions; of what there is none nothing is said, but for runs.
fn both((runs, sessions): (usize, usize)) -> String {
    match (runs, sessions) {
        (runs, 0) => counted(runs, "run"),
        (0, sessions) => counted(sessions, "session"),
        (runs, sessions) => format!("{} and {}", counted(runs, "run"), counted(sessions, "session")),
    }
}

fn told_of(candidate: &Candidate, args: &CleanArgs) -> String {
    let Candidate { name, state, bytes, refs, .. } = candidate;
    if args.json {
        let kind = if args.dry_run { "would_remove" } else { "removed" };
        let what = if candidate.kind == Kind::Run { "run" } else { "session" };
        let line =
            json!({ "type": kind, "v": VERSION, what: name, "state": state, "bytes": bytes, "refs": refs });
        return format!("{line}\n");
    }
    let shown = candidate.shown();
    let shown = if candidate.kind == Kind::Run { shown.to_owned() } else { format!("session {shown}") };
    format!("{}: {shown}  {}, {}  {state}\n", removed(args), size(*bytes), counted(*refs, "ref"))
}

fn removed(args: &CleanArgs) -> &'static str {
    if args.dry_run { "would be removed" } else { "removed" }
}

/// Bytes for a person, with one decimal.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1024 => return format!("{bytes} bytes"),
        1024..1_048_576 => (1024, "KiB"),
        1_048_576..1_073_741_824 => (1_048_576, "MiB"),
        _ => (1_073_741_824, "GiB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, want) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1536, "1.5 KiB"),
            (5 << 20, "5.0 MiB"),
            (3 << 30, "3.0 GiB"),
        ] {
            assert_eq!(size(bytes), want);
        }
    }
}
