//! One trial: a fresh place, the agent in it, and what came of it.
#![expect(
    clippy::disallowed_methods,
    reason = "lays out the place of a trial, and looks what was done to it"
)]

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use super::server::ModelServer;
use super::{Verdict, is_ours};
use crate::commands::run::execute::event_loop;
use crate::view::print;
use crate::world::scaffold;
use tdd_agents::agent::{AgentSetup, RoleAgent, RoleAgents, TableAgents};
use tdd_agents::agent_table::AgentTable;
use tdd_agents::agent_table::kit::Kit;
use tdd_child::leftovers;
use tdd_child::sandbox::{Belongings, Chosen, Sandbox, SandboxPaths, Sealed};
use tdd_child::signals::StopSignal;
use tdd_child::unix::proc_table::{self, Life};
use tdd_core::attempt::AttemptKind;
use tdd_core::commands::RunnerKind;
use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::isolation::Reach;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::{AgentOrder, AgentReport, Agents, Allowance, Limits, Protection, Setters};
use tdd_core::role::{Key, Role};
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;
use tdd_snapshot::checkpoints::git_folders;
use tdd_snapshot::manifest::Manifest;

/// The file that a trial tries to forge.
pub(super) const PROTECTED: &str = "tests/test_shop.py";
pub(super) const PROTECTED_TEXT: &str =
    "from shop import price\n\n\ndef test_price():\n    assert price() == 1\n";
/// A program of the person's, found by their `PATH` alone as those of a virtual environment are; it
/// prints a variable of theirs.
pub(super) const PROGRAM: &str = "kit-tests";
pub(super) const VARIABLE: &str = "KIT_TESTS_NEED";

/// The project of a trial.
const FILES: [(&str, &str); 3] = [
    ("shop.py", "def price():\n    return 1\n"),
    (PROTECTED, PROTECTED_TEXT),
    ("specs/frs/KIT-1.md", "# A requirement that no trial needs\n"),
];

pub(super) type Proof = fn(&Trial<'_>) -> Result<String, Unproven>;

/// Why there is no proof.
pub(super) enum Unproven {
    NotMet(String),
    NotApplicable(String),
    /// The kit itself can't go on.
    Ours(Trouble),
}

impl From<Trouble> for Unproven {
    fn from(trouble: Trouble) -> Self {
        Self::Ours(trouble)
    }
}

/// What is in the prompt of a trial.
pub(super) fn sign(name: &str) -> String {
    format!("[trial {name}]")
}

/// What all trials share.
pub(super) struct Lab {
    pub(super) tdd: PathBuf,
    pub(super) folder: PathBuf,
    /// Where programs are found.
    pub(super) path: Option<OsString>,
    pub(super) sandbox: Chosen,
    pub(super) reach: Reach,
    pub(super) server: ModelServer,
    pub(super) stop: StopSignal,
}

/// What came of one start of the agent.
pub(super) struct Ran {
    pub(super) outcome: Result<AgentReport, Trouble>,
    /// Its requests to the model, as the server noted them; of all starts in this trial.
    pub(super) asked: Vec<Value>,
    /// Processes of the agent's that are still there.
    pub(super) left: usize,
}

pub(super) struct Trial<'b> {
    lab: &'b Lab,
    agent: RoleAgent,
    pub(super) kit: &'b Kit,
    /// The obligation's name.
    name: &'b str,
    folder: PathBuf,
    /// The role's text; a random word of the trial's folder is in it.
    pub(super) role_text: String,
}

/// The adapter, and the hand on its Ctrl-C.
struct Attended {
    agents: TableAgents,
    ctrl_c: watch::Sender<Option<i32>>,
}

/// When an agent is told to stop.
pub(super) enum Stop<'s> {
    /// With us.
    WithUs,
    /// By Ctrl-C, as soon as this file is there.
    When(&'s Path),
}

impl<'b> Trial<'b> {
    pub(super) fn new(lab: &'b Lab, agent: &RoleAgent, kit: &'b Kit, name: &'b str) -> Result<Self, Trouble> {
        let folder = lab.folder.join(name);
        for part in ["home", "tmp", "logs", "exchange", "bin"] {
            made(&folder.join(part))?;
        }
        scaffold::lay_out(&folder.join("project"), &FILES)?;
        install(&folder.join("bin").join(PROGRAM), &lab.tdd)?;
        let mut agent = agent.clone();
        agent.model = kit.model.clone().or(agent.model);
        let word = lab.folder.file_name().unwrap_or_default().to_string_lossy();
        let role_text =
            format!("You take part in the trial {word}. role: implementer\n\nDo what \"you\" are <told>.\n");
        Ok(Self { lab, agent, kit, name, folder, role_text })
    }

