//! A `SKILL.md` file: front matter and body.
//!
//! ```text
//! file  = "---" line YAML "---" line body
//! YAML  = table with `name` and, for a skill of ours, `description`; other keys are the agents' own
//! ```
//!
//! The five skills are embedded, and a project may replace any of them by a file of the same name
//! under `.tdd/skills/<name>/SKILL.md`, as of checkpoint 0.

use std::collections::BTreeMap;

use serde_yaml::Value;

use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// The largest override that is read.
pub const MAX_BYTES: usize = 256 * 1024;

/// A skill as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    pub description: String,
    /// What is told to the role; no front matter.
    pub body: String,
}

/// The skills in the binary: name and file.
pub const FILES: [(&str, &str); 5] = [
    ("tdd", include_str!("../../skills/tdd/SKILL.md")),
    ("tdd-write-test", include_str!("../../skills/tdd-write-test/SKILL.md")),
    ("tdd-implement", include_str!("../../skills/tdd-implement/SKILL.md")),
    ("tdd-refactor", include_str!("../../skills/tdd-refactor/SKILL.md")),
    ("tdd-fix", include_str!("../../skills/tdd-fix/SKILL.md")),
];

/// The name of the skill that a role is told.
pub fn role_skill(role: Role) -> &'static str {
    match role {
        Role::TestWriter => "tdd-write-test",
        Role::Implementer => "tdd-implement",
        Role::Refactorer => "tdd-refactor",
        Role::Fixer => "tdd-fix",
    }
}

/// The skills in the binary, as skill name to body (`core::ports::Skills`).
pub fn embedded() -> BTreeMap<String, String> {
    FILES.into_iter().map(|(name, file)| (name.to_owned(), split(file).1.to_owned())).collect()
}

/// Replaces embedded skills by a project's own. `overrides` maps a skill's name (its folder) to
/// its file; a name that is not embedded is ignored, it belongs to somebody else.
///
/// # Errors
/// An override that can't be read or that names another skill than its folder.
pub fn with_overrides(
    mut skills: BTreeMap<String, String>,
    overrides: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Trouble> {
    for (name, file) in overrides {
        if let Some(body) = skills.get_mut(name) {
            *body = read(name, file)?.body;
        }
    }
    Ok(skills)
}

/// Reads the file of the skill `name`. Unknown keys of the front matter are the agents' own.
///
/// # Errors
/// No front matter, front matter that is no YAML table, another `name:` than the wanted one, or
/// an empty body.
pub fn read(name: &str, file: &str) -> Result<Skill, Trouble> {
    let wrong = |why: String| {
        Trouble::config(format!("the skill {name} can't be used"))
            .because(why)
            .advise(format!("Correct .tdd/skills/{name}/SKILL.md, or remove it to use the built-in one."))
    };
    if file.len() > MAX_BYTES {
        return Err(wrong(format!("it has {} bytes; at most {MAX_BYTES} are read", file.len())));
    }
    let (front, body) = split(file);
    let front =
        front.ok_or_else(|| wrong("it does not begin with front matter between `---` lines".into()))?;
    let table: Value =
        serde_yaml::from_str(front).map_err(|error| wrong(format!("its front matter: {error}")))?;
    let text = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    match text("name") {
        Some(own) if own == name => {}
        Some(own) => return Err(wrong(format!("its front matter names the skill `{own}`"))),
        None => return Err(wrong("its front matter has no `name:`".into())),
    }
    if body.trim().is_empty() {
        return Err(wrong("it says nothing below its front matter".into()));
    }
    let description = text("description").unwrap_or_default();
    Ok(Skill { name: name.to_owned(), description, body: body.to_owned() })
}

/// Front matter, if there is any, and what follows it.
pub(super) fn split(file: &str) -> (Option<&str>, &str) {
    let file = file.strip_prefix('\u{feff}').unwrap_or(file);
    let mut lines = file.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return (None, file) };
    let start = first.len();
    let mut at = start;
    for line in lines {
        if line.trim_end() == "---" {
            return (Some(&file[start..at]), file[at + line.len()..].trim_start_matches(['\r', '\n']));
        }
        at += line.len();
    }
    (None, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_skills_are_whole() {
        for (name, file) in FILES {
            let skill = read(name, file).unwrap();
            assert!(!skill.description.is_empty(), "{name}");
            assert!(skill.body.starts_with("# "), "{name}");
        }
        assert_eq!(embedded().len(), FILES.len());
        let front = |name: &str| {
            let (_, file) = FILES.into_iter().find(|(known, _)| *known == name).unwrap();
            serde_yaml::from_str::<Value>(split(file).0.unwrap()).unwrap()
        };
        for role in Role::ALL {
            let front = front(role_skill(role));
            assert_eq!(front["agent"], Value::from(format!("tdd-{role}")));
            assert_eq!(front["context"], Value::from("fork"));
            assert_eq!(front["user-invocable"], Value::from(false));
            assert_eq!(front["allowed-tools"], Value::from("Read, Grep, Glob, Write, Edit, Bash"));
            assert!(embedded()[role_skill(role)].contains(&format!("role: {role}\n")));
        }
        assert_eq!(front("tdd")["argument-hint"], Value::from("<FR-id>"));
    }

    #[test]
    fn no_skill_holds_a_block_that_could_be_taken_for_a_claim() {
        for (name, file) in FILES {
            let opener = file.lines().find(|line| {
                let text = line.trim_start();
                text.starts_with(['`', '~'])
                    && text.trim_start_matches(['`', '~']).trim_start().starts_with("tdd-result")
                    && (text.starts_with("```") || text.starts_with("~~~"))
            });
            assert_eq!(opener, None, "{name}");
        }
    }

    #[test]
    fn a_project_may_replace_a_skill_by_one_of_the_same_name() {
        let file = |text: &str| BTreeMap::from([("tdd-implement".to_owned(), text.to_owned())]);
        let own = file("---\r\nname: tdd-implement\r\nmodel: x\r\n---\r\n\r\nBe quick.\r\n");
        let skills = with_overrides(embedded(), &own).unwrap();
        assert_eq!(skills["tdd-implement"], "Be quick.\r\n");
        assert_eq!(skills["tdd-refactor"], embedded()["tdd-refactor"]);
        let foreign = BTreeMap::from([("other".to_owned(), "no front matter".to_owned())]);
        assert_eq!(with_overrides(embedded(), &foreign).unwrap(), embedded());
        for (text, part) in [
            ("Be quick.", "does not begin with front matter"),
            ("---\nname: tdd-implement\nBe quick.", "does not begin with front matter"),
            ("---\nname: tdd-refactor\n---\nx", "names the skill `tdd-refactor`"),
            ("---\ndescription: x\n---\nx", "no `name:`"),
            ("---\n- a\n---\nx", "no `name:`"),
            ("---\nname: [\n---\nx", "its front matter"),
            ("---\nname: tdd-implement\n---\n \n", "says nothing"),
        ] {
            let message = with_overrides(embedded(), &file(text)).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }
}
