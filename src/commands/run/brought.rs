//! What a repository would have started: agents that its `tdd.yaml` describes (contract section 12).

use std::collections::BTreeMap;

use crate::settings::OutputMode;
use crate::view::print;
use crate::world::config_file;
use tdd_agents::agent::RoleAgents;
use tdd_agents::agent_table::AgentTable;
use tdd_agents::agent_table::layers::AgentSetting;
use tdd_core::harmless;
use tdd_core::role::Role;

/// Told before the first fork; results on stdout are not mixed with it.
pub fn tell(output: OutputMode, agents: &BTreeMap<String, AgentSetting>, roles: &RoleAgents) {
    if output == OutputMode::Quiet {
        return;
    }
    for line in lines(agents, roles) {
        print::message(&format!("tdd: {line}"));
    }
}

/// Each agent once, in the order of the roles.
pub fn lines(agents: &BTreeMap<String, AgentSetting>, roles: &RoleAgents) -> Vec<String> {
    let mut tables: Vec<&AgentTable> = Role::ALL.map(|role| &roles.of(role).table).into();
    tables.dedup_by(|one, other| one.name == other.name);
    tables.into_iter().flat_map(|table| of_table(agents, table)).collect()
}

/// The same for one agent.
pub fn of_table(agents: &BTreeMap<String, AgentSetting>, table: &AgentTable) -> Vec<String> {
    let calls = agents.get(&table.name).map(|said| said.brought(&table.name, table)).unwrap_or_default();
    let told = |words: String| {
        format!("the agent `{}` is from this repository's {}; it {words}", table.name, config_file::NAME)
    };
    let call = |(number, call): (usize, &String)| {
        let when = if number == 0 { "is called as" } else { "goes on as" };
        told(format!("{when}: {call}"))
    };
    let lent = lent(agents, table).into_iter().map(|path| told(format!("may use of your home: {path}")));
    calls.iter().enumerate().map(call).chain(lent).collect()
}

/// What this agent may use of the person's home, where the repository says how it is called.
pub fn lent(agents: &BTreeMap<String, AgentSetting>, table: &AgentTable) -> Vec<String> {
    let lent = agents.get(&table.name).map(|said| said.lent(&table.name, table)).unwrap_or_default();
    lent.iter().map(|path| format!("~/{}", harmless::line(path))).collect()
}
