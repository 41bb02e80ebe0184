//! Level `enforce`: what of the person's a child can reach, and what it must.
//!
//! Each home is made here. The scripts are shell, since that is what a hostile child has.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tdd_child::exec;
use tdd_child::process::{CommandOrder, Ended, run};
use tdd_child::sandbox::{Belongings, Enclosure, Own, Sandbox as Fences, SandboxPaths, Sealed, choose};
use tdd_core::commands::RunnerKind;
use tdd_core::isolation::{Credentials, Hide, HomeAccess, Network, Reach, Wanted};
use tdd_core::policy::Policy;
use tdd_core::role::Role;
use tdd_core::test::Exit;
use tokio::sync::watch;

use super::battery;
use super::isolation::has_bwrap;
use super::sandbox::{Ran, Sandbox, has, has_go, has_node, has_python};

pub const SECRET: &str = "hunter2";

/// Files that nobody but the person is to read.
const CREDENTIALS: &[&str] = &[
    ".ssh/id_ed25519",
    ".ssh/deep/key",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".gnupg/private-keys-v1.d/a.key",
    ".kube/config",
    ".docker/config.json",
    ".config/gcloud/credentials.db",
    ".azure/msal_token_cache.json",
    ".git-credentials",
    ".config/git/credentials",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store/mail.gpg",
    ".mozilla/firefox/p/logins.json",
    ".config/google-chrome/Default/Cookies",
    ".local/share/keyrings/login.keyring",
    ".cache/huggingface/token",
    ".bash_history",
    ".python_history",
    ".zen/p/logins.json",
    ".librewolf/p/logins.json",
    ".cursor/mcp.json",
    ".pulumi/credentials.json",
    ".cloudflared/cert.pem",
    ".claude.json",
    ".claude/.credentials.json",
    ".claude/projects/x/s.jsonl",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".pi/agent/auth.json",
];

/// A person with a home, a repository, and things that are theirs.
pub struct Person {
    place: Sandbox,
    pub base: PathBuf,
    pub home: PathBuf,
    pub repo: PathBuf,
    pub vars: Vec<(OsString, OsString)>,
    pub fences: Fences,
}

impl Person {
    fn new() -> Option<Self> {
        Self::with(&Reach::default(), "repo", |_| {})
    }

