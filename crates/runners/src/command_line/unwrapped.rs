//! Calls that only measure another one.

use super::launchers::{base_name, is_assignment, is_python, plain_call};
use super::parts;

/// A call that only measures another one, or sets its environment, taken apart: the words to keep, with a
/// blank behind them, and the call inside. `is_followed` says which calls are of interest.
///
/// ```text
/// wrapped = kept* ( ("c8" | "nyc") option* inner | python "-m" "coverage" "run" option* "-m" module … )
///         | ( assignment | "cross-env" | "env" )+ inner
/// ```
pub fn unwrapped(call: &str, is_followed: &dyn Fn(&str) -> bool) -> Option<(String, String)> {
    let written = parts::written(call);
    let rest = plain_call(call)?;
    let program = written.len().checked_sub(rest.len())?;
    let kept = written.get(..program)?;
    let text = |words: &[&str]| words.iter().fold(String::new(), |text, word| text + word + " ");
    let inner_from = |from: usize| {
        let inner: Vec<usize> = (from..written.len()).collect();
        let found = inner.into_iter().map(|at| written[at..].join(" ")).find(|inner| is_followed(inner))?;
        Some((text(kept), found))
    };
    match base_name(rest.first()?) {
        "c8" | "nyc" => inner_from(program + 1),
        "coverage" if rest.get(1)? == "run" => {
            let python = if kept.iter().all(|word| is_assignment(word)) { "python3" } else { "python" };
            let module = program + rest.iter().position(|word| word == "-m")?;
            Some((text(kept), format!("{python} {}", written[module..].join(" "))))
        }
        name if is_python(name) && rest.iter().any(|word| word == "coverage") => {
            let coverage = rest.iter().position(|word| word == "coverage")?;
            let module = coverage + rest[coverage..].iter().position(|word| word == "-m")?;
            let is_run = rest.get(coverage - 1)? == "-m" && rest.get(coverage + 1)? == "run";
            let python = text(&written[program..program + coverage - 1]);
            is_run.then(|| (text(kept), format!("{python}{}", written[program + module..].join(" "))))
        }
        _ => {
            let sets = |word: &&str| is_assignment(word) || matches!(base_name(word), "cross-env" | "env");
            let inner = written[program..].join(" ");
            let is_set = !kept.is_empty() && kept.iter().all(sets);
            (is_set && is_followed(&inner)).then(|| (text(kept), inner))
        }
    }
}
