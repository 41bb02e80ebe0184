//! YAML front matter at the head of a Markdown file.
