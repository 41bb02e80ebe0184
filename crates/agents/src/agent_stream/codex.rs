//! Codex's own record of a session, for what its stream leaves out: which calls came in one response of
//! the model, what was used before the end, and refused patches.
//!
//! ```text
//! rollout = { line } ;  line = JSON-object LF
//! line    = {"type":"event_msg","payload":{"type":"task_started"}}                  a start, or a resume
//!         | {"type":"response_item","payload":{"type":kind "_call","call_id":id,"input":input},
//!            "metadata":{"sampled_through_sequence":what the model had read}}
//!         | {"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":id,
//!            "output":text | [ {"text":text}, … ]}}
//!         | {"type":"token_usage_record", …}                                        a response is over
//!         | {"type":"event_msg","payload":{"type":"token_count", …}}                so are its calls
//!         | any other
//! input   = a patch, or a script with patches as texts in it (its newlines are `\n` then)
//! patch   = lines; "*** Add File: " path | "*** Update File: " path | "*** Delete File: " path
//! ```
//!
//! Read off 0.169.0, which gives some models a tool for patches and others one for scripts. Of a
//! script with several patches all are named if one was refused: the output does not tell which. Where
//! a call does not say what the model had read, all calls between two reports of use are one response's.
//!
//! The record lies where the child may write, so what it tells is a claim like any other: of use and turns
//! it can only stretch or waste the child's own, and its deadlines hold whatever it says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::lines::Lines;
use super::{MAX_GROUPS, sightings};

const REFUSAL: &str = "patch rejected";

/// Patches that wait for what came of them.
const MOST_OPEN: usize = 1_000;

/// What a record told until now.
#[derive(Debug, Default)]
pub(super) struct Record {
    lines: Lines,
    told: Told,
}

#[derive(Debug, Default)]
struct Told {
    /// Patches that wait for what came of them, by the id of their call.
    open: BTreeMap<String, Vec<String>>,
    denied: Vec<String>,
    /// Responses that called tools.
    responses: BTreeSet<Response>,
    turns: u32,
    /// Reports of use.
    reports: u64,
}

/// What tells one response from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Response {
    /// By what the model had read.
    After(u64),
    /// By the reports of use before it.
    Between(u64),
}

impl Record {
    /// Hears some more of it, cut anywhere; `each` is told every line.
    pub(super) fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(&Value)) {
        let told = &mut self.told;
        self.lines.feed(bytes, &mut |line| {
            told.line(line);
            each(line);
        });
    }

    /// Hears its last line, which a killed program may have left without an end.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(&Value)) {
        let told = &mut self.told;
        self.lines.finish(&mut |line| {
            told.line(line);
            each(line);
        });
    }

    /// Responses that called tools since the last start; `None` if it tells of none.
    pub(super) fn turns(&self) -> Option<u32> {
        Some(self.told.turns).filter(|turns| *turns > 0)
    }

    /// The paths of the patches that were refused since the last start, once each.
    pub(super) fn denied(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told.denied)
    }
}

impl Told {
    fn line(&mut self, line: &Value) {
        let payload = &line["payload"];
        let kind = payload["type"].as_str().unwrap_or_default();
        match line["type"].as_str() {
            Some("token_usage_record") => self.reports += 1,
            Some("event_msg") if kind == "token_count" => self.reports += 1,
            Some("event_msg") if kind == "task_started" => {
                self.denied.clear();
                self.responses.clear();
                self.turns = 0;
            }
            Some("response_item") if kind.ends_with("_call") => self.call(line),
            Some("response_item") if kind == "custom_tool_call_output" => self.came(payload),
            Some(_) | None => {}
        }
    }

    fn call(&mut self, line: &Value) {
        let read = line["metadata"]["sampled_through_sequence"].as_u64();
        let response = read.map_or(Response::Between(self.reports), Response::After);
        if self.responses.len() >= MAX_GROUPS || self.responses.insert(response) {
            self.turns = self.turns.saturating_add(1);
        }
        let payload = &line["payload"];
        if let (Some(patch), true) = (payload["input"].as_str(), self.open.len() < MOST_OPEN) {
            self.open.insert(id(payload), paths(patch));
        }
    }

    fn came(&mut self, payload: &Value) {
        let refused = outputs(payload).any(|text| text.contains(REFUSAL));
        let paths = self.open.remove(&id(payload)).unwrap_or_default();
        for path in paths.iter().filter(|_| refused) {
            sightings::keep(&mut self.denied, path);
        }
    }
}

fn id(payload: &Value) -> String {
    payload["call_id"].as_str().unwrap_or_default().to_owned()
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

    fn denied(rollout: &[u8]) -> Vec<String> {
        let mut record = Record::default();
        record.feed(rollout, &mut |_| {});
        record.finish(&mut |_| {});
        record.denied()
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
                    json!({"type": "response_item", "payload": {"type": "custom_tool_call", "call_id": "1", "name": "exec",
                        "input": "await tools.apply_patch(\"*** Begin Patch\\n*** Add File: t/a b.py\\n+x\\n\");"}}),
                    json!({"type": "response_item", "payload": {"type": "custom_tool_call_output", "call_id": "1", "output": [
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
