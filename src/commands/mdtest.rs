//! `tdd mdtest`: has an agent carry out tests that are written in Markdown.
#![expect(
    clippy::disallowed_methods,
    reason = "finds itself and the suite's folder, writes the report, tells how long it took"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::reports::{Form, ReportFile};
use crate::cli::mdtest::{MdtestArgs, MdtestCommand, MdtestListArgs, MdtestRunArgs};
use crate::settings::{AUTO_AGENT, Environment, OutputMode, SCRIPTED_AGENT};
use crate::text::config::{self, ConfigFile};
use crate::view::{mdtest as view, print};
use crate::world::{config_file, project};
use tdd_agents::agent::{AgentSetup, RoleAgent, RoleAgents, Tasks};
use tdd_agents::mdtest::discovery::{self, Test};
use tdd_agents::mdtest::{News, Suite};
use tdd_child::leftovers;
use tdd_child::passthrough::Operator;
use tdd_child::signals;
use tdd_child::signals::StopSignal;
use tdd_child::unix;
use tdd_core::mdtest::{Results, Status};
use tdd_core::ports::{Allowance, Limits, Setters};
use tdd_core::trouble::Trouble;
use tdd_spec::mdtest::junit;
use tdd_spec::strict::amount;

/// Of one test, if neither the flag nor the agent's table says it.
const DEADLINE: Duration = Duration::from_mins(15);
/// The same with a person at the agent's screen.
const IN_PERSON: Duration = Duration::from_hours(24);
/// What an agent may print for one test.
const OUTPUT: u64 = 64 << 20;
/// The deadline bounds a test; this only keeps an agent that runs in circles from the cost.
const TURNS: u32 = 1000;

pub fn run(args: &MdtestArgs) -> Result<ExitCode, Trouble> {
    match &args.command {
        None => carry_out(&args.run),
        Some(MdtestCommand::Run(args)) => carry_out(args),
        Some(MdtestCommand::List(args)) => list(args),
    }
}

fn list(args: &MdtestListArgs) -> Result<ExitCode, Trouble> {
    let (cwd, _) = super::given::surroundings()?;
    let (_, tests) = find(args, &cwd)?;
    let lines = tests.iter().map(|test| tdd_core::harmless::line(&test.name) + "\n");
    print::result(&lines.collect::<String>());
    Ok(ExitCode::SUCCESS)
}

/// The suite's root, without links, and its tests.
fn find(args: &MdtestListArgs, cwd: &Path) -> Result<(PathBuf, Vec<Test>), Trouble> {
    let wanted = args.dir.as_ref().map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
    let root = wanted.canonicalize().ok().filter(|root| root.is_dir()).ok_or_else(|| {
        Trouble::user(format!("{} is no folder", wanted.display())).advise("name another one with --dir")
    })?;
    project::refuse_others(&root)?;
    let tests = discovery::find(&root, &args.paths, cwd)?;
    Ok((root, tests))
}

fn carry_out(args: &MdtestRunArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let (root, tests) = find(&args.which, &cwd)?;
    let operator = args.interactive.then(Operator::at_terminal).transpose()?;
    let limits = limits(args)?;
    let report = ReportFile::of(Form::Junit, args.junit.as_deref(), &cwd)?;
    let stop = signals::install()?;
    // Descendants of agents that lose their parents come to us, so that the sweep finds them.
    let _ = unix::become_subreaper();
    let exchange = leftovers::exchange_folder(&root)?;
    let raw = raw_folder(&environment)?;
    let tasks = tasks(args, &root, &environment, &Means { exchange: exchange.path(), stop, operator })?;
    for warning in tasks.preflight(&mut |line| print::message(&format!("tdd: {line}")))? {
        print::message(&format!("tdd: {warning}"));
    }
    let total = tests.len();
    let suite = Suite { tests, tasks, limits, raw: raw.path().to_owned(), jobs: usize::from(args.jobs) };
    let output = OutputMode::from(args.output);
    let began = Instant::now();
    let mut tell = |news| told(output, total, &news);
    let (results, trouble) = super::run::execute::event_loop()?.block_on(suite.run(&mut tell));
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if results.outcomes.iter().any(|outcome| outcome.output.is_some()) {
        let _ = raw.keep();
    }
    conclude(&results, duration_ms, output);
    if let Some(report) = &report {
        report.write(&super::junit::made(junit::report(&results))?)?;
    }
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let failed = results.outcomes.iter().any(|outcome| outcome.status == Status::Fail);
    Ok(ExitCode::from(u8::from(failed)))
}

