//! The tools: what a model reads of each, its input, and what it is called on the command line.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// A tool.
pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) told: &'static str,
    pub(super) input: fn() -> Value,
    /// What of it has to be given.
    pub(super) required: &'static [&'static str],
    pub(super) reads: Reads,
    pub(super) words: fn(&JsonObject) -> Result<Vec<String>, String>,
    pub(super) of: Of,
}

/// Whether it changes files or the session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Only,
    AndWrites,
}

/// Whose words they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Of `tdd gate`, in the server's session.
    Session,
    /// Of `tdd` itself: it answers at once.
    Runs,
    /// They begin a run, which is waited for.
    Begin,
    /// A run that is waited for, the newest if none is named.
    Wait,
}

pub(super) const OFFERS: [Offer; 10] = [
    Offer {
        name: "run_tests",
        told: "Run tests by id (FILE::NAME) or by file, in one call of the runner; all tests if none is given.",
        input: || json!({ "ids": { "type": "array", "items": { "type": "string" } } }),
        required: &[],
        reads: Reads::AndWrites,
        words: |input| Ok(["test", "--"].map(str::to_owned).into_iter().chain(list(input, "ids")?).collect()),
        of: Of::Session,
    },
    Offer {
        name: "claim_edit",
        told: "Say which red test an edit of these files advances.",
        input: || {
            json!({
                "test_id": { "type": "string" },
                "files": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            })
        },
        required: &["test_id", "files"],
        reads: Reads::AndWrites,
        words: |input| {
            let files = list(input, "files")?;
            if files.is_empty() {
                return Err("`files` names no file".to_owned());
            }
            Ok(["claim".to_owned(), "--".to_owned(), text(input, "test_id")?]
                .into_iter()
                .chain(files)
                .collect())
        },
        of: Of::Session,
    },
    Offer {
        name: "edit_file",
        told: "Write a file (content), or replace the one place where old_string stands by new_string.",
        input: || {
            json!({
                "path": { "type": "string" },
                "content": { "type": "string" },
                "old_string": { "type": "string" },
                "new_string": { "type": "string" },
            })
        },
        required: &["path"],
        reads: Reads::AndWrites,
        words: |input| text(input, "path").map(|_| vec!["edit".to_owned()]),
        of: Of::Session,
    },
    Offer {
        name: "flush",
        told: "End the turn: run the claimed tests; the files of red ones are taken back.",
        input: || json!({}),
        required: &[],
        reads: Reads::AndWrites,
        words: |_| Ok(vec!["flush".to_owned()]),
        of: Of::Session,
    },
    Offer {
        name: "status",
        told: "Where the session stands: tests, claims, plan.",
        input: || json!({}),
        required: &[],
        reads: Reads::Only,
        words: |_| Ok(vec!["status".to_owned()]),
        of: Of::Session,
    },
    Offer {
        name: "run",
        told: "Take a requirement from red to green by agents of its own, and wait for its end; it goes on if the time is \
               up: call wait_run then.",
        input: || {
            json!({
                "requirement": { "type": "string", "description": "its id, or the path of its file" },
                "agent": { "type": "string" },
                "only": { "type": "array", "items": { "type": "string" }, "description": "criteria" },
                "max_usd": { "type": "number", "exclusiveMinimum": 0 },
                "wait_seconds": wait(),
                "json": as_json(),
            })
        },
        required: &["requirement"],
        reads: Reads::AndWrites,
        words: |input| {
            let mut words = ["run", "--detach", "--json"].map(str::to_owned).to_vec();
            if let Some(agent) = perhaps(input, "agent")? {
                words.push(format!("--agent={agent}"));
            }
            words.extend(list(input, "only")?.into_iter().map(|id| format!("--only={id}")));
            match input.get("max_usd") {
                None | Some(Value::Null) => {}
                Some(Value::Number(usd)) => words.push(format!("--max-usd={usd}")),
                Some(_) => return Err("`max_usd` is no number".to_owned()),
            }
            words.extend(["--".to_owned(), text(input, "requirement")?]);
            Ok(words)
        },
        of: Of::Begin,
    },
    Offer {
        name: "wait_run",
        told: "Wait for a run's end: its summary, or the report of its halt.",
        input: || json!({ "run": run(), "wait_seconds": wait(), "json": as_json() }),
        required: &[],
        reads: Reads::Only,
        words: |input| Ok(perhaps(input, "run")?.into_iter().collect()),
        of: Of::Wait,
    },
    Offer {
        name: "run_status",
        told: "How far a run is: criteria, attempts, what it used, what to do next.",
        input: || json!({ "run": run(), "json": as_json() }),
        required: &[],
        reads: Reads::Only,
        words: |input| told(input, "status", perhaps(input, "run")?),
        of: Of::Runs,
    },
    Offer {
        name: "halt_report",
        told: "The report of a run that halted, or the summary of one that went through.",
        input: || json!({ "run": run(), "json": as_json() }),
        required: &[],
        reads: Reads::Only,
        words: |input| told(input, "show", perhaps(input, "run")?),
        of: Of::Runs,
    },
    Offer {
        name: "criteria",
        told: "The acceptance criteria of a requirement, as a run reads them.",
        input: || json!({ "requirement": { "type": "string" }, "json": as_json() }),
        required: &["requirement"],
        reads: Reads::Only,
        words: |input| told(input, "criteria", Some(text(input, "requirement")?)),
        of: Of::Runs,
    },
];

