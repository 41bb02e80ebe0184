//! Imports that nothing uses without the tests that were cut out: in Go, a file that has one does not compile; in Python and
//! JavaScript, a name that is not there yet keeps a file from loading.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Language;
use crate::tree::Tree;

/// Those that are used in these pieces, and nowhere else.
pub(super) fn used_in_these_alone(tree: &Tree<'_>, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    match tree.language {
        Language::Rust => return Vec::new(),
        Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => {
            return names_in_lists(tree, pieces);
        }
        Language::Go => {}
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

/// The same of names that are imported one by one: of a list each by itself, and the statement where none is left.
fn names_in_lists(tree: &Tree<'_>, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_import = |at: usize| {
        matches!(tree.kind(at), "import_statement" | "import_from_statement")
            && tree.child_of_kind(at, "wildcard_import").is_none()
    };
    let statements: Vec<usize> = tree.all().filter(|at| is_import(*at)).collect();
    // They stand in order, none in another.
    let is_imported = |at: usize| {
        let before = statements.partition_point(|import| *import <= at);
        before.checked_sub(1).is_some_and(|import| at < tree.node(statements[import]).last)
    };
    let (mut gone, mut left) = (BTreeSet::new(), BTreeSet::new());
    for at in tree.all().filter(|at| tree.is_leaf(*at) && !is_imported(*at)) {
        let (begin, end) = (tree.node(at).begin, tree.node(at).end);
        let is_gone = pieces.iter().any(|piece| piece.start <= begin && end <= piece.end);
        if is_gone {
            gone.insert(tree.text(at))
        } else {
            left.insert(tree.text(at))
        };
    }
    let is_unused = |name: &usize| {
        let local = local_name(tree, *name);
        gone.contains(local) && !left.contains(local)
    };
    let mut found = Vec::new();
    for statement in statements {
        let names = names_in(tree, statement);
        let unused: Vec<bool> = names.iter().map(is_unused).collect();
        if !names.is_empty() && unused.iter().all(|unused| *unused) && has_no_other(tree, statement) {
            found.push(tree.node(statement).begin..tree.node(statement).end);
            continue;
        }
        for (at, name) in names.iter().enumerate().filter(|(at, _)| unused[*at]) {
            let is_kept_after = unused[at..].iter().any(|unused| !unused);
            let node = tree.node(*name);
            found.push(match (names.get(at + 1), at.checked_sub(1).and_then(|before| names.get(before))) {
                (Some(next), _) if is_kept_after => node.begin..tree.node(*next).begin,
                (_, Some(before)) => tree.node(*before).end..node.end,
                (_, None) => node.begin..node.end,
            });
        }
    }
    found
}

/// The names of an import's list.
fn names_in(tree: &Tree<'_>, statement: usize) -> Vec<usize> {
    if tree.language == Language::Python {
        return tree.children(statement).filter(|child| tree.node(*child).field == "name").collect();
    }
    let named = tree.span(statement).filter(|at| tree.kind(*at) == "import_specifier").collect::<Vec<_>>();
    if named.is_empty() {
        let clause = tree.child_of_kind(statement, "import_clause");
        return clause.into_iter().flat_map(|clause| tree.parts(clause)).collect();
    }
    named
}

/// Whether a statement brings nothing but the names of its list.
fn has_no_other(tree: &Tree<'_>, statement: usize) -> bool {
    let clause = tree.child_of_kind(statement, "import_clause");
    clause.is_none_or(|clause| tree.parts(clause).count() == 1)
}

/// What a name of a list is called in this file.
fn local_name<'s>(tree: &Tree<'s>, name: usize) -> &'s str {
    let alias = tree.child(name, "alias").map(|alias| tree.text(alias));
    alias.unwrap_or_else(|| {
        let own = tree.child(name, "name").unwrap_or(name);
        let text = tree.text(own);
        let text = text.strip_prefix("* as ").unwrap_or(text).trim();
        text.split('.').next().unwrap_or(text)
    })
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
