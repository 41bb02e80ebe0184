//! What a person and a machine see of a run.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tdd::view::json::Json;
use tdd::view::lines::Lines;
use tdd::view::live::Live;
use tdd::view::{Detail, Ink, Mode, Stderr, Wish, mode};
use tdd_core::audience::{Audience, News};
use tdd_core::finding::{Findings, RedKind};
use tdd_core::path::RelPath;
use tdd_core::role::{Key, Role};

use crate::sample::{
    Play, Story, criterion, green, halted, measured, not_green, red, says_nothing, says_ok, started, well,
};

/// A stream that a test can read back.
#[derive(Clone, Default)]
struct Tape(Arc<Mutex<Vec<u8>>>);

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Tape {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// A stream whose reader has gone.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

fn show(story: &Story, audience: &mut dyn Audience) {
    for (at, (state, event)) in (1_700_000_000_000_u64..).zip(&story.told) {
        audience.event(state, event, at);
    }
}

fn news() -> Vec<News> {
    vec![
        News::Running { what: "RED".to_owned(), command: "cargo test".to_owned() },
        News::ChildLine { line: "\u{1b}[2Jwriting tests".to_owned() },
        News::Turns { count: 2 },
        News::Note("level: audit\nnot prevented: reading history".to_owned()),
        News::Bounds { wall_ms: 1_800_000, idle_ms: 600_000 },
        News::Tick { silent_ms: 65_000 },
    ]
}

fn hear(audience: &mut dyn Audience) {
    for news in news() {
        audience.news(&news);
    }
}

fn finished() -> Story {
    let mut story = Story::of(started());
    story.go(well);
    story
}

#[test]
fn ac_tdd_6_1_the_first_line_says_which_commands_were_chosen_from_where_and_who_reads_them() {
    let tape = Tape::default();
    show(&finished(), &mut Lines::new(tape.clone(), Detail::Full));
    let want = "test: `cargo test` (CLAUDE.md), gate: `cargo clippy && cargo test` (tdd.yaml), \
                read by the cargo adapter";
    assert_eq!(anstream::adapter::strip_str(tape.text().lines().next().unwrap()).to_string(), want);
}

#[test]
fn lines_tell_of_baseline_attempts_verdicts_and_what_became_of_the_work() {
    let tape = Tape::default();
    let bad = Play { returned: says_nothing(), measured: Some(measured(Findings::Green(not_green(1)))) };
    show(&halted(Key::Implementer(criterion(1)), bad), &mut Lines::new(tape.clone(), Detail::Full));
    let page = anstream::adapter::strip_str(&tape.text()).to_string();
    let parts = [
        "baseline: 1 test, 1 green, 0 red, 0 flaky, 0 skipped, 2.0 s; gate green",
        "estimate: 4 attempts if nothing fails, 12 at most",
        "RED, attempt 1: test-writer (scripted)",
        "2 of 2 new tests red",
        "passed, as measured",
        "RED is kept",
        "GREEN AC-STE-1.1, attempt 1: implementer",
        "no valid block (no-block)",
        "failed, mode D",
        "GREEN AC-STE-1.1, attempt 2 (only the block is asked for again)",
        "the failed work is kept as f00000000000",
        "halted in GREEN: implementer AC-STE-1.1",
    ];
    let mut from = 0;
    for part in parts {
        let at = page[from..].find(part).unwrap_or_else(|| panic!("no {part:?}:\n{page}"));
        from += at;
    }
}

fn told_in_brief(story: &Story) -> String {
    let tape = Tape::default();
    let mut lines = Lines::new(tape.clone(), Detail::Brief);
    show(story, &mut lines);
    hear(&mut lines);
    anstream::adapter::strip_str(&tape.text()).to_string()
}

#[test]
fn ac_tdd_6_9_success_is_quiet() {
    let page = told_in_brief(&finished());
    let of = |start: &str| page.lines().filter(|line| line.starts_with(start)).count();
    for start in
        ["RED: 2 new tests red as they should be; attempt 1", "REFACTOR: the gate passes", "finished:"]
    {
        assert_eq!(of(start), 1, "{start}: {page}");
    }
    for criterion in ["AC-STE-1.1 green: ", "AC-STE-1.2 green: "] {
        assert_eq!(of(criterion), 1, "{criterion}: {page}");
    }
    // What has to be known before it is too late is there all the same.
    for start in ["test: ", "requirement: ", "baseline: ", "level: audit", "not prevented: "] {
        assert_eq!(of(start), 1, "{start}: {page}");
    }
    for step in ["runs ", "child ", "checkpoint", "passed", "  "] {
        assert_eq!(of(step), 0, "{step}: {page}");
    }
}

/// A log in which nothing moves looks like a program that hangs.
#[test]
fn ac_tdd_6_11_without_a_live_display_each_attempt_is_told_when_it_begins_and_while_it_lasts() {
    let page = told_in_brief(&finished());
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("no `{words}`: {page}"));
    for (begins, ends) in [
        ("RED: the test-writer is at work, attempt 1 of 2\n", "RED: 2 new tests"),
        ("AC-STE-1.1: the implementer is at work, attempt 1 of 2\n", "AC-STE-1.1 green: "),
        ("AC-STE-1.2: the implementer is at work, attempt 1 of 2\n", "AC-STE-1.2 green: "),
        ("REFACTOR: the refactorer is at work, attempt 1 of 2\n", "REFACTOR: the gate passes"),
    ] {
        assert!(at(begins) < at(ends), "{page}");
    }
    let tick = |quiet: Duration| {
        let tape = Tape::default();
        let mut lines = Lines::new(tape.clone(), Detail::Brief).every(quiet);
        lines.news(&News::Tick { silent_ms: 1 });
        lines.news(&News::Bounds { wall_ms: 1_800_000, idle_ms: 600_000 });
        lines.news(&News::Tick { silent_ms: 65_000 });
        anstream::adapter::strip_str(&tape.text()).to_string()
    };
    assert_eq!(tick(Duration::ZERO), "  still at work: 0:00 of 30:00, silent for 1:05 of 10:00\n");
    assert_eq!(tick(Duration::from_mins(5)), "");
}

