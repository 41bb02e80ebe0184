//! Halts of real runs as an operator meets them: what is said of the cause, and what is recommended.
#![expect(clippy::disallowed_methods, reason = "a test writes cassettes")]

use std::fmt::Write as _;

use serde_json::Value;

use super::run_status::Place;
use super::sandbox::has_python;

/// The first screen, without where its lines are broken.
fn screen(place: &Place) -> String {
    let page = place.tdd(&["review"]).expect(1).stdout;
    page.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn report(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.sandbox.run_dir().join("halt.json")).unwrap()).unwrap()
}

fn cassette(place: &Place, name: &str, text: &str) -> String {
    let file = place.sandbox.beside(name);
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// What it was heard of and what it changed is told of a real child, too.
#[test]
fn ac_tdd_9_39_what_an_attempt_was_at_when_its_deadline_passed_is_told() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let settings = place.sandbox.read("tdd.yaml");
    place.sandbox.write("tdd.yaml", &format!("{settings}attempt_deadline: 6s\nbudgets: {{ semantic: 1 }}\n"));
    let honest = std::fs::read_to_string(&place.honest).unwrap();
    let (red, _) = honest.split_once("- role: implementer").unwrap();
    let remark = "  append:\n    shop.py: |\n\n      # Two is more than one.\n";
    let play = format!("{red}- role: implementer\n{remark}  misbehave: hang\n");
    place.run(&cassette(&place, "remarks.yaml", &play), &[]).expect(1);
    let page = screen(&place);
    assert!(page.contains("(`attempt_deadline` in tdd.yaml) and changed nothing but comments"), "{page}");
    assert!(
        page.contains("at its deadline it ") && page.contains("is too short to tell a slow agent"),
        "{page}"
    );
}

/// The honest run, whose implementer does nothing for ever.
fn hanging(place: &Place) -> String {
    let honest = std::fs::read_to_string(&place.honest).unwrap();
    let (red, _) = honest.split_once("- role: implementer").unwrap();
    cassette(place, "hangs.yaml", &format!("{red}- role: implementer\n  misbehave: hang\n"))
}

#[test]
fn ac_tdd_9_26_the_way_that_is_recommended_after_a_limit_raises_it() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (setting, cause, way) in [
        (
            "attempt_deadline: 1s",
            "the implementer was stopped twice by its deadline of 1s (`attempt_deadline` in tdd.yaml) and changed no file",
            "* 1 try again with a higher deadline: 10m, not 1s",
        ),
        (
            "idle_deadline: 1s",
            "the implementer was stopped twice by its idle deadline of 1s (`idle_deadline` in tdd.yaml)",
            "* 1 raise the idle deadline from 1s: set `idle_deadline: 2m` in tdd.yaml, line 2",
        ),
    ] {
        let place = Place::new();
        let settings = place.sandbox.read("tdd.yaml");
        place.sandbox.write("tdd.yaml", &format!("{settings}{setting}\n"));
        place.run(&hanging(&place), &[]).expect(1);
        let page = screen(&place);
        assert!(page.contains(cause) && page.contains(way), "{page}");
        assert!(place.tdd(&["status", "@"]).expect(0).stdout.contains("stopped twice by its"), "told alike");
        let recommended = report(&place)["recommended"].as_str().unwrap().to_owned();
        if recommended.contains(" --edited") {
            assert!(page.contains("look at: tdd.yaml:2"), "{page}");
            place.sandbox.write("tdd.yaml", &format!("{settings}idle_deadline: 2m\n"));
        }
        let mut words: Vec<&str> =
            recommended.split(' ').skip(1).take_while(|word| *word != "--cassette").collect();
        words.extend(["--quiet", "--cassette", &place.honest]);
        place.tdd(&words).expect(0);
    }
}

