//! A suite of Markdown tests as a person and a machine see it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::tell::seconds;
use crate::text::object::VERSION;
use tdd_core::harmless;
use tdd_core::mdtest::{Cut, Outcome, Results, Status, Totals, Unfinished};

/// Dots of one line.
const DOTS: usize = 80;
/// Characters of one name or reason.
const SHOWN: usize = 400;

/// A test begins; `index` from 0.
pub fn began(index: usize, total: usize, test: &str) -> String {
    format!("[{}/{total}] {}", index + 1, harmless::short(test, SHOWN))
}

/// A test ended.
pub fn ended(index: usize, total: usize, outcome: &Outcome) -> String {
    let word = outcome.status.name();
    format!("{}: {word}, {}", began(index, total, &outcome.test), seconds(outcome.duration_ms))
}

/// The end of a suite: a dot or an F for each test, an I for one that was interrupted, a dash for one
/// that was not run; what is wrong with the failed ones, the totals.
pub fn closing(results: &Results, duration_ms: u64) -> String {
    let mut text = String::new();
    let outcomes = &results.outcomes;
    let ended = outcomes.iter().map(|outcome| match outcome.status {
        Status::Pass => '.',
        Status::Fail => 'F',
    });
    let cut = results.unfinished.iter().map(|test| match test.how {
        Cut::Interrupted(_) => 'I',
        Cut::NotRun => '-',
    });
    let dots: Vec<char> = ended.chain(cut).collect();
    for line in dots.chunks(DOTS) {
        let _ = writeln!(text, "{}", line.iter().collect::<String>());
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.status == Status::Fail) {
        failure(outcome, &mut text);
    }
    let Totals { total, passed, failed, interrupted, not_run } = Totals::of(results);
    let tests = if total == 1 { "test" } else { "tests" };
    let cut = if results.unfinished.is_empty() {
        String::new()
    } else {
        format!(", {interrupted} interrupted, {not_run} not run")
    };
    let _ = writeln!(
        text,
        "{total} {tests}, {passed} passed, {failed} failed{cut}, in {}; by the agent's word",
        seconds(duration_ms)
    );
    text
}

fn failure(outcome: &Outcome, text: &mut String) {
    let _ = writeln!(text, "failed: {}", harmless::short(&outcome.test, SHOWN));
    let line = outcome.line.map_or(String::new(), |line| format!(" (line {line} of the log)"));
    let reason = harmless::short(&outcome.words(), SHOWN);
    let _ = writeln!(text, "  {reason}{line}");
    if !outcome.log.is_empty() {
        let _ = writeln!(text, "  log:    {}", harmless::line(&outcome.log));
    }
    if let Some(output) = &outcome.output {
        let exit = outcome.exit.map_or(String::new(), |exit| format!(" ({exit})"));
        let _ = writeln!(text, "  output: {}{exit}", harmless::line(output));
    }
}

/// One test, for `--json`.
pub fn json(outcome: &Outcome) -> Value {
    json!({
        "type": "test", "v": VERSION,
        "test": outcome.test,
        "status": outcome.status,
        "reason": (outcome.status == Status::Fail).then(|| outcome.words()),
        "line": outcome.line,
        "log": (!outcome.log.is_empty()).then_some(&outcome.log),
        "exit": outcome.exit.map(|exit| exit.to_string()),
        "duration_ms": outcome.duration_ms,
        "output": outcome.output,
    })
}

/// One test that came to no outcome, for `--json`.
pub fn json_unfinished(test: &Unfinished) -> Value {
    let reason = match &test.how {
        Cut::Interrupted(why) => Some(why),
        Cut::NotRun => None,
    };
    json!({ "type": "test", "v": VERSION, "test": test.test, "status": test.how.name(), "reason": reason })
}

/// The last object of `--json`.
pub fn json_totals(results: &Results, duration_ms: u64) -> Value {
    let Totals { total, passed, failed, interrupted, not_run } = Totals::of(results);
    json!({
        "type": "suite", "v": VERSION, "total": total, "passed": passed, "failed": failed, "cut_short": !results.unfinished.is_empty(),
        "interrupted": interrupted, "not_run": not_run, "duration_ms": duration_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::mdtest::Voice;
    use tdd_core::test::Exit;

    fn outcome(test: &str, status: Status) -> Outcome {
        Outcome {
            test: test.into(),
            log: format!("/s/{test}.log.md"),
            status,
            voice: Voice::Tdd,
            reason: (status == Status::Fail).then(|| "invalid status value \"maybe\"".to_owned()),
            line: (status == Status::Fail).then_some(2),
            exit: Some(Exit::Code(3)),
            duration_ms: 3200,
            output: (status == Status::Fail).then(|| "/tmp/out.log".to_owned()),
        }
    }

    #[test]
    fn a_suite_is_told_with_what_failed() {
        let all = [outcome("a.test.md", Status::Pass), outcome("b\u{1b}[2J.test.md", Status::Fail)];
        assert_eq!(ended(0, 2, &all[0]), "[1/2] a.test.md: pass, 3.2 s");
        let mut results = Results { outcomes: all.to_vec(), unfinished: Vec::new() };
        let text = closing(&results, 6400);
        let want = ".F\nfailed: b.test.md\n  invalid status value \"maybe\" (line 2 of the log)\n  \
                    log:    /s/b.test.md.log.md\n  output: /tmp/out.log (exit code 3)\n\
                    2 tests, 1 passed, 1 failed, in 6.4 s; by the agent's word\n";
        assert_eq!(text, want);
        assert_eq!(json(&all[0])["status"], "pass");
        assert_eq!(json(&all[1])["line"], 2);
        let totals = json_totals(&results, 1);
        assert_eq!((totals["failed"].as_u64(), totals["cut_short"].as_bool()), (Some(1), Some(false)));
        let cut = |test: &str, how| Unfinished { test: test.into(), how };
        results.unfinished = vec![cut("c", Cut::Interrupted("stopped".into())), cut("d", Cut::NotRun)];
        let text = closing(&results, 6400);
        assert!(text.starts_with(".FI-\n"), "{text}");
        assert!(text.contains("4 tests, 1 passed, 1 failed, 1 interrupted, 1 not run"), "{text}");
        let totals = json_totals(&results, 1);
        assert_eq!((totals["total"].as_u64(), totals["cut_short"].as_bool()), (Some(4), Some(true)));
        assert_eq!(json_unfinished(&results.unfinished[0])["status"], "interrupted");
    }
}
