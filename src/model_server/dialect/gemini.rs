//! Gemini: `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::super::answer::{Answer, Part};
use super::super::request::{Asked, Said, Takes, Tool, flat, texts};
use super::{ENDLESS, id};

pub(super) fn read(path: &str, body: &Value) -> Asked {
    let model = path.rsplit('/').next().and_then(|last| last.split(':').next());
    let config = &body["generationConfig"];
    let mut asked = Asked {
        model: model.unwrap_or_default().to_owned(),
        streams: path.ends_with(":streamGenerateContent"),
        system: texts(&body["systemInstruction"]["parts"]).join("\n"),
        schema: [&config["responseJsonSchema"], &config["responseSchema"]]
            .into_iter()
            .find(|schema| schema.is_object())
            .cloned(),
        ..Asked::default()
    };
    for content in body["contents"].as_array().into_iter().flatten() {
        let from_model = content["role"] == "model";
        for part in content["parts"].as_array().into_iter().flatten() {
            if let Some(text) = part["text"].as_str() {
                if from_model {
                    asked.said.push(Said::Model);
                } else {
                    asked.user(text);
                }
            } else if part["functionCall"].is_object() {
                asked.said.push(Said::Model);
            } else if part["functionResponse"].is_object() {
                let response = &part["functionResponse"]["response"];
                let output = response["output"].as_str().map_or_else(|| flat(response), str::to_owned);
                asked.said.push(Said::Result(output));
            }
        }
    }
    for group in body["tools"].as_array().into_iter().flatten() {
        for tool in group["functionDeclarations"].as_array().into_iter().flatten() {
            let schemas = [&tool["parametersJsonSchema"], &tool["parameters"]];
            let schema = schemas.into_iter().find(|schema| schema.is_object()).cloned();
            asked.tools.push(Tool {
                name: tool["name"].as_str().unwrap_or_default().to_owned(),
                namespace: None,
                takes: Takes::Fields(schema.unwrap_or_default()),
            });
        }
    }
    asked
}

pub(super) fn stream(answer: &Answer, model: &str) -> Vec<String> {
    let mut events: Vec<String> =
        answer.parts.iter().map(|part| event(&piece(&[part_json(part)], model))).collect();
    events.push(event(&whole(&Answer { parts: Vec::new(), usage: answer.usage }, model)));
    events
}

pub(super) fn whole(answer: &Answer, model: &str) -> Value {
    let parts: Vec<Value> = answer.parts.iter().map(part_json).collect();
    let mut whole = piece(&parts, model);
    whole["candidates"][0]["finishReason"] = json!("STOP");
    let usage = answer.usage;
    whole["usageMetadata"] = json!({
        "promptTokenCount": usage.input, "cachedContentTokenCount": usage.cached,
        "candidatesTokenCount": usage.output, "totalTokenCount": usage.input + usage.output,
    });
    whole
}

pub(super) fn endless(model: &str) -> (Vec<String>, String) {
    (Vec::new(), event(&piece(&[json!({ "text": ENDLESS })], model)))
}

pub(super) fn error(status: u16, code: Option<&str>, message: &str) -> Value {
    let word = code.unwrap_or(match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    });
    json!({ "error": { "code": status, "message": message, "status": word } })
}

/// The service's own writer escapes separators that JavaScript takes for line ends, and its client
/// relies on it: with one of them as it is, a whole answer counts as a cut one.
fn event(data: &Value) -> String {
    super::event(data).replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn piece(parts: &[Value], model: &str) -> Value {
    json!({
        "candidates": [{ "index": 0, "content": { "role": "model", "parts": parts } }],
        "modelVersion": model, "responseId": id("r"),
    })
}

fn part_json(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Call(call) => {
            json!({ "functionCall": { "id": id("call_"), "name": call.name, "args": call.input } })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_written_as_the_service_writes_them() {
        let line = event(&json!({ "text": "a\u{2028}b\u{2029}ü" }));
        assert_eq!(line, "data: {\"text\":\"a\\u2028b\\u2029ü\"}\n\n");
    }
}
