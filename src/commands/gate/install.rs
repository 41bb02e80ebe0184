//! `tdd gate install`: hooks into an agent's settings, and out of them again.
#![expect(clippy::disallowed_methods, reason = "reads and writes settings, and starts the hook to prove it")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

use super::agents;
use super::templates::{self, Kind, Template};
use super::whole;
use crate::cli::gate::InstallArgs;
use crate::text::json_splice::{self, parts};
use crate::view::print;
use crate::world::project;
use crate::world::scaffold;
use tdd_child::regular_file;
use tdd_core::trouble::{Trouble, Why};

const LARGEST: u64 = 4 << 20;
/// Agents that read a project's settings in the folder alone in which they are started, and in none above it.
const FROM_ITS_FOLDER: [&str; 2] = ["claude", "gemini"];
/// What every hook of ours begins with, whichever program it names.
const OURS: &str = " gate hook ";

pub(super) fn run(args: &InstallArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = crate::commands::given::surroundings()?;
    let template = templates::of(&args.agent).ok_or_else(|| {
        let known: Vec<&str> = agents::ALL.iter().map(|agent| agent.name).collect();
        Trouble::user(format!("no agent is called `{}`", args.agent))
            .advise(format!("name one of {}", known.join(", ")))
    })?;
    let at = if args.user {
        let home = environment.var("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = home.ok_or_else(|| Trouble::user("HOME is not set").advise("set it, or use --project"))?;
        let own = template.user.ok_or_else(|| {
            Trouble::user(format!("{} has hooks in a project alone", args.agent)).advise("leave --user out")
        })?;
        home.join(own)
    } else {
        project::locate(&cwd)?.project.join(template.project)
    };
    let elsewhere = elsewhere(args, &cwd, &at)?;
    let tdd = program(args)?;
    let before = read(&at)?;
    let after = match (template.kind, args.uninstall) {
        (Kind::Merged, false) => Some(merged(&at, before.as_deref(), template, &tdd)?),
        (Kind::Merged, true) => before.as_deref().map(|text| taken_out(&at, text)).transpose()?.flatten(),
        (Kind::Own, _) => own(&at, before.as_deref(), (template, &tdd), args)?,
    };
    if after == before {
        print::result(&format!("tdd: {} stays as it is\n", at.display()));
    } else {
        print::result(&difference(
            &at,
            before.as_deref().unwrap_or_default(),
            after.as_deref().unwrap_or_default(),
        ));
        if args.dry_run {
            return Ok(ExitCode::SUCCESS);
        }
        write(&at, after.as_deref())?;
    }
    if args.uninstall || args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    prove(template, &tdd)?;
    print::result(&format!(
        "tdd: the hook answers, and blocks what it has to\n{}{elsewhere}",
        template.after.map(|word| format!("tdd: {word}\n")).unwrap_or_default()
    ));
    Ok(ExitCode::SUCCESS)
}

/// What is told where an agent that is started in this folder does not read the settings of its project.
fn elsewhere(args: &InstallArgs, cwd: &Path, at: &Path) -> Result<String, Trouble> {
    let place = project::locate(cwd)?;
    if args.user || !FROM_ITS_FOLDER.contains(&args.agent.as_str()) || place.cwd == place.project {
        return Ok(String::new());
    }
    let (agent, top) = (&args.agent, place.project.display());
    Ok(format!(
        "tdd: {agent} reads {} only where it is started in {top}; started here, in {}, it calls no hook, and nothing is held. \
         Start it in {top}, or have the hooks in every folder: tdd gate install {agent} --user\n",
        at.display(),
        place.cwd.display()
    ))
}

/// A project's settings are shared, so they name the program alone; a person's own name this very one.
fn program(args: &InstallArgs) -> Result<String, Trouble> {
    if !args.user {
        return Ok("tdd".to_owned());
    }
    let own = std::env::current_exe()
        .map_err(|error| Trouble::environment("the path of this program can't be found").because(error))?;
    Ok(tdd_core::harmless::shell_word(&own.to_string_lossy()))
}

/// The settings as they are; `None` if there are none. What can't be written back is refused at once.
fn read(at: &Path) -> Result<Option<String>, Trouble> {
    let refused = |why: Why, next: &str| {
        Trouble::user(format!("{} is left as it is", at.display())).because(why).advise(next.to_owned())
    };
    let about = match at.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(error.into(), "see that you may read it")),
        Ok(about) => about,
    };
    if about.is_symlink() {
        return Err(refused(
            "it is a link".into(),
            "install into the file that it leads to, by hand, or remove the link",
        ));
    }
    if !about.is_file() {
        return Err(refused("it is no file".into(), "move it away"));
    }
    if about.permissions().mode() & 0o200 == 0 {
        return Err(refused(
            "it is read-only".into(),
            "make it writable (chmod u+w), then do the same again",
        ));
    }
    let file = regular_file::open(at).map_err(|error| refused(error.into(), "see that you may read it"))?;
    let bytes =
        regular_file::head_of(file, LARGEST).map_err(|error| refused(error.into(), "see what it is"))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is no UTF-8".into(), "correct it first"))?;
    Ok(Some(text))
}

