//! `tdd.yaml`: what a person may set (contract section 5).
//!
//! ```yaml
//! test: make test                  # judges RED and GREEN
//! gate: make check                 # judges REFACTOR; the test command if it is left out
//! runner: { kind: junit, all: "make test", select: "make test ONLY='{files}'", report: build/report.xml }
//! specs_dir: specs/frs             # relative to the project
//! test_files: ["checks/**"]        # globs, instead of the runner's own
//! agent: claude                    # for all roles
//! roles: { implementer: { agent: codex, model: some-model } }
//! agents: { mine: { … } }          # agent tables, read by `agents::agent_table`
//! budgets: { semantic: 2, format: 1 }
//! regression: attempt              # auto | attempt | criterion | end
//! on_missing_block: halt           # halt | take: work that passes without a valid block
//! held_out: false                 # true: some tests of each criterion are hidden from the implementers
//! proof: full                      # full | quick | off: what is proven before exit 0
//! deadline: 10m                    # of one run of a command
//! attempt_deadline: 1h             # of one attempt, and of its silence
//! idle_deadline: 10m
//! output_cap: 2GiB                 # of one run of a command
//! max_usd: 5                       # of a run: reaching it pauses; also max_tokens, max_wall
//! max_usd_attempt: 1               # of one attempt: reaching it ends it; also max_tokens_attempt
//! fix: { checks: ["mypy ."], max_retries: 3, type_deadline: 60s, test_deadline: 2m }   # for `tdd fix`
//! session_gate: { mode: strict, free: ["docs/**"] }   # for `tdd gate`, see [`gate`]
//! sandbox: auto                    # auto | enforce | audit, or a table, see [`sandbox`]
//! backoff: [5s, 20s, 60s]          # waits before further tries after a rate limit; [] for none
//! ```
//!
//! A person's own file, for all their projects, holds `agent`, `roles`, `agents` and `max_…` alone, and
//! lies below the project's ([`read_person`], [`ConfigFile::over`]).
//!
//! Every key may be left out. Strict, because a setting that is silently ignored is worse than
//! one that is refused: an unknown key is an error that names the nearest known one.

pub mod caps;
pub mod fix;
pub mod gate;
mod layers;
pub mod sandbox;
mod twice;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_yaml::Value;

pub use layers::read_person;
use tdd_agents::agent_table::layers::{AgentSetting, Said};
use tdd_core::commands::{RunnerKind, RunnerTable};
use tdd_core::event::{MissingBlock, Regression};
use tdd_core::fix::Writes;
use tdd_core::path::RelPath;
use tdd_core::proof::Extent;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::CapPlan;
use tdd_spec::strict::Table;
use tdd_spec::strict::amount::DAY_MS;
use tdd_spec::strict::line::nearest_line;

/// The largest `tdd.yaml` that is read.
pub const MAX_BYTES: usize = 256 * 1024;

/// `tdd.yaml` as it was written, types checked. What was left out is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigFile {
    pub test: Option<String>,
    pub gate: Option<String>,
    pub runner: Option<RunnerTable>,
    pub specs_dir: Option<String>,
    pub test_files: Vec<String>,
    pub agent: Option<String>,
    pub roles: BTreeMap<Role, RoleSetting>,
    /// Agent tables by name, as they stand: `agents::agent_table` reads them.
    pub agents: BTreeMap<String, AgentSetting>,
    pub budgets: BudgetSetting,
    pub regression: Option<Regression>,
    /// What becomes of work that passes without a valid block.
    pub on_missing_block: Option<MissingBlock>,
    /// Whether tests are held out.
    pub held_out: Option<bool>,
    /// How much of the final proof is made.
    pub proof: Option<Extent>,
    /// The level of isolation, and what is open in it (contract section 12).
    pub sandbox: sandbox::SandboxSetting,
    /// Of one run of a command, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// Of one attempt, in milliseconds.
    pub attempt_deadline_ms: Option<u64>,
    /// Of an attempt's silence, in milliseconds.
    pub idle_deadline_ms: Option<u64>,
    /// Bytes that one run of a command may print; 2 GiB at most.
    pub output_cap: Option<u64>,
    /// What a run and an attempt may use.
    pub caps: CapPlan,
    /// For `tdd fix`.
    pub fix: fix::FixSetting,
    /// For sessions under the gate.
    pub session_gate: gate::GateSetting,
    /// Waits before each further try after a passing limit, in milliseconds.
    pub backoff_ms: Option<Vec<u64>>,
}

/// What is set for one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleSetting {
    pub agent: Option<String>,
    pub model: Option<String>,
    /// Turns of one child.
    pub max_turns: Option<u32>,
    /// Whether what it writes is code, which `tdd fix` may check.
    pub code: Writes,
}