#[test]
fn ac_tdd_9_27_attempts_that_left_the_same_are_told_as_that() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let same = Place::new();
    same.run(&same.wrong, &[]).expect(1);
    let page = screen(&same);
    assert!(page.contains("the last two attempts left the same files, byte for byte"), "{page}");
    assert!(page.contains("* 1 bring the failed work back"), "{page}");
    assert!(page.contains("then mend it: e edits"), "{page}");
    // Their honest twins tried something else.
    let other = Place::new();
    let wrong = std::fs::read_to_string(&other.wrong).unwrap();
    let (red, rest) = wrong.split_once("- role: implementer").unwrap();
    let (first, _) = rest.split_once("- role: refactorer").unwrap();
    let second = first.replace("return 3", "return 4");
    let text = format!("{red}- role: implementer\n  number: 2{second}- role: implementer{first}");
    other.run(&cassette(&other, "two.yaml", &text), &[]).expect(1);
    let page = screen(&other);
    assert!(!page.contains("the same files") && page.contains("* 1 try again with new attempts"), "{page}");
}

/// The honest run, but for its test-writer, who writes this.
fn tests(place: &Place, name: &str, test: &str) -> String {
    let honest = std::fs::read_to_string(&place.honest).unwrap();
    let (_, rest) = honest.split_once("- role: implementer").unwrap();
    let mut play = "- role: test-writer\n  write:\n    tests/test_ac_ste_1_1.py: |\n".to_owned();
    for line in test.lines() {
        writeln!(play, "      {line}").unwrap();
    }
    play.push_str(
        "  say: { status: ok, files: [tests/test_ac_ste_1_1.py], command: t, output_excerpt: red }\n",
    );
    cassette(place, name, &format!("{play}- role: implementer{rest}"))
}

const TWO_NAMES: &str = "import unittest\nfrom shop import three, two\n\n\nclass New(unittest.TestCase):\n    \
                         def test_two(self):\n        self.assertEqual(two(), 2)\n\n    def test_three(self):\n        \
                         with self.assertRaises(ValueError):\n            three()\n";

#[test]
fn ac_tdd_9_28_a_false_red_leads_with_what_can_never_pass_and_its_line() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let never = TWO_NAMES.replace("ValueError", "Emty");
    place.run(&tests(&place, "never.yaml", &never), &[]).expect(1);
    let page = screen(&place);
    assert!(
        page.contains(
            "New::test_three can never pass: it uses `Emty`, which nothing in its file defines or imports"
        ),
        "{page}"
    );
    assert!(page.contains("look at: tests/test_ac_ste_1_1.py:10 (of the failed work)"), "{page}");
    // A test of what is there already is told as that, by its own line.
    let place = Place::new();
    let idle = TWO_NAMES.replace("three, two", "one, two").replace("three()", "one()");
    place.run(&tests(&place, "idle.yaml", &idle), &[]).expect(1);
    let page = screen(&place);
    assert!(
        page.contains("New::test_three fails only because `two` is missing, and expects nothing of it"),
        "{page}"
    );
    assert!(page.contains("look at: tests/test_ac_ste_1_1.py:9 (of the failed work)"), "{page}");
}

/// What is still to be written hides the module that nobody has.
#[test]
fn a_module_that_is_nowhere_comes_before_what_is_only_missing() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let both = TWO_NAMES
        .replace("from shop import three, two", "from shop import two\nfrom moneyy import pay")
        .replace("three()", "pay()");
    place.run(&tests(&place, "nowhere.yaml", &both), &[]).expect(1);
    let page = screen(&place);
    assert!(page.contains("its file imports `moneyy`, which is not in the project"), "{page}");
    assert!(page.contains("look at: tests/test_ac_ste_1_1.py:3 (of the failed work)"), "{page}");
    assert!(
        page.contains("none of its manifests has a package of that name (if one of another name"),
        "{page}"
    );
    // Its twins are named by a manifest, as a package may be whose module has another name: then the test is what
    // has to be looked at.
    for (package, module) in [("moneyy>=2", "moneyy"), ("opencv-python-headless==4", "cv2")] {
        let place = Place::new();
        place.sandbox.write("requirements.txt", &format!("{package}\n"));
        let both = both.replace("moneyy", module);
        place.run(&tests(&place, "named.yaml", &both), &[]).expect(1);
        let page = screen(&place);
        let told = page.contains("fails only because `two` is missing");
        assert!(told && !page.contains(&format!("`{module}`")), "{page}");
    }
}

