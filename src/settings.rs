//! What the person meant: flags, `tdd.yaml` and environment, validated.
//!
//! Flags win over `tdd.yaml`. Nothing is read here: the file and the environment come in by
//! argument, so that what a run does is decided by values that a test can write down.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::cli::{IsolationArgs, RunArgs};
use crate::text::config::{self, ConfigFile};
pub use criteria::the_one;
pub use output::{Beside, Intent, OutputMode};
use tdd_agents::agent_table::layers::AgentSetting;
use tdd_core::budget::Bounds;
use tdd_core::commands::CommandSettings;
use tdd_core::criterion::CriterionId;
use tdd_core::event::{MissingBlock, Refactoring, Regression, StopAfter};
use tdd_core::held_out::Holding;
use tdd_core::isolation::{Reach, Wanted};
use tdd_core::proof::Extent;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::CapPlan;

pub mod caps;
mod criteria;
pub mod fix;
mod output;
mod proof;
pub mod told;

/// Where requirements lie if nothing else is set (contract section 3).
pub const DEFAULT_SPECS_DIR: &str = "specs/frs";
/// The agent's name that means "the first one that is installed".
pub const AUTO_AGENT: &str = "auto";
/// The agent's name that `--cassette` stands for.
pub const SCRIPTED_AGENT: &str = "scripted";
/// Waits after a rate limit, an overload or a lost network, in milliseconds.
const BACKOFF_MS: [u64; 3] = [5_000, 20_000, 60_000];

/// What of the process's environment is used, captured once in `commands`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `PATH`, for finding programs.
    pub path: Option<OsString>,
    /// All variables: agent tables pass some on, and the values of secret ones are masked.
    pub vars: Vec<(OsString, OsString)>,
    /// `CI` is set: nobody is watching.
    pub ci: bool,
    /// Where the person's own settings lie, of all programs: `XDG_CONFIG_HOME`, else `.config` at home.
    pub config_home: Option<PathBuf>,
    /// `TDD_SANDBOX`: the level of isolation for this machine, between the flag and `tdd.yaml`.
    pub sandbox: Option<OsString>,
    /// `TDD_PROOF`: how much is proven on this machine, between the flag and `tdd.yaml`.
    pub proof: Option<OsString>,
}

impl Environment {
    /// Sorts out variables as the process has them.
    pub fn from_vars(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let vars: Vec<_> = vars.into_iter().collect();
        let value = |name: &str| vars.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let off = ["", "0", "false"];
        let ci = value("CI").is_some_and(|value| !off.iter().any(|word| value == *word));
        let folder = |name: &str| value(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let config_home =
            folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
        Self {
            path: value("PATH"),
            ci,
            config_home,
            sandbox: value("TDD_SANDBOX"),
            proof: value("TDD_PROOF"),
            vars,
        }
    }

    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_os_str())
    }
}

/// Names only: values may be secrets, and what is printed for debugging ends up in reports.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&OsString> = self.vars.iter().map(|(name, _)| name).collect();
        f.debug_struct("Environment").field("vars", &names).field("ci", &self.ci).finish_non_exhaustive()
    }
}

/// Which program plays a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChoice {
    /// `auto`, a built-in agent's name, or a name of [`Settings::agents`].
    pub name: String,
    pub model: Option<String>,
}

/// Whether something that is usually refused is let through by a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leave {
    #[default]
    Refused,
    Granted,
}

impl Leave {
    pub fn is_granted(self) -> bool {
        self == Self::Granted
    }
}

impl From<bool> for Leave {
    fn from(flag: bool) -> Self {
        if flag { Self::Granted } else { Self::Refused }
    }
}

/// What the flags let through, each by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaves {
    /// `--allow-red-baseline`
    pub red_baseline: Leave,
    /// `--allow-red-gate`
    pub red_gate: Leave,
    /// Granted unless `--no-supersede`: RED may change tests that the test-writer names.
    pub supersede: Leave,
    /// `--archived`
    pub archived: Leave,
    /// `--new`: start anew though there is an unfinished run.
    pub anew: Leave,
}

/// Own deadlines in milliseconds; `None` leaves the choice to the baseline's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadlines {
    /// Of one run of a command.
    pub command_ms: Option<u64>,
    /// Of one attempt.
    pub attempt_ms: Option<u64>,
    /// Of an attempt's silence.
    pub idle_ms: Option<u64>,
}

impl Deadlines {
    /// Of one attempt if nothing is said, in milliseconds.
    pub const ATTEMPT_MS: u64 = 30 * 60 * 1000;
    /// Of an attempt's silence if nothing is said.
    pub const IDLE_MS: u64 = 10 * 60 * 1000;
}

