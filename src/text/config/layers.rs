//! A person's own settings, below those of each project (contract section 12).

use super::{ConfigFile, KEYS, RoleSetting, agents, caps, parsed, placed, roles, sandbox};
use tdd_agents::agent_table::layers::AgentSetting;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::Table;

/// What is a person's to say for all projects: who works, what that may cost, and what is hidden from all
/// children. How a project is tested and judged is the project's.
const PERSONS_KEYS: [&str; 9] = [
    "agent",
    "roles",
    "agents",
    "sandbox",
    "max_usd",
    "max_tokens",
    "max_wall",
    "max_usd_attempt",
    "max_tokens_attempt",
];

/// Reads a person's own settings, in the words of `tdd.yaml`. `file_name` is how messages call it.
///
/// # Errors
/// As `read`; and a setting that is a project's to say.
pub fn read_person(file_name: &str, source: &str) -> Result<ConfigFile, Trouble> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let value = parsed(file_name, source)?;
    let Some(top) = Table::top(file_name, &value)? else { return Ok(ConfigFile::default()) };
    let mut read = of_persons(&top).map_err(|trouble| placed(file_name, source, trouble))?;
    let own = agents(file_name, source, &top)?.into_iter();
    read.agents =
        own.map(|(name, said)| (name, AgentSetting { person: said.project, project: None })).collect();
    Ok(read)
}

/// All but agents' tables.
fn of_persons(top: &Table<'_>) -> Result<ConfigFile, Trouble> {
    if let Some(key) = top.keys()?.into_iter().find(|key| KEYS.contains(key) && !PERSONS_KEYS.contains(key)) {
        let why = "it says how one project is tested and judged, and this file holds for all of them";
        let next =
            format!("Move it into that project's tdd.yaml. Known here are: {}.", PERSONS_KEYS.join(", "));
        return Err(top.wrong(key, why, &next));
    }
    top.only(&PERSONS_KEYS)?;
    Ok(ConfigFile {
        agent: top.word("agent")?,
        roles: roles(top, &PERSONS_ROLE_KEYS)?,
        caps: caps::read(top)?,
        sandbox: sandbox::read_person(top)?,
        ..ConfigFile::default()
    })
}

/// Whether a role's work is code is the project's to say.
const PERSONS_ROLE_KEYS: [&str; 3] = ["agent", "model", "max_turns"];

impl ConfigFile {
    /// This project's settings, and the person's where it says nothing.
    #[must_use = "this is what holds"]
    pub fn over(self, person: &Self) -> Self {
        let role = |role: Role| (role, over_role(role, &self, person));
        let roles =
            Role::KNOWN.into_iter().map(role).filter(|(_, it)| *it != RoleSetting::default()).collect();
        let mut agents = person.agents.clone();
        for (name, said) in &self.agents {
            agents.entry(name.clone()).or_default().project.clone_from(&said.project);
        }
        let (agent, caps) = (self.agent.clone().or_else(|| person.agent.clone()), self.caps.or(&person.caps));
        let sandbox = self.sandbox.clone().over(&person.sandbox);
        Self { agent, roles, agents, sandbox, caps, ..self }
    }
}

/// Any agent that the project names goes before all that the person says. A model goes with the agent
/// that it was named for.
fn over_role(role: Role, project: &ConfigFile, person: &ConfigFile) -> RoleSetting {
    let (own, persons) = (project.roles.get(&role), person.roles.get(&role));
    let of_project = own.and_then(|own| own.agent.clone());
    let of_person = persons.and_then(|own| own.agent.clone());
    let named_by_project = of_project.as_ref().or(project.agent.as_ref());
    let named_by_person = of_person.as_ref().or(person.agent.as_ref());
    let same_agent = named_by_project.is_none_or(|name| Some(name) == named_by_person);
    let model = own.and_then(|own| own.model.clone());
    let persons_model = persons.and_then(|own| own.model.clone()).filter(|_| same_agent);
    RoleSetting {
        agent: of_project.or_else(|| of_person.filter(|_| project.agent.is_none())),
        model: model.or(persons_model),
        max_turns: own.and_then(|own| own.max_turns).or_else(|| persons.and_then(|own| own.max_turns)),
        code: own.map(|own| own.code).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn merged(project: &str, person: &str) -> ConfigFile {
        read("tdd.yaml", project).unwrap().over(&read_person("own", person).unwrap())
    }

    fn role(config: &ConfigFile) -> (Option<&str>, Option<&str>) {
        let role = config.roles.get(&Role::Implementer);
        let agent = role.and_then(|role| role.agent.as_deref()).or(config.agent.as_deref());
        (agent, role.and_then(|role| role.model.as_deref()))
    }

    #[test]
    fn a_project_is_asked_before_the_person_and_a_model_goes_with_its_agent() {
        let one = "roles: { implementer: { agent: codex, model: m1 } }";
        for (project, person, want) in [
            ("", "agent: claude", (Some("claude"), None)),
            ("", one, (Some("codex"), Some("m1"))),
            ("agent: claude", one, (Some("claude"), None)),
            ("agent: codex", one, (Some("codex"), Some("m1"))),
            ("roles: { implementer: { agent: pi } }", one, (Some("pi"), None)),
            ("roles: { implementer: { model: m2 } }", one, (Some("codex"), Some("m2"))),
            ("", "agent: claude\nroles: { implementer: { model: m3 } }", (Some("claude"), Some("m3"))),
            (
                "agent: claude",
                "agent: claude\nroles: { implementer: { model: m3 } }",
                (Some("claude"), Some("m3")),
            ),
            ("agent: claude", "roles: { implementer: { model: m3 } }", (Some("claude"), None)),
            ("", "", (None, None)),
        ] {
            assert_eq!(role(&merged(project, person)), want, "{project} over {person}");
        }
    }

    #[test]
    fn caps_and_turns_are_the_persons_where_the_project_is_silent() {
        let both = merged("max_usd: 5", "max_usd: 1\nmax_tokens: 2M\nroles: { fixer: { max_turns: 7 } }");
        assert_eq!(both.caps.run.usd.map(|usd| usd.0), Some(5_000_000));
        assert_eq!(both.caps.run.tokens, Some(2_000_000));
        assert_eq!(both.roles[&Role::Fixer].max_turns, Some(7));
        assert_eq!(merged("test: make", ""), read("tdd.yaml", "test: make").unwrap());
    }

    #[test]
    fn what_is_a_projects_to_say_is_refused_with_where_it_belongs() {
        for (text, key) in [
            ("test: make test", "test"),
            ("sandbox: audit", "sandbox"),
            ("on_missing_block: take", "on_missing_block"),
        ] {
            let trouble = read_person("own.yaml", text).unwrap_err();
            assert!(trouble.what.contains(&format!("own.yaml:1: `{key}`")), "{trouble}");
            assert!(trouble.next.contains("project's tdd.yaml"), "{trouble}");
        }
        let unknown = read_person("own.yaml", "agnet: claude").unwrap_err();
        assert!(unknown.next.contains("`agent`"), "{unknown}");
        let code = read_person("own.yaml", "roles: { fixer: { code: false } }").unwrap_err();
        assert!(code.what.contains("roles.fixer.code"), "{code}");
    }
}
