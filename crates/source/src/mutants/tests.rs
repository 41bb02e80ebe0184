use super::*;

/// All texts that the first test of a source becomes, one for each way of each of its claims.
fn texts(language: Language, source: &str) -> Vec<String> {
    let tests = mutants(language, source, 7, Reach::Any);
    let claims = tests.iter().flat_map(|test| &test.claims);
    claims.flat_map(|claim| &claim.ways).map(|way| mutated(source, [way]).unwrap()).collect()
}

/// The changed lines of a body of one line, with words and numbers that were thrown shown as `W` and `N`.
fn lines(language: Language, head: &str, body: &str, tail: &str) -> Vec<String> {
    let source = format!("{head}{body}{tail}");
    let middle = |text: String| {
        let text = text.strip_prefix(head).unwrap().strip_suffix(tail).unwrap().to_owned();
        blurred(&text)
    };
    texts(language, &source).into_iter().map(middle).collect()
}

/// A word of ten letters that begins with `q`, and numbers of three digits or more that stand in no table.
fn blurred(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for character in text.chars().chain(['\n']) {
        if character.is_ascii_alphanumeric() {
            word.push(character);
            continue;
        }
        let at = word.len().saturating_sub(10);
        let (before, last) = word.split_at(at);
        let is_number = word.len() >= 3
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && !["100", "205", "206"].contains(&word.as_str());
        if is_number {
            out.push('N');
        } else if last.starts_with('q') && last.len() == 10 {
            out.push_str(before);
            out.push('W');
        } else {
            out.push_str(&word);
        }
        word.clear();
        out.push(character);
    }
    out.pop();
    out
}

const PYTHON: &[(&str, &[&str])] = &[
    ("assert f(3) == 205", &["assert f(3) == N", "assert f(3) == (\"W\",)", "assert (not (f(3) == 205))"]),
    (
        "assert f() == \"a\"",
        &["assert f() == \"aW\"", "assert f() == (\"W\",)", "assert (not (f() == \"a\"))"],
    ),
    (
        "assert f() == True, 'm'",
        &["assert f() == False, 'm'", "assert f() == (\"W\",), 'm'", "assert (not (f() == True)), 'm'"],
    ),
    ("assert f() == []", &["assert f() == [\"W\"]", "assert f() == (\"W\",)", "assert (not (f() == []))"]),
    ("assert f() == [1]", &["assert f() == [N]", "assert f() == (\"W\",)", "assert (not (f() == [1]))"]),
    (
        "assert f() == {'a': 1}",
        &["assert f() == {'a': N}", "assert f() == (\"W\",)", "assert (not (f() == {'a': 1}))"],
    ),
    ("assert f() == -1.5", &["assert f() == -N.5", "assert f() == (\"W\",)", "assert (not (f() == -1.5))"]),
    (
        "assert f() == pytest.approx(0.3)",
        &[
            "assert f() == pytest.approx((-N * 0.3 - N))",
            "assert f() == (\"W\",)",
            "assert (not (f() == pytest.approx(0.3)))",
        ],
    ),
    ("assert f() == Money(5, 'EUR')", &["assert f() == (\"W\",)", "assert (not (f() == Money(5, 'EUR')))"]),
    ("assert f() == g(5)", &["assert f() == (\"W\",)", "assert (not (f() == g(5)))"]),
    ("assert len(f()) < 100", &["assert (not (len(f()) < 100))"]),
    ("assert 'a' in f()", &["assert 'aW' in f()", "assert (not ('a' in f()))"]),
    ("assert f() in (1, 2)", &["assert (not (f() in (1, 2)))"]),
    ("assert f() is None", &["assert (not (f() is None))"]),
    (
        "assert math.isclose(f(), 0.3)",
        &["assert math.isclose(f(), (-N * 0.3 - N))", "assert (not (math.isclose(f(), 0.3)))"],
    ),
    ("assert f().startswith('a')", &["assert f().startswith('aW')", "assert (not (f().startswith('a')))"]),
    (
        "assert f() == 1 and g() > 2",
        &[
            "assert f() == N and g() > 2",
            "assert f() == (\"W\",) and g() > 2",
            "assert (not (f() == 1 and g() > 2))",
        ],
    ),
    ("assert f() or g()", &["assert (not (f() or g()))"]),
    (
        "m.assert_called_once_with(x, to='b')",
        &["m.assert_called_once_with(x, to='bW')", "m.assert_called_once_with(x, to='b', W=1)"],
    ),
    ("m.assert_called_with(x)", &["m.assert_called_with(x, W=1)"]),
    ("m.assert_called_with()", &["m.assert_called_with(W=1)"]),
    ("m.assert_has_calls([call(1)])", &["m.assert_has_calls([\"W\"])"]),
    ("m.assert_called_once()", &["m.assert_not_called()"]),
    ("m.assert_not_called()", &["m.assert_called()"]),
    ("np.testing.assert_allclose(f(), 0.5)", &["np.testing.assert_allclose(f(), (-N * 0.5 - N))"]),
    ("assert_valid(f(), 3)", &[]),
    ("check(f(), 3)", &[]),
    ("assert f'{a}' == g()", &["assert (\"W\",) == g()", "assert (not (f'{a}' == g()))"]),
];

