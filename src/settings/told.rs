//! What holds, and who says so: for `tdd config` (contract sections 5 and 12).
//!
//! Flags are not told: they are before the person's eyes.

use super::{AUTO_AGENT, DEFAULT_SPECS_DIR, Deadlines, Settings};
use crate::settings::fix::{TEST_DEADLINE_MS, TYPE_DEADLINE_MS};
use crate::text::config::{self, ConfigFile};
use crate::text::usage_words::grouped;
use tdd_agents::agent_table::AUTO;
use tdd_core::budget::Bounds;
use tdd_core::event::{GateMode, MissingBlock, Regression};
use tdd_core::fix::{RETRIES, Writes};
use tdd_core::isolation::{Credentials, Hide, HomeAccess, Network, Wanted};
use tdd_core::proof::Extent;
use tdd_core::role::Role;
use tdd_core::turns::TurnCaps;
use tdd_core::usage::{CapPlan, Usd};
use tdd_spec::strict::amount::{shown_duration as duration, shown_size as size};

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// As `tdd.yaml` spells it, with a dot between levels.
    pub key: String,
    pub value: String,
    /// A file, a variable, or [`DEFAULT`].
    pub from: String,
}

/// Nobody says anything.
pub const DEFAULT: &str = "default";

/// The files as they stand, each by the name that is told.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub project: (&'a str, &'a ConfigFile),
    pub person: (&'a str, &'a ConfigFile),
    /// `TDD_SANDBOX`
    pub says_sandbox: Variable,
}

/// Whether a variable says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    Set,
    Unset,
}

impl Sources<'_> {
    /// What the project says, else the person, else `otherwise`.
    fn row(&self, key: &str, said: impl Fn(&ConfigFile) -> Option<String>, otherwise: &str) -> Row {
        let both = [self.project, self.person];
        let found = both.into_iter().find_map(|(name, file)| said(file).map(|value| (value, name)));
        let (value, from) = found.unwrap_or_else(|| (otherwise.to_owned(), DEFAULT));
        Row { key: key.to_owned(), value, from: from.to_owned() }
    }
}

/// Everything but the commands, which the project's own files may tell too, and the tables of agents.
pub fn rows(sources: &Sources<'_>, holds: &Settings) -> Vec<Row> {
    let mut rows = vec![
        sources.row("specs_dir", |file| file.specs_dir.clone(), DEFAULT_SPECS_DIR),
        sources.row("test_files", |file| listed(&file.test_files), "as the runner has them"),
    ];
    for role in Role::KNOWN {
        rows.extend(of_role(sources, holds, role));
    }
    let bounds = Bounds::default();
    let number = |number: Option<u8>| number.map(|number| number.to_string());
    let ms = |ms: Option<u64>| ms.map(duration);
    rows.extend([
        sources.row("budgets.semantic", |file| number(file.budgets.semantic), &bounds.semantic.to_string()),
        sources.row("budgets.format", |file| number(file.budgets.format), &bounds.format.to_string()),
        sources.row("regression", |file| file.regression.map(regression), &regression(Regression::default())),
        sources.row(
            "on_missing_block",
            |file| file.on_missing_block.map(missing_block),
            &missing_block(MissingBlock::default()),
        ),
        sources.row("held_out", |file| file.held_out.map(|on| on.to_string()), "false"),
        sources.row("proof", |file| file.proof.map(|extent| extent.name().to_owned()), Extent::Full.name()),
    ]);
    rows.extend(of_caps(sources));
    let (attempt, idle) = (duration(Deadlines::ATTEMPT_MS), duration(Deadlines::IDLE_MS));
    let idle = format!("{idle}, or twice the baseline if that is more");
    rows.extend([
        sources.row(
            "deadline",
            |file| ms(file.deadline_ms),
            "10m, or three times the baseline if that is more",
        ),
        sources.row("attempt_deadline", |file| ms(file.attempt_deadline_ms), &attempt),
        sources.row("idle_deadline", |file| ms(file.idle_deadline_ms), &idle),
        sources.row("output_cap", |file| file.output_cap.map(size), &size(config::MAX_OUTPUT)),
        sources.row("backoff", |file| file.backoff_ms.as_deref().map(waits), &waits(&super::BACKOFF_MS)),
        level(sources, holds),
        sources.row("sandbox.home", |file| file.sandbox.home.map(home), &home(HomeAccess::default())),
        sources.row(
            "sandbox.network",
            |file| file.sandbox.network.map(network),
            &network(Network::default()),
        ),
        sources.row("sandbox.hide", |file| file.sandbox.hide.as_ref().map(hidden), CREDENTIALS),
        sources.row("fix.checks", |file| listed(&file.fix.checks), "found in the project"),
        sources.row("fix.max_retries", |file| number(file.fix.max_retries), &RETRIES.to_string()),
        sources.row("fix.type_deadline", |file| ms(file.fix.type_deadline_ms), &duration(TYPE_DEADLINE_MS)),
        sources.row("fix.test_deadline", |file| ms(file.fix.test_deadline_ms), &duration(TEST_DEADLINE_MS)),
    ]);
    rows.extend(of_gate(sources));
    rows
}

/// For sessions under the gate.
fn of_gate(sources: &Sources<'_>) -> [Row; 3] {
    let warns = |file: &ConfigFile| (file.session_gate.mode == GateMode::Warn).then(|| "warn".to_owned());
    let free = |file: &ConfigFile| listed(&file.session_gate.free);
    let command = |file: &ConfigFile| file.session_gate.test_command_for.clone();
    [
        sources.row("session_gate.mode", warns, "strict"),
        sources.row("session_gate.free", free, "documents alone"),
        sources.row("test_command_for", command, "as the runner selects"),
    ]
}

