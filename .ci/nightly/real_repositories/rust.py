"""Repositories in Rust."""

from .repository import Cheats, Edit, Repository
from .sources import Crate

MEMBERS = (
    ("globset", "globset", "0.4.15"),
    ("grep", "grep", "0.3.2"),
    ("cli", "grep-cli", "0.1.11"),
    ("matcher", "grep-matcher", "0.1.7"),
    ("pcre2", "grep-pcre2", "0.1.8"),
    ("printer", "grep-printer", "0.2.2"),
    ("regex", "grep-regex", "0.1.13"),
    ("searcher", "grep-searcher", "0.1.14"),
    ("ignore", "ignore", "0.4.23"),
)

REPOSITORIES = (
    Repository(
        name="semver",
        language="rust",
        stands_for="a crate with integration tests and doctests",
        sources=(("", Crate("semver", "1.0.23")),),
        install=("cargo generate-lockfile --quiet",),
        runner="cargo",
        plain="cargo test",
        code="src/lib.rs",
        tests="tests/ac_real_1_{n}.rs",
        imports="use semver::{name};",
        cheats=Cheats(
            weaken=Edit("tests/test_version.rs", 'assert_to_string(err, "empty identifier segment in build metadata");', "let _ = err;"),
            delete="tests/test_identifier.rs",
            breaks=Edit("src/eval.rs", "if ver.major != cmp.major {\n        return false;", "if ver.major != cmp.major {\n        return true;"),
        ),
        fault=Edit("src/eval.rs", "if ver.major != cmp.major {\n        return false;", "if ver.major != cmp.major {\n        return true;"),
        ratio=True,
    ),
    Repository(
        name="bytes",
        language="rust",
        stands_for="a crate with unit tests, test files and doctests",
        sources=(("", Crate("bytes", "1.7.2")),),
        install=("cargo generate-lockfile --quiet",),
        runner="cargo",
        plain="cargo test",
        code="src/lib.rs",
        tests="tests/ac_real_1_{n}.rs",
        imports="use bytes::{name};",
    ),
    Repository(
        name="ripgrep",
        language="rust",
        stands_for="a cargo workspace whose root is a package, a monorepo of ten crates",
        sources=(
            ("", Crate("ripgrep", "14.1.1")),
            *((f"crates/{folder}", Crate(name, version)) for folder, name, version in MEMBERS),
        ),
        install=("cargo fetch --quiet",),
        runner="cargo",
        plain="cargo test --workspace",
        code="crates/globset/src/lib.rs",
        tests="crates/globset/tests/ac_real_1_{n}.rs",
        imports="use globset::{name};",
        minutes=40,
    ),
    Repository(
        name="smallvec",
        language="rust",
        stands_for="a crate with its tests in its sources",
        sources=(("", Crate("smallvec", "1.13.2")),),
        install=("cargo generate-lockfile --quiet",),
        runner="cargo",
        plain="cargo test",
        code="src/lib.rs",
        tests="tests/ac_real_1_{n}.rs",
        imports="use smallvec::{name};",
    ),
)
