//! Tables of messages. The conformance vectors have a test of their own in the suite.

use super::*;
use tdd_core::claim::ClaimStatus;
use tdd_core::criterion::CriterionId;

const BODY: &str = "role: implementer\nstatus: ok\nfiles: [a.rs]\ncommand: cargo test\noutput_excerpt: x\n";

fn kind(message: &str) -> Result<(), String> {
    read(message, Role::Implementer, &["/repo"]).map(|_| ()).map_err(|error| error.kind.to_string())
}

fn with(extra: &str) -> Result<Claim, String> {
    let message = format!("```tdd-result\n{BODY}{extra}\n```");
    read(&message, Role::Implementer, &["/repo"]).map_err(|error| error.kind.to_string())
}

#[test]
fn the_block_is_found_or_the_reason_named() {
    let block = format!("```tdd-result\n{BODY}```\n");
    let each = |margin: &str| block.lines().map(|line| [margin, line, "\n"].concat()).collect::<String>();
    let quoted = each("> ");
    let indented = each("	  ");
    let bulleted = format!("- {}", each("  ").trim_start());
    let deep = format!("```md\n```tdd-result\n{BODY}  ```\n");
    let json = "{\"role\":\"implementer\",\"status\":\"ok\",\n \"files\":[\"a.rs\"],\"command\":\"x\",\"output_excerpt\":\"a\\nb\"}\n";
    for (name, message, want) in [
        ("plain", block.clone(), "ok"),
        ("tildes", block.replace("```", "~~~"), "ok"),
        ("info", block.replace("tdd-result", "tdd-result yaml {x}"), "ok"),
        ("margin", indented, "ok"),
        ("list item", bulleted, "ok"),
        ("json", format!("```tdd-result\n{json}```"), "ok"),
        ("quote", quoted, "no-block"),
        ("comment", format!("<!--\n{block}-->\n"), "no-block"),
        ("comment and block", format!("<!-- a\n```tdd-result\n-->\n{block}"), "ok"),
        ("comment that never ends", format!("<!-- a\n\n{block}"), "ok"),
        ("comment marker in prose", format!("the `<!--` marker\n\n{block}"), "ok"),
        ("longer fence around it", format!("````md\n{block}````\n"), "no-block"),
        ("tildes around it", format!("~~~\n{block}~~~\n"), "no-block"),
        ("same fence around it", format!("```md\n{block}```\n"), "no-block"),
        ("example, then the block", format!("````md\n{block}````\n{block}"), "ok"),
        ("earlier fence left open", format!("```sh\ncargo test\n\n{block}"), "ok"),
        ("earlier longer fence left open", format!("````sh\ncargo test\n\n{block}"), "ok"),
        ("stray fence", format!("```sh\nx\n```\n```\n\n{block}"), "ok"),
        ("fence in a list item", format!("1. ```sh\n   x\n   ```\n\n{block}"), "ok"),
        ("inline code before", format!("```a``` b\n{block}"), "ok"),
        ("longer fence around it and another", format!("````md\n{block}~~~\nx\n~~~\n````\n"), "no-block"),
        ("fence behind a nest of two", format!("```sh\n```py\n```\n```\n{block}```\n"), "no-block"),
        ("earlier fence left open, other fence", format!("```sh\nx\n\n{block}~~~\ny\n~~~\n"), "ok"),
        ("two and a stray fence", format!("{block}{block}```\n"), "many-blocks"),
        ("two marks are no fence", format!("``\n{block}```\nx\n```\n"), "ok"),
        ("bare fence around it", format!("```\n{block}```\n"), "no-block"),
        ("fence, block, stray fence", format!("```sh\nx\n```\n{block}```\n"), "ok"),
        ("fenced example, then the block", format!("```sh\nx\n```\n```md\n{block}```\n{block}"), "ok"),
        ("example that is closed too deep, then the block", format!("{deep}{block}```\n"), "ok"),
        ("other fence in it", block.replace("x\n", "|\n  a\n~~~\n"), "not-yaml"),
        ("other fence deep in it", block.replace("x\n", "|\n  a\n  ~~~\n  ```sh\n  ```\n"), "ok"),
        ("block deep in it", block.replace("x\n", "|\n  ```tdd-result\n  ```\n"), "ok"),
        ("comment in it", block.replace("x\n", "x\n# <!--\n<!-- -->\n"), "not-yaml"),
        ("comment and the block's fence on one line", format!("<!-- --> a\n{block}"), "ok"),
        ("comment in a list item", format!("- <!--\n{block}-->\n"), "no-block"),
        ("another after it", format!("{block}```\nx\n```\n"), "ok"),
        ("left open", format!("```tdd-result\n{BODY}"), "unclosed-block"),
        ("closed by tildes", format!("```tdd-result\n{BODY}~~~\n"), "unclosed-block"),
        ("closed too short", format!("````tdd-result\n{BODY}```\n"), "unclosed-block"),
        ("closed with a word", format!("```tdd-result\n{BODY}``` end\n"), "unclosed-block"),
        ("left open before another", format!("```tdd-result\n{BODY}\n{block}"), "unclosed-block"),
        ("two", format!("{block}\n{block}"), "many-blocks"),
        ("mid-line", format!("Done. {block}"), "no-block"),
        ("nothing", String::new(), "no-block"),
    ] {
        let got = kind(&message).err().unwrap_or_else(|| "ok".to_owned());
        assert_eq!(got, want, "{name}: {message}");
        assert_eq!(holds_block(&message), want != "no-block", "{name}");
    }
}

