//! The flags with which `tdd fix` does the same once more.

use std::path::Path;

use crate::cli::fix::FixArgs;
use crate::driver::flags::Flags;
use tdd_core::usage::Cap;

/// As they were typed, from a space on. `--previous` is left out: what was said last is in the run; and
/// so are flags of the output.
pub(super) fn flags(args: &FixArgs) -> Flags {
    let mut flags = Flags::default();
    let path = |path: &Path| path.to_string_lossy().into_owned();
    flags.give("--max-retries", args.max_retries.map(|most| most.to_string()));
    flags.give("--check", args.checks.iter().cloned());
    let since = Some(args.since.clone()).filter(|since| !matches!(since.as_str(), "" | "HEAD"));
    let (caps, isolation) = (&args.caps, &args.isolation);
    for (flag, value) in [
        ("--agent", args.agent.clone()),
        ("--task", args.task.clone()),
        ("--since", since),
        ("--type-deadline", args.type_deadline.clone()),
        ("--test-deadline", args.test_deadline.clone()),
        (Cap::Usd.flag(), caps.max_usd.clone()),
        (Cap::Tokens.flag(), caps.max_tokens.clone()),
        (Cap::Wall.flag(), caps.max_wall.clone()),
        ("--max-usd-attempt", caps.max_usd_attempt.clone()),
        ("--max-tokens-attempt", caps.max_tokens_attempt.clone()),
        ("--max-wall-attempt", caps.max_wall_attempt.clone()),
        ("--sandbox", isolation.sandbox.clone()),
        ("--cassette", args.cassette.as_deref().map(path)),
    ] {
        flags.give(flag, value);
    }
    for (flag, is_set) in
        [("--allow-test-edits", args.allow_test_edits), ("--require-sandbox", isolation.require_sandbox)]
    {
        if is_set {
            flags.set(flag);
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_command_is_proposed() {
        assert_eq!(flags(&FixArgs { since: "HEAD".into(), ..FixArgs::default() }), Flags::default());
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
        assert_eq!(flags(&args).to_string(), want);
    }
}
