//! Level `enforce`: what the person's own programs would do for a child, what `hide` says and does, and what a
//! repository opens.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use tdd_core::isolation::{Hide, HomeAccess, Reach};
use tdd_core::test::Exit;

use super::isolation::has_bwrap;
use super::reach::{Person, SECRET, TEST, at_home, fences, put};
use super::sandbox::{Ran, has, has_python};

/// Connects to each socket; goes through if one answers.
fn dial(path: &Path) -> String {
    format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")'", path.display())
}

impl Person {
    fn named(&mut self, name: &str, value: impl Into<OsString>) {
        self.vars.push((name.into(), value.into()));
        self.fences = fences(&Reach::default(), &self.base, &self.repo, &self.vars);
    }
}

fn listen(path: &Path) -> UnixListener {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    UnixListener::bind(path).unwrap()
}

#[test]
fn ac_tdd_9_109_no_child_asks_a_terminal_or_an_editor_of_the_persons() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let Some(mut person) = Person::with(&Reach::default(), "repo", |_| {}) else { return };
    let uid = rustix::process::geteuid().as_raw();
    let temporary = person.base.join("tmp");
    let screens = person.base.join("screens");
    let theirs = [
        temporary.join("vscode-ipc-1.sock"),
        temporary.join("vscode-git-2.sock"),
        temporary.join(format!("emacs{uid}/server")),
        temporary.join(format!("tmux-{uid}/default")),
        temporary.join(format!("zellij-{uid}/x")),
        temporary.join("ssh-XXXXabcdefgh/agent.7"),
        screens.join("1.pts"),
        person.base.join("elsewhere/kitty"),
        person.base.join("elsewhere/tmux"),
        person.base.join("elsewhere/nvim"),
    ];
    let open: Vec<UnixListener> = theirs.iter().map(|path| listen(path)).collect();
    // A database for tests, and a folder that has only a part of such a name.
    let honest = [
        temporary.join(".s.PGSQL.5432"),
        temporary.join("emacs-tests/server"),
        temporary.join("ssh-tests/x"),
    ];
    let honestly: Vec<UnixListener> = honest.iter().map(|path| listen(path)).collect();
    person.named("SCREENDIR", &screens);
    person.named("TMUX_TMPDIR", &temporary);
    person.named("TMUX", format!("{},7,0", person.base.join("elsewhere/tmux").display()));
    person.named("KITTY_LISTEN_ON", format!("unix:{}", person.base.join("elsewhere/kitty").display()));
    person.named("NVIM", person.base.join("elsewhere/nvim"));
    for path in &theirs {
        person.none_can(&dial(path));
    }
    person.none_can("test -n \"$TMUX$NVIM$KITTY_LISTEN_ON\"");
    for path in &honest {
        person.both_can(&dial(path));
    }
    // A server of the child's own, in the very places.
    for own in [temporary.join(format!("tmux-{uid}/own")), temporary.join("own.sock")] {
        let own = own.display();
        person.both_can(&format!(
            "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"{own}\"); s.listen(); \
             socket.socket(socket.AF_UNIX).connect(\"{own}\")' && rm \"{own}\""
        ));
    }
    drop((open, honestly));
}

#[test]
fn ac_tdd_9_109_the_persons_tmux_is_out_of_reach_and_a_child_has_one_of_its_own() {
    if !has("tmux", &["tmux", "-V"]) {
        return;
    }
    let Some(mut person) = Person::with(&Reach::default(), "repo", |_| {}) else { return };
    person.named("TMUX_TMPDIR", person.base.join("tmp"));
    let tmux = |args: &[&str]| {
        let mut command = std::process::Command::new("tmux");
        command
            .args(["-f", "/dev/null"])
            .args(args)
            .env("TMUX_TMPDIR", person.base.join("tmp"))
            .env_remove("TMUX");
        command.output().unwrap()
    };
    assert!(tmux(&["new-session", "-d", "-s", "person", "sh"]).status.success());
    let evil = "tmux run-shell 'echo evil >> \"$HOME/.bashrc\"'";
    let (theirs, _) = person.sh(person.of_role(&[]), evil);
    let own = "tmux -f /dev/null new-session -d -s own sh && tmux ls | grep own && tmux kill-server";
    let (honest, said) = person.sh(person.of_role(&[]), own);
    tmux(&["kill-server"]);
    assert!(!theirs.is_success());
    assert_eq!(honest, Exit::Code(0), "{said}");
}

