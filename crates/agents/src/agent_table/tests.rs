use super::template::Placeholder;
use super::*;

fn mine(yaml: &str) -> Result<AgentTable, Trouble> {
    read_text("mine", yaml)
}

#[test]
fn the_shape_of_the_settings_is_read_whole() {
    let table = mine(
        r#"
argv: ["python3", "agent.py", "{role}", "{prompt_file}", "{criterion}"]
resume_argv: ["python3", "agent.py", "--resume", "{session}"]
prompt: stdin
stdio: pipe
message: { jsonl: { where: { /type: message, /n: [1, 2], /to: null }, take: /text, session: /sid } }
turns: { where: { /type: tool }, by: /id }
env: { set: { K: "{role}" }, pass: [PATH, HOME, "LC_*"] }
ok_exit: [0, 3]
exit_map: { 41: not-logged-in, 53: turn-cap }
failures: { rate-limit: [{ /error: { contains: "429" } }, "slow down"] }
max_turns: 8
wall: 30m
idle: 10m
output_cap: 64MiB
stop: { interrupt: 2s, terminate: 3s }
"#,
    )
    .unwrap();
    assert_eq!(table.prompt, PromptBy::Stdin);
    assert_eq!(table.stdio, Stdio::Pipe);
    assert!(matches!(table.message, MessageFrom::JsonLines(_)));
    assert!(matches!(table.session, Some(SessionFrom::Told(_))));
    assert!(table.resumes());
    assert_eq!(table.ok_exit, [0, 3]);
    assert_eq!(table.exit_map.get(&53), Some(&AgentFailure::TurnCap));
    assert_eq!(table.failures.len(), 2);
    assert_eq!(
        (table.max_turns, table.wall_ms, table.idle_ms, table.output_cap),
        (Some(8), Some(1_800_000), Some(600_000), Some(64 << 20))
    );
    assert_eq!(table.stop, StopLadder { interrupt_ms: 2_000, terminate_ms: 3_000 });
    for (name, want) in
        [("PATH", true), ("LC_ALL", true), ("LANG", false), ("PATHX", false), ("GIT_DIR", false)]
    {
        assert_eq!(table.env.passes(name), want, "{name}");
    }
}

#[test]
fn a_table_needs_no_more_than_a_command_line() {
    let table = mine("argv: [agent, '{prompt_file}']").unwrap();
    assert_eq!(table.prompt, PromptBy::File);
    assert_eq!(table.stdio, Stdio::Pty);
    assert_eq!(table.message, MessageFrom::Stdout);
    assert_eq!(table.ok_exit, [0]);
    assert!(!table.resumes());
    assert!(table.env.passes("ANYTHING"));
}

