//! The gate as tools: by the Python SDK of MCP, by hand, and by the real program of Claude Code.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::{ID, RIGHT, SHOP, TEST, WRONG, project};
use crate::real_agents::{KEY, Server, rule};
use crate::sandbox::{Ran, Sandbox, agents, has_pytest, path_with, wait_for};

/// A client that speaks line by line.
pub(super) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    id: u64,
    /// What the server said meanwhile.
    pub(super) noted: Vec<Value>,
}

impl Client {
    pub(super) fn start(sandbox: &Sandbox) -> Self {
        let mut client = Self::unknown(sandbox);
        client.greets();
        client
    }

    /// One that has not said who it is.
    fn unknown(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout, id: 0, noted: Vec::new() }
    }

    fn greets(&mut self) {
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        });
        let said = self.asks("initialize", &hello);
        assert_eq!(said["result"]["serverInfo"]["name"], "tdd", "{said}");
        self.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    }

    /// The next line that the server says.
    fn hears(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }

    pub(super) fn says(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(super) fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        self.says(
            &json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }).to_string(),
        );
        loop {
            let said = self.hears();
            if said["id"] == self.id {
                return said;
            }
            self.noted.push(said);
        }
    }

    /// What a tool says, and whether it is an error.
    pub(super) fn calls(&mut self, tool: &str, input: &Value) -> (String, bool) {
        let said = self.asks("tools/call", &json!({ "name": tool, "arguments": input }));
        let text = said["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{said}"));
        (text.to_owned(), said["result"]["isError"].as_bool().unwrap_or_default())
    }

    #[track_caller]
    pub(super) fn is_refused(&mut self, tool: &str, input: &Value, words: &[&str]) {
        let (text, is_error) = self.calls(tool, input);
        assert!(is_error, "{tool} {input}: {text}");
        for word in words {
            assert!(text.contains(word), "{tool} {input}: no `{word}` in {text}");
        }
    }

    #[track_caller]
    pub(super) fn goes_through(&mut self, tool: &str, input: &Value, words: &[&str]) {
        let (text, is_error) = self.calls(tool, input);
        assert!(!is_error, "{tool} {input}: {text}");
        for word in words {
            assert!(text.contains(word), "{tool} {input}: no `{word}` in {text}");
        }
    }

    pub(super) fn ends(mut self) -> Ran {
        drop(self.stdin.take());
        Ran::of(&self.child.wait_with_output().unwrap())
    }
}

