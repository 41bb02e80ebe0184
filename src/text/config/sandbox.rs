//! `sandbox:` of `tdd.yaml`: the level as one word, or a table (contract section 12).
//!
//! ```yaml
//! sandbox: enforce                 # auto | enforce | audit
//! sandbox: { level: enforce, home: ro, network: on, hide: ["~/notes", "!~/.ssh"] }
//! ```
//!
//! `hide` adds to the places of credentials, which are hidden anyway; with `!` before it a place stays
//! in sight, and an empty list hides nothing at all.

use serde_yaml::Value;

use tdd_core::isolation::{Credentials, Hide, HomeAccess, Network, Reach, Wanted};
use tdd_core::trouble::Trouble;
use tdd_spec::strict::Table;

/// As it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSetting {
    pub level: Option<Wanted>,
    pub home: Option<HomeAccess>,
    pub network: Option<Network>,
    pub hide: Option<Hide>,
}

impl SandboxSetting {
    /// What holds for the children of a run.
    pub fn reach(&self) -> Reach {
        Reach {
            home: self.home.unwrap_or_default(),
            network: self.network.unwrap_or_default(),
            hide: self.hide.clone().unwrap_or_default(),
        }
    }

    /// This project's, and what the person hides in all of them.
    #[must_use = "this is what holds"]
    pub fn over(self, person: &Self) -> Self {
        let own = person.hide.iter().flat_map(|hide| hide.own.iter().cloned()).collect::<Vec<_>>();
        if own.is_empty() {
            return self;
        }
        Self { hide: Some(Hide { own, ..self.hide.unwrap_or_default() }), ..self }
    }
}

/// What a person may say for all projects: what more is hidden.
pub(super) fn read_person(top: &Table<'_>) -> Result<SandboxSetting, Trouble> {
    const NEXT: &str =
        "For example: `sandbox: { hide: [\"~/notes\"] }`. The rest belongs into a project's tdd.yaml.";
    if top.get("sandbox").is_none_or(Value::is_null) {
        return Ok(SandboxSetting::default());
    }
    let why =
        "says how open a project's children are, which is that project's to say; here it can only hide more";
    if !matches!(top.get("sandbox"), Some(Value::Mapping(_))) {
        return Err(top.wrong("sandbox", why, NEXT));
    }
    let Some(table) = top.table("sandbox")? else { return Ok(SandboxSetting::default()) };
    if let Some(key) = table.keys()?.into_iter().find(|key| ["level", "home", "network"].contains(key)) {
        return Err(table.wrong(key, why, NEXT));
    }
    table.only(&["hide"])?;
    let Some(hide) = table.get("hide").map(|_| hide(&table)).transpose()? else {
        return Ok(SandboxSetting::default());
    };
    if hide.credentials == Credentials::Shown || !hide.shown.is_empty() {
        return Err(table.wrong("hide", "opens what is hidden, which is a project's to say", NEXT));
    }
    let hide = Hide { own: hide.more, ..Hide::default() };
    Ok(SandboxSetting { hide: Some(hide), ..SandboxSetting::default() })
}

pub(super) fn read(top: &Table<'_>) -> Result<SandboxSetting, Trouble> {
    if !matches!(top.get("sandbox"), Some(Value::Mapping(_))) {
        let level = top.one_of("sandbox", &Wanted::WORDS)?;
        return Ok(SandboxSetting { level, ..SandboxSetting::default() });
    }
    let Some(table) = top.table("sandbox")? else { return Ok(SandboxSetting::default()) };
    table.only(&["level", "home", "network", "hide"])?;
    Ok(SandboxSetting {
        level: table.one_of("level", &Wanted::WORDS)?,
        home: table.one_of("home", &HomeAccess::WORDS)?,
        network: network(&table)?,
        hide: table.get("hide").map(|_| hide(&table)).transpose()?,
    })
}

