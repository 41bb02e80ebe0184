//! How a table's agent is pointed at another model server, for the conformance kit.
//!
//! ```text
//! kit:
//!   api:   anthropic | responses | chat | gemini      what the agent speaks
//!   env:   {NAME: text}          on top of the table's own
//!   args:  [text, …]             after the table's own, when a session begins and when it goes on
//!   model: text                  for {model}
//!   home:  {PATH: text}          files of the fresh home that it gets
//!   tools: [NAME, …]             tools that it offers beside Read, Grep, Glob, Write, Edit and Bash
//! ```
//!
//! `{server}` in a text is the server's base URL without a path; the table's own placeholders hold
//! in `env` and `args`. A key must be given where the agent asks for one; any text does.

use super::AgentTable;
use super::template::{Argument, Template};
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, about, unknown_word};

/// The words of `api:`, as the model server's log has them.
const APIS: [&str; 4] = ["anthropic", "responses", "chat", "gemini"];
const SERVER: &str = "{server}";

/// The `kit:` section of a table. Texts are kept as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kit {
    pub api: String,
    env: Vec<(String, String)>,
    args: Vec<String>,
    pub model: Option<String>,
    home: Vec<(String, String)>,
    /// Tools that are no more than the six, by other names, or harmless beside them.
    pub tools: Vec<String>,
}

impl Kit {
    /// The same table, with its agent pointed at `server` (`http://127.0.0.1:PORT`).
    pub fn point(&self, table: &AgentTable, server: &str) -> Result<AgentTable, Trouble> {
        let template = |key: &str, text: &str| {
            Template::read(&format!("agents.{}.kit.{key}", table.name), &text.replace(SERVER, server))
        };
        let mut pointed = table.clone();
        for (name, value) in &self.env {
            pointed.env.set.retain(|(known, _)| known != name);
            pointed.env.set.push((name.clone(), template("env", value)?));
        }
        let args: Vec<Argument> =
            self.args.iter().map(|arg| template("args", arg).map(Argument::One)).collect::<Result<_, _>>()?;
        let lines = std::iter::once(&mut pointed.argv).chain(&mut pointed.resume_argv);
        lines.for_each(|argv| argv.0.extend(args.iter().cloned()));
        Ok(pointed)
    }

    /// The files of the fresh home: path and content.
    pub fn home(&self, server: &str) -> Vec<(String, String)> {
        let filled = |(path, text): &(String, String)| (path.clone(), text.replace(SERVER, server));
        self.home.iter().map(filled).collect()
    }
}

pub(super) fn read(map: &Table<'_>) -> Result<Option<Kit>, Trouble> {
    let Some(value) = map.get("kit") else { return Ok(None) };
    let inner = Table::open(map.at("kit"), value, &["api", "env", "args", "model", "home", "tools"])?;
    let api = inner.text("api")?.unwrap_or_default();
    if !APIS.contains(&api.as_str()) {
        return Err(unknown_word(&inner.at("api"), &api, &APIS));
    }
    let kit = Kit {
        api,
        env: inner.text_map("env")?,
        args: inner.texts("args")?.unwrap_or_default(),
        model: inner.text("model")?,
        home: home(&inner)?,
        tools: inner.texts("tools")?.unwrap_or_default(),
    };
    let names_server = |text: &String| text.contains(SERVER);
    let texts = kit.env.iter().chain(&kit.home).map(|(_, text)| text).chain(&kit.args);
    if !texts.clone().any(names_server) {
        return Err(about(map.at("kit"), "does not point the agent at a server")
            .because("nothing in it holds {server}")
            .advise(
                "say in `env`, `args` or `home` where the agent finds its model: http://…, as {server}",
            ));
    }
    for text in texts {
        Template::read(map.path(), &text.replace(SERVER, ""))?;
    }
    Ok(Some(kit))
}

/// Files of the home lie in it, wherever their paths would lead.
fn home(map: &Table<'_>) -> Result<Vec<(String, String)>, Trouble> {
    let files = map.text_map("home")?;
    let leaves = |path: &str| {
        path.is_empty() || path.split('/').any(|part| part.is_empty() || part == "." || part == "..")
    };
    match files.iter().find(|(path, _)| leaves(path)) {
        None => Ok(files),
        Some((path, _)) => Err(about(map.at("home"), format_args!("holds the path `{path}`"))
            .because("such files lie in the agent's fresh home")
            .advise("write a plain path below it, for example .config/agent.json")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_text;
    use crate::agent_table::template::Placeholder;

    const TABLE: &str = "argv: [a, '{prompt_file}']\nsession: new-uuid\nresume_argv: [a, -r, '{session}']\n\
                         env: {set: {URL: none, X: y}}\n";

    fn read(kit: &str) -> Result<super::AgentTable, super::Trouble> {
        read_text("mine", &format!("{TABLE}kit: {kit}"))
    }

    #[test]
    fn a_table_is_pointed_at_a_server() {
        let table = read("{api: chat, env: {URL: '{server}/v1'}, args: [--at, '{server}', '{role}'], home: {a/b: 'u={server}'}}").unwrap();
        let kit = table.kit.clone().unwrap();
        let pointed = kit.point(&table, "http://h:1").unwrap();
        let fill = |what: Placeholder| Some(what.name().to_uppercase());
        assert_eq!(pointed.argv.fill(&fill).unwrap(), ["a", "PROMPT_FILE", "--at", "http://h:1", "ROLE"]);
        let resumed = pointed.resume_argv.unwrap().fill(&fill).unwrap();
        assert_eq!(resumed, ["a", "-r", "SESSION", "--at", "http://h:1", "ROLE"]);
        let env: Vec<(String, String)> =
            pointed.env.set.iter().map(|(name, value)| (name.clone(), value.fill(&fill).unwrap())).collect();
        let want = [("X", "y"), ("URL", "http://h:1/v1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(env, want, "the kit's own wins");
        assert_eq!(kit.home("http://h:1"), [("a/b".to_owned(), "u=http://h:1".to_owned())]);
    }

    #[test]
    fn what_is_wrong_with_a_kit_is_named() {
        for (kit, what) in [
            ("{api: soap, env: {U: '{server}'}}", "kit.api"),
            ("{env: {U: '{server}'}}", "kit.api"),
            ("{api: chat}", "does not point"),
            ("{api: chat, url: x}", "url` is not known"),
            ("{api: chat, args: ['{server}{nope}']}", "{nope}"),
            ("{api: chat, home: {../x: '{server}'}}", "../x"),
            ("{api: chat, home: {/x: '{server}'}}", "/x"),
        ] {
            let trouble = read(kit).unwrap_err();
            assert!(trouble.what.contains(what), "{kit}: {trouble}");
        }
    }
}
