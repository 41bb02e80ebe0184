//! What the words of a failure say of one test in a file that does not load as a whole.

use super::Body;
use crate::test::{Failure, FailureKind};

/// Whether a test looks at anything that the reason speaks of why its file does not load. What is absent is weighed
/// elsewhere; of another shape only the words tell whose it is.
pub(super) fn asks_for_what_is_told(failure: &Failure, body: &Body) -> bool {
    let is_shape = failure.kind == FailureKind::Missing && failure.absent.is_none();
    let (true, Some(names)) = (is_shape, &body.looks_at) else { return true };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    failure.message.split(|c| !is_part(c)).any(|word| names.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_another_shape_the_words_tell_whose_it_is() {
        let failure = |absent: Option<&str>| Failure {
            kind: FailureKind::Missing,
            message: "shop_test.go:12: too many arguments in call to Three\nhave (number)".to_owned(),
            absent: absent.map(str::to_owned),
            absent_too: Vec::new(),
        };
        let body = |names: Option<&[&str]>| Body {
            looks_at: names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
            ..Body::default()
        };
        for (absent, names, want) in [
            (None, Some(&["Three", "t"] as &[_]), true),
            (None, Some(&["One", "t"]), false),
            (None, None, true),
            (Some("Three"), Some(&["One"]), true),
        ] {
            assert_eq!(asks_for_what_is_told(&failure(absent), &body(names)), want, "{absent:?} {names:?}");
        }
    }
}
