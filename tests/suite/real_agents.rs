//! The real programs of agents do the roles, with a scripted model server in the model's place:
//! `TDD_TEST_AGENTS` names the folder where they are.
#![expect(clippy::disallowed_methods, reason = "a test starts processes and looks at files")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tdd_agents::agent_table::builtin;

use super::sandbox::{Ran, Sandbox, agents, has_pytest, model_server, path_with};

mod pace;
mod shell;

/// The scripted model server; it ends with the test.
pub struct Server {
    child: Child,
    pub url: String,
    log: PathBuf,
    bodies: PathBuf,
}

impl Server {
    pub fn start(sandbox: &Sandbox, script: &str) -> Self {
        let (file, log) = (sandbox.beside("script.yaml"), sandbox.beside("requests.jsonl"));
        std::fs::write(&file, script).unwrap();
        let mut child = model_server()
            .arg("--script")
            .arg(&file)
            .arg("--log")
            .arg(&log)
            .arg("--bodies")
            .arg(sandbox.beside("bodies"))
            .arg("--until-stdin-ends")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, url, log, bodies: sandbox.beside("bodies") }
    }

    /// What was asked, in order.
    pub fn requests(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        // What was still asked when the agent ended may stand there by half.
        let whole = log.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The first request that this rule answered, as it came.
    pub fn first_body(&self, rule: &str) -> String {
        let requests = self.requests();
        let first = requests.iter().find(|asked| asked["rule"] == rule).unwrap();
        std::fs::read_to_string(self.bodies.join(format!("{:04}.json", first["n"].as_u64().unwrap())))
            .unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// One of the two agents, and how it is pointed at the server.
#[derive(Clone, Copy)]
pub enum Agent {
    Claude,
    Codex,
}

pub const KEY: &str = "sk-dummy-not-a-key-0123456789abcdef";

impl Agent {
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The built-in table, with the server as its model's provider.
    pub fn table(self, server: &Server) -> String {
        let table = builtin(self.name()).unwrap();
        let table = match self {
            Self::Claude => table.to_owned(),
            Self::Codex => {
                let provider = format!(
                    "[[-c, model_provider=kit], [-c, 'model_providers.kit={{name=\"kit\",base_url=\"{}/v1\",wire_api=\"responses\",env_key=\"KIT_KEY\",request_max_retries=0,stream_max_retries=0}}']]",
                    server.url
                );
                // Headless, and on a person's screen.
                ["  - --strict-config\n", "    - codex\n"].iter().fold(table.to_owned(), |table, place| {
                    assert_eq!(table.matches(place).count(), 1, "{place}");
                    let margin = &place[..place.find('-').unwrap()];
                    table.replace(place, &format!("{place}{margin}- own_sandbox: {provider}\n"))
                })
            }
        };
        table.lines().fold(format!("agents:\n  {}:\n", self.name()), |mut text, line| {
            let _ = writeln!(text, "    {line}");
            text
        })
    }
}

/// `tdd` with the agents in its path, and the server and a dummy key in its environment.
pub fn tdd(sandbox: &Sandbox, server: &Server, programs: &Path) -> Command {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("PATH", path_with(programs)).env("TDD_SANDBOX", "auto");
    command.env("ANTHROPIC_BASE_URL", &server.url).env("ANTHROPIC_API_KEY", KEY).env("KIT_KEY", KEY);
    command
}

/// A block as the last thing that is said.
pub fn block(role: &str, files: &str) -> String {
    format!(
        "- say: |\n      Done.\n\n      ```tdd-result\n      role: {role}\n      status: ok\n      files: [{files}]\n      command: python3 -m pytest\n      output_excerpt: |\n        as it was\n      ```\n"
    )
}

fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "        {line}");
        all
    })
}

/// One turn: a call that writes a file.
pub fn write(path: &str, content: &str) -> String {
    format!("- write:\n      path: {path}\n      content: |\n{}", indented(content))
}

