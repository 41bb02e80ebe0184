//! Configurations of JavaScript and TypeScript: what they import, set up with and extend.
//!
//! A light reading of marks and texts, for `.ts`, `.js` and JSON alike: `key: value`, lists, calls, and
//! texts in quotes. What a program would put together (a joined path) is not seen.

use super::Named;

/// Keys of vitest and jest whose texts are files that decide how tests run.
const KEYS: &[&str] = &[
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "preset",
    "environment",
    "testEnvironment",
    "snapshotEnvironment",
    "runner",
    "testRunner",
    "sequencer",
    "testSequencer",
    "reporters",
    "resolver",
    "transform",
    "snapshotSerializers",
    "snapshotResolver",
    "dependencyExtractor",
    "testResultsProcessor",
    "extends",
    "projects",
    "workspace",
    "preload",
];

/// The relative files that a configuration imports or names.
pub fn config(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    // For each open bracket the key in whose value it stands.
    let mut open: Vec<String> = Vec::new();
    let mut key = String::new();
    let mut words = Words { rest: text };
    let mut before = Word::Mark(' ');
    while let Some(word) = words.next() {
        match &word {
            Word::Mark('{' | '[' | '(') => {
                let outer = if matches!(&before, Word::Name(name) if name == "import" || name == "require") {
                    "import"
                } else {
                    &key
                };
                open.push(outer.to_owned());
                key.clear();
            }
            Word::Mark('}' | ']' | ')') => key = open.pop().unwrap_or_default(),
            Word::Mark(',' | ';') => key.clear(),
            Word::Mark(':' | '=') => {
                if let Word::Name(name) | Word::Text(name) = &before {
                    key.clone_from(name);
                }
            }
            Word::Text(path) => {
                let path =
                    path.strip_prefix("<rootDir>/").map_or_else(|| path.clone(), |rest| format!("./{rest}"));
                let is_import = matches!(&before, Word::Name(name) if name == "from" || name == "import")
                    || open.last().is_some_and(|outer| outer == "import");
                let is_named =
                    KEYS.contains(&key.as_str()) || open.iter().any(|outer| KEYS.contains(&outer.as_str()));
                let is_relative = path.starts_with("./") || path.starts_with("../");
                if !is_relative && (is_import || is_named) {
                    found.push(Named::Package(path.clone()));
                }
                if is_relative {
                    found.extend(is_import.then(|| Named::Import(path.clone())));
                    found.extend((is_named && !is_import).then_some(Named::Path(path)));
                } else if is_named && path.contains('/') && !path.starts_with(['@', '/']) {
                    // vitest takes `setupFiles: "test/setup.ts"` from its root.
                    found.push(Named::Path(path));
                }
            }
            Word::Mark(_) | Word::Name(_) => {}
        }
        before = word;
    }
    found
}

/// What a `tsconfig.json` extends by a relative path or from a package, and the projects that it refers to.
pub fn tsconfig(text: &str) -> Vec<Named> {
    let mut found = config(text);
    found.retain(|named| match named {
        Named::Path(path) => path.starts_with('.'),
        Named::Package(_) => true,
        Named::Import(_) | Named::Plugin(_) | Named::Module(_) => false,
    });
    found
}

enum Word {
    Name(String),
    Text(String),
    Mark(char),
}

struct Words<'t> {
    rest: &'t str,
}

impl Words<'_> {
    fn next(&mut self) -> Option<Word> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with("//") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if self.rest.starts_with("/*") {
                self.rest = self.rest.split_once("*/").map_or("", |(_, rest)| rest);
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if matches!(first, '"' | '\'' | '`') {
            let inside = &self.rest[1..];
            let end = inside.find([first, '\n']).unwrap_or(inside.len());
            self.rest = inside.get(end + 1..).unwrap_or_default();
            return Some(Word::Text(inside[..end].to_owned()));
        }
        let length = if is_part(first) {
            self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len())
        } else {
            first.len_utf8()
        };
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(if is_part(first) { Word::Name(word.to_owned()) } else { Word::Mark(first) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(found: Vec<Named>) -> String {
        let told = found.into_iter().filter_map(|named| match named {
            Named::Path(path) => Some(path),
            Named::Import(path) => Some(format!("i:{path}")),
            Named::Package(_) => None,
            Named::Plugin(name) | Named::Module(name) => panic!("{name}"),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    fn packages(found: Vec<Named>) -> Vec<String> {
        let package = |named| if let Named::Package(name) = named { Some(name) } else { None };
        found.into_iter().filter_map(package).collect()
    }

    #[test]
    fn a_package_is_told_where_a_configuration_takes_something_from_it() {
        let text =
            "import base from '@shop/eslint-config/base';\nexport default [...base, { files: ['src/*'] }];";
        assert_eq!(packages(config(text)), ["@shop/eslint-config/base"]);
        assert_eq!(packages(config("module.exports = { extends: ['own-config'] }")), ["own-config"]);
        assert_eq!(
            packages(tsconfig("{ \"extends\": \"@shop/tsconfig/base.json\", \"include\": [\"src\"] }")),
            ["@shop/tsconfig/base.json"]
        );
    }

    #[test]
    fn what_a_configuration_names_is_told_and_what_it_aliases_is_not() {
        for (text, want) in [
            (
                "import { shared } from \"./cfg/shared\";\nexport default { test: { ...shared } };",
                "i:./cfg/shared",
            ),
            (
                "import './side'; const x = require('../x'); await import(`./y.mjs`)",
                "i:./side i:../x i:./y.mjs",
            ),
            ("import { defineConfig } from 'vitest/config'", ""),
            (
                "export default defineConfig({ test: { setupFiles: ['./test/setup.ts', 'test/b.ts'], include: ['./a.ts'] } })",
                "./test/setup.ts test/b.ts",
            ),
            (
                "module.exports = { preset: './preset', moduleNameMapper: { '^x$': './src/x.js' }, transform: { '\\\\.js$': ['./t.js', {}] } };",
                "./preset ./t.js",
            ),
            (
                "{ \"jest\": { \"globalSetup\": \"<rootDir>/g.js\" }, \"main\": \"./index.js\" } // './c'",
                "./g.js",
            ),
            (
                "export default { resolve: { alias: { shop: './shop.js' } }, /* setupFiles: './x' */ test: { globals: true } }",
                "",
            ),
        ] {
            assert_eq!(told(config(text)), want, "{text}");
        }
        assert_eq!(
            told(tsconfig(
                "{\n // base\n \"extends\": [\"./cfg/base.json\", \"@tsconfig/node20\"], \"include\": [\"./src\"] }"
            )),
            "./cfg/base.json"
        );
        assert_eq!(told(tsconfig("{\"extends\":\"../base\"}")), "../base");
    }
}
