//! Looks for the file of a requirement.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use super::identity::Wanted;
use super::safe_file::{self, FileError};
use super::{Archive, Place};
use tdd_child::folder;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;
use tdd_spec::requirement::{self, Header};

/// The front matter of a file lies within its first bytes.
const HEAD: usize = 64 * 1024;

/// More entries of one folder are not looked at.
const ENTRIES: usize = 20_000;

/// How many ids or files a message lists.
const LISTED: usize = 10;

/// Where other tools keep a requirement of a name.
const OF_OTHER_TOOLS: [(&str, &str); 2] = [("specs", "spec.md"), (".kiro/specs", "requirements.md")];

const ARCHIVE: &str = "archive";

/// The one file that was meant.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) path: RelPath,
    pub(super) file: PathBuf,
}

impl Found {
    pub(super) fn shown(&self, place: &Place) -> String {
        let inside = self.file.strip_prefix(&place.repository).unwrap_or(&self.file);
        inside.display().to_string()
    }

    pub(super) fn read(&self, place: &Place) -> Result<Vec<u8>, Trouble> {
        safe_file::read_whole(&self.file, &place.repository)
            .map_err(|error| error.trouble(&self.shown(place)))
    }
}

pub(super) fn find(
    place: &Place,
    specs_dir: &str,
    wanted: &str,
    archived: Archive,
) -> Result<Found, Trouble> {
    let specs = place.project.join(specs_dir);
    match Wanted::read(wanted) {
        None => {
            Err(Trouble::user("no requirement named").advise("name a tracker id (STE-12), a ULID or a path"))
        }
        Some(Wanted::Path(path)) => by_path(place, &specs, &path, archived),
        Some(name) => by_name(place, &specs, &name, archived),
    }
}

fn by_path(place: &Place, specs: &Path, path: &str, archived: Archive) -> Result<Found, Trouble> {
    let bases = [place.cwd.as_path(), &place.project, &place.repository, specs];
    let is_absent = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
    };
    let may_be = |file: &PathBuf| file.symlink_metadata().map_or_else(|error| !is_absent(&error), |_| true);
    let file = bases.iter().map(|base| base.join(path)).find(may_be);
    let file = file.ok_or_else(|| {
        let with_end = format!("{path}.md");
        let trouble = FileError::Absent.trouble(path);
        if bases.iter().any(|base| base.join(&with_end).is_file()) {
            trouble.advise(format!("did you mean {with_end}?"))
        } else {
            trouble
        }
    })?;
    let own = OF_OTHER_TOOLS.map(|(_, name)| name).into_iter().find(|name| file.join(name).is_file());
    if let Some(name) = own {
        return by_path(place, specs, &format!("{}/{name}", path.trim_end_matches('/')), archived);
    }
    let real = safe_file::resolve(&file, &place.repository).map_err(|error| error.trouble(path))?;
    let archive = specs.join(ARCHIVE);
    let is_archived = std::fs::canonicalize(archive).is_ok_and(|archive| real.starts_with(archive));
    if is_archived && archived == Archive::LeftOut {
        return Err(archived_only(path));
    }
    let path = relative(&real, place)?;
    Ok(Found { id: path.stem().to_owned(), path, file: real })
}

fn archived_only(shown: &str) -> Trouble {
    Trouble::user(format!("{shown} is archived"))
        .because("an archived requirement has been shipped")
        .advise("add `--archived` to run it all the same")
}

fn relative(file: &Path, place: &Place) -> Result<RelPath, Trouble> {
    let inside = file.strip_prefix(&place.repository).ok().and_then(Path::to_str).and_then(RelPath::new);
    inside.ok_or_else(|| {
        Trouble::user(format!("can't use the path {}", file.display()))
            .because("it is not UTF-8, or no file of the repository")
            .advise("rename the file")
    })
}

