//! Tests that are left for later, or are for another system, beside those that count.

use serde_json::json;

use super::sandbox::{Ran, has_pytest};
use super::shops::{Shop, go, node, python, rust};

/// More tests beside the second criterion's.
fn play(shop: &Shop<'_>, second: &str) -> Ran {
    play_with(shop, second, "full")
}

fn play_with(shop: &Shop<'_>, second: &str, proof: &str) -> Ran {
    let written = [(shop.tests[0], shop.first), (shop.tests[1], second)];
    shop.play_with(&written, &json!({}), &["--proof", proof])
}

const THREE: &str =
    "import sys\n\nimport pytest\nfrom shop import three\n\n\ndef test_three():\n    assert three() == 7\n";

#[test]
fn ac_tdd_8_149_what_skips_itself_beside_a_real_test_counts_for_nothing_and_is_told() {
    if !has_pytest() {
        return;
    }
    let more = "\n\n@pytest.mark.skip(reason=\"later\")\ndef test_more():\n    assert three(1) == 8\n\n\n\
        @pytest.mark.skipif(sys.platform != \"win32\", reason=\"there alone\")\ndef test_there():\n    assert three() == 7\n\n\n\
        @pytest.mark.parametrize(\"n\", [7, pytest.param(8, marks=pytest.mark.skip)])\ndef test_rows(n):\n    assert three() == n\n";
    let told = |id: &str| {
        format!(
            "look at: a test of this run skips itself, so it says nothing of the work: tests/test_ac_ste_1_2.py::{id}"
        )
    };
    let ran = play_with(&python(), &format!("{THREE}{more}"), "off").expect(0);
    let [skipped, there, row] = ["test_more", "test_there", "test_rows[8]"].map(told);
    ran.says_on_stdout(&[&skipped, &there, &row]);
    left_to_the_night!();
    let proven = play(&python(), &format!("{THREE}{more}")).expect(0);
    proven.says_on_stdout(&["seen failing on code that does nothing: 2 of 2"]);
}

#[test]
fn ac_tdd_8_149_what_is_skipped_alone_or_by_the_code_is_no_test() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let alone = THREE.replace("def test_three", "@pytest.mark.skip(reason=\"later\")\ndef test_three");
    play(&python(), &alone).expect(1).says(&["tests/test_ac_ste_1_2.py::test_three"]);
    let last = "\n\ndef three():\n    import pytest\n    pytest.skip(\"later\")\n";
    let both = format!("{THREE}\n\ndef test_two_more():\n    from shop import two\n    assert two() == 2\n");
    play(&python().with_last(last), &both).expect(1).says(&["AC-STE-1.2"]);
}

#[test]
fn ac_tdd_8_149_so_it_is_in_node_go_and_rust() {
    left_to_the_night!();
    let by_node = node().first.replace(
        "test('two', () => assert.equal(shop.two(), 2));",
        "test('three', () => assert.equal(shop.three(), 7));\n\
        test.todo('of four');\ntest.skip('of five', () => assert.equal(shop.three(5), 8));\n",
    );
    play(&node(), &by_node).expect(0).says_on_stdout(&["skips itself", "of five"]);
    let by_go = "package shop\n\nimport (\n\t\"runtime\"\n\t\"testing\"\n)\n\nfunc TestThree(t *testing.T) {\n\tif Three() != 7 {\n\t\tt.Fatal(Three())\n\t}\n}\n\n\
        func TestThere(t *testing.T) {\n\tif runtime.GOOS != \"plan9\" {\n\t\tt.Skip(\"there alone\")\n\t}\n\tif Three() != 7 {\n\t\tt.Fatal(Three())\n\t}\n}\n";
    play(&go(), by_go).expect(0).says_on_stdout(&["skips itself", "::TestThere"]);
    let by_rust = "#[test]\nfn three() {\n    assert_eq!(shop::three(), 7);\n}\n\n#[test]\n#[ignore]\nfn later() {\n    assert_eq!(shop::three(), 8);\n}\n";
    play(&rust(), by_rust).expect(0).says_on_stdout(&["skips itself", "::later"]);
}