/// What the person meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// As it was typed: an id, a ULID or a path.
    pub requirement: Option<String>,
    /// Relative to the project.
    pub specs_dir: String,
    pub commands: CommandSettings,
    /// Globs that replace the runner's own; empty if none are set.
    pub test_files: Vec<String>,
    agent_of_role: BTreeMap<Role, AgentChoice>,
    /// Agent tables of `tdd.yaml` and of the person's own settings by name.
    pub agents: BTreeMap<String, AgentSetting>,
    /// For the scripted agent.
    pub cassette: Option<PathBuf>,
    pub bounds: Bounds,
    /// Turns of one child, of roles for which they are set.
    pub turns: BTreeMap<Role, u32>,
    pub regression: Regression,
    /// What becomes of work that passes without a valid block.
    pub on_missing_block: MissingBlock,
    /// How much of the final proof is made.
    pub held_out: Holding,
    pub proof: Extent,
    /// What a run and an attempt may use.
    pub caps: CapPlan,
    pub deadlines: Deadlines,
    /// Bytes that one run of a command may print.
    pub output_cap: u64,
    /// Waits before each further try after a passing limit, in milliseconds.
    pub backoff_ms: Vec<u64>,
    pub refactoring: Refactoring,
    pub stop_after: StopAfter,
    /// Only these criteria; empty means all.
    pub only: Vec<CriterionId>,
    pub already_green: Vec<CriterionId>,
    pub leaves: Leaves,
    /// The level of isolation.
    pub sandbox: Wanted,
    /// What is open in level `enforce`.
    pub reach: Reach,
    pub intent: Intent,
    pub output: OutputMode,
    /// Nobody is watching: no live display, no question.
    pub ci: bool,
}

impl Settings {
    /// Puts flags, `tdd.yaml` and environment together.
    ///
    /// # Errors
    /// A flag whose value can't be used, or two flags that contradict each other.
    pub fn resolve(
        args: &RunArgs,
        config: Option<ConfigFile>,
        environment: &Environment,
    ) -> Result<Self, Trouble> {
        let config = config.unwrap_or_default();
        let (only, already_green) = (
            criteria::of_flag("--only", &args.only, None)?,
            criteria::of_flag("--already-green", &args.already_green, None)?,
        );
        Ok(Self {
            requirement: args.requirement.clone(),
            agent_of_role: agent_of_role(args, &config)?,
            commands: CommandSettings {
                flag_test: command_flag("--test", args.test.as_deref())?,
                flag_gate: command_flag("--gate", args.gate.as_deref())?,
                file_test: config.test.or_else(|| config.runner.as_ref().map(|runner| runner.all.clone())),
                file_gate: config.gate,
                runner: config.runner,
            },
            specs_dir: config.specs_dir.unwrap_or_else(|| DEFAULT_SPECS_DIR.to_owned()),
            test_files: config.test_files,
            agents: config.agents,
            cassette: args.cassette.clone(),
            turns: config.roles.iter().filter_map(|(role, own)| Some((*role, own.max_turns?))).collect(),
            bounds: bounds(config.budgets.semantic, config.budgets.format),
            regression: config.regression.unwrap_or_default(),
            on_missing_block: config.on_missing_block.unwrap_or_default(),
            held_out: held_out(args, config.held_out),
            proof: proof::extent(args.proof.as_deref(), environment.proof.as_deref(), config.proof)?,
            caps: caps::of_flags(&args.caps)?.or(&config.caps),
            deadlines: Deadlines {
                command_ms: config.deadline_ms,
                attempt_ms: config.attempt_deadline_ms,
                idle_ms: config.idle_deadline_ms,
            },
            output_cap: config.output_cap.unwrap_or(config::MAX_OUTPUT),
            backoff_ms: config.backoff_ms.unwrap_or_else(|| BACKOFF_MS.to_vec()),
            refactoring: if args.no_refactor { Refactoring::Off } else { Refactoring::Once },
            stop_after: stop_after(args)?,
            only,
            already_green,
            leaves: leaves(args),
            sandbox: sandbox(&args.isolation, environment.sandbox.as_deref(), config.sandbox.level)?,
            reach: config.sandbox.reach(),
            intent: Intent::of(args),
            output: args.output.into(),
            ci: environment.ci,
        })
    }

    /// With the criteria that the flags mean by a number alone, now that the requirement's are known.
    ///
    /// # Errors
    /// A number that none or several of them have.
    pub fn knowing(self, args: &RunArgs, known: &[CriterionId]) -> Result<Self, Trouble> {
        Ok(Self {
            only: criteria::of_flag("--only", &args.only, Some(known))?,
            already_green: criteria::of_flag("--already-green", &args.already_green, Some(known))?,
            ..self
        })
    }