#[test]
fn errors_name_the_line() {
    let line = |message: &str| read(message, Role::Implementer, &["/repo"]).unwrap_err().line;
    assert_eq!(line(&format!("a\r\n\r\n```tdd-result\n{}```", BODY.replace("ok", "fine"))), Some(5));
    assert_eq!(line("a\n```tdd-result\nrole: implementer\n"), Some(2));
    assert_eq!(line("```tdd-result\nrole: implementer\nwords\n```"), Some(3));
}

#[test]
fn required_fields_have_their_shape() {
    let instead = |line: &str, other: &str| format!("```tdd-result\n{}```\n", BODY.replace(line, other));
    for line in BODY.lines() {
        let name = line.split(':').next().unwrap();
        let got = kind(&instead(&format!("{line}\n"), ""));
        assert_eq!(got, Err(format!("missing-field:{name}")));
    }
    let (role, status, files, command) =
        ("role: implementer", "status: ok", "files: [a.rs]", "command: cargo test");
    for (line, other, want) in [
        (role, "role: refactorer", "wrong-role"),
        (role, "role: boss", "invalid-role"),
        (role, "role: [implementer]", "invalid-role"),
        (role, "role:", "invalid-role"),
        (status, "status: failed", "ok"),
        (status, "status: fine", "invalid-status"),
        (status, "status:", "invalid-status"),
        (files, "files: []", "ok"),
        (files, "files:", "ok"),
        (files, "files: a.rs", "invalid-files"),
        (files, "files:\n  a.rs: b", "invalid-files"),
        (files, "files: [[a.rs]]", "invalid-files"),
        (files, "files: [/etc/passwd]", "unsafe-path"),
        (command, "command:", "invalid-command"),
        (command, "command: ~", "invalid-command"),
        (command, "command: null", "invalid-command"),
        (command, "command: ''", "invalid-command"),
        (command, "command:\n  - cargo test", "invalid-command"),
        (command, "command: cargo test # all", "ok"),
        ("output_excerpt: x", "output_excerpt:", "ok"),
    ] {
        let got = kind(&instead(line, other)).err().unwrap_or_else(|| "ok".to_owned());
        assert_eq!(got, want, "{other}");
    }
}

#[test]
fn a_claim_is_what_the_block_says() {
    let read = |fields: &str| {
        let message = format!("```tdd-result\n{fields}\n```");
        super::read(&message, Role::Implementer, &["/repo"]).unwrap()
    };
    let claim = read(&BODY.replace("[a.rs]", "[a.rs, /repo/b.rs, ./a.rs]").replace("ok", "failed"));
    let files: Vec<&str> = claim.files.iter().map(tdd_core::path::RelPath::as_str).collect();
    assert_eq!(
        (claim.role, claim.status, files),
        (Role::Implementer, ClaimStatus::Failed, vec!["a.rs", "b.rs"])
    );
    assert_eq!((claim.command.as_str(), claim.notes), ("cargo test", None));
    let long: Vec<String> = (1..=41).map(|line| format!("\n  {line}")).collect();
    for (excerpt, lines, last) in [
        ("x".to_owned(), 1, "x"),
        ("\n  - a\n  - b".to_owned(), 2, "b"),
        ("[a, [b, c]]".to_owned(), 1, "[a, [b, c]]"),
        ("|\n  a\n\n  b\n\n".to_owned(), 3, "b"),
        (format!("|{}", long.concat()), 40, "40"),
    ] {
        let claim = read(&BODY.replace("output_excerpt: x", &format!("output_excerpt: {excerpt}")));
        let got: Vec<&str> = claim.output_excerpt.split('\n').collect();
        assert_eq!((got.len(), *got.last().unwrap()), (lines, last), "{excerpt}");
    }
    for (notes, want) in [
        ("~", None),
        ("null", None),
        ("", None),
        ("''", None),
        ("see 1", Some("see 1")),
        ("\n  - a\n  - b", Some("a\nb")),
    ] {
        assert_eq!(with(&format!("notes: {notes}")).unwrap().notes.as_deref(), want, "{notes}");
    }
}

