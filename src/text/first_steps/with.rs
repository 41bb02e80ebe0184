//! What `tdd init --with` writes for whoever works with tdd: an agent's skills, a pipeline.
//!
//! All agents read the same form of a skill, a folder with a `SKILL.md`. Claude Code looks for it in `.claude/skills`;
//! Codex, Copilot, Gemini, `OpenCode` and pi in `.agents/skills`, too.

use crate::text::skill;

/// For whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    Claude,
    Codex,
    Copilot,
    Gemini,
    OpenCode,
    Pi,
    GitHub,
}

/// The skills for an agent that a person talks to. Those of the roles are for tdd's own children.
const SKILLS: [(&str, &str); 3] = [
    ("tdd", include_str!("../../../skills/tdd/SKILL.md")),
    ("tdd-review", include_str!("../../../skills/tdd-review/SKILL.md")),
    ("implement", include_str!("../../../skills/implement/SKILL.md")),
];

const WORKFLOW: &str = include_str!("workflow.yml");

impl With {
    pub const ALL: [Self; 7] =
        [Self::Claude, Self::Codex, Self::Copilot, Self::Gemini, Self::OpenCode, Self::Pi, Self::GitHub];

    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
            Self::GitHub => "github",
        }
    }

    /// The files, by their path in the repository.
    pub fn files(self) -> Vec<(String, String)> {
        match self {
            Self::Claude => skills(".claude", str::to_owned),
            Self::Codex | Self::Copilot | Self::Gemini | Self::OpenCode | Self::Pi => {
                skills(".agents", for_any)
            }
            Self::GitHub => vec![(".github/workflows/tdd.yml".to_owned(), WORKFLOW.to_owned())],
        }
    }
}

fn skills(folder: &str, as_it_reads: fn(&str) -> String) -> Vec<(String, String)> {
    let file = |(name, text): (&str, &str)| (format!("{folder}/skills/{name}/SKILL.md"), as_it_reads(text));
    SKILLS.into_iter().map(file).collect()
}

/// Without what Claude Code alone knows: keys of its own, and a word that stands for what was typed.
fn for_any(text: &str) -> String {
    let (head, body) = skill::split(text);
    let is_common = |line: &&str| line.starts_with("name:") || line.starts_with("description:");
    let head: String =
        head.unwrap_or_default().lines().filter(is_common).flat_map(|line| [line, "\n"]).collect();
    let body = body.replace("$ARGUMENTS", "WHAT");
    format!(
        "---\n{head}---\n\nWHAT stands for what the user named: a requirement, a run, or what is to be built.\n\n{}\n",
        body.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_gets_skills_that_it_can_read() {
        for with in With::ALL {
            for (path, text) in with.files() {
                assert!(!path.starts_with('/') && text.ends_with('\n'), "{path}");
                if !path.ends_with("SKILL.md") {
                    continue;
                }
                let name = path.split('/').nth(2).unwrap();
                assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{path}: {text}");
                let is_claudes = path.starts_with(".claude");
                assert_eq!(text.contains("$ARGUMENTS"), is_claudes, "{path}");
                assert_eq!(text.contains("allowed-tools"), is_claudes, "{path}");
            }
        }
    }
}
