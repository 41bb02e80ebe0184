//! One call of an agent: its table with every placeholder filled in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::exchange::Exchange;
use super::failure::missing;
use super::{AgentSetup, RoleAgent};
use crate::agent_table::template::{Argv, Placeholder, Template};
use crate::agent_table::{OwnSandbox, PromptBy};
use tdd_core::ports::{AgentOrder, Allowance};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// The longest argument that the system takes, in bytes, less its closing NUL.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

pub(super) struct Call<'a> {
    agent: &'a RoleAgent,
    setup: &'a AgentSetup,
    role: Role,
    criterion: String,
    number: u8,
    prompt: &'a str,
    role_text: &'a str,
    folder: PathBuf,
    session: Option<String>,
    turns: u32,
    caps: Allowance,
    protected: String,
    /// Variables that name the private folders of this attempt's session.
    state: Vec<(OsString, OsString)>,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        order: &'a AgentOrder,
        agent: &'a RoleAgent,
        setup: &'a AgentSetup,
        exchange: &Exchange,
        spent: Known,
    ) -> Self {
        Self {
            agent,
            setup,
            role: order.asked.role(),
            criterion: order.asked.criterion().map(ToString::to_string).unwrap_or_default(),
            number: order.number,
            prompt: &order.prompt,
            role_text: &order.role_text,
            folder: exchange.folder().to_owned(),
            session: spent.session,
            turns: spent.turns,
            caps: spent.caps,
            protected: spent.protected,
            state: spent.state,
        }
    }

    /// A call as it could be, to find before the first fork what has no value.
    pub(super) fn sample(
        setup: &'a AgentSetup,
        agent: &'a RoleAgent,
        role: Role,
        session: Option<&str>,
    ) -> Self {
        Self {
            agent,
            setup,
            role,
            criterion: String::new(),
            number: 1,
            prompt: "",
            role_text: "",
            folder: setup.exchange_root.clone(),
            session: session.map(str::to_owned),
            turns: 1,
            caps: Allowance::default(),
            protected: String::new(),
            // Nothing is kept of what a program leaves that only tells its version.
            state: agent
                .table
                .state_dirs
                .iter()
                .map(|dir| (OsString::from(&dir.variable), setup.exchange_root.clone().into_os_string()))
                .collect(),
        }
    }

    /// The command line. With `prompt: argv` and no `{prompt}` in it, the prompt comes last.
    pub(super) fn argv(&self, template: &Argv) -> Result<Vec<String>, Trouble> {
        let table = &self.agent.table;
        let mut argv =
            template.fill(&|what| self.value(what)).map_err(|error| missing(&table.name, error))?;
        if table.prompt == PromptBy::Argv && !template.uses(Placeholder::Prompt) {
            argv.extend(self.value(Placeholder::Prompt));
        }
        if let Some(long) = argv.iter().find(|argument| argument.len() > LONGEST_ARGUMENT) {
            return Err(self.too_long(long.len()));
        }
        Ok(argv)
    }

    pub(super) fn fill(&self, template: &Template) -> Result<String, Trouble> {
        template.fill(&|what| self.value(what)).map_err(|error| missing(&self.agent.table.name, error))
    }

    /// The child's whole environment.
    pub(super) fn env(&self) -> Result<BTreeMap<OsString, OsString>, Trouble> {
        let rules = &self.agent.table.env;
        let passes = |name: &OsString| match name.to_str() {
            Some(name) => rules.passes(name),
            None => rules.pass.is_none(),
        };
        let inherited = self.setup.env.iter().filter(|(name, _)| passes(name)).cloned();
        let mut env: BTreeMap<OsString, OsString> = inherited.collect();
        // On a terminal git and others show what is long in a pager, which waits for a key for ever.
        for name in ["PAGER", "GIT_PAGER"] {
            env.insert(name.into(), "cat".into());
        }
        env.extend(self.state.iter().cloned());
        for (name, template) in &rules.set {
            env.insert(OsString::from(name), OsString::from(self.fill(template)?));
        }
        Ok(env)
    }

    pub(super) fn table_files(&self) -> Result<Vec<(String, String)>, Trouble> {
        let files = self.agent.table.files.iter();
        files.map(|(name, template)| Ok((name.clone(), self.fill(template)?))).collect()
    }

    fn value(&self, what: Placeholder) -> Option<String> {
        match what {
            Placeholder::Role => Some(self.setup.task.unwrap_or_else(|| self.role.name()).to_owned()),
            Placeholder::RoleFile => path(&self.folder.join(Exchange::ROLE)),
            Placeholder::RoleText => Some(without_nul(self.role_text)),
            Placeholder::RoleJson => Some(serde_json::Value::from(self.role_text).to_string()),
            Placeholder::PromptFile => path(&self.folder.join(Exchange::PROMPT)),
            Placeholder::Prompt => {
                (self.agent.table.prompt == PromptBy::Argv).then(|| without_nul(self.prompt))
            }
            Placeholder::Criterion => Some(self.criterion.clone()),
            Placeholder::Cwd => path(&self.setup.cwd),
            Placeholder::CwdJson => {
                path(&self.setup.cwd).map(|path| serde_json::Value::from(path).to_string())
            }
            Placeholder::RunDir => path(&self.folder),
            Placeholder::MessageFile => path(&self.folder.join(Exchange::MESSAGE)),
            Placeholder::Model => self.agent.model.clone(),
            Placeholder::Session => self.session.clone(),
            Placeholder::Number => Some(self.number.to_string()),
            // Programs count the last message, too, which is no turn of ours; we count those ourselves.
            Placeholder::MaxTurns => Some(self.turns.saturating_add(1).to_string()),
            Placeholder::MaxUsd => self.caps.least_usd().map(|usd| usd.dollars().to_string()),
            Placeholder::MaxTokens => self.caps.least_tokens().map(|tokens| tokens.to_string()),
            Placeholder::Tdd => path(&self.setup.tdd),
            Placeholder::Cassette => self.setup.cassette.as_deref().and_then(path),
            Placeholder::Protected => Some(self.protected.clone()),
            Placeholder::OwnSandbox => Some((self.agent.table.own_sandbox == OwnSandbox::On).to_string()),
        }
    }

    fn too_long(&self, bytes: usize) -> Trouble {
        let name = &self.agent.table.name;
        let kib = bytes / 1024;
        let trouble = Trouble::config(format!("an argument for the agent `{name}` is too long: {kib} KiB"))
            .because("the system takes at most 128 KiB for one argument");
        if self.agent.table.prompt == PromptBy::Argv {
            return trouble.advise(format!(
                "write `prompt: file` (and {{prompt_file}} in argv) or `prompt: stdin` for agents.{name}"
            ));
        }
        trouble.advise(format!("use {{role_file}} instead of the role's text in the argv of agents.{name}"))
    }
}

/// What is known of an attempt before its call is made.
pub(super) struct Known {
    pub(super) session: Option<String>,
    pub(super) turns: u32,
    pub(super) caps: Allowance,
    /// What the role may not write to, in the table's words.
    pub(super) protected: String,
    pub(super) state: Vec<(OsString, OsString)>,
}

fn path(path: &Path) -> Option<String> {
    path.to_str().map(str::to_owned)
}

/// No argument can hold a NUL; a prompt may, where it quotes what a test printed.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