#[test]
fn ac_tdd_6_9_failures_are_told_without_being_asked_for() {
    let bad = Play {
        returned: says_ok(Role::Implementer),
        measured: Some(measured(Findings::Green(not_green(1)))),
    };
    let page = told_in_brief(&halted(Key::Implementer(criterion(1)), bad));
    for number in [1, 2] {
        assert!(page.contains(&format!("AC-STE-1.1 failed, attempt {number}, mode B: ")), "{page}");
    }
    assert!(page.contains("halted in GREEN: implementer AC-STE-1.1"), "{page}");
    assert!(!page.contains("AC-STE-1.1 green"), "{page}");
}

#[test]
fn a_file_name_can_not_move_the_cursor() {
    let mut findings = green(1);
    findings.forbidden.push(RelPath::new("tests/\u{1b}[2J\u{1b}]0;x\u{7}\r.rs").unwrap());
    let bad =
        Play { returned: says_ok(Role::Implementer), measured: Some(measured(Findings::Green(findings))) };
    let tape = Tape::default();
    show(&halted(Key::Implementer(criterion(1)), bad), &mut Lines::new(tape.clone(), Detail::Full));
    let page = tape.text();
    assert!(page.contains("may not change"), "{page}");
    for bad in ["\u{1b}[2J", "\u{1b}]", "\u{7}", "\r"] {
        assert!(!page.contains(bad), "{bad:?}");
    }
}

#[test]
fn ac_tdd_6_2_json_is_one_object_a_line_for_each_event_and_nothing_else() {
    let (out, aside) = (Tape::default(), Tape::default());
    let mut story = Story::of(started());
    story.go(|attempt| match attempt.key {
        Key::TestWriter => {
            let mut findings = red(RedKind::Assertion);
            findings.runs[0].output = "z".repeat(30_000);
            findings.greens.gained = vec![crate::sample::test_id(7); 4000];
            Play { measured: Some(measured(Findings::Red(findings))), ..well(attempt) }
        }
        Key::Implementer(_) | Key::Refactorer => well(attempt),
    });
    let mut json = Json::new(out.clone(), aside.clone());
    show(&story, &mut json);
    hear(&mut json);
    let text = out.text();
    assert_eq!(text.lines().count(), story.told.len());
    for ((line, (_, event)), ts) in text.lines().zip(&story.told).zip(1_700_000_000_000_u64..) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["type"], event.name());
        assert_eq!(value["ts"], ts);
        assert!(line.len() < 4000, "{} bytes: {}", line.len(), event.name());
    }
    let of = |name: &str| {
        let value = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        value.into_iter().find(|value| value["type"] == name).unwrap()
    };
    let red = &of("attempt_measured")["findings"]["red"];
    assert_eq!(red["greens"]["gained_count"], 4000);
    assert_eq!(red["runs"][0]["output_bytes"], 30_000);
    assert_eq!(red["criteria"][0]["id"], "AC-STE-1.1");
    assert_eq!(aside.text(), "level: audit\nnot prevented: reading history\n");
}

