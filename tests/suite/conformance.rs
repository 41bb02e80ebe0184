//! Every vector of `fixtures/conformance/`.
#![expect(clippy::unwrap_used, reason = "what is missing fails the test")]

use std::collections::BTreeSet;

use serde_json::Value;
use tdd_core::role::Role;
use tdd_spec::tdd_result;

const ROOT: &str = "/home/someone/project";
const VECTORS: &str = include_str!("../../fixtures/conformance/tdd-result.json");

fn vectors() -> Vec<Value> {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert!(vectors.len() > 90, "the fixture holds all vectors");
    vectors
}

fn message(vector: &Value) -> (String, Role) {
    let message = vector["message"].as_str().unwrap().replace("{root}", ROOT);
    (message, Role::from_name(vector["role"].as_str().unwrap()).unwrap())
}

#[test]
fn tdd_result_vectors() {
    let mut wrong = Vec::new();
    for vector in vectors() {
        let (message, role) = message(&vector);
        let got = tdd_result::read(&message, role, &[ROOT]);
        let is_right = match (&got, vector["want"]["ok"].as_bool().unwrap()) {
            (Ok(claim), true) => same_claim(&serde_json::to_value(claim).unwrap(), &vector["want"]["claim"]),
            (Err(error), false) => {
                let kinds = vector["want"]["error"].as_array().unwrap();
                kinds.iter().any(|kind| *kind == error.kind.to_string())
            }
            (Ok(_), false) | (Err(_), true) => false,
        };
        if !is_right {
            wrong.push(format!("{}\n  want {}\n  got  {got:?}", vector["name"], vector["want"]));
        }
    }
    assert!(wrong.is_empty(), "{} vectors fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_truncation_of_a_vector_panics_and_none_leaves_half_a_block() {
    for vector in vectors() {
        let (message, role) = message(&vector);
        for (at, _) in message.char_indices() {
            if let Ok(claim) = tdd_result::read(&message[..at], role, &[ROOT]) {
                assert_eq!(claim.role, role);
                assert!(message[..at].contains("```") || message[..at].contains("~~~"), "{}", vector["name"]);
            }
            let _ = tdd_result::holds_block(&message[at..]);
        }
    }
}

fn same_claim(got: &Value, want: &Value) -> bool {
    let fields = want.as_object().unwrap();
    let extra = ["notes", "tests", "supersedes", "dispute"];
    fields.iter().all(|(name, want)| match name.as_str() {
        "files" => set(&got["files"]) == set(want),
        "output_excerpt" if want.is_null() => true,
        _ => trimmed(&got[name]) == trimmed(want),
    }) && extra.iter().all(|name| fields.contains_key(*name) || got.get(*name).is_none())
}

fn set(files: &Value) -> BTreeSet<&str> {
    files.as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect()
}

fn trimmed(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| text.trim_end_matches('\n').into())
}