/// The settings as JSON, or why they are none.
fn parsed(at: &Path, text: &str) -> Result<Value, Trouble> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Trouble::user(format!("{} is left as it is: it is no JSON", at.display()))
            .because(error.to_string())
            .advise(
                "correct it, or take its comments out; what tdd adds could not be taken out again otherwise",
            )
    })?;
    let hooks = &value["hooks"];
    let is_shaped = value.is_object()
        && (hooks.is_null() || hooks.as_object().is_some_and(|hooks| hooks.values().all(Value::is_array)));
    if is_shaped {
        return Ok(value);
    }
    Err(Trouble::user(format!("{} is left as it is", at.display()))
        .because("it, or its `hooks`, has another shape than an agent reads")
        .advise("correct it first"))
}

/// The settings with our hooks in them.
fn merged(at: &Path, text: Option<&str>, template: &Template, tdd: &str) -> Result<String, Trouble> {
    const EMPTY: &str = "{\n}\n";
    let text = text.filter(|text| !text.trim().is_empty()).unwrap_or(EMPTY);
    parsed(at, text)?;
    // Those of an earlier version go first.
    let mut text = taken_out(at, text)?.unwrap_or_else(|| EMPTY.to_owned());
    let top = json_splice::begin(&text);
    if !parts(&text, top).iter().any(|part| part.key == "hooks") {
        text = json_splice::with_part(&text, top, "\"hooks\": {}", "  ");
    }
    for event in template.events {
        let hooks = place(&text, top, "hooks");
        if !parts(&text, hooks).iter().any(|part| part.key == *event) {
            text = json_splice::with_part(&text, hooks, &format!("{}: []", json!(event)), "    ");
        }
        let event_at = place(&text, place(&text, top, "hooks"), event);
        text = json_splice::with_part(&text, event_at, &(template.entry)(tdd, event).to_string(), "      ");
    }
    parsed(at, &text)?;
    Ok(text)
}

fn place(text: &str, at: usize, key: &str) -> usize {
    parts(text, at).into_iter().rev().find(|part| part.key == key).map_or(at, |part| part.value.start)
}

