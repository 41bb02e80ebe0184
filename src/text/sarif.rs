//! SARIF 2.1.0, as far as code scanning reads it.
//!
//! ```text
//! log     = version, runs             one for each requirement
//! run     = tool with rules, automationDetails, invocations, results
//! result  = ruleId, level, message, one location: a file of the repository and a line
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::explain;
use tdd_core::judge::Reason;

/// What came of one requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub requirement: String,
    /// It may have results yet, where it has not.
    pub has_ended: bool,
    pub results: Vec<Finding>,
}

/// One thing that speaks against the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: String,
    pub message: String,
    /// Relative to the repository.
    pub file: String,
    /// From 1.
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    outcomes: Vec<Outcome>,
}

/// A reason's name, as the journal has it.
pub fn rule_of(reason: &Reason) -> String {
    match serde_json::to_value(reason) {
        Ok(Value::String(name)) => name,
        Ok(Value::Object(one)) => one.into_iter().next().map(|(name, _)| name).unwrap_or_default(),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) | Err(_) => String::new(),
    }
}

impl Log {
    pub fn of(outcomes: Vec<Outcome>) -> Self {
        Self { outcomes }
    }

    pub fn render(&self) -> serde_json::Result<String> {
        let runs: Vec<Value> = self.outcomes.iter().map(run).collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": runs,
        });
        Ok(serde_json::to_string_pretty(&log)? + "\n")
    }
}

/// Two runs of one tool must differ in their id: what stands before the last `/` tells what was looked at.
fn run(outcome: &Outcome) -> Value {
    let rules: BTreeSet<&str> = outcome.results.iter().map(|result| result.rule.as_str()).collect();
    let rules: Vec<Value> = rules.into_iter().map(rule).collect();
    let results: Vec<Value> = outcome.results.iter().map(result).collect();
    json!({
        "tool": { "driver": { "name": "tdd", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
        "automationDetails": { "id": format!("tdd/{}/", outcome.requirement) },
        "invocations": [{ "executionSuccessful": outcome.has_ended }],
        "results": results,
    })
}

fn rule(id: &str) -> Value {
    let said = explain::of(id).ok().and_then(|topics| topics.into_iter().next()).map(|topic| topic.text);
    let about = said.map(|said| said.strip_prefix("of Reason: ").map_or(said.clone(), str::to_owned));
    let mut rule = json!({ "id": id, "name": id });
    if let Some(about) = about {
        rule["shortDescription"] = json!({ "text": about });
    }
    rule
}

fn result(finding: &Finding) -> Value {
    let Finding { rule, message, file, line } = finding;
    json!({
        "ruleId": rule,
        "level": "error",
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": as_uri(file) },
            "region": { "startLine": line },
        } }],
    })
}

/// A path as a relative reference: what such a one may not hold is written by its bytes.
fn as_uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::path::RelPath;

    #[test]
    fn a_result_has_all_that_code_scanning_asks_for() {
        let path = RelPath::new("a b/ü:[1]#.py").unwrap();
        let touched = Reason::Touched(path.clone());
        assert_eq!(
            [&touched, &Reason::GateRed, &Reason::FewerTests { before: 2, now: 1 }].map(rule_of),
            ["touched", "gate-red", "fewer-tests"]
        );
        let results = vec![Finding {
            rule: rule_of(&touched),
            message: touched.to_string(),
            file: path.as_str().to_owned(),
            line: 3,
        }];
        let one = Outcome { requirement: "STE-1".to_owned(), has_ended: true, results };
        let other = Outcome { requirement: "STE-2".to_owned(), has_ended: false, results: Vec::new() };
        let text = Log::of(vec![one, other]).render().unwrap();
        let log: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let [run, of_other] = [0, 1].map(|at| &log["runs"][at]);
        assert_eq!(run["automationDetails"]["id"], "tdd/STE-1/");
        assert_eq!(
            (&run["tool"]["driver"]["name"], &run["tool"]["driver"]["rules"][0]["id"]),
            (&json!("tdd"), &json!("touched"))
        );
        let about = run["tool"]["driver"]["rules"][0]["shortDescription"]["text"].as_str().unwrap();
        assert_eq!(about, "A protected file was not as it was.");
        let result = &run["results"][0];
        assert!(result["message"]["text"].as_str().unwrap().contains("a protected file was changed"));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%BC%3A%5B1%5D%23.py");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(
            of_other["results"],
            json!([]),
            "nothing closes what was found before, but an empty list does"
        );
        assert_eq!(of_other["invocations"][0]["executionSuccessful"], false);
    }
}
