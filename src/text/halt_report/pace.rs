//! Slow or hung: what an attempt was at when its deadline passed. An agent that hangs is not mended by more time.

use tdd_core::attempt::AgentReturn;
use tdd_core::cause::Left;
use tdd_spec::strict::amount::shown_duration;

/// A model may think for as long without a word.
const LEAST_MS: u64 = 60_000;

/// How long an attempt lasted, and for how long it had been silent in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    lasted_ms: u64,
    silent_ms: u64,
}

/// What that looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Hung,
    Slow,
    /// So short a time tells nothing.
    TooShort,
}

impl Pace {
    /// `None` where nobody has heard the agent, or noted it.
    pub(super) fn of(outcome: &AgentReturn) -> Option<Self> {
        let lasted_ms = outcome.duration_ms;
        outcome.silent_ms.map(|silent_ms| Self { lasted_ms, silent_ms: silent_ms.min(lasted_ms) })
    }

    pub(super) fn look(self, left: Left) -> Look {
        let is_silent = self.silent_ms >= LEAST_MS && self.silent_ms.saturating_mul(2) >= self.lasted_ms;
        match (is_silent, left) {
            _ if self.lasted_ms < LEAST_MS => Look::TooShort,
            (true, Left::Nothing | Left::Remarks) => Look::Hung,
            (true, Left::Work) | (false, _) => Look::Slow,
        }
    }

    /// On one line.
    pub(super) fn words(self, left: Left) -> String {
        let shown = |ms: u64| shown_duration((ms / 1000).max(1) * 1000);
        let lasted = shown(self.lasted_ms);
        let said = if self.silent_ms >= self.lasted_ms {
            format!("it had printed nothing in {lasted}")
        } else if self.silent_ms < 1000 {
            "it was still printing".to_owned()
        } else {
            format!("it had been silent for {} of {lasted}", shown(self.silent_ms))
        };
        let looks = match self.look(left) {
            Look::Hung => "it looks hung, not slow".to_owned(),
            Look::Slow => "it looks slow, not hung".to_owned(),
            Look::TooShort => format!("{lasted} is too short to tell a slow agent from one that hangs"),
        };
        format!("at its deadline {said}; {looks}")
    }
}

/// What stands in a patch where more is changed than lines.
const OTHERWISE: [&str; 5] = ["Binary files", "GIT binary patch", "new file", "deleted file", "old mode"];

/// Whether a patch changes nothing but comments and blank lines, as far as whole lines tell.
pub fn is_of_remarks(patch: &str) -> bool {
    let (mut mark, mut changed, mut is_hunk) = (None, 0, false);
    for line in patch.lines() {
        if let Some(both) = line.strip_prefix("diff --git ") {
            (mark, is_hunk) = (mark_of(both.trim_end_matches('"')), false);
        } else if line.starts_with("@@") {
            is_hunk = true;
        } else if !is_hunk && OTHERWISE.iter().any(|start| line.starts_with(start)) {
            return false;
        } else if let Some(text) = line.strip_prefix(['+', '-']).filter(|_| is_hunk) {
            changed += 1;
            let text = text.trim();
            if !text.is_empty() && !mark.is_some_and(|mark| text.starts_with(mark)) {
                return false;
            }
        }
    }
    changed > 0
}

/// What a line begins with that is a comment, by the name of its file.
fn mark_of(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "rs" | "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "go" | "java" | "c" | "h"
        | "cpp" => Some("//"),
        "py" | "rb" | "sh" | "yaml" | "yml" | "toml" => Some("#"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_without_work_looks_hung_and_nothing_else_does() {
        let look = |silent_s: u64, lasted_s: u64, left| {
            Pace { lasted_ms: lasted_s * 1000, silent_ms: silent_s * 1000 }.look(left)
        };
        for (silent, lasted, left, want) in [
            (600, 600, Left::Nothing, Look::Hung),
            (400, 600, Left::Remarks, Look::Hung),
            // Its honest twins: it wrote code without a word, it spoke not long ago, it had no time.
            (600, 600, Left::Work, Look::Slow),
            (59, 600, Left::Nothing, Look::Slow),
            (200, 600, Left::Nothing, Look::Slow),
            (3, 3, Left::Nothing, Look::TooShort),
        ] {
            assert_eq!(look(silent, lasted, left), want, "{silent} of {lasted}, {left:?}");
        }
        let words = |silent_ms, lasted_ms| Pace { lasted_ms, silent_ms }.words(Left::Nothing);
        assert_eq!(
            words(600_000, 600_000),
            "at its deadline it had printed nothing in 10m; it looks hung, not slow"
        );
        assert_eq!(
            words(2_100, 3_000).split(';').next(),
            Some("at its deadline it had been silent for 2s of 3s")
        );
        assert_eq!(words(10, 300_000), "at its deadline it was still printing; it looks slow, not hung");
    }

    #[test]
    fn comments_and_blank_lines_are_told_from_code() {
        let of = |name: &str, lines: &str| {
            is_of_remarks(&format!(
                "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n{lines}"
            ))
        };
        assert!(of("src/lib.rs", "+\n+// Words first, then hyphens?\n a\n"));
        assert!(of("shop.py", "-# one\n+    # two\n"));
        // What looks like one in another language is none there, nor is what stands before one.
        assert!(!of("src/lib.rs", "+#[test]\n"));
        assert!(!of("shop.py", "+x = 1 # one\n"));
        assert!(!of("a.md", "+# one\n"));
        assert!(!is_of_remarks("") && !is_of_remarks("diff --git a/a.py b/a.py\nnew file mode 100644\n"));
    }
}
