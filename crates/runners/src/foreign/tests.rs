use super::*;
use crate::of;

fn told(command: &str, files: &[(&str, &str)]) -> String {
    let read = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    let Some(setting) = setting(command, &read) else { return "none".to_owned() };
    let RunnerTable { kind, all, select, report } = setting.table;
    let notes =
        if setting.notes.is_empty() { String::new() } else { format!(" | {}", setting.notes.join(" ")) };
    format!("{kind} | {all} | {} | {}{notes}", select.unwrap_or_default(), report.unwrap_or_default())
        .replace(REPORT, "R")
        .replace("--reporter xunit --reporter-options output=R", "XUNIT")
        .replace("-o junit_family=xunit1 --junitxml=R", "JUNIT")
}

#[test]
fn a_setting_is_made_of_the_projects_own_call() {
    for (command, want) in [
        ("mocha", "junit | mocha XUNIT | mocha XUNIT {files} | R"),
        (
            "mocha --require test/support/env --reporter spec --check-leaks test/ test/acceptance/",
            "junit | mocha --require test/support/env --check-leaks XUNIT test/ test/acceptance/ | \
             mocha --require test/support/env --check-leaks XUNIT {files} | R",
        ),
        (
            "cross-env NODE_ENV=test npx mocha -R dot -t 5000 -b 'test/**/*.spec.js'",
            "junit | cross-env NODE_ENV=test npx mocha -t 5000 XUNIT 'test/**/*.spec.js' | \
             cross-env NODE_ENV=test npx mocha -t 5000 XUNIT {files} | R",
        ),
        (
            "node --no-warnings node_modules/mocha/bin/mocha.js --exit",
            "junit | node --no-warnings node_modules/mocha/bin/mocha.js --exit XUNIT | \
             node --no-warnings node_modules/mocha/bin/mocha.js --exit XUNIT {files} | R",
        ),
        (
            "tap",
            "tap | tap --reporter=tap --disable-coverage | tap --reporter=tap --disable-coverage {files} | ",
        ),
        (
            "tap -J --100 -R terse test/*.js",
            "tap | tap -J --reporter=tap --disable-coverage test/*.js | tap -J --reporter=tap --disable-coverage {files} | ",
        ),
        ("ava -v --serial test/a*.js", "tap | ava --serial --tap test/a*.js | ava --serial --tap {files} | "),
        ("tape -r esm 'test/**/*.js'", "tap | tape -r esm 'test/**/*.js' | tape -r esm {files} | "),
        ("bats -p test", "tap | bats --tap test | bats --tap {files} | "),
        (
            "deno test -A --fail-fast src/ -- x",
            "junit | deno test -A --junit-path=R src/ -- x | deno test -A --junit-path=R {files} -- x | R",
        ),
        (
            "vendor/bin/phpunit -c phpunit.xml.dist --testsuite unit --stop-on-failure",
            "junit | vendor/bin/phpunit -c phpunit.xml.dist --testsuite unit --log-junit R | \
             vendor/bin/phpunit -c phpunit.xml.dist --log-junit R {file} | R",
        ),
        (
            "php vendor/bin/phpunit tests",
            "junit | php vendor/bin/phpunit --log-junit R tests | php vendor/bin/phpunit --log-junit R {file} | R",
        ),
        ("hatch test -c", "junit | hatch test -- JUNIT tests | hatch test -- JUNIT {files} | R"),
        (
            "./mvnw -q verify",
            "junit | ./mvnw -q verify | ./mvnw -q verify -Dtest='{stem}' | target/surefire-reports/*.xml | \
             A test class is chosen by the name of its file, one call for each.",
        ),
        (
            "./gradlew check",
            "junit | ./gradlew cleanTest test --no-build-cache --no-daemon | \
             ./gradlew cleanTest test --no-build-cache --no-daemon --tests '{stem}' | build/test-results/test/*.xml | \
             A test class is chosen by the name of its file, one call for each.",
        ),
        ("gradle build", "none"),
        ("mocha --version", "none"),
        ("deno run x.ts", "none"),
        ("node server.js", "none"),
        ("mocha | tee log", "none"),
        ("jest", "none"),
    ] {
        assert_eq!(told(command, &[]), want, "{command}");
    }
}

