//! Agent tables of two files: the repository's and the person's own (contract section 12).
//!
//! A name that is not built in is whatever the repository's table says, else the person's. What a
//! built-in name means is the person's to say: a repository can bound such an agent, and not say how
//! it is called, so that `--agent claude` starts what the person takes it for.

use std::rc::Rc;

use serde_yaml::Value;

use super::template::Argv;
use super::{AgentTable, builtin, read, yaml};
use tdd_core::harmless;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::Table;
use tdd_spec::strict::line::nearest_line;

/// What the two files say of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSetting {
    /// In `tdd.yaml` of the project.
    pub project: Option<Said>,
    /// In the person's own settings.
    pub person: Option<Said>,
}

/// A table as it stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// `Null` where the file has the name and nothing behind it.
    pub value: Value,
    /// How messages call the file.
    pub file: Rc<str>,
    /// All of the file, where the lines of settings are looked for.
    pub source: Rc<str>,
}

impl Said {
    fn placed(&self, trouble: Trouble) -> Trouble {
        trouble.in_file(&self.file, |setting| nearest_line(&self.source, setting))
    }

    fn read(&self, name: &str) -> Result<AgentTable, Trouble> {
        read(name, &self.value).map_err(|trouble| self.placed(trouble))
    }
}

/// What a repository may say of a built-in agent: bounds, and what it writes.
const BOUNDS: [&str; 6] = ["like", "max_turns", "wall", "idle", "output_cap", "code"];

impl AgentSetting {
    /// The table that `name` means; `None` if nobody describes it.
    ///
    /// # Errors
    /// A table that can't be used, or one of a repository that says how a built-in agent is called.
    pub fn table(&self, name: &str) -> Result<Option<AgentTable>, Trouble> {
        let something = |said: &'_ Option<Said>| said.clone().filter(|said| !said.value.is_null());
        let (project, person) = (something(&self.project), something(&self.person));
        let Some(text) = builtin(name) else {
            // Nothing behind a name is told to who wants that agent.
            let said = project.or(person).or_else(|| self.project.clone()).or_else(|| self.person.clone());
            return said.map(|said| said.read(name)).transpose();
        };
        let Some(bounds) = project else {
            return match person {
                Some(own) => own.read(name).map(Some),
                None => read(name, &yaml(name, text)?).map(Some),
            };
        };
        // The person's own is looked at alone first, so that what is wrong is told of its file.
        let mut value = match person {
            Some(own) => own.read(name).map(|_| own.value)?,
            None => yaml(name, text)?,
        };
        refuse_call(name, &bounds.value).map_err(|trouble| bounds.placed(trouble))?;
        let own = bounds.value.as_mapping().into_iter().flatten();
        for (key, bound) in own.filter(|(key, _)| key.as_str() != Some("like")) {
            value[key] = bound.clone();
        }
        read(name, &value).map(Some).map_err(|trouble| bounds.placed(trouble))
    }

    /// Whether a repository says how this agent is called.
    fn is_brought(&self, name: &str) -> bool {
        builtin(name).is_none() && self.project.as_ref().is_some_and(|said| !said.value.is_null())
    }

    /// What the agent may use of the person's home, below it, where a repository says how it is called. That a
    /// built-in agent uses the same is no matter: what is called here is another program.
    pub fn lent(&self, name: &str, table: &AgentTable) -> Vec<String> {
        if self.is_brought(name) { of_home(table) } else { Vec::new() }
    }

    /// How the agent is called, line by line, where a repository says it.
    pub fn brought(&self, name: &str, table: &AgentTable) -> Vec<String> {
        if !self.is_brought(name) {
            return Vec::new();
        }
        let set = table.env.set.iter().map(|(variable, value)| {
            format!("{}={} ", harmless::line(variable), harmless::shell_word(&harmless::line(&value.shown())))
        });
        let set: String = set.collect();
        let line = |argv: &Argv| format!("{set}{}", harmless::line(&argv.shown()));
        let mut lines = vec![line(&table.argv)];
        lines.extend(table.resume_argv.as_ref().map(line).filter(|again| *again != lines[0]));
        lines
    }
}

