//! Looks up which files decide how the tests of this project run (contract section 1, gate files).
//!
//! ```text
//! commands ─► scripts, Makefile targets, scripts of package.json ─► what those run
//! conftest.py, options of pytest ─► plugins ─► what those load
//! configurations of vitest, jest, TypeScript, eslint, … ─► what they import, extend and set up with, from
//!     packages of the repository, too
//! ```
//!
//! What the commands name themselves counts as it stands. What is found behind that counts only if it is
//! no test (the test-writer may change those) and, by its name or what it imports, no production code: who
//! changes that is never to be blamed. Neighbours: `runners::gate_names` reads, `core::policy::tooling` judges
//! names. Done once, before anybody forks.

mod javascript;
mod packages;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;

use self::packages::Packages;
use crate::gate_names::{self, Call, Named, Program};
use crate::runner::place::Place;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::policy::tooling::{is_tooling, lies_among_sources};
use tdd_core::policy::{FileClass, Policy};

/// How far it is gone from a command or a configuration.
const DEEPEST: usize = 6;
/// Files that are read.
const MOST_READ: usize = 300;
/// Bytes of one file that are read.
const MOST_BYTES: u64 = 512 * 1024;

/// The gate files of the project that no table knows. `lines` are its commands, run in `project`.
pub fn find(repository: &Path, project: &Path, lines: &[&str], policy: &Policy) -> BTreeSet<RelPath> {
    let prefix = project.strip_prefix(repository).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let mut search = Search {
        repository,
        project: prefix,
        policy,
        name: String::new(),
        found: BTreeSet::new(),
        read: BTreeSet::new(),
        packages: Packages::default(),
    };
    search.packages = search.own_packages();
    search.name = search.name_of_product();
    let here = search.project.clone();
    for line in lines {
        search.shell(line, &Stand { folder: here.clone(), own: None, depth: 0 });
    }
    let place = Place::new(repository, project);
    for file in place.files_below(project) {
        search.configuration(&file);
    }
    search.found
}

struct Search<'a> {
    repository: &'a Path,
    /// The project's folder in the repository; empty if it is the repository.
    project: String,
    policy: &'a Policy,
    /// What the project is called, as its modules are.
    name: String,
    found: BTreeSet<RelPath>,
    read: BTreeSet<RelPath>,
    packages: Packages,
}

/// From where a shell text is run.
#[derive(Clone, Debug)]
struct Stand {
    folder: String,
    /// The folder of the script that holds the text.
    own: Option<String>,
    depth: usize,
}

