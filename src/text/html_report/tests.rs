use super::*;
use tdd_core::finding::RedKind;

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
        prompt: vec![PromptText { name: "task".to_owned(), text: hostile(), as_in: None }],
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
    let page = page(vec![run("STE-1-ab12", 2)]);
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
    let page = page(vec![run("STE-1-ab12", 1)]);
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
    let page = page(vec![run("STE-1-ab12", 2), run("STE-2-cd34", 1)]);
    for anchor in ["run-STE-1-ab12", "run-STE-1-ab12-attempt-2", "run-STE-2-cd34-attempt-1"] {
        assert_eq!(page.matches(&format!("id=\"{anchor}\"")).count(), 1, "{anchor}");
        assert!(page.contains(&format!("href=\"#{anchor}\"")), "{anchor}");
    }
}

/// A criterion is linked to as well, and what a child says of it is no place to go.
#[test]
fn each_criterion_can_be_linked_to_and_its_reds_are_explained() {
    let mut one = run("STE-1-ab12", 1);
    one.criteria = vec![CriterionPage {
        id: "AC-STE-1.1".to_owned(),
        tests: vec![("a.py::t".to_owned(), RedKind::Missing, "green", Some(1))],
        ..CriterionPage::default()
    }];
    let page = page(vec![one]);
    assert!(
        page.contains("id=\"run-STE-1-ab12-AC-STE-1.1\"")
            && page.contains("href=\"#run-STE-1-ab12-AC-STE-1.1\"")
    );
    assert!(
        page.contains("what it asks for does not exist yet; its expectation was never seen failing"),
        "{page}"
    );
}

#[test]
fn what_two_attempts_were_told_alike_stands_there_once() {
    let page = page(vec![run("STE-1-ab12", 3)]);
    assert_eq!(page.matches("the same as in ").count(), 2);
    assert_eq!(page.matches("href=\"#run-STE-1-ab12-attempt-1\">attempt 1</a>").count(), 2);
}

#[test]
fn runs_are_compared_by_time_and_by_attempts() {
    let timed = |name: &str, began_ms: u64| RunPage {
        began_ms,
        ended_ms: began_ms + 5000,
        criteria: vec![CriterionPage::default()],
        ..run(name, 2)
    };
    let mut waited = timed("STE-2-cd34", 9000);
    waited.ended_ms += 8 * 3600 * 1000;
    waited.worked_ms = 7000;
    let page = page(vec![waited, timed("STE-1-ab12", 1000)]);
    let (time, rest) = page.split_once("<h2>Attempts for each criterion</h2>").unwrap();
    let time = time.split_once("<h2>Time</h2>").unwrap().1;
    assert!(time.find("STE-1-ab12").unwrap() < time.find("STE-2-cd34").unwrap(), "the oldest first: {time}");
    assert!(time.contains("7.0 s") && !time.contains(" min"), "the night is not its: {time}");
    assert!(rest.contains("2.0") && !page.contains("<h2>Cost"), "nobody told a cost");
}

/// The bound of a report that is sent, whatever children write: markup, which grows when it is escaped, code,
/// one long line, lines of nothing.
#[test]
fn ac_tdd_9_16_a_report_of_300_attempts_is_at_most_3_mb() {
    let code = "+    let total = items.iter().map(|item| \"x\").sum(); // all of them\n";
    // Markup grows most. What is shown of each attempt is more where there are fewer.
    for (text, attempts) in [("<&\">", 300), (code, 60), ("A", 60), ("\n", 60), ("\u{1b}[1m\u{0}", 60)] {
        let text = text.repeat(6000 / text.len());
        let mut one = run("STE-1-ab12", attempts);
        for (at, attempt) in one.attempts.iter_mut().enumerate() {
            attempt.diff = format!("diff --git a/x b/x\n@@ -1 +1 @@\n{text}");
            attempt.message = Some(text.clone());
            attempt.prompt =
                vec![PromptText { name: "task".to_owned(), text: format!("{at} {text}"), as_in: None }; 2];
            attempt.claim = vec![Part { what: "files", claimed: text.clone(), found: text.clone() }; 2];
            attempt.runs =
                vec![RunPart { output: text.clone(), command: text.clone(), ..RunPart::default() }; 3];
        }
        let size = page(vec![one]).len();
        assert!((200_000..3_000_000).contains(&size), "{size} bytes of {:?}…", &text[..9]);
    }
}