/// The honest twin: the runner tells of the first name alone, and the other one is to be written, too.
#[test]
fn tests_of_one_file_may_each_ask_for_a_name_that_is_still_to_be_written() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let file = tests(&place, "two.yaml", TWO_NAMES);
    let code = "          return 2\n";
    let both = std::fs::read_to_string(&file)
        .unwrap()
        .replace(code, &format!("{code}\n\n      def three():\n          raise ValueError\n"));
    place.run(&cassette(&place, "two.yaml", &both), &[]).expect(0);
}

#[test]
fn ac_tdd_9_29_tests_that_were_set_aside_at_red_are_told() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let never = TWO_NAMES.replace("ValueError", "Emty");
    place.run(&tests(&place, "never.yaml", &never), &[]).expect(1);
    let run = place.id();
    let told = |words: &[&str]| place.tdd(words).expect(0).stdout;
    let matrix = told(&["matrix"]);
    assert!(matrix.contains("AC-STE-1.1  no RED yet"), "{matrix}");
    assert!(matrix.contains("set aside with the test-writer's attempt 2"), "{matrix}");
    assert!(
        matrix.contains("New::test_three") && matrix.contains(&format!("tdd diff {run} --failed")),
        "{matrix}"
    );
    let why = told(&["why", "AC-STE-1.1"]);
    assert!(why.contains("what the test-writer's attempt 2 wrote was set aside"), "{why}");
    assert!(why.contains("can never pass: it uses `Emty`") && why.contains("--failed"), "{why}");
    let status = told(&["status", "@"]);
    assert!(
        status.contains(&format!("tests were written and set aside: see `tdd diff {run} --failed`")),
        "{status}"
    );
    assert!(told(&["diff", "@", "--failed"]).contains("+        with self.assertRaises(Emty):"));
    // Its twin has a RED that stands.
    let twin = Place::new();
    twin.run(&twin.wrong, &[]).expect(1);
    for words in [&["matrix"][..], &["why", "AC-STE-1.1"], &["status", "@"]] {
        let told = twin.tdd(words).expect(0).stdout;
        assert!(!told.contains("set aside"), "{told}");
    }
}

#[test]
fn ac_tdd_9_30_the_first_screen_names_the_role_its_attempt_and_where_its_work_is() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let page = screen(&place);
    assert!(
        page.contains("implementer, attempt 2 of 2: its work (d) is kept in git, not among your files"),
        "{page}"
    );
    // A refactorer's halt looks at what was changed, and not at an old test.
    let place = Place::new();
    let honest = std::fs::read_to_string(&place.honest).unwrap();
    let (before, _) = honest.split_once("- role: refactorer").unwrap();
    let breaks = "- role: refactorer\n  write:\n    shop.py: |\n      def one():\n          return 7\n\n\n      def two():\n          return 2\n  say: { status: ok }\n";
    place.run(&cassette(&place, "breaks.yaml", &format!("{before}{breaks}")), &[]).expect(1);
    let page = screen(&place);
    assert!(page.contains("look at: shop.py:2 (of the failed work)"), "{page}");
    assert!(page.contains("refactorer, attempt 2 of 2: its work (d) is kept in git"), "{page}");
}