fn run() -> Value {
    json!({ "type": "string", "description": "the newest if not given" })
}

fn wait() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": 3600, "default": 45 })
}

fn as_json() -> Value {
    json!({ "type": "boolean", "description": "an object in place of words, or `objects`; `tdd schema` has the shapes of a summary and a halt" })
}

impl Offer {
    /// Refuses what the tool does not know: a cap that is misspelt is no cap.
    pub(super) fn knows(&self, input: &JsonObject) -> Result<(), String> {
        let known = (self.input)();
        let known: Vec<&str> = known.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        match input.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) if known.is_empty() => Err(format!("no argument is called {key:?}; it takes none")),
            Some(key) => Err(format!("no argument is called {key:?}; there are {}", known.join(", "))),
        }
    }
}

/// A command that looks, and what it looks at.
fn told(input: &JsonObject, command: &str, at: Option<String>) -> Result<Vec<String>, String> {
    let mut words = vec![command.to_owned()];
    words.extend(wants_json(input)?.then(|| "--json".to_owned()));
    words.extend(at.into_iter().flat_map(|at| ["--".to_owned(), at]));
    Ok(words)
}

pub(super) fn wants_json(input: &JsonObject) -> Result<bool, String> {
    match input.get("json") {
        None | Some(Value::Null) => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| "`json` is neither true nor false".to_owned()),
    }
}

/// How long a run is waited for, in seconds: less than clients wait for an answer.
pub(super) fn wait_seconds(input: &JsonObject) -> Result<u64, String> {
    let wrong = || "`wait_seconds` is no whole number from 0 to 3600".to_owned();
    match input.get("wait_seconds") {
        None | Some(Value::Null) => Ok(45),
        Some(value) => value.as_u64().filter(|seconds| *seconds <= 3600).ok_or_else(wrong),
    }
}

fn perhaps(input: &JsonObject, key: &str) -> Result<Option<String>, String> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(input, key).map(Some),
    }
}

fn text(input: &JsonObject, key: &str) -> Result<String, String> {
    let value = input.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
    let text = value.as_str().filter(|text| !text.contains('\0'));
    text.map(str::to_owned).ok_or_else(|| format!("`{key}` is no text"))
}

fn list(input: &JsonObject, key: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("`{key}` is no list of texts");
    let all = match input.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(value) => value.as_array().ok_or_else(wrong)?,
    };
    let text = |value: &Value| value.as_str().filter(|text| !text.contains('\0')).map(str::to_owned);
    all.iter().map(|value| text(value).ok_or_else(wrong)).collect()
}