    /// With a repository at `repo` beside or in the home; `more` prepares the folder of both.
    pub fn with(reach: &Reach, repo: &str, more: impl FnOnce(&Path)) -> Option<Self> {
        if !cfg!(target_os = "linux") || !has_bwrap() {
            return None;
        }
        exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
        let place = Sandbox::empty();
        let base = place.repo().parent().unwrap().canonicalize().unwrap();
        let (home, repo) = (base.join("home"), base.join(repo));
        for path in CREDENTIALS {
            put(&home.join(path), SECRET);
        }
        for path in [".bashrc", ".profile", ".config/tool/settings", ".local/bin/tool", ".gitconfig"] {
            put(&home.join(path), "# theirs\n");
        }
        put(&home.join(".npmrc"), "save=false\n//r.example/:_authToken=hunter2\n");
        put(&repo.join("src/a.py"), "A = 1\n");
        put(&repo.join(".git/HEAD"), "ref: refs/heads/main\n");
        for folder in ["shared/exchange/own", "run/gnupg", "tmp"] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
        }
        put(&base.join("run/keyring"), SECRET);
        more(&base);
        let repo = repo.canonicalize().unwrap();
        let vars = [
            ("HOME", home.clone()),
            ("PATH", std::env::var_os("PATH").unwrap_or_default().into()),
            ("TMPDIR", base.join("tmp")),
            ("XDG_RUNTIME_DIR", base.join("run")),
            ("SSH_AUTH_SOCK", base.join("tmp/agent.1")),
            ("CARGO_HOME", home.join(".cargo")),
            ("LC_ALL", "C".into()),
        ];
        let vars: Vec<(OsString, OsString)> =
            vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let fences = fences(reach, &base, &repo, &vars);
        Some(Self { place, base, home, repo, vars, fences })
    }

    pub fn of_role(&self, lent: &[PathBuf]) -> Enclosure {
        let own = self.base.join("shared/exchange/own");
        let own = Own { folders: &[&own], lent, hidden: &[] };
        self.fences.for_role(Role::Implementer, &own, &[], &self.repo).enclosure
    }

    fn of_commands(&self) -> Enclosure {
        self.fences.for_commands(&self.base.join("work"), &self.repo).enclosure
    }

    pub fn sh(&self, enclosure: Enclosure, script: &str) -> (Exit, String) {
        let log = self.base.join("log");
        let order = CommandOrder {
            argv: ["sh", "-c", script].map(OsString::from).to_vec(),
            cwd: self.repo.clone(),
            env: self.vars.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect(),
            deadline: Duration::from_mins(2),
            output_cap: 1 << 20,
            log: log.clone(),
            stdout: None,
            enclosure: Some(enclosure),
            ended: Ended::default(),
        };
        let (_keep, stop) = watch::channel(None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let finished = runtime.block_on(run(&order, &stop)).unwrap();
        (finished.exit, std::fs::read_to_string(log).unwrap_or_default())
    }

    /// Both kinds of child: a role, and a command of the project's.
    #[track_caller]
    pub fn none_can(&self, script: &str) {
        for (who, enclosure) in [("a role", self.of_role(&[])), ("a command", self.of_commands())] {
            let (exit, said) = self.sh(enclosure, script);
            assert!(!exit.is_success(), "{who}: {script} went through: {said}");
            assert!(!said.contains(SECRET), "{who}: {script}: {said}");
        }
    }

    #[track_caller]
    pub fn both_can(&self, script: &str) {
        for (who, enclosure) in [("a role", self.of_role(&[])), ("a command", self.of_commands())] {
            let (exit, said) = self.sh(enclosure, script);
            assert_eq!(exit, Exit::Code(0), "{who}: {script}: {said}");
        }
    }

    /// Nothing of the person's was written to.
    #[track_caller]
    fn is_untouched(&self, after: &str) {
        for path in [".bashrc", ".profile", ".config/tool/settings", ".local/bin/tool", ".gitconfig"] {
            assert_eq!(
                std::fs::read_to_string(self.home.join(path)).unwrap(),
                "# theirs\n",
                "{path}: {after}"
            );
        }
        for path in CREDENTIALS {
            assert_eq!(std::fs::read_to_string(self.home.join(path)).unwrap(), SECRET, "{path}: {after}");
        }
    }
}

pub fn fences(reach: &Reach, base: &Path, repo: &Path, vars: &[(OsString, OsString)]) -> Fences {
    let sandbox_paths = SandboxPaths {
        out_of_sight: tdd_child::sandbox::OutOfSight::default(),
        repository: repo.to_owned(),
        git: vec![repo.join(".git")],
        specs: vec![repo.join("specs/frs")],
        exchange: base.join("shared/exchange"),
        shared: base.join("shared"),
        own_settings: Vec::new(),
        belongings: Belongings::of(reach, vars),
        policy: Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs/frs").unwrap(),
    };
    let chosen = choose(Wanted::Enforce, reach, std::env::var_os("PATH").as_deref()).unwrap();
    Fences {
        backend: chosen.backend.unwrap(),
        sandbox_paths: sandbox_paths.without_links(),
        sealed: Sealed::default(),
    }
}

