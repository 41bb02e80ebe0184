"""Brings sources of published versions out of the registries, through the registries' own clients."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path


class Unavailable(Exception):
    """The registry, or its client, is not there or does not have it: no fault of `tdd`."""


def call(argv, cwd, seconds=600, env=None):
    """Runs a client and gives its stdout."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise Unavailable(f"{argv[0]}: {trouble}") from trouble
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise Unavailable(f"{' '.join(argv[:3])}: {''.join(last)}")
    return done.stdout


def unpack(archive, into):
    """Unpacks a tarball without its one folder above everything."""
    with tempfile.TemporaryDirectory(dir=into.parent) as folder, tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.startswith("/") or ".." in Path(member.name).parts:
                raise Unavailable(f"{archive.name} holds {member.name}")
        tar.extractall(folder)
        inside = list(Path(folder).iterdir())
        top = inside[0] if len(inside) == 1 and inside[0].is_dir() else Path(folder)
        shutil.copytree(top, into, symlinks=True, dirs_exist_ok=True)


def kept(downloads, pattern):
    """A file of an earlier download."""
    return next(iter(sorted(downloads.glob(pattern))), None)


@dataclass(frozen=True)
class Pypi:
    """An sdist."""

    name: str
    version: str

    def bring(self, downloads, into):
        pattern = f"{self.name.replace('-', '?')}-{self.version}.tar.gz"
        if kept(downloads, pattern) is None:
            wanted = f"{self.name}=={self.version}"
            pip = ["python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            call([*pip, "--no-binary", ":all:", "--dest", str(downloads), wanted], downloads)
        archive = kept(downloads, pattern)
        if archive is None:
            raise Unavailable(f"pip brought no {pattern}")
        unpack(archive, into)


@dataclass(frozen=True)
class Npm:
    """A package's tarball."""

    name: str
    version: str

    def bring(self, downloads, into):
        pattern = f"{self.name.lstrip('@').replace('/', '-')}-{self.version}.tgz"
        if kept(downloads, pattern) is None:
            call(["npm", "pack", "--silent", f"{self.name}@{self.version}"], downloads)
        unpack(downloads / pattern, into)


@dataclass(frozen=True)
class Crate:
    """A crate as it was published, with the manifest that its author wrote."""

    name: str
    version: str

    def bring(self, _downloads, into):
        home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
        with tempfile.TemporaryDirectory() as outside:
            call(["cargo", "info", "--quiet", f"{self.name}@{self.version}"], outside)
        archive = kept(home / "registry" / "cache", f"*/{self.name}-{self.version}.crate")
        if archive is None:
            raise Unavailable(f"cargo keeps no {self.name} {self.version}")
        unpack(archive, into)
        original = into / "Cargo.toml.orig"
        if original.exists():
            original.replace(into / "Cargo.toml")
        for own in (".cargo_vcs_info.json", ".cargo-ok"):
            (into / own).unlink(missing_ok=True)


@dataclass(frozen=True)
class Debian:
    """The upstream tarball of a source package, without Debian's patches."""

    name: str
    suite: str = "bookworm"

    def bring(self, downloads, into):
        folder = downloads / f"debian-{self.suite}"
        apt = private_apt(folder, self.suite)
        archive = kept(folder, f"{self.name}_*.orig.tar.*")
        if archive is None:
            call(["apt-get", *apt, "-q", "source", "--tar-only", self.name], folder)
            archive = kept(folder, f"{self.name}_*.orig.tar.*")
        if archive is None:
            raise Unavailable(f"apt-get brought no {self.name}")
        unpack(archive, into)


def private_apt(folder, suite):
    """Options of apt-get for sources, without touching the system's lists. Fetches the list once."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    lists, cache, source = folder / "lists", folder / "cache", folder / "sources.list"
    options = [
        f"Dir::Etc::sourcelist={source}",
        "Dir::Etc::sourceparts=/dev/null",
        f"Dir::State::lists={lists}",
        f"Dir::Cache={cache}",
    ]
    argv = [word for option in options for word in ("-o", option)]
    if not (folder / "fetched").exists():
        for needed in (lists / "partial", cache / "archives" / "partial"):
            needed.mkdir(parents=True, exist_ok=True)
        source.write_text(f"deb-src [signed-by={keys}] {mirror()} {suite} main\n")
        call(["apt-get", *argv, "-q", "update"], folder)
        (folder / "fetched").touch()
    return argv


def mirror():
    """Where this machine's own apt brings Debian's packages from."""
    argv = ["apt-get", "indextargets", "--format", "$(SITE) $(ORIGIN)", "Created-By: Packages"]
    for line in call(argv, Path.cwd()).splitlines():
        site, _, origin = line.partition(" ")
        if origin in ("Debian", "") and "security" not in site:
            return site
    raise Unavailable("this machine's apt knows no mirror of Debian")
