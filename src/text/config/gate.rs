//! The keys of `tdd.yaml` for sessions under the gate.
//!
//! ```yaml
//! session_gate: { mode: strict, free: ["docs/**"], tools: { mcp__db__query: read, mcp__sh__run: shell } }
//! test_command_for: "make test ONLY={id}"    # for a runner that can't select: {id}, {file}, {name}
//! ```

use std::collections::BTreeMap;

use tdd_core::event::{GateMode, ToolClass};
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{self, Table};

/// What is set for sessions; what was left out is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateSetting {
    pub mode: GateMode,
    pub free: Vec<String>,
    /// Tools that no table of an agent's hooks names.
    pub tools: BTreeMap<String, ToolClass>,
    /// Runs one test, where the runner can't select.
    pub test_command_for: Option<String>,
}

pub(super) fn read(top: &Table<'_>) -> Result<GateSetting, Trouble> {
    let test_command_for = test_command_for(top)?;
    let Some(table) = top.table("session_gate")? else {
        return Ok(GateSetting { test_command_for, ..GateSetting::default() });
    };
    table.only(&["mode", "free", "tools"])?;
    let modes = [("strict", GateMode::Strict), ("warn", GateMode::Warn)];
    let mode = table.one_of("mode", &modes)?.unwrap_or_default();
    let free = table.words("free")?;
    if let Some(bad) = free.iter().find(|glob| globset::Glob::new(glob).is_err()) {
        let why = format!("`{bad}` is no glob");
        return Err(table.wrong("free", &why, "For example: `free: [\"docs/**\"]`."));
    }
    Ok(GateSetting { mode, free, tools: tools(&table)?, test_command_for })
}

fn tools(table: &Table<'_>) -> Result<BTreeMap<String, ToolClass>, Trouble> {
    let Some(named) = table.table("tools")? else { return Ok(BTreeMap::new()) };
    let mut tools = BTreeMap::new();
    let classes = [("read", ToolClass::Read), ("shell", ToolClass::Shell)];
    for name in named.keys()? {
        let class = named.one_of(name, &classes)?;
        let class = class.ok_or_else(|| strict::missing(&named.at(name), "`read` or `shell`"))?;
        tools.insert(name.to_owned(), class);
    }
    Ok(tools)
}

fn test_command_for(top: &Table<'_>) -> Result<Option<String>, Trouble> {
    let command = top.word("test_command_for")?;
    let takes = |command: &String| ["{id}", "{name}", "{file}"].iter().any(|word| command.contains(word));
    match command {
        Some(command) if !takes(&command) => Err(top.wrong(
            "test_command_for",
            "it holds no `{id}`, `{name}` or `{file}`, so it can't be told which test to run",
            "For example: `test_command_for: \"make test ONLY={id}\"`.",
        )),
        command => Ok(command),
    }
}