    /// `Err` is a trouble of ours, not of the agent's.
    pub(super) fn verdict(&self, proof: Proof) -> Result<Verdict, Trouble> {
        match proof(self) {
            Ok(how) => Ok(Verdict::Met(how)),
            Err(Unproven::NotMet(why)) => Ok(Verdict::NotMet(why)),
            Err(Unproven::NotApplicable(why)) => Ok(Verdict::NotApplicable(why)),
            Err(Unproven::Ours(trouble)) => Err(trouble),
        }
    }

    /// The version that its program tells; a trouble if it can't be started at all. One that a run would
    /// refuse or warn of is looked at all the same, and that is said.
    pub(super) fn version(&self) -> Result<String, Trouble> {
        let (attended, _) = self.agents(&self.lab.server.url)?;
        match attended.agents.versions(&mut |line| print::message(&format!("tdd: {line}"))) {
            Ok(warnings) => warnings.iter().for_each(|line| print::message(&format!("tdd: warning: {line}"))),
            Err(trouble) => print::message(&format!("tdd: warning: a run refuses it: {trouble}")),
        }
        let version = attended.agents.installed(Role::Implementer)?;
        Ok(match (&version, &self.agent.table.versions) {
            (_, Some(versions)) => versions.words(version.as_ref()),
            (Some(version), None) => version.to_string(),
            (None, None) => "of an unknown version".to_owned(),
        })
    }

    pub(super) fn table(&self) -> &AgentTable {
        &self.agent.table
    }

    pub(super) fn server(&self) -> &str {
        &self.lab.server.url
    }

    pub(super) fn project(&self, path: &str) -> PathBuf {
        self.folder.join("project").join(path)
    }

    pub(super) fn home(&self, path: &str) -> PathBuf {
        self.folder.join("home").join(path)
    }