pub fn put(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A program is needed by an honest twin: see `has`.
fn has_npm() -> bool {
    has_node() && has("npm", &["npm", "--version"])
}

#[test]
fn ac_tdd_8_8_no_child_reads_what_is_nobody_s_business() {
    left_to_the_night!();
    let Some(person) = Person::new() else { return };
    let all: String = CREDENTIALS.iter().fold(String::new(), |all, path| format!("{all} '{path}'"));
    for taking in ["grep . \"$HOME/$it\"", "cp \"$HOME/$it\" stolen && grep . stolen"] {
        person.none_can(&format!("for it in {all}; do {taking} && exit 0; done; exit 1"));
    }
    for script in [
        // By another name, another root, another process, and by moving what is around it.
        "mv \"$HOME/.ssh\" \"$HOME/x\"",
        "mv \"$HOME/.config\" \"$HOME/x\"",
        "mv \"$HOME/.cache/huggingface\" \"$HOME/.cache/x\"",
        "ln \"$HOME/.netrc\" stolen",
        "rm \"$HOME/.netrc\"",
        "umount \"$HOME/.ssh\"",
        "unshare -Urm sh -c 'umount \"$HOME/.ssh\"; cat \"$HOME/.ssh/id_ed25519\"'",
        "for own in /proc/[0-9]*/root; do grep . \"$own$HOME/.ssh/id_ed25519\" && exit; done; exit 1",
        "grep . \"$XDG_RUNTIME_DIR/keyring\"",
        "grep -r hunter2 \"$HOME\" \"$XDG_RUNTIME_DIR\"",
    ] {
        person.none_can(script);
    }
    person.is_untouched("all of it");
}

#[test]
fn ac_tdd_8_9_no_child_writes_to_the_person_s_home() {
    left_to_the_night!();
    let Some(person) = Person::new() else { return };
    for script in [
        "echo evil >> \"$HOME/.bashrc\"",
        "echo evil >> \"$HOME/.profile\"",
        "echo evil > \"$HOME/.zshrc\"",
        "echo evil > \"$HOME/.config/tool/settings\"",
        "mkdir -p \"$HOME/.config/autostart\"",
        "mkdir -p \"$HOME/.config/systemd/user\"",
        "echo evil > \"$HOME/.local/bin/git\"",
        "rm \"$HOME/.local/bin/tool\"",
        "echo evil > \"$HOME/.gitconfig\"",
        "git config --global core.hooksPath /x",
        "mv \"$HOME\" \"$HOME.old\"",
        "mv \"$HOME/.bashrc\" \"$HOME/.cache/x\"",
        "mkdir \"$HOME/.ssh\" 2>/dev/null; echo evil > \"$HOME/.ssh/authorized_keys\"",
        "echo evil > \"$HOME/.netrc\"",
        "echo evil > \"$HOME/.npmrc\"",
        "echo evil > \"$HOME/.cargo/config.toml\"",
        "mkdir -p \"$HOME/.cargo/bin\" && echo evil > \"$HOME/.cargo/bin/cargo\"",
        "mkdir -p \"$HOME/.claude\" && echo evil > \"$HOME/.claude/settings.json\"",
        "mount -o remount,rw,bind \"$HOME\" && echo evil >> \"$HOME/.bashrc\"",
        "(echo '* * * * * true') | crontab -",
        "test -w /var/spool/cron || test -w /etc/crontab || test -w /etc/cron.d",
    ] {
        person.none_can(script);
        person.is_untouched(script);
    }
}

#[test]
fn what_an_honest_child_needs_stays() {
    left_to_the_night!();
    let Some(person) = Person::new() else { return };
    for script in [
        "echo x > src/b.py && mv src/b.py src/c.py && rm src/c.py",
        "grep theirs \"$HOME/.gitconfig\" \"$HOME/.bashrc\"",
        "echo x > \"$HOME/.cache/x\" && mkdir -p \"$HOME/.cache/pip/http\" && rm \"$HOME/.cache/x\"",
        "echo x > \"$(mktemp)\"",
        "echo x > \"$XDG_RUNTIME_DIR/x\" && rm \"$XDG_RUNTIME_DIR/x\"",
        "grep save=false \"$HOME/.npmrc\"",
        "test -f \"$HOME/.netrc\" && cat \"$HOME/.netrc\"",
    ] {
        person.both_can(script);
    }
    assert!(person.home.join(".cache/pip/http").is_dir(), "a cache is the real one");
    assert!(!person.base.join("run/x").exists(), "and a runtime folder is not");
    assert_eq!(person.place.repo(), person.repo);
}

#[test]
fn an_agent_has_its_own_log_in_and_no_other() {
    let Some(person) = Person::new() else { return };
    let lent = [person.home.join(".local/share/opencode/auth.json"), person.home.join(".codex/auth.json")];
    let script = "grep . \"$HOME/.local/share/opencode/auth.json\" && echo new > \"$HOME/.codex/auth.json\"";
    assert_eq!(person.sh(person.of_role(&lent), script).0, Exit::Code(0));
    assert_eq!(std::fs::read_to_string(&lent[1]).unwrap(), "new\n", "a log-in that is renewed is kept");
    for other in [".claude/.credentials.json", ".pi/agent/auth.json", ".codex/sessions/x"] {
        let (exit, said) = person.sh(person.of_role(&lent), &format!("grep . \"$HOME/{other}\""));
        assert!(!exit.is_success(), "{other}: {said}");
    }
    let (exit, _) = person.sh(person.of_commands(), "grep . \"$HOME/.codex/auth.json\"");
    assert!(!exit.is_success(), "a command of the project's is no agent");
}

/// The home as a link, a repository in it, a credential folder that is a link, and one that comes later.
#[test]
fn links_and_odd_places_are_understood() {
    left_to_the_night!();
    let more = |base: &Path| {
        std::fs::rename(base.join("home/.ssh"), base.join("keys")).unwrap();
        symlink(base.join("keys"), base.join("home/.ssh")).unwrap();
        std::fs::rename(base.join("home/.netrc"), base.join("netrc")).unwrap();
        symlink("../netrc", base.join("home/.netrc")).unwrap();
        std::fs::rename(base.join("home"), base.join("real")).unwrap();
        symlink(base.join("real"), base.join("home")).unwrap();
        // What a child could have left for the next one.
        std::fs::create_dir_all(base.join("real/.cache/uv")).unwrap();
    };
    let Some(person) = Person::with(&Reach::default(), "home/code/repo", more) else { return };
    for path in ["home/.ssh/id_ed25519", "keys/id_ed25519", "real/.ssh/deep/key", "netrc", "home/.netrc"] {
        person.none_can(&format!("grep . {}", person.base.join(path).display()));
    }
    person.none_can("echo evil >> \"$HOME/.bashrc\"");
    person.none_can(&format!("echo evil >> {}", person.base.join("real/.bashrc").display()));
    person.none_can("echo evil > ../beside");
    person.both_can("echo x > new && echo x > \"$HOME/.cache/x\"");
    person.none_can("echo evil > .git/HEAD");
    put(&person.home.join(".vault-token"), SECRET);
    person.none_can("grep . \"$HOME/.vault-token\"");
}

#[test]
fn a_link_that_a_child_left_in_a_cache_opens_nothing() {
    let Some(mut person) = Person::new() else { return };
    person.both_can("mkdir -p \"$HOME/.cache\" && ln -sfn \"$HOME/.config\" \"$HOME/.cache/uv\"");
    symlink(&person.home, person.repo.join("venv")).unwrap();
    let repo = person.repo.clone();
    for (name, value) in [("UV_CACHE_DIR", person.home.join(".cache/uv")), ("VIRTUAL_ENV", repo.join("venv"))]
    {
        person.vars.push((name.into(), value.into()));
    }
    person.fences = fences(&Reach::default(), &person.base, &repo, &person.vars);
    person.none_can("echo evil > \"$UV_CACHE_DIR/tool/settings\"");
    person.none_can("echo evil >> \"$VIRTUAL_ENV/.bashrc\"");
    person.is_untouched("both");
}

#[test]
fn a_home_that_can_t_be_closed_is_told_and_hides_all_the_same() {
    left_to_the_night!();
    let Some(person) = Person::with(&Reach::default(), "home", |_| {}) else { return };
    let notices = person.fences.sandbox_paths.notices();
    assert!(notices.len() == 1 && notices[0].contains("stays writable"), "{notices:?}");
    person.both_can("echo x > new && echo x >> \"$HOME/.bashrc\"");
    for path in [".ssh/id_ed25519", ".netrc", ".cache/huggingface/token"] {
        person.none_can(&format!("grep . \"$HOME/{path}\""));
    }
    person.none_can("mv \"$HOME/.cache/huggingface\" \"$HOME/.cache/x\"");
    let Some(apart) = Person::new() else { return };
    assert!(apart.fences.sandbox_paths.notices().is_empty());
}

#[test]
fn a_project_may_open_and_hide_more() {
    left_to_the_night!();
    let shown = |list: &[&str]| list.iter().map(|place| (*place).to_owned()).collect::<Vec<_>>();
    let hide = Hide {
        more: shown(&["~/.config/tool", "~/.gitconfig"]),
        shown: shown(&["~/.ssh", "~/.aws/credentials", "~/.npmrc"]),
        credentials: Credentials::Hidden,
        ..Hide::default()
    };
    let reach = Reach { hide, ..Reach::default() };
    let Some(person) = Person::with(&reach, "repo", |_| {}) else { return };
    for path in [".config/tool/settings", ".gitconfig", ".netrc", ".kube/config"] {
        person.none_can(&format!("grep . \"$HOME/{path}\""));
    }
    for path in [".ssh/id_ed25519", ".aws/credentials", ".npmrc"] {
        person.both_can(&format!("grep hunter2 \"$HOME/{path}\""));
        person.none_can(&format!("echo evil > \"$HOME/{path}\""));
    }
    let hide = Hide { credentials: Credentials::Shown, ..Hide::default() };
    let open = Reach { home: HomeAccess::Writable, hide, ..Reach::default() };
    let Some(person) = Person::with(&open, "repo", |_| {}) else { return };
    person.both_can("grep hunter2 \"$HOME/.ssh/id_ed25519\" && echo x >> \"$HOME/.bashrc\"");
    let open = Reach { home: HomeAccess::Writable, ..Reach::default() };
    let Some(person) = Person::with(&open, "repo", |_| {}) else { return };
    person.both_can("echo x >> \"$HOME/.bashrc\" && echo x > \"$HOME/.new\"");
    person.none_can("grep . \"$HOME/.config/gh/hosts.yml\"");
    person.none_can("mv \"$HOME/.config/gh\" \"$HOME/.config/x\"");
}

#[test]
fn programs_that_act_for_the_person_can_t_be_asked() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let Some(person) = Person::new() else { return };
    let agent = UnixListener::bind(person.base.join("tmp/agent.1")).unwrap();
    let bus = UnixListener::bind(person.base.join("run/bus")).unwrap();
    let dial = |path: &str| {
        format!(
            "python3 -c 'import socket,os; socket.socket(socket.AF_UNIX).connect(os.path.expandvars(\"{path}\"))'"
        )
    };
    let of_agent = dial(&person.base.join("tmp/agent.1").display().to_string());
    person.none_can(&of_agent);
    person.none_can(&dial("$XDG_RUNTIME_DIR/bus"));
    person.none_can("test -n \"$SSH_AUTH_SOCK\"");
    // Who shows the keys shows what holds them.
    let hide = Hide { shown: vec!["~/.ssh".to_owned()], ..Hide::default() };
    let person = Person {
        fences: fences(&Reach { hide, ..Reach::default() }, &person.base, &person.repo, &person.vars),
        ..person
    };
    person.both_can(&format!("test -n \"$SSH_AUTH_SOCK\" && {of_agent}"));
    drop((agent, bus));
}

