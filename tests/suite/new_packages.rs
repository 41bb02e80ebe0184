//! A criterion whose code is a package of Go that is not there yet.

use super::sandbox::has;
use super::shared_helpers::of_go;

fn of_cart(imports: &str, expectation: &str) -> String {
    format!(
        "package cart_test\n\nimport (\n\t\"testing\"\n\n\t\"{imports}\"\n)\n\nfunc TestDouble(t *testing.T) {{\n\
         \tif {expectation} {{\n\t\tt.Fatal(\"no\")\n\t}}\n}}\n"
    )
}

const CODE: &[(&str, &str)] =
    &[("cart/cart.go", "package cart\n\nfunc Double(x int) int { return 2 * x }\n")];

#[test]
fn ac_tdd_8_93_a_package_of_go_that_is_not_there_yet_goes_from_red_to_the_final_proof() {
    left_to_the_night!();
    if !has("go", &["go", "version"]) {
        return;
    }
    let test = of_cart("example.com/shop/cart", "cart.Double(3) != 6");
    for level in ["audit", "enforce"] {
        let (_, ran) = of_go(&[("cart/ac_ste_1_1_test.go", &test)], CODE).run_with(&[
            "--sandbox",
            level,
            "--proof",
            "full",
        ]);
        ran.expect(0).says_on_stdout(&["seen failing on code that does nothing: 1 of 1"]);
    }
}

#[test]
fn ac_tdd_8_93_a_package_of_another_module_that_is_not_there_is_no_red() {
    left_to_the_night!();
    if !has("go", &["go", "version"]) {
        return;
    }
    let foreign = of_cart("github.com/no/such", "such.Double(3) != 6");
    of_go(&[("cart/ac_ste_1_1_test.go", &foreign)], CODE)
        .is_no_red("no required module provides package github.com/no/such");
    // Loads what is not there, and expects nothing of it.
    let hollow =
        of_cart("example.com/shop/cart", "t.Name() == \"\"").replace("\tif ", "\t_ = cart.Double\n\tif ");
    of_go(&[("cart/ac_ste_1_1_test.go", &hollow)], CODE).is_no_red("expects nothing");
}
