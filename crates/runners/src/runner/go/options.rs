//! The arguments of a `go test`: what they build, what they choose, what would hide a result.

/// A person's arguments, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Tags, race detector, modules: what makes it the same build.
    pub(super) build: Vec<String>,
    /// For the test binaries: `-short`, `-timeout`, `-parallel`.
    pub(super) run: Vec<String>,
    /// `-run` and `-skip` with their patterns.
    pub(super) filters: Vec<String>,
    pub(super) packages: Vec<String>,
    /// What stands behind `-args`, with it.
    pub(super) tail: Vec<String>,
    /// Whether the command has vet look at the packages first.
    pub(super) vets: bool,
}

/// How many errors the compiler is to tell of in a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errors {
    /// Ten, as it does by itself.
    First,
    All,
}

/// Options of the build that take a value of their own.
const BUILD_VALUED: &[&str] = &[
    "p",
    "mod",
    "modfile",
    "tags",
    "ldflags",
    "asmflags",
    "gcflags",
    "gccgoflags",
    "compiler",
    "buildmode",
    "pkgdir",
    "installsuffix",
    "toolexec",
    "pgo",
    "buildvcs",
];
const BUILD: &[&str] = &["race", "msan", "asan", "trimpath", "modcacherw", "linkshared", "a"];
const RUN_VALUED: &[&str] = &["timeout", "parallel", "cpu", "shuffle"];
const RUN: &[&str] = &["short"];
const FILTERS: &[&str] = &["run", "skip"];
/// What only shows, measures, stops early, or makes a second run of an old result.
const DROPPED_VALUED: &[&str] = &[
    "count",
    "vet",
    "coverprofile",
    "covermode",
    "coverpkg",
    "cpuprofile",
    "memprofile",
    "memprofilerate",
    "blockprofile",
    "blockprofilerate",
    "mutexprofile",
    "mutexprofilefraction",
    "trace",
    "outputdir",
    "benchtime",
    "verification",
    "fuzztime",
    "fuzzminimizetime",
];

impl Options {
    pub(super) fn read(args: &[String]) -> Self {
        let mut options = Self { vets: true, ..Self::default() };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let flag = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-'));
            let Some(flag) = flag.filter(|flag| !flag.is_empty()) else {
                options.packages.push(arg.clone());
                continue;
            };
            let (name, inline) = flag.split_once('=').map_or((flag, None), |(n, v)| (n, Some(v.to_owned())));
            let name = name.strip_prefix("test.").unwrap_or(name);
            if name == "args" {
                options.tail.push(arg.clone());
                options.tail.extend(rest.by_ref().cloned());
                break;
            }
            let valued =
                [BUILD_VALUED, RUN_VALUED, FILTERS, DROPPED_VALUED].iter().any(|set| set.contains(&name));
            let value = if valued { inline.clone().or_else(|| rest.next().cloned()) } else { inline.clone() };
            if name == "vet" {
                options.vets = value.as_deref() != Some("off");
            }
            let whole = value.map_or_else(|| format!("-{name}"), |value| format!("-{name}={value}"));
            if BUILD_VALUED.contains(&name) || BUILD.contains(&name) {
                options.build.push(whole);
            } else if RUN_VALUED.contains(&name) || RUN.contains(&name) {
                options.run.push(whole);
            } else if FILTERS.contains(&name) {
                options.filters.push(whole);
            }
        }
        if options.packages.is_empty() {
            options.packages.push(".".to_owned());
        }
        options
    }

    /// How often each test is run: once for each value of `-cpu`.
    pub(super) fn times(&self) -> usize {
        let cpu = self.run.iter().rev().find_map(|option| option.strip_prefix("-cpu="));
        cpu.map_or(1, |cpu| cpu.split(',').count())
    }

    /// With all errors of a package, not the first ten, if they are wanted and the person's own flags for
    /// the compiler do not stand in the way: what is built so is built anew.
    pub(super) fn building(&self, errors: Errors) -> Vec<String> {
        let mut args = self.build.clone();
        if errors == Errors::All && !args.iter().any(|arg| arg.starts_with("-gcflags")) {
            args.push("-gcflags=-e".to_owned());
        }
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_builds_and_chooses_is_kept_and_what_hides_goes() {
        let words =
            "-v --race -tags a,b -count=3 -run TestA -failfast -short -timeout=5s -json ./... x -args -v y";
        let options = Options::read(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(options.build.join(" "), "-race -tags=a,b");
        assert_eq!(options.run.join(" "), "-short -timeout=5s");
        assert_eq!(options.filters.join(" "), "-run=TestA");
        assert_eq!(options.packages.join(" "), "./... x");
        assert_eq!(options.tail.join(" "), "-args -v y");
        assert_eq!(options.building(Errors::First).join(" "), "-race -tags=a,b");
        assert_eq!(options.building(Errors::All).join(" "), "-race -tags=a,b -gcflags=-e");
        let none = Options::read(&[]);
        assert_eq!((none.packages.join(" "), none.times(), none.vets), (".".to_owned(), 1, true));
        let words = ["-cpu", "1,2,4", "-vet=off"].map(str::to_owned);
        assert_eq!((Options::read(&words).times(), Options::read(&words).vets), (3, false));
    }
}
