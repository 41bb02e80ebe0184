//! Runners without an adapter, with the real tools: what `tdd` proposes for a project is pasted, and a
//! requirement of one criterion goes through. mocha is in the gate; the others are `.ci/nightly/other-runners`.

use super::sandbox::{Sandbox, node_modules};

/// A project and what the roles write into it.
struct Project<'a> {
    command: &'a str,
    files: &'a [(&'a str, &'a str)],
    test: (&'a str, &'a str),
    source: (&'a str, &'a str),
    /// Tests at the baseline, as the tool itself counts them.
    tests: usize,
}

const REQUIREMENT: &str = "---\nid: W-1\ntitle: Links\n---\n## Acceptance Criteria\n- AC-W-1.1: `slug(text)` \
     joins the words of a text with hyphens, in lower case.\n";

fn cassette(project: &Project<'_>) -> String {
    let entry = |role: &str, written: Option<(&str, &str)>| {
        let files: Vec<&str> = written.iter().map(|(path, _)| *path).collect();
        let mut entry = serde_json::json!({
            "role": role,
            "say": { "status": "ok", "files": files, "command": "x", "output_excerpt": "y" },
        });
        if let Some((path, text)) = written {
            entry["write"] = serde_json::json!({ path: text });
        }
        entry
    };
    // JSON is YAML.
    serde_json::json!([
        entry("test-writer", Some(project.test)),
        entry("implementer", Some(project.source)),
        entry("refactorer", None),
    ])
    .to_string()
}

/// Pastes what exit 2 proposes and runs the requirement to its end.
fn goes_through(project: &Project<'_>, modules: Option<&std::path::Path>) {
    let mut files =
        vec![("specs/frs/W-1.md", REQUIREMENT), (".gitignore", "/node_modules\n/.tox\n/.nox\n__pycache__\n")];
    files.extend(project.files);
    let sandbox = Sandbox::with(&files);
    if let Some(modules) = modules {
        std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
        sandbox.write(".gitignore", "node_modules\n");
        sandbox.commit();
    }
    if tdd_runners::recognise(project.command).is_some() {
        sandbox.write("tdd.yaml", &format!("test: {}\n", project.command));
    } else {
        let said = sandbox.tdd(&["W-1", "--dry-run", "--test", project.command]).expect(2).stderr;
        let from = said.find("Write into tdd.yaml:\n").unwrap_or_else(|| panic!("{said}"));
        let lines = said[from..].lines().skip(1).take_while(|line| !line.trim_start().starts_with("Or, if"));
        let indent = " ".repeat(8);
        let text: Vec<&str> = lines.map(|line| line.strip_prefix(&indent).unwrap_or(line)).collect();
        sandbox.write("tdd.yaml", &(text.join("\n") + "\n"));
    }
    sandbox.commit();
    let cassette_file = sandbox.beside("cassette.yaml");
    std::fs::write(&cassette_file, cassette(project)).unwrap();
    let ran = sandbox.tdd(&["W-1", "--cassette", cassette_file.to_str().unwrap()]).expect(0);
    let counted = format!("baseline: {} test", project.tests);
    assert!(ran.stderr.contains(&counted), "no `{counted}` in\n{}", ran.stderr);
    assert_eq!(sandbox.forks(), 3, "{}", ran.stderr);
}

const NODE_SOURCE: &str = "'use strict';\nexports.one = () => 1;\n";
const NODE_DONE: &str = "'use strict';\nexports.one = () => 1;\nexports.slug = (text) => text.toLowerCase().match(/[a-z0-9]+/g).join('-');\n";

const MOCHA: Project<'static> = Project {
    command: "npm test",
    files: &[
        (
            "package.json",
            "{\"name\":\"p\",\"scripts\":{\"lint\":\"eslint .\",\"test\":\"echo lint && mocha --reporter dot test\"}}\n",
        ),
        ("shop.js", NODE_SOURCE),
        (
            "test/one.js",
            "const assert = require('node:assert');\nconst shop = require('../shop');\ndescribe('shop', () => {\n  it('is one', () => assert.equal(shop.one(), 1));\n  describe('inside', () => { it('is one', () => {}); });\n  it.skip('later');\n});\n",
        ),
    ],
    test: (
        "test/ac_w_1_1.js",
        "const assert = require('node:assert');\nconst { slug } = require('../shop');\nit('joins words', () => assert.equal(slug('Two  words'), 'two-words'));\n",
    ),
    source: ("shop.js", NODE_DONE),
    tests: 3,
};

