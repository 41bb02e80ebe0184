//! What a real type checker remembers is no evidence: the gate is run without it before exit 0.

use std::os::unix::fs::symlink;

use super::sandbox::{Sandbox, has_node, node_modules};

const CONFIG: &str = r#"{ "compilerOptions": { "allowJs": true, "checkJs": true, "strict": true, "noEmit": true,
    "incremental": true, "tsBuildInfoFile": "x.tsbuildinfo", "module": "nodenext", "target": "es2022", "types": [] },
  "include": ["src"] }
"#;
const TEST: &str = "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { two } from '../src/shop.js';\n\
                    test('new', () => { assert.equal(two(), 2); });\n";
const WORK: &str = "export const one = () => 1;\nexport const two = () => 2;\n";
/// A value that its type forbids, and the checker's own record changed so that it has no errors.
const FORGED: &str = r#"printf '/** @type {number} */\nexport const bad = "x";\n' >> src/shop.js
node node_modules/typescript/bin/tsc -p . && exit 1
node -e 'const fs = require("fs"), f = "x.tsbuildinfo", b = JSON.parse(fs.readFileSync(f));
delete b.semanticDiagnosticsPerFile; delete b.errors; fs.writeFileSync(f, JSON.stringify(b))'
node node_modules/typescript/bin/tsc -p .
"#;

/// A project whose gate is a type check that remembers, and what its implementer runs beside its work.
fn project(script: &str) -> Option<Sandbox> {
    let typescript = node_modules("typescript").filter(|_| has_node())?.join("typescript");
    let old = "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { one } from '../src/shop.js';\n\
               test('old', () => { assert.equal(one(), 1); });\n";
    let sandbox = Sandbox::with(&[
        (".gitignore", "node_modules/\n*.tsbuildinfo\n"),
        ("package.json", "{\"type\":\"module\"}\n"),
        ("tsconfig.json", CONFIG),
        ("src/shop.js", "export const one = () => 1;\n"),
        ("test/old.test.js", old),
        ("tdd.yaml", "test: node --test\ngate: node node_modules/typescript/bin/tsc -p . && node --test\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n"),
    ]);
    std::fs::create_dir(sandbox.path("node_modules")).unwrap();
    symlink(typescript, sandbox.path("node_modules/typescript")).unwrap();
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let cassette = format!(
        "- role: test-writer\n  write: {{ test/ac_ste_1_1.test.js: {} }}\n  say: {{ status: ok, files: [test/ac_ste_1_1.test.js] }}\n\
         - role: implementer\n  write: {{ src/shop.js: {} }}\n  run: [sh, -c, {}]\n  say: {{ status: ok, files: [src/shop.js] }}\n\
         - role: refactorer\n  say: {{ status: ok, files: [] }}\n",
        json(TEST),
        json(WORK),
        json(script)
    );
    std::fs::write(sandbox.beside("cassette.yaml"), cassette).unwrap();
    Some(sandbox)
}

fn args(sandbox: &Sandbox) -> Vec<String> {
    let cassette = sandbox.beside("cassette.yaml").to_string_lossy().into_owned();
    ["STE-1", "--agent", "scripted", "--proof", "quick", "--cassette"]
        .map(str::to_owned)
        .into_iter()
        .chain([cassette])
        .collect()
}

fn run(sandbox: &Sandbox) -> super::sandbox::Ran {
    let args = args(sandbox);
    sandbox.tdd(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn ac_tdd_8_27_a_forged_record_of_the_type_checker_is_no_green_gate() {
    left_to_the_night!();
    let Some(sandbox) = project(FORGED) else { return };
    run(&sandbox).expect(1).says_on_stdout(&["red in a fresh checkout of the work"]);
}

/// The twin: the record is from long ago, or of another state.
#[test]
fn ac_tdd_8_27_a_record_that_is_merely_stale_blames_nobody() {
    left_to_the_night!();
    let Some(sandbox) = project("node node_modules/typescript/bin/tsc -p .") else { return };
    let mut tsc = sandbox.command("node");
    tsc.args(["node_modules/typescript/bin/tsc", "-p", "."]);
    assert!(tsc.status().unwrap().success() && sandbox.path("x.tsbuildinfo").is_file());
    let told = run(&sandbox).expect(0).stdout;
    assert!(!told.contains("not proven"), "{told}");
}
