//! What is to be started for one order: its command line, its folders, and the fence around it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::TableAgents;
use super::bounds::limits;
use super::call::{Call, Known};
use super::exchange::{self, Exchange};
use super::home::{Home, Session, folder_of};
use crate::agent_table::home::Protected;
use crate::agent_table::{AgentTable, MessageFrom, PromptBy, SessionFrom};
use tdd_child::process::{EnvBase, EnvPlan, Size, SpawnOrder, StdinPlan};
use tdd_child::sandbox::{Enclosed, Own};
use tdd_core::attempt::AttemptKind;
use tdd_core::ports::{AgentOrder, Limits};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::StandIns;

/// A child that can be started.
pub(super) struct Prepared {
    pub(super) spawn: SpawnOrder,
    /// Protected files that the sandbox does not hold.
    pub(super) left_out: usize,
    pub(super) limits: Limits,
    pub(super) session: Option<String>,
    /// That session was begun by an earlier attempt.
    pub(super) goes_on: bool,
    pub(super) message_file: Option<exchange::Watched>,
    pub(super) home: Home,
    /// Lines that the child should not print, because it should not have seen them.
    pub(super) out_of_sight: Vec<String>,
    _stand_ins: Option<Rc<StandIns>>,
    /// Lives as long as the child may need it.
    _exchange: Exchange,
}

impl TableAgents {
    /// What is to be started for this order, and how; nothing is forked yet.
    pub(super) fn prepare(&self, order: &AgentOrder) -> Result<Prepared, Trouble> {
        let agent = self.agent(order.asked.role());
        let table = &agent.table;
        let limits = limits(table, &order.limits);
        let resumed = order.session.clone().filter(|_| order.kind == AttemptKind::Format && table.resumes());
        let session = match (&resumed, &table.session) {
            (Some(id), _) => Some(id.clone()),
            (None, Some(SessionFrom::NewUuid)) => Some(exchange::new_uuid()?),
            (None, Some(SessionFrom::Told(_)) | None) => None,
        };
        let begins = if resumed.is_some() { Session::GoesOn } else { Session::New };
        let home = Home::open(&self.setup, table, order, begins)?;
        let known = Known {
            session: session.clone(),
            turns: limits.turns,
            caps: limits.caps,
            protected: self.protected(table, order.asked.role()),
            state: home.variables().collect(),
        };
        let exchange = Exchange::create(&self.setup.exchange_root, order)?;
        let call = Call::new(order, agent, &self.setup, &exchange, known);
        exchange.fill(order, call.table_files()?)?;
        home.fill(&call, &self.setup)?;
        let template = match (&resumed, &table.resume_argv) {
            (Some(_), Some(resume)) => resume,
            (Some(_) | None, _) => &table.argv,
        };
        let argv = call.argv(template)?;
        let message_file = match &table.message {
            MessageFrom::File { path, .. } => Some(exchange.watch(&call.fill(path)?)),
            MessageFrom::Stdout | MessageFrom::Json(_) | MessageFrom::JsonLines(_) => None,
        };
        let stand_ins = self.stand_ins(order.asked.role(), table)?;
        let enclosed = self.enclosed(order, exchange.folder(), &home, stand_ins.as_deref());
        let left_out = enclosed.as_ref().map_or(0, |enclosed| enclosed.left_out);
        let spawn = SpawnOrder {
            argv: argv.into_iter().map(OsString::from).collect(),
            cwd: self.setup.cwd.clone(),
            env: EnvPlan { base: EnvBase::Clear { pass: Vec::new() }, set: call.env()? },
            stdin: match table.prompt {
                PromptBy::Stdin => StdinPlan::File(exchange.prompt_file()),
                PromptBy::File | PromptBy::Argv => StdinPlan::Null,
            },
            log: exchange::free_log(&self.setup.logs, order)?,
            size: Size::default(),
            shim: self.setup.tdd.clone(),
            enclosure: enclosed.map(|enclosed| enclosed.enclosure),
            ended: self.ended.clone(),
        };
        Ok(Prepared {
            spawn,
            left_out,
            limits,
            session,
            goes_on: resumed.is_some(),
            message_file,
            home,
            out_of_sight: order.out_of_sight.clone(),
            _exchange: exchange,
            _stand_ins: stand_ins,
        })
    }

    /// What of the person's home the agent's program uses as its own.
    fn lent(&self, table: &AgentTable, home: &Home) -> Vec<PathBuf> {
        let Some(sandbox) = &self.sandbox else { return Vec::new() };
        let belongings = &sandbox.sandbox_paths.belongings;
        let own = table.uses_home.iter().filter_map(|below| belongings.own(below));
        let transcripts = self.setup.operator.and(table.interactive.as_ref());
        let transcripts = transcripts.and_then(|interactive| interactive.transcripts.as_ref());
        let transcripts = transcripts
            .filter(|kept| home.folder(&kept.variable).is_none())
            .and_then(|kept| folder_of(&kept.variable, &kept.of, &self.setup)?.canonicalize().ok());
        home.lent().chain(own).chain(transcripts).collect()
    }

    /// The fence around a role with its exchange folder and its home.
    fn enclosed(
        &self,
        order: &AgentOrder,
        exchange: &Path,
        home: &Home,
        stand_ins: Option<&StandIns>,
    ) -> Option<Enclosed> {
        let shared = self.own.iter().map(PathBuf::as_path);
        let folders: Vec<&Path> = std::iter::once(exchange).chain(home.base()).chain(shared).collect();
        let lent = self.lent(&self.agent(order.asked.role()).table, home);
        let sandbox = self.sandbox.as_ref()?;
        let hidden = sandbox.settings_of(&self.agent(order.asked.role()).table.hide);
        let own = Own { folders: &folders, lent: &lent, hidden: &hidden };
        let instead = stand_ins.map_or(&[][..], StandIns::pairs);
        Some(sandbox.for_role(order.asked.role(), &own, instead, &self.setup.cwd))
    }

    /// Made once for as long as git's index stays as it is, and the same is out of sight.
    fn stand_ins(&self, role: Role, table: &AgentTable) -> Result<Option<Rc<StandIns>>, Trouble> {
        let Some(sandbox) = &self.sandbox else { return Ok(None) };
        let hidden = sandbox.out_of_sight(role, &table.hide);
        let repository = &sandbox.sandbox_paths.repository;
        let mut known = self.stand_ins.borrow_mut();
        if !known.as_ref().is_some_and(|known| known.are_current(repository, &hidden)) {
            let makes = (!hidden.is_empty()).then_some(hidden);
            let made = makes.map(|hidden| StandIns::make(repository, hidden, &self.setup.exchange_root));
            *known = made.transpose()?.map(Rc::new);
        }
        Ok(known.clone())
    }

    /// What a role may not write to, in the table's words.
    fn protected(&self, table: &AgentTable, role: Role) -> String {
        let (Some(protect), Some((sandbox_paths, sealed))) = (&table.protect, &self.guarded) else {
            return String::new();
        };
        let paths = sandbox_paths.read_only(role, sealed);
        protect.words(paths.iter().filter_map(|path| {
            let text = path.to_str()?;
            Some(if path.is_dir() { Protected::Folder(text) } else { Protected::File(text) })
        }))
    }
}
