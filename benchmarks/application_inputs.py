"""Definitions of applications: programs (sources.py) with inputs, and the motif that models each input.

A definition is a file benchmarks/applications/NAME.toml. To the keys of a program it adds

| key | |
| --- | --- |
| `program` | the command line, without mpirun |
| `motif` | the motif that makes the same calls, with its options; without one, only its recorded workload is compared |
| `files` | files in the directory where the program runs: name = text |
| `prepare` | a command for bash, which runs there once before the launches |
| `ranks` | numbers of ranks on which the program can run, each with values: `{ 2 = { grid = "2 1" } }`; default: any |
| `values` | text for the words in braces in all of these: {cells} |
| `labs` | true: compared on labs only, false: on other targets only; default: on all. Naming the input overrides it |
| `from`, `to`, `pcontrol`, `whole`, `any_tag`, `iterations`, `computation` | options of `stressbench validate` |
| `inputs` | tables, each with a `name` and any of the keys above |

What an input does not state is that of the application; its values are added to those of the application. {build} is
the directory in which the program was built, and {ranks} the number of ranks.

"""

import dataclasses
import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pydantic
import sources

FOLDER = Path(__file__).resolve().parent / "applications"
WORD = re.compile(r"\{([a-z_]+)\}")

Value = str | int | float
Values = Mapping[str, Value]


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Settings:
    """How a program runs and how it is compared; None where that is stated elsewhere."""

    program: str | None = None
    motif: str | None = None
    files: Mapping[str, str] | None = None
    prepare: str | None = None
    ranks: Mapping[int, Values] | None = None
    values: Values = pydantic.Field(default_factory=dict)
    labs: bool | None = None
    first: str | None = pydantic.Field(default=None, alias="from")
    last: str | None = pydantic.Field(default=None, alias="to")
    pcontrol: bool | None = None
    whole: bool | None = None
    any_tag: bool | None = None
    iterations: int | None = pydantic.Field(default=None, gt=0)
    computation: Literal["sequence", "measured", "mean", "own"] | None = None

    def completed_by(self, general: "Settings") -> "Settings":
        """These settings; what they leave open is that of `general`."""
        chosen: dict[str, Any] = {}
        for one in dataclasses.fields(Settings):
            mine, theirs = getattr(self, one.name), getattr(general, one.name)
            chosen[one.name] = {**theirs, **mine} if one.name == "values" else theirs if mine is None else mine
        return Settings(**{{"first": "from", "last": "to"}.get(name, name): value for name, value in chosen.items()})


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Input(Settings):
    """A problem that a program solves."""

    name: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Application(sources.Source, Settings):
    """A program with its inputs."""

    inputs: tuple[Input, ...] = pydantic.Field(min_length=1)


@dataclass(frozen=True, kw_only=True)
class Case:
    """An input on a number of ranks. Its texts still contain {build}.

    `options`: those of `stressbench validate`; `matching`: those by which the calls of a motif are found, which a
    replay does not have. `refused`: why it cannot run on this number of ranks; then it has no program.
    """

    key: str
    application: Application
    ranks: int
    program: tuple[str, ...]
    motif: tuple[str, ...]
    files: Mapping[str, str]
    prepare: str
    options: tuple[str, ...]
    matching: tuple[str, ...]
    computation: str | None
    refused: str = ""

    @property
    def fingerprint(self) -> str:
        """Changes if the input or the comparison does. The program has a fingerprint of its own."""
        parts = [self.application.packages, self.ranks, self.program, self.motif, self.prepare, self.computation]
        text = repr([*parts, sorted(self.files.items()), self.options, self.matching])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def definitions(folder: Path = FOLDER) -> dict[str, Application]:
    """All applications by the names of their files. Raises SourceMistake."""
    found = {}
    for path in sorted(folder.glob("*.toml")):
        application = sources.read_definition(path, Application)
        names = [one.name for one in application.inputs]
        if twice := {name for name in names if names.count(name) > 1}:
            raise sources.SourceMistake(f"{path}: two inputs are named {twice.pop()}")
        found[path.stem] = application
    return found


def select(applications: Mapping[str, Application], names: Sequence[str]) -> list[tuple[str, Application, Input]]:
    """Key, application and input for each of `names`, APPLICATION or APPLICATION/INPUT; all without names."""
    every = {
        f"{name}/{one.name}": (application, one)
        for name, application in applications.items()
        for one in application.inputs
    }
    chosen: dict[str, tuple[Application, Input]] = {}
    for name in names or applications:
        found = {key: pair for key, pair in every.items() if name in (key, key.split("/")[0])}
        if not found:
            application = name.split("/")[0]
            known = [key for key in every if key.split("/")[0] == application] or list(applications)
            raise sources.SourceMistake(f"there is no application or input {name}; there are {', '.join(known)}")
        chosen |= found
    return [(key, application, one) for key, (application, one) in chosen.items()]


def suited(
    chosen: Sequence[tuple[str, Application, Input]], names: Sequence[str], *, on_lab: bool
) -> list[tuple[str, Application, Input]]:
    """Those of `chosen` that are compared on labs, or on other targets, and all that `names` has as keys."""
    return [
        (key, application, one)
        for key, application, one in chosen
        if key in names or one.completed_by(application).labs in (None, on_lab)
    ]


def case_of(key: str, application: Application, one: Settings, ranks: int) -> Case:
    """The input on `ranks` ranks, or on the next larger number on which the program can run. Raises SourceMistake.

    If there is none, the case says so as `refused`.
    """
    settings = one.completed_by(application)
    if settings.ranks is not None:
        possible = [number for number in sorted(settings.ranks) if number >= ranks]
        if not possible:
            numbers = ", ".join(map(str, sorted(settings.ranks)))
            return Case(
                key=key, application=application, ranks=ranks, program=(), motif=tuple((settings.motif or "").split()),
                files={}, prepare="", options=(), matching=(), computation=None,
                refused=f"it runs on {numbers} ranks, not on {ranks}",
            )  # fmt: skip
        ranks = possible[0]
    if not settings.program:
        raise sources.SourceMistake(f"{key}: program is missing")
    values = {"ranks": ranks, **settings.values, **(settings.ranks or {}).get(ranks, {})}

    def text(template: str | None) -> str:
        return WORD.sub(lambda match: _value(match[1], values, key), template or "")

    return Case(
        key=key, application=application, ranks=ranks,
        program=tuple(shlex.split(text(settings.program))), motif=tuple(text(settings.motif).split()),
        files={name: text(content).lstrip("\n") for name, content in (settings.files or {}).items()},
        prepare=text(settings.prepare), options=tuple(_options(settings)), matching=tuple(_matching(settings)),
        computation=settings.computation,
    )  # fmt: skip


def _value(name: str, values: Values, key: str) -> str:
    if name == "build":
        return "{build}"
    if name not in values:
        raise sources.SourceMistake(f"{key}: {{{name}}} has no value")
    return str(values[name])


def _options(settings: Settings) -> Iterator[str]:
    if settings.iterations is not None:
        yield from ("--iterations", str(settings.iterations))
    if settings.pcontrol:
        yield "--pcontrol"
    if settings.whole:
        yield "--whole"


def _matching(settings: Settings) -> Iterator[str]:
    for option, pattern in (("--from", settings.first), ("--to", settings.last)):
        if pattern is not None:
            yield from (option, pattern)
    if settings.any_tag:
        yield "--any-tag"
