//! Batteries: cases that all show the same thing under other circumstances, and take minutes together. The gate
//! plays an even part of each; `TDD_BATTERIES=all`, as `.ci/nightly/batteries` sets it, plays all.

fn plays_all() -> bool {
    std::env::var_os("TDD_BATTERIES").is_some_and(|which| which == "all")
}

/// `most` of these in their order, spread over all of them.
pub fn part<T>(cases: impl IntoIterator<Item = T>, most: usize) -> Vec<T> {
    let cases: Vec<T> = cases.into_iter().collect();
    let count = cases.len();
    if plays_all() || count <= most {
        return cases;
    }
    println!("{most} of {count} cases; TDD_BATTERIES=all plays all");
    let is_chosen = |at: &usize| at * most / count != (at + 1) * most / count;
    cases.into_iter().enumerate().filter(|(at, _)| is_chosen(at)).map(|(_, case)| case).collect()
}

/// Whether a test whose like is in the gate is left to the night.
pub fn is_left_out() -> bool {
    let is_left = !plays_all();
    if is_left {
        println!("left to the night: TDD_BATTERIES=all plays it");
    }
    is_left
}

/// `--proof` of a run whose proof is no part of what is shown: in the gate none, at night this.
pub fn proof(at_night: &str) -> [&str; 2] {
    ["--proof", if plays_all() { at_night } else { "off" }]
}

/// Ends a test whose like is in the gate, unless all are played.
macro_rules! left_to_the_night {
    () => {
        if $crate::battery::is_left_out() {
            return;
        }
    };
}

#[test]
fn a_part_is_spread_over_all_cases() {
    if plays_all() {
        return;
    }
    assert_eq!(part(0..12, 4), [2, 5, 8, 11]);
    assert_eq!(part(0..5, 3), [1, 3, 4]);
    assert_eq!(part(0..3, 3), [0, 1, 2]);
    assert_eq!(part(0..2, 3), [0, 1]);
}

/// Else a matrix of versions would play nothing of what is left to it.
#[test]
fn every_program_of_the_night_plays_what_is_left_to_it() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/nightly");
    let mut seen = 0;
    for path in folder.read_dir().unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains("cargo test ") {
            seen += 1;
            assert!(text.contains("TDD_BATTERIES=all"), "{}", path.display());
        }
    }
    assert!(seen > 4, "{seen}");
}