/// The settings without our hooks; what becomes empty by that goes, too. `None` where nothing else was in them.
fn taken_out(at: &Path, text: &str) -> Result<Option<String>, Trouble> {
    let value = parsed(at, text)?;
    let Some(hooks) = value["hooks"].as_object() else { return Ok(Some(text.to_owned())) };
    let mut text = text.to_owned();
    let top = json_splice::begin(&text);
    let mut has_taken = false;
    for (event, entries) in hooks {
        for number in (0..entries.as_array().map_or(0, Vec::len)).rev() {
            if is_ours(&entries[number]) {
                let event_at = place(&text, place(&text, top, "hooks"), event);
                text = json_splice::without_part(&text, event_at, number);
                has_taken = true;
            }
        }
        let hooks_at = place(&text, top, "hooks");
        let event_at = place(&text, hooks_at, event);
        if has_taken && parts(&text, event_at).is_empty() {
            let number =
                parts(&text, hooks_at).iter().position(|part| part.key == *event).unwrap_or(usize::MAX);
            text = json_splice::without_part(&text, hooks_at, number);
        }
    }
    if has_taken && parts(&text, place(&text, top, "hooks")).is_empty() {
        let number = parts(&text, top).iter().position(|part| part.key == "hooks").unwrap_or(usize::MAX);
        text = json_splice::without_part(&text, top, number);
    }
    let has_nothing_else = has_taken && parts(&text, top).is_empty();
    Ok((!has_nothing_else).then_some(text))
}

/// Whether nothing but our hook is called by this entry.
fn is_ours(entry: &Value) -> bool {
    let calls = |hook: &Value| {
        let command = hook["command"].as_str().or_else(|| hook["bash"].as_str());
        command.is_some_and(|command| command.contains(OURS))
    };
    match entry["hooks"].as_array() {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(calls),
        None => calls(entry),
    }
}

/// A file that is wholly ours.
fn own(
    at: &Path,
    before: Option<&str>,
    (template, tdd): (&Template, &str),
    args: &InstallArgs,
) -> Result<Option<String>, Trouble> {
    if before.is_some_and(|text| !text.contains(OURS.trim())) {
        return Err(Trouble::user(format!("{} is left as it is", at.display()))
            .because("it is not the file that tdd writes")
            .advise("move it away, then do the same again"));
    }
    Ok((!args.uninstall).then(|| (template.file)(tdd)))
}

fn write(at: &Path, text: Option<&str>) -> Result<(), Trouble> {
    let failed = |error: std::io::Error| {
        Trouble::environment(format!("{} can't be written, and is as it was", at.display()))
            .because(error)
            .advise("see that the folder may be written")
    };
    let Some(text) = text else { return std::fs::remove_file(at).map_err(failed) };
    whole::write(at, text.as_bytes()).map_err(failed)
}

/// The lines that differ, between those that begin and end alike.
fn difference(at: &Path, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut text = format!("{}\n", at.display());
    for line in &old[head..old.len() - tail] {
        let _ = writeln!(text, "- {line}");
    }
    for line in &new[head..new.len() - tail] {
        let _ = writeln!(text, "+ {line}");
    }
    text
}

/// The canary: the very command that was installed is called as the agent calls it, once with what it has to
/// refuse, once with what it has to let pass.
pub(super) fn prove(template: &Template, tdd: &str) -> Result<(), Trouble> {
    let folder = tempfile::tempdir().map_err(|error| {
        Trouble::environment("no folder can be made for the proof").because(error).advise("check TMPDIR")
    })?;
    scaffold::lay_out(&folder.path().join("p"), &[("README.md", "")])?;
    let (edit, read) = (template.canary)(&folder.path().join("p"));
    let command = (template.command)(tdd, template.before);
    for (what, call, want) in [("refuse an edit of tdd.yaml", edit, 2), ("let a file be read", read, 0)] {
        let code = called(&command, &call, &folder.path().join("p"));
        if code != Some(want) {
            let code = code.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
            return Err(Trouble::environment(format!(
                "the hook of {} is installed, and does not hold",
                template.name
            ))
            .because(format!("`{command}` has to {what}, and came to {code}"))
            .advise("see that `tdd` is this program in the PATH that the agent has: command -v tdd"));
        }
    }
    Ok(())
}

fn called(command: &str, call: &Value, folder: &Path) -> Option<i32> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_remove("CLAUDE_PROJECT_DIR")
        .env_remove("GEMINI_PROJECT_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let _ = child.stdin.take()?.write_all(call.to_string().as_bytes());
    child.wait().ok()?.code()
}