/// Where the failed work is by now is told as it is, however it came there.
#[test]
fn ac_tdd_9_37_failed_work_that_was_brought_back_is_told_and_offered_as_that() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let halted = screen(&place);
    assert!(halted.contains("its work (d) is kept in git, not among your files"), "{halted}");
    let good = place.sandbox.read("shop.py");
    // The twin: what somebody writes elsewhere is none of it.
    place.sandbox.write("notes.txt", "look at the shop\n");
    assert_eq!(screen(&place), halted);
    std::fs::remove_file(place.sandbox.path("notes.txt")).unwrap();
    let failed = report(&place)["checkpoints"]["failed"].as_str().unwrap().to_owned();
    place.tdd(&["undo", "@", "--to", &failed]).expect(0);
    let page = screen(&place);
    for (words, is_told) in [
        ("its work (d) is among your files again", true),
        ("your files now: with the failed work, which was brought back", true),
        ("the failed work is among your files: mend it (e edits), then choose 1", true),
        ("* 1 I have edited: go on", true),
        ("put the last good work back instead", true),
        ("bring the failed work back", false),
        ("not among your files", false),
        ("(of the failed work)", false),
    ] {
        assert_eq!(page.contains(words), is_told, "{words}: {page}");
    }
    // What failed and was not mended since is not tried again on the word that it was.
    let forks = place.sandbox.forks();
    let mut terminal = super::review::full(&place.sandbox, &[("EDITOR", "true")]);
    terminal.press("1");
    terminal.wait_for("Enter goes back to the review");
    assert!(terminal.shows("nothing was edited since"), "it says why nobody was started");
    terminal.press("q\r");
    assert_eq!((terminal.end().0, place.sandbox.forks()), (1, forks));
    let wrong = place.sandbox.read("shop.py");
    place.sandbox.write("shop.py", &format!("{wrong}# looked at\n"));
    let page = screen(&place);
    assert!(page.contains("its work (d) is kept in git; edited since: shop.py"), "{page}");
    assert!(page.contains("your files now: edited since the halt: shop.py"), "{page}");
    // By whatever way the last good work comes back, it is that again.
    place.sandbox.write("shop.py", &good);
    assert_eq!(screen(&place), halted);
}

/// Being asked for the block again is no attempt of its own, and a budget that was given anew is counted anew.
#[test]
fn ac_tdd_9_40_attempts_are_counted_alike_wherever_they_are_told() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let honest = std::fs::read_to_string(&place.honest).unwrap();
    let (red, _) = honest.split_once("- role: implementer").unwrap();
    let mute = format!("{red}- role: implementer\n  raw: I am done.\n");
    let mute = cassette(&place, "mute.yaml", &mute);
    place.run(&mute, &[]).expect(1);
    let page = screen(&place);
    assert!(page.contains("implementer, attempt 1 of 2, asked once more for its result block: "), "{page}");
    assert!(
        page.contains("attempts: 1 of 2, judged and failed: 0; asked for its result block again: 1 of 1"),
        "{page}"
    );
    let log = place.tdd(&["log"]).expect(0).stdout;
    assert!(log.contains("(asked for its result block again), starts"), "{log}");
    assert!(log.contains("failed: the message holds no fenced block"), "{log}");
    for word in ["mode D", "no-block", "tokens unknown"] {
        assert!(!log.contains(word) && !page.contains(word), "{word}: {log}");
    }
    let ran = place.tdd(&["resume", "--retry", "--no-review", "--cassette", &place.wrong]).expect(1);
    for number in [1, 2] {
        assert!(
            ran.stderr.contains(&format!("the implementer is at work, attempt {number} of 2")),
            "{}",
            ran.stderr
        );
    }
    let page = screen(&place);
    assert!(page.contains("implementer, attempt 2 of 2: "), "{page}");
    assert!(page.contains("attempts: 2 of 2, judged and failed: 2"), "{page}");
    assert!(page.contains("agents before them, on budgets that were used up: 2"), "{page}");
    for told in [&page, &ran.stderr] {
        assert!(!told.contains("attempt 3 of") && !told.contains("attempt 4 of"), "{told}");
    }
}

const DISPUTE: &str = "- role: implementer\n  number: 1\n  say:\n    status: failed\n    dispute:\n      tests: \
                       ['tests/test_ac_ste_1_1.py::New.test_new']\n      reason: it wants the number 2\n";