#[test]
fn a_mocha_project_goes_through_by_what_is_proposed() {
    left_to_the_night!();
    if let Some(modules) = node_modules("mocha") {
        goes_through(&MOCHA, Some(&modules));
    }
}

/// The folder that the nightly part has filled.
fn other(part: &str) -> std::path::PathBuf {
    let folder = std::env::var_os("TDD_TEST_OTHER_RUNNERS").expect("run by .ci/nightly/other-runners");
    std::path::PathBuf::from(folder).join(part)
}

#[test]
#[ignore = "nightly: needs an older mocha"]
fn an_older_mocha_goes_through() {
    goes_through(&MOCHA, Some(&other("older/node_modules")));
}

fn ava(modules: &std::path::Path) {
    let package = "{\"name\":\"p\",\"type\":\"module\",\"scripts\":{\"test\":\"ava\"}}\n";
    let done = "export const one = () => 1;\nexport const slug = text => text.toLowerCase().match(/[a-z0-9]+/g).join('-');\n";
    let project = Project {
        command: "npm test",
        files: &[
            ("package.json", package),
            ("shop.js", "export const one = () => 1;\n"),
            (
                "test/one.js",
                "import test from 'ava';\nimport {one} from '../shop.js';\ntest('is one', t => t.is(one(), 1));\ntest('a › b', t => t.pass());\ntest.todo('later');\n",
            ),
        ],
        test: (
            "test/ac_w_1_1.js",
            "import test from 'ava';\nimport {slug} from '../shop.js';\ntest('joins words', t => t.is(slug('Two  words'), 'two-words'));\n",
        ),
        source: ("shop.js", done),
        tests: 3,
    };
    goes_through(&project, Some(modules));
}

#[test]
#[ignore = "nightly: needs ava"]
fn an_ava_project_goes_through() {
    ava(&other("newest/node_modules"));
    ava(&other("older/node_modules"));
}

#[test]
#[ignore = "nightly: needs tap and tape"]
fn tap_projects_go_through() {
    let modules = other("newest/node_modules");
    for (script, ends) in [("tap", "t.end();"), ("tape test/*.js", "t.end();")] {
        let library = script.split(' ').next().unwrap();
        let package = format!("{{\"name\":\"p\",\"scripts\":{{\"test\":\"{script}\"}}}}\n");
        let one = format!(
            "const test = require('{library}').test || require('{library}');\nconst shop = require('../shop');\ntest('is one', (t) => {{ t.equal(shop.one(), 1, '{library} is one'); {ends} }});\n"
        );
        let new = format!(
            "const test = require('{library}').test || require('{library}');\nconst shop = require('../shop');\ntest('joins words', (t) => {{ t.equal(shop.slug('Two  words'), 'two-words', 'joined'); {ends} }});\n\
             test('lowers', (t) => {{ t.equal(shop.slug('TWO'), 'two', 'lowered'); {ends} }});\n"
        );
        let project = Project {
            command: "npm test",
            files: &[
                ("package.json", package.as_str()),
                ("shop.js", NODE_SOURCE),
                ("test/one.js", one.as_str()),
            ],
            test: ("test/ac_w_1_1.js", new.as_str()),
            source: ("shop.js", NODE_DONE),
            tests: 1,
        };
        goes_through(&project, Some(&modules));
    }
}

#[test]
#[ignore = "nightly: needs deno"]
fn a_deno_project_goes_through() {
    let deno = other("newest/node_modules").join(".bin/deno");
    let command = format!("{} test", deno.display());
    let project = Project {
        command: &command,
        files: &[
            ("deno.json", "{}\n"),
            ("shop.ts", "export const one = () => 1;\n"),
            (
                "one_test.ts",
                "import { one } from './shop.ts';\nDeno.test('is one', () => { if (one() !== 1) throw new Error('AssertionError'); });\n",
            ),
        ],
        test: (
            "ac_w_1_1_test.ts",
            "import { slug } from './shop.ts';\nDeno.test('joins words', () => { if (slug('Two  words') !== 'two-words') throw new Error('AssertionError'); });\n",
        ),
        source: (
            "shop.ts",
            "export const one = () => 1;\nexport const slug = (text: string) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');\n",
        ),
        tests: 1,
    };
    goes_through(&project, None);
    // A module that is not there yet is RED, too.
    let slug =
        "export const slug = (text: string) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join('-');\n";
    let test = project.test.1.replace("./shop.ts", "./slug.ts");
    goes_through(&Project { test: ("ac_w_1_1_test.ts", &test), source: ("slug.ts", slug), ..project }, None);
}

