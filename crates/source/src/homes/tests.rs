use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn imports_lead_to_files_to_what_is_not_there_and_to_libraries() {
    use Language::{Go, JavaScript, Python, Rust, TypeScript};
    let paths = [
        "shop/__init__.py",
        "shop/cart.py",
        "tests/__init__.py",
        "tests/checks.py",
        "src/far/__init__.py",
        "test/helpers/index.ts",
        "test/same.js",
        "packages/a/src/index.ts",
        "src/lib.rs",
        "tests/common/mod.rs",
        "tests/unit/deep.rs",
        "core/core.go",
        "internal/testutil/t.go",
    ];
    let files = paths.iter().filter_map(|path| RelPath::new(path)).collect();
    let package = |name: &str, folder: &str| Package { name: name.into(), folder: folder.into() };
    let packages = vec![package("shop", ""), package("@x/a", "packages/a"), package("example.com/shop", "")];
    let files = Files::new(files, packages);
    for (language, file, from, want) in [
        (Python, "tests/test_a.py", "shop:total", "shop/__init__.py"),
        (Python, "tests/test_a.py", "shop.cart:total", "shop/cart.py"),
        (Python, "tests/test_a.py", "shop:cart", "shop/cart.py"),
        (Python, "tests/test_a.py", "shop.basket:total", "absent"),
        (Python, "tests/test_a.py", ".checks:same", "tests/checks.py"),
        (Python, "tests/test_a.py", "checks", "tests/checks.py"),
        (Python, "tests/test_a.py", "tests:checks", "tests/checks.py"),
        (Python, "tests/test_a.py", "far:x", "src/far/__init__.py"),
        (Python, "tests/test_a.py", ".nope:x", "absent"),
        (Python, "tests/test_a.py", "os.path", "own"),
        (Python, "tests/test_a.py", "hamcrest:assert_that", "library"),
        (JavaScript, "test/a.test.js", "./same", "test/same.js"),
        (JavaScript, "test/a.test.js", "./same.js", "test/same.js"),
        (TypeScript, "test/a.test.ts", "./helpers", "test/helpers/index.ts"),
        (TypeScript, "test/a.test.ts", "@/test/helpers", "test/helpers/index.ts"),
        (TypeScript, "test/a.test.ts", "@/test/nope", "absent"),
        (JavaScript, "test/a.test.js", "../src/shop.js", "absent"),
        (JavaScript, "test/a.test.js", "../../outside.js", "absent"),
        (JavaScript, "test/a.test.js", "@x/a", "absent"),
        (JavaScript, "test/a.test.js", "@x/a/index", "packages/a/src/index.ts"),
        (JavaScript, "test/a.test.js", "node:fs/promises", "own"),
        (JavaScript, "test/a.test.js", "supertest", "library"),
        (Rust, "tests/a.rs", "mod common", "tests/common/mod.rs"),
        (Rust, "tests/a.rs", "common::same", "tests/common/mod.rs"),
        (Rust, "tests/unit/main.rs", "crate::deep::same", "tests/unit/deep.rs"),
        (Rust, "tests/a.rs", "shop::total", "src/lib.rs"),
        (Rust, "tests/a.rs", "std::fmt", "own"),
        (Rust, "tests/a.rs", "approx::relative_eq", "library"),
        (Go, "core/core_test.go", "example.com/shop/internal/testutil", "internal/testutil/t.go"),
        (Go, "core/core_test.go", "example.com/shop/nope", "absent"),
        (Go, "core/core_test.go", "net/http", "own"),
        (Go, "core/core_test.go", "github.com/matryer/is", "library"),
    ] {
        let said = match files.place(language, &RelPath::new(file).unwrap(), from) {
            Place::Files(files) => files.iter().map(RelPath::as_str).collect::<Vec<_>>().join(" "),
            Place::Absent => "absent".to_owned(),
            Place::Own => "own".to_owned(),
            Place::Library => "library".to_owned(),
        };
        assert_eq!(said, want, "{language:?} {file} {from}");
    }
}

#[test]
fn a_manifest_names_its_package() {
    for (path, text, want) in [
        ("go.mod", "module example.com/shop\n\ngo 1.22\n", Some(("example.com/shop", ""))),
        ("a/Cargo.toml", "[package]\nname = \"my-shop\"\n", Some(("my_shop", "a"))),
        ("Cargo.toml", "[package]\nname = \"a\"\n[lib]\nname = \"b\"\n", Some(("b", ""))),
        ("p/package.json", "{ \"name\": \"@x/a\" }", Some(("@x/a", "p"))),
        ("package.json", "{", None),
        ("Cargo.toml", "[workspace]\n", None),
    ] {
        let found = Files::package(&RelPath::new(path).unwrap(), text);
        let found = found.as_ref().map(|package| (package.name.as_str(), package.folder.as_str()));
        assert_eq!(found, want, "{path} {text}");
    }
}
