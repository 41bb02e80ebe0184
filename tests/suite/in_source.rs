//! Tests inside sources of JavaScript (`import.meta.vitest`): the test-writer's, and nobody else's.

use serde_json::{Value, json};

use super::battery;
use super::sandbox::{Ran, Sandbox, node_modules};

const SOURCE: &str = "src/till.js";

const TILL: &str = "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n\n\
    if (import.meta.vitest) {\n  const { describe, expect, it } = import.meta.vitest\n\n  \
    it('adds', () => {\n    expect(total([1, 2])).toBe(3)\n  })\n\n  \
    describe('of nothing', () => {\n    it('is none', () => {\n      expect(total([])).toBe(0)\n    })\n  })\n}\n";

const SUM: &str = "prices.reduce((sum, price) => sum + price, 0)";

/// A total that comes to be rounded up to tens: what the test-writer leaves of the source, and what it supersedes.
fn play(written: &str, supersedes: &[&str]) -> Option<Ran> {
    let modules = node_modules("vitest")?;
    let sandbox = Sandbox::with(&[
        (".gitignore", "node_modules\n"),
        (
            "package.json",
            "{ \"name\": \"till\", \"type\": \"module\", \"devDependencies\": { \"vitest\": \"*\" } }\n",
        ),
        ("vitest.config.mjs", "export default { test: { includeSource: ['src/**/*.js'] } }\n"),
        (SOURCE, TILL),
        ("tdd.yaml", "test: npx vitest run\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Till\n\n## Acceptance Criteria\n\n- AC-STE-1.1: totals are tens.\n"),
    ]);
    std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
    sandbox.commit();
    let ids: Vec<String> = supersedes.iter().map(|name| format!("{SOURCE}::{name}")).collect();
    let mut said = json!({ "status": "ok", "files": [SOURCE] });
    said["supersedes"] = json!({ "AC-STE-1.1": ids });
    let new = format!("{SOURCE}::rounds up");
    said["tests"] = json!({ "AC-STE-1.1": ids.iter().chain(written.contains("rounds up").then_some(&new)).collect::<Vec<_>>() });
    let done = written.replace(SUM, "Math.ceil(prices.reduce((sum, price) => sum + price, 0) / 10) * 10");
    let calls: Value = json!([
        { "role": "test-writer", "write": { SOURCE: written }, "say": said },
        { "role": "implementer", "write": { SOURCE: done }, "say": { "status": "ok", "files": [SOURCE] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, &battery::proof("quick")))
}

#[test]
fn ac_tdd_8_164_a_test_inside_a_source_of_javascript_is_added_to_and_superseded() {
    let tens = TILL.replace("toBe(3)", "toBe(10)");
    if let Some(ran) = play(&tens, &["adds"]) {
        ran.expect(0);
    }
    left_to_the_night!();
    let more = TILL.replace(
        "  describe('of",
        "  it('rounds up', () => {\n    expect(total([11])).toBe(20)\n  })\n\n  describe('of",
    );
    let more = more.replace("toBe(3)", "toBe(10)").replace("expect, it }", "expect, it, vi }");
    if let Some(ran) = play(&more, &["adds"]) {
        ran.expect(0);
    }
    // What nobody asked for.
    let weaker = tens.replace("expect(total([])).toBe(0)", "total([])");
    if let Some(ran) = play(&weaker, &["adds"]) {
        ran.expect(1).says(&[
            "an existing test was changed and is not named in `supersedes:`: src/till.js::of nothing",
        ]);
    }
    // What the tests look at is another thing, or the code is.
    let shadowed = tens.replace(
        "import.meta.vitest\n\n",
        "import.meta.vitest\n  const total = (prices) => prices.length * 10\n\n",
    );
    let code = tens.replace(SUM, "0");
    for written in [shadowed, code] {
        if let Some(ran) = play(&written, &["adds"]) {
            ran.expect(1).says(&["this role may not change: src/till.js"]);
        }
    }
}
