//! Which modules of JavaScript and TypeScript are a project's own, by what an error calls them.

use std::borrow::Cow;

/// What tells the project's own modules from those of others.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    /// Absolute, without a slash at its end. A module within it, less `node_modules`, is its own.
    pub root: &'a str,
    /// What a specifier of the project's own may begin with beside `./`: `/` where the runner takes
    /// paths from the root (vite), `@/`, `#`.
    pub aliases: &'a [&'a str],
    /// Folders in the root of the file system that the project has none like: what lies in one of them is no path
    /// from the project's root.
    pub outside: &'a [String],
}

/// A specifier or a path of the project's own, without its root. One that lies in the root itself keeps a sign of being
/// a path: `shop.js` alone would read as a member `js` of `shop`.
pub(super) fn own_module<'a>(path: &'a str, project: &Project<'_>) -> Option<Cow<'a, str>> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if path.split('/').any(|part| part == "node_modules") {
        return None;
    }
    if let Some(within) = path.strip_prefix(project.root).and_then(|rest| rest.strip_prefix('/')) {
        return Some(if within.contains('/') { within.into() } else { format!("./{within}").into() });
    }
    let first = path.strip_prefix('/').and_then(|path| path.split('/').next());
    if first.is_some_and(|first| project.outside.iter().any(|folder| folder == first)) {
        return project
            .aliases
            .iter()
            .any(|alias| alias.len() > 1 && path.starts_with(alias))
            .then(|| path.into());
    }
    let relative = path.starts_with("./") || path.starts_with("../") || matches!(path, "." | "..");
    (relative || project.aliases.iter().any(|alias| path.starts_with(alias))).then(|| path.into())
}
