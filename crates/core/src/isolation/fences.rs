//! What in level `enforce` may be why a program fails that works by hand, and the settings that open it.
//!
//! A program's own words decide nothing: they only say which of the fences is named first.

use std::fmt::Write as _;

use super::{Credentials, HomeAccess, Network, Reach};

/// As the C library, Rust, Go and Node say it.
const READ_ONLY: [&str; 3] = ["read-only file system", "erofs", "os error 30"];

/// A network that is off has no names and no routes.
const NO_NETWORK: [&str; 9] = [
    "network is unreachable",
    "enetunreach",
    "temporary failure in name resolution",
    "could not resolve host",
    "name or service not known",
    "nodename nor servname",
    "getaddrinfo",
    "eai_again",
    "no such host",
];

/// Whose failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fenced {
    /// One of the project's commands.
    Command,
    /// An agent's program; its network is open.
    Agent,
}

impl Reach {
    /// One line: what its output tells of, then all that was closed.
    pub fn fences(&self, output: &str) -> String {
        let told = self.told_by(output, Fenced::Command).map_or_else(String::new, |told| told + "; ");
        let mut closed = Vec::new();
        if self.home == HomeAccess::ReadOnly {
            closed.push("home read-only (`home: rw`)".to_owned());
        }
        if self.network == Network::Off {
            closed.push("network off (`network: on`)".to_owned());
        }
        if self.hide.credentials == Credentials::Hidden {
            closed.push("credentials hidden (`hide: [\"!PATH\"]`)".to_owned());
        }
        if !self.hide.more.is_empty() {
            let mut words = format!("{} more hidden by `hide`: ", self.hide.more.len());
            let _ = write!(words, "{}", self.hide.more.join(", "));
            closed.push(words);
        }
        closed.push("protected files read-only".to_owned());
        format!(
            "{told}where it is green by hand: it ran in level enforce, {}; what is in brackets goes below `sandbox:` in \
             tdd.yaml and opens it, and `--sandbox audit` prevents nothing, to compare",
            closed.join(", ")
        )
    }

    /// What an output says of a fence, and what opens that; `None` where it says nothing of any.
    pub fn told_by(&self, output: &str, whose: Fenced) -> Option<String> {
        let lower = output.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if says(&READ_ONLY) {
            return Some(self.read_only(whose));
        }
        if whose == Fenced::Command && self.network == Network::Off && says(&NO_NETWORK) {
            return Some(
                "it looked for the network, which is off for the project's commands (`sandbox: { network: on }` in \
                 tdd.yaml opens it)"
                    .to_owned(),
            );
        }
        let is_named = |place: &&String| {
            let below = place.strip_prefix('~').unwrap_or(place).trim_end_matches('/');
            below.len() > 1 && output.contains(below)
        };
        let place = self.hide.more.iter().find(is_named)?;
        Some(format!("it names {place}, which `sandbox: hide` in tdd.yaml hides: take it out there"))
    }

    fn read_only(&self, whose: Fenced) -> String {
        let opens = match (self.home, whose) {
            (HomeAccess::Writable, _) => {
                return "it met a read-only file system: in level enforce the project's protected files are"
                    .to_owned();
            }
            (HomeAccess::ReadOnly, Fenced::Command) => "`sandbox: { home: rw }` in tdd.yaml opens it",
            (HomeAccess::ReadOnly, Fenced::Agent) => {
                "name the folder that it keeps there in `uses_home` of its table, or open all of it by \
                 `sandbox: { home: rw }` in tdd.yaml; a protected file that the work has to change is named in the \
                 requirement: `allow_config: [PATH]`"
            }
        };
        format!(
            "it met a read-only file system: in level enforce the home is, but for caches, and protected files are \
             ({opens})"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hide;
    use super::*;

    #[test]
    fn what_an_output_tells_of_comes_first_and_only_what_is_closed_is_told() {
        let closed = Reach::default();
        let line = closed.fences("mkdir: cannot create '/h/.x': Read-only file system");
        assert!(line.starts_with("it met a read-only file system"), "{line}");
        assert!(line.contains("home: rw") && !line.contains("network"), "{line}");
        assert_eq!(closed.told_by("curl: (6) Could not resolve host: x", Fenced::Command), None);
        let hide = Hide { more: vec!["~/data".to_owned()], ..Hide::default() };
        let more = Reach { home: HomeAccess::Writable, network: Network::Off, hide };
        for (output, first) in [
            ("curl: (6) Could not resolve host: x", "it looked for the network"),
            ("Error: getaddrinfo EAI_AGAIN x", "it looked for the network"),
            ("cat: /home/a/data/d: No such file", "it names ~/data"),
            ("1 failed", "where it is green by hand"),
        ] {
            let line = more.fences(output);
            assert!(line.starts_with(first), "{line}");
            assert!(
                line.contains("network: on") && line.contains("~/data") && !line.contains("home: rw"),
                "{line}"
            );
        }
        let agent = more.told_by("getaddrinfo", Fenced::Agent);
        assert_eq!(agent, None, "an agent's network is open");
        let died = closed.told_by("EROFS: read-only file system, mkdir '/h/.x'", Fenced::Agent).unwrap();
        assert!(died.contains("uses_home") && died.contains("home: rw"), "{died}");
    }
}
