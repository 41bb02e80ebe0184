//! Whether what a test misses stood in the project before the test was written: then no new code
//! is asked for, and the test asks for the old in the wrong way (contract section 7).

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::classify::absent_name;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::test::{Failure, FailureKind, Outcome, TestReport};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::Work;

/// Sources that are read for one name.
const READ_CAP: usize = 64;
/// Modules that packages of another name bring; a package in lower case, with `-` for `_`.
const BROUGHT_BY: [(&str, &str); 12] = [
    ("cv2", "opencv-"),
    ("yaml", "pyyaml"),
    ("PIL", "pillow"),
    ("sklearn", "scikit-learn"),
    ("skimage", "scikit-image"),
    ("bs4", "beautifulsoup4"),
    ("dateutil", "python-dateutil"),
    ("dotenv", "python-dotenv"),
    ("attr", "attrs"),
    ("serial", "pyserial"),
    ("Crypto", "pycryptodome"),
    ("jwt", "pyjwt"),
];

/// What is looked for, and where it would stand.
struct Wanted {
    /// Ends of paths, without the project's root: `shop/core.py`.
    files: Vec<String>,
    /// `None`: the file itself is what is missing.
    name: Option<String>,
    owner: Option<String>,
}

impl<W: World> Drive<'_, W> {
    /// For each file the absent names of its missing tests that were declared in `base`.
    pub(super) fn find_existing(
        &mut self,
        base: &CheckpointId,
        report: &TestReport,
    ) -> Result<BTreeMap<RelPath, BTreeSet<String>>, Trouble> {
        let mut asked: BTreeSet<(RelPath, String)> = BTreeSet::new();
        let missing = |failure: &Failure| {
            let is_so = failure.kind == FailureKind::Missing;
            failure.all_absent().filter(|_| is_so).cloned().collect::<Vec<String>>()
        };
        for test in &report.tests {
            if let (Outcome::Failed(failure), Some(file)) = (&test.outcome, &test.file) {
                asked.extend(missing(failure).into_iter().map(|absent| (file.clone(), absent)));
            }
        }
        for load in &report.load_failures {
            asked.extend(missing(&load.failure).into_iter().map(|absent| (load.file.clone(), absent)));
        }
        let mut existing: BTreeMap<RelPath, BTreeSet<String>> = BTreeMap::new();
        if asked.is_empty() {
            return Ok(existing);
        }
        let files = self.ports.checkpoints.files(base)?;
        for (file, absent) in asked {
            if self.existed(base, &files, (&file, &absent))? {
                existing.entry(file).or_default().insert(absent);
            }
        }
        Ok(existing)
    }

    /// For each file that does not load because something is absent: what else it takes by name from the same
    /// module, or from another file by its path, and is not there. A runner stops at the first.
    pub(super) fn find_absent_too(
        &mut self,
        work: &Work,
        report: &TestReport,
    ) -> Result<BTreeMap<RelPath, BTreeSet<String>>, Trouble> {
        let mut found: BTreeMap<RelPath, BTreeSet<String>> = BTreeMap::new();
        let files = if report.load_failures.is_empty() {
            Vec::new()
        } else {
            self.ports.checkpoints.files(&work.base)?
        };
        for load in &report.load_failures {
            let Some(absent) =
                load.failure.absent.as_deref().filter(|_| load.failure.kind == FailureKind::Missing)
            else {
                continue;
            };
            let Some(language) = Language::of(load.file.extension()) else { continue };
            let source = self.source(&work.after, &load.file)?.unwrap_or_default();
            let beside = tdd_source::asked_for(language, &source).into_iter();
            let is_near = |name: &String| name.starts_with('.') && language.is_javascript();
            let is_told = |name: &String| is_near(name) || module_of(name) == module_of(absent);
            for name in beside.filter(|name| name != absent && is_told(name)) {
                if !self.existed(&work.base, &files, (&load.file, &name))? {
                    found.entry(load.file.clone()).or_default().insert(name);
                }
            }
        }
        Ok(found)
    }

    /// For each file of Python that does not load: the first module that it imports, and that is neither a file or
    /// folder of the project nor named by a manifest.
    pub(super) fn find_nowhere(
        &mut self,
        work: &Work,
        report: &TestReport,
    ) -> Result<BTreeMap<RelPath, (String, u32)>, Trouble> {
        let mut asked: Vec<(RelPath, Vec<(String, u32)>)> = Vec::new();
        for load in report.load_failures.iter().filter(|load| load.file.extension() == "py") {
            let source = self.source(&work.after, &load.file)?.unwrap_or_default();
            asked.push((load.file.clone(), tdd_source::modules(Language::Python, &source)));
        }
        asked.retain(|(_, modules)| !modules.is_empty());
        if asked.is_empty() {
            return Ok(BTreeMap::new());
        }
        let files = self.ports.checkpoints.files(&work.after)?;
        let spelt = |name: &str| name.to_lowercase().replace('_', "-");
        let mut manifests = String::new();
        for file in files.iter().filter(|file| is_manifest(file)).take(READ_CAP) {
            manifests.push_str(&spelt(&self.source(&work.base, file)?.unwrap_or_default()));
        }
        let parts: BTreeSet<&str> = files.iter().flat_map(|file| file.as_str().split('/')).collect();
        let is_brought =
            |name: &str| BROUGHT_BY.iter().any(|(module, by)| *module == name && manifests.contains(by));
        let is_known = |name: &str| {
            is_brought(name)
                || parts.contains(name)
                || parts.contains(format!("{name}.py").as_str())
                || manifests.contains(&spelt(name))
        };
        let nowhere = asked.into_iter().filter_map(|(file, modules)| {
            Some((file, modules.into_iter().find(|(name, _)| !is_known(name))?))
        });
        Ok(nowhere.collect())
    }

    pub(super) fn existed(
        &mut self,
        base: &CheckpointId,
        files: &[RelPath],
        asked: (&RelPath, &str),
    ) -> Result<bool, Trouble> {
        let (file, absent) = asked;
        let Some(language) = Language::of(file.extension()) else { return Ok(false) };
        if language == Language::Python && !absent.contains('.') {
            return Ok(self.is_module_of_the_project(files, absent));
        }
        let Some(wanted) = wanted(language, file, absent) else { return Ok(false) };
        let is_it = |path: &&RelPath| {
            let fits = |end: &String| stands_at(path, end);
            wanted.files.iter().any(fits) && self.policy.classify(path) == FileClass::Source
        };
        let candidates: Vec<RelPath> = files.iter().filter(is_it).take(READ_CAP).cloned().collect();
        let Some(name) = &wanted.name else { return Ok(!candidates.is_empty()) };
        for path in candidates {
            let Some(language) = Language::of(path.extension()) else { continue };
            let source = self.source(base, &path)?.unwrap_or_default();
            if tdd_source::declares(language, &source, wanted.owner.as_deref(), name) == Ok(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A module that lies in the project's own folder and is not found (`pytest` does not look there, `python3 -m
    /// pytest` does) can't be written. One of its name in a folder is another one.
    fn is_module_of_the_project(&self, files: &[RelPath], module: &str) -> bool {
        let project = &self.state.run.project;
        let folder = if project.is_empty() { String::new() } else { format!("{project}/") };
        let places = [format!("{folder}{module}.py"), format!("{folder}{module}/__init__.py")];
        let is_it = |path: &&RelPath| places.iter().any(|place| path.as_str() == place);
        files.iter().filter(is_it).any(|path| self.policy.classify(path) == FileClass::Source)
    }
}

/// A file that names what a project of Python depends on.
fn is_manifest(file: &RelPath) -> bool {
    let name = file.file_name();
    let of_requirements = name.contains("requirements") && file.extension() == "txt";
    of_requirements
        || matches!(
            name,
            "pyproject.toml"
                | "setup.py"
                | "setup.cfg"
                | "Pipfile"
                | "tox.ini"
                | "uv.lock"
                | "poetry.lock"
                | "environment.yml"
        )
}

/// Where a name stands, as it is spelt: all before its last part.
fn module_of(name: &str) -> &str {
    let end = ["#", "::", "."].into_iter().find_map(|between| name.rfind(between));
    end.map_or(name, |end| &name[..end])
}

/// Whether a path ends so; `folder/*.go` is any file of Go right in that folder.
fn stands_at(path: &RelPath, end: &str) -> bool {
    let path = path.as_str();
    if let Some(folder) = end.strip_suffix("*.go") {
        let Some((around, name)) = path.rsplit_once('/') else { return folder.is_empty() };
        let here = format!("{around}/");
        let is_go = name.rsplit('.').next() == Some("go");
        return is_go && (here == folder || here.ends_with(&format!("/{folder}")));
    }
    path == end || path.ends_with(&format!("/{end}"))
}

/// Where a name would stand, as far as what the runner says tells it; `None` where it does not.
fn wanted(language: Language, file: &RelPath, absent: &str) -> Option<Wanted> {
    match language {
        Language::Python => python(absent),
        Language::Rust => rust(absent),
        Language::Go => go(file, absent),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(file, absent),
    }
}

/// `shop.core` and `shop.core.total` can't be told apart: the first is a file, or a name in one.
fn python(absent: &str) -> Option<Wanted> {
    let (module, name) = absent.rsplit_once('.').unwrap_or((absent, ""));
    let as_files = |module: &str| {
        let path = module.replace('.', "/");
        vec![format!("{path}.py"), format!("{path}/__init__.py")]
    };
    // A class and its attribute look the same, and attributes are made at run time.
    if name.is_empty() || module.contains(char::is_uppercase) {
        return None;
    }
    Some(Wanted { files: as_files(module), name: Some(name.to_owned()), owner: None })
}

/// `shop::c2` stands in the crate's root, `shop::a::f` in the file of the module `a`.
fn rust(absent: &str) -> Option<Wanted> {
    let parts: Vec<&str> = absent.split("::").map(str::trim).collect();
    let [_, modules @ .., name] = parts.as_slice() else { return None };
    let files = if modules.is_empty() {
        vec!["src/lib.rs".to_owned(), "src/main.rs".to_owned()]
    } else {
        let path = modules.join("/");
        vec![format!("src/{path}.rs"), format!("src/{path}/mod.rs")]
    };
    Some(Wanted { files, name: Some((*name).to_owned()), owner: None })
}

/// `F` stands in the test's own folder, `core.F` in a folder of that name, `T.Add` is a member.
fn go(file: &RelPath, absent: &str) -> Option<Wanted> {
    let (folder, _) = file.as_str().rsplit_once('/').unwrap_or(("", file.as_str()));
    let parts: Vec<&str> = absent.split('.').collect();
    let of = |folder: &str| vec![format!("{folder}/*.go").trim_start_matches('/').to_owned()];
    let member = |files, owner: &str, name: &str| {
        Some(Wanted { files, name: Some(name.to_owned()), owner: Some(owner.to_owned()) })
    };
    match parts.as_slice() {
        [name] if !absent.contains('/') => {
            Some(Wanted { files: of(folder), name: Some((*name).to_owned()), owner: None })
        }
        [owner, name] if owner.starts_with(char::is_uppercase) => member(of(folder), owner, name),
        [package, name] if !absent.contains('/') => {
            Some(Wanted { files: of(package), name: Some((*name).to_owned()), owner: None })
        }
        [package, owner, name] if !absent.contains('/') => member(of(package), owner, name),
        _ => None,
    }
}

/// `../src/core.mjs#total`, and a module alone.
fn script(file: &RelPath, absent: &str) -> Option<Wanted> {
    let (module, name) = match absent.split_once('#') {
        Some((module, name)) => (module, Some(name.to_owned())),
        None if absent.contains('/') => (absent, None),
        None => return None,
    };
    let (folder, _) = file.as_str().rsplit_once('/').unwrap_or(("", ""));
    let mut path: Vec<&str> = Vec::new();
    if module.starts_with('.') {
        path.extend(folder.split('/').filter(|part| !part.is_empty()));
    }
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(path.pop()),
            _ => path.push(part),
        }
    }
    let stem = path.join("/");
    let endings =
        ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", "/index.js", "/index.ts"];
    let files = endings.iter().map(|ending| format!("{stem}{ending}")).collect();
    // A name of which nothing is left has no place.
    let is_named = name.as_deref().is_none_or(|name| !absent_name(name).is_empty());
    (is_named && !stem.is_empty()).then_some(Wanted { files, name, owner: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_where_it_would_stand() {
        use Language::{Go, JavaScript, Python, Rust};
        for (language, file, absent, first, name, owner) in [
            (Python, "tests/a.py", "shop.core.total", "shop/core.py", Some("total"), None),
            (Python, "tests/a.py", "shop.c2", "shop.py", Some("c2"), None),
            (Rust, "tests/a.rs", "shop::c2", "src/lib.rs", Some("c2"), None),
            (Rust, "tests/a.rs", "shop::a::b::f", "src/a/b.rs", Some("f"), None),
            (Go, "core/a_test.go", "F2", "core/*.go", Some("F2"), None),
            (Go, "core/a_test.go", "T.Add", "core/*.go", Some("Add"), Some("T")),
            (Go, "x/a_test.go", "core.T.Add", "core/*.go", Some("Add"), Some("T")),
            (JavaScript, "test/a.mjs", "../src/core.mjs#nope", "src/core.mjs", Some("nope"), None),
            (JavaScript, "test/a.mjs", "./c1", "test/c1", None, None),
            (JavaScript, "test/a.mjs", "src/c1.mjs", "src/c1.mjs", None, None),
        ] {
            let got = wanted(language, &RelPath::new(file).unwrap(), absent).unwrap();
            assert_eq!(got.files[0], first, "{absent}");
            assert_eq!((got.name.as_deref(), got.owner.as_deref()), (name, owner), "{absent}");
        }
        for (language, absent) in [
            (Python, "Cart.add"),
            (Python, "shop"),
            (Rust, "f"),
            (Go, "shop/nopkg"),
            (JavaScript, "core.nope"),
        ] {
            let got = wanted(language, &RelPath::new("tests/a").unwrap(), absent);
            assert!(got.is_none(), "{absent}");
        }
    }
}
