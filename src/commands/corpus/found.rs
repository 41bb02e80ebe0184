//! From journals to lines: what a run turned, with what git holds of it.

use std::collections::HashMap;
use std::path::Path;

use crate::text::corpus::datasheet::Sifted;
use crate::text::corpus::{self, Cost, From, Green, Line, Red, Repository, Text, Tree, VERSION};
use crate::text::prompt::RED_OUTPUT;
use crate::world::journal_file;
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::CheckpointId;
use tdd_core::commands::ProjectCommands;
use tdd_core::corpus::{RedOutput, Triple, triples};
use tdd_core::event::Event;
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::role::Role;
use tdd_core::state::Entry;
use tdd_core::story::{self, Story};
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::pairs::{self, Asked, Bounded, Told};

/// Runs whose trees are asked for together: what git is started for once.
pub(super) const TOGETHER: usize = 64;
/// Bytes of a test's file or of an edit that are read; masked as a whole, and then cut.
const MOST_READ: usize = 1 << 20;
/// Paths of one line.
const MOST_FILES: usize = 200;

/// A line, and what it takes to replay it.
pub(super) struct Found {
    pub(super) line: Line,
    /// As it is, and not as it is shown.
    pub(super) test: TestId,
    pub(super) test_files: Vec<RelPath>,
    pub(super) left_out: Vec<RelPath>,
    pub(super) commands: ProjectCommands,
    /// Where the project lies in the repository.
    pub(super) project: String,
}

/// What holds for all lines.
pub(super) struct Scene<'a> {
    pub(super) top: &'a Path,
    pub(super) about: &'a Repository,
    pub(super) mask: &'a dyn Fn(&str) -> String,
}

impl Scene<'_> {
    /// What was printed: where the repository lies on this machine is nobody's business.
    pub(super) fn printed(&self, text: &str) -> String {
        corpus::output(&text.replace(&*self.top.to_string_lossy(), "."), self.mask)
    }

    /// What git holds of these.
    pub(super) fn ask(&self, asked: &[Asked]) -> Result<Vec<Option<Told>>, Trouble> {
        let policy = Policy::new(&[], &[], "")
            .map_err(|bad| Trouble::internal("a glob of ours can't be read").because(bad.why))?;
        pairs::pairs(self.top, asked, MOST_READ, &|path| !policy.looks_like_by_product(path))
    }
}

/// A run, as it was told.
struct Past<'r> {
    run: &'r RunDir,
    story: Story,
    /// When work was kept.
    kept: HashMap<CheckpointId, u64>,
}

impl Scene<'_> {
    /// All that these runs turned, in their order.
    pub(super) fn found(&self, runs: &[RunDir], sifted: &mut Sifted) -> Result<Vec<Found>, Trouble> {
        let mut pasts = Vec::new();
        for run in runs {
            match past(run) {
                Ok(Some(past)) => {
                    sifted.runs += 1;
                    pasts.push(past);
                }
                Ok(None) => {}
                Err(_) => sifted.unreadable.push(run.id.0.clone()),
            }
        }
        let all: Vec<(&Past<'_>, Triple<'_>)> = pasts
            .iter()
            .flat_map(|past| triples(&past.story, RED_OUTPUT).into_iter().map(move |triple| (past, triple)))
            .collect();
        let asked: Vec<Asked> = all.iter().map(|(past, triple)| asked(past, triple)).collect();
        let told = self.ask(&asked)?;
        let mut found = Vec::new();
        for ((past, triple), told) in all.iter().zip(told) {
            match told {
                Some(told) => found.push(self.one(past, triple, &told)),
                None => sifted.gone += 1,
            }
        }
        Ok(found)
    }

    fn one(&self, past: &Past<'_>, triple: &Triple<'_>, told: &Told) -> Found {
        let (state, begun) = (&past.story.state, &past.story.state.run);
        let entries = state.ledgers.get(&triple.told.key).map(|ledger| ledger.entries.as_slice());
        let entry = entries.unwrap_or_default().iter().find(|one| one.attempt.number == triple.told.number);
        let file = told.files.first().and_then(Option::as_ref);
        let id = corpus::id(&triple.test.0, file.map_or("", |file| &file.hash), &told.patch.hash);
        let mask = self.mask;
        let of_role = Role::Implementer as usize;
        let masked = |paths: &[RelPath]| -> Vec<String> {
            paths.iter().take(MOST_FILES).map(|path| mask(path.as_str())).collect()
        };
        let criterion = begun.requirement.criterion(triple.criterion);
        let line = Line {
            v: VERSION,
            id,
            from: From::Run,
            run: past.run.id.0.clone(),
            requirement: Some(mask(&begun.requirement.id)),
            criterion: Some(triple.criterion.to_string()),
            criterion_text: criterion.map(|criterion| corpus::output(&criterion.text, mask)),
            attempt: Some(triple.told.number),
            test_id: mask(&triple.test.0),
            test_file: test_file(past, triple).map(|file| mask(file.as_str())),
            test: file.map(|file| text(file, mask)),
            left_out: masked(&triple.told.tests.left_out),
            edit: text(&told.patch, mask),
            files: masked(&changed(triple)),
            red: self.red(past, triple),
            green: Green {
                command: triple.green.map(|run| corpus::message(&run.command, mask)),
                output: triple.green.map(|run| self.printed(&run.output)),
            },
            base: Tree { commit: triple.base.clone(), tree: told.trees.0.clone() },
            result: Tree { commit: triple.result.clone(), tree: told.trees.1.clone() },
            runner: begun.commands.runner.to_string(),
            agent: begun.agents.get(of_role).map(|name| mask(name)),
            model: begun.models.get(of_role).cloned().flatten().map(|name| mask(&name)),
            cost: entry.map(cost).unwrap_or_default(),
            ts: past.kept.get(triple.result).copied().unwrap_or_default(),
            tdd: begun.version.clone(),
            undone: state.facts.undone.is_some(),
            repository: self.about.clone(),
        };
        let test_files = triple.told.tests.red.iter().flat_map(|red| red.files.clone()).collect();
        Found {
            line,
            test: triple.test.clone(),
            test_files,
            left_out: triple.told.tests.left_out.clone(),
            commands: begun.commands.clone(),
            project: begun.project.clone(),
        }
    }

    fn red(&self, past: &Past<'_>, triple: &Triple<'_>) -> Red {
        let output = match triple.red_output {
            RedOutput::Run(run) => Some(self.printed(&run.output)),
            RedOutput::Prompt(digest) => {
                let bytes = journal_file::read_side_file(&past.run.path, digest).ok();
                let told = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                told.map(|told| self.printed(quoted(&told)))
            }
            RedOutput::Unknown => None,
        };
        Red {
            kind: triple.red.kind.name().to_owned(),
            seen: match triple.red.seen {
                tdd_core::finding::Seen::Reported => "reported",
                tdd_core::finding::Seen::Declared => "declared",
                tdd_core::finding::Seen::FileOnly => "file-only",
            }
            .to_owned(),
            message: corpus::message(&triple.red.message, self.mask),
            output,
        }
    }
}

