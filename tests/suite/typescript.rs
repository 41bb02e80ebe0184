//! Tests in TypeScript that its compiler refuses because what they ask for is not there yet.

use serde_json::json;

use super::sandbox::{Ran, Sandbox, node_modules};

const CART: &str = "export interface Options { tax?: number }\n\
    export class Cart {\n  private items: number[] = [];\n  constructor(private options: Options = {}) {}\n  \
    add(price: number): this { this.items.push(price); return this; }\n  \
    total(): number { return this.items.reduce((a, b) => a + b, 0) * (1 + (this.options.tax ?? 0)); }\n}\n\
    export function format(cents: number): string { return (cents / 100).toFixed(2); }\n";

/// A run with ts-jest: this expectation, and an implementer who replaces the one text by the other.
fn run(expectation: &str, (old, new): (&str, &str)) -> Option<Ran> {
    let modules = node_modules("ts-jest")?;
    let sandbox = Sandbox::with(&[
        (".gitignore", "node_modules\n"),
        ("package.json", "{ \"name\": \"shop\", \"jest\": { \"preset\": \"ts-jest\" } }\n"),
        (
            "tsconfig.json",
            "{ \"compilerOptions\": { \"target\": \"es2022\", \"module\": \"commonjs\", \"strict\": true, \"types\": [], \"lib\": [\"es2022\"], \"skipLibCheck\": true } }\n",
        ),
        ("src/cart.ts", CART),
        (
            "test/old.test.ts",
            "import { expect, test } from '@jest/globals';\nimport { format } from '../src/cart';\n\n\
             test('old', () => { expect(format(250)).toBe('2.50'); });\n",
        ),
    ]);
    std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
    sandbox.write("tdd.yaml", "test: npx jest\nbudgets: { semantic: 1, format: 0 }\n");
    sandbox.write(
        "specs/frs/STE-1.md",
        "# Cart\n\n## Acceptance Criteria\n\n- AC-STE-1.1: carts can do more.\n",
    );
    sandbox.commit();
    let test = format!(
        "import {{ expect, test }} from '@jest/globals';\nimport {{ Cart, format }} from '../src/cart';\n\n\
         test('new', () => {{ {expectation}; expect(format(100)).toBe('1.00'); }});\n"
    );
    let names = ["test/ac-ste-1-1.test.ts", "src/cart.ts"];
    let calls = json!([
        { "role": "test-writer", "write": { names[0]: test }, "say": { "status": "ok", "files": [names[0]] } },
        { "role": "implementer", "write": { names[1]: CART.replacen(old, new, 1) },
          "say": { "status": "ok", "files": [names[1]] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, &["--proof", "off"]))
}

const METHOD: &str = "expect(new Cart().add(2).count()).toBe(1)";
const COUNT: (&str, &str) = ("  total()", "  count(): number { return this.items.length; }\n  total()");

#[test]
fn ac_tdd_8_99_a_member_that_is_not_there_yet_is_missing() {
    left_to_the_night!();
    if let Some(ran) = run(METHOD, COUNT) {
        ran.expect(0).says_on_stdout(&["missing (1 test)"]);
    }
    // A slip of the test's own is nobody's task but the test-writer's.
    if let Some(ran) = run("expect(new Cart().add(2).count()).toBe(1; void 0", COUNT) {
        ran.expect(1).says(&["mode A"]);
    }
}

#[test]
fn ac_tdd_8_99_a_parameter_and_a_key_that_are_not_there_yet_are_missing() {
    left_to_the_night!();
    let unit = "export function format(cents: number, unit = ''): string { return `${(cents / 100).toFixed(2)}${unit}`; }";
    let body = CART.lines().last().unwrap();
    if let Some(ran) = run("expect(format(250, ' EUR')).toBe('2.50 EUR')", (body, unit)) {
        ran.expect(0).says_on_stdout(&["missing (1 test)"]);
    }
    let cut = ("tax?: number }", "tax?: number; cut?: number }");
    if let Some(ran) = run(
        "const options = { tax: 1 }; expect(new Cart({ ...options, cut: 0 }).add(1).total()).toBe(2)",
        cut,
    ) {
        ran.expect(0).says_on_stdout(&["missing (1 test)"]);
    }
}

#[test]
fn ac_tdd_8_108_a_module_that_a_path_from_the_root_leads_to_is_the_projects_own() {
    left_to_the_night!();
    let Some(modules) = node_modules("ts-jest") else { return };
    let sandbox = Sandbox::with(&[
        (".gitignore", "node_modules\n"),
        (
            "package.json",
            "{ \"name\": \"shop\", \"jest\": { \"preset\": \"ts-jest\", \"moduleNameMapper\": { \"^src/(.*)$\": \"<rootDir>/src/$1\" } } }\n",
        ),
        (
            "tsconfig.json",
            "{ \"compilerOptions\": { \"target\": \"es2022\", \"module\": \"commonjs\", \"strict\": true, \"types\": [], \"lib\": [\"es2022\"], \"skipLibCheck\": true, \
             \"paths\": { \"src/*\": [\"./src/*\"] } } }\n",
        ),
        ("src/cart.ts", CART),
        (
            "test/old.test.ts",
            "import { expect, test } from '@jest/globals';\nimport { format } from 'src/cart';\n\n\
             test('old', () => { expect(format(250)).toBe('2.50'); });\n",
        ),
    ]);
    std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
    sandbox.write("tdd.yaml", "test: npx jest\nbudgets: { semantic: 1, format: 0 }\n");
    sandbox.write(
        "specs/frs/STE-1.md",
        "# Tax\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is a module for taxes.\n",
    );
    sandbox.commit();
    let of = |module: &str| {
        format!(
            "import {{ expect, test }} from '@jest/globals';\nimport {{ tax }} from '{module}';\n\n\
             test('new', () => {{ expect(tax(100)).toBe(19); }});\n"
        )
    };
    let file = "test/ac-ste-1-1.test.ts";
    let code = "export function tax(cents: number): number { return cents * 0.19; }\n";
    let calls = |module: &str| {
        json!([
            { "role": "test-writer", "write": { file: of(module) }, "say": { "status": "ok", "files": [file] } },
            { "role": "implementer", "write": { "src/tax.ts": code }, "say": { "status": "ok", "files": ["src/tax.ts"] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ])
    };
    // A package that nobody has installed is no code that an implementer writes.
    let foreign = sandbox.scripted(&calls("left-pad/tax"), &["--proof", "off"]);
    foreign.expect(1).says(&["RED failed", "left-pad/tax"]);
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.scripted(&calls("src/tax"), &["--proof", "off"]).expect(0).says_on_stdout(&["missing (1 test)"]);
}
