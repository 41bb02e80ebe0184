//! Canaries for vitest, jest and bun.
//!
//! ```text
//! vitest, jest   the judged file itself, then the tests that must fail
//! bun            an import of all that the judged file names, then the same
//! ```
//!
//! With vitest and jest a file has a world of its own, so the canary first does what the judged tests
//! do. bun runs all files in one process and this one last: what was done to it is there already.

use std::fmt::Write as _;

use super::{ALWAYS, Script, Secret, is_module, without_shebang};

/// Who runs the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JavaScriptRunner {
    Vitest,
    Jest,
    Bun,
}

/// Matchers that a judged test may use, each on what it does not match. `'T'` stands for the token.
const MATCHERS: &[(&str, &str)] = &[
    ("toBe(", "('T').toBe('')"),
    ("toEqual(", "(['T']).toEqual([])"),
    ("toStrictEqual(", "(['T']).toStrictEqual([])"),
    ("toBeTruthy(", "('').toBeTruthy()"),
    ("toBeFalsy(", "('T').toBeFalsy()"),
    ("toBeNull(", "('T').toBeNull()"),
    ("toBeUndefined(", "('T').toBeUndefined()"),
    ("toBeDefined(", "(undefined).toBeDefined()"),
    ("toBeInstanceOf(", "('T').toBeInstanceOf(Map)"),
    ("toBeGreaterThan(", "(1).toBeGreaterThan(2)"),
    ("toBeGreaterThanOrEqual(", "(1).toBeGreaterThanOrEqual(2)"),
    ("toBeLessThan(", "(2).toBeLessThan(1)"),
    ("toBeLessThanOrEqual(", "(2).toBeLessThanOrEqual(1)"),
    ("toBeCloseTo(", "(1).toBeCloseTo(2)"),
    ("toContain(", "(['T']).toContain('')"),
    ("toContainEqual(", "(['T']).toContainEqual('')"),
    ("toHaveLength(", "(['T']).toHaveLength(2)"),
    ("toHaveProperty(", "({ a: 'T' }).toHaveProperty('b')"),
    ("toMatch(", "('T').toMatch(/ /)"),
    ("toMatchObject(", "({ a: 'T' }).toMatchObject({ a: '' })"),
    ("toThrow(", "(() => {}).toThrow()"),
    ("toThrowError(", "(() => {}).toThrow('T')"),
    (".not", "('T').not.toBe('T')"),
    (".resolves", "(Promise.resolve('T')).resolves.toBe('')"),
    (".rejects", "(Promise.resolve('T')).rejects.toThrow()"),
    (".to.equal(", "('T').to.equal('')"),
    (".to.deep.equal(", "(['T']).to.deep.equal([])"),
];

/// The file for `judged`, the source of a judged file with this extension.
pub fn javascript(runner: JavaScriptRunner, judged: &str, extension: &str, secret: &Secret) -> Script {
    let Secret { name, token } = secret;
    let mut source = match runner {
        JavaScriptRunner::Vitest | JavaScriptRunner::Jest => copied(judged, extension),
        JavaScriptRunner::Bun => imported(judged),
    };
    let own = Words::of(runner, judged, extension, name);
    source.push_str(&own.import);
    // Where a judged test is marked so, no other one would be run.
    let only = [".only(", ".only.", "fit(", "fdescribe("].iter().any(|mark| judged.contains(mark));
    let call = format!("{}{}", own.test, if only { ".only" } else { "" });
    let mut tests = vec![format!("{name} 0")];
    let _ = writeln!(source, "{call}('{name} 0', () => {{ throw new Error('{token}'); }});");
    for (at, (mark, rest)) in (1..).zip(MATCHERS) {
        if at > ALWAYS && !judged.contains(mark) {
            continue;
        }
        let body = format!("await {}{}", own.expect, rest.replace("'T'", &format!("'{token}'")));
        // A message without the token is a failure as good; only one that is kept quiet is none.
        let _ = writeln!(
            source,
            "{call}('{name} {at}', async () => {{\n  let seen = false;\n  try {{\n    {body};\n  }} catch (error) {{\n    \
             seen = true;\n    if (String(error).includes('{token}')) throw error;\n  }}\n  \
             if (seen) throw new Error('{token}');\n}});"
        );
        tests.push(format!("{name} {at}"));
    }
    Script { source, tests }
}

/// What the canary calls the runner's own functions, and the line that makes them so.
struct Words {
    import: String,
    test: String,
    expect: String,
}

impl Words {
    fn of(runner: JavaScriptRunner, judged: &str, extension: &str, name: &str) -> Self {
        let module = match runner {
            JavaScriptRunner::Vitest => "vitest",
            JavaScriptRunner::Bun => "bun:test",
            JavaScriptRunner::Jest if judged.contains("@jest/globals") => "@jest/globals",
            // Without that module's types a compiler might refuse it.
            JavaScriptRunner::Jest => {
                return Self { import: String::new(), test: "test".to_owned(), expect: "expect".to_owned() };
            }
        };
        let (test, expect) = (format!("{name}_test"), format!("{name}_expect"));
        // An import may stand anywhere, and comes first all the same.
        let import = if runner != JavaScriptRunner::Jest || is_module(judged, extension) {
            format!("import {{ test as {test}, expect as {expect} }} from '{module}';\n")
        } else {
            format!("const {{ test: {test}, expect: {expect} }} = require('{module}');\n")
        };
        Self { import, test, expect }
    }
}

