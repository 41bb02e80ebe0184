//! The conformance kit: one list of obligations, run over every agent.
//!
//! ```text
//! agent's table ─► pointed at the server by its `kit:` ─► agents::agent ─► the real program
//!                                                                             │ asks
//! obligation ─► its answers, in one script for all ─► model server ◄──────────┘
//!      │                                                   │ notes each request
//!      └─► its proof: looks at the report, the requests, the tree and the processes ─► verdict
//! ```
//!
//! Each obligation has a trial of its own: a fresh home, project and exchange folder. Nothing of the
//! person's environment but `PATH` reaches the agent, so no account of theirs is ever used.
#![expect(clippy::disallowed_methods, reason = "makes the folder of the trials")]

mod obligation;
mod page;
mod planted;
mod proof;
mod server;
mod trial;

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::obligation::{Company, OBLIGATIONS, Obligation};
use self::page::Column;
use self::server::ModelServer;
use self::trial::{Lab, Trial};
use crate::cli::{DoctorArgs, RunArgs};
use crate::commands::run::prepare;
use crate::settings::{Environment, Settings};
use crate::view::print;
use crate::world::project;
use tdd_agents::agent::RoleAgent;
use tdd_agents::agent_table::kit::Kit;
use tdd_child::sandbox;
use tdd_child::signals;
use tdd_child::unix;
use tdd_core::trouble::{Trouble, TroubleKind};

/// Trials that run at once: most of their time they wait.
const AT_ONCE: usize = 6;

/// What became of one obligation, and how or why.
#[derive(Clone, Debug)]
enum Verdict {
    Met(String),
    NotMet(String),
    NotApplicable(String),
}

/// One obligation of one agent, looked at.
struct Finding {
    obligation: &'static Obligation,
    verdict: Verdict,
    took: Duration,
}

/// Exit 0 if no obligation is unmet, else 1.
pub(super) fn run(args: &DoctorArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = crate::commands::given::surroundings()?;
    let settings = settings(args, &cwd, &environment)?;
    let obligations = chosen(args)?;
    let tdd = std::env::current_exe()
        .map_err(|error| Trouble::environment("the path of this program can't be found").because(error))?;
    let program = server::Program::chosen(args.model_server.as_deref(), &tdd);
    let stop = signals::install()?;
    // Descendants of children that lose their parents come to us, so that the sweep finds them.
    let _ = unix::become_subreaper();
    let folder = tempfile::Builder::new().prefix("tdd-kit-").tempdir();
    let folder = folder.map_err(|error| {
        Trouble::environment("no temporary folder can be made")
            .because(error)
            .advise("check TMPDIR and free space")
    })?;
    let sandbox = sandbox::choose(settings.sandbox, &settings.reach, environment.path.as_deref())?;
    let mut candidates: Vec<Candidate> = Vec::new();
    for name in &args.agent {
        if candidates.iter().any(|known| known.agent.table.name == *name) {
            continue;
        }
        let agent = prepare::agents(&settings, &environment, &[name.clone(), name.clone(), name.clone()])?;
        let folder = folder.path().join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|error| Trouble::environment("no folder can be made").because(error))?;
        let lab = Lab {
            tdd: tdd.clone(),
            // One for each agent, because its notes do not tell who asked.
            server: ModelServer::start(&program, &folder, &obligation::script())?,
            folder: folder.canonicalize().unwrap_or(folder),
            path: environment.path.clone(),
            sandbox: sandbox.clone(),
            reach: settings.reach.clone(),
            stop: stop.clone(),
        };
        candidates.push(Candidate::new(lab, agent.test_writer)?);
    }
    let mut findings = examine(&candidates, &obligations)?;
    let columns: Vec<Column> = candidates
        .iter()
        .map(|candidate| {
            let own = findings.extract_if(.., |(agent, _)| *agent == candidate.agent.table.name);
            let mut findings: Vec<Finding> = own.map(|(_, finding)| finding).collect();
            findings
                .sort_by_key(|one| OBLIGATIONS.iter().position(|other| other.name == one.obligation.name));
            Column { agent: candidate.agent.table.name.clone(), version: candidate.version.clone(), findings }
        })
        .collect();
    print::result(&page::page(&columns, &sandbox.isolation, page::Shape::of(args)));
    let mut findings = columns.iter().flat_map(|column| &column.findings);
    let unmet = findings.any(|one| matches!(one.verdict, Verdict::NotMet(_)));
    Ok(if unmet { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// `tdd.yaml` is read if there is one, for agents of the person's own; a project is not needed.
fn settings(args: &DoctorArgs, cwd: &Path, environment: &Environment) -> Result<Settings, Trouble> {
    let config = match project::locate(cwd) {
        Ok(place) => crate::commands::given::read_settings(&place, environment)?,
        Err(_) => crate::commands::given::read_own(environment)?,
    };
    let run = RunArgs { isolation: args.isolation.clone(), ..RunArgs::default() };
    Settings::resolve(&run, config, environment)
}

/// `--only`, or all.
fn chosen(args: &DoctorArgs) -> Result<Vec<&'static Obligation>, Trouble> {
    let known: Vec<&str> = OBLIGATIONS.iter().map(|one| one.name).collect();
    if let Some(unknown) = args.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Trouble::user(format!("--only names `{unknown}`, which is no obligation"))
            .advise(format!("known are: {}", known.join(", "))));
    }
    let is_wanted = |one: &&Obligation| args.only.is_empty() || args.only.iter().any(|name| name == one.name);
    Ok(OBLIGATIONS.iter().filter(is_wanted).collect())
}

