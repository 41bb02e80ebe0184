//! The halt report for a machine: `halt.json`.

use serde_json::{Value, json};

use super::{LINE_WIDTH, RAW_LINES, Report};
use crate::text::summary::set_aside_json;
use crate::text::usage_words;
use tdd_core::harmless;
use tdd_core::judge::Verdict;

impl Report<'_> {
    pub(super) fn json(&self) -> Value {
        let (mode, description, reasons) = self.failure();
        let [(semantic, semantic_of), (format, format_of)] = self.attempts();
        let [zero, good, failed] = self.checkpoints().map(|(_, checkpoint)| checkpoint);
        let run = self.run().map(|run| {
            json!({
                "command": run.command, "exit": run.exit, "exit_text": run.exit.to_string(),
                "duration_ms": run.duration_ms, "log": run.log,
                "tail": self.evidence(run).1,
            })
        });
        let raw = harmless::tail(&self.facts.raw_tail, RAW_LINES, LINE_WIDTH);
        let unclaimed = self.unclaimed().map(|work| &work.tree);
        let steps: Vec<Value> =
            self.next.iter().map(|step| json!({ "what": step.what, "command": step.command })).collect();
        json!({
            "type": "halt_report",
            "headline": self.headline(),
            "cause": {
                "sentence": self.cause_line(),
                "test": self.cause.test,
                "file": self.cause.place.as_ref().map(|place| &place.file),
                "line": self.cause.place.as_ref().map(|place| place.line),
            },
            "recommended": self.recommended().map(|step| &step.command),
            "run": self.state.run.run,
            "requirement": self.state.run.requirement.id,
            "disputed": matches!(self.halt.verdict, Verdict::Disputed(_)),
            "mode": mode, "description": description, "reasons": reasons,
            "role": self.halt.key.role(), "criterion": self.halt.key.criterion(),
            "attempts": {
                "semantic": { "failed": semantic, "of": semantic_of },
                "format": { "failed": format, "of": format_of },
                "forks": self.forks(),
            },
            "block": self.claim(),
            "raw_output": if self.claim().is_some() { Value::Null } else { json!(raw) },
            "child": { "end": self.end(), "log": self.log() },
            "ran": run,
            "changed": self.facts.changed,
            "touched": self.facts.touched,
            "left_in_git": self.state.facts.left_in_git,
            "set_aside": set_aside_json(&self.state.facts),
            "hollow": self.vacuous().collect::<Vec<_>>(),
            "usage": usage_words::json(self.state),
            "run_dir": self.facts.run_dir,
            "standing": self.state_of_work(),
            "repeats": self.facts.repeats,
            "checkpoints": { "zero": zero, "good": good, "failed": failed, "unclaimed": unclaimed },
            "next": steps,
        })
    }
}
