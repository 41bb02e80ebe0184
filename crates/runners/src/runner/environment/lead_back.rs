//! What an installer wrote into an environment of Python when it ran in a copy of the tree.
//!
//! ```text
//! pip install -e .      site-packages/__editable__.p-1.0.pth, …/p-1.0.dist-info/direct_url.json
//! maturin develop       site-packages/p.pth
//! setup.py develop      site-packages/p.egg-link, easy-install.pth
//! ```
//!
//! The environment is the work tree's or the person's, and the copy is gone in a moment: in it these files would name
//! nothing, and the project could not be imported any more. What names the copy is made to name the work tree, as if
//! the command had run there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tdd_child::regular_file;

/// A file system's clock may be a little behind.
const SLACK: Duration = Duration::from_secs(1);
/// Longer files say where nothing is.
const LONGEST: u64 = 1 << 18;
/// Folders between a command's own and the work tree's root.
const MOST_FOLDERS: usize = 16;

/// A work tree, and a copy of it where a command has run.
pub(crate) struct Lent<'a> {
    home: &'a Path,
    copy: &'a Path,
    /// In the copy: where the command was started.
    folder: &'a Path,
}

impl<'a> Lent<'a> {
    /// `tree` is the root that commands run below, if they don't run in a copy of their own beside the work tree. None
    /// in the work tree itself.
    pub(crate) fn to(home: &'a Path, tree: &'a Path, folder: &'a Path) -> Option<Self> {
        let own = || folder.ancestors().find(|above| above.parent() == home.parent()).unwrap_or(folder);
        let copy = if folder.starts_with(tree) { tree } else { own() };
        (copy != home).then_some(Self { home, copy, folder })
    }

    /// Where the command would have been started in the work tree.
    pub(crate) fn folder_at_home(&self) -> PathBuf {
        self.home.join(self.folder.strip_prefix(self.copy).unwrap_or(Path::new("")))
    }

    /// Makes what was written since then name the work tree instead of the copy. The files.
    pub(crate) fn lead_back(&self, since: SystemTime) -> Vec<PathBuf> {
        let since = since - SLACK;
        let mut led = Vec::new();
        for site in self.environments().iter().flat_map(|environment| site_packages(environment)) {
            let Ok(entries) = fs::read_dir(&site) else { continue };
            let names = entries.flatten().filter(|entry| is_younger(entry, since));
            let files = names.filter_map(|entry| points_away(&entry.path()));
            led.extend(files.filter(|file| self.rename_in(file).unwrap_or(false)));
        }
        led
    }

    /// Those beside the command's folder and above it in the work tree, the activated ones, and the person's own.
    fn environments(&self) -> Vec<PathBuf> {
        let activated = ["VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE"].map(std::env::var_os);
        let mut found: Vec<PathBuf> = activated.into_iter().flatten().map(PathBuf::from).collect();
        found.extend(std::env::var_os("HOME").map(|home| Path::new(&home).join(".local")));
        let at = self.folder_at_home();
        let above = at.ancestors().take(MOST_FOLDERS).take_while(|folder| folder.starts_with(self.home));
        for folder in above {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            found.extend(entries.map(|entry| entry.path()).filter(|path| path.join("pyvenv.cfg").is_file()));
        }
        let mut found: Vec<PathBuf> = found.iter().filter_map(|path| path.canonicalize().ok()).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Whether the file named the copy. It is replaced as a whole: it may be one with a cache's.
    fn rename_in(&self, file: &Path) -> io::Result<bool> {
        let before = regular_file::head(file, LONGEST)?;
        if before.len() as u64 == LONGEST {
            return Ok(false);
        }
        let mut now = before.clone();
        for form in [spelled, as_in_a_url] {
            now = replaced(&now, &form(self.copy), &form(self.home));
        }
        if now == before {
            return Ok(false);
        }
        let folder = file.parent().ok_or(io::ErrorKind::NotFound)?;
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut new, &now)?;
        fs::set_permissions(new.path(), fs::metadata(file)?.permissions())?;
        new.persist(file)?;
        Ok(true)
    }
}

fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    versions
        .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"python"))
        .map(|entry| entry.path().join("site-packages"))
        .collect()
}

fn is_younger(entry: &fs::DirEntry, since: SystemTime) -> bool {
    entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|modified| modified >= since)
}

/// The file by which an entry of `site-packages` may say where a project lies.
fn points_away(entry: &Path) -> Option<PathBuf> {
    let name = entry.file_name()?.to_str()?;
    match entry.extension()?.to_str()? {
        "dist-info" => Some(entry.join("direct_url.json")),
        "pth" | "egg-link" => Some(entry.to_owned()),
        "py" if name.starts_with("__editable__") => Some(entry.to_owned()),
        _ => None,
    }
}

fn spelled(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

fn as_in_a_url(path: &Path) -> Vec<u8> {
    let mut url = Vec::new();
    for byte in spelled(path) {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            url.push(byte);
        } else {
            url.extend(format!("%{byte:02X}").into_bytes());
        }
    }
    url
}

fn replaced(text: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let mut new = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(what) {
            new.extend(by);
            rest = behind;
        } else {
            new.push(*first);
            rest = behind;
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn ac_tdd_9_122_what_an_installer_wrote_of_a_copy_names_the_work_tree() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let [home, copy] = ["a b/home", "a b/tdd-copy-x1"].map(|name| root.join(name));
        let site = home.join("api/.venv/lib/python3.11/site-packages");
        written(&home.join("api/.venv/pyvenv.cfg"), "");
        fs::create_dir_all(copy.join("api")).unwrap();
        let files =
            ["p.pth", "__editable___p_finder.py", "p-1.dist-info/direct_url.json", "p.egg-link", "read.txt"];
        let (plain, url) = (|tree: &Path| tree.display().to_string(), "file://");
        let text = |name: &str, tree: &Path| match name {
            "p-1.dist-info/direct_url.json" => format!("{url}{}/api", plain(tree).replace(' ', "%20")),
            _ => format!("import sys\n{0}/api\n{0}/api/src\n", plain(tree)),
        };
        for name in files {
            written(&site.join(name), &text(name, &copy));
        }
        written(&site.join("other.pth"), "/srv/other\n");
        let kept = fs::File::open(site.join("p.pth")).unwrap();
        let now = SystemTime::now();

        let folder = copy.join("api/tests");
        let lent = Lent::to(&home, &home, &folder).unwrap();
        assert_eq!(lent.copy, copy);
        let later = now + Duration::from_mins(1);
        assert_eq!(lent.lead_back(later), Vec::<PathBuf>::new(), "what lay there before is the person's");
        assert_eq!(lent.lead_back(now).len(), 4);
        let read = |name: &str| fs::read_to_string(site.join(name)).unwrap();
        for name in &files[..4] {
            assert_eq!(read(name), text(name, &home), "{name}");
        }
        assert_eq!(read("read.txt"), text("read.txt", &copy), "nobody imports by it");
        assert_eq!(read("other.pth"), "/srv/other\n");
        let still = std::io::read_to_string(kept).unwrap();
        assert_eq!(still, text("p.pth", &copy), "a cache's file of the same content is not written into");
        assert_eq!(lent.lead_back(now), Vec::<PathBuf>::new(), "once");
    }

    #[test]
    fn ac_tdd_9_122_in_the_work_tree_itself_an_installer_is_left_alone() {
        let home = Path::new("/w/home");
        assert!(Lent::to(home, home, &home.join("api")).is_none());
        assert!(Lent::to(home, home, home).is_none());
        let (tree, away) = (Path::new("/tmp/x/home"), Path::new("/tmp/x/home/api"));
        assert_eq!(Lent::to(home, tree, away).map(|lent| lent.copy.to_owned()), Some(tree.to_owned()));
    }
}