/// JSON is YAML, and some agents write nothing else.
#[test]
fn a_block_may_be_written_as_json() {
    let json = |excerpt: &str, more: &str| {
        let message = format!(
            "a\n```tdd-result\n{{\"role\":\"implementer\",\"status\":\"ok\",\"files\":[],\"command\":\"x\",\
             \"output_excerpt\":{excerpt}{more}}}\n```"
        );
        read(&message, Role::Implementer, &["/repo"])
    };
    for (excerpt, want) in [("\"a\\nb\"", "a\nb"), ("null", ""), ("[\"a\",[\"b\"]]", "a\nb")] {
        assert_eq!(json(excerpt, "").unwrap().output_excerpt, want, "{excerpt}");
    }
    assert_eq!(json("null", ",\"notes\":null").unwrap().notes, None);
    assert_eq!(json("null", ",\"notes\":[\"a\"]").unwrap().notes.as_deref(), Some("a"));
    let wrong = json("null", ",\"tests\":1").unwrap_err();
    assert_eq!((wrong.kind.to_string().as_str(), wrong.line), ("invalid-files", Some(3)));
}

#[test]
fn optional_fields_have_their_shape() {
    let id = |text| CriterionId::parse(text).unwrap();
    let claim =
        with("tests:\n  AC-S-1.01:\n    - t.py::adds: one\n    - 't.py::a # b'\n  AC-S-1.2:").unwrap();
    assert_eq!(claim.tests[&id("AC-S-1.1")], ["t.py::adds: one", "t.py::a # b"]);
    assert_eq!(claim.tests[&id("AC-S-1.2")], Vec::<String>::new());
    let claim = with("notes: see #12: fixed\ndispute:\n  reason: |\n    a: b\n  tests: [t.py]").unwrap();
    assert_eq!(claim.notes.as_deref(), Some("see #12: fixed"));
    assert_eq!(claim.dispute.unwrap().reason, "a: b");
    for (extra, want) in [
        ("tests: [a]", "invalid-files"),
        ("tests: a", "invalid-files"),
        ("tests: {one: [a]}", "invalid-files"),
        ("tests: {AC-S-1.1: a}", "invalid-files"),
        ("tests: {AC-S-1.1: [[a]]}", "invalid-files"),
        ("tests:\n  AC-S-1.1: [a]\n  AC-S-1.01: [b]", "duplicate-field"),
        ("tests: {AC-S-1.1: [*a]}", "alias"),
        ("other:\n  deep:\n    - &a b", "alias"),
        ("other: !!str b", "ok"),
        ("other: [broken", "ok"),
        ("other: 1\nother: 2", "ok"),
        ("status: ok", "duplicate-field"),
        ("\"status\": failed", "duplicate-field"),
        ("dispute: no", "invalid-files"),
        ("dispute: {tests: [a]}", "missing-field:dispute.reason"),
        ("dispute: {tests: [a], reason: ' '}", "missing-field:dispute.reason"),
        ("dispute: {tests: [a], reason: b, more: c, more: d}", "ok"),
        ("dispute: {tests: [a], reason: b, reason: c}", "duplicate-field"),
        ("dispute: {tests: [a], tests: [b], reason: c}", "duplicate-field"),
        ("dispute: {tests: a, reason: b}", "invalid-files"),
        ("dispute: {reason: a}", "missing-field:dispute.tests"),
        ("dispute:", "ok"),
        ("---\nrole: implementer", "not-yaml"),
    ] {
        let got = with(extra).err().unwrap_or_else(|| "ok".to_owned());
        assert_eq!(got, want, "{extra}");
    }
}

