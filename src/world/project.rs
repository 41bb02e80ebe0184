//! Finds the repository, the project and its requirements (contract sections 2 and 3).
//!
//! A requirement is looked up by what a file says of itself: its stem, `id:` and `tracker:`. Only
//! regular files are opened, and never through a link that leaves the repository.

use std::path::{Path, PathBuf};

use crate::world::config_file;
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::requirement::Requirement;
use tdd_core::trouble::Trouble;
use tdd_spec::requirement::{self, RequirementError};

mod identity;
mod lookup;
mod others;
mod ownership;
mod safe_file;

pub use others::of_other_tools;
pub use ownership::refuse_others;

/// The files that mark a project; the second is refused when it is read.
const PROJECT_FILES: [&str; 2] = [config_file::NAME, config_file::OTHER_NAME];

/// Where a command is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The root of the work tree, links resolved.
    pub repository: PathBuf,
    /// The folder of the nearest `tdd.yaml`, else the repository: commands run here.
    pub project: PathBuf,
    /// The current directory: paths that a person types are relative to it.
    pub cwd: PathBuf,
}

impl Place {
    /// Where the project lies in the repository, with `/` between its parts; empty for the root.
    pub fn project_in_repository(&self) -> String {
        let relative = self.project.strip_prefix(&self.repository).unwrap_or(Path::new(""));
        relative.to_string_lossy().into_owned()
    }

    /// A path or glob that is relative to the project, relative to the repository.
    pub fn in_repository(&self, path: &str) -> String {
        let project = self.project_in_repository();
        if project.is_empty() { path.to_owned() } else { format!("{project}/{path}") }
    }

    /// What the project's folder is called; empty for the root of the disk.
    pub fn project_name(&self) -> String {
        self.project.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Whether requirements that were shipped and put away are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    LeftOut,
    Included,
}

/// Finds the repository and the project that `cwd` lies in. Fails if there is no work tree, and where git
/// refuses to work because it is somebody else's.
pub fn locate(cwd: &Path) -> Result<Place, Trouble> {
    let cwd = std::fs::canonicalize(cwd).map_err(|error| {
        Trouble::environment(format!("can't use the folder {}", cwd.display()))
            .because(error)
            .advise("run tdd in a folder that exists")
    })?;
    let mut project = None;
    for folder in cwd.ancestors() {
        if project.is_none() && PROJECT_FILES.iter().any(|name| folder.join(name).is_file()) {
            project = Some(folder.to_owned());
        }
        if is_work_tree(folder) {
            refuse_others(folder)?;
            let project = project.unwrap_or_else(|| folder.to_owned());
            return Ok(Place { repository: folder.to_owned(), project, cwd });
        }
        if is_git_folder(folder) {
            return Err(no_work_tree(folder));
        }
    }
    let why = format!("neither {} nor a folder above it holds a `.git`", cwd.display());
    let advice = "change into your project, or run `git init` there: tdd keeps its checkpoints in git";
    Err(Trouble::user("no git repository").because(why).advise(advice))
}

/// A `.git` folder with a HEAD, or the file that a worktree or submodule has instead.
fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    if git.is_dir() {
        return git.join("HEAD").symlink_metadata().is_ok();
    }
    let head = safe_file::read_head(&git, 4096).unwrap_or_default();
    head.starts_with(b"gitdir:")
}

/// The inside of a `.git` folder, or a bare repository.
fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn no_work_tree(folder: &Path) -> Trouble {
    let why = format!("{} is a git folder without a work tree", folder.display());
    let advice = "change into a work tree: `git worktree add ../work` makes one of a bare repository";
    Trouble::user("no git repository with a work tree").because(why).advise(advice)
}

/// Finds and reads the requirement that a person named: a tracker id, a ULID or a path.
///
/// `specs_dir` is relative to the project. Fails (exit code 2) if there is none or more than one,
/// if the file names another id than its stem, needs a technical review, lies outside the
/// repository, is no regular readable file, or is no valid requirement.
pub fn find_requirement(
    place: &Place,
    specs_dir: &str,
    wanted: &str,
    archived: Archive,
) -> Result<Requirement, Trouble> {
    let found = lookup::find(place, specs_dir, wanted, archived)?;
    let bytes = found.read(place)?;
    let wrong = |error: &RequirementError, prefix: &str| not_valid(&found.path, error, prefix);
    let header = requirement::header(&bytes).map_err(|error| wrong(&error, found.path.stem()))?;
    identity::check(&found.path, &header)?;
    if header.needs_technical_review {
        return Err(Trouble::user(format!("{} needs a technical review", found.path))
            .because("its front matter says `needs_technical_review: true`")
            .advise("have it reviewed, then set that to `false`"));
    }
    let prefix = identity::prefix(&found.path, &header);
    let parsed = requirement::read(&bytes, &prefix).map_err(|error| wrong(&error, &prefix))?;
    let id = if parsed.reading.is_of_another_tool() { prefix } else { found.id };
    let (title, reading, criteria) = (parsed.title, parsed.reading, parsed.criteria);
    let allow_config = allowed_config((place, specs_dir), &found.path, &header.allow_config)?;
    Ok(Requirement { id, path: found.path, title, reading, allow_config, criteria })
}

