//! `pyproject.toml`, `pytest.ini`, `setup.cfg`, `tox.ini`: plugins that pytest's options name.

use super::Named;

/// Where pytest looks for its configuration, in each folder.
pub const PYTEST_FILES: [&str; 7] =
    ["pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"];

/// `-p NAME` in any line of a file that holds options of pytest. `no:NAME` switches one off.
pub fn pytest(text: &str) -> Vec<Named> {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | ']' | '=');
    let mut words = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .flat_map(|line| line.split(is_mark).filter(|word| !word.is_empty()));
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let name = match word.strip_prefix("-p") {
            Some("") => words.next(),
            Some(name) if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => Some(name),
            Some(_) | None => None,
        };
        let is_module = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        found.extend(name.filter(is_module).map(|name| Named::Plugin(name.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_found_however_the_options_are_written() {
        let plugin = |name: &str| Named::Plugin(name.to_owned());
        for (text, want) in [
            ("[tool.pytest.ini_options]\naddopts = \"-q -p my.plug\"\n", vec![plugin("my.plug")]),
            ("addopts = [\"-p\", \"a\", \"-pb\"]\n", vec![plugin("a"), plugin("b")]),
            ("[pytest]\naddopts = -ra\n  -p a_b\n", vec![plugin("a_b")]),
            ("addopts = -p no:cacheprovider\n# -p x\nname = \"x-p y\"\n", vec![]),
        ] {
            assert_eq!(pytest(text), want, "{text}");
        }
    }
}
