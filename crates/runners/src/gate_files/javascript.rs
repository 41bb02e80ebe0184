//! Configurations of JavaScript and TypeScript, and what they take from elsewhere in the repository.

use super::packages::Packages;
use super::{DEEPEST, MOST_READ, Search, joined};
use crate::gate_names::{self, Named};
use crate::runner::place::Place;
use tdd_core::path::RelPath;
use tdd_core::policy::tooling::{is_tooling, lies_among_sources};

impl Search<'_> {
    pub(super) fn tsconfig(&mut self, file: &RelPath, depth: usize) {
        if depth > DEEPEST || self.read.len() > MOST_READ || !self.read.insert(file.clone()) {
            return;
        }
        let Some(text) = self.text(file) else { return };
        for named in gate_names::of_tsconfig(&text) {
            let bases = match named {
                Named::Path(path) => vec![joined(file.folder(), &path)],
                Named::Package(name) => self.packages.places(&name),
                Named::Import(_) | Named::Plugin(_) | Named::Module(_) => continue,
            };
            let ends = ["", ".json", "/tsconfig.json"];
            let mut paths =
                bases.iter().flat_map(|base| ends.map(|end| RelPath::new(&format!("{base}{end}"))));
            let is_one = |next: &RelPath| self.exists(next) && next.extension() == "json";
            if let Some(next) = paths.by_ref().flatten().find(is_one) {
                if self.is_nobodys(&next) {
                    self.found.insert(next.clone());
                }
                self.tsconfig(&next, depth + 1);
            }
        }
    }

    pub(super) fn script_config(&mut self, file: &RelPath, depth: usize) {
        if depth > DEEPEST || self.read.len() > MOST_READ || !self.read.insert(file.clone()) {
            return;
        }
        let Some(text) = self.text(file) else { return };
        for named in gate_names::of_javascript_config(&text) {
            let (path, is_import) = match named {
                Named::Import(path) => (path, true),
                Named::Path(path) => (path, false),
                Named::Package(name) => {
                    self.package_config(&name, depth);
                    continue;
                }
                Named::Plugin(_) | Named::Module(_) => continue,
            };
            let Some(next) = self.script_file(file.folder(), &path) else { continue };
            let counts =
                if is_import { is_tooling(&next) } else { !lies_among_sources(&next) || is_tooling(&next) };
            if counts && self.is_nobodys(&next) {
                self.found.insert(next.clone());
                // What files of a set-up import is as often what is tested.
                if is_import || next.file_name().contains("preset") {
                    self.script_config(&next, depth + 1);
                }
            }
        }
    }

    /// What a configuration takes from a package of the repository.
    fn package_config(&mut self, name: &str, depth: usize) {
        let places = self.packages.places(name);
        let next = places.iter().find_map(|place| self.script_file("", place.trim_end_matches('/')));
        if let Some(next) = next.filter(|next| self.is_nobodys(next)) {
            self.found.insert(next.clone());
            self.script_config(&next, depth + 1);
        }
    }

    pub(super) fn own_packages(&self) -> Packages {
        let place = Place::new(self.repository, self.repository);
        let mut manifests = place.files_below(self.repository);
        manifests.retain(|file| file.file_name() == "package.json");
        Packages::of(manifests.into_iter().filter_map(|file| Some((file.clone(), self.text(&file)?))))
    }

    /// The file that a path of a configuration means, as the tools complete it.
    fn script_file(&self, folder: &str, path: &str) -> Option<RelPath> {
        const ENDS: [&str; 15] = [
            "",
            ".ts",
            ".js",
            ".mts",
            ".mjs",
            ".cts",
            ".cjs",
            ".tsx",
            ".jsx",
            ".json",
            "/index.ts",
            "/index.js",
            "/jest-preset.js",
            "/jest-preset.json",
            "/vitest.config.ts",
        ];
        let base = joined(folder, path);
        let ends = ENDS.iter().map(|end| format!("{base}{end}"));
        // TypeScript's own way: the name says `.js`, the file is `.ts`.
        let typed = base.strip_suffix(".js").map(|stem| format!("{stem}.ts"));
        let paths = ends.chain(typed).filter_map(|path| RelPath::new(&path));
        paths.into_iter().find(|file| self.exists(file))
    }
}

pub(super) fn is_script_or_json(file: &RelPath) -> bool {
    matches!(file.extension(), "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "json")
}
