//! Where people keep what is nobody's business, and where tools keep what they can fetch again. Lists: what
//! is not in them is not known.

/// Credentials, and what is as good as credentials: keys, log-ins, browsers' profiles, keyrings, what was
/// typed in a shell. Below the person's home; [`NAMED`] has those that a variable moves.
pub(super) const CREDENTIALS: &[&str] = &[
    // Keys and log-ins of the system's own tools.
    ".ssh",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".password-store",
    ".pgpass",
    ".mylogin.cnf",
    ".config/sops",
    ".config/age",
    ".config/rclone",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/python_keyring",
    "Library/Keychains",
    "Library/Cookies",
    // Forges and git.
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/tea",
    // Clouds and clusters.
    ".aws",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".oci",
    ".kube",
    ".docker/config.json",
    ".docker/contexts",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/hcloud",
    ".config/linode-cli",
    ".config/scw",
    ".config/stripe",
    ".config/netlify",
    ".config/.wrangler",
    ".wrangler",
    ".config/configstore/firebase-tools.json",
    ".local/share/com.vercel.cli",
    ".fly/config.yml",
    ".railway",
    ".supabase/access-token",
    ".databrickscfg",
    ".snowflake",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".pulumi/credentials.json",
    ".cloudflared",
    // Registries: files that hold log-ins and nothing that an installation needs.
    ".pypirc",
    ".config/pypoetry/auth.toml",
    ".gem/credentials",
    ".local/share/gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".kaggle",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    // Password managers, browsers, mail, talk.
    ".config/op",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".mozilla",
    ".config/mozilla",
    ".thunderbird",
    ".zen",
    ".librewolf",
    ".waterfox",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".cache/mozilla",
    ".cache/google-chrome",
    ".cache/chromium",
    ".cache/BraveSoftware",
    ".cache/microsoft-edge",
    "snap/firefox",
    "snap/chromium",
    ".var/app",
    ".config/Slack",
    ".config/discord",
    ".config/Signal",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".python_history",
    ".node_repl_history",
    ".rediscli_history",
    // Agents' log-ins, and what was said to them; each agent of a run is lent its own.
    ".claude.json",
    ".claude/.credentials.json",
    ".claude/projects",
    ".claude/history.jsonl",
    ".codex/auth.json",
    ".codex/sessions",
    ".codex/history.jsonl",
    ".gemini/oauth_creds.json",
    ".gemini/google_accounts.json",
    ".gemini/tmp",
    ".local/share/opencode",
    ".pi/agent/auth.json",
    ".pi/agent/sessions",
    ".config/github-copilot",
    ".copilot",
    ".config/cursor",
    ".cursor",
    ".config/goose",
    ".qwen/oauth_creds.json",
    ".local/share/amp",
    ".codeium",
];

/// Variables that name such a place, and what of it counts; an empty text is all of it.
pub(super) const NAMED: &[(&str, &[&str])] = &[
    ("AWS_CONFIG_FILE", &[""]),
    ("AWS_SHARED_CREDENTIALS_FILE", &[""]),
    ("AZURE_CONFIG_DIR", &[""]),
    ("CARGO_HOME", &["credentials", "credentials.toml"]),
    ("CLAUDE_CONFIG_DIR", &[".credentials.json", ".claude.json", "projects", "history.jsonl"]),
    ("CLOUDSDK_CONFIG", &[""]),
    ("CODEX_HOME", &["auth.json", "sessions", "history.jsonl"]),
    ("COMPOSER_HOME", &["auth.json"]),
    ("DOCKER_CONFIG", &["config.json", "contexts"]),
    ("GH_CONFIG_DIR", &[""]),
    ("GNUPGHOME", &[""]),
    ("GOOGLE_APPLICATION_CREDENTIALS", &[""]),
    ("HF_HOME", &["token", "stored_tokens"]),
    ("KUBECONFIG", &[""]),
    ("NETRC", &[""]),
    ("PASSWORD_STORE_DIR", &[""]),
    ("PGPASSFILE", &[""]),
    ("PI_CODING_AGENT_DIR", &["auth.json", "sessions"]),
];

