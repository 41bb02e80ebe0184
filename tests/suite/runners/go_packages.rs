//! go: packages that have tests and no code yet.

use super::{Lab, TestRun, check, go_lab, go_test, has_go, words};

/// A test of `cart.Total`.
fn outer(import: &str, call: &str) -> String {
    let body =
        format!("func TestTotal(t *testing.T) {{\n\tif {call}(3, 4) != 7 {{\n\t\tt.Fatal(7)\n\t}}\n}}\n");
    go_test("cart_test", &format!("\t{import}\n"), &body)
}

fn inner() -> String {
    go_test("cart", "", "func TestInner(t *testing.T) {\n\tif Total(3, 4) != 7 {\n\t\tt.Fatal(7)\n\t}\n}\n")
}

/// What is said to be absent from a file, and why.
fn lacks(run: &TestRun, file: &str) -> (Vec<String>, String) {
    let loads = &run.report.as_ref().unwrap().load_failures;
    let load = loads.iter().find(|load| load.file.as_str() == file).unwrap();
    (load.failure.all_absent().cloned().collect(), load.failure.message.clone())
}

fn lab(files: &[(&str, &str)]) -> Lab {
    let lab = go_lab();
    for (file, text) in files {
        lab.write(file, text);
    }
    lab
}

const OLD: &str = "core/base_test.go::TestBase=ok";
const CODE: &str = "package cart\n\nfunc Total(a, b int) int { return a + b }\n";

#[test]
fn ac_tdd_8_93_tests_of_a_package_without_code_miss_it_and_no_other_does() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let own = outer("\"shop/cart\"", "cart.Total");
    let elsewhere = own.replace("package cart_test", "package core_test");
    let renamed = outer("basket \"shop/cart\"", "basket.Total");
    let known = outer("base \"shop/core\"", "base.Total").replace("package cart_test", "package core_test");
    let all_names = outer(". \"shop/cart\"", "Total");
    for (name, files, absent) in [
        ("from without", vec![("cart/c_test.go", own.as_str())], "cart.Total"),
        ("by a name of its own", vec![("cart/c_test.go", &renamed)], ".Total"),
        ("of a package that has code, by such a name", vec![("core/c_test.go", &known)], ".Total"),
        ("all its names", vec![("cart/c_test.go", &all_names)], "Total"),
        ("from within", vec![("cart/c_test.go", &inner())], "Total"),
        (
            "of another package",
            vec![("core/c_test.go", &elsewhere), ("cart/d_test.go", &inner())],
            "shop/cart",
        ),
        ("without a folder", vec![("core/c_test.go", &elsewhere)], "shop/cart"),
        (
            "from without, and from within",
            vec![("cart/c_test.go", &own), ("cart/d_test.go", &inner())],
            "cart.Total",
        ),
    ] {
        let lab = lab(&files);
        let run = lab.run();
        let mut want: Vec<String> = files.iter().map(|(file, _)| format!("{file}!missing")).collect();
        want.push(OLD.to_owned());
        want.sort();
        assert_eq!(words(&run), want, "{name}: {}", run.output);
        let (names, said) = lacks(&run, files[0].0);
        // Of a name of the file's own some versions tell the package's.
        let is_it = names.len() == 1
            && (names[0] == absent || (absent.starts_with('.') && names[0].ends_with(absent)));
        assert!(is_it, "{name}: {names:?}, {said}");
        check(
            &lab.without(&[files[0].0]),
            &want.iter().filter(|line| !line.starts_with(files[0].0)).map(String::as_str).collect::<Vec<_>>(),
        );
        // With its code all of them pass, and nothing is left of ours.
        lab.write("cart/cart.go", CODE);
        lab.write("core/total.go", &CODE.replace("package cart", "package core"));
        let run = lab.run();
        assert!(words(&run).iter().all(|line| line.ends_with("=ok")), "{name}: {}", run.output);
        assert!(!lab.project().join("cart/unwritten.go").exists(), "{name}");
    }
}

#[test]
fn a_test_of_a_package_without_code_is_still_held_to_what_it_asks_for() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let own = outer("\"shop/cart\"", "cart.Total");
    let foreign = outer("\"github.com/no/such\"", "such.Total");
    let unused = own.replace("cart.Total(3, 4)", "3 + 4");
    let wrong = own.replace("t.Fatal(7)", "var x int = \"a\"");
    for (name, test) in [("foreign", &foreign), ("unused", &unused), ("wrong itself", &wrong)] {
        let lab = lab(&[("cart/c_test.go", test)]);
        check(&lab.run(), &["cart/c_test.go!load", OLD]);
        assert!(!lacks(&lab.run(), "cart/c_test.go").1.is_empty(), "{name}");
    }
    // What needs nothing of it runs, and what only loads it does not pass for want of it.
    let lab = lab(&[("cart/c_test.go", &go_test("cart_test", "", "func TestTotal(t *testing.T) {}\n"))]);
    check(&lab.run(), &["cart/c_test.go::TestTotal=ok", OLD]);
    lab.write(
        "cart/c_test.go",
        &go_test("cart_test", "\t_ \"shop/cart\"\n", "func TestTotal(t *testing.T) {}\n"),
    );
    assert!(lab.run().report.unwrap().project_broken.is_some());
}