/// In whatever form a dispute comes, a person is told what was meant; who disputes nothing is not taken to.
#[test]
fn a_dispute_in_the_wrong_form_is_understood_and_stays_no_claim() {
    let head = "role: implementer\nfiles: []\ncommand: t\noutput_excerpt: x\n";
    let meant = |more: &str| {
        let error =
            read(&format!("```tdd-result\n{head}{more}\n```"), Role::Implementer, &["/r"]).unwrap_err();
        error.meant.map(|meant| (meant.tests.join(" "), meant.reason))
    };
    for (more, tests, reason) in [
        ("status: dispute\ndispute: it wants EUR\ntest: tests/a.py", "tests/a.py", "it wants EUR"),
        ("status: Disputed\nreason: it wants EUR", "", "it wants EUR"),
        ("status: dispute\nnotes: \"it\\e[2J wants EUR\"", "", "it wants EUR"),
        (
            "status: dispute\ndispute:\n  tests: [tests/a.py, b]\n  reason: it wants EUR",
            "tests/a.py b",
            "it wants EUR",
        ),
        ("status: failed\ndispute: it wants EUR", "", "it wants EUR"),
        ("status: failed\ndispute: {test: a, reason: it wants EUR}", "a", "it wants EUR"),
        ("status: dispute", "", ""),
    ] {
        assert_eq!(meant(more), Some((tests.to_owned(), reason.to_owned())), "{more}");
    }
    for more in [
        "status: done\nnotes: I dispute nothing",
        "status: failed\ndispute: no",
        "status: failed\ndispute: []",
        "status: failed\ndispute: n/a",
        "status: ok\ndispute: it wants EUR",
        "status: done\nreason: why not",
    ] {
        if let Ok(claim) = read(&format!("```tdd-result\n{head}{more}\n```"), Role::Implementer, &["/r"]) {
            assert_eq!(claim.dispute, None, "{more}");
            continue;
        }
        assert_eq!(meant(more), None, "{more}");
    }
    // Whoever is asked for the block again is told how a dispute is said.
    let told =
        read(&format!("```tdd-result\n{head}status: dispute\n```"), Role::Implementer, &["/r"]).unwrap_err();
    assert!(told.message.contains("who disputes a test says `failed`"), "{}", told.message);
    // Another role's block is no word of this one.
    let other = head.replace("implementer", "refactorer") + "status: dispute";
    let error = read(&format!("```tdd-result\n{other}\n```"), Role::Implementer, &["/r"]).unwrap_err();
    assert_eq!((error.kind, error.meant), (ClaimErrorKind::WrongRole, None));
}

#[test]
fn escapes_in_quotes_bring_no_noise_back() {
    let message = "```tdd-result\nrole: implementer\nstatus: ok\nfiles: []\n\
                   command: \"a\\u001b[2Jb\"\noutput_excerpt: \"c\\ed\\u0000\"\n```";
    let claim = read(message, Role::Implementer, &["/repo"]).unwrap();
    assert_eq!((claim.command.as_str(), claim.output_excerpt.as_str()), ("ab", "c"));
}

#[test]
fn sizes_are_capped() {
    let too_large = || Err("too-large".to_owned());
    let around = format!("{BODY}notes: \n").len();
    let block = |size: usize| format!("```tdd-result\n{BODY}notes: {}\n```", "x".repeat(size - around));
    assert_eq!(kind(&block(256 * 1024)), Ok(()));
    assert_eq!(kind(&block(256 * 1024 + 1)), too_large());
    assert_eq!(kind(&" ".repeat(16 * 1024 * 1024 + 1)), too_large());
    let message = "x".repeat(3 * 1024 * 1024) + "\n" + &block(around);
    assert_eq!(kind(&message), Ok(()));
}

#[test]
fn the_longest_message_is_read() {
    let block = format!("\n```tdd-result\n{BODY}```\n");
    let message = "x".repeat(16 * 1024 * 1024 - block.len()) + &block;
    assert_eq!(kind(&message), Ok(()));
}

/// Each would take minutes if anything were looked at again for each line.
#[expect(clippy::disallowed_methods, reason = "the time that it takes is what is tested")]
#[test]
fn hostile_messages_take_linear_time() {
    let start = std::time::Instant::now();
    let many = |line: &str, bytes: usize| line.repeat(bytes / line.len());
    let block = format!("```tdd-result\n{BODY}```\n");
    for line in [
        "```\n",
        "```tdd-result\n",
        "  ```tdd-result\n```a\n",
        "````\n```tdd-result\n  ```\n",
        "<!--\n",
        "<!-- -->\n```x\n",
        "~~~\n```\n",
        "- ",
        " ",
        "\r",
        "\x1b]0;",
        "\x1b[31m\n",
        "a: {",
        "> ```\n",
        "[",
    ] {
        let noise = many(line, 64 * 1024);
        for message in [format!("{noise}\n{block}"), format!("```\n{noise}"), noise.clone()] {
            let _ = kind(&message);
            let _ = holds_block(&message);
        }
        let inside = &many(line, BLOCK_LIMIT)[..BLOCK_LIMIT - 512];
        let _ = with(&format!("tests: {inside}"));
        let _ = with(&format!("tests:\n  {inside}"));
        let _ = with(inside);
    }
    let stairs: Vec<String> = (0..700).map(|depth| " ".repeat(depth) + "a:\n").collect();
    let _ = with(&stairs.concat());
    assert!(start.elapsed() < std::time::Duration::from_mins(1), "it took {:?}", start.elapsed());
}