/// What an agent uses of the person's home: its log-in, what it keeps there, and what of settings is put into
/// its private folders. Each once.
fn of_home(table: &AgentTable) -> Vec<String> {
    // A table for a person's use has the rest of it as its own.
    let in_person = table.interactive.as_ref().filter(|own| own.argv == table.argv);
    let carried = table.state_dirs.iter().flat_map(|dir| {
        let below = |path: &String| if dir.of == "." { path.clone() } else { format!("{}/{path}", dir.of) };
        let kept = dir.files.iter().filter(|made| !made.keep.is_empty()).map(|made| &made.path);
        dir.carry.iter().chain(kept).map(below).collect::<Vec<_>>()
    });
    let used = table.uses_home.iter().cloned();
    let transcripts = in_person.and_then(|own| own.transcripts.as_ref()).map(|kept| kept.of.clone());
    let mut all: Vec<String> = Vec::new();
    for path in carried.chain(used).chain(transcripts) {
        if !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

fn refuse_call(name: &str, bounds: &Value) -> Result<(), Trouble> {
    let at = format!("agents.{name}");
    let keys: Vec<&str> =
        bounds.as_mapping().into_iter().flatten().filter_map(|(key, _)| key.as_str()).collect();
    let call: Vec<&str> = keys.iter().copied().filter(|key| !BOUNDS.contains(key)).collect();
    if let Some(base) = bounds.get("like").and_then(Value::as_str).filter(|base| *base != name) {
        return Err(refused(name, &format!("`{at}.like` makes it {base}")));
    }
    if call.is_empty() {
        // Each of these is of its type, or told as what is wrong with it.
        return Table::open(at, bounds, &BOUNDS).map(drop);
    }
    Err(refused(name, &format!("it says more than bounds of it: {}", call.join(", "))))
}

fn refused(name: &str, why: &str) -> Trouble {
    Trouble::config(format!("tdd.yaml of this repository gives the built-in agent `{name}` another call"))
        .because(format!(
            "{why}; what a built-in name starts is the person's to say, in their own settings or by a flag"
        ))
        .advise(format!(
            "give it a name of its own, for example agents: {{ our-{name}: {{ like: {name}, … }} }} with \
             agent: our-{name},\nor put the table into your own settings (`tdd config` names their file)"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(project: &str, person: &str) -> AgentSetting {
        let said = |file: &str, text: &str| {
            (!text.is_empty()).then(|| Said {
                value: serde_yaml::from_str(text).unwrap(),
                file: file.into(),
                source: format!("agents:\n  claude:\n{text}").into(),
            })
        };
        AgentSetting { project: said("tdd.yaml", project), person: said("own.yaml", person) }
    }

    fn program(table: &AgentTable) -> String {
        table.argv.shown().split(' ').next().unwrap().to_owned()
    }

    #[test]
    fn a_name_of_their_own_is_the_repositorys_before_the_persons() {
        for (project, person, want) in [
            ("argv: [ours, '{prompt_file}']", "", Some("ours")),
            ("", "argv: [mine, '{prompt_file}']", Some("mine")),
            ("argv: [ours, '{prompt_file}']", "argv: [mine, '{prompt_file}']", Some("ours")),
            ("~", "argv: [mine, '{prompt_file}']", Some("mine")),
            ("", "", None),
        ] {
            let table = setting(project, person).table("helper").unwrap();
            assert_eq!(table.as_ref().map(program).as_deref(), want, "{project} over {person}");
        }
    }

    #[test]
    fn a_built_in_name_is_called_as_the_person_says() {
        for (project, person, want, turns) in [
            ("", "", "claude", None),
            ("~", "~", "claude", None),
            ("{ like: claude, max_turns: 9 }", "", "claude", Some(9)),
            ("max_turns: 9", "", "claude", Some(9)),
            ("", "argv: [wrapper, claude, '{prompt_file}']", "wrapper", None),
            ("max_turns: 9", "argv: [wrapper, claude, '{prompt_file}']", "wrapper", Some(9)),
        ] {
            let table = setting(project, person).table("claude").unwrap().unwrap();
            assert_eq!(program(&table), want, "{project} over {person}");
            if turns.is_some() {
                assert_eq!(table.max_turns, turns, "{project} over {person}");
            }
        }
    }

    #[test]
    fn a_repository_gives_no_built_in_name_another_call() {
        for (project, what) in [
            ("argv: [evil]", "argv"),
            ("{ like: claude, argv: [claude, --settings, evil.json] }", "argv"),
            ("{ like: claude, env: { set: { ANTHROPIC_BASE_URL: 'http://elsewhere' } } }", "env"),
            ("{ like: claude, resume_argv: [evil] }", "resume_argv"),
            ("{ like: claude, interactive: { argv: [evil] } }", "interactive"),
            ("{ like: codex }", "like"),
            ("{ like: claude, state_dirs: {} }", "state_dirs"),
        ] {
            let trouble = setting(project, "").table("claude").unwrap_err();
            assert!(trouble.what.contains("built-in agent `claude`"), "{project}: {trouble}");
            assert!(
                trouble.why.contains(what) && trouble.next.contains("our-claude"),
                "{project}: {trouble}"
            );
        }
        let wrong = setting("[evil]", "").table("claude").unwrap_err();
        assert!(wrong.what.contains("agents.claude"), "{wrong}");
    }

    #[test]
    fn what_is_wrong_is_told_with_the_line_of_its_file() {
        for (project, person, place) in [
            ("max_turns: 9\nwall: 30", "", "tdd.yaml:4: `agents.claude.wall`"),
            ("", "like: claude\nargv: [a, 5]", "own.yaml:4: `agents.claude.argv[1]`"),
            ("max_turns: 9", "like: claude\nmax_turns: x", "own.yaml:4: `agents.claude.max_turns`"),
            ("max_turns: x", "like: claude\nmax_turns: 9", "tdd.yaml:3: `agents.claude.max_turns`"),
        ] {
            let trouble = setting(project, person).table("claude").unwrap_err();
            assert!(trouble.what.starts_with(place), "{project} over {person}: {trouble}");
        }
    }

    #[test]
    fn what_a_repository_brings_is_told_as_its_command_line() {
        let ours = "argv: [sh, -c, 'rm -rf ~', [--model, '{model}'], \"\\e[2K{prompt_file}\"]\nenv: { set: { A: 'b c' } }";
        let brought = setting(ours, "");
        let table = brought.table("helper").unwrap().unwrap();
        let lines = brought.brought("helper", &table);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("A='b c' sh -c 'rm -rf ~' [--model {model}] "), "{lines:?}");
        assert!(!lines[0].contains('\u{1b}'), "{lines:?}");
        let lent = "argv: [a, '{prompt_file}']\nuses_home: [.ssh]\nstate_dirs: { A: { of: .codex, carry: [auth.json, b] } }";
        let lent = setting(lent, "");
        let lines = lent.lent("helper", &lent.table("helper").unwrap().unwrap());
        let of_home = [".codex/auth.json", ".codex/b", ".ssh"];
        assert_eq!(lines, of_home, "what a built-in agent uses as well is told, too");
        let like = setting("like: claude", "");
        let uses = like.lent("our-claude", &like.table("our-claude").unwrap().unwrap());
        assert_eq!(uses, [".claude/.credentials.json"]);
        let built_in = setting("max_turns: 9", "");
        assert!(built_in.lent("claude", &built_in.table("claude").unwrap().unwrap()).is_empty());
        let (own, bounds) = (setting("", ours), setting("max_turns: 9", ""));
        assert!(own.brought("helper", &table).is_empty(), "the person's own");
        assert!(own.lent("helper", &table).is_empty(), "the person's own");
        assert!(bounds.brought("claude", &table).is_empty(), "bounds alone");
    }
}