#[test]
fn every_spelling_of_the_message_is_read() {
    for (message, want) in [
        ("{ from: stdout }", "stdout"),
        ("{ from: file, path: out.txt }", "file"),
        ("{ file: out.txt }", "file"),
        ("{ from: { file: out.txt } }", "file"),
        ("{ json: /response }", "json"),
        ("{ from: { json: /response } }", "json"),
        ("{ json: { where: { /ok: true }, take: /response } }", "json"),
        ("{ jsonl: { where: { /type: m }, take: /text } }", "lines"),
        ("{ file: out.txt, jsonl: { take: /text } }", "both"),
    ] {
        let table = mine(&format!("argv: [a, '{{prompt_file}}']\nmessage: {message}")).unwrap();
        let found = match table.message {
            MessageFrom::Stdout => "stdout",
            MessageFrom::File { stream: None, .. } => "file",
            MessageFrom::File { stream: Some(_), .. } => "both",
            MessageFrom::Json(_) => "json",
            MessageFrom::JsonLines(_) => "lines",
        };
        assert_eq!(found, want, "{message}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_what_to_do() {
    let whole = "argv: [a, '{prompt_file}']\n";
    for (yaml, what, next) in [
        ("argv: []", "agents.mine.argv", "for example"),
        ("argv: ['']", "agents.mine.argv", "for example"),
        ("prompt: file", "has no `argv`", "add argv"),
        ("argv: agent run", "agents.mine.argv", "It wants"),
        ("argv: [a, 5]", "agents.mine.argv[1]", "It wants"),
        ("argv: [a, '{promt_file}']", "{promt_file}", "`prompt_file`"),
        ("argv: [a, [b, '{modle}'], '{prompt_file}']", "{modle}", "`model`"),
        ("argv: [[a]]", "agents.mine.argv[0]", "It wants"),
        ("argv: [a]", "does not give the prompt", "{prompt_file}"),
        ("argv: [a, '{prompt_file}', '{prompt}']", "uses {prompt}", "prompt: argv"),
        ("argv: [a, \"x\\0y\"]", "agents.mine.argv[1]", "Take it out"),
        ("- a", "agents.mine", "It wants"),
        ("argv: [a\nb: {", "is no YAML in line", "mend"),
        ("{whole}promt: file", "promt` is not known", "`prompt`"),
        ("{whole}prompt: stdinn", "agents.mine.prompt", "`stdin`"),
        ("{whole}stdio: tty", "agents.mine.stdio", "Did you mean `pty`?"),
        ("{whole}message: stdout", "agents.mine.message", "It wants"),
        ("{whole}message: {}", "does not name one place", "write one of"),
        ("{whole}message: { from: stdout, json: /a }", "does not name one place", "write one of"),
        ("{whole}message: { from: stdout, path: x }", "does not name one place", "write one of"),
        ("{whole}message: { from: file }", "does not name one place", "write one of"),
        ("{whole}message: { from: stdoutt }", "agents.mine.message.from", "`stdout`"),
        ("{whole}message: { json: response }", "no JSON pointer", "/message"),
        ("{whole}message: { jsonl: { where: { /a: b } } }", "what to take", "take:"),
        ("{whole}message: { jsonl: { were: { /a: b }, take: /c } }", "were` is not known", "`where`"),
        ("{whole}message: { jsonl: { where: { /a: 1.5 }, take: /c } }", "/a", "It wants"),
        (
            "{whole}message: { jsonl: { where: { /a: { is: x } }, take: /c } }",
            "is` is not known",
            "Known are",
        ),
        ("{whole}session: { where: { /a: b } }", "what to take", "take:"),
        (
            "{whole}session: /a\nmessage: { jsonl: { take: /b, session: /c } }",
            "agents.mine.session",
            "take one",
        ),
        ("{whole}resume_argv: [a]", "never used", "new-uuid"),
        ("{whole}turns: {}", "selects nothing", "where"),
        ("{whole}env: { set: { A: 1 } }", "agents.mine.env.set.A", "It wants"),
        ("{whole}env: { set: { 'A=B': x } }", "env.set.A=B", "name alone"),
        ("{whole}env: { pas: [] }", "pas` is not known", "`pass`"),
        ("{whole}files: { ../x: y }", "no name for a generated file", "plain"),
        ("{whole}files: { prompt.md: y }", "no name for a generated file", "plain"),
        ("{whole}ok_exit: [256]", "ok_exit", "It wants"),
        ("{whole}exit_map: { 3: not-loged-in }", "exit_map", "`not-logged-in`"),
        ("{whole}exit_map: { x: usage }", "exit_map", "It wants"),
        ("{whole}failures: { usage: x }", "failures.usage", "It wants"),
        ("{whole}max_turns: 0", "max_turns", "It wants"),
        ("{whole}max_turns: -1", "max_turns", "It wants"),
        ("{whole}wall: 30", "agents.mine.wall", "It wants"),
        ("{whole}output_cap: lots", "output_cap", "It wants"),
        ("{whole}stop: { interupt: 2s }", "interupt` is not known", "`interrupt`"),
        ("{whole}argv: [b]", "no YAML", "mend"),
    ] {
        refused(&yaml.replace("{whole}", whole), what, next);
    }
}

#[test]
fn what_is_wrong_with_trust_and_homes_is_named_too() {
    let whole = "argv: [a, '{prompt_file}']\n";
    for (yaml, what, next) in [
        ("like: cladue", "agents.mine.like", "`claude`"),
        ("like: claude\nprompt: stdinn", "agents.mine.prompt", "`stdin`"),
        ("{whole}settings_seen: { where: { /a: b } }", "too late", "turns"),
        ("{whole}denied: { take: /a }", "agents.mine.denied", "It wants"),
        ("{whole}denied: [{ where: { /a: b } }]", "what to take", "take:"),
        ("{whole}error: [/a, b]", "no JSON pointer", "/message"),
        ("{whole}records: claude", "agents.mine.records", "Known are: codex"),
        ("{whole}own_sandbox: maybe", "agents.mine.own_sandbox", "Known are: on, off"),
        ("{whole}protect: { file: x, folder: '{path}' }", "agents.mine.protect.file", "It wants"),
        ("{whole}state_dirs: { HOME: {} }", "agents.mine.state_dirs.HOME.of", "It wants"),
        ("{whole}state_dirs: { HOME: { of: /root } }", "agents.mine.state_dirs.HOME.of", "for example"),
        ("{whole}state_dirs: { HOME: { of: .a, carry: [../b] } }", "HOME.carry", "for example"),
        ("{whole}state_dirs: { HOME: { of: .a, cary: [b] } }", "cary` is not known", "`carry`"),
        ("{whole}state_dirs: { HOME: { of: .a, files: { ../b: x } } }", "HOME.files", "for example"),
        ("{whole}state_dirs: { HOME: { of: .a, files: { b: '{rol}' } } }", "{rol}", "role"),
        ("{whole}state_dirs: { HOME: { of: .a, files: { b: { keep: [/a] } } } }", "b.text", "It wants"),
        (
            "{whole}state_dirs: { HOME: { of: .a, files: { b: { text: x, keep: [a] } } } }",
            "pointer",
            "/security",
        ),
        ("{whole}state_dirs: { HOME: { of: .a, carry: [b], files: { b: x } } }", "carried over", "`carry`"),
        ("{whole}state_dirs: { HOME: { of: .a, carry: [b/c], files: { b: x } } }", "carried over", "`carry`"),
        ("{whole}turns: { where: { /a: b }, by: runs }", "no JSON pointer", "for example"),
        ("{whole}versions: { oldest: '1.0' }", "versions.proven", "It wants"),
        ("{whole}versions: { proven: [newest] }", "versions.proven", "It wants"),
        ("{whole}versions: { proven: [1.5] }", "versions.proven[0]", "It wants"),
    ] {
        refused(&yaml.replace("{whole}", whole), what, next);
    }
}

fn refused(yaml: &str, what: &str, next: &str) {
    let trouble = mine(yaml).expect_err(yaml);
    assert!(trouble.what.contains(what), "{yaml}: {trouble}");
    assert!(trouble.next.contains(next), "{yaml}: {trouble}");
    assert!(!trouble.why.is_empty(), "{yaml}: {trouble}");
}

#[test]
fn the_built_in_tables_can_be_read() {
    let old = mine("like: claude\nmax_turns: 3\nenv: { set: { A: b } }").unwrap();
    assert_eq!((old.max_turns, old.stdio), (Some(3), Stdio::Pty));
    assert!(old.env.set.len() > 1 && old.env.set.iter().any(|(name, _)| name == "A"));
    assert!(old.resumes() && old.settings_seen.is_some());
    let bare = mine("like: codex\nown_sandbox: off").unwrap();
    let argv = bare.argv.fill(&|what| Some(what.name().to_owned())).unwrap();
    assert!(argv.contains(&"--dangerously-bypass-approvals-and-sandbox".to_owned()), "{argv:?}");
    for name in BUILTIN {
        let table = read_text(name, builtin(name).unwrap()).unwrap();
        assert!(!table.argv.0.is_empty(), "{name}");
    }
    assert_eq!(builtin("nobody"), None);
    let claude = read_text("claude", builtin("claude").unwrap()).unwrap();
    assert!(claude.resumes() && claude.session == Some(SessionFrom::NewUuid));
    assert!(claude.files.contains_key("role.json"));
    let argv =
        claude.argv.fill(&|what| (what != Placeholder::Model).then(|| what.name().to_owned())).unwrap();
    assert!(!argv.iter().any(|argument| argument == "--model"), "{argv:?}");
    assert!(argv.contains(&"run_dir/role.json".to_owned()), "{argv:?}");
    let codex = read_text("codex", builtin("codex").unwrap()).unwrap();
    let argv = codex.argv.fill(&|what| Some(what.name().to_owned())).unwrap();
    assert!(argv.iter().any(|argument| argument.contains(r#"{":root"="read","#)), "{argv:?}");
    assert!(argv.contains(&"developer_instructions=role_json".to_owned()), "{argv:?}");
}

#[test]
fn a_variable_more_leaves_those_of_the_table_that_it_is_like() {
    for (base, kept) in
        [("opencode", "OPENCODE_CONFIG"), ("gemini", "GEMINI_SYSTEM_MD"), ("claude", "TDD_STOP")]
    {
        let plain = read_text("plain", &format!("like: {base}")).unwrap();
        let more =
            read_text("more", &format!("like: {base}\nenv: {{ set: {{ MORE: one, {kept}: other }} }}"))
                .unwrap();
        let names =
            |table: &AgentTable| table.env.set.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let missing: Vec<String> =
            names(&plain).into_iter().filter(|name| !names(&more).contains(name)).collect();
        assert_eq!(missing, Vec::<String>::new(), "{base}");
        let value =
            |name: &str| more.env.set.iter().find(|(set, _)| set == name).map(|(_, value)| value.shown());
        assert_eq!(value("MORE").as_deref(), Some("one"));
        assert_eq!(value(kept).as_deref(), Some("other"), "what is set again is set");
        assert_eq!(more.env.pass, plain.env.pass, "{base}");
    }
}
