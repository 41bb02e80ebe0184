use super::*;
use crate::text::config;

fn resolve(args: &RunArgs, yaml: &str) -> Result<Settings, Trouble> {
    Settings::resolve(args, Some(config::read("tdd.yaml", yaml).unwrap()), &Environment::default())
}

#[test]
fn without_flags_and_file_everything_has_its_default() {
    let settings = Settings::resolve(&RunArgs::default(), None, &Environment::default()).unwrap();
    assert_eq!(settings.specs_dir, "specs/frs");
    assert_eq!(settings.bounds, Bounds { semantic: 2, format: 1 });
    assert_eq!(settings.agent(Role::Implementer), &AgentChoice { name: "auto".into(), model: None });
    assert_eq!(settings.regression, Regression::Auto);
    assert_eq!(settings.output, OutputMode::Progress);
    assert!(settings.leaves.supersede.is_granted());
    assert_eq!(settings.sandbox, Wanted::Auto);
    assert!(!settings.leaves.red_gate.is_granted() && !settings.leaves.anew.is_granted());
    assert_eq!(settings.commands, CommandSettings::default());
}

#[test]
fn a_flag_wins_over_the_role_and_the_role_over_the_file() {
    let yaml = "agent: claude\nroles: { implementer: { agent: codex, model: m1, max_turns: 60 }, refactorer: { model: m2 } }\n";
    let settings = resolve(&RunArgs::default(), yaml).unwrap();
    let choice = |settings: &Settings, role| {
        let choice = settings.agent(role);
        (choice.name.clone(), choice.model.clone())
    };
    assert_eq!(choice(&settings, Role::TestWriter), ("claude".into(), None));
    assert_eq!(choice(&settings, Role::Implementer), ("codex".into(), Some("m1".into())));
    assert_eq!(choice(&settings, Role::Refactorer), ("claude".into(), Some("m2".into())));
    assert_eq!(settings.turns, BTreeMap::from([(Role::Implementer, 60)]));
    let flag = RunArgs { agent: Some("claude".into()), ..RunArgs::default() };
    let settings = resolve(&flag, yaml).unwrap();
    assert_eq!(choice(&settings, Role::Implementer), ("claude".into(), None));
    assert_eq!(choice(&settings, Role::Refactorer), ("claude".into(), Some("m2".into())));
    let cassette = RunArgs { cassette: Some("c.yaml".into()), ..RunArgs::default() };
    assert_eq!(choice(&resolve(&cassette, yaml).unwrap(), Role::TestWriter), ("scripted".into(), None));
}

#[test]
fn the_table_of_the_runner_names_a_test_command() {
    let settings = resolve(&RunArgs::default(), "runner: { kind: exit-code, all: make t }").unwrap();
    assert_eq!(settings.commands.file_test.as_deref(), Some("make t"));
}

#[test]
fn criteria_are_read_once_each() {
    let only = vec!["AC-STE-1.2".to_owned(), " AC-STE-1.02".to_owned(), String::new()];
    let settings = resolve(&RunArgs { only, ..RunArgs::default() }, "").unwrap();
    assert_eq!(settings.only, [CriterionId::parse("AC-STE-1.2").unwrap()]);
}

#[test]
fn a_number_alone_means_a_criterion_of_the_requirement() {
    let known: Vec<CriterionId> =
        ["AC-STE-1.1", "AC-STE-1.2", "AC-x-2.2"].iter().map(|id| CriterionId::parse(id).unwrap()).collect();
    let only = |words: &[&str]| {
        let args = RunArgs { only: words.iter().map(|it| (*it).to_owned()).collect(), ..RunArgs::default() };
        resolve(&args, "").unwrap().knowing(&args, &known)
    };
    assert_eq!(only(&["1"]).unwrap().only, known[..1]);
    assert_eq!(only(&["AC-1", "AC-x-2.2", "2.2"]).unwrap().only, [known[0].clone(), known[2].clone()]);
    for (word, part) in [("2", "number of 2 criteria"), ("7", "no criterion has the number 7")] {
        let why = only(&[word]).unwrap_err();
        assert!(why.what.contains(part), "{word}: {}", why.what);
    }
}

#[test]
fn a_flag_that_cannot_be_meant_is_refused() {
    for (args, part) in [
        (RunArgs { only: vec!["STE-1.2".into()], ..RunArgs::default() }, "--only: `STE-1.2`"),
        (
            RunArgs { only: vec![String::new(), " ".into()], ..RunArgs::default() },
            "--only holds no criterion id",
        ),
        (RunArgs { already_green: vec!["x".into()], ..RunArgs::default() }, "--already-green"),
        (RunArgs { test: Some("  ".into()), ..RunArgs::default() }, "--test holds no command"),
        (RunArgs { gate: Some("a\0".into()), ..RunArgs::default() }, "--gate holds no command"),
        (RunArgs { agent: Some(String::new()), ..RunArgs::default() }, "--agent is empty"),
        (RunArgs { stop_after: Some("green".into()), ..RunArgs::default() }, "`green`"),
        (
            RunArgs { agent: Some("claude".into()), cassette: Some("c".into()), ..RunArgs::default() },
            "--cassette and --agent claude",
        ),
    ] {
        let message = resolve(&args, "").unwrap_err().to_string();
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn the_level_is_the_flag_s_then_the_machine_s_then_the_file_s() {
    let flags = |sandbox: Option<&str>, require_sandbox| RunArgs {
        isolation: IsolationArgs { sandbox: sandbox.map(str::to_owned), require_sandbox },
        ..RunArgs::default()
    };
    let level = |args: &RunArgs, machine: &str, yaml: &str| {
        let environment = Environment::from_vars([("TDD_SANDBOX".into(), machine.into())]);
        Settings::resolve(args, Some(config::read("tdd.yaml", yaml).unwrap()), &environment)
            .map(|settings| settings.sandbox)
            .map_err(|trouble| trouble.to_string())
    };
    for (flag, require, machine, yaml, want) in [
        (None, false, "", "", Wanted::Auto),
        (None, false, "", "sandbox: audit", Wanted::Audit),
        (None, false, "enforce", "sandbox: audit", Wanted::Enforce),
        (Some("auto"), false, "enforce", "sandbox: audit", Wanted::Auto),
        (None, true, "audit", "sandbox: audit", Wanted::Enforce),
        (Some("auto"), true, "", "", Wanted::Enforce),
    ] {
        assert_eq!(level(&flags(flag, require), machine, yaml), Ok(want), "{flag:?} {machine} {yaml}");
    }
    assert!(level(&flags(Some("audit"), true), "", "").unwrap_err().contains("contradict"));
    assert!(level(&flags(None, false), "strict", "").unwrap_err().contains("TDD_SANDBOX"));
}

#[test]
fn the_environment_is_sorted_out() {
    let vars = |ci: &str| [("CI".into(), ci.into()), ("PATH".into(), "/bin".into())];
    assert_eq!(Environment::from_vars(vars("1")).path, Some("/bin".into()));
    for (ci, want) in [("1", true), ("true", true), ("", false), ("false", false), ("0", false)] {
        assert_eq!(Environment::from_vars(vars(ci)).ci, want, "{ci:?}");
    }
    let secret = Environment::from_vars([("API_KEY".into(), "hush".into())]);
    assert!(!format!("{secret:?}").contains("hush"));
}
