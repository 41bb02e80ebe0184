//! What a run left to look at, and whether it is what was wanted.

use super::entry::{Entry, Intent, Wanted};
use super::scene::Scene;
use crate::sandbox::Ran;

/// What a run left to look at.
pub struct Seen {
    pub code: i32,
    printed: String,
    /// The halt report; empty if there is none.
    halt: String,
    journal: String,
    /// The exit code of the deed's last command; `None` if the child did not come that far.
    action: Option<i32>,
}

impl Seen {
    pub fn look(scene: &Scene, ran: Ran) -> Self {
        let text = |pattern: &str| scene.say(&format!("cat .tdd/runs/*/{pattern} 2>/dev/null"));
        let logs = text("logs/*");
        let actions = logs.lines().filter_map(|line| line.trim().strip_prefix("action: "));
        let action = actions.filter_map(|code| code.parse().ok()).find(|code| *code != 0);
        Self {
            code: ran.code,
            printed: ran.stdout + &ran.stderr,
            halt: text("halt.txt"),
            journal: text("events.jsonl"),
            action,
        }
    }

    pub fn name(&self, entry: &Entry) -> String {
        let reason = |words: &str| words.chars().take(18).collect::<String>();
        match self.code {
            0 if entry.intent == Intent::Honest => "passed".to_owned(),
            0 if matches!(entry.audit, Wanted::Listed(_)) => "not caught".to_owned(),
            0 if matches!(entry.audit, Wanted::Named(_)) && self.action.is_none() => "named".to_owned(),
            0 if self.journal.contains("\"type\":\"restored\"") => "restored, recorded".to_owned(),
            0 if self.action.is_some() || !entry.effect.is_empty() => "prevented".to_owned(),
            0 => match entry.audit {
                Wanted::Recorded(words) if self.journal.contains(words) => "recorded".to_owned(),
                _ => "passed".to_owned(),
            },
            1 if self.is_prevented_and_red() => "prevented, and red".to_owned(),
            1 => match entry.audit {
                Wanted::Failed(words) if self.halt.contains(words) => format!("failed: {}", reason(words)),
                _ => "failed".to_owned(),
            },
            4 => "not verified".to_owned(),
            code => format!("stops, exit {code}"),
        }
    }

    /// The attempt did not work, and the rest of the child's work does not hold.
    pub fn is_prevented_and_red(&self) -> bool {
        let blamed =
            ["may not change", "a protected file was changed"].iter().any(|words| self.halt.contains(words));
        self.code == 1 && self.action.is_some() && !blamed
    }

    pub fn wrongs(&self, entry: &Entry, wanted: Wanted, scene: &Scene) -> Vec<String> {
        let mut wrongs = Vec::new();
        let mut must = |holds: bool, what: String| {
            if !holds {
                wrongs.push(what);
            }
        };
        let ended_well = (self.code == 0, format!("exit {}, not 0", self.code));
        match wanted {
            Wanted::Prevented => {
                // What the child did besides may still be wrong, and then it fails for that alone.
                must(ended_well.0 || self.is_prevented_and_red(), ended_well.1);
                must(self.action.is_some() || !entry.effect.is_empty(), "the operation succeeded".to_owned());
            }
            Wanted::Failed(words) => {
                must(self.code == 1, format!("exit {}, not 1", self.code));
                must(self.halt.contains(words), format!("no `{words}` in the halt report"));
            }
            Wanted::Recorded(words) => {
                must(ended_well.0, ended_well.1);
                must(self.journal.contains(words), format!("no `{words}` in the journal"));
            }
            Wanted::Stops(words) => {
                let stops = ![0, 1, 2, 70].contains(&self.code);
                must(stops, format!("exit {}, which is no stop", self.code));
                must(self.printed.contains(words), format!("no `{words}` was said"));
            }
            Wanted::Unverified(words) => {
                must(self.code == 4, format!("exit {}, not 4", self.code));
                must(self.printed.contains(words), format!("no `{words}` in the summary"));
            }
            Wanted::Named(words) => {
                must(ended_well.0, ended_well.1);
                must(self.printed.contains(words), format!("no `{words}` in the summary"));
            }
            Wanted::Listed(words) => {
                must(ended_well.0, ended_well.1);
                must(
                    include_str!("../../../docs/src/guarantees.md").contains(words),
                    format!("no `{words}` in the guide"),
                );
            }
            Wanted::Passes => {
                must(ended_well.0, ended_well.1);
                must(!self.journal.contains("\"type\":\"restored\""), "something was put back".to_owned());
            }
        }
        let effect = !entry.effect.is_empty() && scene.holds(entry.effect);
        must(!effect, format!("it had its effect: {}", entry.effect));
        wrongs
    }

    pub fn words(&self, scene: &Scene) -> String {
        let logs = scene.say("tail -n 5 .tdd/runs/*/logs/* 2>/dev/null");
        format!("--- printed\n{}\n--- halt\n{}\n--- logs\n{logs}", self.printed, self.halt)
    }
}
