//! What settles the gate: what a person has changed of it under way, and what the session before began with. Between two sessions nobody compares, so a change
//! is told and not taken back: it is a person's as a rule.

use std::path::{Path, PathBuf};

use super::desk::Desk;
use crate::text::config::{self, ConfigFile};
use crate::world::config_file;
use crate::world::session_file::{self, shelf};
use tdd_child::regular_file;
use tdd_core::event::{GateMode, SessionStarted, Settled};

/// What the person was asked about last.
const ASKED: &str = "asked";
const LARGEST: u64 = 64 << 10;

/// Settings that a person has changed under way.
pub(super) struct News {
    pub(super) settled: Settled,
    /// In words, what is permitted besides; what is forbidden besides needs nobody's word.
    told: String,
}

/// What `tdd.yaml` says otherwise than the session goes by. It is read at the beginning of a turn alone, when it is a
/// person's; since a process of the agent's could have written it between two turns, the person is asked.
pub(super) fn news(desk: &Desk) -> Option<News> {
    let config = crate::commands::given::read_settings(&desk.place, &desk.environment).ok()?;
    let gate = config.map(|config| config.session_gate).unwrap_or_default();
    let now = &desk.state().started;
    let settled = Settled {
        mode: gate.mode,
        free: gate.free.iter().map(|glob| desk.place.in_repository(glob)).collect(),
        tools: gate.tools,
    };
    let is_same = settled.mode == now.mode && settled.free == now.free && settled.tools == now.tools;
    if is_same || desk.place.project_in_repository() != now.project {
        return None;
    }
    let (mode, free, tools) = (settled.mode, settled.free.clone(), settled.tools.clone());
    let told = differences(now, &SessionStarted { mode, free, tools, ..now.clone() });
    let is_looser =
        !told.is_empty() && (told.len() > 1 || settled.mode == now.mode || mode == GateMode::Warn);
    Some(News { settled, told: if is_looser { told.join("; ") } else { String::new() } })
}

/// Whether two texts of `tdd.yaml` settle the same, but for which agents a run calls and what it may spend.
pub(super) fn settle_the_same(before: &[u8], now: &[u8]) -> bool {
    let read = |bytes: &[u8]| -> Option<ConfigFile> {
        let text = std::str::from_utf8(bytes).ok()?;
        let read = config::read(config_file::NAME, text).ok()?;
        let ConfigFile { agent, roles, budgets, caps, backoff_ms, .. } = ConfigFile::default();
        Some(ConfigFile { agent, roles, budgets, caps, backoff_ms, ..read })
    };
    read(before).is_some_and(|before| read(now) == Some(before))
}

/// Whether the person was asked about just this and has answered by the same word, or need not be; from now on they
/// were.
pub(super) fn was_asked(folder: &Path, news: &News, said: &str) -> bool {
    if news.told.is_empty() {
        return true;
    }
    let at = folder.join(ASKED);
    let asked = format!("{:?}{said}", news.settled);
    if regular_file::head(&at, LARGEST).is_ok_and(|bytes| bytes == asked.as_bytes()) {
        return true;
    }
    // Where it can't be kept it is asked again.
    let _ = regular_file::write_private(&at, asked.as_bytes());
    false
}

pub(super) fn question(news: &News) -> String {
    format!(
        "tdd: tdd.yaml settles the gate otherwise now: {}. If it was you, send the same word again: it holds from then on. \
         If not: put tdd.yaml back first",
        news.told
    )
}

/// In words, where `tdd` is another program in this process's PATH than the one that answers.
pub(super) fn another_program() -> String {
    another_in_path().map_or_else(String::new, |other| {
        format!(
            "\ntdd: in PATH `tdd` is another program, {}: hooks that call it by its name would be that one's. Tell the person",
            other.display()
        )
    })
}

/// The first `tdd` of PATH, if it is not this program.
#[expect(clippy::disallowed_methods, reason = "looks for a program as a shell does")]
pub(in crate::commands) fn another_in_path() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("tdd")).find(|at| at.is_file())?;
    (found.canonicalize().ok()? != own).then_some(found)
}

/// In words; nothing where it is the same or there is no session before.
pub(super) fn changed(desk: &Desk) -> String {
    let now = &desk.state().started;
    let known = shelf::newest_first(&desk.place.repository).unwrap_or_default();
    let before = known.into_iter().find(|id| *id != now.session).and_then(|id| {
        let folder = session_file::folder(&desk.place.repository, &id);
        Some((shelf::glance(&folder).ok()?.started, id))
    });
    let Some((before, id)) = before else { return String::new() };
    let told = differences(&before, now);
    if told.is_empty() {
        return String::new();
    }
    format!(
        "\ntdd: what settles the gate has changed since session {}: {}. Tell the person, who may have done it",
        id.0,
        told.join("; ")
    )
}

fn differences(before: &SessionStarted, now: &SessionStarted) -> Vec<String> {
    let mode = |mode: GateMode| match mode {
        GateMode::Strict => "strict",
        GateMode::Warn => "warn",
    };
    let mut told = Vec::new();
    if before.project != now.project {
        // Another project of the repository has settings of its own.
        return told;
    }
    if before.mode != now.mode {
        told.push(format!("mode {}, now {}", mode(before.mode), mode(now.mode)));
    }
    let globs: Vec<&str> =
        now.free.iter().filter(|glob| !before.free.contains(glob)).map(String::as_str).collect();
    if !globs.is_empty() {
        told.push(format!("free besides: {}", globs.join(", ")));
    }
    let tools: Vec<&str> = now
        .tools
        .iter()
        .filter(|(name, class)| before.tools.get(*name) != Some(class))
        .map(|(name, _)| name.as_str())
        .collect();
    if !tools.is_empty() {
        told.push(format!("tools named otherwise: {}", tools.join(", ")));
    }
    told
}
