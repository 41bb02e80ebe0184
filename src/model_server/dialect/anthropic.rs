//! Anthropic Messages.

use serde_json::{Value, json};

use super::super::answer::{Answer, Part};
use super::super::request::{Asked, Said, Takes, Tool, flat, texts};
use super::{ENDLESS, id, named_event};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        streams: body["stream"].as_bool().unwrap_or(false),
        system: texts(&body["system"]).join("\n"),
        schema: Some(body["output_config"]["format"]["schema"].clone()).filter(Value::is_object),
        ..Asked::default()
    };
    for message in body["messages"].as_array().into_iter().flatten() {
        let from_model = message["role"] == "assistant";
        let one_text = json!([{ "type": "text", "text": message["content"] }]);
        let content = if message["content"].is_string() { &one_text } else { &message["content"] };
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        // What comes with results of tools is a reminder of the program's, and so is a system's message.
        let is_reminder =
            message["role"] == "system" || blocks.iter().any(|block| block["type"] == "tool_result");
        for block in blocks {
            match (block["type"].as_str(), from_model) {
                (Some("tool_result"), _) => asked.said.push(Said::Result(flat(&block["content"]))),
                (Some("tool_use"), _) | (Some("text"), true) => asked.said.push(Said::Model),
                (Some("text"), false) if is_reminder => {
                    asked.said.push(Said::Context(flat(&block["text"])));
                }
                (Some("text"), false) => asked.user(&flat(&block["text"])),
                _ => {}
            }
        }
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        asked.tools.push(Tool {
            name: tool["name"].as_str().unwrap_or_default().to_owned(),
            namespace: None,
            takes: Takes::Fields(tool["input_schema"].clone()),
        });
    }
    asked
}

pub(super) fn stream(answer: &Answer, model: &str) -> Vec<String> {
    let mut events = vec![start(answer, model)];
    for (index, part) in answer.parts.iter().enumerate() {
        let (block, delta) = match part {
            Part::Text(text) => {
                (json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": text }))
            }
            Part::Call(call) => (
                json!({ "type": "tool_use", "id": id("toolu_"), "name": call.name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": call.input.to_string() }),
            ),
        };
        let own = [
            json!({ "type": "content_block_start", "index": index, "content_block": block }),
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            json!({ "type": "content_block_stop", "index": index }),
        ];
        events.extend(own.iter().map(named_event));
    }
    let end = json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(answer), "stop_sequence": null },
        "usage": usage(answer),
    });
    events.push(named_event(&end));
    events.push(named_event(&json!({ "type": "message_stop" })));
    events
}

pub(super) fn whole(answer: &Answer, model: &str) -> Value {
    let block = |part: &Part| match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Call(call) => {
            json!({ "type": "tool_use", "id": id("toolu_"), "name": call.name, "input": call.input })
        }
    };
    let mut message = message(answer, model);
    message["content"] = answer.parts.iter().map(block).collect();
    message["stop_reason"] = json!(stop_reason(answer));
    message
}

pub(super) fn endless(model: &str) -> (Vec<String>, String) {
    let open =
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
    let piece = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": ENDLESS } });
    (vec![start(&Answer::default(), model), named_event(&open)], named_event(&piece))
}

pub(super) fn error(status: u16, code: Option<&str>, message: &str) -> Value {
    let kind = code.unwrap_or(match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    });
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn start(answer: &Answer, model: &str) -> String {
    named_event(&json!({ "type": "message_start", "message": message(answer, model) }))
}

fn message(answer: &Answer, model: &str) -> Value {
    json!({
        "id": id("msg_"), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(answer),
    })
}

/// `input_tokens` counts what was not cached.
fn usage(answer: &Answer) -> Value {
    json!({
        "input_tokens": answer.usage.input.saturating_sub(answer.usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.usage.cached,
        "output_tokens": answer.usage.output,
    })
}

fn stop_reason(answer: &Answer) -> &'static str {
    if answer.calls() { "tool_use" } else { "end_turn" }
}
