//! The hooks of `tdd gate`: those that are installed and silent are the commonest fault, and nobody tells of it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Scene;
use crate::world::project::Place;
use crate::world::session_file;
use tdd_child::regular_file;
use tdd_core::checkup::{Finding, Subject};
use tdd_core::trouble::Trouble;

/// Settings that are looked into, below the project and below the person's home.
const SETTINGS: [(&str, &str); 6] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("copilot", ".github/hooks/tdd.json"),
    ("opencode", ".opencode/plugins/tdd-gate.js"),
    ("pi", ".pi/extensions/tdd-gate.ts"),
];
/// Where a person may switch all hooks of Claude Code off, the project's own file aside.
const SWITCHES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const LARGEST: u64 = 4 << 20;
const OURS: &str = " gate hook ";

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
            let next = match *agent {
                "codex" => "trust them in codex with /hooks; untrusted ones are skipped without a word",
                _ => "begin a session of it here; if this stays, see that it reads these settings",
            };
            Finding::warning(
                Subject::Agent,
                Trouble::user(format!(
                    "the gate's hooks of {agent} are installed and were never called here"
                ))
                .because("an agent that drops hooks says nothing, and nothing is held then")
                .advise(next),
            )
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