#[test]
fn the_projects_files_decide_what_can_be_said() {
    for (command, file, text, want) in [
        (
            "mocha",
            ".mocharc.yml",
            "timeout: 5\nspec: test/*.js\n",
            "mocha XUNIT |  | R | There is no `select`: `spec` in .mocharc.yml",
        ),
        ("mocha", ".mocharc.json", "{ \"require\": \"x\" }", "mocha XUNIT | mocha XUNIT {files} | R"),
        ("mocha", "package.json", "{ \"mocha\": { \"spec\": [\"a\"] } }", "`spec` in package.json"),
        ("tap", "node_modules/tap/package.json", "{ \"version\": \"16.3.10\" }", "--no-coverage"),
        (
            "bundle exec rspec -fd spec",
            "Gemfile.lock",
            "    rspec_junit_formatter (0.6.0)\n",
            "bundle exec rspec --format RspecJunitFormatter --out R spec | bundle exec rspec --format RspecJunitFormatter --out R {files} | R",
        ),
        ("rspec", "Gemfile.lock", "rspec", "It needs the gem rspec_junit_formatter"),
        (
            "tox -e py",
            "tox.ini",
            "[testenv]\ncommands = pytest -q {posargs:tests}\n",
            "tox -e py -- JUNIT tests | tox -e py -- JUNIT {files} | R",
        ),
        (
            "tox",
            "tox.ini",
            "[testenv]\ncommands = pytest {posargs}\n",
            "tox -- JUNIT | tox -- JUNIT {files} | R | Without `-e`",
        ),
        (
            "tox -e py",
            "tox.ini",
            "[testenv]\ncommands = pytest {posargs}\n",
            "Without `skip_install` tox installs the project",
        ),
        ("nox -s tests", "noxfile.py", "session.posargs", "Without `-r` nox installs the project"),
        ("nox -r -s tests", "noxfile.py", "session.posargs", "nox -r -s tests -- JUNIT {files} | R"),
        (
            "tox -e py",
            "pyproject.toml",
            "commands = [[\"pytest\", { replace = \"posargs\", default = [\"tests\", \"-v\"] }]]\n",
            "tox -e py -- JUNIT tests -v |",
        ),
        (
            "tox -e py",
            "tox.ini",
            "[testenv]\ncommands = pytest\n",
            "exit-code | tox -e py |  |  | Without `skip_install`",
        ),
        (
            "nox -s tests",
            "noxfile.py",
            "session.run(\"pytest\", *session.posargs)",
            "nox -s tests -- JUNIT | nox -s tests -- JUNIT {files} | R",
        ),
        (
            "tox -e py",
            "tox.ini",
            "commands = pytest\nskip_install = true\n",
            "tox -e py |  |  | Nothing can be handed on",
        ),
        ("nox -s tests", "noxfile.py", "session.run(\"pytest\")", "exit-code | nox -s tests |"),
    ] {
        let told = told(command, &[(file, text)]);
        assert!(told.contains(want), "{command}, {file}: {told}");
    }
}

#[test]
fn a_call_with_an_adapter_can_be_read_by_its_report() {
    for (command, kind, want) in [
        (
            "vitest run src/",
            RunnerKind::Vitest,
            "vitest run --reporter=junit --outputFile=.tdd-report.xml {files}",
        ),
        (
            "node --test test/*.js",
            RunnerKind::Node,
            "node --test --test-reporter=junit --test-reporter-destination=.tdd-report.xml {files}",
        ),
    ] {
        assert_eq!(known_setting(command, of(kind).junit.unwrap()).table.select.unwrap(), want, "{command}");
    }
    assert_eq!(of(RunnerKind::Go).junit, None);
}