#[test]
#[ignore = "nightly: needs phpunit and rspec"]
fn phpunit_and_rspec_projects_go_through() {
    let php = "<?php\nfunction one() { return 1; }\n";
    let project = Project {
        command: "phpunit tests",
        files: &[
            ("src/shop.php", php),
            (
                "tests/OneTest.php",
                "<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/../src/shop.php';\nclass OneTest extends TestCase {\n  public function testOne() { $this->assertSame(1, one()); }\n  /** @dataProvider p */ public function testP($a) { $this->assertSame($a, $a); }\n  public static function p() { return [[1], ['x']]; }\n}\n",
            ),
        ],
        test: (
            "tests/AcW11Test.php",
            "<?php\nuse PHPUnit\\Framework\\TestCase;\nrequire_once __DIR__ . '/../src/shop.php';\n// ac_w_1_1\nclass Ac_W_1_1Test extends TestCase {\n  public function testJoins() { $this->assertSame('two-words', slug('Two  words')); }\n}\n",
        ),
        source: (
            "src/shop.php",
            "<?php\nfunction one() { return 1; }\nfunction slug($t) { preg_match_all('/[a-z0-9]+/', strtolower($t), $m); return implode('-', $m[0]); }\n",
        ),
        tests: 3,
    };
    let project = Project { test: ("tests/Ac_W_1_1Test.php", project.test.1), ..project };
    goes_through(&project, None);
    let project = Project {
        command: "rspec",
        files: &[
            (
                "spec/one_spec.rb",
                "RSpec.describe 'one' do\n  it('adds') { expect(1 + 1).to eq 2 }\n  it 'pending'\nend\n",
            ),
            ("lib/shop.rb", "def one\n  1\nend\n"),
        ],
        test: (
            "spec/ac_w_1_1_spec.rb",
            "require_relative '../lib/slug'\nRSpec.describe 'slug' do\n  it('joins words') { expect(slug('Two  words')).to eq('two-words') }\nend\n",
        ),
        source: ("lib/slug.rb", "def slug(text)\n  text.downcase.scan(/[a-z0-9]+/).join('-')\nend\n"),
        tests: 2,
    };
    goes_through(&project, None);
}

#[test]
#[ignore = "nightly: needs maven as Debian has it"]
fn a_maven_project_goes_through() {
    let pom = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<modelVersion>4.0.0</modelVersion>\n\
         <groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>\n\
         <properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>\
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n\
         <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version>\
         <scope>test</scope></dependency></dependencies>\n</project>\n";
    let test = |name: &str, of: &str| {
        format!(
            "package shop;\nimport org.junit.Test;\nimport static org.junit.Assert.*;\npublic class {name} {{\n  {of}\n}}\n"
        )
    };
    let one = test("OneTest", "@Test public void isOne() { assertEquals(1, Shop.one()); }");
    let new = test(
        "Ac_w_1_1Test",
        "@Test public void joins() { assertEquals(\"two-words\", Shop.slug(\"Two  words\")); }",
    );
    let source = "package shop;\npublic class Shop {\n  public static int one() { return 1; }\n}\n";
    let done = source.replace(
        "return 1; }\n",
        "return 1; }\n  public static String slug(String text) { return String.join(\"-\", text.toLowerCase().trim().split(\"[^a-z0-9]+\")); }\n",
    );
    let project = Project {
        command: "mvn -q -o -s /etc/maven/settings-debian.xml test",
        files: &[
            ("pom.xml", pom),
            (".gitignore", "/target\n"),
            ("src/main/java/shop/Shop.java", source),
            ("src/test/java/shop/OneTest.java", &one),
        ],
        test: ("src/test/java/shop/Ac_w_1_1Test.java", &new),
        source: ("src/main/java/shop/Shop.java", &done),
        tests: 1,
    };
    goes_through(&project, None);
}

#[test]
#[ignore = "nightly: needs bats"]
fn a_bats_project_goes_through() {
    let one = "load ../shop\n\n@test \"is one\" {\n  [ \"$(one)\" = 1 ]\n}\n";
    let new = "load ../shop\n\n@test \"joins words\" {\n  [ \"$(slug 'Two  words')\" = two-words ]\n}\n\n@test \"lowers\" {\n  [ \"$(slug TWO)\" = two ]\n}\n";
    let source = "one() { echo 1; }\n";
    let done = "one() { echo 1; }\nslug() { tr 'A-Z' 'a-z' <<<\"$1\" | tr -s ' ' '-'; }\n";
    let project = Project {
        command: "bats test",
        files: &[("shop.bash", source), ("test/one.bats", one)],
        test: ("test/ac_w_1_1.bats", new),
        source: ("shop.bash", done),
        tests: 1,
    };
    goes_through(&project, None);
}
