//! Finds the project's commands in `CLAUDE.md` and `AGENTS.md` (contract section 5).
