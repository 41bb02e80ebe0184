//! The flags with which `tdd fix` does the same once more.

use std::path::Path;

use crate::cli::fix::FixArgs;
use tdd_core::harmless::shell_word;
use tdd_core::usage::Cap;

/// As they were typed, from a space on. `--previous` is left out: what was said last is in the run; and
/// so are flags of the output.
pub(super) fn flags(args: &FixArgs) -> String {
    let mut words: Vec<(&str, Option<String>)> = Vec::new();
    let text = |text: &Option<String>| text.clone();
    words.extend(args.max_retries.map(|most| ("--max-retries", Some(most.to_string()))));
    words.extend(args.checks.iter().map(|check| ("--check", Some(check.clone()))));
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let since = Some(args.since.clone()).filter(|since| !matches!(since.as_str(), "" | "HEAD"));
    let (caps, isolation) = (&args.caps, &args.isolation);
    for (flag, value) in [
        ("--agent", text(&args.agent)),
        ("--task", text(&args.task)),
        ("--since", since),
        ("--type-deadline", text(&args.type_deadline)),
        ("--test-deadline", text(&args.test_deadline)),
        (Cap::Usd.flag(), text(&caps.max_usd)),
        (Cap::Tokens.flag(), text(&caps.max_tokens)),
        (Cap::Wall.flag(), text(&caps.max_wall)),
        ("--max-usd-attempt", text(&caps.max_usd_attempt)),
        ("--max-tokens-attempt", text(&caps.max_tokens_attempt)),
        ("--max-wall-attempt", text(&caps.max_wall_attempt)),
        ("--sandbox", text(&isolation.sandbox)),
        ("--cassette", args.cassette.as_deref().map(path)),
    ] {
        words.extend(value.map(|value| (flag, Some(value))));
    }
    for (flag, is_set) in
        [("--allow-test-edits", args.allow_test_edits), ("--require-sandbox", isolation.require_sandbox)]
    {
        words.extend(is_set.then_some((flag, None)));
    }
    let word = |(flag, value): (&str, Option<String>)| match value {
        None => format!(" {flag}"),
        Some(value) => format!(" {flag} {}", shell_word(&value)),
    };
    words.into_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_is_proposed() {
        assert_eq!(flags(&FixArgs { since: "HEAD".into(), ..FixArgs::default() }), "");
        let args = FixArgs {
            max_retries: Some(1),
            checks: vec!["mypy .".into(), "pytest".into()],
            agent: Some("mine".into()),
            since: "main".into(),
            allow_test_edits: true,
            test_deadline: Some("2s".into()),
            ..FixArgs::default()
        };
        let want = " --max-retries 1 --check 'mypy .' --check pytest --agent mine --since main --test-deadline 2s --allow-test-edits";
        assert_eq!(flags(&args), want);
    }
}
