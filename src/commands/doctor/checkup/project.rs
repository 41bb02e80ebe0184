//! What belongs to the project: git, ignored files, requirements, runs and what they have left.

use super::Scene;
use crate::cli::DoctorArgs;
use crate::commands::clean::sessions;
use crate::commands::run::{earlier, execute};
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::status::{self as run_status, RunStatus};
use crate::world::journal_file::folders;
use crate::world::lock::{self, WorkTreeLock};
use crate::world::project::{self, Place};
use crate::world::session_file::shelf;
use tdd_child::leftovers;
use tdd_child::regular_file;
use tdd_child::run_folder;
use tdd_child::run_folder::RunDir;
use tdd_core::checkup::{Finding, Subject};
use tdd_core::counted::and_more;
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;
use tdd_core::tool_folder;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::packs;
use tdd_snapshot::{git_facts, half_done};
use tdd_spec::requirement::PLACEHOLDER;

/// Names of one finding, and letters of one name.
const MOST_NAMES: usize = 10;
const WIDEST: usize = 80;
/// Runs whose journals are read.
const MOST_RUNS: usize = 50;
/// A name that no file has: stands for "anything in this folder".
const ANYTHING: &str = "\u{1}anything";

/// git itself, and what it has open in this repository.
pub(super) fn git(place: &Place) -> Vec<Finding> {
    let Some(version) = git_facts::version(&place.repository) else {
        let trouble = Trouble::environment("git can't be started")
            .because("snapshots of the work tree are kept in git")
            .advise("install git, and see that it is in PATH");
        return vec![Finding::problem(Subject::Git, trouble)];
    };
    let project = place.project_in_repository();
    let project = if project.is_empty() { String::new() } else { format!(", project in {project}/") };
    let mut findings = vec![Finding::ok(
        Subject::Git,
        format!("{version}, repository {}{project}", place.repository.display()),
    )];
    if let Err(trouble) = git_facts::refuse_locked_index(&place.repository) {
        findings.push(Finding::problem(Subject::Git, trouble));
    }
    let warn = |trouble: Trouble| Finding::warning(Subject::Git, trouble);
    let open = half_done::open_operations(&place.repository);
    if let Err(trouble) = git_facts::refuse_half_merged(&place.repository) {
        findings.push(Finding::problem(Subject::Git, trouble));
    } else if !open.is_empty() {
        findings.push(warn(
            Trouble::user(format!("git is in the midst of {}", open.join(", ")))
                .because("a run takes the tree as it is for its beginning, half done as it may be")
                .advise("`git status` says how to go on with it or to give it up"),
        ));
    }
    let submodules = git_facts::submodules(&place.repository);
    if !submodules.is_empty() {
        findings.push(warn(
            Trouble::user("the repository has submodules")
                .because(format!("a run ends if a role changes one: {}", names(&submodules)))
                .advise("requirements that need a change there are better run there"),
        ));
    }
    let runs = RelPath::new(".tdd/runs").map(|folder| git_facts::tracked(&place.repository, &folder));
    let runs = runs.unwrap_or_default();
    if !runs.is_empty() {
        findings.push(warn(
            Trouble::user("files of runs are in git's index")
                .because(format!("logs are unmasked and may hold secrets: {}", names(&runs)))
                .advise("take them out: git rm -r --cached .tdd/runs"),
        ));
    }
    findings
}

/// Everything else of the project but its commands.
pub(super) fn look(place: &Place, scene: &Scene, args: &DoctorArgs) -> Vec<Finding> {
    let mut findings = vec![requirements(place, &scene.settings.specs_dir)];
    findings.extend(ignored(place));
    // What lies behind a link are no runs of this repository.
    if let Err(trouble) = execute::refuse_linked(&place.repository) {
        findings.push(Finding::problem(Subject::Runs, trouble));
        return findings;
    }
    findings.extend(unfinished(place));
    findings.extend(unjudged(place));
    if let Some(trouble) = lock::held_by_another(&place.repository) {
        findings.push(Finding::problem(Subject::Lock, trouble));
    }
    findings.push(if args.reap { reap(place) } else { left(place) });
    findings
}

