//! What a source declares at its top, piece by piece, each with the names that stand in it: which of a helper's
//! functions a test takes part in.

use std::collections::BTreeSet;

use super::Language;
use super::symbols::home_of;
use super::tree::{Tree, is_name};

/// One thing at the top of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// What it declares, members included; nothing, if it is a statement.
    pub names: BTreeSet<String>,
    /// All names that stand in it.
    pub words: BTreeSet<String>,
    pub part: Part,
}

/// Whose a piece is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    #[default]
    OfWhoUsesIt,
    /// Runs, or is checked by the compiler, with every test of its package: `TestMain`, `init`, `var _ T = …` of Go.
    OfAll,
}

/// The pieces of a source, without its imports; none of one that can't be read.
pub fn pieces(language: Language, source: &str) -> Vec<Piece> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let mut found = Vec::new();
    for top in tree.parts(0) {
        match tree.kind(top) {
            // Each spec of a group is used by itself.
            "var_declaration" | "const_declaration" | "type_declaration" => {
                let is_spec = |at: &usize| {
                    matches!(tree.kind(*at), "var_spec" | "const_spec" | "type_spec" | "type_alias")
                };
                found.extend(tree.span(top).filter(is_spec).map(|at| piece(&tree, at)));
            }
            "package_clause"
            | "import_declaration"
            | "import_statement"
            | "import_from_statement"
            | "use_declaration" => {}
            // Handed on by a name that whoever takes it says itself.
            "export_statement" if tree.child(top, "source").is_some() => {}
            _ => found.push(piece(&tree, top)),
        }
    }
    found
}

/// What of a piece no one uses by its name.
const UNCALLED: [&str; 3] = ["TestMain", "init", "_"];

fn piece(tree: &Tree<'_>, top: usize) -> Piece {
    let mut piece = Piece::default();
    for at in tree.span(top).filter(|at| is_name(tree.kind(*at))) {
        piece.words.insert(tree.text(at).to_owned());
        if home_of(tree, at).is_some() {
            piece.names.insert(tree.text(at).to_owned());
        }
    }
    if tree.language == Language::Go && UNCALLED.iter().any(|name| piece.names.contains(*name)) {
        piece.part = Part::OfAll;
    }
    piece
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, source: &str) -> Vec<(String, bool, Part)> {
        let uses = |piece: &Piece| piece.words.contains("double");
        let name = |piece: &Piece| piece.names.iter().cloned().collect::<Vec<_>>().join(" ");
        let pieces = pieces(language, source);
        let named = pieces.iter().filter(|piece| !piece.names.is_empty());
        named.map(|piece| (name(piece), uses(piece), piece.part)).collect()
    }

    #[test]
    fn each_piece_has_its_own_names() {
        use Part::{OfAll, OfWhoUsesIt};
        let go = "package shop\n\nimport \"testing\"\n\nfunc a(x int) int { return double(x) }\n\nfunc b() {}\n\n\
                  var (\n\tc = double\n\td = 1\n)\n\nvar _ Rater = fake{}\n\nfunc TestMain(m *testing.M) { double(1) }\n\n\
                  func (w world) e() int { return double(2) }\n\nfunc init() {}\n";
        let want = [
            ("a", true, OfWhoUsesIt),
            ("b", false, OfWhoUsesIt),
            ("c", true, OfWhoUsesIt),
            ("d", false, OfWhoUsesIt),
            ("_", false, OfAll),
            ("TestMain", true, OfAll),
            ("e", true, OfWhoUsesIt),
            ("init", false, OfAll),
        ];
        let want = want.map(|(name, uses, part)| (name.to_owned(), uses, part));
        assert_eq!(found(Language::Go, go), want);
        for (language, source) in [
            (Language::Rust, "use shop::double;\n\npub fn a() -> i32 {\n    double(1)\n}\n\npub fn b() {}\n"),
            (
                Language::Python,
                "import os\nfrom shop import double\n\n\ndef a():\n    return double(1)\n\n\ndef b():\n    pass\n",
            ),
            (
                Language::JavaScript,
                "import { double } from '../src/shop.js';\nexport { double } from '../src/shop.js';\n\nexport const a = () => double(1);\nexport function b() {}\n",
            ),
        ] {
            let want = [("a".to_owned(), true, OfWhoUsesIt), ("b".to_owned(), false, OfWhoUsesIt)];
            assert_eq!(found(language, source), want, "{language:?}");
        }
    }
}