#[test]
fn without_network_a_command_reaches_itself_and_an_agent_its_service() {
    if !has_python() {
        return;
    }
    let reach = Reach { network: Network::Off, ..Reach::default() };
    let Some(person) = Person::with(&reach, "repo", |_| {}) else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let dial = format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'");
    assert_eq!(person.sh(person.of_role(&[]), &dial).0, Exit::Code(0));
    assert!(!person.sh(person.of_commands(), &dial).0.is_success());
    let itself = "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); socket.create_connection(s.getsockname())'";
    assert_eq!(person.sh(person.of_commands(), itself).0, Exit::Code(0));
}

/// A package of one module, without anything to be fetched.
const WHEEL: &str = "import zipfile; z = zipfile.ZipFile('dep-1.0-py3-none-any.whl', 'w'); \
    z.writestr('dep.py', 'A = 1\\n'); \
    z.writestr('dep-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: dep\\nVersion: 1.0\\n'); \
    z.writestr('dep-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'); \
    z.writestr('dep-1.0.dist-info/RECORD', ''); z.close()";

#[test]
fn an_honest_role_installs_a_dependency_of_python() {
    left_to_the_night!();
    let Some(person) = Person::new().filter(|_| has_python()) else { return };
    let script = format!(
        "set -e; python3 -m venv .venv; python3 -c \"{WHEEL}\"; \
         .venv/bin/python -m pip install --no-index ./dep-1.0-py3-none-any.whl; .venv/bin/python -c 'import dep'; \
         .venv/bin/python -m pip cache dir"
    );
    let (exit, said) = person.sh(person.of_role(&[]), &script);
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(!said.contains("WARNING: The directory"), "its cache can be written to: {said}");
}