fn events(sandbox: &Sandbox) -> Vec<Value> {
    let folder = sandbox.path(".tdd/sessions");
    let session = folder.read_dir().unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    assert!(session.file_name().to_string_lossy().starts_with("mcp-"), "{session:?}");
    let text = std::fs::read_to_string(session.path().join("events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const SCRIPT: &str = r#"
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(tdd, test_id, wrong, right):
    async with stdio_client(StdioServerParameters(command=tdd, args=["mcp"], env=None)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            print("tools", *(tool.name for tool in (await session.list_tools()).tools))
            async def call(name, **arguments):
                said = await session.call_tool(name, arguments)
                failed = getattr(said, "is_error", getattr(said, "isError", None))
                print("refused" if failed else "done", name, said.content[0].text.replace("\n", "|"))
            await call("edit_file", path="shop.py", content=right)
            await call("run_tests", ids=[test_id])
            await call("edit_file", path="shop.py", content=right)
            for text in (wrong, right):
                await call("claim_edit", test_id=test_id, files=["shop.py"])
                await call("edit_file", path="shop.py", content=text)
                await call("flush")
            await call("status")

asyncio.run(main(*sys.argv[1:]))
"#;

/// The interpreter whose packages hold the SDK.
pub(super) fn python_with_sdk() -> Option<PathBuf> {
    let named = std::env::var_os("TDD_TEST_MCP").map(PathBuf::from).filter(|python| python.exists());
    if named.is_none() {
        println!("skipped: no mcp in TDD_TEST_MCP");
        assert!(std::env::var_os("CI").is_none(), "Python with the package mcp is needed in TDD_TEST_MCP");
    }
    named
}

#[test]
fn ac_tdd_10_17_a_client_of_the_sdk_goes_red_claim_edit_green() {
    left_to_the_night!();
    let Some(python) = python_with_sdk().filter(|_| has_pytest()) else { return };
    let sandbox = project();
    let mut command = sandbox.command(python);
    // The SDK hands its server a few variables alone; the path is one.
    command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_tdd"), ID, WRONG, RIGHT]);
    let told = Ran::of(&command.output().unwrap()).expect(0).stdout;
    let lines: Vec<&str> = told.lines().collect();
    let wanted = [
        (
            "tools run_tests claim_edit edit_file flush status run wait_run run_status halt_report criteria",
            "",
        ),
        ("refused edit_file", "shop.py refused: no red test"),
        ("done run_tests", "red tests/test_total.py::test_sum (assertion)"),
        ("refused edit_file", "no claim"),
        ("done claim_edit", "claimed shop.py for"),
        ("done edit_file", "edited shop.py"),
        ("refused flush", "taken back: shop.py"),
        ("done claim_edit", "claimed shop.py for"),
        ("done edit_file", "edited shop.py"),
        ("done flush", "1 green, edits kept"),
        ("done status", "green tests/test_total.py::test_sum"),
    ];
    assert_eq!(lines.len(), wanted.len(), "{told}");
    for (line, (beginning, words)) in lines.iter().zip(wanted) {
        assert!(line.starts_with(beginning) && line.contains(words), "{beginning}, {words}: {line}");
    }
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    let events = events(&sandbox);
    assert_eq!(
        (events[0]["type"].as_str(), events[0]["agent"].as_str()),
        (Some("session_started"), Some("mcp"))
    );
    let edit = events.iter().rfind(|event| event["type"] == "edit").unwrap();
    assert_eq!((edit["tool"].as_str(), edit["ground"].as_str()), (Some("edit_file"), Some("claim")));
}

#[test]
fn ac_tdd_10_17_every_call_of_a_tool_is_judged() {
    left_to_the_night!();
    let sandbox = project();
    std::os::unix::fs::symlink("shop.py", sandbox.path("alias.py")).unwrap();
    std::os::unix::fs::symlink(sandbox.beside("."), sandbox.path("out")).unwrap();
    std::os::unix::fs::symlink("loop", sandbox.path("loop")).unwrap();
    sandbox.commit();
    let mut client = Client::start(&sandbox);
    let edit = |path: &str| json!({ "path": path, "content": "x = 1\n" });
    for path in ["shop.py", "./tests/../shop.py", "alias.py", "notes/../shop.py"] {
        client.is_refused("edit_file", &edit(path), &["shop.py refused: no red test"]);
    }
    let beside = sandbox.beside("x.py");
    for path in ["out/x.py", "../x.py", beside.to_str().unwrap()] {
        client.is_refused(
            "edit_file",
            &edit(path),
            &["is not written", "why: it is no file of this", "next: "],
        );
    }
    assert!(!beside.exists());
    client.is_refused("edit_file", &edit("loop"), &["circle"]);
    for path in ["tdd.yaml", ".git/hooks/pre-commit", ".mcp.json", ".tdd/sessions/x/state.json"] {
        client.is_refused("edit_file", &edit(path), &["only a person edits it"]);
    }
    for (tool, input, word) in [
        ("teleport", json!({}), "no tool is called"),
        ("edit_file", json!({ "content": "x" }), "`path` is missing"),
        ("edit_file", json!({ "path": "notes/a.md" }), "neither `content` nor"),
        (
            "edit_file",
            json!({ "path": "README.md", "old_string": "none", "new_string": "x" }),
            "stands 0 times",
        ),
        ("edit_file", json!({ "path": "a\0b", "content": "x" }), "`path` is no text"),
        ("claim_edit", json!({ "test_id": "a::b", "files": [] }), "names no file"),
        ("claim_edit", json!({ "test_id": "a::b", "files": "shop.py" }), "no list of texts"),
        ("claim_edit", json!({ "test_id": "--session", "files": ["shop.py"] }), "was not seen red"),
        ("run_tests", json!({ "ids": [7] }), "no list of texts"),
        ("run_tests", json!({ "ids": ["--session=other"] }), "no test is called"),
    ] {
        client.is_refused(tool, &input, &[word, "next: "]);
    }
    // Honest work goes through, whole and in part.
    client.goes_through("edit_file", &edit("notes/new/a.py"), &["edited notes/new/a.py"]);
    let part = json!({ "path": "README.md", "old_string": "Shop", "new_string": "The shop" });
    client.goes_through("edit_file", &part, &["edited README.md"]);
    assert_eq!(sandbox.read("README.md"), "# The shop\n");
    client.goes_through("edit_file", &json!({ "path": "tests/test_new.py", "content": TEST }), &["edited"]);
    // What another tool changed past the gate is told with the next call, and taken back.
    sandbox.write("shop.py", WRONG);
    client.goes_through(
        "edit_file",
        &edit("notes/b.py"),
        &["shop.py refused", "taken back", "edited notes/b.py"],
    );
    assert_eq!(sandbox.read("shop.py"), SHOP);
    client.ends().expect(0);
}

#[test]
fn ac_tdd_10_17_what_is_no_call_ends_nothing() {
    left_to_the_night!();
    let sandbox = project();
    let mut client = Client::start(&sandbox);
    client.says("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\":");
    client.says("[]");
    client.says("\"\\u0000\"");
    client.says(&"[".repeat(100_000));
    let huge = json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": { "name": "edit_file",
        "arguments": { "path": "notes/a.md", "content": "x".repeat(17 << 20) } } });
    client.says(&huge.to_string());
    let said = client.asks("no/such", &json!({}));
    assert!(said["error"]["code"].is_i64(), "{said}");
    client.goes_through("status", &json!({}), &["the gate is on"]);
    assert!(!sandbox.path("notes/a.md").exists());
    client.ends().expect(0);
    // Where there is no project, the client reads why nothing starts.
    let empty = Sandbox::empty();
    empty.tdd(&["mcp"]).expect(2).says(&["next: "]);
}

/// Before a client has said who it is, and after.
#[test]
fn ac_tdd_12_10_what_is_no_message_gets_the_protocols_error_and_ends_nothing() {
    left_to_the_night!();
    let sandbox = project();
    let mut client = Client::unknown(&sandbox);
    for is_known in [false, true] {
        if is_known {
            client.greets();
        }
        for (line, code) in
            [("{\"jsonrpc\": \"2.0\",", -32700), ("no JSON", -32700), ("[]", -32600), ("7", -32600)]
        {
            client.says(line);
            let said = client.hears();
            assert_eq!((&said["error"]["code"], said.get("id")), (&json!(code), None), "{line}: {said}");
        }
        client.says(&json!({ "jsonrpc": "1.0", "id": 5, "method": "ping" }).to_string());
        let said = client.hears();
        assert_eq!((&said["id"], &said["error"]["code"]), (&json!(5), &json!(-32600)), "{said}");
        // Some clients say the id last, so that it stands where nothing is kept of the line any more.
        let large =
            json!({ "name": "edit_file", "arguments": { "path": "a", "content": "x".repeat(17 << 20) } });
        client.says(&format!(r#"{{"method":"tools/call","params":{large},"jsonrpc":"2.0","id":"last"}}"#));
        let said = client.hears();
        assert_eq!((&said["id"], &said["error"]["code"]), (&json!("last"), &json!(-32600)), "{said}");
        assert!(said["error"]["message"].as_str().unwrap().contains("16 MiB"), "{said}");
        // What wants no answer gets none, known or not.
        client.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        client.says(&json!({ "jsonrpc": "2.0", "method": "no/such" }).to_string());
        client.says("");
    }
    let said = client.asks("tools/list", &json!({}));
    assert!(said["result"]["tools"].is_array(), "{said}");
    client.ends().expect(0);
    // A call before the client is known is refused, and it may still say who it is.
    let mut client = Client::unknown(&sandbox);
    let said = client.asks("tools/call", &json!({ "name": "status", "arguments": {} }));
    assert!(said["error"]["code"].is_i64() && said.get("result").is_none(), "{said}");
    let words = said["error"]["message"].as_str().unwrap();
    assert!(words.contains("before `initialize`") && words.contains("send `initialize`"), "{words}");
    assert_eq!(client.asks("ping", &json!({}))["result"], json!({}));
    client.greets();
    client.goes_through("status", &json!({}), &["the gate is on"]);
    client.ends().expect(0);
}

#[test]
fn ac_tdd_10_17_a_client_that_goes_away_leaves_no_call_at_work() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    let began = sandbox.beside("began");
    let slow = format!("import time\n\n\ndef test_slow():\n    open({began:?}, 'w')\n    time.sleep(600)\n");
    sandbox.write("tests/test_slow.py", &slow);
    sandbox.commit();
    for ends_by_signal in [false, true] {
        let mut client = Client::start(&sandbox);
        let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "run_tests", "arguments": { "ids": ["tests/test_slow.py"] } } });
        client.says(&call.to_string());
        wait_for(|| began.exists());
        if ends_by_signal {
            let pid = rustix::process::Pid::from_child(&client.child);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            client.child.wait().unwrap();
        } else {
            client.ends().expect(0);
        }
        let marks = began.to_str().unwrap().to_owned();
        let at_work = || {
            let all = std::fs::read_dir("/proc").unwrap().flatten();
            all.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok())
                .any(|environ| String::from_utf8_lossy(&environ).contains(marks.trim_end_matches("began")))
        };
        wait_for(|| !at_work());
        std::fs::remove_file(&began).unwrap();
    }
}

