use super::*;

fn hostile() -> String {
    let markup = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--";
    format!("{markup}\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}reversed\u{0}{}", "A".repeat(5000))
}

fn attempt(index: usize) -> AttemptPage {
    AttemptPage {
        key: "implementer AC-STE-1.1".to_owned(),
        index,
        number: 1,
        kind: "first",
        started_ms: 100 * index as u64,
        took_ms: 50,
        used: "tokens unknown".to_owned(),
        ended: Ended::Failed,
        reasons: vec![hostile()],
        claim: vec![Part { what: "files", claimed: hostile(), found: hostile() }],
        prompt: vec![("task".to_owned(), hostile())],
        message: Some(hostile()),
        diff: format!("+{}\n-{}\n@@ x\n", hostile(), hostile()),
        runs: vec![RunPart { command: hostile(), output: hostile(), ..RunPart::default() }],
        ..AttemptPage::default()
    }
}

fn run(name: &str, attempts: usize) -> RunPage {
    RunPage {
        name: name.to_owned(),
        title: hostile(),
        state: hostile(),
        cause: Some(hostile()),
        attempts: (1..=attempts).map(attempt).collect(),
        ..RunPage::default()
    }
}

/// Nothing that a child writes is anything but text.
#[test]
fn what_children_wrote_is_text_and_nothing_else() {
    let page = page(&[run("STE-1-ab12", 2)]);
    // Its own, and none of theirs.
    for (tag, count) in
        [("<script", 1), ("</script", 1), ("<img", 0), ("<style", 1), ("<!--", 0), ("<meta", 4)]
    {
        assert_eq!(page.matches(tag).count(), count, "{tag}");
    }
    // Neither as they are nor as a browser would read them.
    assert!(!page.contains("&#27;"));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}') && !page.contains('\u{0}'));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    for attribute in ["onerror=\"", "onclick", "style=\"", "javascript:", "http://", "https://"] {
        assert!(!page.contains(attribute), "{attribute}");
    }
}

#[test]
fn the_policy_names_the_style_and_the_script_that_are_there() {
    let page = page(&[run("STE-1-ab12", 1)]);
    let between = |open: &str, close: &str| {
        let from = page.find(open).unwrap() + open.len();
        &page[from..from + page[from..].find(close).unwrap()]
    };
    let policy = between("Content-Security-Policy\" content=\"", "\"");
    for text in [between("<style>", "</style>"), between("<script>", "</script>")] {
        assert!(policy.contains(&hash(text)), "{policy}");
    }
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
}

#[test]
fn each_attempt_and_each_run_can_be_linked_to() {
    let page = page(&[run("STE-1-ab12", 2), run("STE-2-cd34", 1)]);
    for anchor in ["run-STE-1-ab12", "run-STE-1-ab12-attempt-2", "run-STE-2-cd34-attempt-1"] {
        assert_eq!(page.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
        assert!(page.contains(&format!("href=\"#{anchor}\"")), "{anchor}");
    }
}