#[test]
fn ac_tdd_9_109_what_gits_helpers_keep_is_hidden_and_its_other_settings_are_not() {
    left_to_the_night!();
    let more = |base: &Path| {
        put(&base.join("home/kept"), SECRET);
        put(&base.join("elsewhere/kept"), SECRET);
        put(&base.join("home/.cache/git/credential/x"), SECRET);
        put(
            &base.join("home/.gitconfig"),
            &format!(
                "[user]\n\tname = theirs\n[credential]\n\thelper = store --file ~/kept\n\
                 [credential \"https://x.example\"]\n\thelper = cache --socket={}\n",
                base.join("elsewhere/kept").display()
            ),
        );
    };
    let Some(person) = Person::with(&Reach::default(), "repo", more) else { return };
    person.none_can("grep . \"$HOME/kept\"");
    person.none_can("grep . \"$HOME/.cache/git/credential/x\"");
    person.none_can(&format!("grep . {}", person.base.join("elsewhere/kept").display()));
    person.both_can("test \"$(git config --global user.name)\" = theirs");
    person.both_can("git config --global credential.helper");
    person.both_can("echo x > \"$HOME/.cache/git/own\"");
}

/// More places, each with what is of the same tool and no secret.
#[test]
fn more_places_of_credentials_are_hidden_and_settings_beside_them_are_not() {
    left_to_the_night!();
    const HIDDEN: [&str; 12] = [
        ".authinfo",
        ".my.cnf",
        ".config/gopass/config",
        ".config/rbw/config.json",
        ".msmtprc",
        ".mbsyncrc",
        ".vercel/auth.json",
        ".netlify/config.json",
        ".sentryclirc",
        ".config/helm/registry/config.json",
        ".local/share/uv/credentials/credentials.toml",
        ".factory/auth.json",
    ];
    const LEFT: [&str; 3] = [".config/uv/uv.toml", ".config/helm/values.yaml", ".local/share/uv/tools/x"];
    let more = |base: &Path| {
        for path in HIDDEN.into_iter().chain(LEFT) {
            put(&base.join("home").join(path), SECRET);
        }
        put(&base.join("elsewhere/history"), SECRET);
        put(&base.join("home/.yarnrc"), "\"//r.example/:_authToken\" \"hunter2\"\nemail a@b.example\n");
        put(&base.join("home/.npmrc"), "registry=https://me:hunter2@r.example/\n_authToken[]=hunter2\n");
    };
    let Some(mut person) = Person::with(&Reach::default(), "repo", more) else { return };
    person.named("HISTFILE", person.base.join("elsewhere/history"));
    person.named("AWS_CONFIG_FILE", "/dev/null");
    for path in HIDDEN {
        person.none_can(&format!("grep . \"$HOME/{path}\""));
    }
    person.none_can("grep . \"$HISTFILE\"");
    person.none_can("grep hunter2 \"$HOME/.yarnrc\" \"$HOME/.npmrc\"");
    person.both_can(
        "grep -q email \"$HOME/.yarnrc\" && grep -q 'registry=https://r.example/' \"$HOME/.npmrc\"",
    );
    person.both_can("echo x > /dev/null && test ! -s /dev/null");
    for path in LEFT {
        person.both_can(&format!("grep -q . \"$HOME/{path}\""));
    }
}

/// A child can write to caches, where credentials may lie, too.
#[test]
fn a_link_that_a_child_left_where_credentials_lie_hides_nothing_of_the_project() {
    let Some(person) = Person::with(&Reach::default(), "repo", |_| {}) else { return };
    let token = person.home.join(".cache/huggingface/token");
    std::fs::remove_file(&token).unwrap();
    symlink(person.repo.join("src/a.py"), &token).unwrap();
    symlink(
        person.repo.join("src"),
        person.base.join(format!("tmp/emacs{}", rustix::process::geteuid().as_raw())),
    )
    .unwrap();
    person.both_can("grep -q 'A = 1' src/a.py");
}

