//! What the system and tools tell of a person's places in files of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::regular_file;

/// The longest settings file of a tool that is read.
const LONGEST: u64 = 1 << 20;

/// What tools are told in settings of their own, by the variables that would say the same.
pub(super) struct Told(pub(super) BTreeMap<&'static str, PathBuf>);

impl Told {
    pub(super) fn of(home: Option<&Path>, var: &dyn Fn(&str) -> Option<PathBuf>) -> Self {
        let mut told = BTreeMap::new();
        let Some(home) = home else { return Self(told) };
        let config = var("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let go = var("GOENV").unwrap_or_else(|| config.join("go/env"));
        let npm = var("NPM_CONFIG_USERCONFIG").unwrap_or_else(|| home.join(".npmrc"));
        let keys: [(&Path, &[(&str, &'static str)]); 2] = [
            (&go, &[("GOPATH", "GOPATH"), ("GOCACHE", "GOCACHE"), ("GOMODCACHE", "GOMODCACHE")]),
            (&npm, &[("cache", "npm_config_cache"), ("store-dir", "npm_config_store_dir")]),
        ];
        for (file, keys) in keys {
            let Ok(bytes) = regular_file::head(file, LONGEST) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            for line in text.lines() {
                let Some((key, value)) = line.split_once('=') else { continue };
                let value = value.trim().trim_matches('"').replace("${HOME}", "~");
                let path = match value.strip_prefix("~/") {
                    Some(below) => home.join(below),
                    None => PathBuf::from(&value),
                };
                let name = keys.iter().find(|(known, _)| *known == key.trim()).map(|(_, name)| *name);
                told.extend(name.filter(|_| path.is_absolute()).map(|name| (name, path)));
            }
        }
        Self(told)
    }
}

/// The home that the system's list of users names.
pub(super) fn registered_home() -> Option<PathBuf> {
    registered(5).map(PathBuf::from)
}

/// The person's name in that list.
pub(super) fn registered_name() -> Option<String> {
    registered(0)
}

fn registered(column: usize) -> Option<String> {
    let user = rustix::process::geteuid().as_raw().to_string();
    let list = regular_file::read_to_string("/etc/passwd").ok()?;
    let mut lines = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let line = lines.find(|line| line.get(2) == Some(&user.as_str()))?;
    line.get(column).map(|&text| text.to_owned())
}
