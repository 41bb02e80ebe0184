//! The hooks of `tdd gate`: those that are installed and silent are the commonest fault, and nobody tells of it.

use std::path::{Path, PathBuf};

use regex_automata::meta::Regex;
use serde_json::Value;

use super::Scene;
use crate::commands::gate;
use crate::world::project::Place;
use crate::world::session_file;
use tdd_child::regular_file;
use tdd_core::checkup::{Finding, Subject};
use tdd_core::trouble::Trouble;

/// Settings that are looked into, below the project and below the person's home.
const SETTINGS: [(&str, &str); 7] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/tdd.json"),
    ("vscode", ".github/hooks/tdd-vscode.json"),
    ("opencode", ".opencode/plugins/tdd-gate.js"),
    ("pi", ".pi/extensions/tdd-gate.ts"),
];
/// Where a person may switch all hooks of Claude Code off, the project's own file aside.
const SWITCHES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const LARGEST: u64 = 4 << 20;
const OURS: &str = " gate hook ";
/// The versions whose real programs are held in the tests; of the others there is none yet.
const TRIED: [(&str, &str); 7] = [
    ("claude", "2.1.330"),
    ("codex", "0.169.0"),
    ("gemini", ""),
    ("copilot", ""),
    ("vscode", ""),
    ("opencode", ""),
    ("pi", ""),
];
const LARGEST_JOURNAL: u64 = 64 << 20;
const SHOWN: usize = 80;

