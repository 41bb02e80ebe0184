//! `OpenAI` chat completions.

use serde_json::{Value, json};

use super::super::answer::{Answer, Part};
use super::super::request::{Asked, Said, Takes, Tool, flat, texts};
use super::{ENDLESS, event, id};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        streams: body["stream"].as_bool().unwrap_or(false),
        schema: Some(body["response_format"]["json_schema"]["schema"].clone()).filter(Value::is_object),
        ..Asked::default()
    };
    for message in body["messages"].as_array().into_iter().flatten() {
        let texts = texts(&message["content"]);
        match message["role"].as_str() {
            Some("system" | "developer") => {
                asked.system.push_str(&texts.join("\n"));
                asked.system.push('\n');
            }
            Some("assistant") => asked.said.push(Said::Model),
            Some("tool") => asked.said.push(Said::Result(flat(&message["content"]))),
            _ => {
                for text in texts {
                    asked.user(text);
                }
            }
        }
    }
    for tool in body["tools"].as_array().into_iter().flatten() {
        let function = &tool["function"];
        asked.tools.push(Tool {
            name: function["name"].as_str().unwrap_or_default().to_owned(),
            namespace: None,
            takes: Takes::Fields(function["parameters"].clone()),
        });
    }
    asked
}

pub(super) fn stream(answer: &Answer, model: &str) -> Vec<String> {
    let id = id("chatcmpl-");
    let mut events = vec![chunk(&id, model, &json!({ "role": "assistant", "content": "" }), None)];
    for (index, part) in answer.parts.iter().enumerate() {
        let delta = match part {
            Part::Text(text) => json!({ "content": text }),
            Part::Call(_) => json!({ "tool_calls": [tool_call(part, index)] }),
        };
        events.push(chunk(&id, model, &delta, None));
    }
    events.push(chunk(&id, model, &json!({}), Some(finish(answer))));
    let last = json!({
        "id": id, "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [],
        "usage": usage(answer),
    });
    events.push(event(&last));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

pub(super) fn whole(answer: &Answer, model: &str) -> Value {
    let text: Vec<&str> = answer.parts.iter().filter_map(Part::as_text).collect();
    let calls = answer.parts.iter().enumerate().filter(|(_, part)| part.as_text().is_none());
    let calls: Vec<Value> = calls.map(|(index, part)| tool_call(part, index)).collect();
    let mut message = json!({ "role": "assistant", "content": text.join("") });
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": id("chatcmpl-"), "object": "chat.completion", "created": 0, "model": model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish(answer) }],
        "usage": usage(answer),
    })
}

pub(super) fn endless(model: &str) -> (Vec<String>, String) {
    let id = id("chatcmpl-");
    let open = chunk(&id, model, &json!({ "role": "assistant", "content": "" }), None);
    (vec![open], chunk(&id, model, &json!({ "content": ENDLESS }), None))
}

pub(super) fn error(status: u16, code: Option<&str>, message: &str) -> Value {
    let kind = code.unwrap_or(match status {
        401 => "invalid_api_key",
        429 => "rate_limit_exceeded",
        500.. => "server_error",
        _ => "invalid_request_error",
    });
    json!({ "error": { "message": message, "type": kind, "code": kind } })
}

fn chunk(id: &str, model: &str, delta: &Value, finish: Option<&str>) -> String {
    event(&json!({
        "id": id, "object": "chat.completion.chunk", "created": 0, "model": model,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
    }))
}

fn tool_call(part: &Part, index: usize) -> Value {
    let Part::Call(call) = part else { return Value::Null };
    json!({
        "index": index, "id": id("call_"), "type": "function",
        "function": { "name": call.name, "arguments": call.input.to_string() },
    })
}

fn finish(answer: &Answer) -> &'static str {
    if answer.calls() { "tool_calls" } else { "stop" }
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cached },
    })
}