#[test]
fn python_has_another_expectation() {
    for (body, want) in PYTHON {
        let found = lines(Language::Python, "def test_a():\n    ", body, "\n");
        assert_eq!(found, *want, "{body}");
    }
}

#[test]
fn python_raises_what_nobody_throws() {
    for (body, want) in [
        (
            "with pytest.raises(ValueError):\n        f()",
            vec![
                "with pytest.raises(ValueError):\n        pass",
                "with pytest.raises(type(\"EW\", (Exception,), {})):\n        f()",
            ],
        ),
        (
            "with pytest.raises(ValueError, match='x|y'):\n        f()",
            vec![
                "with pytest.raises(ValueError, match='x|y'):\n        pass",
                "with pytest.raises(type(\"EW\", (Exception,), {}), match='x|y'):\n        f()",
                "with pytest.raises(ValueError, match=\"W\"):\n        f()",
            ],
        ),
        (
            "with self.assertWarns(A):\n        f()",
            vec![
                "with self.assertWarns(A):\n        pass",
                "with self.assertWarns(type(\"EW\", (Warning,), {})):\n        f()",
            ],
        ),
        ("self.assertRaises(A, f)", vec!["self.assertRaises(type(\"EW\", (Exception,), {}), f)"]),
    ] {
        assert_eq!(lines(Language::Python, "def test_a():\n    ", body, "\n"), want, "{body}");
    }
    let source = "def test_a():\n    with pytest.raises(ValueError):\n        f()\n";
    let claims = mutants(Language::Python, source, 1, Reach::Any).remove(0).claims;
    let fails: Vec<Fails> = claims.iter().map(|claim| claim.ways[0].fails).collect();
    assert_eq!((fails, claims[0].line), (vec![Fails::ByExpectation, Fails::Anyhow], 2));
    let claim = &claims[0];
    let probe = mutated(source, [&claim.probe]).unwrap();
    assert!(probe.contains(&format!("with (_ for _ in ()).throw(AssertionError(\"{PROBE}\")):")), "{probe}");
}

#[test]
fn methods_of_unittest_say_something_else() {
    for (body, want) in [
        (
            "self.assertEqual(f(), 3)",
            vec!["self.assertEqual(f(), N)", "self.assertEqual(f(), [\"W\"])", "self.assertNotEqual(f(), 3)"],
        ),
        (
            "self.assertEqual('a', f())",
            vec![
                "self.assertEqual('aW', f())",
                "self.assertEqual([\"W\"], f())",
                "self.assertNotEqual('a', f())",
            ],
        ),
        (
            "self.assertTrue(f() == 1)",
            vec![
                "self.assertTrue(f() == N)",
                "self.assertTrue(f() == (\"W\",))",
                "self.assertTrue((not (f() == 1)))",
                "self.assertFalse(f() == 1)",
            ],
        ),
        ("self.assertFalse(f())", vec!["self.assertTrue(f())"]),
        (
            "self.assertAlmostEqual(f(), 0.3, places=2)",
            vec![
                "self.assertAlmostEqual(f(), (-N * 0.3 - N), places=2)",
                "self.assertNotAlmostEqual(f(), 0.3, places=2)",
            ],
        ),
        ("self.assertIn('a', f())", vec!["self.assertIn('aW', f())", "self.assertNotIn('a', f())"]),
        ("self.assertLess(f(), 3)", vec!["self.assertGreaterEqual(f(), 3)"]),
        ("self.assertIsNone(f())", vec!["self.assertIsNotNone(f())"]),
    ] {
        assert_eq!(
            lines(Language::Python, "class TestA(unittest.TestCase):\n  def test_a(self):\n    ", body, "\n"),
            want,
            "{body}"
        );
    }
}

