//! Tests that share a name, that are run more than once, and files that are run in several ways.

use super::*;

const NAMESAKES: &str = "test('a', () => {});\ntest('a', () => { throw new Error('y'); });\n\
    test.each([1, 1])('e %i', () => {});\n\
    describe.each([1, 1])('d %i', () => { test('x', () => {}); });\n";
const TOLD: &[&str] =
    &["c1::a #2=error", "c1::a=ok", "c1::d 1 > x #2=ok", "c1::d 1 > x=ok", "c1::e 1 #2=ok", "c1::e 1=ok"];

/// The first ends last.
const CONCURRENT: &str = "test.concurrent('c', async () => {\n  await new Promise((r) => setTimeout(r, 60));\n  throw new Error('y');\n});\n\
    test.concurrent('c', async () => {});\n";

#[test]
fn namesakes_are_told_each_in_the_order_of_the_file() {
    left_to_the_night!();
    for kit in battery::part([&VITEST, &OLDER_VITEST, &JEST, &OLDER_JEST, &BUN], 3) {
        let Some(lab) = kit.lab() else { continue };
        kit.test(&lab, "c1", "core", NAMESAKES);
        kit.check(&kit.only(&lab, &["c1"]), TOLD);
        let all: Vec<&str> = [&["base::base=ok"], TOLD].concat();
        kit.check(&lab.run(), &all);
        kit.check(&kit.ids(&lab, &["c1::a"]), &["c1::a #2=error", "c1::a=ok"]);
        if kit.kind != RunnerKind::Bun {
            kit.test(&lab, "c1", "core", CONCURRENT);
            kit.check(&kit.only(&lab, &["c1"]), &["c1::c #2=ok", "c1::c=error"]);
        }
    }
}

#[test]
fn a_test_that_is_tried_again_is_one_test() {
    left_to_the_night!();
    let times = "let n = 0;\nconst body = () => { n += 1; if (n < 2) throw new Error('not yet'); };\n";
    let options = format!("{times}test('r', {{ retry: 2 }}, body);\n");
    let calls = format!("jest.retryTimes(2);\n{times}test('r', body);\n");
    for (kit, body) in
        [(&VITEST, &options), (&OLDER_VITEST, &options), (&JEST, &calls), (&OLDER_JEST, &calls)]
    {
        let Some(lab) = kit.lab() else { continue };
        kit.test(&lab, "c1", "core", body);
        kit.check(&kit.only(&lab, &["c1"]), &["c1::r=ok"]);
    }
}

const OF_PROJECT: &str = "test('a', () => { if (process.env.P === '2') throw new Error('y'); });\n";

#[test]
fn a_file_of_two_vitest_projects_is_told_for_each() {
    left_to_the_night!();
    for kit in [&VITEST, &OLDER_VITEST] {
        let Some(lab) = kit.lab() else { continue };
        // The last of them by name is the first.
        let projects =
            "[{ test: { name: 'two', env: { P: '2' } } }, { test: { name: 'one', env: { P: '1' } } }]";
        if kit.major(&lab) < 3 {
            lab.write("vitest.workspace.mjs", &format!("export default {projects};\n"));
        } else {
            lab.write(
                "vitest.config.mjs",
                &format!("export default {{ test: {{ projects: {projects} }} }};\n"),
            );
        }
        kit.test(&lab, "c1", "core", OF_PROJECT);
        kit.check(&kit.only(&lab, &["c1"]), &["c1::a #2=error", "c1::a=ok"]);
    }
}

