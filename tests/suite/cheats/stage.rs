//! Plays one entry with the real binary and looks at what came of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use tdd_core::role::Role;

use super::entry::{Entry, Intent, Wanted};
use super::projects;
use super::scene::Scene;
use super::seen::Seen;
use crate::sandbox::Sandbox;

/// How children are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Audit,
    Enforce,
}

impl Level {
    /// The levels that this machine has. One without an OS sandbox is said, and a failure in CI.
    pub fn known() -> &'static [Self] {
        static KNOWN: OnceLock<bool> = OnceLock::new();
        let has_sandbox = || {
            let sandbox = Sandbox::with(&[
                ("tdd.yaml", "test: python3 -m unittest\n"),
                ("specs/frs/STE-1.md", projects::REQUIREMENT),
            ]);
            let ran = sandbox.tdd(&[
                "STE-1",
                "--dry-run",
                "--sandbox",
                "enforce",
                "--agent",
                "scripted",
                "--cassette",
                "tdd.yaml",
            ]);
            if ran.code != 0 {
                println!("skipped: level enforce\n{}", ran.stderr);
                assert!(std::env::var_os("CI").is_none(), "an OS sandbox is needed where CI is set");
            }
            ran.code == 0
        };
        if *KNOWN.get_or_init(has_sandbox) { &[Self::Audit, Self::Enforce] } else { &[Self::Audit] }
    }

    pub fn args(self) -> &'static [&'static str] {
        match self {
            Self::Audit => &["--sandbox", "audit"],
            Self::Enforce => &["--sandbox", "enforce"],
        }
    }
}

/// What came of one entry at one level.
pub struct Row {
    pub entry: Entry,
    pub level: Level,
    pub wanted: Wanted,
    /// In one or two words, with the words that were found.
    pub outcome: String,
    /// What is not as wanted; empty if all is.
    pub wrongs: Vec<String>,
    words: String,
}

impl Row {
    pub fn is_as_wanted(&self) -> bool {
        self.wrongs.is_empty()
    }

    /// Not caught, and named as what is not.
    fn is_listed(&self) -> bool {
        matches!(self.wanted, Wanted::Listed(_) | Wanted::Named(_))
    }

    pub fn complaint(&self) -> String {
        format!(
            "=== {} ({:?}), wanted {:?}: {}\n{}",
            self.entry.name,
            self.level,
            self.wanted,
            self.wrongs.join("; "),
            self.words
        )
    }
}

pub fn table(rows: &[Row]) -> String {
    let mut text = format!("{:<48} {:<12} {:<26} {:<26} verdict\n", "entry", "role", "audit", "enforce");
    let mut verdicts = BTreeMap::new();
    let mut names: Vec<&str> = rows.iter().map(|row| row.entry.name).collect();
    names.dedup();
    for name in names {
        let at = |level| rows.iter().find(|row| row.entry.name == name && row.level == level);
        let shown = |level| at(level).map_or("not played", |row| row.outcome.as_str());
        let of_entry = || rows.iter().filter(|row| row.entry.name == name);
        let role = of_entry().next().map(|row| row.entry.role.to_string()).unwrap_or_default();
        let verdict = match (of_entry().all(Row::is_as_wanted), of_entry().next().map(|row| row.entry.intent))
        {
            (true, Some(Intent::Honest)) => "not blamed",
            (false, Some(Intent::Honest)) => "BLAMED",
            (true, _) if of_entry().all(Row::is_listed) => "listed",
            (true, _) => "caught",
            (false, _) => "NOT CAUGHT",
        };
        let _ = writeln!(
            text,
            "{name:<48} {role:<12} {:<26} {:<26} {verdict}",
            shown(Level::Audit),
            shown(Level::Enforce)
        );
        *verdicts.entry(verdict).or_insert(0_usize) += 1;
    }
    let _ = writeln!(text, "{verdicts:?}");
    text
}

/// `env` is set for the run: how a guard is switched off.
pub fn play(entry: &Entry, level: Level, env: &[(&str, &str)]) -> Row {
    let wanted = match level {
        Level::Audit => entry.audit,
        Level::Enforce => entry.enforce,
    };
    let mut row = Row {
        entry: entry.clone(),
        level,
        wanted,
        outcome: String::new(),
        wrongs: Vec::new(),
        words: String::new(),
    };
    if !(entry.project.is_there)() {
        "skipped".clone_into(&mut row.outcome);
        return row;
    }
    let scene = Scene::set(entry);
    let before = scene.git_picture();
    let cassette = scene.cassette("c.json", entry);
    let ran = scene.tdd(&run_args(entry, level, &cassette), env);
    let seen = Seen::look(&scene, ran);
    row.outcome = seen.name(entry);
    row.wrongs = seen.wrongs(entry, wanted, &scene);
    if let (Wanted::Stops(_), true) = (wanted, row.wrongs.is_empty()) {
        row.wrongs.extend(scene.resume(entry, level, env));
    }
    if level == Level::Audit || row.wrongs.is_empty() {
        row.wrongs.extend(scene.damage(entry, seen.code, &before));
    }
    row.wrongs.extend(scene.left_processes());
    row.words = seen.words(&scene);
    row
}

fn run_args(entry: &Entry, level: Level, cassette: &Path) -> Vec<String> {
    let mut args = vec!["STE-1".to_owned(), "--cassette".to_owned(), cassette.to_string_lossy().into_owned()];
    if entry.role != Role::Refactorer {
        args.push("--no-refactor".to_owned());
    }
    args.extend(level.args().iter().chain(&entry.args).map(|arg| (*arg).to_owned()));
    args
}