fn hiding(more: &[&str], shown: &[&str], own: &[&str]) -> Reach {
    let list = |places: &[&str]| places.iter().map(ToString::to_string).collect();
    Reach {
        hide: Hide { more: list(more), shown: list(shown), own: list(own), ..Hide::default() },
        ..Reach::default()
    }
}

#[test]
fn ac_tdd_9_110_a_place_that_is_not_hidden_is_told_with_why() {
    let more = |base: &Path| {
        put(&base.join("home/notes/a"), SECRET);
        put(&base.join("home/kept/a"), SECRET);
        put(&base.join("home/.config/gh/ext/src/a.py"), "A = 1\n");
        put(&base.join("home/.config/gh/ext/.git/HEAD"), "ref: refs/heads/main\n");
    };
    let reach = hiding(&["~/note", "~/no*", "~/notes", "~/kept"], &["~/notes"], &["~/gone"]);
    let Some(person) = Person::with(&reach, "home/.config/gh/ext", more) else { return };
    let notices = person.fences.sandbox_paths.notices();
    for (place, why) in [
        ("of tdd.yaml does nothing for ~/note:", "it is not there"),
        ("of tdd.yaml does nothing for ~/no*:", "stand for themselves"),
        ("of tdd.yaml does nothing for ~/notes:", "`!` leaves it in sight"),
        ("of your own settings does nothing for ~/gone:", "it is not there"),
        ("credentials in sight: ~/.config/gh", "the repository"),
    ] {
        assert!(
            notices.iter().any(|line| line.contains(place) && line.contains(why)),
            "{place}: {notices:?}"
        );
    }
    assert!(!notices.iter().any(|line| line.contains("~/kept")), "what is hidden is no news: {notices:?}");
    let open = person.fences.sandbox_paths.belongings.open(&person.repo, &[]);
    assert_eq!(open.home, HomeAccess::ReadOnly);
    assert!(reach.words(&open).contains("credentials out of sight but for ~/.config/gh ("), "{open:?}");
    let Some(plain) = Person::with(&hiding(&["~/notes"], &[], &[]), "repo", more) else { return };
    assert!(plain.fences.sandbox_paths.notices().is_empty());
    let Some(whole) = Person::with(&Reach::default(), "home", |_| {}) else { return };
    let open = whole.fences.sandbox_paths.belongings.open(&whole.repo, &[]);
    assert!(Reach::default().words(&open).contains("home writable, since"), "{open:?}");
}

#[test]
fn ac_tdd_9_110_a_run_whose_programs_would_be_hidden_is_refused_with_the_line() {
    if !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    let tools = place.repo().parent().unwrap().canonicalize().unwrap().join("tools");
    put(&tools.join("bin/check"), "#!/bin/sh\npython3 -m unittest discover -s tests -t .\n");
    let settings = |hide: &str| {
        let check = format!("sh {}/bin/check", tools.display());
        format!(
            "test: {check}\nsandbox:\n  level: enforce\n  hide: ['{hide}']\n\
             runner: {{ kind: exit-code, all: '{check}' }}\n"
        )
    };
    for (hide, words) in [
        (tools.display().to_string(), &["tdd.yaml:4: `sandbox.hide`", "bin/check", "take it out"][..]),
        ("/usr".to_owned(), &["tdd.yaml:4: `sandbox.hide`", "every program"]),
    ] {
        for args in [&["STE-1", "--dry-run"][..], &["doctor"]] {
            let (_, mut command) = at_home(&place, &settings(&hide));
            let ran = Ran::of(&command.args(args).output().unwrap());
            assert_ne!(ran.code, 0);
            let said = ran.stdout + &ran.stderr;
            assert!(words.iter().all(|word| said.contains(word)), "{hide} {args:?}: {said}");
            assert!(!said.contains("--sandbox audit"), "{said}");
        }
    }
    std::fs::create_dir_all(tools.join("data")).unwrap();
    let (_, mut command) = at_home(&place, &settings(&format!("{}/data", tools.display())));
    let ran = Ran::of(&command.args(["STE-1", "--dry-run"]).output().unwrap());
    assert!(!ran.stderr.contains("sandbox.hide"), "{}", ran.stderr);
}

