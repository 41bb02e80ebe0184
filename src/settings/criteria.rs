//! The criteria that flags name: ids in full, and numbers alone.

use tdd_core::criterion::{self, CriterionId};
use tdd_core::trouble::Trouble;

/// The ids that a flag names. A number alone waits until it is `known` which there are.
pub(super) fn of_flag(
    flag: &str,
    words: &[String],
    known: Option<&[CriterionId]>,
) -> Result<Vec<CriterionId>, Trouble> {
    let (mut ids, mut waiting) = (Vec::new(), 0);
    for typed in words.iter().map(|word| word.trim()).filter(|word| !word.is_empty()) {
        let in_capitals = with_its_capitals(typed, known.unwrap_or_default());
        let word = in_capitals.as_str();
        let id = match (CriterionId::parse(word), criterion::by_number(word, known.unwrap_or_default())) {
            (Some(id), Some(same)) if known.is_some_and(|known| !known.contains(&id)) && same.len() == 1 => {
                same[0].clone()
            }
            (Some(id), _) => id,
            (None, Some(_)) if known.is_none() => {
                waiting += 1;
                continue;
            }
            (None, Some(fitting)) => the_one(flag, word, &fitting, known.unwrap_or_default())?,
            (None, None) => {
                return Err(Trouble::user(format!("{flag}: `{typed}` is no criterion id"))
                    .because("an id looks like AC-STE-12.1; a number alone will do, too: 1")
                    .advise("`tdd criteria`, with the requirement's name, prints its ids"));
            }
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    // An empty list would mean all of them.
    if ids.is_empty() && waiting == 0 && !words.is_empty() {
        return Err(Trouble::user(format!("{flag} holds no criterion id"))
            .because("it was given, and there is nothing in it")
            .advise(format!("For example: {flag} AC-STE-12.1,AC-STE-12.2")));
    }
    Ok(ids)
}

/// An id is the same in small letters, as its requirement's is.
fn with_its_capitals(typed: &str, known: &[CriterionId]) -> String {
    let Some(rest) = typed.get(..2).filter(|head| head.eq_ignore_ascii_case("ac")).map(|_| &typed[2..])
    else {
        return typed.to_owned();
    };
    let word = format!("AC{rest}");
    let same = CriterionId::parse(&word)
        .filter(|id| !known.contains(id))
        .and_then(|id| known.iter().find(|known| known.to_string().eq_ignore_ascii_case(&id.to_string())));
    same.map_or(word, ToString::to_string)
}

/// The criterion with this number, if it is one.
pub fn the_one(
    flag: &str,
    word: &str,
    fitting: &[&CriterionId],
    known: &[CriterionId],
) -> Result<CriterionId, Trouble> {
    let list = |ids: &[&CriterionId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match fitting {
        [one] => Ok((*one).clone()),
        [] => Err(Trouble::user(format!("{flag}: no criterion has the number {word}"))
            .advise(format!("the criteria are: {}", list(&known.iter().collect::<Vec<_>>())))),
        several => Err(Trouble::user(format!("{flag}: {word} is the number of {} criteria", several.len()))
            .advise(format!("name one of them: {}", list(several)))),
    }
}
