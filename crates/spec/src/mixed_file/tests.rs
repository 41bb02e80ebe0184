use super::*;
use Role::{Implementer, Refactorer, TestWriter};

fn changed(file: &str, before: &str, after: &str) -> Vec<String> {
    let changes = changed_keys(file, Some(before.as_bytes()), Some(after.as_bytes())).unwrap();
    changes.into_iter().map(|change| change.key).collect()
}

fn added(key: &str) -> KeyChange {
    KeyChange { key: key.to_owned(), kind: KeyChangeKind::Added }
}

/// File, before, after, whether the test-writer may change it so, whether the others may.
const EDITS: &[(&str, &str, &str, bool, bool)] = &[
    ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]\na='1'\nb='1'", false, true),
    ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]\na={path='fake'}", false, false),
    ("Cargo.toml", "[dependencies]\na='1'", "[dependencies]", false, false),
    ("Cargo.toml", "[dependencies]\na='1'", "", false, false),
    ("Cargo.toml", "[dependencies]", "", false, true),
    ("Cargo.toml", "[workspace.dependencies]\na='1'", "[workspace.dependencies]\na='2'", false, false),
    ("Cargo.toml", "", "[dev-dependencies]\na='1'", true, false),
    ("Cargo.toml", "[dev-dependencies]\na='1'", "[dev-dependencies]\na='2'", false, false),
    ("Cargo.toml", "[dev-dependencies]\na='1'", "", false, false),
    ("Cargo.toml", "[target.x.dev-dependencies]\na='1'", "[target.x.dev-dependencies]\na='2'", false, false),
    ("Cargo.toml", "[features]\na=[]", "[features]\nb=[]", false, true),
    // Where `autotests` is off, a file of tests has to be named.
    ("Cargo.toml", "", "[[test]]\nname='t'\npath='tests/t.rs'", true, false),
    ("Cargo.toml", "[[test]]\nname='a'", "[[test]]\nname='a'\n[[test]]\nname='b'\npath='b.rs'", true, false),
    ("Cargo.toml", "", "[[test]]\nname='t'\nharness=false", false, false),
    ("Cargo.toml", "[[test]]\nname='t'\npath='a.rs'", "[[test]]\nname='t'\npath='b.rs'", false, false),
    ("Cargo.toml", "[[test]]\nname='t'\npath='a.rs'", "", false, false),
    ("package.json", r#"{"dependencies":{"a":"1"}}"#, r#"{"dependencies":{"a":"1","b":"1"}}"#, false, true),
    ("package.json", r#"{"dependencies":{"a":"1"}}"#, r#"{"dependencies":{"a":"file:x"}}"#, false, false),
    (
        "package.json",
        r#"{"devDependencies":{"a":"1"}}"#,
        r#"{"devDependencies":{"a":"1","b":"1"}}"#,
        true,
        false,
    ),
    ("package.json", r#"{"devDependencies":{"a":"1"}}"#, r#"{"devDependencies":{}}"#, false, false),
    ("pyproject.toml", "[project]\ndependencies=['a']", "[project]\ndependencies=['a','b']", false, true),
    (
        "pyproject.toml",
        "[project]\ndependencies=['a']",
        "[project]\ndependencies=['a @ file:///x']",
        false,
        false,
    ),
    ("pyproject.toml", "[project]\ndependencies=['a','b']", "[project]\ndependencies=['a']", false, false),
    ("pyproject.toml", "[dependency-groups]\ndev=['a']", "[dependency-groups]\ndev=['a','b']", true, false),
    ("pyproject.toml", "[dependency-groups]\ndev=['a']", "[dependency-groups]\ndev=['a==1']", false, false),
    (
        "pyproject.toml",
        "[tool.poetry.dependencies]\na='1'",
        "[tool.poetry.dependencies]\na='2'",
        false,
        false,
    ),
    ("go.mod", "require a.b/c v1", "require (\na.b/c v1\nd.e/f v1\n)", true, true),
    ("go.mod", "require a.b/c v1", "require a.b/c v2", true, true),
    ("go.mod", "module m\nrequire a.b/c v1", "module m", false, false),
    ("go.mod", "module m", "module m\nexclude a.b/c v1", false, false),
];

#[test]
fn a_dependency_may_be_added_and_never_changed_or_removed() {
    for (file, before, after, writer, others) in EDITS.iter().copied() {
        let changes = changed_keys(file, Some(before.as_bytes()), Some(after.as_bytes())).unwrap();
        assert!(!changes.is_empty(), "{file}: {before} -> {after}");
        let may = |role| changes.iter().all(|change| may_change(role, file, change));
        let may = [may(TestWriter), may(Implementer), may(Refactorer)];
        assert_eq!(may, [writer, others, others], "{file}: {before} -> {after}: {changes:?}");
    }
}

/// File, before, after, the keys that differ.
const CHANGES: &[(&str, &str, &str, &[&str])] = &[
    ("Cargo.toml", "[package]\nname='a'", "# note\n[package]\nname = \"a\"", &[]),
    ("Cargo.toml", "", "[dependencies]\nserde='1'", &["dependencies.serde"]),
    (
        "a/b/Cargo.toml",
        "[dependencies]\nserde='1'",
        "[dependencies.serde]\nversion='1'",
        &["dependencies.serde"],
    ),
    ("Cargo.toml", "", "dev-dependencies.x.path='../x'", &["dev-dependencies.x"]),
    (
        "Cargo.toml",
        "",
        "[target.'cfg(unix)'.dev-dependencies]\nnix='1'",
        &["target.\"cfg(unix)\".dev-dependencies.nix"],
    ),
    ("Cargo.toml", "", "[profile.test]\nopt-level=3", &["profile.test"]),
    ("Cargo.toml", "", "[[test]]\nname='t'\nharness=false", &["test.t.harness", "test.t.name"]),
    ("Cargo.toml", "", "[[test]]\npath='x.rs'", &["test"]),
    (
        "Cargo.toml",
        "[[bin]]\nname='a'\n[[bin]]\nname='b'",
        "[[bin]]\nname='b'\ntest=false\n[[bin]]\nname='a'",
        &["bin.b.test"],
    ),
    ("Cargo.toml", "", "[workspace]", &["workspace"]),
    ("Cargo.toml", "[workspace]\nmembers=['a']", "[workspace]\nmembers=['a','b']", &["workspace.members"]),
    ("Cargo.toml", "[lib]\nname='x'", "[lib]\nname='x'\ntest=false", &["lib.test"]),
    ("Cargo.toml", "test=[]", "[[test]]\nname='t'", &["test"]),
    ("package.json", r#"{"a":1}"#, "\u{feff}{ \"a\": 1 }", &[]),
    (
        "package.json",
        r#"{"scripts":{"test":"node --test"}}"#,
        r#"{"scripts":{"test":"true"}}"#,
        &["scripts.test"],
    ),
    ("package.json", "{}", r#"{"dependencies":{"a":"1"},"type":"module"}"#, &["dependencies.a", "type"]),
    ("package.json", r#"{"jest":{"a":{"b":1}}}"#, r#"{"jest":{"a":{"b":2}}}"#, &["jest.a.b"]),
    ("package.json", r#"{"exports":{"./a.js":"x"}}"#, r#"{"exports":{}}"#, &["exports.\"./a.js\""]),
    (
        "pyproject.toml",
        "[project]\ndependencies=['flask']",
        "[project]\ndependencies=['requests>=2','Flask', 'Pytest_Mock[x] ; a']",
        &["project.dependencies.flask", "project.dependencies.pytest-mock", "project.dependencies.requests"],
    ),
    ("pyproject.toml", "", "[tool.pytest.ini_options]\naddopts='-k x'", &["tool.pytest.ini_options.addopts"]),
    ("pyproject.toml", "", "[dependency-groups]\ndev=['pytest']", &["dependency-groups.dev.pytest"]),
    (
        "pyproject.toml",
        "",
        "[tool.poetry.group.dev.dependencies]\npytest={version='8'}",
        &["tool.poetry.group.dev.dependencies.pytest"],
    ),
    (
        "go.mod",
        "module m\n\ngo 1.22\nrequire a.b/c v1 // indirect\n",
        "module m\ngo 1.22\nrequire (\n\ta.b/c v1\n\td.e/f v2\n)\nreplace a.b/c => ./x\n",
        &["replace.\"a.b/c\"", "require.\"d.e/f\""],
    ),
];

#[test]
fn only_what_differs_by_value_is_a_change() {
    for (file, before, after, want) in CHANGES {
        assert_eq!(&changed(file, before, after), want, "{file}: {before:?} -> {after:?}");
    }
}

#[test]
fn a_file_that_is_gone_or_unreadable_has_no_keys() {
    assert_eq!(changed_keys("Cargo.toml", Some(b""), None), Err(MixedError::Deleted));
    assert_eq!(changed_keys("Cargo.toml", None, None), Ok(vec![]));
    assert_eq!(changed_keys("Makefile", None, Some(b"")), Err(MixedError::NotMixed));
    let huge = vec![b' '; MAX_BYTES + 1];
    for (file, bytes) in [
        ("Cargo.toml", b"a = ".as_slice()),
        ("Cargo.toml", b"a=1\na=2"),
        ("Cargo.toml", b"\xff"),
        ("package.json", b"[]"),
        ("package.json", b"{"),
        ("package.json", b""),
        ("go.mod", b"require (\n"),
        ("go.mod", b")\n"),
        ("pyproject.toml", huge.as_slice()),
    ] {
        let outcome = changed_keys(file, None, Some(bytes));
        assert!(matches!(outcome, Err(MixedError::Unreadable(_))), "{file}: {outcome:?}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(changed_keys("package.json", None, Some(format!("{{\"a\":{deep}}}").as_bytes())).is_err());
    assert!(changed_keys("Cargo.toml", None, Some(format!("a={deep}").as_bytes())).is_err());
}

/// File, key, whether the test-writer may change it, whether the others may.
const KEYS: &[(&str, &str, bool, bool)] = &[
    ("Cargo.toml", "dev-dependencies.rstest", true, false),
    ("Cargo.toml", "dev-dependencies", true, false),
    ("Cargo.toml", "target.\"cfg(unix)\".dev-dependencies.nix", true, false),
    ("Cargo.toml", "dependencies.serde", false, true),
    ("Cargo.toml", "target.\"cfg(a.b)\".dependencies.x", false, true),
    ("Cargo.toml", "workspace.dependencies.serde", false, true),
    ("Cargo.toml", "features.default", false, true),
    ("Cargo.toml", "bin.shop.path", false, true),
    ("Cargo.toml", "bin.shop.test", false, false),
    ("Cargo.toml", "bin.\"a.b\".harness", false, false),
    ("Cargo.toml", "lib.name", false, true),
    ("Cargo.toml", "lib.path", false, false),
    ("Cargo.toml", "lib.test", false, false),
    ("Cargo.toml", "test.x.harness", false, false),
    ("Cargo.toml", "package.autotests", false, false),
    ("Cargo.toml", "package.description", false, true),
    ("Cargo.toml", "package.build", false, false),
    ("Cargo.toml", "profile.test", false, false),
    ("Cargo.toml", "patch.crates-io", false, false),
    ("Cargo.toml", "workspace", false, false),
    ("Cargo.toml", "workspace.members", false, false),
    ("Cargo.toml", "lints.clippy.all", false, false),
    ("package.json", "devDependencies.vitest", true, false),
    ("package.json", "dependencies.left-pad", false, true),
    ("package.json", "dependencies.vitest", false, false),
    ("package.json", "optionalDependencies.mocha", false, false),
    ("package.json", "scripts.test", false, false),
    ("package.json", "scripts.pretest", false, false),
    ("package.json", "type", false, false),
    ("package.json", "exports.\"./a\"", false, true),
    ("package.json", "version", false, true),
    ("package.json", "jest.testMatch", false, false),
    ("pyproject.toml", "dependency-groups.dev.pytest", true, false),
    ("pyproject.toml", "dependency-groups.docs.sphinx", false, false),
    ("pyproject.toml", "project.optional-dependencies.test.pytest", true, false),
    ("pyproject.toml", "project.optional-dependencies.web.flask", false, true),
    ("pyproject.toml", "tool.poetry.group.dev.dependencies.pytest", true, false),
    ("pyproject.toml", "tool.poetry.group.docs.dependencies.x", false, false),
    ("pyproject.toml", "tool.poetry.dependencies.flask", false, true),
    ("pyproject.toml", "tool.poetry.dependencies.pytest", false, false),
    ("pyproject.toml", "tool.uv.dev-dependencies.pytest", true, false),
    ("pyproject.toml", "project.dependencies.flask", false, true),
    ("pyproject.toml", "project.dependencies.pytest-shim", false, false),
    ("pyproject.toml", "project.dependencies", false, true),
    ("pyproject.toml", "project.entry-points.pytest11.x", false, false),
    ("pyproject.toml", "project.scripts.shop", false, true),
    ("pyproject.toml", "tool.pytest.ini_options.addopts", false, false),
    ("pyproject.toml", "tool.coverage.run.omit", false, false),
    ("pyproject.toml", "tool.setuptools.packages.find.where", false, true),
    ("pyproject.toml", "build-system.requires", false, false),
    ("go.mod", "require.\"a.b/c\"", true, true),
    ("go.mod", "replace.\"a.b/c\"", false, false),
    ("go.mod", "go.\"1.22\"", false, true),
    ("Cargo.toml", "bin", false, false),
    ("Cargo.toml", "bin.a", false, false),
    ("Cargo.toml", "dependencies", false, true),
    ("package.json", "dependencies", false, true),
    ("Makefile", "x", false, false),
];

#[test]
fn each_role_has_its_keys() {
    for (file, key, writer, others) in KEYS.iter().copied() {
        assert_eq!(may_change(TestWriter, file, &added(key)), writer, "test-writer {file} {key}");
        assert_eq!(may_change(Implementer, file, &added(key)), others, "implementer {file} {key}");
        assert_eq!(may_change(Refactorer, file, &added(key)), others, "refactorer {file} {key}");
    }
}

#[test]
fn keys_can_be_split_again() {
    for parts in [&["a", "b-c"] as &[&str], &["a.b", "c\"d", "e\\f", ""], &["x y"], &["@scope/name", "1"]] {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        assert_eq!(split(&join(&parts)), parts);
    }
    assert!(!join(&["a\nb\u{1b}".to_owned()]).contains(['\n', '\u{1b}']));
}

#[test]
fn ac_tdd_8_125_a_package_may_not_be_called_as_what_it_depends_on() {
    let old = r#"{"name":"shop","devDependencies":{"chai":"5"}}"#;
    for (name, new, want) in [
        ("package.json", r#"{"name":"chai","devDependencies":{"chai":"5"}}"#, true),
        ("package.json", r#"{"name":"chai","devDependencies":{}}"#, true),
        ("package.json", r#"{"name":"store","devDependencies":{"chai":"5"}}"#, false),
        ("package.json", old, false),
        ("other.json", r#"{"name":"chai","devDependencies":{"chai":"5"}}"#, false),
    ] {
        assert_eq!(takes_a_dependencys_name(name, Some(old.as_bytes()), Some(new.as_bytes())), want, "{new}");
    }
    // One that was called so before is as it was.
    let same = r#"{"name":"chai","devDependencies":{"chai":"5"}}"#.as_bytes();
    assert!(!takes_a_dependencys_name("package.json", Some(same), Some(same)));
}