/// A rule of the server's script; each turn begins with `- `.
pub fn rule(name: &str, when: &str, turns: &[String]) -> String {
    let turns: String = turns.iter().flat_map(|turn| ["  ", turn.as_str()]).collect();
    format!("- name: {name}\n  when: {{ {when} }}\n  turns:\n{turns}")
}

const SLUG_TEST: &str = "from textkit import slug\n\n\ndef test_words_are_joined():\n    assert slug(\"  Ready, steady -- GO! \") == \"ready-steady-go\"\n";
const PASSES_ALREADY: &str =
    "from textkit import slug\n\n\ndef test_one_word():\n    assert slug(\"One\") == \"one\"\n";
const COUNT_TEST: &str = "from textkit import word_count\n\n\ndef test_words_are_counted():\n    assert word_count(\"One, two; three\") == 3\n";
const SHORTEN_TEST: &str = "import textkit\n\n\ndef test_what_is_left_out_is_marked():\n    assert textkit.shorten(\"one,  two three\", 2) == \"one two…\"\n";
const SLUG: &str =
    "import re\n\n\ndef slug(text):\n    return \"-\".join(re.findall(r\"[^\\W_]+\", text.lower()))\n";
const COUNT: &str = "\n\ndef word_count(text):\n    return len(re.findall(r\"[^\\W_]+\", text))\n";
const SHORTEN: &str = "\n\ndef shorten(text, limit):\n    words = re.findall(r\"[^\\W_]+\", text)\n    return \" \".join(words[:limit]) + (\"…\" if len(words) > limit else \"\")\n";

/// The whole cycle over `fixtures/projects/python`, with a false RED and a format violation on the
/// way, and a try to change a protected test.
fn script() -> String {
    let read = |path: &str| format!("- read: {path}\n");
    let code = |text: &str| [read("textkit/__init__.py"), write("textkit/__init__.py", text)];
    let done = |role: &str| block(role, "textkit/__init__.py");
    let tests = "tests/test_ac_py_1_1.py, tests/test_ac_py_1_2.py, tests/test_ac_py_1_3.py";
    let by = |texts: &[&[String]]| texts.concat();
    let one = |text: String| vec![text];
    let rules = [
        rule(
            "writer-again",
            "role: test-writer, last: \"did not meet its success criterion\"",
            &by(&[
                &[read("tests/test_ac_py_1_2.py"), write("tests/test_ac_py_1_2.py", COUNT_TEST)],
                &one(block("test-writer", tests)),
            ]),
        ),
        rule(
            "writer",
            "role: test-writer",
            &by(&[
                &one(write("tests/test_ac_py_1_1.py", SLUG_TEST)),
                &one(write("tests/test_ac_py_1_2.py", PASSES_ALREADY)),
                &one(write("tests/test_ac_py_1_3.py", SHORTEN_TEST)),
                &one("- run: \"python3 -m pytest -q\"\n".to_owned()),
                &one(block("test-writer", tests)),
            ]),
        ),
        rule(
            "slug",
            "role: implementer, criterion: AC-PY-1.1",
            &by(&[
                &one("- run: \"git status --short; git diff; git log -p -- specs\"\n".to_owned()),
                &code(SLUG),
                &one(done("implementer")),
            ]),
        ),
        rule(
            "count-again",
            "role: implementer, criterion: AC-PY-1.2, last: \"re-emit\"",
            &one(done("implementer")),
        ),
        rule(
            "count",
            "role: implementer, criterion: AC-PY-1.2",
            &by(&[&code(&format!("{SLUG}{COUNT}")), &one("- say: \"Done, and no block.\"\n".to_owned())]),
        ),
        rule(
            "shorten",
            "role: implementer, criterion: AC-PY-1.3",
            &by(&[
                &one(write("tests/test_ac_py_1_3_more.py", "def test_x():\n    assert True\n")),
                &code(&format!("{SLUG}{COUNT}{SHORTEN}")),
                &one(done("implementer")),
            ]),
        ),
        rule("refactor", "role: refactorer", &one(block("refactorer", ""))),
    ];
    format!("rules:\n{}", rules.concat())
}

