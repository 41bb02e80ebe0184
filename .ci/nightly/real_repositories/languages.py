"""The same three functions in each language, and how a test of them looks where nothing else is said."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Three functions, their names, the last one tidied up, and a test of each."""

    names: tuple
    functions: tuple
    tidied: str
    tests: tuple


PYTHON = Language(
    names=("half_of", "within", "initials_of"),
    functions=(
        "\n\ndef half_of(number):\n    return number // 2\n",
        "\n\ndef within(number, low, high):\n    return max(low, min(number, high))\n",
        "\n\ndef initials_of(text):\n    found = ''\n    for word in text.split():\n"
        "        found = found + word[0].upper()\n    return found\n",
    ),
    tidied="\n\ndef initials_of(text):\n    return ''.join(word[0].upper() for word in text.split())\n",
    tests=(
        "{imports}\n\n\ndef test_half_of_an_even_number():\n    assert half_of(410) == 205\n\n\n"
        "def test_half_of_an_odd_number_is_rounded_down():\n    assert half_of(7) == 3\n",
        "{imports}\n\n\ndef test_a_number_stays_within():\n    assert within(17, 1, 12) == 12\n"
        "    assert within(5, 1, 12) == 5\n",
        "{imports}\n\n\ndef test_initials_of_a_name():\n    assert initials_of('ada king lovelace') == 'AKL'\n",
    ),
)

UNITTEST = Language(
    names=PYTHON.names,
    functions=PYTHON.functions,
    tidied=PYTHON.tidied,
    tests=(
        "import unittest\n\n{imports}\n\n\nclass HalfOf(unittest.TestCase):\n    def test_even(self):\n"
        "        self.assertEqual(half_of(410), 205)\n\n    def test_odd(self):\n"
        "        self.assertEqual(half_of(7), 3)\n",
        "import unittest\n\n{imports}\n\n\nclass Within(unittest.TestCase):\n    def test_bounds(self):\n"
        "        self.assertEqual(within(17, 1, 12), 12)\n        self.assertEqual(within(5, 1, 12), 5)\n",
        "import unittest\n\n{imports}\n\n\nclass InitialsOf(unittest.TestCase):\n    def test_name(self):\n"
        "        self.assertEqual(initials_of('ada king lovelace'), 'AKL')\n",
    ),
)


def javascript(exports, head, same, case="it", arguments="()", typed=False):
    """JavaScript, or TypeScript: how a function is exported, what stands above a test, how two values are
    compared, and what a test is called."""
    number, text = (": number", ": string") if typed else ("", "")
    before, after = exports

    def function(name, signature, body):
        return f"\n{before}function {name}{signature} {{\n{body}}}\n" + after.format(name=name)

    def test(title, found, wanted):
        return f"{head}\n{case}('{title}', {arguments} => {{{{\n  {same.format(found=found, wanted=wanted)};\n}}}});\n"

    one, three = f"(text{text}){text}", f"(number{number}, low{number}, high{number}){number}"
    loop = (
        "  let found = '';\n  for (const word of text.split(' ')) {\n"
        "    found = found + word.charAt(0).toUpperCase();\n  }\n  return found;\n"
    )
    mapped = "  return text.split(' ').map((word) => word.charAt(0).toUpperCase()).join('');\n"
    return Language(
        names=("halfOf", "within", "initialsOf"),
        functions=(
            function("halfOf", f"(number{number}){number}", "  return Math.floor(number / 2);\n"),
            function("within", three, "  return Math.max(low, Math.min(number, high));\n"),
            function("initialsOf", one, loop),
        ),
        tidied=function("initialsOf", one, mapped),
        tests=(
            test("half of an even number", "halfOf(410)", "205"),
            test("a number stays within its bounds", "within(17, 1, 12)", "12"),
            test("the initials of a name", "initialsOf('ada king lovelace')", "'AKL'"),
        ),
    )


