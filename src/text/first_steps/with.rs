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

    /// The files, by their path in the repository. A workflow calls `agent`, or whichever a run would take by itself.
    pub fn files(self, agent: Option<&str>) -> Vec<(String, String)> {
        match self {
            Self::Claude => skills(".claude", str::to_owned),
            Self::Codex | Self::Copilot | Self::Gemini | Self::OpenCode | Self::Pi => {
                skills(".agents", for_any)
            }
            Self::GitHub => vec![(".github/workflows/tdd.yml".to_owned(), workflow(agent))],
        }
    }
}

/// What an agent's job needs: its key, as the agent's own program reads it, and the package that brings it.
const JOBS: [(&str, &str, &str); 3] = [
    ("codex", "CODEX_API_KEY", "@openai/codex"),
    ("gemini", "GEMINI_API_KEY", "@google/gemini-cli"),
    ("opencode", "ANTHROPIC_API_KEY", "opencode-ai"),
];

/// The agent whose name a workflow calls: that of the flag, else the first for whom skills are written.
pub fn for_workflow<'a>(flag: Option<&'a str>, with: &[With]) -> Option<&'a str> {
    let runs = |with: &&With| !matches!(with, With::GitHub | With::Copilot);
    flag.or_else(|| with.iter().find(runs).map(|with| with.name()))
}

fn workflow(agent: Option<&str>) -> String {
    let Some(agent) = agent.filter(|agent| *agent != With::Claude.name()) else { return WORKFLOW.to_owned() };
    let call = |text: &str| text.replace("run: tdd ", &format!("run: tdd --agent {agent} "));
    match JOBS.iter().find(|(name, _, _)| *name == agent) {
        Some((_, key, package)) => {
            call(&WORKFLOW.replace("ANTHROPIC_API_KEY", key).replace("@anthropic-ai/claude-code", package))
        }
        None => call(WORKFLOW),
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
            for (path, text) in with.files(None) {
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

    #[test]
    fn a_workflow_calls_the_agent_that_was_named() {
        for (flag, with, agent, key) in [
            (None, &[With::Codex, With::GitHub][..], "--agent codex ", "CODEX_API_KEY"),
            (None, &[With::GitHub, With::Gemini], "--agent gemini ", "GEMINI_API_KEY"),
            (Some("codex"), &[With::Claude, With::GitHub], "--agent codex ", "CODEX_API_KEY"),
            (Some("mine"), &[With::GitHub], "--agent mine ", "ANTHROPIC_API_KEY"),
            (None, &[With::Copilot, With::GitHub], "tdd --max-usd", "ANTHROPIC_API_KEY"),
            (None, &[With::Claude, With::Codex, With::GitHub], "tdd --max-usd", "ANTHROPIC_API_KEY"),
        ] {
            let (_, text) = With::GitHub.files(for_workflow(flag, with)).remove(0);
            assert!(
                text.contains(agent) && text.contains(&format!("secrets.{key} ")),
                "{flag:?} {with:?}: {text}"
            );
            assert_eq!(text.matches("_API_KEY").count(), 2, "{text}");
        }
    }
}
