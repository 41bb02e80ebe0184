//! A `SKILL.md` file: front matter and body.
