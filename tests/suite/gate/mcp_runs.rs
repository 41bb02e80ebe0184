//! Runs as tools: begun, followed and read by a client that has no shell.

use std::fs::File;
use std::io::Write as _;

use serde_json::{Value, json};

use super::mcp::{Client, python_with_sdk};
use crate::sandbox::{Ran, wait_for};
use crate::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};

#[test]
fn ac_tdd_6_21_a_run_is_begun_followed_and_read_by_tools() {
    left_to_the_night!();
    let sandbox = project(
        &format!("if test $role = test-writer; then read word <../go; fi\n{HONEST_AGENT}"),
        HONEST_CHECK,
        "",
    );
    assert!(sandbox.command("mkfifo").arg(beside(&sandbox, "go")).status().unwrap().success());
    let mut client = Client::start(&sandbox);
    client.goes_through("criteria", &json!({ "requirement": "STE-1" }), &["AC-STE-1.1"]);
    client.is_refused("halt_report", &json!({}), &["no runs yet"]);
    client.goes_through(
        "run",
        &json!({ "requirement": "STE-1", "wait_seconds": 0 }),
        &["exit code 75", "wait_run"],
    );
    // One run at a time, as on a command line.
    client.is_refused("run", &json!({ "requirement": "STE-1" }), &["another tdd"]);
    client.goes_through("run_status", &json!({}), &["STE-1 (Two)", "at work, process"]);
    let status = client.asks("tools/call", &json!({ "name": "run_status", "arguments": { "json": true } }));
    let objects = &status["result"]["structuredContent"]["objects"];
    assert_eq!(
        (&objects[0]["requirement"], &objects[1]["type"]),
        (&"STE-1".into(), &"session_status".into()),
        "{status}"
    );

    // Whoever asks to be told how far it is hears it while the call lasts.
    let waits =
        json!({ "name": "wait_run", "arguments": { "wait_seconds": 3 }, "_meta": { "progressToken": "p" } });
    let said = client.asks("tools/call", &waits);
    assert_eq!(said["result"]["isError"], false, "{said}");
    let told: Vec<&Value> =
        client.noted.iter().filter(|noted| noted["method"] == "notifications/progress").collect();
    let words = |one: &&Value| one["params"]["message"].as_str().is_some_and(|it| it.contains("STE-1"));
    assert!(!told.is_empty() && told.iter().all(|one| one["params"]["progressToken"] == "p"), "{told:?}");
    assert!(told.iter().all(words), "{told:?}");

    File::options().write(true).open(beside(&sandbox, "go")).unwrap().write_all(b"go\n").unwrap();
    client.goes_through("wait_run", &json!({ "wait_seconds": 600 }), &["is done: every criterion is green"]);
    let said = client.asks("tools/call", &json!({ "name": "wait_run", "arguments": { "json": true } }));
    let object = &said["result"]["structuredContent"];
    assert_eq!((&object["type"], &object["exit"]), (&"summary".into(), &0.into()), "{said}");
    client.goes_through("halt_report", &json!({ "run": "STE-1" }), &["is done"]);
    client.ends().expect(0);
}

#[test]
fn ac_tdd_6_21_a_halt_is_an_answer_and_what_is_wrong_an_error() {
    let sandbox = project("block ''\n", HONEST_CHECK, "");
    let mut client = Client::start(&sandbox);
    let run = json!({ "requirement": "STE-1", "wait_seconds": 600 });
    client.goes_through("run", &run, &["exit code 1: it halted", "show a person", "tdd resume"]);
    client.goes_through("halt_report", &json!({}), &["STE-1", "test-writer"]);
    let said = client.asks("tools/call", &json!({ "name": "halt_report", "arguments": { "json": true } }));
    assert_eq!(said["result"]["structuredContent"]["type"], "halt_report", "{said}");
    for (tool, input, words) in [
        ("run", json!({ "requirement": "STE-99" }), "no requirement STE-99"),
        ("run", json!({ "requirement": "--all" }), "--all"),
        ("run", json!({ "requirement": "STE-1", "agent": "nobody" }), "nobody"),
        ("run", json!({ "requirement": "STE-1", "only": ["--new"] }), "--new"),
        ("run", json!({ "requirement": "STE-1", "max_usd": "5" }), "`max_usd` is no number"),
        ("run", json!({ "requirement": 5 }), "`requirement` is no text"),
        ("run", json!({}), "`requirement` is missing"),
        ("run", json!({ "requirement": "STE-1", "max_us": 0.01 }), "no argument is called \"max_us\""),
        ("run_tests", json!({ "id": ["a"] }), "no argument is called \"id\"; there are ids"),
        ("flush", json!({ "now": true }), "no argument is called \"now\"; it takes none"),
        ("wait_run", json!({ "wait_seconds": -1 }), "`wait_seconds` is no whole number"),
        ("wait_run", json!({ "run": "--timeout=1h" }), "no run"),
        ("run_status", json!({ "run": "nobody" }), "no run `nobody`"),
        ("criteria", json!({ "requirement": "STE-1", "json": "yes" }), "`json` is neither true nor false"),
        ("criteria", json!({ "requirement": "../../etc/passwd" }), "next:"),
    ] {
        client.is_refused(tool, &input, &[words]);
    }
    client.ends().expect(0);
}

const SCRIPT: &str = r#"
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(tdd):
    async with stdio_client(StdioServerParameters(command=tdd, args=["mcp"], env=None)) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            heard = []
            async def progress(done, total, message):
                heard.append(message)
            said = await session.call_tool("run", {"requirement": "STE-1", "wait_seconds": 600, "json": True},
                                           progress_callback=progress)
            content = getattr(said, "structured_content", getattr(said, "structuredContent", None))
            print(content["type"], content["exit"], content["criteria"][0]["criterion"])

asyncio.run(main(*sys.argv[1:]))
"#;

#[test]
fn ac_tdd_6_21_a_client_of_the_sdk_reads_what_a_run_came_to() {
    left_to_the_night!();
    let Some(python) = python_with_sdk() else { return };
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let mut command = sandbox.command(python);
    command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_tdd")]);
    let told = Ran::of(&command.output().unwrap()).expect(0).stdout;
    assert_eq!(told, "summary 0 AC-STE-1.1\n");
    wait_for(|| !sandbox.tdd(&["status"]).stdout.contains("at work"));
}
