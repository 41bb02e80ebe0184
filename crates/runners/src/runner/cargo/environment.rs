//! The environment that cargo gives to a test binary, rebuilt, because binaries are run one by one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::folder_of;
use super::targets::Binary;
use crate::command_line::RunnerCall;
use crate::runner::place::Place;
use crate::runner::verification::{Step, Verification, read_capped, words};
use crate::test_report::REPORT_CAP;
use crate::test_report::cargo_build::Build;
use tdd_child::regular_file;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

type Variables = Vec<(OsString, Option<OsString>)>;

/// What all binaries of one build share.
pub(super) struct Environment {
    variables: Variables,
    /// Package to `OUT_DIR` and linked folders.
    scripts: Vec<(String, String, Vec<String>)>,
    /// Package, name and path of each program.
    programs: Vec<(String, String, String)>,
    /// Where the compiler's own libraries lie, as it says itself.
    compiler: Option<PathBuf>,
}

/// The person's own assignments.
fn own(call: &RunnerCall) -> impl Iterator<Item = (OsString, Option<OsString>)> + '_ {
    call.env.iter().map(|(name, value)| set(name, value))
}

/// For a call of cargo: one that is told to be quiet does not say what is read here, and no flag
/// takes that back.
pub(super) fn quiet(call: &RunnerCall) -> Variables {
    let mut variables = vec![set("CARGO_TERM_QUIET", "false")];
    variables.extend(own(call));
    variables
}

/// The same for a call that builds: a `build-dir` of the project's configuration would take
/// the larger part of the build out of our target directory.
pub(super) fn building(call: &RunnerCall, target_dir: &Path) -> Variables {
    let mut variables = quiet(call);
    variables.push(("CARGO_BUILD_BUILD_DIR".into(), Some(target_dir.into())));
    variables
}

fn set(name: &str, value: &str) -> (OsString, Option<OsString>) {
    (name.into(), Some(value.into()))
}

impl Environment {
    pub(super) fn new(place: &Place, call: &RunnerCall, build: &Build, compiler: Option<PathBuf>) -> Self {
        let mut variables = configured(&place.project);
        variables.extend(own(call));
        let scripts = build
            .scripts
            .iter()
            .map(|script| (script.package_id.clone(), script.out_dir.clone(), script.linked_paths.clone()))
            .collect();
        let programs = build.artifacts.iter().filter(|artifact| !artifact.test && artifact.target.is("bin"));
        let programs = programs.filter_map(|artifact| {
            let path = artifact.executable.clone()?;
            Some((artifact.package_id.clone(), artifact.target.name.clone(), path))
        });
        Self { variables, scripts, programs: programs.collect(), compiler }
    }

    /// A binary's call without arguments: in its package's folder, as cargo does it.
    pub(super) fn step(&self, binary: &Binary) -> Step {
        let mut env = self.variables.clone();
        let folder = folder_of(&binary.manifest.to_string_lossy());
        env.push(("CARGO_MANIFEST_DIR".into(), Some(folder.clone().into())));
        env.push(("CARGO_MANIFEST_PATH".into(), Some(binary.manifest.clone().into())));
        env.push(set("CARGO", "cargo"));
        env.extend(package_variables(&binary.manifest));
        let mut libraries: Vec<PathBuf> = Vec::new();
        for (package, out_dir, linked) in &self.scripts {
            libraries
                .extend(linked.iter().map(|path| PathBuf::from(path.rsplit('=').next().unwrap_or(path))));
            if *package == binary.package_id {
                env.push(set("OUT_DIR", out_dir));
            }
        }
        for (_, name, path) in self.programs.iter().filter(|(package, ..)| *package == binary.package_id) {
            env.push(set(&format!("CARGO_BIN_EXE_{name}"), path));
        }
        let own = binary.executable.ancestors().skip(1).take(2).map(Path::to_owned);
        libraries.extend(own);
        if binary.is_proc_macro {
            libraries.extend(self.compiler.clone());
            libraries.extend(toolchain_libraries());
        }
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        libraries.extend(std::env::split_paths(&inherited));
        env.push(("LD_LIBRARY_PATH".into(), std::env::join_paths(libraries).ok()));
        Step { argv: vec![binary.executable.clone().into()], cwd: folder, env, stdout: None }
    }
}