#[test]
fn a_file_of_two_jest_projects_is_told_for_each() {
    left_to_the_night!();
    for kit in [&JEST, &OLDER_JEST] {
        let Some(lab) = kit.lab() else { continue };
        let project = |name: &str, number: &str| {
            format!("{{\"displayName\": \"{name}\", \"setupFiles\": [\"<rootDir>/{number}.js\"]}}")
        };
        lab.write("1.js", "process.env.P = '1';\n").write("2.js", "process.env.P = '2';\n");
        let projects = format!("{}, {}", project("two", "2"), project("one", "1"));
        lab.write(
            "package.json",
            &format!("{{\"name\": \"shop\", \"jest\": {{\"projects\": [{projects}]}}}}\n"),
        );
        kit.test(&lab, "c1", "core", OF_PROJECT);
        kit.check(&kit.only(&lab, &["c1"]), &["c1::a #2=error", "c1::a=ok"]);
    }
}

/// A copy of the package, because it writes into its own folder.
fn with_own_package(lab: &Lab) {
    let modules = lab.project().join("node_modules");
    let shared = std::fs::read_link(&modules).unwrap();
    std::fs::remove_file(&modules).unwrap();
    std::fs::create_dir(&modules).unwrap();
    for entry in std::fs::read_dir(&shared).unwrap().flatten() {
        if entry.file_name() != "vitest" {
            std::os::unix::fs::symlink(entry.path(), modules.join(entry.file_name())).unwrap();
        }
    }
    let copied = Command::new("cp").arg("-r").arg(shared.join("vitest")).arg(&modules).status().unwrap();
    assert!(copied.success());
}

const TSCONFIG: &str = r#"{ "compilerOptions": { "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
  "allowImportingTsExtensions": true, "noEmit": true, "skipLibCheck": true, "types": [] }, "include": ["src", "test"] }
"#;

#[test]
fn types_are_tests_too() {
    left_to_the_night!();
    for (mut kit, modules) in [(VITEST, VITEST.modules), (OLDER_VITEST, OLDER_VITEST.modules)] {
        kit.test = "npx vitest run --typecheck";
        let (Some(_), Some(lab)) = (modules("typescript"), kit.lab()) else { continue };
        with_own_package(&lab);
        lab.write("tsconfig.json", TSCONFIG).write(
            "test/shape.test-d.ts",
            "import { expectTypeOf, test } from 'vitest';\nimport { one } from '../src/core.ts';\n\
             test('right', () => { expectTypeOf(one()).toEqualTypeOf<number>(); });\n\
             test('wrong', () => { expectTypeOf(one()).toEqualTypeOf<string>(); });\n",
        );
        let run = lab.run();
        let want = ["test/base.test.ts::base=ok", "test/shape.test-d.ts::right=ok"];
        let mut want = want.map(str::to_owned).to_vec();
        let said = words(&run);
        want.extend(said.iter().filter(|word| word.starts_with("test/shape.test-d.ts::wrong=")).cloned());
        assert_eq!((said.as_slice(), want.len()), (want.as_slice(), 3), "{}", run.output);
        assert!(!want[2].ends_with("=ok"), "{want:?}");
        assert_eq!(evidence(&run), Ok(()), "{}", run.output);
    }
}

#[test]
fn a_type_error_beside_all_tests_leaves_none_of_them_passed() {
    left_to_the_night!();
    for (mut kit, modules) in [(VITEST, VITEST.modules), (OLDER_VITEST, OLDER_VITEST.modules)] {
        kit.test = "npx vitest run --typecheck";
        let (Some(_), Some(lab)) = (modules("typescript"), kit.lab()) else { continue };
        with_own_package(&lab);
        lab.write("tsconfig.json", TSCONFIG).write(
            "test/gone.test-d.ts",
            "import { expectTypeOf, test } from 'vitest';\nimport { half } from '../src/core.ts';\n\
             test('half', () => { expectTypeOf(half(410)).toEqualTypeOf<205>; });\n",
        );
        let run = lab.run();
        let said = words(&run);
        let told: Vec<&String> = said.iter().filter(|word| word.contains("gone.test-d.ts")).collect();
        assert!(!told.is_empty() && told.iter().all(|word| !word.ends_with("=ok")), "{said:?}");
        assert!(told.iter().any(|word| word.contains("missing")), "{said:?}\n{}", run.output);
    }
}