    /// Which program plays `role`.
    pub fn agent(&self, role: Role) -> &AgentChoice {
        &self.agent_of_role[&role]
    }
}

/// `--agent`, then the role's own, then `agent:`, then `scripted` if a cassette is given, then
/// `auto`. The role's model goes with the role's agent: a flag that names another agent drops it.
fn agent_of_role(args: &RunArgs, config: &ConfigFile) -> Result<BTreeMap<Role, AgentChoice>, Trouble> {
    if args.agent.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(Trouble::user("--agent is empty").advise("Name an agent, or leave the flag out."));
    }
    if let (Some(name), Some(_)) = (&args.agent, &args.cassette)
        && name != SCRIPTED_AGENT
        && !config.agents.contains_key(name)
    {
        return Err(Trouble::user(format!("--cassette and --agent {name} contradict each other"))
            .because("a cassette is played by the scripted agent")
            .advise("Leave out one of the two flags."));
    }
    let choice = |role: Role| {
        let own = config.roles.get(&role);
        let configured = own.and_then(|own| own.agent.as_ref()).or(config.agent.as_ref());
        let scripted = args.cassette.as_ref().map(|_| SCRIPTED_AGENT.to_owned());
        let flag = args.agent.clone().or(scripted);
        let keeps_model = flag.as_ref().is_none_or(|flag| Some(flag) == configured);
        let name = flag.or_else(|| configured.cloned()).unwrap_or_else(|| AUTO_AGENT.to_owned());
        let model = own.and_then(|own| own.model.clone()).filter(|_| keeps_model);
        (role, AgentChoice { name, model })
    };
    Ok(Role::KNOWN.into_iter().map(choice).collect())
}

fn command_flag(flag: &str, command: Option<&str>) -> Result<Option<String>, Trouble> {
    match command.map(str::trim) {
        None => Ok(None),
        Some(command) if command.is_empty() || command.contains('\0') => {
            Err(Trouble::user(format!("{flag} holds no command"))
                .advise(format!("Give it a shell command, for example {flag} 'cargo test'.")))
        }
        Some(command) => Ok(Some(command.to_owned())),
    }
}

fn bounds(semantic: Option<u8>, format: Option<u8>) -> Bounds {
    let default = Bounds::default();
    Bounds { semantic: semantic.unwrap_or(default.semantic), format: format.unwrap_or(default.format) }
}

fn stop_after(args: &RunArgs) -> Result<StopAfter, Trouble> {
    match args.stop_after.as_deref() {
        None => Ok(StopAfter::End),
        Some("red") => Ok(StopAfter::Red),
        Some(other) => Err(Trouble::user(format!("--stop-after does not know the stage `{other}`"))
            .advise("The only stage to stop after is `red`.")),
    }
}

/// `--require-sandbox` says `enforce` in other words, and wins over `tdd.yaml`.
fn sandbox(
    args: &IsolationArgs,
    variable: Option<&OsStr>,
    configured: Option<Wanted>,
) -> Result<Wanted, Trouble> {
    let wanted = |word: &OsStr| Wanted::WORDS.into_iter().find(|(name, _)| word == *name).map(|(_, it)| it);
    let flag = args.sandbox.as_deref().and_then(|word| wanted(OsStr::new(word)));
    let of_machine = match variable.filter(|word| !word.is_empty()) {
        None => None,
        Some(word) => Some(wanted(word).ok_or_else(|| {
            Trouble::user(format!("TDD_SANDBOX holds no level: `{}`", word.display()))
                .advise("Set it to auto, enforce or audit, or take it out of the environment.")
        })?),
    };
    match (flag, args.require_sandbox) {
        (Some(Wanted::Audit), true) => {
            Err(Trouble::user("--require-sandbox and --sandbox audit contradict each other")
                .advise("Leave out one of the two flags."))
        }
        (_, true) => Ok(Wanted::Enforce),
        (Some(flag), false) => Ok(flag),
        (None, false) => Ok(of_machine.or(configured).unwrap_or_default()),
    }
}

fn held_out(args: &RunArgs, configured: Option<bool>) -> Holding {
    if args.held_out || configured == Some(true) { Holding::On } else { Holding::Off }
}

fn leaves(args: &RunArgs) -> Leaves {
    Leaves {
        red_baseline: Leave::from(args.allow_red_baseline),
        red_gate: Leave::from(args.allow_red_gate),
        supersede: Leave::from(!args.no_supersede),
        archived: Leave::from(args.archived),
        anew: Leave::from(args.new),
    }
}

#[cfg(test)]
mod tests;
