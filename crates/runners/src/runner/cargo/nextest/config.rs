//! The project's `.config/nextest.toml`, less what decides which results there are.
//!
//! Setup scripts, test groups and time limits are the project's own and stay, since its tests may
//! need them. A default filter would leave tests out, retries would make a red test green, and the
//! report has to lie where nobody can put another one.

use std::path::Path;

use toml::{Table, Value};

/// Keys of a profile and of its overrides that go.
const REMOVED: &[&str] = &["default-filter", "retries", "flaky-result", "fail-fast", "junit"];

/// The configuration for a run with this profile that leaves its report at `report`. A text that is
/// no TOML stays as it is: nextest says better than we could what is wrong with it.
pub(super) fn cleaned(text: &str, profile: &str, report: &Path) -> String {
    let Ok(mut config) = text.parse::<Table>() else { return text.to_owned() };
    for profile in config.get_mut("profile").and_then(Value::as_table_mut).into_iter().flatten() {
        let Some(profile) = profile.1.as_table_mut() else { continue };
        clean(profile);
        let overrides = profile.get_mut("overrides").and_then(Value::as_array_mut);
        overrides.into_iter().flatten().filter_map(Value::as_table_mut).for_each(clean);
    }
    let text = |path: &Path| Value::String(path.to_string_lossy().into_owned());
    let junit = |key| ["profile", profile, "junit", key];
    set(&mut config, &junit("path"), text(report));
    set(&mut config, &junit("store-success-output"), Value::Boolean(true));
    set(&mut config, &junit("store-failure-output"), Value::Boolean(true));
    set(&mut config, &["store", "dir"], text(report.parent().unwrap_or(report)));
    config.to_string()
}

fn clean(table: &mut Table) {
    table.retain(|key, _| !REMOVED.contains(&key));
}

/// Sets a key; tables on the way to it are made, also in the place of something else.
fn set(of: &mut Table, path: &[&str], value: Value) {
    match path {
        [] => {}
        [key] => drop(of.insert((*key).to_owned(), value)),
        [first, rest @ ..] => {
            let inner = of.remove(*first).and_then(|inner| inner.try_into::<Table>().ok());
            let mut inner = inner.unwrap_or_default();
            set(&mut inner, rest, value);
            of.insert((*first).to_owned(), Value::Table(inner));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_results_goes_and_what_tests_need_stays() {
        let own = r#"
            [test-groups]
            serial = { max-threads = 1 }
            [profile.default]
            default-filter = "not test(slow)"
            retries = 2
            slow-timeout = "60s"
            junit.path = "junit.xml"
            [[profile.default.overrides]]
            filter = "test(db)"
            test-group = "serial"
            retries = 5
        "#;
        let cleaned: Table = cleaned(own, "default", Path::new("/w/report.xml")).parse().unwrap();
        let wanted: Table = r#"
            [test-groups]
            serial = { max-threads = 1 }
            [profile.default]
            slow-timeout = "60s"
            junit = { path = "/w/report.xml", store-success-output = true, store-failure-output = true }
            [[profile.default.overrides]]
            filter = "test(db)"
            test-group = "serial"
            [store]
            dir = "/w"
        "#
        .parse()
        .unwrap();
        assert_eq!(cleaned, wanted);
    }

    #[test]
    fn without_a_file_and_with_a_strange_one_the_report_has_its_place() {
        for own in ["", "profile = 3", "[profile]\nci = 4", "[profile.ci]\njunit = true"] {
            let cleaned: Table = cleaned(own, "ci", Path::new("/w/r.xml")).parse().unwrap();
            assert_eq!(cleaned["profile"]["ci"]["junit"]["path"].as_str(), Some("/w/r.xml"), "{own}");
        }
        assert_eq!(cleaned("[", "ci", Path::new("/w")), "[");
    }
}