/// The block can't be read, and what the role wanted to say can.
#[test]
fn ac_tdd_9_38_a_dispute_in_the_wrong_form_is_told_and_judged_as_what_was_meant() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let honest = |place: &Place| std::fs::read_to_string(&place.honest).unwrap();
    let play = |name: &str, write: &str, says: &str| {
        let place = Place::new();
        let honest = honest(&place);
        let (red, _) = honest.split_once("- role: implementer").unwrap();
        let raw = format!(
            "- role: implementer\n{write}  raw: |\n    ```tdd-result\n    role: implementer\n    files: []\n    \
             command: t\n    output_excerpt: x\n    {says}\n    ```\n"
        );
        place.run(&cassette(&place, name, &format!("{red}{raw}")), &[]).expect(1);
        (screen(&place), report(&place))
    };
    let disputes = "status: dispute\n    dispute: \"it wants 2, and the criterion says \\e[31mtwo\"\n    test: \
                    tests/test_ac_ste_1_1.py";
    let (page, report) = play("meant.yaml", "", disputes);
    for words in [
        "the implementer says that tests/test_ac_ste_1_1.py is wrong: it wants 2, and the criterion says two",
        "only you can say who is right: read the test (t) and the criterion (c) first",
        "the implementer is right; I have edited test or requirement: go on",
        "the test is right: try again",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("* 1") && !page.contains('\u{1b}'), "nothing is recommended: {page}");
    // It stays what it is for whoever counts: no valid block, and no dispute that was judged.
    assert_eq!((report["mode"].as_str(), report["disputed"].as_bool()), (Some("D"), Some(false)));
    // Its twins: an example of a dispute that is quoted, another word for the status, and work that passes.
    let quoted = "status: dispute\n    dispute: it wants EUR\n    test: tests/test_of_the_guide.py";
    let (page, _) = play("quoted.yaml", "", quoted);
    assert!(page.contains("can't be read: `status` is \"dispute\"") && page.contains("* 1"), "{page}");
    let (page, _) = play("done.yaml", "", "status: done");
    assert!(page.contains("can't be read: `status` is \"done\"") && page.contains("* 1 try again"), "{page}");
    let passes = "  write:\n    shop.py: |\n      def one():\n          return 1\n\n\n      def two():\n          return 2\n";
    let (page, _) = play("passes.yaml", passes, disputes);
    assert!(page.contains("* 1 keep the work"), "{page}");
}

#[test]
fn ac_tdd_9_31_who_comes_after_a_dispute_that_was_overruled_is_told_so_in_fixed_words() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let stands = "the test stands as it is";
    let with = |place: &Place, name: &str, rule: &str| {
        let honest = std::fs::read_to_string(&place.honest).unwrap();
        let (red, rest) = honest.split_once("- role: implementer").unwrap();
        let rest = format!("- role: implementer\n  {rule}: ['{stands}']{rest}");
        (
            cassette(place, &format!("{name}-first.yaml"), &format!("{red}{DISPUTE}")),
            cassette(place, name, &format!("{red}{rest}")),
        )
    };
    let place = Place::new();
    let (first, then) = with(&place, "overruled.yaml", "prompt_has");
    place.run(&first, &[]).expect(1);
    let page = screen(&place);
    assert!(page.contains("is told that the dispute was looked at and the test stands"), "{page}");
    place.tdd(&["resume", "--retry", "--quiet", "--cassette", &then]).expect(0);
    // Where the person took the dispute's side nothing of it is said.
    let place = Place::new();
    let (first, then) = with(&place, "agreed.yaml", "prompt_lacks");
    place.run(&first, &[]).expect(1);
    let test = place.sandbox.read("tests/test_ac_ste_1_1.py");
    place.sandbox.write("tests/test_ac_ste_1_1.py", &test.replace("test_new", "test_newer"));
    place.tdd(&["resume", "--edited", "--quiet", "--cassette", &then]).expect(0);
}