/// Folders that a variable moves out of the home, and where they are without it.
pub(super) const MOVED: &[(&str, &str)] =
    &[("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".local/share"), ("XDG_CACHE_HOME", ".cache")];

/// An agent that signs in through a cloud, by the variable that says so, and the log-in that it then needs.
pub(super) const CLOUD_LOGINS: &[(&str, &str)] = &[
    ("CLAUDE_CODE_USE_BEDROCK", ".aws"),
    ("CLAUDE_CODE_USE_VERTEX", ".config/gcloud"),
    ("CLAUDE_CODE_USE_FOUNDRY", ".azure"),
    ("GOOGLE_GENAI_USE_VERTEXAI", ".config/gcloud"),
];

/// Sockets of programs that do what they are told with all that is the person's, or root's.
pub(super) const SOCKETS: &[&str] = &[
    "/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/podman/podman.sock",
    "/run/libvirt/libvirt-sock",
    "/var/snap/lxd/common/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
];

/// What runs by itself later. Who is not root can't write to it, since no program gains rights in a sandbox.
pub(super) const TIMETABLES: &[&str] = &[
    "/var/spool/cron",
    "/var/spool/at",
    "/etc/crontab",
    "/etc/cron.d",
    "/etc/cron.hourly",
    "/etc/cron.daily",
    "/etc/cron.weekly",
    "/etc/cron.monthly",
];

/// Whether a cache that is not there yet is made, as its program would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Make {
    /// Where the project has one of these files, or an agent is at work, which keeps things there as well.
    Where(&'static [&'static str]),
    /// If this program is in PATH, and the project has one of these files or calls it.
    With(&'static str, &'static [&'static str]),
    Never,
}

/// Files by which a project says what it is built with; `*` stands for the beginning of any name.
const PYTHON: &[&str] = &["*.py", "pyproject.toml", "requirements.txt"];
const NODE: &[&str] = &["package.json"];
const YARN: &[&str] = &["yarn.lock", ".yarnrc.yml", ".yarnrc"];
const PNPM: &[&str] = &["pnpm-lock.yaml", "pnpm-workspace.yaml"];
const BUN: &[&str] = &["bun.lock", "bun.lockb", "bunfig.toml"];
const DENO: &[&str] = &["deno.json", "deno.jsonc", "deno.lock"];
pub(super) const CARGO: &[&str] = &["Cargo.toml"];
const GO: &[&str] = &["go.mod", "go.work"];
const GRADLE: &[&str] = &["*.gradle", "*.gradle.kts", "gradlew"];
const MAVEN: &[&str] = &["pom.xml"];
const DOTNET: &[&str] = &["*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx"];
const RUBY: &[&str] = &["Gemfile", "*.gemspec"];
/// What keeps anything in the folder that all share.
const ANY_OF_CACHE: &[&str] =
    &["*.py", "pyproject.toml", "requirements.txt", "package.json", "go.mod", "go.work"];

/// One folder that must stay writable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cache {
    /// The variable that says where it is; empty if none does.
    pub(super) variable: &'static str,
    /// Below the variable's folder.
    pub(super) below: &'static str,
    /// Below the home, where the variable says nothing; empty if there is no such place.
    pub(super) default: &'static str,
    pub(super) make: Make,
}

const fn cache(variable: &'static str, below: &'static str, default: &'static str, make: Make) -> Cache {
    Cache { variable, below, default, make }
}

/// Caches of package managers and build tools, temporary folders, and environments that a person has
/// switched on. Folders of programs (`~/.cargo/bin`, `~/go/bin`, `~/.local/bin`) are none of them.
pub(super) const CACHES: &[Cache] = &[
    cache("XDG_CACHE_HOME", "", ".cache", Make::Where(ANY_OF_CACHE)),
    cache("", "", "Library/Caches", Make::Never),
    cache("TMPDIR", "", "", Make::Never),
    cache("TMP", "", "", Make::Never),
    cache("TEMP", "", "", Make::Never),
    // Python
    cache("PIP_CACHE_DIR", "", "", Make::With("pip", PYTHON)),
    cache("UV_CACHE_DIR", "", "", Make::With("uv", PYTHON)),
    cache("POETRY_CACHE_DIR", "", "", Make::With("poetry", PYTHON)),
    cache("PRE_COMMIT_HOME", "", "", Make::With("pre-commit", &[".pre-commit-config.yaml"])),
    cache("WORKON_HOME", "", ".local/share/virtualenvs", Make::Never),
    cache("VIRTUAL_ENV", "", "", Make::Never),
    cache("PYTHONPYCACHEPREFIX", "", "", Make::Never),
    // JavaScript
    cache("npm_config_cache", "", ".npm", Make::With("npm", NODE)),
    cache("NPM_CONFIG_CACHE", "", "", Make::With("npm", NODE)),
    cache("YARN_CACHE_FOLDER", "", ".yarn/berry", Make::With("yarn", YARN)),
    cache("PNPM_HOME", "store", ".local/share/pnpm/store", Make::With("pnpm", PNPM)),
    cache("npm_config_store_dir", "", ".pnpm-store", Make::Never),
    cache("BUN_INSTALL_CACHE_DIR", "", ".bun/install/cache", Make::With("bun", BUN)),
    cache("DENO_DIR", "", "", Make::With("deno", DENO)),
    cache("CYPRESS_CACHE_FOLDER", "", ".config/Cypress", Make::Never),
    cache("PLAYWRIGHT_BROWSERS_PATH", "", "", Make::Never),
    // Rust
    cache("CARGO_HOME", "registry", ".cargo/registry", Make::With("cargo", CARGO)),
    cache("CARGO_HOME", "git", ".cargo/git", Make::With("cargo", CARGO)),
    cache("CARGO_TARGET_DIR", "", "", Make::With("cargo", CARGO)),
    cache("SCCACHE_DIR", "", "", Make::Never),
    // Go
    cache("GOCACHE", "", "", Make::With("go", GO)),
    cache("GOMODCACHE", "", "", Make::With("go", GO)),
    cache("GOPATH", "pkg", "go/pkg", Make::With("go", GO)),
    cache("GOTMPDIR", "", "", Make::Never),
    // The JVM; not the folders themselves, whose init scripts run in every build.
    cache("GRADLE_USER_HOME", "caches", ".gradle/caches", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", "wrapper", ".gradle/wrapper", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", "daemon", ".gradle/daemon", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", "native", ".gradle/native", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", "notifications", ".gradle/notifications", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", "workers", ".gradle/workers", Make::With("gradle", GRADLE)),
    cache("GRADLE_USER_HOME", ".tmp", ".gradle/.tmp", Make::With("gradle", GRADLE)),
    cache("", "", ".m2/repository", Make::With("mvn", MAVEN)),
    cache("", "", ".m2/wrapper", Make::Never),
    cache("", "", ".ivy2", Make::Never),
    cache("", "", ".sbt/boot", Make::Never),
    // The rest
    cache("NUGET_PACKAGES", "", ".nuget/packages", Make::With("dotnet", DOTNET)),
    cache("", "", ".local/share/NuGet", Make::With("dotnet", DOTNET)),
    cache("GEM_HOME", "", ".gem", Make::Never),
    cache("", "", ".local/share/gem", Make::Never),
    cache("", "", ".bundle/cache", Make::With("bundle", RUBY)),
    cache("COMPOSER_CACHE_DIR", "", ".composer/cache", Make::Never),
    cache("PUB_CACHE", "", ".pub-cache", Make::Never),
    cache("", "", ".hex", Make::Never),
    cache("", "", ".cabal/packages", Make::Never),
    cache("CCACHE_DIR", "", ".ccache", Make::Never),
];

/// Files by which cargo locks its caches; they lie beside them.
pub(super) const CARGO_LOCKS: &[&str] = &[".package-cache", ".package-cache-mutate"];

/// Settings that tools need and that may hold tokens as well: shown without the lines that hold one.
pub(super) const MIXED: &[(&str, &str)] = &[("NPM_CONFIG_USERCONFIG", ".npmrc"), ("", ".yarnrc.yml")];
