//! What is out of a child's sight: credentials, sockets of programs that act for the person, and what
//! `tdd.yaml` adds; less what it shows.

use std::ffi::OsStr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::fence::{Fence, Rule};
use super::known::{Kind, Known, Whose};
use super::places::{CLOUD_LOGINS, CREDENTIALS, MIXED, MOVED, NAMED, SOCKETS};
use super::{git_helpers, sessions};
use crate::regular_file;
use tdd_core::isolation::Credentials;
use tdd_core::tokens;

/// The longest settings file of a tool that is read.
const LONGEST: u64 = 1 << 20;

/// Variables that lead to what is hidden; without it they would only be complained about.
const SSH: &str = "SSH_AUTH_SOCK";
const BUS: &str = "DBUS_SESSION_BUS_ADDRESS";

pub(super) fn lay(known: &Known, fence: &mut Fence, whose: &Whose<'_>) {
    let holds_needed = |place: &Path| whose.needed.iter().any(|needed| needed.starts_with(place));
    let lent = |place: &Path| whose.lent.iter().any(|lent| place.starts_with(lent));
    for folder in known.runtime_folders() {
        if !holds_needed(&folder) {
            fence.set(&folder, Rule::Fresh);
        }
    }
    let mut own: Vec<PathBuf> = Vec::new();
    for (place, by) in known.candidates(whose) {
        let Ok(real) = place.canonicalize() else { continue };
        let is_shown = by != By::Person && known.is_shown(&place, &real);
        // What a child left as a link where credentials may lie would hide a part of the project.
        let is_led_to = by == By::List && known.is_in_project(&real, whose.repository);
        let is_left = is_shown || is_led_to || holds_needed(&real) || lent(&real) || is_device(&real);
        if is_left || is_gone_already(fence, &real) {
            continue;
        }
        fence.set(&real, if real.is_dir() { Rule::Masked } else { Rule::Emptied });
        if by == By::Person {
            own.push(real);
        }
    }
    let sessions = sessions::find(known);
    let all = sessions.folders.iter().map(|path| (path, Rule::Fresh));
    for (place, rule) in all.chain(sessions.sockets.iter().map(|path| (path, Rule::Emptied))) {
        let Ok(real) = place.canonicalize() else { continue };
        let is_left =
            known.is_shown(place, &real) || holds_needed(&real) || real.starts_with(whose.repository);
        if !is_left && !is_gone_already(fence, &real) {
            fence.set(&real, rule);
        }
    }
    for shown in known.shown() {
        if let Ok(real) = shown.canonicalize()
            && is_gone_already(fence, &real)
            && !own.iter().any(|own| real.starts_with(own))
        {
            fence.set(&real, Rule::ReadOnly);
        }
    }
    show_empty(known, fence, whose.repository);
    for (ours, path) in known.without_tokens(whose.repository) {
        if !lent(&path) && !is_gone_already(fence, &path) {
            fence.show_instead(&ours, &path);
        }
    }
    leave_untold(known, fence);
}

/// Gives the fence an empty file of ours, if it empties any.
pub(super) fn show_empty(known: &Known, fence: &mut Fence, repository: &Path) {
    if fence.rules().any(|(_, rule)| rule == Rule::Emptied)
        && let Some(nothing) = known.stand_in("nothing", b"", repository)
    {
        fence.empty_with(&nothing);
    }
}

fn is_gone_already(fence: &Fence, path: &Path) -> bool {
    matches!(fence.rule(path), Some(Rule::Masked | Rule::Emptied | Rule::Fresh))
}

/// Whose words hide a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Ours: places of credentials.
    List,
    Project,
    Person,
}

/// `/dev/null`, by which people say that there is no such file.
fn is_device(real: &Path) -> bool {
    real.metadata().is_ok_and(|about| about.file_type().is_char_device() || about.file_type().is_fifo())
}

fn leave_untold(known: &Known, fence: &mut Fence) {
    let socket = known.var(SSH).and_then(|path| path.canonicalize().ok());
    if socket.is_some_and(|socket| is_gone_already(fence, &socket)) {
        fence.leave_untold(SSH);
    }
    let bus = known.vars.get(OsStr::new(BUS)).and_then(|bus| bus.to_str());
    if bus.is_some() && !known.runtime_folders().any(|folder| !is_gone_already(fence, &folder.join("bus"))) {
        fence.leave_untold(BUS);
    }
    for variable in sessions::NAMING {
        let socket = sessions::named(known, variable).and_then(|path| path.canonicalize().ok());
        if socket.is_some_and(|socket| is_gone_already(fence, &socket)) {
            fence.leave_untold(variable);
        }
    }
}

