//! Archives and packages, made of a stand-in and installed.

use std::process::Command;

use super::super::sandbox::{Ran, Sandbox, has, has_python};
use super::{
    STAND_IN, TARGETS, build, checked_shell, has_dpkg, has_npm, has_pip, names, packaging, target, text,
};

fn ran(command: &mut Command) -> Ran {
    Ran::of(&command.output().unwrap())
}

/// Starts what was installed: its words, its end and its version are those of the program.
fn starts(sandbox: &Sandbox, program: &str) {
    let mut command = sandbox.command(sandbox.beside(program));
    assert_eq!(ran(command.arg("--version")).stdout, "tdd 0.1.0\n");
    let mut command = sandbox.command(sandbox.beside(program));
    assert_eq!(ran(command.args(["a b", "*"])).expect(7).stdout, "<a b><*>");
}

#[test]
fn ac_tdd_6_33_the_scripts_have_no_slip() {
    let sandbox = Sandbox::empty();
    for (path, shell) in [
        ("archive", "bash"),
        ("collect", "bash"),
        ("pages", "bash"),
        ("version", "sh"),
        ("debian/build", "bash"),
        ("npm/build", "bash"),
        ("npm/tdd", "sh"),
        ("homebrew/build", "bash"),
    ] {
        checked_shell(&sandbox, shell, &text(&format!("packaging/{path}")));
    }
    assert_eq!(packaging(&sandbox, "version", &[]).stdout.trim(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn ac_tdd_6_33_an_archive_has_the_same_bytes_each_time() {
    let sandbox = Sandbox::empty();
    let binary = build(&sandbox);
    for folder in ["a", "b"] {
        packaging(&sandbox, "archive", &[&binary, &target(), folder]).expect(0);
    }
    let read = |folder: &str| {
        std::fs::read(sandbox.beside(&format!("packed/{folder}/tdd-{}.tar.gz", target()))).unwrap()
    };
    assert_eq!(read("a"), read("b"));
    let mut tar = sandbox.command("tar");
    let told = ran(tar.args(["-xzf"]).arg(sandbox.beside(&format!("packed/a/tdd-{}.tar.gz", target()))));
    told.expect(0);
    let inside = names(&sandbox.repo().join(format!("tdd-{}", target())));
    assert_eq!(
        inside,
        ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "completions", "man", "tdd"]
    );
}

#[test]
fn ac_tdd_6_33_a_debian_package_brings_program_pages_and_completions() {
    if !has_dpkg() {
        return;
    }
    let sandbox = Sandbox::empty();
    let binary = build(&sandbox);
    packaging(&sandbox, "debian/build", &[&binary, "."]).expect(0);
    let [package] = &names(&sandbox.beside("packed"))[..] else { panic!("one package") };
    let package = sandbox.beside("packed").join(package);
    let mut dpkg = sandbox.command("dpkg-deb");
    ran(dpkg.arg("-x").arg(&package).arg(sandbox.beside("root"))).expect(0);
    starts(&sandbox, "root/usr/bin/tdd");
    for file in [
        "man/man1/tdd.1.gz",
        "bash-completion/completions/tdd",
        "zsh/vendor-completions/_tdd",
        "fish/vendor_completions.d/tdd.fish",
        "doc/tdd/copyright",
        "doc/tdd/changelog.gz",
    ] {
        assert!(sandbox.beside("root/usr/share").join(file).metadata().unwrap().len() > 0, "{file}");
    }
    let field = |name: &str, sandbox: &Sandbox| {
        ran(sandbox.command("dpkg-deb").arg("-f").arg(&package).arg(name)).expect(0).stdout
    };
    assert_eq!(field("Version", &sandbox).trim(), env!("CARGO_PKG_VERSION"));
    assert_eq!(field("Depends", &sandbox), "git\n");
    // What needs glibc says which.
    let needs = format!("{STAND_IN}# GLIBC_2.4 GLIBC_2.31 GLIBC_2.9\n");
    super::script(&sandbox.beside("build/tdd"), &needs);
    packaging(&sandbox, "debian/build", &[&binary, "."]).expect(0);
    assert_eq!(field("Depends", &sandbox), "libc6 (>= 2.31), git\n");
}

#[test]
fn ac_tdd_6_33_npm_packages_start_the_program_for_the_platform() {
    left_to_the_night!();
    if !has_npm() {
        return;
    }
    let sandbox = Sandbox::empty();
    let binary = build(&sandbox);
    let (here, there) = match std::env::consts::OS {
        "macos" => (target(), "x86_64-unknown-linux-gnu"),
        _ => (target(), "aarch64-apple-darwin"),
    };
    let builds = [format!("{here}={binary}"), format!("{there}={binary}")];
    packaging(&sandbox, "npm/build", &["@some/tdd", ".", &builds[0], &builds[1]]).expect(0);
    packaging(&sandbox, "npm/build", &["tdd", ".", &format!("wasm32-wasip1={binary}")])
        .expect(2)
        .says(&["no platform of npm's is known"]);
    let all = names(&sandbox.beside("packed"));
    assert_eq!(all.len(), 3, "{all:?}");
    let wants: Vec<&String> =
        all.iter().filter(|name| !name.contains("darwin") || here.contains("darwin")).collect();
    let install = |prefix: &str, packages: &[&&String]| {
        let mut npm = sandbox.command("npm");
        npm.args([
            "install",
            "--global",
            "--offline",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
        ]);
        npm.arg(sandbox.beside(prefix)).current_dir(sandbox.beside("packed"));
        ran(npm.args(packages.iter().map(|name| format!("./{name}")))).expect(0);
    };
    install("npm", &wants.iter().collect::<Vec<_>>());
    starts(&sandbox, "npm/bin/tdd");
    let alone = wants.iter().filter(|name| name.contains("tdd-0")).collect::<Vec<_>>();
    install("bare", &alone);
    let mut command = sandbox.command(sandbox.beside("bare/bin/tdd"));
    ran(&mut command).expect(2).says(&["there is no program for this platform", "is not installed", "next:"]);
}

#[test]
fn ac_tdd_6_33_a_wheel_puts_the_program_among_the_scripts() {
    left_to_the_night!();
    if !has_python() || !has_pip() {
        return;
    }
    let sandbox = Sandbox::empty();
    let binary = build(&sandbox);
    let builds: Vec<String> = TARGETS.iter().map(|target| format!("{target}={binary}")).collect();
    let words: Vec<&str> = ["tdd", "."].into_iter().chain(builds.iter().map(String::as_str)).collect();
    packaging(&sandbox, "pypi/build", &words).expect(0);
    let all = names(&sandbox.beside("packed"));
    assert_eq!(all.len(), 6, "{all:?}");
    packaging(&sandbox, "pypi/build", &["tdd", ".", &format!("x86_64-pc-windows-msvc={binary}")]).expect(1);
    super::script(&sandbox.beside("build/tdd"), &format!("{STAND_IN}# GLIBC_2.4 GLIBC_2.31 GLIBC_2.9\n"));
    packaging(&sandbox, "pypi/build", &["tdd", "new", &format!("x86_64-unknown-linux-gnu={binary}")])
        .expect(0);
    assert_eq!(names(&sandbox.beside("packed/new")), ["tdd-0.1.0-py3-none-manylinux_2_31_x86_64.whl"]);
    let mut pip = sandbox.command("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-index", "--no-warn-script-location", "--find-links"]);
    ran(pip.arg(sandbox.beside("packed")).arg("--prefix").arg(sandbox.beside("python")).arg("tdd")).expect(0);
    starts(&sandbox, "python/bin/tdd");
}

/// What a formula says, by a stand-in of what reads it.
const READER: &str = "class Formula
  def self.said(name, *words) = puts([@on, name, *words].compact.join(' '))
  def self.version(*words) = words.empty? ? '' : said('version', *words)
  %i[desc homepage license depends_on url sha256].each do |name|
    define_singleton_method(name) { |*words| said(name, *words) }
  end
  %i[on_macos on_linux on_arm on_intel].each do |name|
    define_singleton_method(name) { |&block| before = @on; @on = [before, name].compact.join(' '); block.call; @on = before }
  end
  def self.test = said('test')
end
load ARGV[0]
";

#[test]
fn ac_tdd_6_33_a_release_is_collected_with_installer_and_formula() {
    let sandbox = Sandbox::empty();
    let binary = build(&sandbox);
    for target in TARGETS {
        packaging(&sandbox, "archive", &[&binary, target, "."]).expect(0);
    }
    let folder = sandbox.beside("packed");
    let base = format!("file://{}", folder.display());
    packaging(&sandbox, "collect", &[".", "x", "file:///a\";touch b;\""])
        .expect(1)
        .says(&["no address of a release"]);
    packaging(&sandbox, "collect", &[".", "https://example.com/some/tdd", &base]).expect(0);
    if has("curl", &["curl", "--version"]) {
        let mut sh = sandbox.command("sh");
        ran(sh.arg(folder.join("install.sh"))).expect(0);
        starts(&sandbox, "home/.local/bin/tdd");
    }
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), TARGETS.len());
    let formula = folder.join("tdd.rb");
    assert!(!std::fs::read_to_string(&formula).unwrap().contains('@'));
    if has("ruby", &["ruby", "--version"]) {
        ran(sandbox.command("ruby").arg("-c").arg(&formula)).expect(0).says_on_stdout(&["Syntax OK"]);
        std::fs::write(sandbox.beside("reader.rb"), READER).unwrap();
        let told =
            ran(sandbox.command("ruby").arg(sandbox.beside("reader.rb")).arg(&formula)).expect(0).stdout;
        for (on, target) in [
            ("on_macos on_arm", "aarch64-apple-darwin"),
            ("on_macos on_intel", "x86_64-apple-darwin"),
            ("on_linux on_arm", "aarch64-unknown-linux-gnu"),
            ("on_linux on_intel", "x86_64-unknown-linux-gnu"),
        ] {
            let sum = sums.lines().find(|line| line.contains(target)).unwrap().split(' ').next().unwrap();
            let want = format!("{on} url {base}/tdd-{target}.tar.gz\n{on} sha256 {sum}\n");
            assert!(told.contains(&want), "{want}{told}");
        }
    }
    // A build that is missing is told, and no formula is half filled in.
    std::fs::remove_file(folder.join("tdd-x86_64-apple-darwin.tar.gz")).unwrap();
    packaging(&sandbox, "collect", &[".", "x", &base])
        .expect(1)
        .says(&["does not name tdd-x86_64-apple-darwin"]);
}

#[test]
fn ac_tdd_6_33_what_a_build_is_made_of_is_told() {
    if !has_python() {
        return;
    }
    let sandbox = Sandbox::empty();
    let told = packaging(&sandbox, "sbom", &[&target()]).expect(0);
    let bom: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(
        (&bom["bomFormat"], &bom["metadata"]["component"]["name"]),
        (&"CycloneDX".into(), &"tdd".into())
    );
    let parts = bom["components"].as_array().unwrap();
    let named = |name: &str| parts.iter().find(|part| part["name"] == name);
    assert!(parts.len() > 100 && named("tdd_core").is_some() && named("vt100").is_none());
    for part in parts {
        let ours = part["name"].as_str().unwrap().starts_with("tdd_");
        let sum = part["hashes"][0]["content"].as_str().unwrap_or_default();
        assert!(ours || sum.len() == 64 && part["licenses"].is_array(), "{part}");
    }
    assert_eq!(bom["dependencies"].as_array().unwrap().len(), parts.len() + 1);
}
