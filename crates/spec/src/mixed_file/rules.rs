//! Which role may change which keys: one table an ecosystem.
//!
//! A pattern is a dotted key; `*` stands for one part, or for the rest of one at its end
//! (`pytest*`). A pattern stands for the key and for all below it.

use super::{Format, KeyChangeKind};
use tdd_core::role::Role;

/// What an ecosystem lets whom change.
struct Table {
    /// What the test-writer may add, and may not change or remove.
    additions: &'static [&'static str],
    /// All that the test-writer may change.
    development: &'static [&'static str],
    /// What the implementer and the refactorer may not change.
    protected: &'static [&'static str],
    /// Exceptions to `protected`.
    free: &'static [&'static str],
}

const CARGO: Table = Table {
    // Where tests are not found by their place, a new file of tests is none before it is named. It
    // runs as all others do: whoever brings a harness of his own decides what a pass is.
    additions: &["test.*.name", "test.*.path", "test.*.required-features"],
    development: &[
        "dev-dependencies",
        "dev_dependencies",
        "target.*.dev-dependencies",
        "target.*.dev_dependencies",
    ],
    protected: &[
        "dev-dependencies",
        "dev_dependencies",
        "target.*.dev-dependencies",
        "target.*.dev_dependencies",
        "test",
        "bench",
        "lib.test",
        "lib.harness",
        "lib.path",
        "lib.doctest",
        "bin.*.test",
        "bin.*.harness",
        "bin.*.doctest",
        "example.*.test",
        "example.*.harness",
        "package.autotests",
        "package.autobenches",
        "package.autolib",
        "package.build",
        "package.links",
        "package.workspace",
        "profile",
        "patch",
        "replace",
        "lints",
        "workspace",
        "cargo-features",
    ],
    free: &["workspace.dependencies", "workspace.package.version"],
};

const NODE: Table = Table {
    additions: &[],
    development: &["devDependencies"],
    protected: &[
        "devDependencies",
        "scripts",
        "type",
        "imports",
        "jest",
        "vitest",
        "ava",
        "mocha",
        "tap",
        "nyc",
        "c8",
        "tsd",
        "babel",
        "postcss",
        "eslintConfig",
        "prettier",
        "stylelint",
        "xo",
        "standard",
        "husky",
        "lint-staged",
        "config",
        "engines",
        "packageManager",
        "volta",
        "workspaces",
        "overrides",
        "resolutions",
        "pnpm",
        // A runtime dependency of a runner's name would take the runner's place.
        "*ependencies.jest*",
        "*ependencies.@jest/*",
        "*ependencies.vitest*",
        "*ependencies.@vitest/*",
        "*ependencies.mocha*",
        "*ependencies.chai*",
        "*ependencies.ava",
        "*ependencies.tap",
        "*ependencies.tsx",
        "*ependencies.ts-node",
    ],
    free: &[],
};

const PYTHON: Table = Table {
    additions: &[],
    development: &[
        "dependency-groups.dev",
        "dependency-groups.test",
        "dependency-groups.tests",
        "dependency-groups.testing",
        "project.optional-dependencies.dev",
        "project.optional-dependencies.test",
        "project.optional-dependencies.tests",
        "project.optional-dependencies.testing",
        "tool.poetry.dev-dependencies",
        "tool.poetry.group.dev.dependencies",
        "tool.poetry.group.test.dependencies",
        "tool.uv.dev-dependencies",
        "tool.pdm.dev-dependencies",
        "tool.rye.dev-dependencies",
    ],
    protected: &[
        "build-system",
        "dependency-groups",
        "project.optional-dependencies.dev",
        "project.optional-dependencies.test*",
        "project.entry-points.pytest11",
        "project.requires-python",
        "project.dependencies.pytest*",
        "project.dependencies.pluggy",
        "project.dependencies.coverage",
        // Most tools of this table decide how tests, types and style are checked.
        "tool",
    ],
    free: &[
        "tool.poetry.dependencies",
        "tool.poetry.extras",
        "tool.poetry.packages",
        "tool.poetry.scripts",
        "tool.poetry.version",
        "tool.poetry.include",
        "tool.setuptools.packages",
        "tool.setuptools.package-data",
        "tool.setuptools.package-dir",
        "tool.setuptools.py-modules",
        "tool.hatch.build.targets",
        "tool.hatch.version",
        "tool.flit.module",
    ],
};

/// Go knows no development dependencies: what a test requires is required.
const GO: Table = Table {
    additions: &[],
    development: &["require"],
    protected: &["module", "replace", "exclude", "toolchain", "godebug", "tool", "ignore"],
    free: &[],
};

pub(super) fn may_change(format: Format, role: Role, (key, kind): (&[String], KeyChangeKind)) -> bool {
    let table = match format {
        Format::Cargo => &CARGO,
        Format::Node => &NODE,
        Format::Python => &PYTHON,
        Format::Go => &GO,
    };
    match role {
        Role::TestWriter => {
            any(table.development, key) || (kind == KeyChangeKind::Added && any(table.additions, key))
        }
        Role::Implementer | Role::Refactorer | Role::Fixer => {
            // A runner that poetry would install from the runtime list takes the runner's place.
            let is_runner =
                any(&["tool.poetry.dependencies.pytest*", "tool.poetry.dependencies.pluggy"], key);
            let holds_protected = table.protected.iter().any(|pattern| is_above(key, pattern));
            !is_runner && (any(table.free, key) || !(any(table.protected, key) || holds_protected))
        }
    }
}

fn any(patterns: &[&str], key: &[String]) -> bool {
    patterns.iter().any(|pattern| covers(pattern, key))
}

/// Whether a pattern stands for a key: each of its parts for one part of the key, from the left.
fn covers(pattern: &str, key: &[String]) -> bool {
    let mut parts = key.iter();
    pattern.split('.').all(|wanted| parts.next().is_some_and(|part| fits(wanted, part)))
}

/// Whether a key that differs as a whole (a table became a value, a list lost its names) may hide
/// a change of a protected key below it. Lists of dependencies are spared: emptied ones are common.
fn is_above(key: &[String], pattern: &str) -> bool {
    let wanted: Vec<&str> = pattern.split('.').collect();
    key.len() < wanted.len()
        && !key.last().is_some_and(|last| last.ends_with("ependencies"))
        && key.iter().zip(wanted).all(|(part, wanted)| fits(wanted, part))
}

fn fits(wanted: &str, part: &str) -> bool {
    match wanted.split_once('*') {
        None => wanted == part,
        Some((start, end)) => {
            part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end)
        }
    }
}
