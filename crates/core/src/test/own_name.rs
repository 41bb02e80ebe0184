//! What of a test's id goes along when it moves.

use super::TestId;

impl TestId {
    /// What it is called wherever it lies: without its file, the modules around it, and, of an example in
    /// documentation, what leads to it.
    ///
    /// ```text
    /// src/lib.rs::tests::adds             adds
    /// src/lib.rs::doctest of one #1       one #1       src/kept.rs::doctest of kept::one #1    one #1
    /// shop/core.py::shop.core.Cart.total  Cart.total   shop/kept.py::shop.kept.Cart.total      Cart.total
    /// ```
    pub fn own_name(&self) -> &str {
        let Some((before, name)) = self.0.rsplit_once("::") else { return &self.0 };
        let module = before.strip_suffix(".py").map(|path| path.strip_suffix("/__init__").unwrap_or(path));
        let below = module.and_then(|module| {
            let leads_there = |at: &usize| {
                let path = name[..*at].replace('.', "/");
                module == path || module.ends_with(&format!("/{path}"))
            };
            name.match_indices('.').map(|(at, _)| at).rfind(leads_there)
        });
        match below {
            Some(at) => &name[at + 1..],
            None => name.strip_prefix("doctest of ").unwrap_or(name),
        }
    }
}