impl Search<'_> {
    fn shell(&mut self, text: &str, stand: &Stand) {
        if stand.depth > DEEPEST {
            return;
        }
        for call in gate_names::calls(text) {
            self.call(&call, stand);
        }
    }

    fn call(&mut self, call: &Call, stand: &Stand) {
        match &call.program {
            Program::Shell(word) => self.script(word, call, stand, Kind::Shell),
            Program::Script(word) => self.script(word, call, stand, Kind::Other),
            Program::File(word) => self.script(word, call, stand, Kind::Unknown),
            Program::Option(word) => {
                let file = candidates(word, call, stand).into_iter().find(|file| self.exists(file));
                if let Some(file) = file.filter(|file| self.is_nobodys(file) && !lies_among_sources(file)) {
                    self.found.insert(file);
                }
            }
            Program::Plugin(name) => self.module(name, &stand.folder, Why::Plugin, stand.depth),
            Program::Make { folder, file, targets } => {
                let names: Vec<&str> = match file {
                    Some(file) => vec![file],
                    None => vec!["GNUmakefile", "makefile", "Makefile"],
                };
                let cwd = joined(&joined(&stand.folder, &call.folder), folder);
                self.recipes(&names, targets, Stand { folder: cwd, own: None, depth: stand.depth });
            }
            Program::Just(recipes) => {
                let cwd = joined(&stand.folder, &call.folder);
                let stand = Stand { folder: cwd, own: None, depth: stand.depth };
                self.recipes(&["justfile", "Justfile", ".justfile"], recipes, stand);
            }
            Program::Package(name) => self.package(name, &joined(&stand.folder, &call.folder), stand.depth),
        }
    }

    fn recipes(&mut self, names: &[&str], targets: &[String], stand: Stand) {
        let files = names.iter().filter_map(|name| RelPath::new(&joined(&stand.folder, name)));
        let Some(file) = files.into_iter().find(|file| self.exists(file)) else { return };
        if stand.depth == 0 || self.is_nobodys(&file) {
            self.found.insert(file.clone());
        }
        let Some(text) = self.text(&file) else { return };
        let text = gate_names::recipes(&text, targets);
        self.shell(&text, &Stand { depth: stand.depth + 1, ..stand });
    }

    /// A script of `package.json`, and what runs before and after it.
    fn package(&mut self, name: &str, folder: &str, depth: usize) {
        let manifest = RelPath::new(&joined(folder, "package.json")).and_then(|file| self.text(&file));
        let manifest: Option<serde_json::Value> = manifest.and_then(|text| serde_json::from_str(&text).ok());
        let Some(scripts) = manifest.as_ref().and_then(|manifest| manifest.get("scripts")) else { return };
        for name in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
            if let Some(text) = scripts.get(name).and_then(serde_json::Value::as_str) {
                self.shell(text, &Stand { folder: folder.to_owned(), own: None, depth: depth + 1 });
            }
        }
    }

    fn script(&mut self, word: &str, call: &Call, stand: &Stand, kind: Kind) {
        let found = candidates(word, call, stand).into_iter().find(|file| self.exists(file));
        let Some(file) = found else { return };
        let counts = match stand.depth {
            0 => true,
            _ => {
                !call.is_asked && self.is_nobodys(&file) && is_tooling(&file) && !self.is_of_a_package(&file)
            }
        };
        let Some(text) = self.text(&file).filter(|_| counts) else { return };
        self.found.insert(file.clone());
        let is_shell = match kind {
            Kind::Shell => true,
            Kind::Other => false,
            Kind::Unknown => is_shell_script(&file, &text),
        };
        if is_shell && self.read.insert(file.clone()) && self.read.len() < MOST_READ {
            let folder = joined(&stand.folder, &call.folder);
            let own = Some(file.folder().to_owned());
            self.shell(&text, &Stand { folder, own, depth: stand.depth + 1 });
        }
    }

    fn configuration(&mut self, file: &RelPath) {
        let name = file.file_name();
        let begins = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
        let is_json = file.extension() == "json";
        if name == "conftest.py" {
            self.python(file, 0);
        } else if gate_names::PYTEST_FILES.contains(&name) {
            let named = self.text(file).map(|text| gate_names::of_pytest_options(&text)).unwrap_or_default();
            self.python_names(named, file, 0);
        } else if is_json && begins(&["tsconfig", "jsconfig"]) {
            self.tsconfig(file, 0);
        } else if begins(&["vitest.", "vite.config.", "jest.config.", "jest.setup."])
            || name == "package.json"
            || name == "bunfig.toml"
            || (self.policy.classify(file) == FileClass::Gate && javascript::is_script_or_json(file))
        {
            self.script_config(file, 0);
        }
    }

    fn python(&mut self, file: &RelPath, depth: usize) {
        if depth > DEEPEST || self.read.len() > MOST_READ || !self.read.insert(file.clone()) {
            return;
        }
        let named = self.text(file).map(|text| gate_names::of_python(&text)).unwrap_or_default();
        self.python_names(named, file, depth);
    }

    fn python_names(&mut self, named: Vec<Named>, file: &RelPath, depth: usize) {
        for named in named {
            match named {
                Named::Plugin(name) => self.module(&name, file.folder(), Why::Plugin, depth),
                Named::Module(name) => self.module(&name, file.folder(), Why::Import, depth),
                Named::Path(_) | Named::Import(_) | Named::Package(_) => {}
            }
        }
    }

    /// A module that is named in a file of this folder.
    fn module(&mut self, name: &str, folder: &str, why: Why, depth: usize) {
        let dots = name.len() - name.trim_start_matches('.').len();
        let inner = name[dots..].replace('.', "/");
        let roots = if dots > 0 {
            vec![format!("{folder}{}", "/..".repeat(dots - 1))]
        } else {
            let above = folder.match_indices('/').map(|(at, _)| folder[..at].to_owned());
            let src = joined(&self.project, "src");
            [self.project.clone(), src, folder.to_owned(), String::new()].into_iter().chain(above).collect()
        };
        let paths = roots.iter().flat_map(|root| {
            [".py", "/__init__.py"].map(|end| RelPath::new(&joined(root, &format!("{inner}{end}"))))
        });
        let Some(file) = paths.flatten().find(|file| self.exists(file)) else { return };
        let is_plugin = match why {
            Why::Plugin => true,
            Why::Import => self.text(&file).is_some_and(|text| gate_names::imports_pytest(&text)),
        };
        if is_plugin && self.is_nobodys(&file) && !self.is_of_the_product(&file) {
            self.found.insert(file.clone());
            self.python(&file, depth + 1);
        }
    }

    fn exists(&self, file: &RelPath) -> bool {
        std::fs::metadata(self.repository.join(file.as_str())).is_ok_and(|about| about.is_file())
    }

    fn text(&self, file: &RelPath) -> Option<String> {
        let bytes = regular_file::head(&self.repository.join(file.as_str()), MOST_BYTES).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Neither a test, which the test-writer may change, nor protected by itself.
    fn is_nobodys(&self, file: &RelPath) -> bool {
        match self.policy.classify(file) {
            FileClass::Source => true,
            FileClass::Gate | FileClass::Lock | FileClass::Mixed | FileClass::Test | FileClass::ByProduct => {
                false
            }
        }
    }

    fn is_of_a_package(&self, file: &RelPath) -> bool {
        file.extension() == "py"
            && RelPath::new(&joined(file.folder(), "__init__.py")).is_some_and(|init| self.exists(&init))
    }

    /// A plugin may be what the project makes.
    fn is_of_the_product(&self, file: &RelPath) -> bool {
        let within =
            file.as_str().strip_prefix(&self.project).unwrap_or(file.as_str()).trim_start_matches('/');
        let first = within.split('/').next().unwrap_or_default().trim_end_matches(".py");
        lies_among_sources(file) || (!self.name.is_empty() && first == self.name)
    }

    fn name_of_product(&self) -> String {
        let text = RelPath::new(&joined(&self.project, "pyproject.toml")).and_then(|file| self.text(&file));
        let table: toml::Table = text.and_then(|text| text.parse().ok()).unwrap_or_default();
        let project = table.get("project").or_else(|| table.get("tool")?.get("poetry"));
        let name = project.and_then(|project| project.get("name")).and_then(toml::Value::as_str);
        name.unwrap_or_default().to_lowercase().replace(['-', '.'], "_")
    }
}

