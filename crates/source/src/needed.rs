//! The packages that a source can't be loaded without.
//!
//! Named as they are imported: in JavaScript that is the package's own name; a package of Python that is imported by
//! another name than it is installed by (`yaml` of `pyyaml`) is missed. Cargo and Go ask themselves.

use std::collections::BTreeSet;

use super::Language;
use super::imports::imports;
use super::tree::Tree;

/// The packages that a source imports, whatever happens: not in `try` or a condition, and not for types alone.
pub fn needed_packages(language: Language, source: &str) -> BTreeSet<String> {
    let Ok(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let is_sure = |at: usize| {
        let erased = ["import type", "export type"].iter().any(|erased| tree.text(at).starts_with(erased));
        !erased && !tree.ancestors(at).any(|around| may_do_without(&tree, around))
    };
    let sure = imports(&tree).into_iter().filter(|import| is_sure(import.at));
    sure.filter_map(|import| package(language, &import.from)).collect()
}

/// Whether what stands in it may be left out: `with contextlib.suppress(ImportError):` is such a place as well.
fn may_do_without(tree: &Tree<'_>, around: usize) -> bool {
    match tree.kind(around) {
        "try_statement" | "if_statement" => true,
        "with_statement" => tree
            .child_of_kind(around, "with_clause")
            .is_some_and(|with| tree.text(with).contains("suppress(")),
        _ => false,
    }
}

/// The package that something is imported from.
fn package(language: Language, from: &str) -> Option<String> {
    match language {
        Language::Python => {
            let root = from.split([':', '.']).next()?;
            (!root.is_empty()).then(|| root.to_ascii_lowercase().replace('_', "-"))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let is_path = from.starts_with(['.', '/', '#']) || from.contains(':');
            let parts = if from.starts_with('@') { 2 } else { 1 };
            let name = from.split('/').take(parts).collect::<Vec<_>>().join("/");
            (!is_path && !name.is_empty()).then_some(name)
        }
        Language::Go | Language::Rust => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_169_what_a_source_needs_is_no_path_no_type_and_nothing_that_it_can_do_without() {
        use Language::{JavaScript, Python, Rust, TypeScript};
        for (language, source, want) in [
            (Python, "import os.path, my_pkg.sub as s\nfrom .own import a\n", "my-pkg, os"),
            (Python, "def f():\n    from hypothesis import settings\n", "hypothesis"),
            (Python, "try:\n    import rich\nexcept ImportError:\n    rich = None\n", ""),
            (Python, "with contextlib.suppress(ImportError):\n    import rich\n", ""),
            (Python, "with open(x):\n    import rich\n", "rich"),
            (Python, "if TYPE_CHECKING:\n    import rich\n", ""),
            (
                JavaScript,
                "import a from 'a/sub';\nimport './own.js';\nconst { b } = require('@x/b/c');\n",
                "@x/b, a",
            ),
            (JavaScript, "import fs from 'node:fs';\nimport x from '#own';\n", ""),
            (TypeScript, "import type { A } from 'a';\nimport { b } from 'b';\n", "b"),
            (Rust, "use rand::Rng;\n", ""),
        ] {
            let found: Vec<String> = needed_packages(language, source).into_iter().collect();
            assert_eq!(found.join(", "), want, "{source}");
        }
    }
}
