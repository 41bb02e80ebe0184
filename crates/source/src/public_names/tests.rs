use super::*;
use Language::{Go, JavaScript, Python, Rust, TypeScript};

fn words(lost: Vec<LostName>) -> String {
    let word = |lost: LostName| match lost.loss {
        Loss::Gone => format!("-{}", lost.name),
        Loss::Hidden => format!("?{}", lost.name),
        Loss::Changed => format!("~{}", lost.name),
    };
    lost.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn public_names_that_nobody_declares_any_more_are_named() {
    for (language, before, after, want) in [
        (Rust, "pub fn a() {}\npub(crate) fn b() {}\nfn c() {}\npub struct D;", "fn a() {}", "-D -a"),
        (Rust, "pub mod a { pub fn b() {} }\n#[cfg(test)]\nmod t { pub fn c() {} }", "", "-a -b"),
        (Rust, "pub fn a() {}", "pub use b::a;", ""),
        (
            Rust,
            "pub struct A;\nimpl A { pub fn b(&self) {} fn c(&self) {} }",
            "pub struct A;\nimpl A {}",
            "-A.b",
        ),
        (Rust, "impl A { pub fn b(&self) {} }", "impl B for A { fn b(&self) {} }", ""),
        (Python, "import os\ndef a(): pass\ndef _b(): pass\nC = 1\n", "from x import a\n", "-C"),
        (Python, "class A:\n    def b(self): pass\n    def _c(self): pass\n", "class A:\n    pass\n", "-A.b"),
        (
            Python,
            "class A:\n    def b(self): pass\n",
            "class Z:\n    def b(self): pass\nclass A(Z):\n    pass\n",
            "",
        ),
        (
            JavaScript,
            "export const a = 1;\nconst b = 2;\nexport function c() {}",
            "export const a = 2;",
            "-c",
        ),
        // What `require` gives can be made in many ways, and is not followed.
        (JavaScript, "function a() {}\nexports.a = a;", "function a() {}\nmodule.exports = { a };", ""),
        (Go, "package p\n\nfunc A() {}\n\nfunc b() {}\n", "package p\n", "-A"),
    ] {
        assert_eq!(words(lost_names(language, &[("a", before)], &[("b", after)])), want, "{before}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn ac_tdd_8_24_what_can_not_be_called_as_before_is_named_and_what_can_is_not() {
    for (language, before, after, want) in [
        (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(y: u8) -> u8 { y }", ""),
        (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(x: u8, y: u8) -> u8 { x }", "~a"),
        (Rust, "pub fn a(x: u8) -> u8 { x }", "pub fn a(x: u8) -> u16 { x }", "~a"),
        (Rust, "pub fn a(x: &String, y: &Vec<u8>) {}", "pub fn a(x: &str, y: &[u8]) {}", ""),
        (Rust, "pub fn a<'x>(x: &'x str) -> &'x str { x }", "pub fn a(x: &str) -> &str { x }", ""),
        (Rust, "pub fn a(x: &str) {}", "pub fn a(x: impl AsRef<str>) {}", ""),
        (Rust, "pub fn a(x: &str) {}", "pub fn a(x: u8) {}", "~a"),
        (Python, "def a(x): pass\n", "def a(x, y=1): pass\n", ""),
        (Python, "def a(x): pass\n", "def a(x: int) -> int: pass\n", ""),
        (Python, "def a(x): pass\n", "def a(x, y): pass\n", "~a"),
        (Python, "def a(x, y): pass\n", "def a(y, x): pass\n", "~a"),
        (Python, "def a(x, y=1): pass\n", "def a(x): pass\n", "~a"),
        (Python, "def a(x, y=1): pass\n", "def a(*args, **more): pass\n", ""),
        (Python, "class A:\n    def b(self, x): pass\n", "class A:\n    def b(self): pass\n", "~A.b"),
        (Python, "def a(x, /): pass\n", "def a(y, /): pass\n", ""),
        (Python, "def a(x): pass\n", "def a(x, /): pass\n", "~a"),
        (Python, "def a(*, x, y): pass\n", "def a(*, y, x): pass\n", ""),
        (Python, "def a(*, x): pass\n", "def a(x): pass\n", ""),
        (Python, "def a(x): pass\n", "def a(*, x): pass\n", "~a"),
        (Python, "def a(x, *, y=1): pass\n", "def a(x, *, z=2, y=1): pass\n", ""),
        (Python, "def a(x, *, y=1): pass\n", "def a(x, *, y): pass\n", "~a"),
        (Python, "def a(x, *, y=1): pass\n", "def a(x): pass\n", "~a"),
        (Python, "def a(*x): pass\n", "def a(*y): pass\n", ""),
        (Python, "def a(x, **y): pass\n", "def a(x, **z): pass\n", ""),
        (Python, "def a(x, **y): pass\n", "def a(x): pass\n", "~a"),
        (
            Python,
            "class A:\n    @property\n    def b(self): pass\n",
            "class A:\n    @lazy\n    def b(self): pass\n",
            "",
        ),
        (Rust, "pub fn a() -> std::io::Result<()> {}", "pub fn a() -> io::Result<()> {}", ""),
        (Rust, "pub fn a(x: &std::path::Path) {}", "pub fn a(x: &Path) {}", ""),
        (Rust, "pub fn a(x: &std::path::Path) {}", "pub fn a(x: &std::path::PathBuf) {}", "~a"),
        (Go, "package p\n\nfunc A() (n int) { return 1 }\n", "package p\n\nfunc A() int { return 1 }\n", ""),
        (
            Go,
            "package p\n\nfunc A() (n int) { return 1 }\n",
            "package p\n\nfunc A() (n int, err error) { return }\n",
            "~A",
        ),
        (
            Go,
            "package p\n\nfunc A() (*os.File, error) {}\n",
            "package p\n\nfunc A() (*sys.File, error) {}\n",
            "",
        ),
        (
            Go,
            "package p\n\nfunc A(f func(a int, b int) int) {}\n",
            "package p\n\nfunc A(f func(int, int) int) {}\n",
            "",
        ),
        (JavaScript, "export function a(x, y) { return x; }", "export function a(x) { return x; }", ""),
        (JavaScript, "export function a(x, y) { return y; }", "export function a(x) { return 1; }", "~a"),
        (JavaScript, "export const a = (x) => x;", "export function a(y) { return y; }", ""),
        (JavaScript, "export const a = x => x;", "export const a = (x, y) => x;", "~a"),
        (JavaScript, "export function a(x) {}", "export function a(x, y = 1) {}", ""),
        (
            TypeScript,
            "export function a(x: any): any {}",
            "export function a(x: number, y?: string): number {}",
            "",
        ),
        (TypeScript, "export function a(x: number, y: number) {}", "export function a(x: number) {}", "~a"),
        (
            Go,
            "package p\n\nfunc A(x, y int) int { return x }\n",
            "package p\n\nfunc A(x int, y int) int { return x }\n",
            "",
        ),
        (
            Go,
            "package p\n\nfunc A(x int) int { return x }\n",
            "package p\n\nfunc A(x string) int { return 1 }\n",
            "~A",
        ),
        (
            Go,
            "package p\n\nfunc A(x int) int { return x }\n",
            "package p\n\nfunc A(x int) (int, error) { return x, nil }\n",
            "~A",
        ),
        (Go, "package p\n\nfunc (t T) A(x int) {}\n", "package p\n\nfunc (t T) A() {}\n", "~T.A"),
    ] {
        assert_eq!(
            words(lost_names(language, &[("a", before)], &[("b", after)])),
            want,
            "{before} => {after}"
        );
        assert_eq!(words(lost_names(language, &[("a", before)], &[("b", before)])), "", "{before}");
    }
}

#[test]
fn ac_tdd_8_165_a_name_that_is_there_under_a_condition_alone_is_lost() {
    let go = "package p\n\nfunc A() {}\n";
    let tagged = |tag: &str| format!("//go:build {tag}\n\n{go}");
    let (tools, linux, other) = (tagged("tools"), tagged("linux"), tagged("!linux"));
    let cases: &[Case<'_>] = &[
        (Rust, &[("a.rs", "pub fn a() {}")], &[("a.rs", "#[cfg(any())]\npub fn a() {}")], "?a"),
        (Rust, &[("a.rs", "pub fn a() {}")], &[("b.rs", "#[cfg(x)]\npub mod m {\npub fn a() {}\n}")], "?a"),
        (Rust, &[("a.rs", "pub fn a() {}")], &[("b.rs", "#![cfg(x)]\npub fn a() {}")], "?a"),
        (
            Rust,
            &[("a.rs", "pub struct A;\nimpl A { pub fn b(&self) {} }")],
            &[("a.rs", "pub struct A;\n#[cfg(x)]\nimpl A { pub fn b(&self) {} }")],
            "?A.b",
        ),
        // One for each platform, as it was, or what is no condition.
        (
            Rust,
            &[("a.rs", "pub fn a() {}")],
            &[("a.rs", "#[cfg(unix)]\npub fn a() {}\n#[cfg(not(unix))]\npub fn a() {}")],
            "",
        ),
        (Rust, &[("a.rs", "#[cfg(x)]\npub fn a() {}")], &[("b.rs", "#[cfg(x)]\npub fn a() {}")], ""),
        (Rust, &[("a.rs", "#[cfg(x)]\npub fn a() {}")], &[("b.rs", "#[cfg(all(x))]\npub fn a() {}")], ""),
        (Rust, &[("a.rs", "pub fn a() {}")], &[("a.rs", "#[inline]\n#[cfg_attr(x, y)]\npub fn a() {}")], ""),
        (Go, &[("a.go", go)], &[("a.go", &tools)], "?A"),
        (Go, &[("a.go", go)], &[("a_windows.go", go)], "?A"),
        (Go, &[("a.go", go)], &[("_a.go", go)], "?A"),
        (Go, &[("a.go", go)], &[("a_linux.go", go), ("a_other.go", &other)], ""),
        (Go, &[("a.go", go)], &[("a.go", &linux), ("b.go", &other)], ""),
        (Go, &[("a.go", go)], &[("say_windows_all.go", go)], ""),
        (Go, &[("a.go", go)], &[("windows.go", go)], ""),
        (Python, &[("a.py", "def a(): pass\n")], &[("a.py", "if False:\n    def a(): pass\n")], "?a"),
        (Python, &[("a.py", "def a(): pass\n")], &[("a.py", "def a(): pass\ndel a\n")], "?a"),
        (
            Python,
            &[("a.py", "def a(): pass\n")],
            &[("a.py", "if x:\n    def a(): pass\nelse:\n    def a(): pass\n")],
            "",
        ),
        (
            Python,
            &[("a.py", "def a(): pass\n")],
            &[("a.py", "try:\n    from b import a\nexcept ImportError:\n    def a(): pass\n")],
            "",
        ),
        (Python, &[("a.py", "def a(): pass\n")], &[("a.py", "x = 1\ndel x\ndef a():\n    if 1: pass\n")], ""),
    ];
    for (language, before, after, want) in cases {
        assert_eq!(words(lost_names(*language, before, after)), *want, "{before:?} => {after:?}");
    }
}

#[test]
fn new_names_that_no_test_speaks_of_are_named() {
    let new = new_names(
        Python,
        (
            &[("a.py", "def a(): pass\n")],
            &[("a.py", "def a(): pass\ndef b(): pass\ndef c(): pass\ndef _d(): pass\n")],
        ),
        &["import a\n\ndef test(): assert a.b() == 1\n"],
    );
    assert_eq!(new, [("a.py".to_owned(), "c".to_owned())]);
}

/// Files before and after, each as its path and its text, and what is lost.
type Case<'c> = (Language, &'c [(&'c str, &'c str)], &'c [(&'c str, &'c str)], &'c str);

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn ac_tdd_8_119_what_a_file_passes_on_no_more_is_lost_for_whoever_takes_it_from_there() {
    let core = ("s/core.py", "def one(): pass\ndef two(): pass\n");
    let cases: &[Case<'_>] = &[
        (
            Python,
            &[core, ("s/__init__.py", "from .core import one, two\n\n__all__ = ['one', 'two']\n")],
            &[core, ("s/__init__.py", "from .core import one\n")],
            "-two",
        ),
        (
            Python,
            &[(
                "s/__init__.py",
                "import os\nfrom .core import one, two\nfrom s.core import three\nos.x(one)\n",
            )],
            &[("s/__init__.py", "pass\n")],
            "-three -two",
        ),
        (
            Python,
            &[("s/__init__.py", "from .core import one, two\n")],
            &[("s/__init__.py", "from .core import *\n")],
            "",
        ),
        (
            Python,
            &[("s/__init__.py", "from .core import one, two\nfrom typing import List\n")],
            &[("s/__init__.py", "from . import core\none = core.one\nfrom .x import other as two\n")],
            "",
        ),
        // The project's own affair: who used it here takes it from elsewhere now.
        (
            Python,
            &[("s/__init__.py", "from .core import one\n"), ("s/app.py", "from s import one\n")],
            &[("s/__init__.py", ""), ("s/app.py", "from s.core import one\n")],
            "",
        ),
        (Python, &[("s/other.py", "from .core import one\n")], &[("s/other.py", "")], ""),
        (
            JavaScript,
            &[("a.js", "export { one, three as drei } from './core.js';\nexport default api;")],
            &[("a.js", "export { one } from './core.js';")],
            "-default -drei",
        ),
        (
            JavaScript,
            &[("a.js", "export { one } from './core.js';")],
            &[("a.js", "export * from './core.js';")],
            "",
        ),
        (
            JavaScript,
            &[("a.js", "export { one } from './core.js';")],
            &[("a.js", "import { one as o } from './core.js';\nexport const one = o;")],
            "",
        ),
        (
            JavaScript,
            &[("a.js", "export default api;"), ("b.js", "import api from './a.js';")],
            &[("a.js", "export { api };"), ("b.js", "import { api } from './a.js';")],
            "",
        ),
        (
            JavaScript,
            &[("a.js", "class A { b() {} c() {} }\nexport { A };\nclass Own { d() {} }")],
            &[("a.js", "class A { b() {} }\nexport { A };\nclass Own {}")],
            "-A.c",
        ),
        (
            Rust,
            &[("src/lib.rs", "mod core;\npub use core::{one, Two as Three};\npub(crate) use core::four;")],
            &[("src/lib.rs", "mod core;\npub use core::one;")],
            "-Three",
        ),
        (
            Rust,
            &[("src/lib.rs", "mod core;\npub use core::one;")],
            &[("src/lib.rs", "mod core;\npub use core::*;")],
            "",
        ),
        (
            Rust,
            &[("src/a.rs", "pub use core::One;"), ("src/b.rs", "use crate::a::One;\nfn b(x: One) {}")],
            &[("src/a.rs", ""), ("src/b.rs", "use core::One;\nfn b(x: One) {}")],
            "",
        ),
    ];
    for (language, before, after, want) in cases {
        assert_eq!(words(lost_names(*language, before, after)), *want, "{before:?} => {after:?}");
        assert_eq!(words(lost_names(*language, before, before)), "", "{before:?}");
    }
}

#[test]
fn ac_tdd_8_119_what_was_read_is_read_still_and_what_was_called_on_a_type_is_too() {
    for (language, before, after, want) in [
        (
            Python,
            "class A:\n    @property\n    def b(self): pass\n",
            "class A:\n    def b(self): pass\n",
            "~A.b",
        ),
        (
            Python,
            "class A:\n    @property\n    def b(self): pass\n",
            "class A:\n    @functools.cached_property\n    def b(self): pass\n",
            "",
        ),
        (Python, "class A:\n    @property\n    def b(self): pass\n", "class A:\n    b = 1\n", ""),
        (
            Python,
            "class A:\n    @staticmethod\n    def b(x): pass\n",
            "class A:\n    def b(self, x): pass\n",
            "~A.b",
        ),
        (
            Python,
            "class A:\n    def b(self): pass\n",
            "class A:\n    @classmethod\n    def b(cls): pass\n",
            "",
        ),
        (
            JavaScript,
            "export class A { get b() { return 1; } static c() {} }",
            "export class A { b() { return 1; } c() {} }",
            "~A.b ~A.c",
        ),
        (Rust, "impl A { pub fn b(&self) {} }", "impl A { pub fn b(self) {} }", "~A.b"),
        (Rust, "impl A { pub fn b(&mut self) {} }", "impl A { pub fn b(&self) {} }", ""),
        (Rust, "impl A { pub fn b() {} }", "impl A { pub fn b(&self) {} }", "~A.b"),
        (Rust, "impl A { pub fn b<'a>(&'a self) {} }", "impl A { pub fn b(&self) {} }", ""),
        (Rust, "pub fn a() -> u8 { 1 }", "pub async fn a() -> u8 { 1 }", "~a"),
    ] {
        let lost = lost_names(language, &[("a", before)], &[("b", after)]);
        assert_eq!(words(lost), want, "{before} => {after}");
        assert_eq!(words(lost_names(language, &[("a", before)], &[("b", before)])), "", "{before}");
    }
}