#[test]
fn ac_tdd_9_110_what_hide_takes_out_of_the_repository_does_not_look_deleted() {
    left_to_the_night!();
    if !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    place.write("lib/a", "hunter2\n");
    place.write("kept.txt", "kept\n");
    let hide = place.repo().canonicalize().unwrap().join("lib");
    let (_, mut command) =
        at_home(&place, &format!("{TEST}sandbox: {{ level: enforce, hide: ['{}'] }}\n", hide.display()));
    let action =
        "git status --short > seen.txt; cat lib/a >> seen.txt 2>/dev/null; cat kept.txt >> seen.txt; true";
    let cassette = super::isolation::cassette(&place, action);
    Ran::of(&command.args(["STE-1", "--cassette", &cassette]).output().unwrap()).expect(0);
    let seen = place.read("seen.txt");
    assert!(!seen.contains("lib") && !seen.contains(SECRET) && seen.contains("kept"), "{seen}");
}

/// A table of a repository, and what is told of it before its agent is started.
#[test]
fn ac_tdd_9_108_what_a_repositorys_agent_may_use_of_the_home_is_told_and_named_as_open() {
    left_to_the_night!();
    if !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    place.write("agent.sh", "true\n");
    let table = |uses: &str| {
        format!(
            "{TEST}sandbox: enforce\nagent: mine\nagents:\n  mine:\n    argv: [sh, agent.sh, '{{prompt_file}}']\n    {uses}\n"
        )
    };
    for (uses, told, named) in [
        ("uses_home: [.claude]", &["~/.claude"][..], true),
        ("uses_home: [.claude.json]", &["~/.claude.json"], true),
        ("state_dirs: { X: { of: .codex, carry: [auth.json] } }", &["~/.codex/auth.json"], true),
        ("uses_home: [.ssh, .mine]", &["~/.ssh", "~/.mine"], true),
        ("uses_home: [.config]", &["~/.config"], true),
        ("uses_home: [.mine]", &["~/.mine"], false),
        ("idle: 5m", &[], false),
    ] {
        for args in [&["STE-1", "--dry-run"][..], &["STE-1"], &["doctor"]] {
            let (_, mut command) = at_home(&place, &table(uses));
            let ran = Ran::of(&command.args(args).output().unwrap());
            let said = ran.stdout + &ran.stderr;
            for place in told {
                assert!(said.contains(&format!("may use of your home: {place}")), "{uses} {args:?}: {said}");
            }
            assert_eq!(said.contains("may use of your home"), !told.is_empty(), "{uses}: {said}");
            let words = format!("credentials out of sight but for {}", told.first().unwrap_or(&""));
            assert_eq!(said.contains(&words), named, "{uses} {args:?}: {said}");
            assert_eq!(said.contains("credentials out of sight, "), !named, "{uses} {args:?}: {said}");
        }
    }
}

#[test]
fn ac_tdd_9_111_what_a_person_hides_is_hidden_in_every_project_and_none_opens_it() {
    left_to_the_night!();
    let more = |base: &Path| {
        put(&base.join("home/notes/a"), SECRET);
        put(&base.join("home/other/a"), "seen\n");
    };
    let reach = hiding(&[], &["~/notes/a", "~/notes", "~/.ssh"], &["~/notes"]);
    let Some(person) = Person::with(&reach, "repo", more) else { return };
    person.none_can("grep . \"$HOME/notes/a\"");
    person.both_can("grep -q seen \"$HOME/other/a\" && grep -q . \"$HOME/.ssh/id_ed25519\"");
    let place = super::cycle::shop();
    for (settings, words) in [
        ("sandbox: { hide: [~/notes] }\n", None),
        ("sandbox: { home: rw }\n", Some(["`sandbox.home`", "that project's to say"])),
    ] {
        let (home, mut command) = at_home(&place, &format!("{TEST}sandbox: {{ hide: [] }}\n"));
        put(&home.join("own/tdd/tdd.yaml"), settings);
        let ran = Ran::of(&command.env("XDG_CONFIG_HOME", home.join("own")).arg("doctor").output().unwrap());
        let said = ran.stdout + &ran.stderr;
        assert_eq!(said.contains("your own settings does nothing for ~/notes"), words.is_none(), "{said}");
        assert!(words.iter().flatten().all(|word| said.contains(word)), "{said}");
    }
}
