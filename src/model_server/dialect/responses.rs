//! `OpenAI` Responses.

use serde_json::{Value, json};

use super::super::answer::{Answer, Part};
use super::super::request::{Asked, Said, Takes, Tool, flat, texts};
use super::{ENDLESS, id, named_event};

pub(super) fn read(body: &Value) -> Asked {
    let mut asked = Asked {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        streams: body["stream"].as_bool().unwrap_or(false),
        system: body["instructions"].as_str().unwrap_or_default().to_owned(),
        schema: Some(body["text"]["format"]["schema"].clone()).filter(Value::is_object),
        ..Asked::default()
    };
    let one_text = json!([{ "type": "message", "role": "user", "content": body["input"] }]);
    let items = if body["input"].is_string() { &one_text } else { &body["input"] };
    for item in items.as_array().into_iter().flatten() {
        item_said(item, &mut asked);
    }
    tools_offered(&body["tools"], None, &mut asked);
    asked
}

fn item_said(item: &Value, asked: &mut Asked) {
    match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let texts = texts(&item["content"]);
            match item["role"].as_str() {
                Some("assistant") => asked.said.push(Said::Model),
                Some("user") => {
                    for text in texts {
                        asked.user(text);
                    }
                }
                _ => {
                    asked.system.push('\n');
                    asked.system.push_str(&texts.join("\n"));
                }
            }
        }
        "additional_tools" => tools_offered(&item["tools"], None, asked),
        kind if kind.ends_with("_output") => asked.said.push(Said::Result(flat(&item["output"]))),
        kind if kind.ends_with("_call") => asked.said.push(Said::Model),
        _ => {}
    }
}

fn tools_offered(tools: &Value, namespace: Option<&str>, asked: &mut Asked) {
    for tool in tools.as_array().into_iter().flatten() {
        // Tools of the service have a type and no name.
        let name = tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default();
        if tool["type"] == "namespace" {
            tools_offered(&tool["tools"], Some(name), asked);
            continue;
        }
        let takes =
            if tool["type"] == "custom" { Takes::Text } else { Takes::Fields(tool["parameters"].clone()) };
        asked.tools.push(Tool { name: name.to_owned(), namespace: namespace.map(str::to_owned), takes });
        // Codex offers the newer models one tool that runs JavaScript, and tells in its description
        // which tools that code may call.
        let description = tool["description"].as_str().unwrap_or_default();
        for (_, rest) in
            description.match_indices(DECLARED).map(|(at, sign)| description.split_at(at + sign.len()))
        {
            let inner = rest.split('(').next().unwrap_or_default().trim();
            asked.tools.push(Tool {
                name: inner.to_owned(),
                namespace: Some(name.to_owned()),
                takes: Takes::Code,
            });
        }
    }
}

const DECLARED: &str = "declare const tools: {";

pub(super) fn stream(answer: &Answer, model: &str) -> Vec<String> {
    let id = id("resp_");
    let mut events = vec![created(&id, model)];
    for (index, part) in answer.parts.iter().enumerate() {
        let done = item(part);
        let mut added = done.clone();
        if let Part::Text(_) = part {
            added["content"] = json!([]);
            added["status"] = json!("in_progress");
        }
        events.push(named_event(
            &json!({ "type": "response.output_item.added", "output_index": index, "item": added }),
        ));
        if let Part::Text(text) = part {
            events.push(delta(&done["id"], index, text));
        }
        events.push(named_event(
            &json!({ "type": "response.output_item.done", "output_index": index, "item": done }),
        ));
    }
    let mut response = whole(answer, model);
    response["id"] = json!(id);
    events.push(named_event(&json!({ "type": "response.completed", "response": response })));
    events
}

pub(super) fn whole(answer: &Answer, model: &str) -> Value {
    let usage = answer.usage;
    json!({
        "id": id("resp_"), "object": "response", "status": "completed", "model": model,
        "output": answer.parts.iter().map(item).collect::<Vec<_>>(),
        "usage": {
            "input_tokens": usage.input, "input_tokens_details": { "cached_tokens": usage.cached },
            "output_tokens": usage.output, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": usage.input + usage.output,
        },
    })
}

pub(super) fn endless(model: &str) -> (Vec<String>, String) {
    let id = id("resp_");
    let mut open = item(&Part::Text(String::new()));
    open["content"] = json!([]);
    let piece = delta(&open["id"], 0, ENDLESS);
    let added = json!({ "type": "response.output_item.added", "output_index": 0, "item": open });
    (vec![created(&id, model), named_event(&added)], piece)
}

fn created(id: &str, model: &str) -> String {
    let response =
        json!({ "id": id, "object": "response", "status": "in_progress", "model": model, "output": [] });
    named_event(&json!({ "type": "response.created", "response": response }))
}

fn delta(item: &Value, index: usize, text: &str) -> String {
    named_event(&json!({
        "type": "response.output_text.delta", "item_id": item, "output_index": index,
        "content_index": 0, "delta": text,
    }))
}

fn item(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({
            "type": "message", "id": id("msg_"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        Part::Call(call) => {
            let mut item = json!({ "call_id": id("call_"), "status": "completed", "name": call.name });
            if call.input.is_string() {
                item["type"] = json!("custom_tool_call");
                item["id"] = json!(id("ctc_"));
                item["input"] = call.input.clone();
            } else {
                item["type"] = json!("function_call");
                item["id"] = json!(id("fc_"));
                item["arguments"] = json!(call.input.to_string());
            }
            if let Some(namespace) = &call.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    }
}
