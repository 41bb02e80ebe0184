//! What is put back, and how often; and where to go back to.

use serde_json::json;

use super::ways_around::shell;
use super::{ID, RIGHT, SHOP, begun, call, claims, edits, hook, hook_with, project, red, stops};
use crate::sandbox::{Ran, Sandbox, has_pytest};

fn ends_again(sandbox: &Sandbox) -> Ran {
    let mut told = call("Stop", "", json!({}));
    told["stop_hook_active"] = true.into();
    hook_with(sandbox, &["claude"], told.to_string().as_bytes())
}

/// In refactor mode, in a project whose gate is green.
fn refactoring() -> Option<Sandbox> {
    if !has_pytest() {
        return None;
    }
    let sandbox = project();
    sandbox.write("shop.py", RIGHT);
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q\ngate: python3 -m pytest -q tests/test_total.py\n");
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    Some(sandbox)
}

#[test]
fn ac_tdd_10_72_a_second_red_end_in_refactor_mode_halts() {
    left_to_the_night!();
    let Some(sandbox) = refactoring() else { return };
    let breaks = || shell(&sandbox, "sed -i 's/sum(prices)/7/' shop.py");
    breaks().expect(0);
    stops(&sandbox).expect(2);
    let first = ends_again(&sandbox).expect(2).says(&["is red", "taken back: shop.py"]);
    assert!(!first.stderr.contains("Halted"), "{}", first.stderr);
    // That the mode ends, with nothing of it left, and begins again makes it no first time.
    sandbox.tdd(&["gate", "refactor", "off"]).expect(0);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    breaks().expect(0);
    ends_again(&sandbox).expect(2).says(&[
        "taken back: shop.py",
        "Halted: the gate command failed 2 turns",
        "tell the person",
    ]);
    // The turn ends, and nothing is edited until a person has looked.
    breaks().expect(2).says(&["the gate command failed two turns"]);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    ends_again(&sandbox).expect(0);
    sandbox.tdd(&["gate", "refactor", "off"]).expect(0);
    edits(&sandbox, "shop.py", SHOP).expect(2).says(&["the gate command failed two turns"]);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["halted: the gate command"]);
}

#[test]
fn ac_tdd_10_72_a_green_end_between_two_red_ones_is_no_row() {
    left_to_the_night!();
    let Some(sandbox) = refactoring() else { return };
    for _ in 0..2 {
        shell(&sandbox, "sed -i 's/sum(prices)/7/' shop.py").expect(0);
        stops(&sandbox).expect(2);
        let red = ends_again(&sandbox).expect(2).says(&["taken back: shop.py"]);
        assert!(!red.stderr.contains("Halted"), "{}", red.stderr);
        shell(&sandbox, "sed -i 's/sum(prices)/sum(iter(prices))/' shop.py").expect(0);
        ends_again(&sandbox).expect(0);
        shell(&sandbox, "sed -i 's/sum(iter(prices))/sum(prices)/' shop.py").expect(0);
        ends_again(&sandbox).expect(0);
    }
}

#[test]
fn ac_tdd_10_73_of_half_a_move_the_old_file_is_put_back_with_the_new_one() {
    let Some(sandbox) = begun() else { return };
    let helper = "def help():\n    return 1\n";
    shell(&sandbox, &format!("printf '{}' > tests/helper.py", helper.replace('\n', "\\n"))).expect(0);
    sandbox.commit();
    stops(&sandbox).expect(0);
    shell(&sandbox, "git mv tests/helper.py helper.py")
        .expect(2)
        .says(&["helper.py refused", "tests/helper.py is put back, too: it was moved to helper.py"]);
    assert!(!sandbox.path("helper.py").exists());
    assert_eq!(sandbox.read("tests/helper.py"), helper);
    // A test that is removed beside another file that is taken back stays removed.
    let told =
        shell(&sandbox, "rm tests/helper.py; echo 'x = 1' > more.py").expect(2).says(&["more.py refused"]);
    assert!(!told.stderr.contains("is put back, too"), "{}", told.stderr);
    assert!(!sandbox.path("tests/helper.py").exists() && !sandbox.path("more.py").exists());
}

#[test]
fn ac_tdd_10_74_the_commit_to_go_back_to_is_the_last_good_one() {
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    sandbox.tdd(&["gate", "flush"]).expect(0);
    shell(&sandbox, "git -c user.name=a -c user.email=a@b commit -qam good").expect(0);
    let good = sandbox.git(&["rev-parse", "HEAD"]);
    let back = format!("git reset --soft {}", &good[..12]);
    shell(&sandbox, "echo 'x = 1' >> tax.py && git -c user.name=a -c user.email=a@b commit -qam bad")
        .expect(2)
        .says(&["HEAD has it still", &back]);
    stops(&sandbox).expect(2).says(&["HEAD holds other text", &back]);
    shell(&sandbox, &back).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.git(&["show", "HEAD:shop.py"]), RIGHT.trim());
}