fn by_name(place: &Place, specs: &Path, wanted: &Wanted, archived: Archive) -> Result<Found, Trouble> {
    let mut survey = Survey::default();
    survey.folder(specs, place, wanted);
    if archived == Archive::Included {
        survey.folder(&specs.join(ARCHIVE), place, wanted);
    }
    if survey.fits.len() > 1 {
        return Err(ambiguous(&survey, wanted));
    }
    let Some(fit) = survey.fits.pop() else {
        let other = OF_OTHER_TOOLS.map(|(above, name)| format!("{above}/{}/{name}", wanted.shown()));
        if let Some(file) = other.iter().find(|file| place.project.join(file).is_file()) {
            return by_path(place, specs, file, archived);
        }
        return Err(missing(&survey, place, specs, wanted, archived));
    };
    let path = relative(&fit.file, place)?;
    if !wanted.agrees(path.stem(), &fit.header) {
        let named = fit.header.id.as_deref().unwrap_or("none");
        return Err(Trouble::user(format!("{path} is not {}", wanted.shown()))
            .because(format!("its stem fits, but its front matter's `id:` is {named}"))
            .advise("correct `id:`, or name the file by its path"));
    }
    let is_stem = path.stem().eq_ignore_ascii_case(wanted.shown());
    let id = if is_stem { path.stem() } else { wanted.shown() };
    Ok(Found { id: id.to_owned(), path, file: fit.file })
}

/// The stems of the Markdown files in a folder, sorted; none if there is no such folder.
pub(super) fn stems(folder: &Path, place: &Place) -> Result<Vec<String>, Trouble> {
    let entries = match listed(folder, place) {
        Ok(entries) => entries,
        Err(FileError::Unreadable(error)) => return Err(unlisted(&shown(folder, place), &error)),
        Err(_) => Vec::new(),
    };
    let files = entries.into_iter().take(ENTRIES).map(|entry| entry.path());
    let markdown = files.filter(|file| file.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")));
    let mut stems: Vec<String> =
        markdown.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    stems.sort();
    Ok(stems)
}

/// All that is in a folder: what can't be told is not passed over.
fn listed(folder: &Path, place: &Place) -> Result<Vec<DirEntry>, FileError> {
    let real = safe_file::resolve(folder, &place.repository)?;
    folder::entries(&real).map_err(FileError::Unreadable)
}

/// Whether a requirement is there is not known then.
fn unlisted(shown: &str, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("{shown} can't be looked into"))
        .because(error)
        .advise("see that you may read it; the requirements lie there")
}

/// A path as a person knows it.
fn shown(path: &Path, place: &Place) -> String {
    path.strip_prefix(&place.repository).unwrap_or(path).display().to_string()
}

/// A file that may be the one.
struct Fit {
    file: PathBuf,
    shown: String,
    header: Header,
}

/// What was seen in the folders.
#[derive(Default)]
struct Survey {
    looked: Vec<String>,
    fits: Vec<Fit>,
    ids: Vec<String>,
    /// Files that could not be read, with the reason: one of them may be the one.
    unread: Vec<String>,
    /// Why a folder, or one of those files, can't be looked into at all.
    broken: Option<Trouble>,
}

impl Survey {
    fn folder(&mut self, folder: &Path, place: &Place, wanted: &Wanted) {
        let shown = shown(folder, place);
        let entries = match listed(folder, place) {
            Ok(entries) => entries,
            Err(error) => {
                if let FileError::Unreadable(error) = &error {
                    self.broken = Some(unlisted(&shown, error));
                }
                return self.looked.push(format!("{shown} ({error})"));
            }
        };
        self.looked.push(shown);
        let mut files: Vec<PathBuf> = entries.into_iter().take(ENTRIES).map(|entry| entry.path()).collect();
        files.sort();
        for file in files {
            let is_markdown = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
            if let Some(stem) = file.file_stem().and_then(|stem| stem.to_str())
                && is_markdown
            {
                self.file(&file, stem, place, wanted);
            }
        }
    }