pub(super) fn look(place: &Place, scene: &Scene) -> Vec<Finding> {
    let home = scene.environment.var("HOME").map(PathBuf::from);
    let folders: Vec<&Path> =
        [Some(place.project.as_path()), home.as_deref()].into_iter().flatten().collect();
    let text = |folder: &Path, file: &str| {
        let bytes = regular_file::head(&folder.join(file), LARGEST).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let is_installed = |file: &str| folders.iter().any(|folder| text(folder, file).contains(OURS));
    let installed: Vec<&str> =
        SETTINGS.iter().filter(|(_, file)| is_installed(file)).map(|(agent, _)| *agent).collect();
    let heard = heard(place);
    let mut findings: Vec<Finding> = Vec::new();
    for agent in &installed {
        findings.push(if heard.iter().any(|known| known == agent) {
            Finding::ok(Subject::Agent, format!("the gate's hooks of {agent} were called in this work tree"))
        } else {
            silent(agent)
        });
    }
    let switched_off = |folder: &&Path| {
        let off = |file: &str| {
            serde_json::from_str::<Value>(&text(folder, file)).is_ok_and(|it| it["disableAllHooks"] == true)
        };
        SWITCHES.into_iter().any(off)
    };
    if installed.contains(&"claude") && folders.iter().any(switched_off) {
        findings.push(Finding::warning(
            Subject::Agent,
            Trouble::user("`disableAllHooks` switches the gate's hooks of claude off")
                .because("it stands in .claude/settings.json or .claude/settings.local.json, here or at home")
                .advise("take it out"),
        ));
    }
    for agent in &installed {
        let settings = SETTINGS.iter().filter(|(name, _)| name == agent).map(|(_, file)| *file);
        let texts = settings.flat_map(|file| folders.iter().map(move |folder| text(folder, file)));
        findings.extend(
            texts.filter_map(|text| preceding(agent, &text)).map(|other| before_ours(agent, &other)).take(1),
        );
        findings
            .extend(gate::hooks_hold(agent).err().map(|trouble| Finding::problem(Subject::Agent, trouble)));
        findings.extend(never_tried(scene, agent));
    }
    findings.extend(another_program().filter(|_| !installed.is_empty()));
    if !installed.is_empty() || !heard.is_empty() {
        findings.extend(of_the_last_session(place));
    }
    findings
}

/// Hooks that are installed, and that nobody has called.
fn silent(agent: &str) -> Finding {
    let next = match agent {
        "codex" => "trust them in codex with /hooks; untrusted ones are skipped without a word",
        "claude" | "gemini" => {
            "begin a session of it in the folder that holds these settings; started in one below it does not read them, and \
             what holds there is `tdd gate install AGENT --user`"
        }
        _ => "begin a session of it here; if this stays, see that it reads these settings",
    };
    Finding::warning(
        Subject::Agent,
        Trouble::user(format!("the gate's hooks of {agent} are installed and were never called here"))
            .because("an agent that drops hooks says nothing, and nothing is held then")
            .advise(next),
    )
}

/// A program that the hooks of a project's settings would call instead.
fn another_program() -> Option<Finding> {
    let other = gate::another_in_path()?;
    Some(Finding::warning(
        Subject::Agent,
        Trouble::user(format!("`tdd` in PATH is another program than this one: {}", other.display()))
            .because("the hooks in a project's settings call it by its name")
            .advise("see what it is; `tdd gate install AGENT --user` names this program by its path"),
    ))
}

/// The first hook of another's that is called before ours at the same event, for a tool that edits.
fn preceding(agent: &str, settings: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(settings).ok()?;
    let edits = gate::edit_tools(agent);
    let commands = |entry: &Value| -> Vec<String> {
        let own = entry["hooks"].as_array().cloned().unwrap_or_else(|| vec![entry.clone()]);
        own.iter()
            .filter_map(|hook| hook["command"].as_str().or(hook["bash"].as_str()).map(str::to_owned))
            .filter(|command| command.contains(OURS) || fires(agent, entry["matcher"].as_str(), &edits))
            .collect()
    };
    let of_tools = settings["hooks"].as_object()?.iter().filter(|(event, _)| gate::is_of_tools(agent, event));
    of_tools.map(|(_, entries)| entries).find_map(|entries| {
        let all: Vec<String> = entries.as_array()?.iter().flat_map(commands).collect();
        let ours = all.iter().position(|command| command.contains(OURS))?;
        all.into_iter().take(ours).next()
    })
}

/// Whether a matcher means one of these tools. Of one that can't be read nobody knows, so it does.
fn fires(agent: &str, matcher: Option<&str>, tools: &[&str]) -> bool {
    let Some(matcher) = matcher.filter(|matcher| !["", "*"].contains(matcher)) else { return true };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|';
    // Claude Code takes plain names as they stand, and anything else for an expression.
    if agent == "claude" && matcher.chars().all(is_plain) {
        return matcher.split('|').any(|name| tools.contains(&name));
    }
    Regex::new(matcher).map_or(true, |matcher| tools.iter().any(|tool| matcher.is_match(tool)))
}

fn before_ours(agent: &str, other: &str) -> Finding {
    let other = tdd_core::harmless::short(other, SHOWN);
    Finding::warning(
        Subject::Agent,
        Trouble::user(format!("another hook of {agent} is called before the gate's: `{other}`"))
            .because(
                "what it changes in a call the gate may not see, and where it blocks the gate is not asked",
            )
            .advise("put it behind the gate's in the settings, or see that it changes and permits nothing"),
    )
}

fn never_tried(scene: &Scene, agent: &str) -> Option<Finding> {
    let version = super::machine::version_of(scene, agent)?;
    let tried = TRIED.iter().find(|(name, _)| *name == agent).map(|(_, tried)| *tried)?;
    let why = match tried {
        "" => format!("they follow what {agent} documents; no version of it was held by a test"),
        tried => format!("the hooks were tried with {tried}; another version may drop or rename some"),
    };
    (version != tried).then(|| {
        Finding::warning(
            Subject::Agent,
            Trouble::user(format!("the gate's hooks were never tried with {agent} {version}"))
                .because(why)
                .advise("begin a session, have it edit code without a test, and see that it is refused"),
        )
    })
}

/// What its journal says that a person should know: the mode that it is in, a plan that can't be kept to.
fn of_the_last_session(place: &Place) -> Vec<Finding> {
    let Some(id) = session_file::last(&place.repository) else { return Vec::new() };
    let at = session_file::folder(&place.repository, &id).join(tdd_child::run_folder::EVENTS);
    let bytes = regular_file::head(&at, LARGEST_JOURNAL).unwrap_or_default();
    let events =
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let (mut refactor, mut steps) = (None, Vec::new());
    for event in events {
        match event["type"].as_str() {
            Some("refactor_on") => refactor = event["why"].as_str().map(str::to_owned),
            Some("refactor_off") => refactor = None,
            Some("planned") => steps = event["steps"].as_array().cloned().unwrap_or_default(),
            _ => {}
        }
    }
    let mut findings = Vec::new();
    if refactor.as_deref() == Some(gate::NO_TESTS) {
        findings.push(Finding::warning(
            Subject::Agent,
            Trouble::user("the gate is in refactor mode, because there was no test when the session began")
                .because("in refactor mode code is edited without a red test")
                .advise("once there is a test and a command for it: tdd gate refactor off"),
        ));
    }
    let has_no_place = |step: &&Value| step["test_id"].is_string() && !step["test_file_path"].is_string();
    if let Some(step) = steps.iter().find(has_no_place) {
        let id = tdd_core::harmless::short(step["test_id"].as_str().unwrap_or_default(), SHOWN);
        findings.push(Finding::warning(
            Subject::Agent,
            Trouble::user(format!("a step of the session's plan names the test {id} and no test_file_path"))
                .because("a test that is still to be written has to have a place")
                .advise("name it, and read the plan again: tdd gate plan FILE"),
        ));
    }
    findings
}

/// The agents that have begun a session here.
fn heard(place: &Place) -> Vec<String> {
    let of = |id| {
        let folder = session_file::folder(&place.repository, &id);
        let first = regular_file::head(&folder.join(tdd_child::run_folder::EVENTS), 4096).ok()?;
        let line = first.split(|byte| *byte == b'\n').next()?;
        let line: Value = serde_json::from_slice(line).ok()?;
        line["agent"].as_str().map(str::to_owned)
    };
    session_file::list(&place.repository).into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_no_edit_calls_precedes_nothing() {
        let settings = |event: &str, matcher: &str| {
            let other = serde_json::json!({ "matcher": matcher, "hooks": [{ "command": "lint" }] });
            let ours =
                serde_json::json!({ "matcher": "*", "hooks": [{ "command": "tdd gate hook claude" }] });
            serde_json::json!({ "hooks": { event: [other, ours] } }).to_string()
        };
        for (agent, event, matcher, is_told) in [
            ("claude", "PreToolUse", "*", true),
            ("claude", "PreToolUse", "", true),
            ("claude", "PreToolUse", "Bash", false),
            ("claude", "PreToolUse", "Notebook", false),
            ("claude", "PreToolUse", "mcp__.*", false),
            ("claude", "PreToolUse", "Bash|Write", true),
            ("claude", "PostToolUse", "^Edi", true),
            ("claude", "PreToolUse", "(", true),
            ("claude", "SessionStart", "*", false),
            ("gemini", "BeforeTool", "write", true),
            ("gemini", "BeforeTool", "run_shell", false),
            ("codex", "PreToolUse", "apply_patch", true),
        ] {
            let told = preceding(agent, &settings(event, matcher));
            assert_eq!(told.is_some(), is_told, "{agent}, {event}: {matcher}");
        }
    }
}
