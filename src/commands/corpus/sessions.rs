//! The lines of agents' own sessions under the gate, from `.tdd/sessions`.

use std::path::Path;

use super::found::{Found, Scene, text};
use crate::text::corpus::datasheet::Sifted;
use crate::text::corpus::{self, Cost, From, Green, Line, Red, Tree, VERSION};
use crate::world::journal_file::{self, Record};
use tdd_child::folder;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::attempt::Digest;
use tdd_core::corpus::{SessionTriple, session_triples};
use tdd_core::event::{Event, RunId, SessionEvent, SessionStarted, TestIdSource};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::pairs::{Asked, Bounded, Told};
use tdd_source::Language;

/// Paths of one line.
const MOST_FILES: usize = 200;

/// The sessions of a repository. What lies behind a link is not ours.
pub(super) fn list(top: &Path) -> Vec<RunDir> {
    let below = top.join(".tdd/sessions");
    if std::fs::symlink_metadata(&below).map_or(true, |about| !about.is_dir()) {
        return Vec::new();
    }
    let entries = folder::entries_if_any(&below).unwrap_or_default();
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let named = entries.iter().filter(|entry| is_folder(entry)).filter_map(|entry| {
        let id = RunId(entry.file_name().into_string().ok()?);
        Some(RunDir { id, path: entry.path() })
    });
    let mut all: Vec<RunDir> = named.filter(|dir| dir.path.join(run_folder::EVENTS).is_file()).collect();
    // What a killed `clean` was about to remove is no session any more.
    all.retain(|dir| !dir.id.0.starts_with('.'));
    all.sort_by(|one, other| other.id.cmp(&one.id));
    all
}

/// A session, as it was told.
struct Past<'r> {
    dir: &'r RunDir,
    records: Vec<Record>,
}

impl<'r> Past<'r> {
    fn read(dir: &'r RunDir) -> Option<Self> {
        let records = journal_file::read_only(&dir.path).ok()?;
        let past = Self { dir, records };
        past.started().is_some().then_some(past)
    }

    fn started(&self) -> Option<&SessionStarted> {
        let Event::Session(event) = &self.records.first()?.event else { return None };
        if let SessionEvent::SessionStarted(started) = &**event { Some(started) } else { None }
    }

    fn triples(&self) -> Vec<SessionTriple<'_>> {
        let events: Vec<&Event> = self.records.iter().map(|record| &record.event).collect();
        session_triples(&events)
    }

    fn output(&self, digest: Option<&Digest>, scene: &Scene<'_>) -> Option<String> {
        let bytes = journal_file::read_side_file(&self.dir.path, digest?).ok()?;
        Some(scene.printed(&String::from_utf8_lossy(&bytes)))
    }
}

/// The file that holds the test, relative to the repository.
fn test_file(started: &SessionStarted, triple: &SessionTriple<'_>) -> Option<RelPath> {
    let told = triple.red.file.clone().or_else(|| triple.green.file.clone());
    let by_id =
        || RelPath::new(format!("{}/{}", started.project, triple.test.file()).trim_start_matches('/'));
    told.or_else(by_id)
}

/// As its runner calls a test: one that a comment names, by the comment in its file.
fn native(
    started: &SessionStarted,
    triple: &SessionTriple<'_>,
    (path, file): (Option<&RelPath>, Option<&Bounded>),
) -> TestId {
    let named = || {
        let (path, file) = (path?, file?);
        let language = Language::of(path.extension())?;
        let slugs = tdd_source::annotated(language, &String::from_utf8_lossy(&file.bytes));
        let (name, _) = slugs.into_iter().find(|(_, slug)| *slug == triple.test.0)?;
        let id = TestId(format!("{}::{name}", mapping::in_project(path, &started.project)));
        Some(started.commands.runner.spelt(id))
    };
    let by_comment = triple.red.test_id_source == TestIdSource::Annotation;
    by_comment.then(named).flatten().unwrap_or_else(|| triple.test.clone())
}

impl Scene<'_> {
    /// All that these sessions turned, in their order.
    pub(super) fn found_in_sessions(
        &self,
        sessions: &[RunDir],
        sifted: &mut Sifted,
    ) -> Result<Vec<Found>, Trouble> {
        let mut pasts = Vec::new();
        for dir in sessions {
            match Past::read(dir) {
                Some(past) => pasts.push(past),
                None => sifted.unreadable.push(dir.id.0.clone()),
            }
        }
        sifted.sessions += pasts.len();
        let mut all = Vec::new();
        for past in &pasts {
            let Some(started) = past.started() else { continue };
            all.extend(past.triples().into_iter().map(|triple| (past, started, triple)));
        }
        let asked = all.iter().map(|(_, started, triple)| Asked {
            from: triple.base.clone(),
            to: triple.result.clone(),
            files: test_file(started, triple).into_iter().collect(),
        });
        let asked: Vec<Asked> = asked.collect();
        let mut found = Vec::new();
        for ((past, started, triple), told) in all.iter().zip(self.ask(&asked)?) {
            match told {
                Some(told) => found.push(self.of_session((past, started), triple, &told)),
                None => sifted.gone += 1,
            }
        }
        Ok(found)
    }

    fn of_session(
        &self,
        (past, started): (&Past<'_>, &SessionStarted),
        triple: &SessionTriple<'_>,
        told: &Told,
    ) -> Found {
        let mask = self.mask;
        let file = told.files.first().and_then(Option::as_ref);
        let test_file = test_file(started, triple);
        let line = Line {
            v: VERSION,
            id: corpus::id(&triple.test.0, file.map_or("", |file| &file.hash), &told.patch.hash),
            from: From::Session,
            run: past.dir.id.0.clone(),
            requirement: None,
            criterion: None,
            criterion_text: None,
            attempt: None,
            test_id: mask(&triple.test.0),
            test_file: test_file.as_ref().map(|file| mask(file.as_str())),
            test: file.map(|file| text(file, mask)),
            left_out: Vec::new(),
            edit: text(&told.patch, mask),
            files: triple.files.iter().take(MOST_FILES).map(|path| mask(path.as_str())).collect(),
            red: Red {
                kind: triple.kind.name().to_owned(),
                seen: "reported".to_owned(),
                message: String::new(),
                output: past.output(triple.red.output.as_ref(), self),
            },
            green: Green {
                command: Some(corpus::message(&triple.green.command, mask)),
                output: past.output(triple.green.output.as_ref(), self),
            },
            base: Tree { commit: triple.base.clone(), tree: told.trees.0.clone() },
            result: Tree { commit: triple.result.clone(), tree: told.trees.1.clone() },
            runner: started.commands.runner.to_string(),
            agent: Some(mask(&started.agent)),
            model: started.model.as_deref().map(mask),
            cost: Cost::default(),
            ts: past.records.get(triple.at).map_or(0, |record| record.ts),
            tdd: started.version.clone(),
            undone: false,
            repository: self.about.clone(),
        };
        Found {
            line,
            test: native(started, triple, (test_file.as_ref(), file)),
            test_files: test_file.into_iter().collect(),
            left_out: Vec::new(),
            commands: started.commands.clone(),
            project: started.project.clone(),
        }
    }
}