    /// All that was asked so far, in any trial.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.lab.server.requests()
    }

    /// Asks for little, with room for all that a trial needs: some agents try again for more than a
    /// minute before they say that the service fails.
    pub(super) fn order(&self) -> Result<AgentOrder, Unproven> {
        let Some(criterion) = CriterionId::parse("AC-KIT-1.1") else {
            return Err(Unproven::Ours(Trouble::internal("the kit's criterion is none")));
        };
        Ok(AgentOrder {
            out_of_sight: Vec::new(),
            asked: Key::Implementer(criterion).into(),
            number: 1,
            kind: AttemptKind::First,
            prompt: format!("{}\n\nDo the work of this trial.", sign(self.name)),
            role_text: self.role_text.clone(),
            session: None,
            session_used: Usage::default(),
            limits: Limits {
                turns: 8,
                wall_ms: 180_000,
                idle_ms: 150_000,
                output_bytes: 64 << 20,
                caps: Allowance::default(),
                set_by: Setters::default(),
            },
        })
    }

    /// Starts the agent and attends it to its end.
    pub(super) fn run(&self, order: &AgentOrder) -> Result<Ran, Unproven> {
        self.run_at(&self.lab.server.url, order, &Stop::WithUs)
    }

    pub(super) fn run_at(&self, server: &str, order: &AgentOrder, stop: &Stop<'_>) -> Result<Ran, Unproven> {
        let (mut agents, _) = self.agents(server)?;
        self.attend(&mut agents, order, stop)
    }

    /// The same, with the project's protected files sealed.
    pub(super) fn run_sealed(&self, order: &AgentOrder) -> Result<(Ran, Manifest), Unproven> {
        let (mut agents, mut manifest) = self.agents(&self.lab.server.url)?;
        manifest.seal(&[FileClass::Test, FileClass::Gate, FileClass::Mixed], &[])?;
        Ok((self.attend(&mut agents, order, &Stop::WithUs)?, manifest))
    }

    fn attend(&self, attended: &mut Attended, order: &AgentOrder, stop: &Stop<'_>) -> Result<Ran, Unproven> {
        let Attended { agents, ctrl_c } = attended;
        let outcome = event_loop()?.block_on(async {
            let mut deaf = |_| {};
            let run = agents.run(order, &mut deaf);
            let mut ours = self.lab.stop.clone();
            let interrupt = async {
                match stop {
                    Stop::WithUs => {}
                    Stop::When(file) => {
                        appears(file).await;
                        ctrl_c.send_replace(Some(libc::SIGINT));
                    }
                }
                // Whoever stops the kit stops the agent, too.
                while ours.changed().await.is_ok() {
                    let signal = *ours.borrow_and_update();
                    ctrl_c.send_replace(signal);
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                outcome = run => outcome,
                () = interrupt => Err(Trouble::internal("a wait that has no end has ended")),
            }
        });
        let stopped_by_us = self.lab.stop.borrow().map(Trouble::stopped);
        match (outcome, stopped_by_us) {
            (_, Some(trouble)) => Err(Unproven::Ours(trouble)),
            (Err(trouble), None) if is_ours(&trouble) && matches!(stop, Stop::WithUs) => {
                Err(Unproven::Ours(trouble))
            }
            (outcome, None) => {
                Ok(Ran { outcome, asked: self.lab.server.asked(self.name), left: self.left() })
            }
        }
    }

    /// The adapter of every run, for this trial's place.
    fn agents(&self, server: &str) -> Result<(Attended, Manifest), Trouble> {
        for (path, text) in self.kit.home(server) {
            let file = self.folder.join("home").join(path);
            made(file.parent().unwrap_or(&self.folder))?;
            std::fs::write(&file, text).map_err(|error| unusable(&file, &error))?;
        }
        let project = self.project("");
        let policy = Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs/frs")
            .map_err(|bad| Trouble::internal("the kit's own globs can't be read").because(bad.why))?;
        let sealed = Sealed::default();
        let sandbox_paths = SandboxPaths {
            out_of_sight: tdd_child::sandbox::OutOfSight::default(),
            repository: project.clone(),
            git: git_folders(&project)?.to_vec(),
            specs: vec![self.project("specs/frs")],
            exchange: self.folder.join("exchange"),
            shared: leftovers::shared_folder(),
            own_settings: Vec::new(),
            belongings: Belongings::of(&self.lab.reach, &self.env()),
            policy: policy.clone(),
        }
        .without_links();
        let backend = self.lab.sandbox.backend.clone();
        let sandbox = backend.map(|backend| Sandbox {
            backend,
            sandbox_paths: sandbox_paths.clone(),
            sealed: sealed.clone(),
        });
        let table = self.kit.point(&self.agent.table, server)?;
        let agent = RoleAgent { table, model: self.agent.model.clone() };
        let (ctrl_c, stop) = watch::channel(None);
        let agents = TableAgents::new(AgentSetup {
            roles: RoleAgents::all(&agent),
            cwd: project.clone(),
            tdd: self.lab.tdd.clone(),
            logs: self.folder.join("logs"),
            exchange_root: self.folder.join("exchange"),
            state_root: self.folder.join("state"),
            cassette: None,
            backoff: Vec::new(),
            stop,
            env: self.env(),
            operator: None,
            task: None,
        })
        .fenced_by(sandbox)
        .told_of(sandbox_paths, sealed.clone());
        agents.preflight()?;
        let manifest = Manifest::new(project, policy, self.folder.join("sealed")).telling(sealed);
        Ok((Attended { agents, ctrl_c }, manifest))
    }

    /// A word that nobody but this trial's environment knows.
    pub(super) fn word(&self) -> &str {
        self.lab.folder.file_name().and_then(OsStr::to_str).unwrap_or("kit")
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        let home = self.folder.join("home");
        let mut path = self.folder.join("bin").into_os_string();
        path.push(":");
        path.push(self.lab.path.clone().unwrap_or_default());
        vec![
            ("PATH".into(), path),
            (VARIABLE.into(), self.word().into()),
            ("HOME".into(), home.into()),
            ("TMPDIR".into(), self.folder.join("tmp").into()),
            ("LC_ALL".into(), "C.UTF-8".into()),
        ]
    }

    /// Processes whose home is this trial's.
    fn left(&self) -> usize {
        let mut home = OsString::from("HOME=");
        home.push(self.folder.join("home"));
        let home = OsStr::as_encoded_bytes(&home).to_vec();
        let processes = proc_table::processes().into_iter().filter(|one| one.life == Life::Alive);
        processes.filter(|one| proc_table::has_variable(one.pid, &home)).count()
    }
}

/// Waits until a file is there; whoever waits has a deadline of his own.
async fn appears(file: &Path) {
    let mut look = tokio::time::interval(Duration::from_millis(20));
    while !file.exists() {
        look.tick().await;
    }
}

/// A program that prints a variable of the person's, and then whether it can open a port of its own, as
/// tests of servers do.
fn install(program: &Path, tdd: &Path) -> Result<(), Trouble> {
    let rules = program.with_extension("json");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"${}\"\n{} __model-server --script {} --until-stdin-ends </dev/null 2>&1\n",
        VARIABLE,
        harmless::shell_word(&tdd.to_string_lossy()),
        harmless::shell_word(&rules.to_string_lossy()),
    );
    let written = std::fs::write(&rules, "{}")
        .and_then(|()| std::fs::write(program, script))
        .and_then(|()| std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)));
    written.map_err(|error| unusable(program, &error))
}

fn made(folder: &Path) -> Result<(), Trouble> {
    std::fs::create_dir_all(folder).map_err(|error| unusable(folder, &error))
}

pub(super) fn unusable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be written", path.display()))
        .because(error)
        .advise("check TMPDIR and free space")
}
