//! Generic actions as calls of the tools that the asking program offers.

use serde_json::{Map, Value, json};

use super::request::{Asked, Takes, Tool};
use super::script::Step;

const WRITE: &[&str] = &["Write", "write", "write_file"];
const EDIT: &[&str] = &["Edit", "edit", "replace"];
const READ: &[&str] = &["Read", "read", "read_file"];
const PATCH: &[&str] = &["apply_patch"];
const RUN: &[&str] =
    &["Bash", "bash", "exec_command", "shell_command", "local_shell", "shell", "run_shell_command"];

const PATH: &[&str] = &["file_path", "filePath", "absolute_path", "path"];
const CONTENT: &[&str] = &["content"];
const OLD: &[&str] = &["old_string", "oldString", "oldText"];
const NEW: &[&str] = &["new_string", "newString", "newText"];
const COMMAND: &[&str] = &["command", "cmd"];
const CMD: &[&str] = &["cmd"];

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub name: String,
    pub namespace: Option<String>,
    /// A text for a tool that takes free text.
    pub input: Value,
}

impl Call {
    pub(super) fn new(tool: &Tool, input: Value) -> Self {
        Self { name: tool.name.clone(), namespace: tool.namespace.clone(), input }
    }
}

/// The call for an action; `None` for a step that is none. `Err` says what tool is lacking.
pub(super) fn call(step: &Step, asked: &Asked) -> Option<Result<Call, String>> {
    let cwd = asked.cwd().unwrap_or_default();
    let path = |path: &str| absolute(&cwd, path);
    let here = |text: &str| text.replace("{cwd}", &cwd);
    Some(match step {
        Step::Write { path: file, content } => write(asked, &path(file), &here(content)),
        Step::Edit { path: file, old, new } => edit(asked, &path(file), old, new),
        Step::Read(file) => read(asked, &path(file)),
        Step::Run(command) => run(asked, &here(command)),
        Step::Tool { name, with } => {
            let with = serde_json::from_str(&here(&with.to_string())).unwrap_or_else(|_| with.clone());
            Ok(match offered(asked, &[name]) {
                Some(tool) if matches!(tool.takes, Takes::Code) => code(tool, &with),
                Some(tool) => Call::new(tool, with),
                None => Call { name: name.clone(), namespace: None, input: with },
            })
        }
        Step::Say(_) | Step::Flood(_) | Step::Usage(_) | Step::Fault(_) => return None,
    })
}

fn write(asked: &Asked, path: &str, content: &str) -> Result<Call, String> {
    if let Some(tool) = offered(asked, WRITE) {
        return Ok(fill(tool, &[(PATH, json!(path)), (CONTENT, json!(content))]));
    }
    // A patch knows whole lines only.
    if content.ends_with('\n')
        && let Some(tool) = offered(asked, PATCH)
    {
        return Ok(patch(tool, &format!("*** Add File: {path}\n{}", marked('+', content))));
    }
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    run(asked, &format!("mkdir -p {} && printf %s {} > {}", quoted(folder), quoted(content), quoted(path)))
}

fn edit(asked: &Asked, path: &str, old: &str, new: &str) -> Result<Call, String> {
    if let Some(tool) = offered(asked, EDIT) {
        if schema(tool)["properties"]["edits"].is_object() {
            let edits = json!([{ "oldText": old, "newText": new }]);
            return Ok(fill(tool, &[(PATH, json!(path)), (&["edits"], edits)]));
        }
        return Ok(fill(tool, &[(PATH, json!(path)), (OLD, json!(old)), (NEW, json!(new))]));
    }
    let Some(tool) = offered(asked, PATCH) else { return Err("no tool that edits is offered".to_owned()) };
    Ok(patch(tool, &format!("*** Update File: {path}\n@@\n{}{}", marked('-', old), marked('+', new))))
}

fn patch(tool: &Tool, hunk: &str) -> Call {
    let patch = format!("*** Begin Patch\n{hunk}*** End Patch\n");
    match &tool.takes {
        Takes::Text => Call::new(tool, json!(patch)),
        Takes::Fields(_) => fill(tool, &[(&["input", "patch"], json!(patch))]),
        Takes::Code => code(tool, &json!(patch)),
    }
}

/// A call from within JavaScript, whose result the model is to see.
fn code(tool: &Tool, input: &Value) -> Call {
    let code =
        format!("const result = await tools.{}({input});\ntext(result?.output ?? result);\n", tool.name);
    Call { name: tool.namespace.clone().unwrap_or_default(), namespace: None, input: json!(code) }
}

fn read(asked: &Asked, path: &str) -> Result<Call, String> {
    match offered(asked, READ) {
        Some(tool) => Ok(fill(tool, &[(PATH, json!(path))])),
        None => run(asked, &format!("cat {}", quoted(path))),
    }
}

fn run(asked: &Asked, command: &str) -> Result<Call, String> {
    let Some(tool) = offered(asked, RUN) else {
        return Err("no tool that runs a command is offered".to_owned());
    };
    let takes_list = schema(tool)["properties"]["command"]["type"] == "array";
    let command = if takes_list { json!(["bash", "-lc", command]) } else { json!(command) };
    let own = if tool.name == "exec_command" { CMD } else { COMMAND };
    Ok(fill(tool, &[(own, command)]))
}

fn offered<'a>(asked: &'a Asked, names: &[&str]) -> Option<&'a Tool> {
    names.iter().find_map(|name| asked.tools.iter().find(|tool| tool.name == *name))
}

fn schema(tool: &Tool) -> &Value {
    match &tool.takes {
        Takes::Fields(schema) => schema,
        Takes::Text | Takes::Code => &Value::Null,
    }
}

/// A call with these values under the first of their names that the tool knows. What else the
/// tool requires gets a word or a zero.
fn fill(tool: &Tool, values: &[(&[&str], Value)]) -> Call {
    let schema = schema(tool);
    let mut input = Map::new();
    for (names, value) in values {
        let known = names.iter().find(|name| schema["properties"].get(**name).is_some());
        if let Some(name) = known.or(names.first()) {
            input.insert((*name).to_owned(), value.clone());
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !input.contains_key(name) {
            input.insert(name.to_owned(), instance(&schema["properties"][name]));
        }
    }
    match &tool.takes {
        Takes::Fields(_) | Takes::Text => Call::new(tool, Value::Object(input)),
        Takes::Code => code(tool, &Value::Object(input)),
    }
}

fn marked(mark: char, text: &str) -> String {
    text.lines().flat_map(|line| [mark.to_string(), line.to_owned(), "\n".to_owned()]).collect()
}

/// Something that fits a JSON schema, as far as its types go.
pub(super) fn instance(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0).and_then(Value::as_str));
    match kind.map(str::to_lowercase).as_deref() {
        Some("object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), instance(&schema["properties"][name]))).collect()
        }
        Some("array") => json!([]),
        Some("number" | "integer") => json!(0),
        Some("boolean") => json!(false),
        _ => json!("scripted"),
    }
}

fn absolute(cwd: &str, path: &str) -> String {
    let path = path.replace("{cwd}", cwd);
    if path.starts_with('/') || cwd.is_empty() { path } else { format!("{cwd}/{path}") }
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