/// What an agent cites is no claim of its own, and no dispute: not the block of another one, and not
/// one that a tool printed.
#[test]
fn ac_tdd_1_4_a_block_that_is_quoted_is_no_claim_and_disputes_nothing() {
    let dispute = "dispute: { tests: [t], reason: wrong }\n";
    for body in [BODY.to_owned(), format!("{}{dispute}", BODY.replace("status: ok", "status: failed"))] {
        let block = format!("```tdd-result\n{body}```\n");
        let each = |margin: &str| block.lines().map(|line| [margin, line, "\n"].concat()).collect::<String>();
        let lazy = block.replacen("```", "> ```", 1);
        for (name, quoted) in [
            ("a quote", each("> ")),
            ("a quote without blanks", each(">")),
            ("a quote in a quote", each("> > ")),
            ("a quote in an item", format!("- {}", each("  > ").trim_start())),
            ("an item in a quote", each("> - ")),
            ("an indented quote", each("   > ")),
            ("a quote of which only the first line is marked", lazy),
            ("a quote in HTML", format!("<blockquote>\n{block}</blockquote>\n")),
            (
                "a quote in HTML that names its source",
                format!("<blockquote cite=\"x\">\n\n{block}\n</blockquote>\n"),
            ),
            ("a comment", format!("<!--\n{block}-->\n")),
            ("a longer fence", format!("````text\n{block}````\n")),
            ("the same fence", format!("```text\nran\n{block}more\n```\n")),
            ("a fence with another one behind the block", format!("```\n{block}```sh\nx\n```\n```\n")),
            ("a fence with two behind it", format!("```text\n{block}```sh\nx\n```\n```py\n```\n```\n")),
            ("a fence of the other kind", format!("~~~\n{block}~~~\n")),
            ("a fence in a quote", format!("> ````\n{}> ````\n", each("> "))),
        ] {
            let message = format!("The tool printed:\n\n{quoted}\nI could not do it.\n");
            assert_eq!(kind(&message), Err("no-block".to_owned()), "{name}: {message}");
            assert!(!holds_block(&message), "{name}");
            // The twin: whoever quotes and then says what it did itself is read by that alone.
            let own = format!("```tdd-result\n{}```\n", BODY.replace("cargo test", "own"));
            for message in [format!("{message}{own}"), format!("{message}{own}\nThat is all.\n")] {
                let claim = read(&message, Role::Implementer, &["/repo"]);
                let claim = claim.unwrap_or_else(|error| panic!("{name}: {error:?}\n{message}"));
                assert_eq!((claim.command.as_str(), claim.dispute), ("own", None), "{name}");
            }
        }
    }
}

#[test]
fn an_agent_s_own_block_is_read_among_whatever_it_explains() {
    let block = format!("```tdd-result\n{BODY}```\n");
    for (name, message) in [
        ("explanation first", format!("I wrote `a`.\n\n```rust\nfn a() {{}}\n```\n\n{block}")),
        ("prose after it", format!("Done.\n\n{block}\nLet me know what else there is.\n")),
        ("code after it", format!("{block}\nRun it:\n\n```sh\ncargo test\n```\n")),
        ("a fence left open, and code after it", format!("```sh\nx\n\n{block}\n```sh\ny\n```\n")),
        ("a quote before it", format!("> I could not do it.\n\n{block}")),
        ("details around it", format!("<details>\n<summary>Result</summary>\n\n{block}\n</details>\n")),
        ("a tag that never ends", format!("<blockquote>\n\n{block}")),
        ("a tag named in prose", format!("the `<blockquote>` tag\n\n{block}\n`</blockquote>`\n")),
        ("a longer tag", format!("<blockquoted>\n{block}</blockquote>\n")),
    ] {
        assert_eq!(kind(&message), Ok(()), "{name}: {message}");
    }
}
