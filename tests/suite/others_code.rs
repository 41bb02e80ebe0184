//! Criteria whose tests look at other criteria's code alone: told as not verified, in each language that is stubbed.

use super::sandbox::has_pytest;
use super::shops::{Shop, go, node, python, rust};

impl Shop<'_> {
    #[track_caller]
    fn is_not_verified(&self, second: &str) {
        self.play(second).expect(4).says_on_stdout(&[
            "not verified: AC-STE-1.2, seen failing in other code alone: its tests pass with all that was written for it",
            "proof: in a fresh checkout, seen failing on code that does nothing: 1 of 2",
        ]);
    }

    #[track_caller]
    fn is_verified(&self, second: &str) {
        self.play(second)
            .expect(0)
            .says_on_stdout(&["proof: in a fresh checkout, seen failing on code that does nothing: 2 of 2"]);
    }

    pub(super) fn with_last(self, last: &str) -> Self {
        let [zero, one, _] = self.code;
        let two = format!("{one}{last}");
        Self { code: [zero, one, two], ..self }
    }
}

const PYTHON_CHEAT: &str =
    "import shop\n\n\ndef test_three():\n    assert shop.three\n    assert shop.two() == 2\n";

#[test]
fn ac_tdd_8_147_a_test_that_looks_at_another_criterions_code_alone_is_not_verified() {
    left_to_the_night!();
    if has_pytest() {
        python().is_not_verified(PYTHON_CHEAT);
    }
}

#[test]
fn ac_tdd_8_147_what_calls_the_others_code_first_or_is_another_name_for_it_is_verified() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let both =
        "import shop\n\n\ndef test_three():\n    assert shop.two() == 2\n    assert shop.three() == 7\n";
    python().is_verified(both);
    let calls = "import shop\n\n\ndef test_three():\n    assert shop.three() == 3\n";
    python().with_last("\n\ndef three():\n    return two() + 1\n").is_verified(calls);
    // No body of its own: nobody can say what its tests look at.
    let named = "import shop\n\n\ndef test_three():\n    assert shop.three() == 2\n";
    python().with_last("\n\nthree = two\n").is_verified(named);
    // It takes something more than before, and has no body that is new.
    let more = "import shop\n\n\ndef test_three():\n    assert shop.two(more=True) == 2\n";
    let python = python();
    let [zero, two, _] = python.code.clone();
    let code = [zero, two.clone(), two.replace("def two()", "def two(more=False)")];
    Shop { code, ..python }.is_verified(more);
}

#[test]
fn ac_tdd_8_147_so_it_is_in_node_go_and_rust() {
    left_to_the_night!();
    let node = node();
    let second = node.first.replace("test('two', () =>", "test('three', () => { assert.ok(shop.three);");
    let second = second.replace("2));", "2); });");
    node.is_not_verified(&second);
    node.is_verified(&second.replace("assert.ok(shop.three)", "assert.equal(shop.three(), 7)"));

    let go = go();
    let second = go.first.replace("TestTwo(t *testing.T) {", "TestThree(t *testing.T) {\n\t_ = Three");
    go.is_not_verified(&second);
    go.is_verified(&second.replace("\t_ = Three", "\tif Three() != 7 {\n\t\tt.Fatal(Three())\n\t}"));

    let rust = rust();
    let second = rust.first.replace("fn two() {", "fn three() {\n    let _: fn() -> i32 = shop::three;");
    rust.is_not_verified(&second);
    rust.is_verified(&second.replace("let _: fn() -> i32 = shop::three;", "assert_eq!(shop::three(), 7);"));
}
