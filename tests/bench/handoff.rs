//! The block of a 16 MiB message, found and parsed, in shapes that a child may choose.

use std::time::{Duration, Instant};

use tdd_core::role::Role;
use tdd_spec::tdd_result;

use super::table::{Figure, Row, median, ms};

const LIMIT: usize = tdd_result::MESSAGE_LIMIT;
const TIMES: usize = 5;
const BLOCK: &str = "```tdd-result\nrole: implementer\nstatus: ok\nfiles: [src/a.rs]\ncommand: cargo test\noutput_excerpt: |\n  ok\n```\n";

/// What comes before the block, again and again.
const SHAPES: [(&str, &str); 14] = [
    ("prose", "A line of prose as agents write it, with `code` in it and a comma.\n"),
    ("empty lines", "\n"),
    ("short lines", "a\n"),
    ("one endless line", "word "),
    ("open fences", "```\n"),
    ("ever longer fences", "````rust\n```\n~~~~\n"),
    ("quoted fences", "> ```tdd-result\n> role: x\n"),
    ("comments that end", "<!-- ```tdd-result -->\n"),
    ("comments that do not end", "<!--\n"),
    ("escapes", "\u{1b}[31mred\u{1b}[0m and \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}\n"),
    ("broken escapes", "\u{1b}[\u{1b}]\u{1b}P"),
    ("carriage returns", "10%\r20%\r30%\r"),
    ("marks and padding", "\u{feff}a                                        \n"),
    ("examples in a fence", "````md\n```tdd-result\nrole: implementer\n```\n````\n"),
];

pub fn measure() -> Vec<Row> {
    let mut found: Vec<(Duration, &str)> = SHAPES.iter().map(|(name, piece)| (time(piece), *name)).collect();
    let (typical, _) = found[0];
    found.sort_unstable();
    let (worst, shape) = found[found.len() - 1];
    let bound = Duration::from_millis(200);
    let (second, other) = found[found.len() - 2];
    vec![
        Row {
            what: "block in a 16 MiB message: prose".to_owned(),
            figure: Figure::Time { measured: typical, bound },
            note: format!("median of {TIMES}"),
        },
        Row {
            what: format!("block in a 16 MiB message: the worst of {} shapes", SHAPES.len()),
            figure: Figure::Time { measured: worst, bound },
            note: format!("{shape}; next: {other}, {}", ms(second)),
        },
    ]
}

fn time(piece: &str) -> Duration {
    let mut message = piece.repeat((LIMIT - BLOCK.len() - 1) / piece.len());
    message.push('\n');
    message.push_str(BLOCK);
    let once = |_| {
        let began = Instant::now();
        let claim = tdd_result::read(&message, Role::Implementer, &["/repo"]);
        let took = began.elapsed();
        std::hint::black_box(&claim);
        took
    };
    median((0..TIMES).map(once).collect())
}