/// Where a test itself holds one thing to be equal to several, another expectation may honestly pass.
#[test]
fn what_is_equal_to_several_is_only_negated() {
    for source in [
        "def test_a(): \n    assert next_id() == 1\n    assert next_id() == 2\n",
        "def test_a():\n    for value in (1, 'a'):\n        assert Any() == value\n",
        "@pytest.mark.parametrize('value', [1, 'a'])\ndef test_a(value):\n    assert Any() == value\n",
        "class TestA(T):\n  def test_a(self):\n    self.assertEqual(f(), 1)\n    self.assertEqual(f(), 2)\n",
    ] {
        for text in texts(Language::Python, source) {
            assert!(text.contains("not (") || text.contains("assertNotEqual"), "{text}");
        }
    }
    // Here it depends on what it is given.
    let source =
        "@pytest.mark.parametrize('n,want', [(1, 2)])\ndef test_a(n, want):\n    assert double(n) == want\n";
    assert!(texts(Language::Python, source)[0].contains("assert double(n) == (\"q"));
}

/// It fails however it is changed, and whatever the code does it passes.
#[test]
fn what_compares_a_thing_with_itself_has_no_mutants() {
    let of = |language, head: &str, body: &str, tail: &str| lines(language, head, body, tail).len();
    let script = |body: &str| of(Language::JavaScript, "test('a', () => {\n  ", body, ";\n});\n");
    for body in ["assert.equal(f(), f())", "expect(f() === f()).toBe(true)", "assert.equal(f() - f(), 0)"] {
        assert_eq!(script(body), 0, "{body}");
    }
    for body in ["assert.equal(f(), g())", "assert.equal(f() * f(), 4)", "expect(f(1) === f(2)).toBe(true)"] {
        assert!(script(body) > 0, "{body}");
    }
    let python = |body: &str| of(Language::Python, "def test_a():\n    ", body, "\n");
    for body in
        ["assert f() == f()", "self.assertEqual(f(), f())", "assert f() - f() == 0", "assert f() is f()"]
    {
        assert_eq!(python(body), 0, "{body}");
    }
    assert!(python("assert f() + f() == 4") > 0);
    let go = |body: &str| of(Language::Go, "package a\n\nfunc TestA(t *testing.T) {\n\t", body, "\n}\n");
    assert_eq!(go("if F() != F() { t.Fatal(1) }"), 0);
    assert_eq!(go("if got := F(); got != got { t.Fatal(1) }"), 0);
    assert!(go("if F() != G() { t.Fatal(1) }") > 0);
    let rust = |body: &str| of(Language::Rust, "#[test]\nfn a() {\n    ", body, "\n}\n");
    assert_eq!(rust("assert_eq!(f(), f());"), 0);
    assert!(rust("assert_eq!(f(), g());") > 0);
}

/// Nor does it when two variables stand for the same; where one of them is changed in between, they are two.
#[test]
fn what_compares_a_thing_with_itself_by_two_variables_has_no_mutants() {
    let of = |language, head: &str, body: &str, tail: &str| lines(language, head, body, tail).len();
    let python = |body: &str| of(Language::Python, "def test_a():\n    ", body, "\n");
    assert_eq!(python("a = f(1)\n    b = f(1)\n    assert a == b"), 0);
    assert_eq!(python("a = f(1)\n    b = f(1)\n    assert a.name == b.name"), 0);
    assert_eq!(python("a = f(1)\n    assert a == f(1)"), 0);
    assert!(python("a = f(1)\n    b = f(2)\n    assert a == b") > 0);
    assert!(python("a = f(1)\n    b = f(1)\n    a.add(2)\n    assert a == b") > 0);
    assert!(python("a = f(1)\n    b = f(1)\n    b = g(b)\n    assert a == b") > 0);
    let script = |body: &str| of(Language::JavaScript, "test('a', async () => {\n  ", body, ";\n});\n");
    assert_eq!(script("const a = await f(1); const b = await f(1); expect(a).toEqual(b)"), 0);
    assert!(script("const a = f(1); const b = g(1); expect(a).toEqual(b)") > 0);
    let go = |body: &str| of(Language::Go, "package a\n\nfunc TestA(t *testing.T) {\n\t", body, "\n}\n");
    assert_eq!(go("a := F(1)\n\tb := F(1)\n\tif a.Name != b.Name { t.Fatal(1) }"), 0);
    assert!(go("a := F(1)\n\tb := F(1)\n\tb.Set(2)\n\tif a.Name != b.Name { t.Fatal(1) }") > 0);
    let rust = |body: &str| of(Language::Rust, "#[test]\nfn a() {\n    ", body, "\n}\n");
    assert_eq!(rust("let a = f(1); let b = f(1); assert_eq!(a.name, b.name);"), 0);
    assert!(rust("let a = f(1); let mut b = f(1); b.set(2); assert_eq!(a.name, b.name);") > 0);
}

