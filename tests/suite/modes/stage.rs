//! A tiny project, a cassette written as JSON (which is YAML), and what a run of both left.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cycle::shop;
use crate::sandbox::{Ran, Sandbox};

pub const TEST_FILE: &str = "tests/test_ac_ste_1_1.py";
pub const OLD_FILE: &str = "tests/test_old.py";
pub const GOOD_TEST: &str = "import unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.two(), 2)\n";
pub const GOOD_CODE: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

/// One entry of a cassette. Without a message of its own it says `ok` and names what it wrote.
pub fn entry(role: &str, actions: &Value) -> Value {
    let mut entry = actions.clone();
    entry["role"] = json!(role);
    if entry.get("say").is_none() && entry.get("raw").is_none() {
        entry["say"] = json!({});
    }
    if entry.get("say").is_some_and(|say| say.get("files").is_none()) {
        let wrote = entry["write"].as_object().map(|map| map.keys().cloned().collect::<Vec<_>>());
        let default = if role == "test-writer" { vec![TEST_FILE.to_owned()] } else { Vec::new() };
        entry["say"]["files"] = json!(wrote.unwrap_or(default));
    }
    entry
}

pub fn writes_test(text: &str) -> Value {
    entry("test-writer", &json!({ "write": { TEST_FILE: text } }))
}

pub fn writes_code(text: &str) -> Value {
    entry("implementer", &json!({ "write": { "shop.py": text } }))
}

pub fn refactors(text: &str) -> Value {
    entry("refactorer", &json!({ "write": { "shop.py": text } }))
}

/// The same entry for one attempt only.
pub fn at(number: u8, mut entry: Value) -> Value {
    entry["number"] = json!(number);
    entry
}

/// Every role does its work at the first attempt. The first entry that fits is played, so what
/// stands before these takes their place.
pub fn honest() -> [Value; 3] {
    [writes_test(GOOD_TEST), writes_code(GOOD_CODE), entry("refactorer", &json!({}))]
}

pub type Files = BTreeMap<String, Vec<u8>>;

/// A project and its cassette.
pub struct Stage {
    pub sandbox: Sandbox,
    pub start: Files,
}

impl Stage {
    /// The shop with `settings` added to its `tdd.yaml`, and these entries before the honest ones.
    pub fn new(settings: &str, entries: &[Value]) -> Self {
        let sandbox = shop();
        let yaml = sandbox.read("tdd.yaml");
        // What a built-in agent's name means is the person's to say.
        if settings.starts_with("agents:") {
            sandbox.own_settings(settings);
        } else {
            sandbox.write("tdd.yaml", &format!("{yaml}{settings}"));
        }
        sandbox.commit();
        Self::of(sandbox, entries)
    }

    pub fn of(sandbox: Sandbox, entries: &[Value]) -> Self {
        let all: Vec<Value> = entries.iter().cloned().chain(honest()).collect();
        let stage = Self { start: files(&sandbox), sandbox };
        std::fs::write(stage.cassette(), serde_json::to_string(&all).unwrap()).unwrap();
        stage
    }

    pub fn cassette(&self) -> PathBuf {
        self.sandbox.repo().parent().unwrap().join("cassette.json")
    }

    pub fn run(&self, more: &[&str]) -> Ran {
        let cassette = self.cassette();
        let mut args = vec!["STE-1", "--cassette", cassette.to_str().unwrap()];
        args.extend(more);
        self.sandbox.tdd(&args)
    }

    pub fn halt(&self) -> Value {
        let text = std::fs::read_to_string(self.sandbox.run_dir().join("halt.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The files that the project starts with, and these.
    pub fn start_and(&self, more: &[(&str, &str)]) -> Files {
        let mut files = self.start.clone();
        files.extend(more.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())));
        files
    }
}

/// Every file of the work tree with its bytes, by-products and what git and tdd keep left out.
pub fn files(sandbox: &Sandbox) -> Files {
    let keep = |entry: &ignore::DirEntry| {
        let name = entry.file_name();
        !(name == ".git" || name == ".tdd" || name == "__pycache__" || name == "target")
    };
    let walk = ignore::WalkBuilder::new(sandbox.repo()).standard_filters(false).filter_entry(keep).build();
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir()));
    files
        .map(|entry| {
            let path = entry.path().strip_prefix(sandbox.repo()).unwrap().to_str().unwrap().to_owned();
            (path, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Plays rows in as many threads as there are cores; each row has a sandbox of its own.
pub fn in_parallel<T: Sync>(rows: &[T], play: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get).min(4);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    play(row);
                }
            });
        }
    });
}
