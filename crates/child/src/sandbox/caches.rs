//! Where tools keep what they can fetch again. A list: what is not in it is not known.

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