#[test]
fn tests_that_do_not_run_or_can_not_be_read_have_no_mutants() {
    assert_eq!(
        mutants(Language::Python, "@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n", 1, Reach::Any),
        []
    );
    assert_eq!(
        mutants(Language::Python, "def test_a(:\n    assert f() ==\n", 1, Reach::Any)
            .iter()
            .flat_map(|test| &test.claims)
            .count(),
        0
    );
    let tests = mutants(
        Language::Python,
        "def test_a():\n    f()\n\ndef test_b():\n    assert f() == 1\n",
        1,
        Reach::Any,
    );
    assert_eq!(
        tests.iter().map(|test| (test.name.as_str(), test.claims.len())).collect::<Vec<_>>(),
        [("test_a", 0), ("test_b", 1)]
    );
}

#[test]
fn a_number_stays_of_its_type_and_chance_comes_again_with_its_seed() {
    let source = "def test_a():\n    assert f() == 205\n";
    let of = |seed| mutants(Language::Python, source, seed, Reach::Any);
    assert_eq!(of(3), of(3));
    assert_ne!(of(3), of(5));
    let way = &of(3)[0].claims[0].ways[0];
    assert_eq!(mutated(source, [way, way]), None, "two changes of one place");
}

const JAVASCRIPT: &[(&str, &[&str])] = &[
    (
        "expect(f(3)).toBe(205)",
        &["expect(f(3)).toBe(N)", "expect(f(3)).toBe(\"W\")", "expect(f(3)).not.toBe(205)"],
    ),
    (
        "expect(f()).toEqual({ a: 'b' })",
        &[
            "expect(f()).toEqual({ a: 'bW' })",
            "expect(f()).toEqual(\"W\")",
            "expect(f()).not.toEqual({ a: 'b' })",
        ],
    ),
    ("expect(f()).not.toBe(1)", &["expect(f()).toBe(1)"]),
    (
        "await expect(f()).resolves.toBe(true)",
        &[
            "await expect(f()).resolves.toBe(false)",
            "await expect(f()).resolves.toBe(\"W\")",
            "await expect(f()).resolves.not.toBe(true)",
        ],
    ),
    ("expect(f).toThrow('no')", &["expect(f).toThrow(\"W\")", "expect(f).not.toThrow('no')"]),
    ("expect(() => f(1)).not.toThrow()", &[]),
    ("await expect(f()).resolves.not.toThrow(TypeError)", &[]),
    ("expect(() => f(1)).toThrow()", &["expect(() => f(1)).not.toThrow()", "expect(() => {}).toThrow()"]),
    (
        "expect(f).toThrow(TypeError)",
        &["expect(f).toThrow(class EW extends Error {})", "expect(f).not.toThrow(TypeError)"],
    ),
    (
        "await expect(f()).rejects.toThrow(/no/)",
        &["await expect(f()).rejects.toThrow(/W/)", "await expect(f()).rejects.not.toThrow(/no/)"],
    ),
    (
        "expect(f()).toBeCloseTo(0.3, 5)",
        &["expect(f()).toBeCloseTo((-N * 0.3 - N), 5)", "expect(f()).not.toBeCloseTo(0.3, 5)"],
    ),
    ("expect(f()).toBeLessThan(100)", &["expect(f()).not.toBeLessThan(100)"]),
    ("expect(f()).toHaveLength(3)", &["expect(f()).toHaveLength(N)", "expect(f()).not.toHaveLength(3)"]),
    (
        "expect(spy).toHaveBeenCalledWith(x, 'b')",
        &["expect(spy).toHaveBeenCalledWith(x, 'bW')", "expect(spy).not.toHaveBeenCalledWith(x, 'b')"],
    ),
    (
        "expect(spy).toHaveBeenCalledTimes(1)",
        &["expect(spy).toHaveBeenCalledTimes(N)", "expect(spy).not.toHaveBeenCalledTimes(1)"],
    ),
    ("expect(f()).toMatchSnapshot()", &[]),
    ("expect(f()).toBePrice(205)", &["expect(f()).not.toBePrice(205)"]),
    (
        "expect(f()).to.equal(3)",
        &["expect(f()).to.equal(N)", "expect(f()).to.equal(\"W\")", "expect(f()).not.to.equal(3)"],
    ),
    ("expect(f()).to.be.true", &["expect(f()).not.to.be.true"]),
    (
        "assert.equal(f(), 3)",
        &["assert.equal(f(), N)", "assert.equal(f(), \"W\")", "assert.notEqual(f(), 3)"],
    ),
    (
        "assert.deepStrictEqual(f(), ['a'], 'm')",
        &[
            "assert.deepStrictEqual(f(), ['aW'], 'm')",
            "assert.deepStrictEqual(f(), \"W\", 'm')",
            "assert.notDeepStrictEqual(f(), ['a'], 'm')",
        ],
    ),
    (
        "assert.ok(f() === 3)",
        &["assert.ok(f() === N)", "assert.ok(f() === \"W\")", "assert.ok(!(f() === 3))"],
    ),
    ("assert(f())", &["assert(!(f()))"]),
    ("assert.throws(f, RangeError)", &["assert.throws(f, class EW extends Error {})"]),
    ("assert.throws(f)", &["assert.doesNotThrow(f)"]),
    ("assert.doesNotThrow(f)", &[]),
    ("assert.throws(f, { code: 'E1' })", &["assert.throws(f, { code: 'E1W' })"]),
    ("assert.match(f(), /a/)", &["assert.doesNotMatch(f(), /a/)"]),
    ("await assert.rejects(f(), /no/)", &["await assert.rejects(f(), /W/)"]),
    ("t.is(f(), 3)", &["t.is(f(), N)", "t.is(f(), \"W\")", "t.not(f(), 3)"]),
];

