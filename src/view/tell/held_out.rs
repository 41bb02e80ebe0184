//! What is told of held-out tests: how many, and never which.

use super::{Line, bad, counted, dim, good, plain};
use tdd_core::held_out::{Held, Parted, Parting};

pub(super) fn lines(held: &Held) -> Vec<Line> {
    match held {
        Held::Parted(parting) => parted(parting),
        Held::Out { .. } => vec![dim("held out: they are out of the work tree")],
        Held::Back(back) if back.halt.is_some() => {
            vec![bad("held out: back in the work tree, and not all of them are green")]
        }
        Held::Back(_) => vec![good("held out: back in the work tree, all of them green")],
    }
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