/// Bounds as written, within their ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetSetting {
    /// 1 to 9.
    pub semantic: Option<u8>,
    /// 0 to 9.
    pub format: Option<u8>,
}

/// Every key of the top level.
pub const KEYS: &[&str] = &[
    "test",
    "gate",
    "runner",
    "specs_dir",
    "test_files",
    "agent",
    "roles",
    "agents",
    "budgets",
    "regression",
    "on_missing_block",
    "held_out",
    "proof",
    "sandbox",
    "deadline",
    "attempt_deadline",
    "idle_deadline",
    "output_cap",
    "max_usd",
    "max_tokens",
    "max_wall",
    "max_usd_attempt",
    "max_tokens_attempt",
    "backoff",
    "fix",
    "session_gate",
    "test_command_for",
];

/// The longest duration that can be set.
pub const MOST_MS: u64 = DAY_MS;
/// The most that one run of a command may print (contract section 5).
pub const MAX_OUTPUT: u64 = 2 << 30;
/// Every word of `regression:`.
pub const REGRESSIONS: [(&str, Regression); 4] = [
    ("auto", Regression::Auto),
    ("attempt", Regression::Attempt),
    ("criterion", Regression::Criterion),
    ("end", Regression::End),
];
/// The most waits of a back-off.
const MAX_WAITS: usize = 10;

/// Reads `tdd.yaml`. `file_name` is how messages call it. An empty file sets nothing.
///
/// # Errors
/// A [`Trouble`] of kind `Config` that names the key, the line where it can be told, and what is
/// wanted instead.
pub fn read(file_name: &str, source: &str) -> Result<ConfigFile, Trouble> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let value = parsed(file_name, source)?;
    let Some(top) = Table::top(file_name, &value)? else { return Ok(ConfigFile::default()) };
    let mut read = of_table(&top).map_err(|trouble| placed(file_name, source, trouble))?;
    read.agents = agents(file_name, source, &top)?;
    Ok(read)
}

/// With the line of the setting that it is about.
fn placed(file_name: &str, source: &str, trouble: Trouble) -> Trouble {
    trouble.in_file(file_name, |setting| nearest_line(source, setting))
}

/// All but agents' tables.
fn of_table(top: &Table<'_>) -> Result<ConfigFile, Trouble> {
    top.only(KEYS)?;
    let test = top.word("test")?;
    Ok(ConfigFile {
        runner: top.table("runner")?.map(|table| runner(&table, test.as_deref())).transpose()?,
        test,
        gate: top.word("gate")?,
        specs_dir: specs_dir(top)?,
        test_files: test_files(top)?,
        agent: top.word("agent")?,
        roles: roles(top, ROLE_KEYS)?,
        agents: BTreeMap::new(),
        budgets: budgets(top)?,
        regression: top.one_of("regression", &REGRESSIONS)?,
        on_missing_block: top.one_of("on_missing_block", &MissingBlock::WORDS)?,
        held_out: top.flag("held_out")?,
        proof: top.one_of("proof", &Extent::WORDS)?,
        sandbox: sandbox::read(top)?,
        deadline_ms: top.duration("deadline")?,
        attempt_deadline_ms: top.duration("attempt_deadline")?,
        idle_deadline_ms: top.duration("idle_deadline")?,
        output_cap: output_cap(top)?,
        caps: caps::read(top)?,
        fix: fix::read(top)?,
        session_gate: gate::read(top)?,
        backoff_ms: top.waits("backoff", MAX_WAITS)?,
    })
}

fn parsed(file_name: &str, source: &str) -> Result<Value, Trouble> {
    if source.len() > MAX_BYTES {
        return Err(Trouble::config(format!("{file_name} is too large"))
            .because(format!("it has {} bytes; at most {MAX_BYTES} are read", source.len()))
            .advise("Leave only settings in it."));
    }
    serde_yaml::from_str(source).map_err(|error| {
        if let Some(trouble) = twice::trouble(file_name, source, &error) {
            return trouble;
        }
        Trouble::config(format!("{file_name} is not YAML"))
            .because(error.to_string())
            .advise("Correct the line that it names, or what stands before it.")
    })
}