fn requirements(place: &Place, specs_dir: &str) -> Finding {
    let known = match project::known_requirements(place, specs_dir) {
        Ok(known) => known,
        Err(trouble) => return Finding::problem(Subject::Requirements, trouble),
    };
    let others = project::of_other_tools(&place.project);
    if let (true, [first, ..]) = (known.is_empty(), &others[..]) {
        let told = format!("{} of another tool, such as {first}", others.len());
        return Finding::ok(Subject::Requirements, told);
    }
    if known.is_empty() {
        return Finding::warning(
            Subject::Requirements,
            Trouble::user(format!("no requirement in {specs_dir}/"))
                .advise("write one: tdd new \"Short links\""),
        );
    }
    let unfilled = |id: &&String| {
        let text = regular_file::read_to_string(place.project.join(specs_dir).join(format!("{id}.md")));
        text.is_ok_and(|text| text.contains(PLACEHOLDER))
    };
    let unfilled: Vec<String> = known.iter().filter(unfilled).cloned().collect();
    if !unfilled.is_empty() {
        return Finding::warning(
            Subject::Requirements,
            Trouble::user(format!("nobody has filled in yet: {}", names(&unfilled)))
                .advise(format!("write in {specs_dir}/{}.md what must hold", unfilled[0])),
        );
    }
    Finding::ok(Subject::Requirements, format!("{} in {specs_dir}/: {}", known.len(), names(&known)))
}

/// Section 7: ignored files are outside of every snapshot.
fn ignored(place: &Place) -> Vec<Finding> {
    let policy = Policy::new(&[], &[], "");
    let is_by_product = |path: &str| {
        let inside = if path.ends_with('/') { format!("{path}{ANYTHING}") } else { path.to_owned() };
        let inside = RelPath::new(&inside);
        inside.is_some_and(|path| policy.as_ref().is_ok_and(|policy| policy.looks_like_by_product(&path)))
    };
    let is_tool = |path: &&String| {
        let folder = path.strip_suffix('/');
        folder.is_some_and(|path| tool_folder::is_tool_folder(path.rsplit('/').next().unwrap_or(path)))
    };
    let all = git_facts::ignored(&place.repository);
    let (tools, others): (Vec<&String>, Vec<&String>) = all.iter().partition(is_tool);
    let ours =
        |path: &str| path == ".tdd/" || path.starts_with(".tdd/runs/") || path.starts_with(".tdd/sessions/");
    let at_risk: Vec<&String> =
        others.into_iter().filter(|path| !ours(path) && !is_by_product(path)).collect();
    let mut findings = vec![if at_risk.is_empty() {
        Finding::ok(Subject::Ignored, "no ignored file but what tools and tests leave")
    } else {
        Finding::warning(
            Subject::Ignored,
            Trouble::user(format!("ignored files are outside of every snapshot: {}", at_risk.len()))
                .because(format!("what a role does to them is neither seen nor undone: {}", names(&at_risk)))
                .advise("keep copies elsewhere of those that can't be made again"),
        )
    }];
    if !tools.is_empty() {
        let what = format!("watched while a run is at work, with no copies kept: {}", names(&tools));
        findings.push(Finding::ok(Subject::Tools, what));
    }
    findings
}

fn unfinished(place: &Place) -> Vec<Finding> {
    let mut findings = Vec::new();
    for run in run_folder::list_runs(&place.repository).into_iter().take(MOST_RUNS) {
        let trouble = match Journalled::read(&run) {
            Ok((told, _)) => match waiting(place, &run, &told) {
                Some(trouble) => trouble,
                None => continue,
            },
            Err(trouble) => trouble,
        };
        findings.push(Finding::warning(Subject::Runs, trouble));
    }
    if let Err(trouble) = earlier::refuse_half_undone(&place.repository)
        && lock::held_by_another(&place.repository).is_none()
    {
        findings.insert(0, Finding::problem(Subject::Runs, trouble));
    }
    let more = findings.len().saturating_sub(MOST_NAMES);
    findings.truncate(MOST_NAMES);
    if more > 0 {
        let trouble = Trouble::user(format!("and {more} more runs that are not finished"));
        findings.push(Finding::warning(Subject::Runs, trouble.advise("`tdd status` lists them all")));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(Subject::Runs, "no unfinished run"));
    }
    findings
}