/// An agent that is to be looked at.
struct Candidate {
    lab: Lab,
    agent: RoleAgent,
    kit: Kit,
    /// What its program says of its version.
    version: String,
}

impl Candidate {
    fn new(lab: Lab, agent: RoleAgent) -> Result<Self, Trouble> {
        let Some(kit) = agent.table.kit.clone() else { return Err(no_kit(&agent.table.name)) };
        let version = Trial::new(&lab, &agent, &kit, "version")?.version()?;
        Ok(Self { lab, agent, kit, version })
    }

    fn look(&self, obligation: &'static Obligation) -> Result<(String, Finding), Trouble> {
        let began = Instant::now();
        let verdict =
            Trial::new(&self.lab, &self.agent, &self.kit, obligation.name)?.verdict(obligation.proof)?;
        Ok((self.agent.table.name.clone(), Finding { obligation, verdict, took: began.elapsed() }))
    }
}

/// Every candidate and obligation; those that bear company at once, then the others one by one.
/// The first trouble of ours ends it: a stop, a full disk.
fn examine(
    candidates: &[Candidate],
    obligations: &[&'static Obligation],
) -> Result<Vec<(String, Finding)>, Trouble> {
    // The last of the list take the longest.
    let pairs =
        obligations.iter().rev().flat_map(|one| candidates.iter().map(move |candidate| (candidate, *one)));
    let (in_company, alone): (Vec<_>, Vec<_>) = pairs.partition(|(_, one)| one.company == Company::Welcome);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let look = || {
        while let Some((candidate, obligation)) = in_company.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = candidate.look(obligation);
            if outcome.is_err() {
                next.store(in_company.len(), Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..AT_ONCE {
            // With fewer threads it takes longer, and that is all.
            let _ = std::thread::Builder::new().name("tdd-kit".to_owned()).spawn_scoped(scope, look);
        }
        look();
    });
    let mut findings: Vec<_> =
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect::<Result<_, _>>()?;
    for (candidate, obligation) in alone {
        findings.push(candidate.look(obligation)?);
    }
    Ok(findings)
}

fn no_kit(name: &str) -> Trouble {
    Trouble::config(format!("the table of `{name}` has no `kit:` section"))
        .because("it says how the agent is pointed at a scripted model on loopback")
        .advise(
            "add one, for example:\n\
             kit:\n  \
               api: chat                                  # anthropic, responses, chat or gemini\n  \
               env: { OPENAI_BASE_URL: \"{server}/v1\", OPENAI_API_KEY: dummy }",
        )
}

/// Whether a trouble says something of us and not of the agent.
fn is_ours(trouble: &Trouble) -> bool {
    matches!(trouble.kind, TroubleKind::Internal | TroubleKind::Stopped(_))
}
