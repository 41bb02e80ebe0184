//! The private folders of agents' sessions, and what of an outer session a child must not get.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test makes folders and looks at them")]

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use tdd_agents::agent::{AgentSetup, RoleAgent, RoleAgents, TableAgents};
use tdd_agents::agent_table::{builtin, read_text};
use tdd_core::attempt::AttemptKind;
use tdd_core::criterion::CriterionId;
use tdd_core::ports::{AgentOrder, AgentReport, Agents, Allowance, Limits, Setters};
use tdd_core::role::Key;
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_core::usage::Usage;
use tempfile::TempDir;
use tokio::sync::watch;

/// A shell script is the agent: it is given a private `AGENT_HOME` with the log-in in it.
struct Stage {
    dir: TempDir,
    script: String,
    env: Vec<(OsString, OsString)>,
}

impl Stage {
    fn new(script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["project/.git", "home/.agent/deep"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("home/.agent/auth.json"), "old").unwrap();
        fs::write(dir.path().join("home/.agent/deep/more.json"), "more").unwrap();
        let env = vec![
            (OsString::from("PATH"), std::env::var_os("PATH").unwrap_or_default()),
            (OsString::from("HOME"), dir.path().join("home").into()),
        ];
        Self { dir, script: script.to_owned(), env }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    fn run(&self, number: u8, kind: AttemptKind) -> Result<AgentReport, Trouble> {
        let argv = serde_json::json!(["sh", "-c", self.script, "sh", "{prompt_file}"]);
        let resume = serde_json::json!(["sh", "-c", self.script, "sh", "{session}"]);
        let table = read_text(
            "mine",
            &format!(
                "argv: {argv}\nresume_argv: {resume}\nsession: new-uuid\n\
                 state_dirs: {{ AGENT_HOME: {{ of: .agent, carry: [auth.json, deep/more.json, not-there], \
                 files: {{ own/settings.json: {{ text: '{{\"turns\":{{max_turns}}}}', keep: [/auth] }} }} }} }}"
            ),
        )
        .unwrap();
        let agents = RoleAgents::all(&RoleAgent { table, model: None });
        let (_send, stop) = watch::channel(None);
        let mut agents = TableAgents::new(AgentSetup {
            roles: agents,
            cwd: self.path("project"),
            tdd: PathBuf::from(env!("CARGO_BIN_EXE_tdd")),
            logs: self.path("logs"),
            exchange_root: self.path("exchange"),
            state_root: self.path("state"),
            cassette: None,
            backoff: Vec::new(),
            stop,
            env: self.env.clone(),
            operator: None,
            task: None,
        });
        let order = AgentOrder {
            out_of_sight: Vec::new(),
            asked: Key::Implementer(CriterionId::parse("AC-x.1").unwrap()).into(),
            number,
            kind,
            prompt: String::new(),
            role_text: String::new(),
            session: (kind == AttemptKind::Format).then(|| "s-1".to_owned()),
            session_used: Usage::default(),
            limits: Limits {
                turns: 8,
                wall_ms: 60_000,
                idle_ms: 60_000,
                output_bytes: 1 << 20,
                caps: Allowance::default(),
                set_by: Setters::default(),
            },
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(agents.run(&order, &mut |_| {}))
    }

    fn said(&self, number: u8, kind: AttemptKind) -> String {
        self.run(number, kind).unwrap().message.unwrap_or_default().trim().to_owned()
    }
}

#[test]
fn a_log_in_is_carried_over_as_a_link_and_never_as_a_copy() {
    let stage =
        Stage::new("cat \"$AGENT_HOME/auth.json\" \"$AGENT_HOME/deep/more.json\"; ls -1 \"$AGENT_HOME\"");
    assert_eq!(stage.said(1, AttemptKind::First), "oldmoreauth.json\ndeep\nown");
    let private = stage.path("state/implementer-AC-x.1-1/AGENT_HOME/auth.json");
    assert_eq!(fs::read_link(private).unwrap(), stage.path("home/.agent/auth.json"));
    // The person's own folder may be named by the variable, and somebody without one is not logged in.
    let mut other = Stage::new("cat \"$AGENT_HOME/auth.json\" 2>&1 || echo none");
    fs::create_dir_all(other.path("elsewhere")).unwrap();
    fs::write(other.path("elsewhere/auth.json"), "mine").unwrap();
    other.env.push(("AGENT_HOME".into(), other.path("elsewhere").into()));
    assert_eq!(other.said(1, AttemptKind::First), "mine");
    other.env.retain(|(name, _)| name == "PATH");
    assert!(other.said(1, AttemptKind::First).ends_with("none"));
}

#[test]
fn every_session_has_a_home_of_its_own_and_a_format_retry_has_the_same() {
    let stage =
        Stage::new("cat \"$AGENT_HOME/notes\" 2>/dev/null; echo x >> \"$AGENT_HOME/notes\"; echo end");
    for (number, kind, want) in [
        (1, AttemptKind::First, "end"),
        (2, AttemptKind::Format, "x\nend"),
        (3, AttemptKind::Format, "x\nx\nend"),
        (4, AttemptKind::Semantic, "end"),
        (5, AttemptKind::Format, "x\nend"),
        // A crash of ours cut the fourth off: made again, it begins anew.
        (4, AttemptKind::Semantic, "end"),
    ] {
        assert_eq!(stage.said(number, kind), want, "{number} {kind:?}");
    }
    fs::remove_dir_all(stage.path("state")).unwrap();
    let trouble = stage.run(2, AttemptKind::Format).unwrap_err();
    assert!(trouble.what.contains("can't be gone on with"), "{trouble}");
}

#[test]
fn a_log_in_that_was_renewed_goes_back_to_where_it_came_from() {
    let stage =
        Stage::new("echo new > \"$AGENT_HOME/t\"; mv \"$AGENT_HOME/t\" \"$AGENT_HOME/auth.json\"; echo end");
    stage.run(1, AttemptKind::First).unwrap();
    assert_eq!(fs::read_to_string(stage.path("home/.agent/auth.json")).unwrap(), "new\n");
    let private = stage.path("state/implementer-AC-x.1-1/AGENT_HOME/auth.json");
    assert!(fs::symlink_metadata(private).unwrap().is_symlink(), "the run keeps no copy");
    let names: Vec<_> = fs::read_dir(stage.path("home/.agent")).unwrap().flatten().collect();
    assert_eq!(names.len(), 2, "nothing is left beside it: {names:?}");
}

#[test]
fn settings_are_made_in_the_private_folder_and_the_person_s_own_stay_as_they_are() {
    let stage = Stage::new(
        "cat \"$AGENT_HOME/own/settings.json\"; echo forged > \"$AGENT_HOME/own/settings.json\"; echo",
    );
    assert_eq!(stage.said(1, AttemptKind::First), r#"{"turns":9}"#, "the person has no such file");
    let own = "{\"auth\": {\"by\": \"key\"}, \"turns\": 99} // mine\n";
    fs::create_dir_all(stage.path("home/.agent/own")).unwrap();
    fs::write(stage.path("home/.agent/own/settings.json"), own).unwrap();
    let want = r#"{"auth":{"by":"key"},"turns":9}"#;
    assert_eq!(stage.said(1, AttemptKind::First), want);
    assert_eq!(stage.said(2, AttemptKind::Format), want, "what the child wrote does not count");
    assert_eq!(fs::read_to_string(stage.path("home/.agent/own/settings.json")).unwrap(), own);
    // Links that a child left lead nowhere, and the run keeps no copy: a key may be in it.
    let private = stage.path("state/implementer-AC-x.1-1/AGENT_HOME");
    assert!(!private.join("own/settings.json").exists());
    std::os::unix::fs::symlink(stage.path("home/.agent/auth.json"), private.join("own/settings.json"))
        .unwrap();
    assert_eq!(stage.said(2, AttemptKind::Format), want);
    assert_eq!(fs::read_to_string(stage.path("home/.agent/auth.json")).unwrap(), "old");
    fs::remove_dir_all(private.join("own")).unwrap();
    std::os::unix::fs::symlink(stage.path("home/.agent/own"), private.join("own")).unwrap();
    let trouble = stage.run(2, AttemptKind::Format).unwrap_err();
    assert!(trouble.what.contains("own/settings.json"), "{trouble}");
    assert_eq!(fs::read_to_string(stage.path("home/.agent/own/settings.json")).unwrap(), own);
    let stage = Stage {
        script: format!(
            "rm -r \"$AGENT_HOME/own\"; ln -s '{}' \"$AGENT_HOME/own\"",
            stage.path("home/.agent/own").display()
        ),
        ..stage
    };
    fs::remove_file(private.join("own")).unwrap();
    stage.run(1, AttemptKind::First).unwrap();
    assert_eq!(
        fs::read_to_string(stage.path("home/.agent/own/settings.json")).unwrap(),
        own,
        "not taken away"
    );
    // What can't be read is told before anything is forked.
    fs::write(stage.path("home/.agent/own/settings.json"), "{").unwrap();
    let trouble = stage.run(1, AttemptKind::First).unwrap_err();
    assert!(trouble.why.contains("no JSON") && trouble.next.contains("mend"), "{trouble}");
}

/// What of a person's own settings goes along with opencode: where models are, and nothing that is run or read.
#[test]
fn opencode_is_told_of_providers_and_of_nothing_else_of_the_person_s() {
    let table = read_text("opencode", builtin("opencode").unwrap()).unwrap();
    let own = r#"{"provider": {"kit": {"options": {"apiKey": "k"}}}, "model": "kit/a", "mcp": {"x": {}},
                  "instructions": ["MEMO.md"], "plugin": ["p"], "agent": {"tdd": {"prompt": "other"}}, // mine
                 }"#;
    let dir = table.state_dirs.iter().find(|dir| dir.variable == "XDG_CONFIG_HOME").unwrap();
    assert!(!dir.carry.iter().any(|path| path.starts_with("opencode")), "{:?}", dir.carry);
    for name in ["opencode/opencode.json", "opencode/opencode.jsonc"] {
        let made = dir.files.iter().find(|made| made.path == name).unwrap();
        let kept = made.with_kept("{}", own).unwrap();
        assert_eq!(kept, r#"{"model":"kit/a","provider":{"kit":{"options":{"apiKey":"k"}}}}"#);
    }
}

#[test]
fn a_home_that_can_not_be_written_is_told() {
    let stage = Stage::new("echo never");
    fs::write(stage.path("state"), "a file in its place").unwrap();
    let trouble = stage.run(1, AttemptKind::First).unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Environment);
    assert!(trouble.what.contains("state/implementer-AC-x.1-1") && !trouble.next.is_empty(), "{trouble}");
    assert!(!stage.path("logs").exists(), "nothing was forked");
}

#[test]
fn a_child_knows_nothing_of_a_session_around_us() {
    let mut stage = Stage::new("env");
    for name in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "AI_AGENT"] {
        stage.env.push((name.into(), "outer".into()));
    }
    for name in ["CLAUDE_CODE_USE_BEDROCK", "CODEX_API_KEY"] {
        stage.env.push((name.into(), "setting".into()));
    }
    let said = stage.said(1, AttemptKind::First);
    assert!(!said.contains("outer"), "{said}");
    assert_eq!(said.matches("=setting").count(), 2, "{said}");
}
