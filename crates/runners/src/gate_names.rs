//! What a gate file names: the files that it runs, loads or takes over.
//!
//! Read generously and by shape alone: whether a name is a file of the project, and one that decides how
//! tests run, is for the caller to see. Neighbours: `runners::gate_files` looks them up.

mod javascript;
mod make;
mod options;
mod python;
mod shell;

pub use self::javascript::{config as of_javascript_config, tsconfig as of_tsconfig};
pub use self::make::recipes;
pub use self::options::{PYTEST_FILES, pytest as of_pytest_options};
pub use self::python::{imports_pytest, of_python};
pub use self::shell::{Call, Program, calls};

/// A file that a gate file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Relative to the file that names it; the extension may be missing.
    Path(String),
    /// An import of a configuration's: code of the product's may be among them.
    Import(String),
    /// A package's name, and a path in it: one of the repository's own may be meant.
    Package(String),
    /// A Python module by its full name, or relative with leading dots, that is a plugin.
    Plugin(String),
    /// A Python module that is imported, for whatever reason.
    Module(String),
}
