//! What a role is told before its task: its skill, and the project's own instructions.

use std::collections::BTreeMap;

use crate::text::prompt::{self, Instructions};
use crate::text::skill;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::ports::{Checkpoints, Skills};
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

use super::work_diff::WorkDiff;

/// The project's own instructions that travel in the role text.
const INSTRUCTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

impl<C: Checkpoints> WorkDiff<'_, C> {
    /// The role's skill and the project's instructions, both as of checkpoint 0.
    pub(super) fn role_text(
        &mut self,
        role: Role,
        zero: Option<&CheckpointId>,
        project: &str,
    ) -> Result<String, Trouble> {
        let name = skill::role_skill(role);
        let mut overrides = BTreeMap::new();
        if let Some(file) = self.read_at(zero, &format!(".tdd/skills/{name}/SKILL.md"))? {
            overrides.insert(name.to_owned(), file);
        }
        let skills: Skills = skill::with_overrides(self.setup.skills.clone(), &overrides)?;
        let body =
            skills.get(name).ok_or_else(|| Trouble::internal(format!("the skill {name} is not embedded")))?;
        let mut texts = Vec::new();
        for file in INSTRUCTIONS {
            let in_project = format!("{project}/{file}");
            let text = match self.read_at(zero, in_project.trim_start_matches('/'))? {
                Some(text) => Some(text),
                None => self.read_at(zero, file)?,
            };
            texts.extend(text.map(|text| (file, text)));
        }
        let instructions: Vec<Instructions<'_>> =
            texts.iter().map(|(file, text)| Instructions { file, text }).collect();
        Ok(prompt::role_text(body, &instructions, &self.setup.mask))
    }

    fn read_at(&mut self, zero: Option<&CheckpointId>, path: &str) -> Result<Option<String>, Trouble> {
        let (Some(zero), Some(path)) = (zero, RelPath::new(path)) else { return Ok(None) };
        self.source(zero, &path)
    }
}
