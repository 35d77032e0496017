"""Public programs that benchmarks run: definitions in TOML files, and how their sources are fetched and built.

Every definition states where a program comes from and how it is built; a benchmark adds keys of its own:

    name = "TeaLeaf"
    repository = "https://github.com/UK-MAC/TeaLeaf_ref"
    commit = "019aa2f7da9df9559e6a0890d14f961738711ca7"
    packages = ["gfortran"]
    build = "make COMPILER=GNU"

`packages` are Debian packages beyond those that scripts/test.sh installs. `build` runs in bash in a checkout of the
commit, with the compilers of Open MPI as mpicc, mpicxx and mpif90. A program without `repository` comes from its
packages. No source of these programs is part of this repository. Two more keys are seldom needed: `paths` are the
only ones to check out, and `added` are files next to the definition that are copied into the checkout before the build.

"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pydantic

from stressbench.console.escaping import escaped

DEFAULT_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stressbench" / "programs"
COMPILERS = {"mpicc": "mpicc.openmpi", "mpicxx": "mpicxx.openmpi", "mpif90": "mpif90.openmpi"}
LOG_LINES = 20

strict = pydantic.ConfigDict(extra="forbid")
"""Configuration of the dataclasses that definitions are read into."""

T = TypeVar("T")


class SourceMistake(Exception):
    """A definition is invalid, or its program cannot be fetched or built. The message says what to do."""


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=strict)
class Source:
    """Where a program comes from, and how it is built; see above."""

    name: str
    repository: str | None = None
    commit: str | None = pydantic.Field(default=None, pattern="^[0-9a-f]{40}$")
    paths: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    build: str = ""

    @property
    def words(self) -> str:
        """The source for a table of results."""
        return f"{self.repository} at {self.commit}" if self.repository else " ".join(self.packages)


def read_definition(path: Path, kind: type[T]) -> T:
    """The definition in a file. Raises SourceMistake, with the file and the key."""
    try:
        content = tomllib.loads(path.read_text())
        return pydantic.TypeAdapter(kind).validate_python(content)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise SourceMistake(f"{path}: {fault}") from None
    except pydantic.ValidationError as fault:
        first = fault.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise SourceMistake(f"{path}: {key}: {first['msg']}") from None


@dataclass(frozen=True, kw_only=True)
class Programs:
    """Checkouts of programs below `cache`, where they are built once.

    `sources` is a directory with repositories that are used instead of fetching them, as OWNER/NAME, OWNER+NAME or
    NAME, with or without a work tree. `beside` is the directory of the definitions, with the files that they add.
    """

    cache: Path = DEFAULT_CACHE
    sources: Path | None = None
    beside: Path = Path()

    def built(self, source: Source) -> Path:
        """The directory in which the program is built. Fetches and builds it if that was not done before.

        Raises SourceMistake if a package is missing, or a step fails.
        """
        self._require_packages(source)
        folder = self.folder_of(source)
        if self.is_built(source):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if source.repository:
            self._check_out(source, folder)
        for name in source.added:
            shutil.copy(self.beside / name, folder)
        self._build(source, folder)
        folder.with_suffix(".built").touch()
        return folder

    def folder_of(self, source: Source) -> Path:
        """The directory in which the program is built. Raises SourceMistake."""
        return self.cache / f"{source.name.replace(' ', '-')}-{self.fingerprint(source)}"

    def is_built(self, source: Source) -> bool:
        """Whether the program was built completely. Raises SourceMistake."""
        return self.folder_of(source).with_suffix(".built").exists()

    def fingerprint(self, source: Source) -> str:
        """Changes if the program does: its commit, its build, or a file that is added. Raises SourceMistake."""
        text = f"{source.repository} {source.commit} {source.paths} {source.build}"
        try:
            added = [(self.beside / name).read_bytes() for name in source.added]
        except OSError as fault:
            raise SourceMistake(f"{source.name}: {fault.filename}: {fault.strerror}") from None
        return hashlib.sha256(b"\0".join([text.encode(), *added])).hexdigest()[:12]

    @staticmethod
    def _require_packages(source: Source) -> None:
        if shutil.which("dpkg-query") is None:
            return
        missing = [name for name in source.packages if not _is_installed(name)]
        if missing:
            raise SourceMistake(f"{source.name} needs packages: apt-get install {' '.join(missing)}")

    def _check_out(self, source: Source, folder: Path) -> None:
        if source.repository is None or source.commit is None:
            raise SourceMistake(f"{source.name}: repository and commit belong together")
        local = self._local(source.repository)
        sys.stderr.write(f"{source.name}: fetching {local or source.repository} ...\n")
        git = ["git", "-c", "advice.detachedHead=false", "-c", "safe.directory=*", "-C", str(folder)]

        def run(*command: str) -> None:
            _run([*git, *command], folder, f"{source.name}: {shlex.join(command)}")

        run("init", "--quiet")
        if local:
            _share_objects(local, folder)
        else:
            run("remote", "add", "origin", source.repository)
            run("fetch", "--quiet", "--depth", "1", "--filter", "blob:none", "origin", source.commit)
        if source.paths:
            run("sparse-checkout", "set", "--no-cone", *(f"/{name}" for name in source.paths))
        run("checkout", "--quiet", source.commit)
        lacking = subprocess.run([*git, "ls-files", "--deleted"], capture_output=True, text=True, check=True).stdout
        if lacking:  # git reports success
            raise SourceMistake(f"{source.name}: {local or source.repository} lacks {lacking.splitlines()[0]}")

    def _local(self, repository: str) -> Path | None:
        if self.sources is None:
            return None
        owner, name = repository.removesuffix(".git").rsplit("/", 2)[1:]
        for candidate in (f"{owner}+{name}", f"{owner}/{name}", name):
            for folder in (self.sources / candidate / "repo", self.sources / candidate):
                if (folder / "HEAD").exists() or (folder / ".git").exists():
                    return folder.resolve()
        raise SourceMistake(f"{self.sources} has no repository {owner}/{name}, {owner}+{name} or {name}")

    @staticmethod
    def _build(source: Source, folder: Path) -> None:
        if not source.build:
            return
        sys.stderr.write(f"{source.name}: building in {folder} ...\n")
        compilers = folder.with_suffix(".compilers")
        compilers.mkdir(exist_ok=True)
        for name, program in COMPILERS.items():
            path = shutil.which(program) or shutil.which(name)
            if path and not (compilers / name).exists():
                (compilers / name).symlink_to(path)
        environment = {**os.environ, "PATH": f"{compilers}:{os.environ['PATH']}"}
        _run(["bash", "-e", "-c", source.build], folder, f"{source.name}: build", environment)


def _share_objects(repository: Path, folder: Path) -> None:
    """Let the repository in `folder` read the objects of another one, also of one that lacks some of them."""
    query = ["git", "-c", "safe.directory=*", "-C", str(repository), "rev-parse", "--git-path", "objects"]
    found = subprocess.run(query, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise SourceMistake(f"{repository} is not a repository of git: {escaped(found.stderr.strip())}")
    objects = (repository / found.stdout.strip()).resolve()
    (folder / ".git" / "objects" / "info" / "alternates").write_text(f"{objects}\n")


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package]
    return subprocess.run(query, capture_output=True, text=True, check=False).stdout.startswith("ii")


def _run(command: list[str], folder: Path, what: str, environment: dict[str, str] | None = None) -> None:
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        status = subprocess.run(command, cwd=folder, env=environment, stdout=output, stderr=output, check=False)
    if status.returncode != 0:
        tail = escaped("\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES:]))
        raise SourceMistake(f"{what} failed ({log}):\n{tail}")