fn told(output: OutputMode, total: usize, news: &News) {
    let is_followed = output.tells_progress();
    match (output, news) {
        (_, News::Note(text)) => print::message(&tdd_core::harmless::lines(text)),
        (_, News::Began { index, test }) if is_followed => print::message(&view::began(*index, total, test)),
        (OutputMode::Json(_), News::Ended { index, outcome }) => {
            print::result(&format!("{}\n", view::json(outcome)));
            if is_followed {
                print::message(&view::ended(*index, total, outcome));
            }
        }
        (_, News::Ended { index, outcome }) if is_followed => {
            print::message(&view::ended(*index, total, outcome));
        }
        (_, News::Began { .. } | News::Ended { .. }) => {}
    }
}

fn conclude(results: &Results, duration_ms: u64, output: OutputMode) {
    print::result(&match output {
        OutputMode::Json(_) | OutputMode::Summary(_) => {
            let unfinished =
                results.unfinished.iter().map(|test| format!("{}\n", view::json_unfinished(test)));
            unfinished.collect::<String>() + &format!("{}\n", view::json_totals(results, duration_ms))
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => view::closing(results, duration_ms),
    });
}

fn limits(args: &MdtestRunArgs) -> Result<Limits, Trouble> {
    let wall_ms = match &args.deadline {
        None if args.interactive => IN_PERSON.as_secs() * 1000,
        None => DEADLINE.as_secs() * 1000,
        Some(text) => amount::duration_ms(text).ok_or_else(|| {
            Trouble::user(format!("--deadline: `{text}` is no duration"))
                .advise("write a number with its unit, for example 90s or 30m")
        })?,
    };
    Ok(Limits {
        turns: TURNS,
        wall_ms,
        idle_ms: wall_ms,
        output_bytes: OUTPUT,
        caps: Allowance::default(),
        set_by: Setters::default(),
    })
}

/// What the agents are sent with.
struct Means<'a> {
    exchange: &'a Path,
    stop: StopSignal,
    operator: Option<Operator>,
}

fn tasks(
    args: &MdtestRunArgs,
    root: &Path,
    environment: &Environment,
    means: &Means<'_>,
) -> Result<Tasks, Trouble> {
    let config = config(root, environment)?;
    let name = args.agent.clone().or(config.agent).unwrap_or_else(|| AUTO_AGENT.to_owned());
    if name == SCRIPTED_AGENT {
        return Err(Trouble::user("the scripted agent carries out no Markdown tests")
            .because("it plays a cassette, and there is none for a suite")
            .advise("name another agent: --agent claude, codex, or a name from tdd.yaml"));
    }
    let mut table = super::run::prepare::agent_table(&name, &config.agents, environment.path.as_deref())?;
    if args.deadline.is_some() {
        (table.wall_ms, table.idle_ms) = (None, None);
    }
    for line in super::run::brought::of_table(&config.agents, &table) {
        print::message(&format!("tdd: {line}"));
    }
    let tdd = std::env::current_exe()
        .map_err(|error| Trouble::environment("the path of this program can't be found").because(error))?;
    let agent = RoleAgent { table, model: None };
    let agent = if means.operator.is_some() { agent.in_person()? } else { agent };
    let exchange = means.exchange;
    Ok(Tasks::new(AgentSetup {
        roles: RoleAgents::all(&agent),
        cwd: root.to_owned(),
        tdd,
        logs: exchange.to_owned(),
        exchange_root: exchange.to_owned(),
        state_root: exchange.to_owned(),
        cassette: None,
        backoff: config.backoff_ms.unwrap_or_default().into_iter().map(Duration::from_millis).collect(),
        stop: means.stop.clone(),
        env: environment.vars.clone(),
        operator: means.operator,
        task: Some("tester"),
    }))
}

/// The settings of the project that the suite lies in; a suite needs neither a project nor git.
fn config(root: &Path, environment: &Environment) -> Result<ConfigFile, Trouble> {
    let has_settings = |folder: &&Path| folder.join(config_file::NAME).exists();
    let outside_git = || root.ancestors().find(has_settings).unwrap_or(root).to_owned();
    let folder = project::locate(root).map_or_else(|_| outside_git(), |place| place.project);
    let text = config_file::read(&folder)?;
    let project = text.map(|text| config::read(config_file::NAME, &text)).transpose()?;
    Ok(super::given::layered(project, super::given::read_own(environment)?).unwrap_or_default())
}

/// Where what the agents print is kept, and their private state while they run. Outside of the suite,
/// because it may hold secrets; and in the person's cache, because codex works with no home below
/// the system's folder for temporary files.
fn raw_folder(environment: &Environment) -> Result<tempfile::TempDir, Trouble> {
    let named = |name: &str| {
        let found = environment.vars.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    let ours = cache.map_or_else(std::env::temp_dir, |cache| cache.join("tdd"));
    let made = std::fs::create_dir_all(&ours)
        .and_then(|()| tempfile::Builder::new().prefix("mdtest-").tempdir_in(&ours));
    made.map_err(|error| {
        Trouble::environment(format!("no folder can be made in {}", ours.display()))
            .because(error)
            .advise("check its permissions, XDG_CACHE_HOME and HOME, and free space")
    })
}
