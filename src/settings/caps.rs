//! The caps of the command line; what is not given there comes from `tdd.yaml`.

use crate::cli::CapArgs;
use crate::text::config::caps::{tokens, usd, wall, wanted};
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Cap, CapPlan, Caps};

/// What the flags alone say.
///
/// # Errors
/// A flag whose value is no amount.
pub fn of_flags(args: &CapArgs) -> Result<CapPlan, Trouble> {
    Ok(CapPlan {
        run: Caps {
            usd: one("--max-usd", args.max_usd.as_deref(), Cap::Usd, usd)?,
            tokens: one("--max-tokens", args.max_tokens.as_deref(), Cap::Tokens, tokens)?,
            wall_ms: one("--max-wall", args.max_wall.as_deref(), Cap::Wall, wall)?,
        },
        attempt: Caps {
            usd: one("--max-usd-attempt", args.max_usd_attempt.as_deref(), Cap::Usd, usd)?,
            tokens: one("--max-tokens-attempt", args.max_tokens_attempt.as_deref(), Cap::Tokens, tokens)?,
            wall_ms: one("--max-wall-attempt", args.max_wall_attempt.as_deref(), Cap::Wall, wall)?,
        },
    })
}

fn one<T>(
    flag: &str,
    text: Option<&str>,
    cap: Cap,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Trouble> {
    let Some(text) = text else { return Ok(None) };
    parse(text).map(Some).ok_or_else(|| {
        Trouble::user(format!("{flag} can't be `{text}`")).advise(format!("It wants {}.", wanted(cap)))
    })
}
