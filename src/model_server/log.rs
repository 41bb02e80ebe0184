//! The log: one JSON object a line for each request, before its answer.
//!
//! ```text
//! n          the number of the request
//! api        anthropic | responses | chat | gemini | other
//! method, path
//! headers    less those that may hold a key, of which only the name stays
//! rule       the rule's name, or "" if none fits
//! holds      which of the script's `look_for` stand in it; missing if none does
//! answer     what is answered: "text, call Write", "status 429", "hang", …
//! asked      what the request asks, if it asks the model:
//!   model, streams
//!   system     the system prompt
//!   prompts    of the user's newest message each text: {bytes, blake3, trimmed, head}; `trimmed` is the
//!              BLAKE3 of the text less the white space around it
//!   tools      the names of the tools that are offered, with their namespaces
//!   turn       responses since the user's newest message
//!   resumed    whether it goes on with an older conversation
//!   results    of tools since the last response: the first 2,000 characters of each
//!   cwd        where the agent says it works
//! ```

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hyper::HeaderMap;
use serde_json::{Value, json};

use super::request::{Asked, Tool};

pub(super) struct Log {
    file: Option<Mutex<File>>,
    bodies: Option<PathBuf>,
}

impl Log {
    pub(super) fn open(path: Option<&Path>, bodies: Option<PathBuf>) -> std::io::Result<Self> {
        let open = |path| std::fs::OpenOptions::new().create(true).append(true).open(path);
        Ok(Self { file: path.map(open).transpose()?.map(Mutex::new), bodies })
    }

    /// Keeps a whole request, to see what an agent really sends.
    pub(super) fn keep(&self, number: u64, body: &[u8]) {
        if let Some(folder) = &self.bodies {
            let _ = std::fs::create_dir_all(folder);
            let _ = std::fs::write(folder.join(format!("{number:04}.json")), body);
        }
    }

    pub(super) fn note(&self, entry: &Value) {
        if let Some(mut file) = self.file.as_ref().and_then(|file| file.lock().ok()) {
            // One write, so that a reader never sees half a line.
            let _ = file.write_all(format!("{entry}\n").as_bytes());
        }
    }
}

/// What is told of a conversation.
pub(super) fn conversation(asked: &Asked) -> Value {
    let prompts = asked.newest_texts();
    let prompt = |text: &&str| json!({ "bytes": text.len(), "blake3": blake3::hash(text.as_bytes()).to_hex().to_string(), "head": head(text) });
    json!({
        "model": asked.model,
        "streams": asked.streams,
        "system": asked.system,
        "prompts": prompts.iter().map(prompt).collect::<Vec<_>>(),
        "tools": asked.tools.iter().map(Tool::full_name).collect::<Vec<_>>(),
        "turn": asked.turn(),
        "resumed": asked.is_resumed(),
        "results": asked.results().into_iter().map(head).collect::<Vec<_>>(),
        "cwd": asked.cwd(),
    })
}

/// All headers, keys and tokens by name alone.
pub(super) fn headers(headers: &HeaderMap) -> Value {
    const SECRET: [&str; 4] = ["key", "auth", "token", "cookie"];
    let shown = |name: &str, value: &hyper::header::HeaderValue| {
        if SECRET.iter().any(|word| name.contains(word)) {
            return json!("(kept back)");
        }
        json!(String::from_utf8_lossy(value.as_bytes()))
    };
    headers.iter().map(|(name, value)| (name.to_string(), shown(name.as_str(), value))).collect()
}

fn head(text: &str) -> String {
    text.chars().take(2_000).collect()
}