#[test]
fn javascript_has_another_expectation() {
    for (body, want) in JAVASCRIPT {
        for language in [Language::JavaScript, Language::TypeScript] {
            let found = lines(language, "test('a', async (t) => {\n  ", body, ";\n});\n");
            assert_eq!(found, *want, "{body}");
        }
    }
    let source = "test('a', () => {\n  expect(f()).toBe(1);\n});\n";
    let claim = mutants(Language::JavaScript, source, 1, Reach::Any).remove(0).claims.remove(0);
    let probe = mutated(source, [&claim.probe]).unwrap();
    assert!(probe.contains(&format!("  void (() => {{ throw new Error(\"{PROBE}\"); }})();")), "{probe}");
}

#[test]
fn go_has_another_expectation() {
    for (body, want) in [
        (
            "if F(3) != 205 { t.Errorf(\"got\") }",
            vec!["if F(3) != N { t.Errorf(\"got\") }", "if !(F(3) != 205) { t.Errorf(\"got\") }"],
        ),
        (
            "if got := F(); got != \"a\" { t.Fatal(1) }",
            vec![
                "if got := F(); got != \"aW\" { t.Fatal(1) }",
                "if got := F(); !(got != \"a\") { t.Fatal(1) }",
            ],
        ),
        ("if err := F(); err != nil { t.Fatal(err) }", vec!["if err := F(); !(err != nil) { t.Fatal(err) }"]),
        ("if !F() { t.Fatal(1) }", vec!["if !(!F()) { t.Fatal(1) }"]),
        ("require.Equal(t, 205, F())", vec!["require.Equal(t, N, F())", "require.NotEqual(t, 205, F())"]),
        ("assert.NoError(t, F())", vec!["assert.Error(t, F())"]),
        ("assert.Len(t, F(), 3)", vec!["assert.Len(t, F(), N)"]),
        ("assert.InDelta(t, 0.3, F(), 0.01)", vec!["assert.InDelta(t, (-N * 0.3 - N), F(), 0.01)"]),
        ("t.Fatal(\"later\")", vec![]),
    ] {
        let found = lines(Language::Go, "package a\n\nfunc TestA(t *testing.T) {\n\t", body, "\n}\n");
        assert_eq!(found, want, "{body}");
    }
    let source =
        "package a\n\nfunc TestA(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(1)\n\t\tt.FailNow()\n\t}\n}\n";
    let claims = mutants(Language::Go, source, 1, Reach::Any).remove(0).claims;
    assert_eq!(claims.len(), 1, "one condition is one expectation");
    let probe = mutated(source, [&claims[0].probe]).unwrap();
    assert!(
        probe.contains(&format!("if func() bool {{ t.Fatal(\"{PROBE}\"); return true }}() {{")),
        "{probe}"
    );
}

