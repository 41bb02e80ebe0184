//! `tdd report`: runs as one HTML file (contract section 13). It holds what the journal and the masked side
//! files hold; the raw logs of children stay where they are. Exit 0, or 2 if there is no such run or the file
//! can't be written.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::cli::look::ReportArgs;
use crate::commands::given::{mask_of, surroundings};
use crate::commands::look::review::repeats;
use crate::commands::runs::chosen::{chosen_work, repository};
use crate::commands::runs::headline::cause_of;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::For;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::commands::runs::story;
use crate::text::halt_report::{HaltFacts, NextStep, next_steps};
use crate::text::html_report::{self, AttemptPage, Ended, Part, PromptText, RunPage, RunPart};
use crate::text::mask::Mask;
use crate::text::row::time;
use crate::text::usage_words;
use crate::view::print;
use crate::world::journal_file::{self, Record};
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::{AttemptKind, Digest};
use tdd_core::claim::{Claim, ClaimStatus};
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, Findings, RunRef};
use tdd_core::halt::{Ending, Halt};
use tdd_core::judge::Verdict;
use tdd_core::role::Asked;
use tdd_core::state::{End, Entry, Phase, State};
use tdd_core::story::{Story, Told};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;

/// Bytes of one text at most; `html_report` sees to it that all of them are not too much.
const MOST: usize = 32 * 1024;
/// Attempts of a report whose diff is looked up: git is called for each.
const MOST_DIFFS: usize = 100;
/// Lines of one kind that are told of what was seen of children.
const LISTED: usize = 30;
const NAME: &str = "report.html";

