use super::*;

fn line() -> Line {
    let text = |text: &str| Text::new(text.as_bytes(), (text.len() as u64, "h"), &str::to_owned);
    Line {
        v: VERSION,
        id: id("t", "f", "e"),
        from: From::Run,
        run: "run".into(),
        requirement: None,
        criterion: None,
        criterion_text: None,
        attempt: Some(1),
        test_id: "a.py::x".into(),
        test_file: None,
        test: Some(text("def x(): pass\n")),
        left_out: Vec::new(),
        edit: text("+1\n"),
        files: Vec::new(),
        red: Red { kind: "error".into(), seen: "reported".into(), message: String::new(), output: None },
        green: Green { command: None, output: None },
        base: Tree { commit: CheckpointId("a".repeat(40)), tree: "b".repeat(40) },
        result: Tree { commit: CheckpointId("c".repeat(40)), tree: "d".repeat(40) },
        runner: "pytest".into(),
        agent: None,
        model: None,
        cost: Cost::default(),
        ts: 1,
        tdd: "0".into(),
        undone: false,
        repository: Repository::default(),
    }
}

#[test]
fn a_line_is_one_line_that_moves_no_cursor_and_comes_back_as_it_was() {
    let mut one = line();
    let hostile = "\u{1b}]0;x\u{7}\r\n\u{9b}31m\u{202e}gpj.exe\u{2028}\u{0}🦀é\"\\";
    one.test_id = hostile.to_owned();
    one.edit = Text::new(hostile.as_bytes(), (hostile.len() as u64, "h"), &str::to_owned);
    let written = write(&one).unwrap();
    let body = written.strip_suffix('\n').unwrap();
    assert!(body.chars().all(|c| !c.is_control() && !"\u{202e}\u{2028}".contains(c)), "{body:?}");
    assert_eq!(read(body.as_bytes()).unwrap(), one);
}

#[test]
fn texts_are_masked_before_they_are_cut_and_the_cut_is_told() {
    let mask = |text: &str| text.replace("secret", "[masked]");
    let bytes = "a secret\n".repeat(100_000);
    let text = Text::new(bytes.as_bytes(), (bytes.len() as u64, "h"), &mask);
    assert!(text.cut && text.text.len() <= MOST_TEXT && !text.text.contains("secret"));
    assert_eq!(text.bytes, 900_000);
    let invalid = Text::new(b"\xff\xfe ok", (5, "h"), &mask);
    assert!(!invalid.cut && invalid.text.ends_with("ok"));
    assert!(output(&"x\u{1b}[31m".repeat(10_000), &mask).len() <= MOST_OUTPUT);
}

#[test]
fn what_is_no_line_is_refused() {
    for (text, why) in
        [(&b""[..], "EOF"), (b"{}", "missing field"), (b"[1]", ""), (b"\xff", ""), (b"{\"v\":1", "")]
    {
        assert!(read(text).unwrap_err().contains(why), "{text:?}");
    }
    let newer = write(&Line { v: VERSION + 1, ..line() }).unwrap();
    assert!(read(newer.as_bytes()).unwrap_err().contains("newer"));
}

#[test]
fn the_id_is_of_all_three() {
    let all = [id("a", "b", "c"), id("ab", "", "c"), id("a", "bc", ""), id("a", "b", "d")];
    for (at, one) in all.iter().enumerate() {
        assert!(all[at + 1..].iter().all(|other| other != one));
    }
}