    fn file(&mut self, file: &Path, stem: &str, place: &Place, wanted: &Wanted) {
        let shown = shown(file, place);
        let read = safe_file::resolve(file, &place.repository)
            .and_then(|target| safe_file::read_head(&target, HEAD).map(|head| (target, head)));
        let fits_by_stem = wanted.fits(stem, &Header::default());
        let (target, header) = match read {
            Ok((target, head)) => {
                let header = requirement::header(whole_lines(&head));
                (target, header.map_err(|error| error.to_string()))
            }
            Err(error) => {
                if matches!(error, FileError::Unreadable(_)) && !fits_by_stem {
                    self.broken.get_or_insert_with(|| error.trouble(&shown));
                }
                (file.to_owned(), Err(error.to_string()))
            }
        };
        let header = match header {
            Ok(header) => header,
            // A file that is the one by its name is reported by whoever reads it.
            Err(_) if fits_by_stem => Header::default(),
            Err(error) => return self.unread.push(format!("{shown} ({error})")),
        };
        self.ids.push(stem.to_owned());
        self.ids.extend(header.trackers.iter().filter(|id| *id != stem).cloned());
        if wanted.fits(stem, &header) {
            self.fits.push(Fit { file: target, shown, header });
        }
    }
}

/// The head of a file up to its last whole line, so that no character is cut.
fn whole_lines(head: &[u8]) -> &[u8] {
    let is_cut = head.len() == HEAD;
    let end = head.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).filter(|_| is_cut);
    end.map_or(head, |end| &head[..=end])
}

fn ambiguous(survey: &Survey, wanted: &Wanted) -> Trouble {
    let files: Vec<&str> = survey.fits.iter().map(|fit| fit.shown.as_str()).collect();
    Trouble::user(format!("{} is the id of {} requirements", wanted.shown(), files.len()))
        .because(files.join("\n"))
        .advise("name one by its path, or correct its `id:` or `tracker:`")
}

fn missing(survey: &Survey, place: &Place, specs: &Path, wanted: &Wanted, archived: Archive) -> Trouble {
    // It may be there all the same.
    if let Some(broken) = &survey.broken {
        let what =
            format!("whether there is a requirement {} can't be told: {}", wanted.shown(), broken.what);
        return Trouble { what, ..broken.clone() };
    }
    let mut why = format!("looked in {}", survey.looked.join(" and "));
    if !survey.unread.is_empty() {
        let shown = survey.unread.iter().take(LISTED).cloned().collect::<Vec<_>>().join("\n");
        why = format!("{why}\nnot readable: {shown}");
    }
    // Whoever stands below a second tdd.yaml looks for the requirements of the repository.
    if place.project != place.repository {
        let project = shown(&place.project, place);
        why = format!("{why}\nthe project is {project}/, by its tdd.yaml, the nearest one from here upwards");
    }
    let near = nearest(&survey.ids, wanted.shown());
    let mut advice = match near.as_slice() {
        [] => match as_a_name(wanted.shown()) {
            Some(id) => format!("write it: tdd new {id} \"A title\"; or name its file by its path"),
            None => "put it there as STE-12.md, for example, or name it by its path".to_owned(),
        },
        near => format!("did you mean {}?", near.join(", ")),
    };
    if archived == Archive::LeftOut {
        let mut put_away = Survey::default();
        put_away.folder(&specs.join(ARCHIVE), place, wanted);
        if let Some(fit) = put_away.fits.first() {
            advice = format!("{} is archived: add `--archived` to run it all the same", fit.shown);
        }
    }
    Trouble::user(format!("no requirement {}", wanted.shown())).because(why).advise(advice)
}

/// What was typed, if it looks like an id: letters, and a number behind a dash.
fn as_a_name(typed: &str) -> Option<&str> {
    let (name, number) = typed.rsplit_once('-')?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.chars().all(fits);
    let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
    (is_name && is_number).then_some(typed)
}

/// The ids most like the one that was typed, best first, at most three.
fn nearest<'i>(ids: &'i [String], wanted: &str) -> Vec<&'i str> {
    let wanted = wanted.to_ascii_uppercase();
    let like = |id: &String| strsim::jaro_winkler(&id.to_ascii_uppercase(), &wanted);
    let mut scored: Vec<(f64, &str)> = ids.iter().map(|id| (like(id), id.as_str())).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().filter(|(score, _)| *score > 0.7).map(|(_, id)| id).take(3).collect()
}
