//! Imports that nothing uses without the tests that were cut out: in Go, a file that has one does not compile.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Language;
use crate::tree::Tree;

/// Those that are used in these pieces, and nowhere else.
pub(super) fn used_in_these_alone(tree: &Tree<'_>, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    if tree.language != Language::Go {
        return Vec::new();
    }
    let is_gone = |at: usize| {
        let (begin, end) = (tree.node(at).begin, tree.node(at).end);
        pieces.iter().any(|piece| piece.start <= begin && end <= piece.end)
    };
    let is_head = |around: usize| matches!(tree.kind(around), "import_spec" | "package_clause");
    let is_name = |at: &usize| matches!(tree.kind(*at), "identifier" | "package_identifier");
    let names = tree.all().filter(is_name).filter(|at| !tree.ancestors(*at).any(is_head));
    let (gone, left): (Vec<usize>, Vec<usize>) = names.partition(|at| is_gone(*at));
    let texts = |all: Vec<usize>| all.into_iter().map(|at| tree.text(at)).collect::<BTreeSet<_>>();
    let (gone, left) = (texts(gone), texts(left));
    let is_unused = |at: &usize| {
        let names = names_of(tree, *at);
        names.iter().any(|name| gone.contains(name)) && !names.iter().any(|name| left.contains(name))
    };
    let specs = tree.all().filter(|at| tree.kind(*at) == "import_spec");
    let unused: Vec<usize> = specs.filter(is_unused).collect();
    let piece = |at: &usize| {
        let list = tree.node(*at).parent;
        let mut all = tree.parts(list).filter(|part| tree.kind(*part) == "import_spec");
        // Without parentheses it is the declaration's own.
        let is_all = tree.kind(list) == "import_declaration" || all.all(|spec| unused.contains(&spec));
        let declaration = tree.ancestors(*at).find(|around| tree.kind(*around) == "import_declaration");
        let whole = declaration.filter(|_| is_all).unwrap_or(*at);
        tree.node(whole).begin..tree.node(whole).end
    };
    unused.iter().map(piece).collect()
}

/// What a package may be called in this file: what it is called there, else what its path tells, such as
/// `yaml` of `gopkg.in/yaml.v3` and `pgx` of `github.com/jackc/pgx/v5`.
fn names_of<'t>(tree: &Tree<'t>, spec: usize) -> Vec<&'t str> {
    if let Some(name) = tree.child(spec, "name") {
        return vec![tree.text(name)];
    }
    let Some(path) = tree.child(spec, "path") else { return Vec::new() };
    let mut parts = tree.text(path).trim_matches(['"', '`']).rsplit('/');
    let Some(last) = parts.next() else { return Vec::new() };
    let is_version = |part: &str| {
        let number = part.strip_prefix('v');
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let name = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let plain = name.split('.').next().unwrap_or(name);
    let behind = plain.rsplit('-').next().unwrap_or(plain);
    let before = plain.split('-').next().unwrap_or(plain);
    vec![last, plain, behind, before]
}