#[test]
fn ac_tdd_9_32_a_run_without_the_tests_of_later_criteria_is_told_as_that() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let requirement = place.sandbox.read("specs/frs/STE-1.md");
    place.sandbox.write("specs/frs/STE-1.md", &format!("{requirement}- AC-STE-1.2: `three()` gives 3.\n"));
    let test = |number: u8, name: &str| {
        format!(
            "    tests/test_ac_ste_1_{number}.py: |\n      import unittest\n      import shop\n\n      class \
             New(unittest.TestCase):\n          def test_{name}(self):\n              \
             self.assertEqual(shop.{name}(), {})\n",
            number + 1
        )
    };
    // It breaks what was green, so that the whole run is what shows it.
    let play = format!(
        "- role: test-writer\n  write:\n{}{}  say: {{ status: ok }}\n- role: implementer\n  say: {{ status: ok }}\n  write:\n    shop.py: |\n      def one():\n          return \
         9\n\n\n      def two():\n          return 2\n",
        test(1, "two"),
        test(2, "three")
    );
    let ran = place.run(&cassette(&place, "breaks.yaml", &play), &[]).expect(1);
    let told = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("was green and is red now") || told.contains("Old.test_old"), "{told}");
    assert!(told.contains("run without the tests of criteria that come later: AC-STE-1.2"), "{told}");
}

/// A test-writer who finds nothing to do: its block is right, and no test is new.
fn idle(place: &Place) -> String {
    let text = "- role: test-writer\n  say: { status: ok, files: [], command: t, output_excerpt: green }\n";
    cassette(place, "idle.yaml", text)
}

#[test]
fn ac_tdd_6_42_a_requirement_that_was_built_before_is_told_as_that() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    place.sandbox.commit();
    place.run(&idle(&place), &["--new"]).expect(1);
    let said = report(&place);
    let text = said.to_string();
    assert!(text.contains("has no new test, and") && text.contains("was green before the run"), "{text}");
    assert!(
        said["next"][0]["command"].as_str().unwrap().contains(" --new --already-green AC-STE-1.1"),
        "{text}"
    );
    assert!(!text.contains("bring the failed work back"), "nothing was changed: {text}");
    // What looks like it: nothing is new, and nothing was there.
    let twin = Place::new();
    twin.run(&idle(&twin), &[]).expect(1);
    let said = report(&twin).to_string();
    assert!(
        said.contains("name its file, or each test, with ac_ste_1_1") && !said.contains("--already-green"),
        "{said}"
    );
}

#[test]
fn ac_tdd_6_42_a_second_budget_that_ended_alike_leads_to_a_mend_by_hand() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let wrong = std::fs::read_to_string(&place.wrong).unwrap();
    let (red, rest) = wrong.split_once("- role: implementer").unwrap();
    let (first, _) = rest.split_once("- role: refactorer").unwrap();
    // Each attempt leaves other files, and fails of the same.
    let mut text = red.to_owned();
    for number in 1..5 {
        let other = first.replace("return 3", &format!("return 3  # {number}"));
        write!(text, "- role: implementer\n  number: {number}{other}").unwrap();
    }
    let file = cassette(&place, "alike.yaml", &text);
    place.run(&file, &[]).expect(1);
    assert!(screen(&place).contains("* 1 try again with new attempts"));
    place.tdd(&["resume", "--retry", "--cassette", &file]).expect(1);
    let page = screen(&place);
    assert!(
        page.contains("ended in the very same cause as those before") && !page.contains("* 1 try again"),
        "{page}"
    );
}

#[test]
fn ac_tdd_6_44_a_gate_that_stays_red_is_not_said_to_pass() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (flags, is_red) in
        [(&["--gate", "false", "--allow-red-gate"][..], true), (&["--allow-red-gate"], false)]
    {
        let place = Place::new();
        let ran = place.tdd(&[&["STE-1", "--cassette", &place.honest], flags].concat()).expect(0);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(
            all.contains("REFACTOR: the gate is red as before the run (exit code 1)"),
            is_red,
            "{all}"
        );
        assert_eq!(
            all.contains("evidence: the gate `false` was red before the run and is red still"),
            is_red,
            "{all}"
        );
        assert_eq!(all.contains("the gate passes with"), !is_red, "{all}");
    }
}
