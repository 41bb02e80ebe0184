//! Chooses the project's commands (contract section 5).
