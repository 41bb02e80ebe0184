//! The page on installing, typed as it stands: a release that lies on the disk, and stand-ins for what asks a registry.

use super::super::sandbox::{Ran, Sandbox, has, path_with};
use super::{TARGETS, build, has_dpkg, has_npm, has_pip, packaging, script, text};

/// The commands of the page: the lines of its shell blocks.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect()
}

/// A release with all that the workflow puts into one.
fn whole_release(sandbox: &Sandbox) {
    let binary = build(sandbox);
    let builds: Vec<String> = TARGETS.iter().map(|target| format!("{target}={binary}")).collect();
    for target in TARGETS {
        packaging(sandbox, "archive", &[&binary, target, "."]).expect(0);
    }
    let glibc: Vec<&str> =
        builds.iter().filter(|build| !build.contains("musl")).map(String::as_str).collect();
    packaging(sandbox, "npm/build", &[&["tdd", "."], &glibc[..]].concat()).expect(0);
    let all: Vec<&str> = builds.iter().map(String::as_str).collect();
    packaging(sandbox, "pypi/build", &[&["tdd", "."], &all[..]].concat()).expect(0);
    packaging(sandbox, "debian/build", &[&binary, "."]).expect(0);
    let base = format!("file://{}", sandbox.beside("packed").display());
    packaging(sandbox, "collect", &[".", "https://example.com/some/tdd", &base]).expect(0);
}

#[test]
fn ac_tdd_6_35_each_command_of_the_page_on_installing_does_what_it_says() {
    left_to_the_night!();
    let page = text("docs/src/install.md");
    let commands = commands(&page);
    assert!(commands.len() > 12, "{commands:?}");
    if std::env::consts::ARCH != "x86_64" || !cfg!(target_os = "linux") {
        println!("skipped: the page tells the names of builds for Linux on x86_64");
        return;
    }
    let tools = has("curl", &["curl", "--version"]) && has("sha256sum", &["sha256sum", "--version"]);
    if !tools || !has_dpkg() || !has_npm() || !has_pip() {
        return;
    }
    let sandbox = Sandbox::empty();
    whole_release(&sandbox);
    let programs = sandbox.beside("programs");
    // What asks for rights, a registry or a service says only what it was asked, and that the files are there.
    let stand_in = "#!/bin/sh\necho \"asked: $(basename \"$0\") $*\"\nfor word; do case $word in ./*) test -f \"$word\";; esac; done\n";
    for name in ["sudo", "cargo", "gh"] {
        script(&programs.join(name), stand_in);
    }
    let tap = sandbox.beside("tap");
    std::fs::create_dir_all(tap.join("Formula")).unwrap();
    let brew = format!(
        "#!/bin/sh\ncase $1 in --repository) echo '{}';; *) echo \"asked: brew $*\";; esac\n",
        tap.display()
    );
    script(&programs.join("brew"), &brew);
    let mut command = sandbox.command("bash");
    command.args(["-c", &format!("set -eo pipefail\n{}", commands.join("\n"))]);
    command.env("RELEASE", format!("file://{}", sandbox.beside("packed").display()));
    command.env("PATH", path_with(&programs)).env("npm_config_prefix", sandbox.beside("npm"));
    command.env("npm_config_offline", "true").env("PIP_PREFIX", sandbox.beside("python"));
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    for asked in [
        "asked: cargo install --locked --path .",
        "asked: sudo apt install ./tdd_0.1.0_amd64.deb",
        "asked: gh attestation verify",
        "asked: brew install",
        "tdd-x86_64-unknown-linux-gnu.tar.gz: OK",
    ] {
        assert!(ran.stdout.contains(asked), "{asked}: {}", ran.stdout);
    }
    for program in
        ["home/.local/bin/tdd", "npm/bin/tdd", "python/bin/tdd", "repo/tdd-x86_64-unknown-linux-gnu/tdd"]
    {
        let told = Ran::of(&sandbox.command(sandbox.beside(program)).arg("--version").output().unwrap());
        assert_eq!(told.stdout, "tdd 0.1.0\n", "{program}");
    }
    assert!(tap.join("Formula/tdd.rb").is_file());
    for file in ["share/bash-completion/completions/tdd", "share/man/man1/tdd.1"] {
        assert!(sandbox.beside("home/.local").join(file).is_file(), "{file}");
    }
}