/// Some readers of YAML take `on` and `off` for true and false, and so do people.
fn network(table: &Table<'_>) -> Result<Option<Network>, Trouble> {
    match table.get("network") {
        Some(Value::Bool(true)) => Ok(Some(Network::On)),
        Some(Value::Bool(false)) => Ok(Some(Network::Off)),
        Some(Value::String(said)) if ["no", "yes"].contains(&said.as_str()) => {
            let meant = if said == "no" { "off" } else { "on" };
            let next = format!("Say `network: {meant}`.");
            Err(table.wrong("network", &format!("`{said}` is not known here"), &next))
        }
        _ => table.one_of("network", &Network::WORDS),
    }
}

fn hide(table: &Table<'_>) -> Result<Hide, Trouble> {
    let said = table.words("hide")?;
    if said.is_empty() {
        return Ok(Hide { credentials: Credentials::Shown, ..Hide::default() });
    }
    let mut hide = Hide::default();
    for place in said {
        let (list, path) = match place.strip_prefix('!') {
            Some(path) => (&mut hide.shown, path.trim_start()),
            None => (&mut hide.more, place.as_str()),
        };
        if let Some(why) = unfit(path) {
            let next = "For example: `hide: [\"~/notes\"]`; `\"!~/.ssh\"` leaves a place in sight, `[]` hides nothing.";
            return Err(table.wrong("hide", &format!("`{}` {why}", harmless(path)), next));
        }
        list.push(path.trim_end_matches('/').to_owned());
    }
    Ok(hide)
}

/// Without these nothing runs.
const SYSTEM: [&str; 14] = [
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "proc",
    "sbin",
    "sys",
    "usr",
    "usr/bin",
    "usr/lib",
    "usr/lib64",
];

/// The list is printed when a run begins.
fn harmless(path: &str) -> String {
    path.chars().filter(|letter| !letter.is_control()).take(100).collect()
}

fn unfit(path: &str) -> Option<&'static str> {
    let Some(below) = path.strip_prefix("~/").or_else(|| path.strip_prefix('/')) else {
        return Some("begins neither with `~/`, your home, nor with `/`");
    };
    if below.trim_matches('/').is_empty() {
        return Some("is all there is: a child could not even start");
    }
    let plain: Vec<&str> = path.split('/').filter(|part| !["", "."].contains(part)).collect();
    if path.starts_with('/') && SYSTEM.iter().any(|folder| plain.join("/") == *folder) {
        return Some("holds what every program needs: a child could not even start");
    }
    if below.split('/').any(|part| part == "..") {
        return Some("holds `..`, so what it means depends on links");
    }
    path.chars().any(char::is_control).then_some("holds a control character")
}

#[cfg(test)]
mod tests {
    use super::super::read as file;
    use super::*;

    #[test]
    fn a_word_is_the_level_and_a_table_says_more() {
        let read = |text: &str| file("tdd.yaml", text).unwrap().sandbox;
        assert_eq!(read("sandbox: audit").level, Some(Wanted::Audit));
        assert_eq!(read("sandbox: audit").reach(), Reach::default());
        assert_eq!(read(""), SandboxSetting::default());
        assert_eq!(read("sandbox: {}"), SandboxSetting::default());
        let all = read(
            "sandbox:\n  level: enforce\n  home: rw\n  network: off\n  hide: [~/notes/, '!~/.ssh', /srv/x]\n",
        );
        assert_eq!(all.level, Some(Wanted::Enforce));
        let reach = all.reach();
        assert_eq!((reach.home, reach.network), (HomeAccess::Writable, Network::Off));
        assert_eq!(reach.hide.more, ["~/notes", "/srv/x"]);
        assert_eq!(reach.hide.shown, ["~/.ssh"]);
        assert_eq!(reach.hide.credentials, Credentials::Hidden);
        assert_eq!(read("sandbox: { network: false }").network, Some(Network::Off));
        assert_eq!(read("sandbox: { hide: [] }").reach().hide.credentials, Credentials::Shown);
        assert_eq!(read("sandbox: { hide: }").hide, None, "nothing behind the key is nothing said");
    }

