//! What the person meant by `tdd fix`: its own flags and the table `fix:`, on top of what every run
//! has.

use super::{Environment, Settings};
use crate::cli::RunArgs;
use crate::cli::fix::FixArgs;
use crate::text::config::ConfigFile;
use crate::text::config::caps::{wall, wanted};
use tdd_core::fix::{RETRIES, TestEdits, Writes};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Cap;

/// Deadlines if nothing is said, in milliseconds: of a type check, of everything else.
pub(super) const TYPE_DEADLINE_MS: u64 = 60_000;
pub(super) const TEST_DEADLINE_MS: u64 = 120_000;
/// The task's title if nobody names one.
const NO_TASK: &str = "the current change";

/// What the person meant.
#[derive(Clone, Debug, PartialEq)]
pub struct FixSettings {
    /// What every run has; its requirement is none.
    pub common: Settings,
    /// Named checks; empty if they are to be found.
    pub checks: Vec<String>,
    /// Who named them.
    pub checks_from: &'static str,
    pub retries: u8,
    pub type_deadline_ms: u64,
    pub test_deadline_ms: u64,
    pub task: String,
    pub test_edits: TestEdits,
    /// What the role is said to write.
    pub writes: Writes,
}

impl FixSettings {
    /// Puts flags, `tdd.yaml` and environment together.
    ///
    /// # Errors
    /// A flag whose value can't be used, or two flags that contradict each other.
    pub fn resolve(
        args: &FixArgs,
        config: Option<ConfigFile>,
        environment: &Environment,
    ) -> Result<Self, Trouble> {
        let config = config.unwrap_or_default();
        let fix = config.fix.clone();
        let writes = config.roles.get(&Role::Fixer).map(|role| role.code).unwrap_or_default();
        let run = RunArgs {
            agent: args.agent.clone(),
            caps: args.caps.clone(),
            isolation: args.isolation.clone(),
            cassette: args.cassette.clone(),
            output: args.output,
            ..RunArgs::default()
        };
        let (checks, checks_from) =
            if args.checks.is_empty() { (fix.checks, "tdd.yaml") } else { (args.checks.clone(), "--check") };
        if checks.iter().any(|check| check.trim().is_empty() || check.contains('\0')) {
            return Err(Trouble::user("--check holds no command")
                .advise("Give it a shell command, for example --check 'mypy .'."));
        }
        let type_deadline = time("--type-deadline", args.type_deadline.as_deref())?;
        let test_deadline = time("--test-deadline", args.test_deadline.as_deref())?;
        let task = args.task.as_deref().map(str::trim).filter(|task| !task.is_empty());
        Ok(Self {
            common: Settings::resolve(&run, Some(config), environment)?,
            checks: checks.into_iter().map(|check| check.trim().to_owned()).collect(),
            checks_from,
            retries: args.max_retries.or(fix.max_retries).unwrap_or(RETRIES),
            type_deadline_ms: type_deadline.or(fix.type_deadline_ms).unwrap_or(TYPE_DEADLINE_MS),
            test_deadline_ms: test_deadline.or(fix.test_deadline_ms).unwrap_or(TEST_DEADLINE_MS),
            task: task.unwrap_or(NO_TASK).to_owned(),
            test_edits: if args.allow_test_edits { TestEdits::Allowed } else { TestEdits::Refused },
            writes,
        })
    }
}

fn time(flag: &str, text: Option<&str>) -> Result<Option<u64>, Trouble> {
    let Some(text) = text else { return Ok(None) };
    wall(text).map(Some).ok_or_else(|| {
        Trouble::user(format!("{flag} can't be `{text}`")).advise(format!("It wants {}.", wanted(Cap::Wall)))
    })
}
