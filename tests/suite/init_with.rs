//! What `tdd init --with` writes is what the agents' programs read.

use super::real_agents::{KEY, Server, rule};
use super::sandbox::{Ran, Sandbox, agents};

const SKILLS: [&str; 3] = ["implement", "tdd", "tdd-review"];

fn project() -> Sandbox {
    Sandbox::with(&[("tdd.yaml", "test: 'true'\nrunner: { kind: exit-code }\n"), ("shop.sh", "")])
}

fn init(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.tdd(&[&["init", "--no-doctor"], args].concat())
}

#[test]
fn ac_tdd_6_22_skills_and_a_workflow_are_written_and_taken_back() {
    left_to_the_night!();
    let sandbox = project();
    let before = sandbox.everything();
    init(&sandbox, &["--yes", "--with", "claude,codex,opencode,github"]).expect(0).says_on_stdout(&[
        ".claude/skills/tdd/SKILL.md",
        ".agents/skills/implement/SKILL.md",
        "tdd.yml",
    ]);
    for folder in [".claude", ".agents"] {
        for skill in SKILLS {
            assert!(sandbox.path(&format!("{folder}/skills/{skill}/SKILL.md")).is_file(), "{folder} {skill}");
        }
    }
    // Again is nothing new, and what a person made of one of them stays.
    let again = init(&sandbox, &["--yes", "--with", "claude"]).expect(0);
    assert!(!again.stdout.contains("to write:"), "{}", again.stdout);
    sandbox.write(".agents/skills/tdd/SKILL.md", "mine\n");
    init(&sandbox, &["--yes", "--with", "pi", "--agent", "claude"]).expect(2).says(&["tdd.yaml is there"]);
    init(&sandbox, &["--yes", "--with", "pi"]).expect(0);
    assert_eq!(sandbox.read(".agents/skills/tdd/SKILL.md"), "mine\n");
    std::fs::remove_file(sandbox.path(".agents/skills/tdd/SKILL.md")).unwrap();
    init(&sandbox, &["--undo"]).expect(0);
    assert_eq!(sandbox.everything(), before);
    init(&sandbox, &["--yes", "--with", "cluade"]).expect(2).says(&["`cluade`", "claude, codex"]);
    init(&sandbox, &["--dry-run", "--with", "gemini"]).expect(0).says_on_stdout(&[".agents/skills/tdd/"]);
    assert_eq!(sandbox.everything(), before);
}

/// The workflow's steps say what they do with words that a person types, and nothing of it is put into a script.
#[test]
fn ac_tdd_6_22_the_workflow_is_one_and_takes_no_words_into_its_scripts() {
    let sandbox = project();
    init(&sandbox, &["--yes", "--with", "github"]).expect(0);
    let text = sandbox.read(".github/workflows/tdd.yml");
    let workflow: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let job = &workflow["jobs"]["run"];
    let steps = job["steps"].as_array().unwrap();
    for step in steps {
        assert!(step["uses"].is_string() != step["run"].is_string(), "{step}");
        assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step}");
    }
    let build = steps.iter().find(|step| step["env"]["REQUIREMENT"].is_string()).unwrap();
    let mut shell = sandbox.command("bash");
    shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", build["run"].as_str().unwrap()]);
    shell.env("REQUIREMENT", "STE-1\"; touch x; \"");
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    shell.env("PATH", super::sandbox::path_with(own));
    Ran::of(&shell.output().unwrap()).expect(2).says(&["no requirement"]);
    assert!(!sandbox.path("x").exists());
}

/// The model of a real program is told of the skills that lie in the project.
fn is_told(agent: &str, args: &[&str], env: impl Fn(&Server) -> Vec<(&'static str, String)>) {
    let Some(programs) = agents(&[agent]) else { return };
    let sandbox = project();
    init(&sandbox, &["--yes", "--with", agent]).expect(0);
    let turns = ["- say: Done.\n".to_owned()];
    let script = format!("rules:\n{}", rule("all", "prompt: \"Say hello\"", &turns));
    let server = Server::start(&sandbox, &script);
    let url = server.url.clone();
    let args = args.iter().map(|arg| arg.replace("URL", &url));
    let mut command = sandbox.command(programs.join(agent));
    command.args(args).env("PATH", super::sandbox::path_with(&programs)).envs(env(&server));
    let ran = Ran::of(&command.output().unwrap());
    let bodies = sandbox.beside("bodies").read_dir().unwrap().flatten();
    let told: String = bodies.map(|body| std::fs::read_to_string(body.path()).unwrap()).collect();
    for words in ["Takes one feature requirement through RED", "Plans a feature as requirements"] {
        assert!(told.contains(words), "{agent} tells nothing of `{words}`\n{}\n{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn ac_tdd_6_22_the_real_claude_knows_the_skills() {
    left_to_the_night!();
    is_told("claude", &["-p", "Say hello"], |server| {
        vec![
            ("ANTHROPIC_BASE_URL", server.url.clone()),
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
        ]
    });
}

#[test]
fn ac_tdd_6_22_the_real_codex_knows_the_skills() {
    let provider =
        "model_providers.t={name=\"t\",base_url=\"URL/v1\",env_key=\"TDD_TEST_KEY\",wire_api=\"responses\"}";
    let args = ["exec", "--skip-git-repo-check", "-c", "model_provider=t", "-c", provider, "Say hello"];
    is_told("codex", &args, |_| vec![("TDD_TEST_KEY", KEY.to_owned())]);
}