/// Sessions that ended in the midst of a turn.
fn unjudged(place: &Place) -> Vec<Finding> {
    let all = sessions::all(&place.repository).into_iter().filter(|one| one.is_unfinished);
    let of = |one: sessions::Standing| {
        let id = &one.session.0;
        let trouble = Trouble::user(format!("a session under the gate was cut off: {id}"))
            .because(one.words)
            .advise(format!("judge them: tdd gate flush --session {id}; or let them stand: tdd clean {id}"));
        Finding::warning(Subject::Runs, trouble)
    };
    all.take(MOST_NAMES).map(of).collect()
}

/// What is to be done about a run, as `tdd status` tells it.
fn waiting(place: &Place, run: &RunDir, told: &Journalled) -> Option<Trouble> {
    let status = RunStatus::of(&place.repository, run, told);
    let of =
        |what: &str| Trouble::user(format!("a run {what}: {}", run.id)).because(status.words(&told.phase()));
    let id = &run.id;
    if matches!(status, RunStatus::Live { .. }) {
        return Some(of("is at work").advise(status.advice(id).unwrap_or_default()));
    }
    // It is in the way of every run, and told as that.
    if matches!(status, RunStatus::HalfUndone { .. }) || status.is_past() {
        return None;
    }
    let undo = run_status::back_before(&place.repository, id);
    let undo = undo.map(|undo| format!(", or back to before it: {undo}")).unwrap_or_default();
    if told.is_halted() {
        return Some(of("halted").advise(format!("`tdd status {id}` tells how to go on{undo}")));
    }
    let next = format!("go on with it: tdd resume {id}{undo}");
    (!told.is_over()).then(|| of("is unfinished").advise(next))
}

fn all_left(place: &Place) -> Vec<String> {
    let mut left = leftovers::list_leftovers(&place.repository);
    left.extend(folders::half_removed(&place.repository));
    let sessions = shelf::half_removed(&place.repository);
    left.extend(sessions.iter().map(|name| format!(".tdd/sessions/{name}, which `tdd clean` was removing")));
    // A run that is at work writes such files, and they are its own.
    if lock::held_by_another(&place.repository).is_none() {
        left.extend(leftovers::list_planted(&place.repository));
        let half_written = packs::half_written(&place.repository);
        left.extend(half_written.iter().map(|file| format!("half written by git: {}", file.display())));
    }
    left
}

fn left(place: &Place) -> Finding {
    let left = all_left(place);
    if left.is_empty() {
        return Finding::ok(Subject::Leftovers, "killed runs have left nothing");
    }
    let trouble = Trouble::environment(format!("killed runs have left something: {}", left.len()))
        .because(left.join("\n"))
        .advise("`tdd doctor --reap` ends and removes it; the next run would, too");
    Finding::warning(Subject::Leftovers, trouble)
}

fn reap(place: &Place) -> Finding {
    let _lock = match WorkTreeLock::acquire(&place.repository) {
        Ok(lock) => lock,
        Err(trouble) => return Finding::problem(Subject::Leftovers, trouble),
    };
    shelf::finish_removals(&place.repository);
    let mut done = leftovers::reap_leftovers(&place.repository);
    let half_written = packs::half_written(&place.repository);
    packs::remove_half_written(&place.repository);
    done.extend(half_written.iter().map(|file| format!("removed: {}", file.display())));
    let left = all_left(place);
    if !left.is_empty() {
        let trouble = Trouble::environment("not all that killed runs have left could be ended or removed")
            .because(left.join("\n"))
            .advise("see whose it is (ps, ls -l), and end or remove it by hand");
        return Finding::problem(Subject::Leftovers, trouble);
    }
    let what =
        if done.is_empty() { "killed runs have left nothing" } else { "what killed runs had left is gone" };
    Finding { why: done.join("\n"), ..Finding::ok(Subject::Leftovers, what) }
}

/// Some names on one line, made harmless and parted so that none can pass for two.
fn names<T: AsRef<str>>(all: &[T]) -> String {
    let shown = all.iter().take(MOST_NAMES);
    let shown: Vec<String> =
        shown.map(|name| harmless::shell_word(&harmless::short(name.as_ref(), WIDEST))).collect();
    let more = and_more(all.len().saturating_sub(MOST_NAMES));
    format!("{}{more}", shown.join(" "))
}
