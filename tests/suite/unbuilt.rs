//! Code that the test command builds and no test needs.

use serde_json::json;

use super::sandbox::{Ran, Sandbox, has_go};

const SHOP: &str = "package shop\n\nfunc One() int { return 1 }\n";
const TWO: &str = "package shop\n\nfunc One() int { return 1 }\n\nfunc Two() int { return 2 }\n";

/// A program beside a package, as it is and as the implementer leaves it.
fn play(program: [&str; 2], more: &[&str]) -> Option<Ran> {
    if !has_go() {
        return None;
    }
    let text = |call: &str| {
        format!("package main\n\nimport \"example.com/shop\"\n\nfunc main() {{ println(shop.{call}) }}\n")
    };
    let [before, after] = program.map(text);
    let sandbox = Sandbox::with(&[
        ("go.mod", "module example.com/shop\n\ngo 1.19\n"),
        ("shop.go", SHOP),
        ("cmd/shop/main.go", &before),
        (
            "shop_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(One())\n\t}\n}\n",
        ),
        ("tdd.yaml", "test: go test ./...\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is Two.\n"),
    ]);
    sandbox.commit();
    let file = "ac_ste_1_1_test.go";
    let new = "package shop\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n";
    let calls = json!([
        { "role": "test-writer", "write": { file: new }, "say": { "status": "ok", "files": [file] } },
        { "role": "implementer", "write": { "shop.go": TWO, "cmd/shop/main.go": after },
          "say": { "status": "ok", "files": ["shop.go", "cmd/shop/main.go"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, more))
}

#[test]
fn ac_tdd_8_131_what_no_test_needs_compiles_or_did_not_before() {
    if let Some(ran) = play(["One()", "Three()"], &[]) {
        let said = "compiled before, and does not any more, though tests do: cmd/shop/main.go";
        ran.expect(1).says(&[said]);
    }
    left_to_the_night!();
    // Who has not broken it is not blamed for it.
    if let Some(ran) = play(["Three()", "Three()"], &["--allow-red-baseline"]) {
        ran.expect(0);
    }
}