#[test]
fn rust_has_another_expectation() {
    for (body, want) in [
        ("assert_eq!(f(3), 205);", vec!["assert_eq!(f(3), N);", "assert_ne!(f(3), 205);"]),
        (
            "assert_eq!(f(), Some(\"a\".to_string()), \"m\");",
            vec![
                "assert_eq!(f(), Some(\"aW\".to_string()), \"m\");",
                "assert_ne!(f(), Some(\"a\".to_string()), \"m\");",
            ],
        ),
        ("assert_eq!(vec![true], f());", vec!["assert_ne!(vec![true], f());"]),
        ("assert_eq!(f(), Money(5));", vec!["assert_ne!(f(), Money(5));"]),
        ("assert_ne!(f(), 3);", vec!["assert_eq!(f(), 3);"]),
        ("assert!(f() == 3);", vec!["assert!(f() == N);", "assert!(!(f() == 3));"]),
        ("assert!(matches!(f(), Ok(3)), \"m\");", vec!["assert!(!(matches!(f(), Ok(3))), \"m\");"]),
        ("panic!();", vec![]),
    ] {
        let found = lines(Language::Rust, "#[test]\nfn a() {\n    ", body, "\n}\n");
        assert_eq!(found, want, "{body}");
    }
    let source = "#[test]\nfn a() {\n    assert_eq!(f(), 1);\n}\n";
    let claim = mutants(Language::Rust, source, 1, Reach::Any).remove(0).claims.remove(0);
    assert!(mutated(source, [&claim.probe]).unwrap().contains(&format!("    panic!(\"{PROBE}\");")));
}

/// What may stand in the place of a literal over many seeds.
fn ways(source: &str) -> Vec<String> {
    (0..200)
        .filter_map(|seed| {
            let tests = mutants(Language::Python, source, seed * 7919 + 3, Reach::Any);
            let way = tests.last()?.claims.first()?.ways.first()?.clone();
            mutated(source, [&way])
        })
        .collect()
}

#[test]
fn ac_tdd_8_85_what_other_tests_expect_stands_in_the_place_of_an_expectation() {
    let two = |one: &str, other: &str| {
        format!("def test_a():\n    assert f(1) == {one}\n\n\ndef test_b():\n    assert f(2) == {other}\n")
    };
    let has = |source: &str, text: &str| ways(source).iter().any(|way| way.contains(text));
    assert!(has(&two("205", "412"), "f(2) == 205") && has(&two("'EUR'", "\"USD\""), "f(2) == \"EUR\""));
    // Not so what may be the same, or means something else where it stands.
    for (one, other) in [("'a'", "\"a\""), ("1", "True"), ("'a\\n'", "'b'"), ("0x10", "16"), ("1.0", "1")] {
        let source = two(one, other);
        assert!(!ways(&source).iter().any(|way| way.ends_with(&format!("f(2) == {one}\n"))), "{source}");
    }
    // Near ones and far ones, and a text that is no longer than it was.
    let numbers = ways("def test_a():\n    assert f() == 5\n");
    assert!(numbers.iter().any(|way| way.len() == numbers[0].len() + 1 || way.len() + 1 == numbers[0].len()));
    let text = "def test_a():\n    assert f() == 'hello'\n";
    assert!(ways(text).iter().any(|way| way.len() == text.len() && way != text));
    assert!(ways(text).iter().all(|way| way != text));
}

#[test]
fn ac_tdd_8_85_a_value_that_the_test_itself_takes_for_two_is_not_swapped() {
    let counter = "def test_a():\n    assert f.next() == 1\n    assert f.next() == 2\n";
    for seed in 0..50 {
        let tests = mutants(Language::Python, counter, seed * 7919 + 3, Reach::Any);
        let ways = tests[0].claims.iter().flat_map(|claim| &claim.ways);
        let changed: Vec<String> = ways.filter_map(|way| mutated(counter, [way])).collect();
        assert!(!changed.iter().any(|text| text.matches("== 2").count() == 2), "{changed:?}");
    }
}
