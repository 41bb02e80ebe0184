//! Codex's own record of a session, for what its stream leaves out: refused patches.
//!
//! ```text
//! rollout = { line } ;  line = JSON-object LF
//! line    = {"type":"event_msg","payload":{"type":"task_started"}}                  a start, or a resume
//!         | {"type":"response_item","payload":{"type":"custom_tool_call","call_id":id,"input":input}}
//!         | {"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":id,
//!            "output":text | [ {"text":text}, … ]}}
//!         | any other
//! input   = a patch, or a script with patches as texts in it (its newlines are `\n` then)
//! patch   = lines; "*** Add File: " path | "*** Update File: " path | "*** Delete File: " path
//! ```
//!
//! Read off 0.169.0, which gives some models a tool for patches and others one for scripts. Of a
//! script with several patches all are named if one was refused: the output does not tell which. The
//! record lies where the child may write, so what it tells is a claim like any other: it is recorded, and
//! nothing rests on it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lines::Lines;
use super::sightings;

const REFUSAL: &str = "patch rejected";

/// Patches that wait for what came of them.
const MOST_OPEN: usize = 1_000;

/// The paths of the patches that were refused since the last start, once each.
pub fn denied(rollout: &[u8]) -> Vec<String> {
    let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut denied = Vec::new();
    let mut lines = Lines::default();
    let mut each = |line: &Value| {
        let payload = &line["payload"];
        let id = payload["call_id"].as_str().unwrap_or_default();
        match payload["type"].as_str() {
            Some("task_started") => denied.clear(),
            Some("custom_tool_call") if open.len() < MOST_OPEN => {
                let patch = payload["input"].as_str().unwrap_or_default();
                open.insert(id.to_owned(), paths(patch));
            }
            Some("custom_tool_call_output") => {
                let refused = outputs(payload).any(|text| text.contains(REFUSAL));
                let paths = open.remove(id).unwrap_or_default();
                for path in paths.iter().filter(|_| refused) {
                    sightings::keep(&mut denied, path);
                }
            }
            Some(_) | None => {}
        }
    };
    lines.feed(rollout, &mut each);
    lines.finish(&mut each);
    denied
}

/// The text itself, or each text of a list.
fn outputs(payload: &Value) -> impl Iterator<Item = &str> {
    let output = &payload["output"];
    let listed = output.as_array().into_iter().flatten().filter_map(|item| item["text"].as_str());
    output.as_str().into_iter().chain(listed)
}

fn paths(input: &str) -> Vec<String> {
    const HEADS: [&str; 3] = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    const MOST_PATHS: usize = 20;
    let starts = input.match_indices("*** ").filter_map(|(at, _)| {
        let line = input.get(at..)?;
        HEADS.iter().find_map(|head| line.strip_prefix(head))
    });
    let path = |rest: &str| {
        let end = rest.find(['\n', '"']).unwrap_or(rest.len());
        let end = rest.find("\\n").map_or(end, |escaped| escaped.min(end));
        rest.get(..end).unwrap_or_default().trim().to_owned()
    };
    starts.take(MOST_PATHS).map(path).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, patch: &str) -> Value {
        json!({"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch",
               "call_id": id, "input": format!("*** Begin Patch\n{patch}\n*** End Patch\n")}})
    }

    fn came(id: &str, output: &str) -> Value {
        json!({"type": "response_item", "payload": {"type": "custom_tool_call_output", "call_id": id,
               "output": output}})
    }

    const REFUSED: &str =
        "patch rejected: writing outside of the project; rejected by user approval settings";

    #[test]
    fn refused_patches_are_named_by_their_paths() {
        let started = json!({"type": "event_msg", "payload": {"type": "task_started"}});
        for (lines, want) in [
            (vec![], vec![]),
            (
                vec![
                    started.clone(),
                    call("1", "*** Add File: src/a.py\n+x"),
                    came("1", "Success."),
                    call("2", "*** Update File: tests/t.py\n@@\n-a\n+b\n*** Delete File: conftest.py"),
                    came("2", REFUSED),
                    call("3", "*** Add File: tests/t.py\n+x"),
                    came("3", REFUSED),
                ],
                vec!["tests/t.py", "conftest.py"],
            ),
            (vec![call("1", "*** Add File: a\n+x"), came("1", REFUSED), started], vec![]),
            (vec![came("9", REFUSED), json!({"type": "x"}), json!([1])], vec![]),
            (
                vec![
                    json!({"payload": {"type": "custom_tool_call", "call_id": "1", "name": "exec",
                        "input": "await tools.apply_patch(\"*** Begin Patch\\n*** Add File: t/a b.py\\n+x\\n\");"}}),
                    json!({"payload": {"type": "custom_tool_call_output", "call_id": "1", "output": [
                        {"type": "input_text", "text": "Script failed"},
                        {"type": "input_text", "text": format!("Script error:\n{REFUSED}")}]}}),
                ],
                vec!["t/a b.py"],
            ),
            (vec![call("1", "*** Add File: \u{1b}[31mred\n+x"), came("1", REFUSED)], vec!["red"]),
        ] {
            let text: Vec<String> = lines.iter().map(Value::to_string).collect();
            let text = text.join("\n");
            assert_eq!(denied(text.as_bytes()), want, "{text}");
        }
    }
}
