//! How much of the final proof is made: the flag, this machine's variable, `tdd.yaml`, else all of it.

use std::ffi::OsStr;

use tdd_core::proof::Extent;
use tdd_core::trouble::Trouble;

pub(super) fn extent(
    flag: Option<&str>,
    variable: Option<&OsStr>,
    configured: Option<Extent>,
) -> Result<Extent, Trouble> {
    let named = |word: &OsStr| Extent::WORDS.into_iter().find(|(name, _)| word == *name).map(|(_, it)| it);
    if let Some(extent) = flag.and_then(|word| named(OsStr::new(word))) {
        return Ok(extent);
    }
    let of_machine = match variable.filter(|word| !word.is_empty()) {
        None => None,
        Some(word) => Some(named(word).ok_or_else(|| {
            Trouble::user(format!("TDD_PROOF says not how much is proven: `{}`", word.display()))
                .advise("Set it to full, quick or off, or take it out of the environment.")
        })?),
    };
    Ok(of_machine.or(configured).unwrap_or(Extent::Full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_counts_and_without_any_all_is_proven() {
        let of = |flag, variable: Option<&str>, configured| {
            extent(flag, variable.map(OsStr::new), configured).map_err(|trouble| trouble.to_string())
        };
        assert_eq!(of(None, None, None), Ok(Extent::Full));
        assert_eq!(of(None, Some(""), Some(Extent::Quick)), Ok(Extent::Quick));
        assert_eq!(of(None, Some("off"), Some(Extent::Quick)), Ok(Extent::Off));
        assert_eq!(of(Some("full"), Some("off"), Some(Extent::Quick)), Ok(Extent::Full));
        assert!(of(None, Some("half"), None).unwrap_err().contains("TDD_PROOF"));
    }
}