/// Writes the report, and says where it is.
pub fn run(args: &ReportArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let names: Vec<Option<&str>> = if args.runs.is_empty() {
        vec![None]
    } else {
        args.runs.iter().map(|run| Some(run.as_str())).collect()
    };
    let mut runs: Vec<RunDir> = Vec::new();
    for name in names {
        let run = chosen_work(&repository, name, For::Looking)?;
        // Each stands there once, by whatever names it is called.
        if runs.iter().all(|other| other.id != run.id) {
            runs.push(run);
        }
    }
    let environment = surroundings()?.1;
    let mask = mask_of(&environment);
    let diffs = MOST_DIFFS.div_ceil(runs.len().max(1));
    let pages = runs.iter().map(|run| page_of(&repository, run, (&mask, diffs)));
    let pages = pages.collect::<Result<Vec<_>, _>>()?;
    let file =
        args.out.clone().or_else(|| Some(runs.first()?.path.join(NAME))).unwrap_or_else(|| NAME.into());
    write(&file, &html_report::page(pages))?;
    print::result(&format!("{}\n", file.display()));
    if args.open {
        open(&file, environment.var("BROWSER").and_then(|name| name.to_str()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// For its owner alone: it holds what prompts and sources hold.
fn write(file: &Path, text: &str) -> Result<(), Trouble> {
    let unwritable = |error: std::io::Error| {
        Trouble::user(format!("{} can't be written", file.display()))
            .because(error)
            .advise("name a file in a folder that is there and that you may write: --out FILE")
    };
    let is_other = std::fs::symlink_metadata(file).is_ok_and(|about| !about.is_file());
    if is_other {
        return Err(unwritable(std::io::Error::other("something else than a file is there")));
    }
    regular_file::write_private(file, text.as_bytes()).map_err(unwritable)
}

/// By the first program that can be started.
#[expect(clippy::disallowed_methods, reason = "the browser is the person's")]
fn open(file: &Path, browser: Option<&str>) -> Result<(), Trouble> {
    let programs = browser.into_iter().chain(["xdg-open", "open"]);
    for program in programs {
        let mut command = Command::new(program);
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if command.spawn().is_ok() {
            return Ok(());
        }
    }
    Err(Trouble::user("no browser can be started")
        .because("neither $BROWSER nor xdg-open nor open is there")
        .advise(format!("open it yourself: {}", file.display())))
}

/// What is known of a run, and how long one of its texts may be.
struct Source<'a> {
    repository: &'a Path,
    run: &'a RunDir,
    mask: &'a Mask,
    /// The places of the attempts whose diff is looked up.
    diffs: BTreeSet<usize>,
}

fn page_of(repository: &Path, run: &RunDir, (mask, diffs): (&Mask, usize)) -> Result<RunPage, Trouble> {
    let records = journal_file::read_only(&run.path)?;
    let story = story::story_in(run, &records)?;
    let told = Journalled::Cycle(Box::new(story.state.clone()));
    let status = RunStatus::of(repository, run, &told);
    let began_ms = records.first().map_or(0, |record| record.ts);
    let source = Source { repository, run, mask, diffs: with_diffs(&story, diffs) };
    let state = &story.state;
    let halt = if let Phase::Ended { end: End::Halted(halt) } = &state.phase { Some(halt) } else { None };
    let isolation = records.iter().rev().find_map(|record| {
        if let Event::Isolated { isolation } = &record.event { Some(isolation.to_string()) } else { None }
    });
    let told_by_story = RunPage::of(&story);
    Ok(RunPage {
        state: status.words(&told.phase()),
        is_good: matches!(state.phase, Phase::Ended { .. })
            .then_some(matches!(state.phase, Phase::Ended { end: End::Finished(Ending::Verified) })),
        began_ms,
        ended_ms: records.last().map_or(0, |record| record.ts),
        began: time(began_ms),
        cause: cause_of(state),
        next: halt.map(|halt| next(repository, run, (state, halt), &status)).unwrap_or_default(),
        isolation,
        attempts: source.attempts(&story, &records, began_ms),
        held: [told_by_story.held.as_slice(), &seen(&records)].concat(),
        ..told_by_story
    })
}

/// What can be done about a halt; of a run that is undone, superseded or at work what holds for that.
fn next(
    repository: &Path,
    run: &RunDir,
    (state, halt): (&State, &Halt),
    status: &RunStatus,
) -> Vec<NextStep> {
    if *status != RunStatus::AsJournalled {
        return status
            .advice(&run.id)
            .map(|what| NextStep { what, command: String::new() })
            .into_iter()
            .collect();
    }
    let facts = HaltFacts { repeats: repeats(repository, state, halt), ..HaltFacts::default() };
    let mut steps = next_steps(state, halt, &facts);
    if run_status::later_work(repository, &run.id).is_some() {
        // It would take the later run's work back, too.
        steps.retain(|step| step.command != format!("tdd undo {}", run.id));
    }
    steps
}

/// The places of the attempts whose diff is told: those that failed first, the newest of them first.
fn with_diffs(story: &Story, most: usize) -> BTreeSet<usize> {
    let mut places: Vec<usize> = (0..story.attempts.len()).rev().collect();
    places.sort_by_key(|place| story.attempts[*place].verdict == Verdict::Passed);
    places.into_iter().take(most).collect()
}

/// What was put back, refused, or seen of what is out of a role's sight.
fn seen(records: &[Record]) -> Vec<String> {
    let told = records.iter().filter_map(|record| {
        if let Event::Restored { what } = &record.event {
            Some(("put back", what))
        } else if let Event::Denied { what } = &record.event {
            Some(("refused by the agent's own program", what))
        } else if let Event::Glimpsed { what } = &record.event {
            Some(("seen of what is out of the role's sight", what))
        } else {
            None
        }
    });
    told.take(LISTED).map(|(how, what)| format!("{how}: {}", what.join("; "))).collect()
}

impl Source<'_> {
    /// In the order in which they were started.
    fn attempts(&self, story: &Story, records: &[Record], began_ms: u64) -> Vec<AttemptPage> {
        let started = records.iter().filter_map(|record| {
            if let Event::AttemptStarted { attempt } = &record.event {
                Some((record.ts, attempt))
            } else {
                None
            }
        });
        let mut pages = Vec::new();
        for (ts, attempt) in started {
            let Asked::Key(key) = &attempt.key else { continue };
            let entries = story.state.ledgers.get(key).map(|ledger| &ledger.entries[..]).unwrap_or_default();
            let Some(entry) = entries.iter().find(|entry| entry.attempt.number == attempt.number) else {
                continue;
            };
            pages.push(self.attempt(story, entry, (pages.len() + 1, ts.saturating_sub(began_ms))));
        }
        pages
    }

    fn attempt(&self, story: &Story, entry: &Entry, (index, started_ms): (usize, u64)) -> AttemptPage {
        let attempt = &entry.attempt;
        let place =
            story.attempts.iter().position(|one| one.key == attempt.key && one.number == attempt.number);
        let told = place.map(|place| &story.attempts[place]);
        let is_looked_up = place.is_some_and(|place| self.diffs.contains(&place));
        let outcome = entry.outcome.as_ref();
        let claim = outcome.and_then(|outcome| outcome.claim.as_ref().ok());
        AttemptPage {
            key: attempt.key.to_string(),
            index,
            number: attempt.number,
            kind: match attempt.kind {
                AttemptKind::First => "first",
                AttemptKind::Semantic => "retry",
                AttemptKind::Format => "asked again for a block",
            },
            started_ms,
            took_ms: outcome.map_or(0, |outcome| outcome.duration_ms),
            turns: outcome.and_then(|outcome| outcome.turns),
            used: usage_words::usage(&entry.used.told),
            ended: ended(entry),
            reasons: match &entry.verdict {
                Some(Verdict::Failed(fault)) => fault.reasons.iter().map(ToString::to_string).collect(),
                Some(Verdict::Disputed(dispute)) => vec![format!("it disputes a test: {}", dispute.reason)],
                Some(Verdict::Passed) | None => Vec::new(),
            },
            claim: claim_rows(claim, told.map(|told| &told.findings), entry),
            prompt: attempt
                .prompt
                .iter()
                .map(|part| PromptText {
                    name: part.name.clone(),
                    text: self.side_file(&part.digest),
                    as_in: None,
                })
                .collect(),
            message: outcome.and_then(|outcome| Some(self.side_file(outcome.message.as_ref()?))),
            diff: told.filter(|_| is_looked_up).and_then(|told| self.diff(told)).unwrap_or_default(),
            no_diff: (told.is_some() && !is_looked_up)
                .then(|| format!("left out of so many attempts; tdd diff {}", self.run.id)),
            runs: entry.runs.iter().map(|run| self.run_part(run)).collect(),
        }
    }

    fn diff(&self, told: &Told) -> Option<String> {
        let between = told.from.as_ref().zip(told.left.as_ref())?;
        let patch = checkpoints::patch(self.repository, between, &[]).ok()?;
        Some(self.cut(&String::from_utf8_lossy(&patch)))
    }

    fn run_part(&self, run: &RunRef) -> RunPart {
        RunPart {
            command: run.command.clone(),
            exit: run.exit.to_string(),
            took_ms: run.duration_ms,
            output: self.cut(&run.output),
        }
    }

    fn side_file(&self, digest: &Digest) -> String {
        let bytes = journal_file::read_side_file(&self.run.path, digest);
        bytes.map_or_else(|_| "(it is gone)".to_owned(), |bytes| self.cut(&String::from_utf8_lossy(&bytes)))
    }

    /// Head and tail, masked.
    fn cut(&self, text: &str) -> String {
        let text = self.mask.apply(text);
        if text.len() <= MOST {
            return text.into_owned();
        }
        let head = text.floor_char_boundary(MOST / 2);
        let tail = text.ceil_char_boundary(text.len() - MOST / 2);
        format!("{}\n… {} bytes left out …\n{}", &text[..head], tail - head, &text[tail..])
    }
}

fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "new",
        ChangeKind::Modified => "changed",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Retyped => "of another kind",
        ChangeKind::Submodule => "another commit of a submodule",
    }
}