#[test]
fn ac_tdd_6_10_the_live_display_keeps_every_line_and_clears_itself() {
    let tape = Tape::default();
    let plain = Tape::default();
    let story = finished();
    show(&story, &mut Lines::new(plain.clone(), Detail::Full));
    let mut live = Live::on(tape.clone(), size, Detail::Full);
    for (state, event) in &story.told {
        live.event(state, event, 0);
        hear(&mut live);
    }
    drop(live);
    let shown = tape.text();
    for line in plain.text().lines() {
        assert!(shown.contains(line), "{line:?} was lost");
    }
    assert!(shown.contains("not prevented: reading history\n"));
    assert!(shown.contains("\u{1b}[31m◐"), "a red dot while criteria are red");
    assert!(shown.contains("\u{1b}[33m◉"), "another one for what is worked on");
    assert!(shown.contains(", attempt 1 of 2"), "{shown}");
    assert!(shown.contains("0:00 of 30:00, silent for 1:05 of 10:00"), "{shown}");
    assert!(
        !shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}[?25l"),
        "no clear screen, no hidden cursor"
    );
    let screen = replay(&shown);
    assert!(screen.iter().all(|line| !line.contains('●')), "the dots are gone at the end: {screen:#?}");
    assert_eq!(screen.iter().filter(|line| line.contains("finished: every criterion")).count(), 1);
}

fn size() -> (u16, u16) {
    (100, 30)
}

/// What a terminal of that width and endless height shows in the end, by the few sequences used.
fn replay(stream: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![Vec::new()], 0, 0);
    let mut rest = stream;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            let count: usize = sequence[..end].parse().unwrap_or(1);
            match &sequence[end..=end] {
                "A" => row -= count,
                "B" => row += count,
                "G" => column = count - 1,
                "K" => lines[row].clear(),
                "m" => {}
                other => panic!("unknown sequence {other}"),
            }
            taken = 2 + end + 1;
        } else if c == '\r' {
            column = 0;
        } else {
            if c == '\n' || column == usize::from(size().0) {
                (row, column) = (row + 1, 0);
            }
            lines.resize_with(lines.len().max(row + 1), Vec::new);
            if c != '\n' {
                let line: &mut Vec<char> = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
        rest = &rest[taken..];
    }
    lines.into_iter().map(|line| line.into_iter().collect()).collect()
}

#[test]
fn ac_tdd_6_3_a_closed_stream_stops_nothing() {
    let story = finished();
    let mut views: [Box<dyn Audience>; 3] = [
        Box::new(Lines::new(Closed, Detail::Full)),
        Box::new(Json::new(Closed, Closed)),
        Box::new(Live::on(Closed, size, Detail::Brief)),
    ];
    for view in &mut views {
        show(&story, view.as_mut());
        hear(view.as_mut());
    }
}

#[test]
fn the_way_of_showing_follows_the_wish_and_then_the_terminal() {
    for (wish, stderr, want) in [
        (Wish::Quiet, Stderr::Terminal(Ink::Colours), Mode::Quiet),
        (Wish::Json(None), Stderr::Terminal(Ink::None), Mode::Json(None)),
        (Wish::Json(Some(Detail::Brief)), Stderr::Terminal(Ink::Colours), Mode::Json(Some(Detail::Brief))),
        (
            Wish::Progress(Detail::Brief),
            Stderr::Terminal(Ink::Colours),
            Mode::Live(Ink::Colours, Detail::Brief),
        ),
        (Wish::Progress(Detail::Full), Stderr::Terminal(Ink::None), Mode::Live(Ink::None, Detail::Full)),
        (Wish::Progress(Detail::Full), Stderr::Plain, Mode::Lines(Detail::Full)),
    ] {
        assert_eq!(mode(wish, stderr), want);
    }
}

/// Each piece that was written on its own.
#[derive(Clone, Default)]
struct Pieces(Arc<Mutex<Vec<String>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(String::from_utf8(bytes.to_vec()).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_frame_goes_out_by_one_write_so_that_no_echo_comes_between_its_rows() {
    let pieces = Pieces::default();
    let mut live = Live::on(pieces.clone(), size, Detail::Brief);
    for (state, event) in &finished().told {
        live.event(state, event, 0);
        hear(&mut live);
    }
    drop(live);
    let pieces = pieces.0.lock().unwrap();
    let frames: Vec<&String> = pieces.iter().filter(|piece| piece.contains(", attempt 1 of 2")).collect();
    assert!(!frames.is_empty());
    for frame in frames {
        assert!(frame.contains(" green"), "{frame:?}");
    }
}