impl Known {
    /// Where programs of the session put their sockets.
    fn runtime_folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let own = PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()));
        let named = self.var("XDG_RUNTIME_DIR").into_iter().chain([own]);
        let is_hidden = self.reach.hide.credentials == Credentials::Hidden;
        let real =
            named.filter(move |_| is_hidden).filter_map(|path| Some((path.canonicalize().ok()?, path)));
        real.filter(|(real, path)| real.is_dir() && !self.is_shown(path, real)).map(|(real, _)| real)
    }

    /// Everything that would be hidden if it is there, as it is spelled.
    pub(super) fn candidates(&self, whose: &Whose<'_>) -> Vec<(PathBuf, By)> {
        let said = |places: &[String], by: By| {
            places.iter().filter_map(|place| Some((self.expanded(place)?, by))).collect::<Vec<_>>()
        };
        let mut all = said(&self.reach.hide.own, By::Person);
        all.extend(said(&self.reach.hide.more, By::Project));
        if self.reach.hide.credentials == Credentials::Hidden {
            all.extend(self.listed(whose).into_iter().map(|path| (path, By::List)));
        }
        all
    }

    /// Places of credentials.
    fn listed(&self, whose: &Whose<'_>) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        let needed = match whose.kind {
            Kind::Agent => self.cloud_logins(),
            Kind::Command => Vec::new(),
        };
        for place in CREDENTIALS.iter().filter(|place| !needed.contains(place)) {
            all.extend(self.homes.iter().map(|home| home.spelled.join(place)));
            let moved = MOVED.iter().filter_map(|(variable, default)| {
                let below = place.strip_prefix(default)?.strip_prefix('/')?;
                Some(self.var(variable)?.join(below))
            });
            all.extend(moved);
        }
        for home in &self.homes {
            all.extend(
                ["credentials", "credentials.toml"].map(|name| home.spelled.join(".cargo").join(name)),
            );
        }
        all.extend(self.named(whose.repository, &needed));
        all.extend_from_slice(self.git.get_or_init(|| git_helpers::places(self, whose.repository)));
        all.extend(SOCKETS.iter().map(PathBuf::from));
        if !self.shows_keys() {
            all.extend(self.var(SSH));
        }
        let hosts = ["DOCKER_HOST", "CONTAINER_HOST"].into_iter().filter_map(|name| {
            let value = self.vars.get(OsStr::new(name))?.to_str()?;
            value.strip_prefix("unix://").map(PathBuf::from)
        });
        all.extend(hosts);
        all
    }

    /// What variables name; a file of the repository's own is the project's.
    fn named(&self, repository: &Path, needed: &[&str]) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for (variable, parts) in NAMED {
            let Some(value) = self.vars.get(OsStr::new(variable)) else { continue };
            let is_needed = match *variable {
                "AWS_CONFIG_FILE" | "AWS_SHARED_CREDENTIALS_FILE" => needed.contains(&".aws"),
                "GOOGLE_APPLICATION_CREDENTIALS" | "CLOUDSDK_CONFIG" => needed.contains(&".config/gcloud"),
                "AZURE_CONFIG_DIR" => needed.contains(&".azure"),
                _ => false,
            };
            let places = std::env::split_paths(value).filter(|path| path.is_absolute() && !is_needed);
            let outside =
                places.filter(|path| !path.canonicalize().is_ok_and(|real| real.starts_with(repository)));
            for path in outside {
                let part = |part: &&str| if part.is_empty() { path.clone() } else { path.join(part) };
                all.extend(parts.iter().map(part));
            }
        }
        all
    }

    /// The log-ins of clouds that an agent says it signs in through.
    pub(super) fn cloud_logins(&self) -> Vec<&'static str> {
        let is_set = |variable: &str| {
            self.vars
                .get(OsStr::new(variable))
                .is_some_and(|value| !["", "0", "false"].iter().any(|off| value == *off))
        };
        CLOUD_LOGINS.iter().filter(|(variable, _)| is_set(variable)).map(|(_, place)| *place).collect()
    }

    /// The places that `tdd.yaml` takes out.
    fn shown(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.reach.hide.shown.iter().filter_map(|place| self.expanded(place))
    }

    /// Settings that hold tokens, and what is seen in their place.
    fn without_tokens(&self, repository: &Path) -> Vec<(PathBuf, PathBuf)> {
        if self.reach.hide.credentials == Credentials::Shown {
            return Vec::new();
        }
        let of_homes = MIXED.iter().flat_map(|(variable, name)| {
            let homes = self.homes.iter().map(move |home| home.spelled.join(name));
            self.var(variable).into_iter().chain(homes)
        });
        let mut pairs: Vec<(PathBuf, PathBuf)> = Vec::new();
        for (index, path) in of_homes.enumerate() {
            let Ok(real) = path.canonicalize() else { continue };
            if real.starts_with(repository)
                || self.is_shown(&path, &real)
                || pairs.iter().any(|(_, known)| *known == real)
            {
                continue;
            }
            let Ok(bytes) = regular_file::head(&real, LONGEST) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let Some(left) = tokens::without(&text) else { continue };
            if let Some(ours) = self.stand_in(&format!("settings-{index}"), left.as_bytes(), repository) {
                pairs.push((ours, real));
            }
        }
        pairs
    }

    /// Whether this is the project's, and not the person's though the project lies in the same home.
    fn is_in_project(&self, real: &Path, repository: &Path) -> bool {
        real.starts_with(repository) && !self.homes.iter().any(|home| home.real.starts_with(repository))
    }

    pub(super) fn is_shown(&self, place: &Path, real: &Path) -> bool {
        self.shown().any(|shown| {
            place.starts_with(&shown) || shown.canonicalize().is_ok_and(|shown| real.starts_with(shown))
        })
    }

    /// Who may see the keys may use the program that holds them, too.
    pub(super) fn shows_keys(&self) -> bool {
        self.homes.iter().any(|home| {
            let keys = home.spelled.join(".ssh");
            self.shown().any(|shown| keys.starts_with(shown))
        })
    }
}
