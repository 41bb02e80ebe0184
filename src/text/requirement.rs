//! A requirement's Markdown file (contract sections 3 and 4).