fn journal(sandbox: &Sandbox) -> Vec<Value> {
    let text = std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn goes_through(agent: Agent) {
    let Some(programs) = agents(&["claude", "codex"]) else { return };
    if !has_pytest() {
        return;
    }
    let sandbox = Sandbox::of_fixture("python");
    let server = Server::start(&sandbox, &script());
    sandbox.own_settings(&agent.table(&server));
    let mut command = tdd(&sandbox, &server, &programs);
    let ran = Ran::of(&command.args(["PY-1", "--agent", agent.name()]).output().unwrap()).expect(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let events = journal(&sandbox);
    let of = |name: &str| events.iter().filter(|event| event["type"] == name).cloned().collect::<Vec<_>>();
    // Test-writer twice, three implementers and one format retry, one refactorer.
    let kinds: Vec<String> =
        of("attempt_started").iter().map(|event| event["attempt"]["kind"].to_string()).collect();
    assert_eq!(
        kinds,
        ["first", "semantic", "first", "first", "format", "first", "first"].map(|kind| format!("\"{kind}\""))
    );
    let returns = of("agent_returned");
    // The format retry went on in the session of the attempt before it.
    assert_eq!(returns[4]["outcome"]["session"], returns[3]["outcome"]["session"]);
    assert!(
        server
            .requests()
            .iter()
            .any(|asked| asked["rule"] == "count-again" && asked["asked"]["resumed"] == true)
    );
    let denied = of("denied");
    assert!(
        denied.iter().any(|event| event["what"].to_string().contains("tests/test_ac_py_1_3_more.py")),
        "{denied:?}"
    );
    assert!(!sandbox.path("tests/test_ac_py_1_3_more.py").exists());
    assert_eq!(of("finished").len(), 1);
    check_requests(&server, agent);
    check_home(&sandbox, agent);
    check_sight(&server, &sandbox);
    check_size(&server, agent);
}

/// An implementer that asks git sees its own tree, and nothing of the requirement.
fn check_sight(server: &Server, sandbox: &Sandbox) {
    let all = server.requests();
    let own: Vec<&Value> = all.iter().filter(|asked| asked["rule"] == "slug").collect();
    let results: String = own.iter().map(|asked| asked["asked"]["results"].to_string()).collect();
    assert!(results.contains("?? tests/test_ac_py_1_1.py"), "git did run: {results}");
    let first = server.first_body("slug");
    assert!(!first.contains("specs/frs"), "what it is told at first: {first}");
    if sandbox.level() == "enforce" {
        assert!(!results.contains(" D "), "{results}");
        assert!(results.contains("specs/frs/PY-1.md differ"), "history has no text: {results}");
        assert!(!results.contains("Acceptance Criteria"), "{results}");
    }
}

/// Bytes by four, without what the tests printed: how much there is of it is theirs.
fn check_size(server: &Server, agent: Agent) {
    let most = match agent {
        Agent::Claude => 4_500,
        Agent::Codex => 7_000,
    };
    let body = server.first_body("slug");
    let from = body.find("They fail now.").expect("what the tests printed");
    let to = body.find("All tests of the project are run by").expect("the command for all tests");
    let tokens = (body.len() - (to - from)) / 4;
    assert!(tokens <= most, "{}: {tokens} tokens in its first request", agent.name());
}

/// What the model was told and offered: the role's text, the allowed tools, the key that was given.
fn check_requests(server: &Server, agent: Agent) {
    for request in server.requests().iter().filter(|request| request["asked"]["tools"].is_array()) {
        let asked = &request["asked"];
        let tools: Vec<&str> = asked["tools"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        if tools.is_empty() {
            continue;
        }
        assert!(asked["system"].to_string().contains("tdd-result"), "{request}");
        for tool in tools {
            let is_refused =
                ["Task", "Agent", "WebFetch", "WebSearch", "web_search", "spawn_agent"].contains(&tool);
            assert!(!is_refused, "{} is offered {tool}", agent.name());
        }
    }
}

/// Nothing of the run is in the person's own folders, and no secret is in the run's.
fn check_home(sandbox: &Sandbox, agent: Agent) {
    for own in [".claude", ".claude.json", ".codex"] {
        assert!(!sandbox.beside("home").join(own).exists(), "{own} was made by {}", agent.name());
    }
    assert!(sandbox.run_dir().join("state").is_dir());
    for file in ["events.jsonl", "summary.txt", "summary.json"] {
        let text = std::fs::read_to_string(sandbox.run_dir().join(file)).unwrap();
        assert!(!text.contains(KEY), "{file}");
    }
}

const BROKEN: &str = "import re\n\n\ndef slug(text: str) -> int:\n    return \"_\".join(re.findall(r\"[a-z]+\", text.lower()))\n";
const TYPED: &str = "import re\n\n\ndef slug(text: str) -> str:\n    return \"_\".join(re.findall(r\"[a-z]+\", text.lower()))\n";
const MENDED: &str = "import re\n\n\ndef slug(text: str) -> str:\n    return \"-\".join(re.findall(r\"[a-z]+\", text.lower()))\n";
/// Stands for a type checker; it prints what mypy does.
const CHECKER: &str = "import pathlib, sys\nif '-> int' in pathlib.Path('textkit.py').read_text():\n    print('textkit.py:5: error: Incompatible return value type')\n    sys.exit(1)\n";

/// `tdd fix` with a real agent: a type error and a failing test, one after the other, and a try to
/// change the test.
fn mends(agent: Agent) {
    let Some(programs) = agents(&["claude", "codex"]) else { return };
    if !has_pytest() {
        return;
    }
    let test = "from textkit import slug\n\n\ndef test_slug():\n    assert slug(\"a b\") == \"a-b\"\n";
    let easy = test.replace("a-b", "a_b");
    let sandbox = Sandbox::with(&[
        ("textkit.py", BROKEN),
        ("mypy.py", CHECKER),
        ("tests/test_slug.py", test),
        ("conftest.py", ""),
    ]);
    let read = |path: &str| format!("- read: {path}\n");
    let done = || block("fixer", "textkit.py");
    let rules = [
        // What was said last is quoted to the second fixer only.
        rule(
            "second",
            "role: fixer, last: \"What the agent before you claimed\"",
            &[read("textkit.py"), write("textkit.py", MENDED), done()],
        ),
        rule(
            "first",
            "role: fixer",
            &[
                read("tests/test_slug.py"),
                write("tests/test_slug.py", &easy),
                read("textkit.py"),
                write("textkit.py", TYPED),
                done(),
            ],
        ),
    ];
    let server = Server::start(&sandbox, &format!("rules:\n{}", rules.concat()));
    let config = "fix: { checks: [python3 -m mypy ., python3 -m pytest] }\n";
    sandbox.own_settings(&agent.table(&server));
    sandbox.write("tdd.yaml", config);
    let mut command = tdd(&sandbox, &server, &programs);
    let ran = Ran::of(&command.args(["fix", "--agent", agent.name()]).output().unwrap()).expect(0);
    assert_eq!((sandbox.read("textkit.py").as_str(), sandbox.forks()), (MENDED, 2), "{}", ran.stderr);
    assert_eq!(sandbox.read("tests/test_slug.py"), test);
    let measured: Vec<Value> =
        journal(&sandbox).into_iter().filter(|event| event["type"] == "fix_measured").collect();
    assert_eq!(measured.len(), 3);
    check_requests(&server, agent);
    check_home(&sandbox, agent);
}

#[test]
fn the_real_claude_mends() {
    left_to_the_night!();
    mends(Agent::Claude);
}

#[test]
fn the_real_codex_mends() {
    left_to_the_night!();
    mends(Agent::Codex);
}

#[test]
fn the_real_claude_goes_through() {
    goes_through(Agent::Claude);
}

#[test]
fn the_real_codex_goes_through() {
    left_to_the_night!();
    goes_through(Agent::Codex);
}