#[test]
fn ac_tdd_10_17_the_real_claude_works_by_the_tools() {
    left_to_the_night!();
    let Some(programs) = agents(&["claude"]).filter(|_| has_pytest()) else { return };
    let sandbox = project();
    let tool = |name: &str, with: Value| format!("- tool: {{ name: mcp__tdd__{name}, with: {with} }}\n");
    let edit = || tool("edit_file", json!({ "path": "shop.py", "content": RIGHT }));
    let turns = [
        edit(),
        tool("run_tests", json!({ "ids": [ID] })),
        tool("claim_edit", json!({ "test_id": ID, "files": ["shop.py"] })),
        edit(),
        tool("flush", json!({})),
        "- say: Done.\n".to_owned(),
    ];
    let script = format!("rules:\n{}", rule("all", "prompt: \"Make total right\"", &turns));
    let server = Server::start(&sandbox, &script);
    let servers =
        json!({ "mcpServers": { "tdd": { "command": env!("CARGO_BIN_EXE_tdd"), "args": ["mcp"] } } });
    std::fs::write(sandbox.beside("mcp.json"), servers.to_string()).unwrap();
    let mut command: Command = sandbox.command(programs.join("claude"));
    command.env("PATH", path_with(&programs));
    command.args(["-p", "Make total right.", "--strict-mcp-config", "--mcp-config"]);
    command.arg(sandbox.beside("mcp.json")).args(["--allowedTools", "mcp__tdd"]);
    command.env("ANTHROPIC_BASE_URL", &server.url).env("ANTHROPIC_API_KEY", KEY);
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    command.env("CLAUDE_CODE_MAX_RETRIES", "1").env("DISABLE_TELEMETRY", "1");
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    let bodies = sandbox.beside("bodies").read_dir().unwrap().flatten();
    let told: String = bodies.map(|body| std::fs::read_to_string(body.path()).unwrap()).collect();
    for words in ["shop.py refused: no red test", "claimed shop.py for", "edited shop.py", "edits kept"] {
        assert!(told.contains(words), "no `{words}`\n{}\n{}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}