COMMON = ("", "module.exports.{name} = {name};\n")
NODE_HEAD = "'use strict';\n{imports}\nconst assert = require('assert');\n"
MOCHA = javascript(COMMON, NODE_HEAD, "assert.strictEqual({found}, {wanted})")
TAPE = javascript(
    COMMON,
    "'use strict';\n{imports}\nvar test = require('tape');\n",
    "t.equal({found}, {wanted}); t.end()",
    case="test",
    arguments="(t)",
)
TAP = javascript(
    COMMON,
    "'use strict';\n{imports}\nconst t = require('tap');\n",
    "t.equal({found}, {wanted}); t.end()",
    case="t.test",
    arguments="(t)",
)
JEST = javascript(COMMON, "{imports}\n", "expect({found}).toBe({wanted})", case="test")
VITEST = javascript(
    ("export ", ""), "import {{ expect, test }} from 'vitest';\n{imports}\n", "expect({found}).toBe({wanted})",
    case="test", typed=True,
)

RUST = Language(
    names=("half_of", "within", "initials_of"),
    functions=(
        "\n/// Half of the number, rounded down.\npub fn half_of(number: u32) -> u32 {\n    number / 2\n}\n",
        "\n/// The nearest number within the bounds.\npub fn within(number: u32, low: u32, high: u32) -> u32 {\n"
        "    core::cmp::max(low, core::cmp::min(number, high))\n}\n",
        "\n/// How many words begin with a capital.\npub fn initials_of(text: &str) -> usize {\n"
        "    let mut found = 0;\n    for word in text.split(' ') {\n"
        "        if word.starts_with(|c: char| c.is_uppercase()) {\n            found = found + 1;\n        }\n"
        "    }\n    found\n}\n",
    ),
    tidied="\n/// How many words begin with a capital.\npub fn initials_of(text: &str) -> usize {\n"
    "    text.split(' ').filter(|word| word.starts_with(|c: char| c.is_uppercase())).count()\n}\n",
    tests=(
        "{imports}\n\n#[test]\nfn half_of_an_even_number() {{\n    assert_eq!(half_of(410), 205);\n}}\n\n"
        "#[test]\nfn half_of_an_odd_number() {{\n    assert_eq!(half_of(7), 3);\n}}\n",
        "{imports}\n\n#[test]\nfn a_number_stays_within() {{\n    assert_eq!(within(17, 1, 12), 12);\n}}\n",
        "{imports}\n\n#[test]\nfn capitals_are_counted() {{\n    assert_eq!(initials_of(\"Ada king Lovelace\"), 2);\n}}\n",
    ),
)

GO_TEST = (
    "package {imports}\n\nimport \"testing\"\n\nfunc Test%s(t *testing.T) {{\n\tif got := %s; got != %s {{\n"
    "\t\tt.Errorf(\"got %%v\", got)\n\t}}\n}}\n"
)
GO = Language(
    names=("HalfOf", "Within", "InitialsOf"),
    functions=(
        "\n// HalfOf is half of the number, rounded down.\nfunc HalfOf(number int) int {\n\treturn number / 2\n}\n",
        "\n// Within is the nearest number within the bounds.\nfunc Within(number, low, high int) int {\n"
        "\tif number < low {\n\t\treturn low\n\t}\n\tif number > high {\n\t\treturn high\n\t}\n\treturn number\n}\n",
        "\n// InitialsOf is the first letter of each word.\nfunc InitialsOf(text string) string {\n"
        "\tfound := \"\"\n\tbegins := true\n\tfor _, letter := range text {\n\t\tif begins {\n"
        "\t\t\tfound = found + string(letter)\n\t\t}\n\t\tbegins = letter == ' '\n\t}\n\treturn found\n}\n",
    ),
    tidied="\n// InitialsOf is the first letter of each word.\nfunc InitialsOf(text string) string {\n"
    "\tfound, begins := \"\", true\n\tfor _, letter := range text {\n\t\tif begins {\n"
    "\t\t\tfound += string(letter)\n\t\t}\n\t\tbegins = letter == ' '\n\t}\n\treturn found\n}\n",
    tests=(
        GO_TEST % ("HalfOfEven", "HalfOf(410)", "205"),
        GO_TEST % ("WithinBounds", "Within(17, 1, 12)", "12"),
        GO_TEST % ("InitialsOfName", "InitialsOf(\"Ada King Lovelace\")", "\"AKL\""),
    ),
)

FLAVOURS = {
    "pytest": PYTHON,
    "unittest": UNITTEST,
    "mocha": MOCHA,
    "jest": JEST,
    "vitest": VITEST,
    "tape": TAPE,
    "tap": TAP,
    "cargo": RUST,
    "go": GO,
}