/// What a script is written in.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Shell,
    Other,
    Unknown,
}

/// Why a module is looked at.
#[derive(Clone, Copy, Debug)]
enum Why {
    Plugin,
    Import,
}

/// Where a word of a shell text may lie, the likeliest first.
fn candidates(word: &str, call: &Call, stand: &Stand) -> Vec<RelPath> {
    // `$HERE/x` and `$ROOT/x`: what the variable holds is tried out.
    let word = if word.starts_with('$') { word.split_once('/').map_or("", |(_, rest)| rest) } else { word };
    let own = stand.own.iter();
    let own = own.flat_map(|own| {
        [joined(own, &call.folder), own.clone(), format!("{own}/.."), format!("{own}/../{}", call.folder)]
    });
    let folders = [joined(&stand.folder, &call.folder), stand.folder.clone()].into_iter().chain(own);
    let is_word = !word.is_empty() && !word.starts_with('/');
    folders.filter(|_| is_word).filter_map(|folder| RelPath::new(&joined(&folder, word))).collect()
}

fn joined(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

fn is_shell_script(file: &RelPath, text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let by_name = matches!(file.extension(), "sh" | "bash" | "bats" | "zsh");
    by_name || (first.starts_with("#!") && first.trim_end().ends_with("sh"))
}
