//! `conftest.py` and plugins of pytest: what they load.
//!
//! ```text
//! plugins = "pytest_plugins" "=" (text | "[" text { "," text } "]" | "(" … ")")
//! import  = "from" module "import" name { "," name } | "import" module { "," module }
//! ```

use super::Named;

/// The plugins that a module names, and the modules that it imports at its top.
pub fn of_python(source: &str) -> Vec<Named> {
    let mut found = Vec::new();
    for (at, line) in source.match_indices("pytest_plugins") {
        let begins_line = at == 0 || source[..at].ends_with('\n');
        let rest = &source[at + line.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=').filter(|_| begins_line) else { continue };
        let value = value.trim_start();
        let end = match value.chars().next() {
            Some('[') => value.find(']'),
            Some('(') => value.find(')'),
            _ => value.find('\n'),
        };
        found.extend(texts(&value[..end.unwrap_or(value.len())]).map(Named::Plugin));
    }
    found.extend(source.lines().flat_map(imported).map(Named::Module));
    found
}

/// Whether a module has to do with pytest: production code has not.
pub fn imports_pytest(source: &str) -> bool {
    source
        .lines()
        .flat_map(imported)
        .any(|module| matches!(module.split('.').next(), Some("pytest" | "_pytest" | "pluggy")))
        || source.lines().any(|line| line.starts_with("def pytest_"))
}

/// The modules that a line at the top of a source imports; a name may be a module itself.
fn imported(line: &str) -> Vec<String> {
    let name =
        |text: &str| text.split_whitespace().next().unwrap_or_default().trim_matches(['(', ')']).to_owned();
    if let Some(names) = line.strip_prefix("import ") {
        return names.split(',').map(name).filter(|name| !name.is_empty()).collect();
    }
    let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
    else {
        return Vec::new();
    };
    let module = module.trim();
    let inner = names.split(',').map(name).filter(|name| !name.is_empty() && name != "*");
    let joint = if module.ends_with('.') { "" } else { "." };
    let inner: Vec<String> = inner.map(|name| format!("{module}{joint}{name}")).collect();
    std::iter::once(module.to_owned())
        .filter(|module| !module.chars().all(|c| c == '.'))
        .chain(inner)
        .collect()
}

/// The plain texts of a value.
fn texts(value: &str) -> impl Iterator<Item = String> {
    let parts = value.split(['"', '\'']).skip(1).step_by(2);
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_and_imports_are_told() {
        let source = "from shop import db, cart as c\nimport os, a.b\nfrom support.hooks import *\nfrom . import near\nfrom .x import y\n\
                      pytest_plugins = [\n    \"helpers.plug\",\n    'other',\n]\n\ndef f():\n    import inner\n";
        let told: Vec<String> = of_python(source)
            .into_iter()
            .map(|named| match named {
                Named::Plugin(name) => format!("p:{name}"),
                Named::Module(name) => name,
                Named::Path(path) | Named::Import(path) | Named::Package(path) => panic!("{path}"),
            })
            .collect();
        assert_eq!(
            told.join(" "),
            "p:helpers.plug p:other shop shop.db shop.cart os a.b support.hooks .near .x .x.y"
        );
        assert_eq!(of_python("pytest_plugins = 'one'\n"), [Named::Plugin("one".to_owned())]);
        for (source, want) in [
            ("import pytest\n", true),
            ("from pytest import fixture\n", true),
            ("def pytest_collection_modifyitems(items):\n", true),
            ("import pytester_like\n", false),
            ("def one():\n    import pytest\n", false),
        ] {
            assert_eq!(imports_pytest(source), want, "{source}");
        }
    }
}