/// The agent and its model are told as they were put together, with who named them.
fn of_role(sources: &Sources<'_>, holds: &Settings, role: Role) -> Vec<Row> {
    let key = |what: &str| format!("roles.{role}.{what}");
    let choice = holds.agent(role);
    let named = |file: &ConfigFile| {
        let own = file.roles.get(&role).and_then(|own| own.agent.clone());
        own.or_else(|| file.agent.clone())
    };
    let model = |file: &ConfigFile| {
        let own = file.roles.get(&role).and_then(|own| own.model.clone());
        own.filter(|own| choice.model.as_ref() == Some(own))
    };
    let turns = |file: &ConfigFile| {
        let own = file.roles.get(&role).and_then(|own| own.max_turns);
        // The role's own goes before its agent's, in whichever file it stands.
        if holds.turns.contains_key(&role) {
            own.map(|most| most.to_string())
        } else {
            turns_of_agent(file, &choice.name)
        }
    };
    let mut rows = vec![
        sources.row(&key("agent"), named, AUTO_AGENT),
        sources.row(&key("model"), model, "as the agent has it"),
        sources.row(&key("max_turns"), turns, &usual_turns(role)),
    ];
    let documents = |file: &ConfigFile| {
        let own = file.roles.get(&role).map(|own| own.code);
        own.filter(|own| *own == Writes::Documents).map(|_| "false".to_owned())
    };
    if role == Role::Fixer {
        rows.push(sources.row(&key("code"), documents, "true"));
    }
    rows
}

/// What a file says of an agent's turns; of both that `auto` may be, with its name.
fn turns_of_agent(file: &ConfigFile, agent: &str) -> Option<String> {
    let of = |name: &str| {
        let said = file.agents.get(name)?;
        said.project.as_ref().or(said.person.as_ref())?.value.get("max_turns")?.as_u64()
    };
    if agent != AUTO_AGENT {
        return of(agent).map(|most| most.to_string());
    }
    let each = AUTO.iter().filter_map(|name| Some(format!("{} with {name}", of(name)?)));
    Some(each.collect::<Vec<_>>().join(", ")).filter(|said| !said.is_empty())
}

fn usual_turns(role: Role) -> String {
    let usual = TurnCaps::default();
    let (none, one, most) = (usual.of(role, 0), usual.of(role, 1), usual.of(role, usize::MAX));
    if none == most {
        return none.to_string();
    }
    format!("{none}, and {} for each criterion, {most} at most", one - none)
}

fn of_caps(sources: &Sources<'_>) -> Vec<Row> {
    let usd = |usd: Option<Usd>| usd.map(|usd| usd.to_string());
    let tokens = |tokens: Option<u64>| tokens.map(grouped);
    let caps = |pick: fn(&CapPlan) -> Option<Usd>| move |file: &ConfigFile| usd(pick(&file.caps));
    let counts = |pick: fn(&CapPlan) -> Option<u64>| move |file: &ConfigFile| tokens(pick(&file.caps));
    vec![
        sources.row("max_usd", caps(|caps| caps.run.usd), "none"),
        sources.row("max_tokens", counts(|caps| caps.run.tokens), "none"),
        sources.row("max_wall", |file| file.caps.run.wall_ms.map(duration), "none"),
        sources.row("max_usd_attempt", caps(|caps| caps.attempt.usd), "none"),
        sources.row("max_tokens_attempt", counts(|caps| caps.attempt.tokens), "none"),
    ]
}

/// What is hidden if nothing is said.
const CREDENTIALS: &str = "credentials";

fn level(sources: &Sources<'_>, holds: &Settings) -> Row {
    let key = "sandbox.level";
    let word = |wanted: Wanted| spelled(wanted, &Wanted::WORDS);
    if sources.says_sandbox == Variable::Set {
        return Row { key: key.to_owned(), value: word(holds.sandbox), from: "TDD_SANDBOX".to_owned() };
    }
    sources.row(key, |file| file.sandbox.level.map(word), &word(Wanted::default()))
}

fn home(access: HomeAccess) -> String {
    spelled(access, &HomeAccess::WORDS)
}

fn network(network: Network) -> String {
    spelled(network, &Network::WORDS)
}

fn hidden(hide: &Hide) -> String {
    if hide.credentials == Credentials::Shown {
        return "nothing".to_owned();
    }
    let shown = hide.shown.iter().map(|place| format!("!{place}"));
    let all: Vec<String> =
        std::iter::once(CREDENTIALS.to_owned()).chain(hide.more.iter().cloned()).chain(shown).collect();
    all.join(", ")
}

fn spelled<T: PartialEq + Copy>(value: T, words: &[(&str, T)]) -> String {
    words.iter().find(|(_, it)| *it == value).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}

fn listed(items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| items.join(", "))
}

fn waits(waits: &[u64]) -> String {
    if waits.is_empty() {
        "none".to_owned()
    } else {
        waits.iter().copied().map(duration).collect::<Vec<_>>().join(", ")
    }
}

fn regression(regression: Regression) -> String {
    let words = config::REGRESSIONS.into_iter().find(|(_, it)| *it == regression);
    words.map(|(word, _)| word.to_owned()).unwrap_or_default()
}

fn missing_block(then: MissingBlock) -> String {
    let words = MissingBlock::WORDS.into_iter().find(|(_, it)| *it == then);
    words.map(|(word, _)| word.to_owned()).unwrap_or_default()
}