/// The judged file, unchecked by a compiler of types. A comment at its head stays there: it may
/// choose the environment.
fn copied(judged: &str, extension: &str) -> String {
    let judged = without_shebang(judged);
    if !matches!(extension, "ts" | "tsx" | "mts" | "cts") {
        return format!("{judged}\n;\n");
    }
    let head = if judged.trim_start().starts_with("/*") {
        judged.find("*/").map_or(0, |end| end + "*/".len())
    } else {
        0
    };
    let (head, rest) = judged.split_at(head);
    format!("{head}\n// @ts-nocheck\n{rest}\n;\n")
}

/// Imports of what `judged` names; what does not load is told by its own file.
fn imported(judged: &str) -> String {
    let names = serde_json::Value::from(modules(judged));
    format!("for (const name of {names}) {{\n  try {{\n    await import(name);\n  }} catch {{}}\n}}\n")
}

const MOST_MODULES: usize = 256;
const LONGEST_NAME: usize = 1024;

/// What stands in quotes behind `from`, `import`, `import(` and `require(`, each once.
fn modules(source: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for word in ["from", "import", "require"] {
        for (at, _) in source.match_indices(word) {
            let rest = source[at + word.len()..].trim_start();
            let rest = rest.strip_prefix('(').map_or(rest, str::trim_start);
            let Some(quote) = rest.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
                continue;
            };
            let Some((name, _)) = rest[1..].split_once(quote) else { continue };
            let plain = !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['\n', '\\']);
            if plain && !found.contains(&name) && found.len() < MOST_MODULES {
                found.push(name);
            }
        }
    }
    found
}

/// The name of a canary's file beside the judged one. vitest and jest find a file by its name, so
/// both ends of it stay; bun must not find it, because then it would not come last.
pub fn javascript_file(runner: JavaScriptRunner, judged: &str, name: &str) -> String {
    let (stem, rest) = judged.split_once('.').unwrap_or((judged, "js"));
    if runner == JavaScriptRunner::Bun {
        // Only a module waits for what it imports.
        let extension = match rest.rsplit('.').next().unwrap_or(rest) {
            "cjs" => "mjs",
            "cts" => "mts",
            other => other,
        };
        return format!("{stem}.{name}.{extension}");
    }
    if ["test", "spec", "tests", "specs"].contains(&stem) {
        return format!("{name}.{judged}");
    }
    let tail = ["_test", "-test", "_spec", "-spec", "_tests", "-tests"]
        .into_iter()
        .find(|tail| stem.ends_with(tail));
    let (head, tail) = stem.split_at(stem.len() - tail.map_or(0, str::len));
    format!("{head}-{name}{tail}.{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret { name: "q1".to_owned(), token: "t0ken".to_owned() }
    }

    #[test]
    fn it_takes_the_runners_words_as_the_judged_file_does() {
        use JavaScriptRunner::{Bun, Jest, Vitest};
        for (runner, judged, extension, want) in [
            (
                Vitest,
                "import { it } from 'vitest';",
                "ts",
                "import { test as q1_test, expect as q1_expect } from 'vitest'",
            ),
            (Bun, "test('a')", "ts", "from 'bun:test'"),
            (Jest, "test('a')", "js", "\ntest('q1 0'"),
            (Jest, "const { it } = require('@jest/globals')", "js", "= require('@jest/globals');\n"),
            (
                Jest,
                "import { it } from '@jest/globals'",
                "ts",
                "import { test as q1_test, expect as q1_expect }",
            ),
            (Jest, "test.only('a', f)", "js", "\ntest.only('q1 1'"),
            (
                Jest,
                "/** @jest-environment jsdom */\na()",
                "ts",
                "/** @jest-environment jsdom */\n// @ts-nocheck\n\na()",
            ),
            (Jest, "expect(a).toHaveLength(2)", "js", "await expect(['t0ken']).toHaveLength(2);"),
            (
                Bun,
                "import { a } from '../a';\nimport \"b\";\nconst c = require('c');",
                "ts",
                r#"of ["../a","b","c"]"#,
            ),
        ] {
            let script = javascript(runner, judged, extension, &secret());
            assert!(script.source.contains(want), "{judged}\n{}", script.source);
        }
        let script = javascript(Jest, "expect(a).toThrow(); expect(a).not.toBe(1)", "js", &secret());
        assert_eq!(script.tests, ["q1 0", "q1 1", "q1 2", "q1 21", "q1 23"]);
    }

    #[test]
    fn it_is_named_so_that_vitest_and_jest_find_it_and_bun_does_not() {
        use JavaScriptRunner::{Bun, Jest, Vitest};
        for (runner, judged, want) in [
            (Vitest, "ac_1.test.ts", "ac_1-q1.test.ts"),
            (Jest, "test.js", "q1.test.js"),
            (Jest, "ac.js", "ac-q1.js"),
            (Jest, "ac_test.js", "ac-q1_test.js"),
            (Vitest, "ac.unit.spec.tsx", "ac-q1.unit.spec.tsx"),
            (Bun, "ac_1.test.ts", "ac_1.q1.ts"),
            (Bun, "ac_test.cjs", "ac_test.q1.mjs"),
        ] {
            assert_eq!(javascript_file(runner, judged, "q1"), want, "{judged}");
        }
    }
}