#[test]
fn an_honest_role_installs_a_dependency_of_javascript() {
    let Some(person) = Person::new().filter(|_| has_npm()) else { return };
    put(&person.repo.join("dep/package.json"), "{\"name\": \"dep\", \"version\": \"1.0.0\"}\n");
    put(&person.repo.join("package.json"), "{\"name\": \"x\", \"version\": \"1.0.0\"}\n");
    let script = "set -e; (cd dep && npm pack --offline); npm install --offline ./dep/dep-1.0.0.tgz; \
                  test -f node_modules/dep/package.json; npm config get save";
    let (exit, said) = person.sh(person.of_role(&[]), script);
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(person.home.join(".npm/_cacache").is_dir(), "in the person's own cache");
}

#[test]
fn an_honest_role_installs_a_dependency_of_rust_and_of_go() {
    let Some(mut person) = Person::new().filter(|_| has_go()) else { return };
    let tools = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let real = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    person.vars.push(("RUSTUP_HOME".into(), tools.unwrap_or_else(|| real.join(".rustup")).into()));
    put(
        &person.repo.join("Cargo.toml"),
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    put(&person.repo.join("src/lib.rs"), "");
    put(&person.repo.join("dep/Cargo.toml"), "[package]\nname = \"dep\"\nversion = \"0.1.0\"\n[workspace]\n");
    put(&person.repo.join("dep/src/lib.rs"), "");
    let script = "set -e; cargo add --offline --path dep; cargo build --offline";
    let (exit, said) = person.sh(person.of_role(&[]), script);
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(!said.contains("warning: failed") && !said.contains("Read-only"), "{said}");
    put(&person.repo.join("go/go.mod"), "module x\n\ngo 1.18\n\nrequire y v0.0.0\nreplace y => ./y\n");
    put(&person.repo.join("go/y/go.mod"), "module y\n\ngo 1.18\n");
    put(&person.repo.join("go/y/y.go"), "package y\n");
    put(&person.repo.join("go/x.go"), "package x\n\nimport _ \"y\"\n");
    let script =
        "set -e; cd go; GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local go build ./...; go env GOCACHE";
    let (exit, said) = person.sh(person.of_role(&[]), script);
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(person.home.join(".cache/go-build").is_dir(), "in the person's own cache");
}

pub const TEST: &str = "test: python3 -m unittest discover -s tests -t .\n";

/// What a hostile role of a whole run tries; each action that goes through leaves its number.
const ACTIONS: &str = "grep -q . \"$HOME/.ssh/key\" && echo 1 >> ../actions; echo evil >> \"$HOME/.bashrc\" && echo 2 >> ../actions; \
                     grep -q . \"$HOME/.netrc\" && echo 3 >> ../actions; true";

/// `tdd` for a person whose home holds the repository, with secrets of theirs.
pub fn at_home(place: &Sandbox, settings: &str) -> (PathBuf, std::process::Command) {
    let home = place.repo().parent().unwrap().canonicalize().unwrap();
    for (path, text) in [(".ssh/key", SECRET), (".netrc", SECRET), (".bashrc", "# theirs\n")] {
        put(&home.join(path), text);
    }
    std::fs::create_dir_all(home.join("tmp")).unwrap();
    place.write("tdd.yaml", settings);
    place.commit();
    let mut command = place.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("HOME", &home).env("TMPDIR", home.join("tmp")).env_remove("TDD_SANDBOX");
    (home, command)
}

#[test]
fn ac_tdd_8_10_a_run_says_what_is_open_and_who_has_opened_it() {
    left_to_the_night!();
    if !has_bwrap() || !has_python() {
        return;
    }
    for (settings, words, actions) in [
        (
            "sandbox: enforce\n",
            "home read-only, caches writable, credentials out of sight, network open; reading",
            "",
        ),
        (
            "sandbox: { level: enforce, home: rw, network: off, hide: ['!~/.ssh'] }\n",
            "home writable, credentials out of sight, network open to agents alone; opened by tdd.yaml: home, ~/.ssh",
            "12",
        ),
        (
            "sandbox: { hide: [] }\n",
            "home read-only, caches writable, credentials in sight, network open; opened by tdd.yaml: credentials",
            "13",
        ),
        ("sandbox: audit\n", "nothing is prevented: home, credentials and network are open", "123"),
    ] {
        let place = super::cycle::shop();
        let (home, mut command) = at_home(&place, &format!("{TEST}{settings}"));
        let action = ACTIONS.replace("../actions", "actions");
        let cassette = super::isolation::cassette(&place, &action);
        let ran = Ran::of(&command.args(["STE-1", "--cassette", &cassette]).output().unwrap()).expect(0);
        let first: String = ran.stderr.lines().take(4).collect();
        assert!(first.contains(words), "{settings}: {first}");
        let done = std::fs::read_to_string(place.path("actions")).unwrap_or_default().replace('\n', "");
        assert_eq!(done, actions, "{settings}");
        let is_evil = std::fs::read_to_string(home.join(".bashrc")).unwrap().contains("evil");
        assert_eq!(is_evil, actions.contains('2'), "{settings}");
        let mut doctor = at_home(&place, &format!("{TEST}{settings}")).1;
        let said = Ran::of(&doctor.arg("doctor").output().unwrap());
        let said = said.stdout + &said.stderr;
        let (open, _) = words.split_once("; reading").unwrap_or((words, ""));
        assert!(said.contains(open), "{settings}: {said}");
    }
}

/// The agent of a run reads and renews its log-in through the link in its private folder, and nothing else.
#[test]
fn the_agent_of_a_run_keeps_its_log_in() {
    if !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    let table = "agents:\n  mine:\n    argv: [sh, agent.sh, '{prompt_file}']\n    uses_home: [.mine]\n    \
                 state_dirs: { MY_HOME: { of: .my, carry: [auth.json] } }\n";
    place.write(
        "agent.sh",
        "grep -q old \"$MY_HOME/auth.json\" && echo new > \"$MY_HOME/auth.json\"\n\
         echo kept > \"$HOME/.mine/state\"\necho evil > \"$HOME/.my/settings\"\n\
         grep -q . \"$HOME/.ssh/key\" && echo stolen > \"$HOME/.mine/stolen\"\n",
    );
    let (home, mut command) = at_home(&place, &format!("{TEST}sandbox: enforce\nagent: mine\n{table}"));
    put(&home.join(".my/auth.json"), "old\n");
    let ran = Ran::of(&command.arg("STE-1").output().unwrap()).expect(1);
    assert!(ran.stderr.contains("it may use of your home: ~/.mine"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(home.join(".my/auth.json")).unwrap(), "new\n");
    assert_eq!(std::fs::read_to_string(home.join(".mine/state")).unwrap(), "kept\n");
    assert!(!home.join(".my/settings").exists() && !home.join(".mine/stolen").exists());
}

/// A command that takes no selection runs in a copy beside the repository, which lies in the home then.
#[test]
fn a_copy_of_a_tree_that_lies_in_the_home_can_be_written_to() {
    let more = |base: &Path| put(&base.join("home/code/tdd-copy-1/sub/a.py"), "");
    let Some(mut person) = Person::with(&Reach::default(), "home/code/repo", more) else { return };
    let place = person.home.join("code/tdd-copy-1/sub");
    let fence = || person.fences.for_commands(&person.base.join("work"), &place).enclosure;
    let (copy, beside) = (fence(), fence());
    person.repo = place;
    assert_eq!(person.sh(copy, "echo x > by-product && echo x > ../top").0, Exit::Code(0));
    assert!(!person.sh(beside, "echo evil > ../../beside").0.is_success());
}

#[test]
fn tools_of_each_language_work_in_a_closed_home() {
    left_to_the_night!();
    if !has_bwrap() || !has_go() || !has_node() {
        return;
    }
    for (fixture, requirement) in battery::part([("demo", "DEMO-1"), ("go", "GO-1"), ("node", "NODE-1")], 1) {
        let place = Sandbox::of_fixture(fixture);
        let cassette = super::sandbox::fixtures().join("cassettes").join(format!("{fixture}.yaml"));
        let ran = place.tdd(&[requirement, "--sandbox", "enforce", "--cassette", cassette.to_str().unwrap()]);
        ran.expect(0);
    }
}

/// Everything below a folder, by its path from there.
fn below(folder: &Path) -> Vec<String> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build().map(Result::unwrap);
    let mut paths: Vec<String> =
        walk.map(|entry| entry.path().strip_prefix(folder).unwrap().display().to_string()).collect();
    paths.sort();
    paths
}

/// A home that has none of the folders in which programs keep what they fetch.
#[test]
fn a_run_makes_no_folder_in_the_home_that_its_project_needs_not_and_takes_its_own_along() {
    left_to_the_night!();
    if !has_bwrap() || !has_python() || !has_npm() {
        return;
    }
    let sandbox = super::cycle::shop();
    let home = sandbox.beside("home");
    // What is there while a role works, and what is left of what it keeps there.
    for (files, keeps, made, left) in [
        (&[][..], "true", vec![".cache"], vec![]),
        (&["web/package.json"], "echo x >~/.npm/kept", vec![".cache", ".npm"], vec![".npm", ".npm/kept"]),
    ] {
        for file in files {
            sandbox.write(file, "{}\n");
        }
        let looks = format!("  run: [sh, -c, \"ls -A ~ >seen.txt; {keeps}\"]\n  write:\n    shop.py: |");
        let cassette = super::cycle::honest_shop_cassette();
        let cassette = cassette.replacen("  write:\n    shop.py: |", &looks, 1);
        std::fs::write(sandbox.beside("cassette.yaml"), cassette).unwrap();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let cassette = sandbox.beside("cassette.yaml");
        command.args(["STE-1", "--new", "--cassette"]).arg(cassette).env("TDD_SANDBOX", "enforce");
        Ran::of(&command.output().unwrap()).expect(0);
        assert_eq!(sandbox.read("seen.txt").lines().collect::<Vec<_>>(), made, "{files:?}");
        assert_eq!(below(&home)[1..], left, "{files:?}");
        let ours = std::fs::read_dir(sandbox.beside("")).unwrap().flatten().map(|entry| entry.file_name());
        let ours: Vec<OsString> = ours.filter(|name| name.to_string_lossy().starts_with("tdd-")).collect();
        assert!(ours.is_empty(), "{ours:?}");
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    }
}
