//! `install.sh`, with a release that lies on the disk.

use std::path::Path;
use std::process::Command;

use super::super::sandbox::{Ran, Sandbox, has, path_with};
use super::{checked_shell, release, root, script, target, text};

fn install(sandbox: &Sandbox) -> Command {
    let mut command = sandbox.command("sh");
    command.arg(root().join("packaging/install.sh"));
    command.arg(format!("file://{}", sandbox.beside("release").display()));
    command
}

fn ran(command: &mut Command) -> Ran {
    Ran::of(&command.output().unwrap())
}

#[test]
fn ac_tdd_6_31_the_installer_puts_a_verified_program_in_its_place() {
    let sandbox = Sandbox::empty();
    checked_shell(&sandbox, "sh", &text("packaging/install.sh"));
    if !has("curl", &["curl", "--version"]) {
        return;
    }
    release(&sandbox);
    let told = ran(&mut install(&sandbox)).expect(0);
    let place = sandbox.beside("home/.local/bin");
    assert!(
        told.stdout.contains("tdd 0.1.0 is installed in") && told.stdout.contains("export PATH="),
        "{}",
        told.stdout
    );
    assert_eq!(
        Ran::of(&Command::new(place.join("tdd")).arg("--version").output().unwrap()).stdout,
        "tdd 0.1.0\n"
    );
    // Elsewhere, over one that is there, and where the path has the folder already.
    let place = sandbox.beside("a place");
    script(&place.join("tdd"), "old");
    let mut again = install(&sandbox);
    let told = ran(again.env("TDD_INSTALL_DIR", &place).env("PATH", path_with(&place))).expect(0);
    assert!(!told.stdout.contains("export PATH"), "{}", told.stdout);
    let left: Vec<_> = std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["tdd"], "and nothing beside it");
}

#[test]
fn ac_tdd_6_31_what_is_not_as_its_checksum_says_is_not_installed() {
    if !has("curl", &["curl", "--version"]) {
        return;
    }
    let sandbox = Sandbox::empty();
    let folder = release(&sandbox);
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let nothing = |sandbox: &Sandbox| !sandbox.beside("home/.local").exists();
    let archive = format!("tdd-{}.tar.gz", target());
    // The sum of another archive is no sum of this one.
    let other = sums.lines().find(|line| line.contains("tdd-other")).unwrap();
    let other = other.replace("tdd-other.tar.gz", &archive);
    for (written, says) in [
        (other.as_str(), "is not what it should be"),
        (&sums.replace(&archive, "something.tar.gz"), "SHA256SUMS does not name"),
        (&sums.replace(&archive, &format!("x{archive}")), "SHA256SUMS does not name"),
        ("", "SHA256SUMS does not name"),
    ] {
        std::fs::write(folder.join("SHA256SUMS"), written).unwrap();
        ran(&mut install(&sandbox)).expect(1).says(&[says, "next:"]);
        assert!(nothing(&sandbox), "{written}");
    }
    std::fs::remove_file(folder.join("SHA256SUMS")).unwrap();
    ran(&mut install(&sandbox)).expect(1).says(&["SHA256SUMS can't be had"]);
    // What was pinned holds without them, and against them.
    std::fs::write(folder.join("SHA256SUMS"), &sums).unwrap();
    ran(install(&sandbox).env("TDD_SHA256", "0".repeat(64))).expect(1).says(&["is not what it should be"]);
    assert!(nothing(&sandbox));
    std::fs::remove_file(folder.join("SHA256SUMS")).unwrap();
    let pinned = sums.lines().find(|line| line.ends_with(&archive)).unwrap().split(' ').next().unwrap();
    ran(install(&sandbox).env("TDD_SHA256", pinned)).expect(0);
}

/// A folder with these programs of the system alone.
fn only(sandbox: &Sandbox, programs: &[&str]) -> std::path::PathBuf {
    let folder = sandbox.beside("only");
    std::fs::create_dir(&folder).unwrap();
    for program in programs {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(program))
            .find(|file| file.is_file());
        std::os::unix::fs::symlink(found.unwrap(), folder.join(program)).unwrap();
    }
    folder
}

#[test]
fn ac_tdd_6_31_where_it_can_t_install_it_says_why() {
    let sandbox = Sandbox::empty();
    release(&sandbox);
    let fake =
        |name: &str, text: &str| script(&sandbox.beside("fake").join(name), &format!("#!/bin/sh\n{text}\n"));
    let faked = |sandbox: &Sandbox| ran(install(sandbox).env("PATH", path_with(&sandbox.beside("fake"))));
    fake("uname", "echo SunOS");
    faked(&sandbox).expect(1).says(&["there is no build for SunOS", "cargo install"]);
    fake("uname", "test \"$1\" = -m && echo riscv64 || echo Linux");
    faked(&sandbox).expect(1).says(&["riscv64"]);
    fake("uname", "test \"$1\" = -m && echo amd64 || echo Linux");
    fake("ldd", "echo musl libc >&2; exit 1");
    fake("curl", "for word; do :; done; echo \"no $word\" >&2; exit 22");
    faked(&sandbox).expect(1).says(&["tdd-x86_64-unknown-linux-musl.tar.gz can't be had", "next:"]);
    fake("uname", "test \"$1\" = -m && echo arm64 || echo Darwin");
    faked(&sandbox).expect(1).says(&["tdd-aarch64-apple-darwin.tar.gz can't be had"]);
    let mut bare = sandbox.command("sh");
    ran(bare.arg(root().join("packaging/install.sh"))).expect(1).says(&["no release was named"]);
    // Without curl there is wget, without either nothing.
    let bin = only(
        &sandbox,
        &[
            "sh",
            "tar",
            "gzip",
            "mktemp",
            "uname",
            "sha256sum",
            "cut",
            "sed",
            "rm",
            "mkdir",
            "cp",
            "chmod",
            "mv",
        ],
    );
    ran(install(&sandbox).env("PATH", &bin)).expect(1).says(&["neither curl nor wget"]);
    script(&bin.join("wget"), "#!/bin/sh\ncp \"${4#file://}\" \"$3\"\n");
    ran(install(&sandbox).env("PATH", &bin)).expect(0);
    std::fs::remove_file(bin.join("sha256sum")).unwrap();
    ran(install(&sandbox).env("PATH", &bin)).expect(1).says(&["nothing can be verified"]);
    // One that does not start is not put in the place of one that does.
    let place = sandbox.beside("home/.local/bin/tdd");
    let good = std::fs::read(&place).unwrap();
    replace_program(&sandbox, "exit 1");
    ran(install(&sandbox).env("TDD_TARGET", target())).expect(1).says(&["does not start here", "TDD_TARGET"]);
    assert_eq!(std::fs::read(&place).unwrap(), good);
}

/// The release's archive holds another program.
fn replace_program(sandbox: &Sandbox, text: &str) {
    let folder = sandbox.beside("release");
    let target = target();
    let program: &Path = &folder.join(format!("tdd-{target}/tdd"));
    script(program, &format!("#!/bin/sh\n{text}\n"));
    let pack =
        format!("tar -czf tdd-{target}.tar.gz tdd-{target} && sha256sum tdd-{target}.tar.gz >SHA256SUMS");
    assert!(sandbox.command("sh").current_dir(&folder).args(["-c", &pack]).status().unwrap().success());
}