/// Files that the requirement lets its roles write though they decide how tests or the gate run. Never what says
/// by which commands and requirements this run is judged.
fn allowed_config(
    (place, specs_dir): (&Place, &str),
    requirement: &RelPath,
    paths: &[String],
) -> Result<Vec<RelPath>, Trouble> {
    let refused = |path: &str, why: &str| {
        Trouble::user(format!("{requirement} can't be run"))
            .because(format!(
                "`allow_config` in its front matter names `{}`, {why}",
                harmless::short(path, 120)
            ))
            .advise(
                "name each file by its path in the project, for example: allow_config: [postcss.config.mjs]",
            )
    };
    let allowed = |path: &String| {
        if path.contains(['*', '?', '[', '{']) {
            return Err(refused(path, "and a pattern would let in what nobody has thought of"));
        }
        let own = RelPath::new(path).ok_or_else(|| refused(path, "which is no file of the project"))?;
        if own.file_name() == config_file::NAME || own.is_within(".tdd") || own.is_within(specs_dir) {
            return Err(refused(path, "which says how this run is judged"));
        }
        RelPath::new(&place.in_repository(own.as_str()))
            .ok_or_else(|| refused(path, "which is no file of the project"))
    };
    paths.iter().map(allowed).collect()
}

/// The ids of the requirements that this one's front matter names as those to be worked on before it.
///
/// # Errors
/// Its file can't be read any more.
pub fn depends_on(place: &Place, requirement: &Requirement) -> Result<Vec<String>, Trouble> {
    let path = &requirement.path;
    let file = place.repository.join(path.as_str());
    let bytes = lookup::find(place, "", &file.to_string_lossy(), Archive::Included)?.read(place)?;
    let header = requirement::header(&bytes).map_err(|error| not_valid(path, &error, path.stem()))?;
    Ok(header.depends_on)
}

/// Writes the ids of a requirement's criteria into its file, where it does not hold them in full.
///
/// # Errors
/// The file has the form of another tool, or can't be written.
#[expect(clippy::disallowed_methods, reason = "a person asked for it")]
pub fn write_ids(place: &Place, requirement: &Requirement) -> Result<(), Trouble> {
    let path = &requirement.path;
    if requirement.reading.is_of_another_tool() {
        return Err(Trouble::user(format!("{path} is left as it is"))
            .because("it has the form of another tool, which has no place for ids")
            .advise("leave --fix out: the ids are made anew, and the same, each time the file is read"));
    }
    let found =
        lookup::find(place, "", &place.repository.join(path.as_str()).to_string_lossy(), Archive::Included)?;
    let bytes = found.read(place)?;
    let header = requirement::header(&bytes).map_err(|error| not_valid(path, &error, path.stem()))?;
    let prefix = identity::prefix(path, &header);
    let text = requirement::with_ids(&bytes, &prefix).map_err(|error| not_valid(path, &error, &prefix))?;
    let Some(text) = text else { return Ok(()) };
    std::fs::write(&found.file, text).map_err(|error| {
        Trouble::environment(format!("can't write {path}"))
            .because(error)
            .advise("see that you may write to it, and that the disk has room")
    })
}

/// The stems of the requirements in `specs_dir`, sorted; none if there is no such folder.
///
/// # Errors
/// It can't be looked into.
pub fn known_requirements(place: &Place, specs_dir: &str) -> Result<Vec<String>, Trouble> {
    lookup::stems(&place.project.join(specs_dir), place)
}

/// Ids of the requirements that runs were made of, as the names of their folders tell them.
pub fn ids_of_runs(place: &Place) -> Vec<String> {
    let runs = place.repository.join(".tdd/runs").read_dir();
    let names = runs.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let id = |name: String| Some(name.split_once('-')?.1.rsplit_once('-')?.0.to_owned());
    names.filter_map(id).collect()
}

fn not_valid(path: &RelPath, error: &RequirementError, prefix: &str) -> Trouble {
    let at = error.line().map_or_else(|| path.to_string(), |line| format!("{path}:{line}"));
    Trouble::user(format!("{path} can't be run"))
        .because(error.to_string())
        .advise(format!("in {at}: {}", error.advice(prefix)))
}