/// Where the compiler has its own libraries, which the unit tests of a proc-macro are linked with.
pub(super) async fn compiler(
    place: &Place,
    call: &RunnerCall,
    binaries: &[Binary],
    verification: &mut Verification,
) -> Result<Option<PathBuf>, Trouble> {
    if !binaries.iter().any(|binary| binary.is_proc_macro) {
        return Ok(None);
    }
    let toolchain = call.program.iter().find(|word| word.starts_with('+'));
    let argv: Vec<String> = ["rustc".to_owned()]
        .into_iter()
        .chain(toolchain.cloned())
        .chain(["--print", "target-libdir"].map(str::to_owned))
        .collect();
    let stdout = verification.fresh("libraries");
    let step = Step {
        argv: words(&argv),
        cwd: place.project.clone(),
        env: quiet(call),
        stdout: Some(stdout.clone()),
    };
    let is_told = verification.build(step).await?.exit == Exit::Code(0);
    let said = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
    verification.show_instead(&stdout, "")?;
    let folder = String::from_utf8_lossy(&said).trim().to_owned();
    Ok(Some(PathBuf::from(&folder)).filter(|_| is_told && !folder.is_empty()))
}

/// `CARGO_PKG_*` from the manifest, as far as it says them itself.
fn package_variables(manifest: &Path) -> Variables {
    let text = regular_file::read_to_string(manifest).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let field =
        |name: &str| table.get("package").and_then(|package| package.get(name)).and_then(toml::Value::as_str);
    let mut variables = Vec::new();
    for (variable, name) in [
        ("CARGO_PKG_NAME", "name"),
        ("CARGO_PKG_VERSION", "version"),
        ("CARGO_PKG_DESCRIPTION", "description"),
        ("CARGO_PKG_HOMEPAGE", "homepage"),
        ("CARGO_PKG_REPOSITORY", "repository"),
        ("CARGO_PKG_LICENSE", "license"),
    ] {
        variables.push(set(variable, field(name).unwrap_or_default()));
    }
    let version = field("version").unwrap_or("0.0.0");
    let (numbers, pre) = version.split_once('-').unwrap_or((version, ""));
    let mut numbers = numbers.split('.');
    for name in ["MAJOR", "MINOR", "PATCH"] {
        variables.push(set(&format!("CARGO_PKG_VERSION_{name}"), numbers.next().unwrap_or("0")));
    }
    variables.push(set("CARGO_PKG_VERSION_PRE", pre));
    variables
}

/// The `[env]` tables of the `.cargo/config.toml` files from the project upwards; the nearest
/// wins, and nothing overrides the inherited environment unless it says `force`.
fn configured(project: &Path) -> Variables {
    let mut variables: Variables = Vec::new();
    let mut folders: Vec<&Path> = project.ancestors().collect();
    folders.reverse();
    for folder in folders {
        let file = [".cargo/config.toml", ".cargo/config"].map(|name| folder.join(name));
        let Some(text) = file.iter().find_map(|file| regular_file::read_to_string(file).ok()) else {
            continue;
        };
        let table: toml::Table = text.parse().unwrap_or_default();
        let Some(env) = table.get("env").and_then(toml::Value::as_table) else { continue };
        for (name, entry) in env {
            let flag = |key: &str| entry.get(key).and_then(toml::Value::as_bool).unwrap_or(false);
            let Some(value) = entry.as_str().or_else(|| entry.get("value")?.as_str()) else { continue };
            let value: OsString =
                if flag("relative") { folder.join(value).into() } else { OsString::from(value) };
            if flag("force") || std::env::var_os(name).is_none() {
                variables.push((name.into(), Some(value)));
            }
        }
    }
    variables
}

/// Where the compiler's own libraries lie, for the unit tests of proc-macros.
fn toolchain_libraries() -> Vec<PathBuf> {
    let toolchains = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".rustup")))
        .map(|home| home.join("toolchains"));
    let folders = toolchains.and_then(|folder| std::fs::read_dir(folder).ok());
    folders.into_iter().flatten().flatten().map(|entry| entry.path().join("lib")).collect()
}