    #[test]
    fn a_person_hides_more_in_all_projects_and_opens_nothing() {
        use super::super::layers::read_person;
        let person = |text: &str| read_person("own", text);
        let own = person("sandbox: { hide: [~/notes] }").unwrap();
        for (project, more) in [("", &[][..]), ("sandbox: { hide: [~/x, '!~/notes'] }", &["~/x"])] {
            let reach = file("tdd.yaml", project).unwrap().over(&own).sandbox.reach();
            assert_eq!(
                (reach.hide.own, reach.hide.more),
                (vec!["~/notes".to_owned()], more.iter().map(ToString::to_string).collect())
            );
        }
        let open = file("tdd.yaml", "sandbox: { level: audit, hide: [] }").unwrap().over(&own).sandbox;
        assert_eq!((open.level, open.reach().hide.own.len()), (Some(Wanted::Audit), 1));
        for text in [
            "sandbox: audit",
            "sandbox: { home: rw }",
            "sandbox: { network: off }",
            "sandbox: { hide: [] }",
            "sandbox: { hide: ['!~/.ssh'] }",
            "sandbox: { hide: [~/a, '!~/.ssh'] }",
        ] {
            let told = person(text).unwrap_err().to_string();
            assert!(told.contains("sandbox") && told.contains("project"), "{text}: {told}");
        }
        assert!(person("sandbox:").unwrap().sandbox.hide.is_none());
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_wanted() {
        for (text, parts) in [
            ("sandbox: strict\n", &["tdd.yaml:1", "`sandbox`", "auto, enforce, audit"][..]),
            ("sandbox: [audit]\n", &["`sandbox`", "a list"]),
            ("sandbox:\n  levle: audit\n", &["tdd.yaml:2", "Did you mean `level`?"]),
            ("sandbox: { level: strict }\n", &["`sandbox.level`", "auto, enforce, audit"]),
            ("sandbox: { home: true }\n", &["`sandbox.home`", "`true`"]),
            ("sandbox: { home: none }\n", &["`sandbox.home`", "ro, rw"]),
            ("sandbox: { network: no }\n", &["`sandbox.network`", "Say `network: off`"]),
            ("sandbox: { network: yes }\n", &["`sandbox.network`", "Say `network: on`"]),
            ("sandbox: { network: maybe }\n", &["`sandbox.network`", "on, off"]),
            ("sandbox: { hide: ~/.ssh }\n", &["`sandbox.hide`", "a list of texts"]),
            ("sandbox: { hide: [secrets] }\n", &["`sandbox.hide`", "`secrets`", "~/", "!~/.ssh"]),
            ("sandbox: { hide: ['~'] }\n", &["`sandbox.hide`", "`~`"]),
            ("sandbox: { hide: ['!secrets'] }\n", &["`sandbox.hide`", "`secrets`"]),
            ("sandbox: { hide: [~/] }\n", &["`sandbox.hide`", "all there is"]),
            ("sandbox: { hide: [/] }\n", &["`sandbox.hide`", "all there is"]),
            ("sandbox: { hide: [~/a/../b] }\n", &["`sandbox.hide`", "`..`"]),
            ("sandbox:\n  hide: [/usr/]\n", &["tdd.yaml:2", "`sandbox.hide`", "`/usr/`", "every program"]),
            ("sandbox: { hide: [//proc] }\n", &["`sandbox.hide`", "every program"]),
            ("sandbox: { hide: [\"~/a\\u001b[2J\"] }\n", &["`sandbox.hide`", "control"]),
        ] {
            let message = file("tdd.yaml", text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?} should say {part:?}:\n{message}");
            }
            assert!(!message.contains('\u{1b}'), "{message}");
        }
    }
}