fn runner(table: &Table<'_>, test: Option<&str>) -> Result<RunnerTable, Trouble> {
    table.only(&["kind", "all", "select", "report"])?;
    let kind = runner_kind(table)?;
    let all = match (table.word("all")?, test) {
        (Some(all), _) => all,
        (None, Some(test)) => test.to_owned(),
        (None, None) => {
            let why = "there is no `test:` either, so there is nothing to run";
            return Err(table.wrong("all", why, "Set `all:` to the command that runs all tests."));
        }
    };
    let select = table.word("select")?;
    let takes_files =
        |select: &String| ["{files}", "{file}", "{stem}"].iter().any(|word| select.contains(word));
    if select.as_ref().is_some_and(|select| !takes_files(select)) {
        let why = "it holds no `{files}`, so it can't be given the files that are to be run";
        let next = "Put `{files}` where the test files' paths belong, or, for one call for each file, `{file}` \
                    (its path) or `{stem}` (its name without the extension).";
        return Err(table.wrong("select", why, next));
    }
    let report = table.word("report")?;
    if report.as_ref().is_some_and(|report| RelPath::new(report).is_none()) {
        let why = "the report must be a path relative to the project that does not leave it";
        return Err(table.wrong("report", why, "For example: `report: build/report.xml`."));
    }
    if kind == RunnerKind::Junit && report.is_none() {
        let why = "`kind: junit` reads a report and no `report:` says where it is";
        return Err(table.wrong("report", why, "For example: `report: build/report.xml`."));
    }
    Ok(RunnerTable { kind, all, select, report })
}

fn runner_kind(table: &Table<'_>) -> Result<RunnerKind, Trouble> {
    let words = RunnerKind::ALL.map(|kind| (kind.name(), kind));
    let known = || format!("Use one of: {}.", words.map(|(name, _)| name).join(", "));
    let kind = table.one_of("kind", &words)?;
    kind.ok_or_else(|| table.wrong("kind", "it is missing, so nothing says who reads the output", &known()))
}

fn specs_dir(top: &Table<'_>) -> Result<Option<String>, Trouble> {
    let Some(text) = top.word("specs_dir")? else { return Ok(None) };
    let path = RelPath::new(&text).ok_or_else(|| {
        let why = "it must be a folder below the project, as a relative path";
        top.wrong("specs_dir", why, "For example: `specs_dir: specs/frs`.")
    })?;
    Ok(Some(path.as_str().to_owned()))
}

fn test_files(top: &Table<'_>) -> Result<Vec<String>, Trouble> {
    let globs = top.words("test_files")?;
    for glob in &globs {
        if let Err(error) = globset::Glob::new(glob) {
            let why = format!("`{glob}` is no glob: {}", error.kind());
            return Err(top.wrong("test_files", &why, "For example: `test_files: [\"checks/**\"]`."));
        }
    }
    Ok(globs)
}

/// More would bound nothing.
const MAX_TURNS: u32 = 10_000;

/// What may be said of a role in a project's settings.
const ROLE_KEYS: &[&str] = &["agent", "model", "max_turns", "code"];

/// `known` is what may be said of a role in this file.
fn roles(top: &Table<'_>, known: &[&str]) -> Result<BTreeMap<Role, RoleSetting>, Trouble> {
    let Some(table) = top.table("roles")? else { return Ok(BTreeMap::new()) };
    table.only(&Role::KNOWN.map(Role::name))?;
    let mut roles = BTreeMap::new();
    for role in Role::KNOWN {
        if let Some(setting) = table.table(role.name())? {
            setting.only(known)?;
            let (agent, model) = (setting.word("agent")?, setting.word("model")?);
            let max_turns = setting.number("max_turns", 1..=MAX_TURNS)?;
            roles.insert(role, RoleSetting { agent, model, max_turns, code: fix::code(&setting)? });
        }
    }
    Ok(roles)
}

fn agents(file_name: &str, source: &str, top: &Table<'_>) -> Result<BTreeMap<String, AgentSetting>, Trouble> {
    let placed = |trouble| placed(file_name, source, trouble);
    let Some(table) = top.table("agents").map_err(placed)? else { return Ok(BTreeMap::new()) };
    let (file, source): (Rc<str>, Rc<str>) = (file_name.into(), source.into());
    let said = |name: &str| {
        // An empty one is told only to who wants that agent, as is what is wrong in one.
        let value = table.table(name)?.map_or(Value::Null, |agent| agent.value());
        let said = Said { value, file: file.clone(), source: source.clone() };
        Ok((name.to_owned(), AgentSetting { project: Some(said), person: None }))
    };
    table.keys().and_then(|names| names.into_iter().map(said).collect()).map_err(placed)
}

fn budgets(top: &Table<'_>) -> Result<BudgetSetting, Trouble> {
    let Some(table) = top.table("budgets")? else { return Ok(BudgetSetting::default()) };
    table.only(&["semantic", "format"])?;
    Ok(BudgetSetting { semantic: table.number("semantic", 1..=9)?, format: table.number("format", 0..=9)? })
}

fn output_cap(top: &Table<'_>) -> Result<Option<u64>, Trouble> {
    match top.size("output_cap")? {
        Some(bytes) if bytes > MAX_OUTPUT => {
            Err(top.wrong("output_cap", "it is more than 2 GiB", "Set at most `2GiB`."))
        }
        cap => Ok(cap),
    }
}

#[cfg(test)]
mod tests;