fn ended(entry: &Entry) -> Ended {
    match &entry.verdict {
        _ if entry.cut => Ended::Cut,
        Some(Verdict::Passed) => Ended::Passed,
        Some(Verdict::Failed(_) | Verdict::Disputed(_)) => Ended::Failed,
        None => Ended::NotJudged,
    }
}

/// What the agent says, and what was found.
fn claim_rows(claim: Option<&Claim>, findings: Option<&Findings>, entry: &Entry) -> Vec<Part> {
    let joined = |paths: Vec<String>| if paths.is_empty() { "none".to_owned() } else { paths.join("\n") };
    let files = claim.map(|claim| joined(claim.files.iter().map(ToString::to_string).collect()));
    let changed = findings.map(|findings| {
        joined(
            findings
                .changed()
                .iter()
                .map(|change| format!("{} ({})", change.path, kind(change.kind)))
                .collect(),
        )
    });
    let result = claim.map(|claim| match claim.status {
        ClaimStatus::Ok => "done".to_owned(),
        ClaimStatus::Failed => "failed".to_owned(),
    });
    let none = || "no valid block".to_owned();
    let commands: Vec<String> =
        entry.runs.iter().map(|run| format!("{} ({})", run.command, run.exit)).collect();
    vec![
        Part { what: "result", claimed: result.unwrap_or_else(none), found: ended_words(entry) },
        Part {
            what: "files",
            claimed: files.unwrap_or_else(none),
            found: changed.unwrap_or_else(|| "not measured".to_owned()),
        },
        Part {
            what: "command",
            claimed: claim.map_or_else(none, |claim| claim.command.clone()),
            found: joined(commands),
        },
        Part {
            what: "output",
            claimed: claim.map_or_else(none, |claim| claim.output_excerpt.clone()),
            found: findings.map_or_else(String::new, counts),
        },
    ]
}

fn ended_words(entry: &Entry) -> String {
    match ended(entry) {
        Ended::Passed => "passed".to_owned(),
        Ended::Failed => "failed".to_owned(),
        Ended::Cut => "cut off, it never counts".to_owned(),
        Ended::NotJudged => "not judged".to_owned(),
    }
}

fn counts(findings: &Findings) -> String {
    match findings {
        Findings::Red(red) => {
            let tests: usize = red.criteria.iter().map(|one| one.tests.len()).sum();
            format!("{tests} new tests, {} broken", red.broken.len())
        }
        Findings::Green(green) => format!(
            "{} of its tests pass, {} fail, {} regressed",
            green.passed.len(),
            green.failed.len(),
            green.regressed.len()
        ),
        Findings::Refactor(refactor) => format!("{} regressed", refactor.regressed.len()),
    }
}