/// What stands between the fences of a part of a prompt: what tests printed, and not what it was told with.
fn quoted(part: &str) -> &str {
    let Some(at) = part.find("```") else { return part };
    let fence = &part[at..at + part[at..].bytes().take_while(|byte| *byte == b'`').count()];
    let body = part[at..].find('\n').map(|end| at + end + 1);
    let end = part.rfind(&format!("\n{fence}"));
    match (body, end) {
        (Some(body), Some(end)) if body <= end => &part[body..=end],
        _ => part,
    }
}

/// `None` for a run of `tdd fix`.
fn past(run: &RunDir) -> Result<Option<Past<'_>>, Trouble> {
    let records = journal_file::read_only(&run.path)?;
    let told = story::tell(records.iter().map(|record| &record.event));
    let told = told.map_err(|error| Trouble::environment("no run").because(error.to_string()))?;
    let kept = records.iter().filter_map(|record| {
        if let Event::WorkKept { checkpoint } = &record.event {
            Some((checkpoint.clone(), record.ts))
        } else {
            None
        }
    });
    let kept = kept.collect();
    Ok(told.map(|story| Past { run, story, kept }))
}

/// The file that holds the test, relative to the repository.
fn test_file(past: &Past<'_>, triple: &Triple<'_>) -> Option<RelPath> {
    let project = &past.story.state.run.project;
    let files = &triple.told.tests.red.as_ref()?.files;
    let named = files.iter().find(|file| mapping::in_project(file, project) == triple.test.file());
    let below = || RelPath::new(format!("{project}/{}", triple.test.file()).trim_start_matches('/'));
    named.or_else(|| files.first()).cloned().or_else(below)
}

fn asked(past: &Past<'_>, triple: &Triple<'_>) -> Asked {
    let files = test_file(past, triple).into_iter().collect();
    Asked { from: triple.base.clone(), to: triple.result.clone(), files }
}

fn changed(triple: &Triple<'_>) -> Vec<RelPath> {
    let changed = triple.told.findings.changed().iter();
    changed.filter(|one| one.class != FileClass::ByProduct).map(|one| one.path.clone()).collect()
}

pub(super) fn text(bounded: &Bounded, mask: &dyn Fn(&str) -> String) -> Text {
    Text::new(&bounded.bytes, (bounded.size, &bounded.hash), mask)
}

fn cost(entry: &Entry) -> Cost {
    let told = &entry.used.told;
    Cost {
        usd: told.usd.map(tdd_core::usage::Usd::dollars),
        input_tokens: told.input,
        cached_tokens: told.cached,
        output_tokens: told.output,
        turns: entry.outcome.as_ref().and_then(|outcome| outcome.turns),
        duration_ms: entry.outcome.as_ref().map(|outcome| outcome.duration_ms),
    }
}
