//! Builds prompts (contract sections 7 and 9).
