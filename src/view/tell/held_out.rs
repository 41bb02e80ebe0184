//! What is told of held-out tests: how many, and never which.

use super::{Line, bad, counted, dim, good, plain};
use tdd_core::criterion::CriterionId;
use tdd_core::held_out::{Back, Held, Parted, Parting};

pub(super) fn lines(held: &Held) -> Vec<Line> {
    match held {
        Held::More { criteria } => {
            let have = if criteria.len() == 1 { "has" } else { "have" };
            let text = format!(
                "held out: {} {have} one test; a second test-writer is asked for more",
                listed(criteria)
            );
            vec![plain(text)]
        }
        Held::Parted(parting) => parted(parting),
        Held::Out { .. } => vec![dim("held out: they are out of the work tree")],
        Held::Back(back) => back_again(back),
    }
}

fn back_again(back: &Back) -> Vec<Line> {
    let place = match back.not_back.len() {
        0 => "back in the work tree".to_owned(),
        count => format!("back in the work tree, but for {}", counted(count, "file that was changed")),
    };
    let unjudged = listed(&back.unjudged);
    let green = back.green.len();
    let line = match (&back.halt, back.unjudged.is_empty()) {
        (Some(_), _) => return vec![bad(format!("held out: {place}, and not all of them are green"))],
        (None, true) => format!("held out: {place}, all of them green ({green})"),
        (None, false) if green == 0 => {
            return vec![plain(format!("held out: {place}; none of them judged the work"))];
        }
        (None, false) => {
            format!("held out: {place}, {green} green; those of {unjudged} did not judge the work")
        }
    };
    vec![good(line)]
}

fn listed(ids: &[CriterionId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn parted(parting: &Parting) -> Vec<Line> {
    let line = |parted: &Parted| {
        let all = parted.shown.len() + parted.hidden.len();
        let held =
            || format!("held out: {} of {all} for {}", counted(parted.hidden.len(), "test"), parted.id);
        let none = |why| format!("held out: none for {}: {why}", parted.id);
        plain(parted.none.as_ref().map_or_else(held, none))
    };
    parting.criteria.iter().map(line).collect()
}
