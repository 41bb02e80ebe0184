//! Names of runs that people type (contract section 3).
//!
//! ```text
//! id   = YYYYMMDD "T" HHMMSS "Z-" requirement "-" 4 hex digits
//! name = id | "@" {"-"} | requirement | any part of an id
//! ```
//!
//! `@` is the newest run and `@-` the one before it; a requirement names the newest of its runs.

use serde::{Deserialize, Serialize};

/// `YYYYMMDDTHHMMSSZ-<requirement>-<4 hex digits>`: sorts by time, safe as a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RunId(pub String);

/// As people name it: without the time, `STE-1-ae1f`.
impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(short(&self.0))
    }
}

/// What a name means among the ids of all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    One(&'a str),
    Nobody,
    /// The newest first.
    Several(Vec<&'a str>),
}

/// Looks a name up among `ids`, the newest first.
pub fn look_up<'a>(name: &str, ids: &[&'a str]) -> Meaning<'a> {
    if let Some(exact) = ids.iter().find(|id| **id == name) {
        return Meaning::One(exact);
    }
    if let Some(back) = name.strip_prefix('@').filter(|rest| rest.bytes().all(|byte| byte == b'-')) {
        return ids.get(back.len()).map_or(Meaning::Nobody, |id| Meaning::One(id));
    }
    if name.is_empty() {
        return Meaning::Nobody;
    }
    let of_requirement = |id: &&&str| requirement(id).is_some_and(|own| own.eq_ignore_ascii_case(name));
    if let Some(newest) = ids.iter().find(of_requirement) {
        return Meaning::One(newest);
    }
    part_of(name, ids)
}

/// The same for a part of an id alone, from its beginning before any other.
pub fn part_of<'a>(name: &str, ids: &[&'a str]) -> Meaning<'a> {
    let fits = |test: &dyn Fn(&str) -> bool| ids.iter().filter(|id| test(id)).copied().collect::<Vec<_>>();
    let begins = fits(&|id| id.starts_with(name) || short(id).starts_with(name));
    let found = if begins.is_empty() { fits(&|id| id.contains(name)) } else { begins };
    match found[..] {
        [] => Meaning::Nobody,
        [one] => Meaning::One(one),
        _ => Meaning::Several(found),
    }
}

/// An id without its time; the id itself where it has none.
pub fn short(id: &str) -> &str {
    let time = id.get(..16).filter(|time| {
        let is_digit = |at: usize| time.as_bytes()[at].is_ascii_digit();
        (0..8).chain(9..15).all(is_digit) && time.as_bytes()[8] == b'T' && time.as_bytes()[15] == b'Z'
    });
    let rest = time.and_then(|_| id[16..].strip_prefix('-'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(id)
}

/// The requirement that an id names.
fn requirement(id: &str) -> Option<&str> {
    let name = short(id);
    (name != id).then(|| name.rsplit_once('-'))?.map(|(requirement, _)| requirement)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 4] = [
        "20261103T120000Z-STE-1-ae1f",
        "20261102T120000Z-STE-12-0c0d",
        "20261101T120000Z-STE-1-0b0b",
        "20261101T110000Z-fix-77aa",
    ];

    #[test]
    fn every_name_of_a_run_finds_it() {
        for (name, at) in [
            (IDS[2], 2),
            ("@", 0),
            ("@-", 1),
            ("@---", 3),
            ("STE-1", 0),
            ("ste-12", 1),
            ("STE-1-0b0b", 2),
            ("ae1f", 0),
            ("77a", 3),
            ("fix", 3),
            ("20261102", 1),
        ] {
            assert_eq!(look_up(name, &IDS), Meaning::One(IDS[at]), "{name}");
        }
    }

    #[test]
    fn what_fits_none_or_several_is_said() {
        for name in ["", "@----", "@x", "STE-13", "xyz"] {
            assert_eq!(look_up(name, &IDS), Meaning::Nobody, "{name}");
        }
        assert_eq!(look_up("20261101", &IDS), Meaning::Several(vec![IDS[2], IDS[3]]));
        assert_eq!(look_up("STE", &IDS), Meaning::Several(IDS[..3].to_vec()));
        assert_eq!(look_up("0", &IDS), Meaning::Several(IDS.to_vec()), "any part");
        assert_eq!(look_up("@", &[]), Meaning::Nobody);
    }

    #[test]
    fn short_names_are_those_of_ids_alone() {
        assert_eq!(short(IDS[0]), "STE-1-ae1f");
        for odd in ["", "x", "20261103T120000Z-", "20261103T12000äZ-a-1234", "1"] {
            assert_eq!(short(odd), odd);
        }
    }
}
