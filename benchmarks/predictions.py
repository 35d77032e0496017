"""Predictions of slowdowns against co-runs of real programs on labs: errors of all models.

    .venv/bin/python benchmarks/predictions.py benchmarks/predictions/evaluation.toml --list
    .venv/bin/python benchmarks/predictions.py benchmarks/predictions/evaluation.toml -o results
    .venv/bin/python benchmarks/predictions.py benchmarks/predictions/evaluation.toml -o results --continue

A suite is a file with these keys:

| key | |
| --- | --- |
| `about` | what it is for |
| `seed` | of the order of periods, and of the draw of its programs, which `about` describes |
| `labs` | lab files, relative to the suite |
| `ranks` | ranks of a program that states no number of its own |
| `impact`, `compress`, `corun` | options of these commands |
| `triples` | names of labs on which every three programs also run together, in co-runs of their own |
| `programs` | tables: `name`; `input`, APPLICATION/INPUT of benchmarks/applications; `values` in their place; `ranks` |

On each lab, every program is measured on its own (`impact`, `compress`), and then each pair, each program beside a copy
of itself, and each triple run at the same time (`corun matrix`). `predict evaluate` compares the predictions of all
models with these co-runs. -o DIR keeps a directory for each lab with profiles, co-runs and the evaluation, and
--continue reuses each profile that is complete there, and continues with the co-runs.

Exit status: 0 all were evaluated, 1 a part failed, 2 invalid suite or options, 130 interrupted.

"""

import argparse
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path

import application_inputs
import pydantic
import sources
from application_inputs import Case
from application_targets import SuiteTarget, lab_target
from applications import ENGINE, STRESSBENCH, ValidationFailed, brought_up, run

from stressbench.console.escaping import escaped
from stressbench.formats.launches.journal import FILE as LAUNCHES

OBSERVATIONS = "observations.jsonl"


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Program:
    """A program of a suite: an input of an application, with values in place of the input's."""

    name: str = pydantic.Field(pattern="^[A-Za-z0-9_-]+$")
    input: str
    ranks: int | None = pydantic.Field(default=None, gt=0)
    values: application_inputs.Values = pydantic.Field(default_factory=dict)


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Suite:
    """What is measured, and how; see above."""

    about: str
    seed: int = pydantic.Field(ge=0)
    labs: tuple[str, ...] = pydantic.Field(min_length=1)
    ranks: int = pydantic.Field(gt=0)
    programs: tuple[Program, ...] = pydantic.Field(min_length=2)
    triples: tuple[str, ...] = ()
    impact: tuple[str, ...] = ()
    compress: tuple[str, ...] = ()
    corun: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The parts of a suite on one lab, whose results are in `folder`. `commands`: of the programs, by name."""

    suite: Suite
    target: SuiteTarget
    folder: Path
    cases: dict[str, Case]
    commands: dict[str, tuple[str, ...]]
    stressbench: tuple[str, ...]

    @property
    def profiles(self) -> Path:
        """The store of profiles."""
        return self.folder / "profiles"

    @property
    def coruns(self) -> dict[str, tuple[str, ...]]:
        """The directories of the co-runs, with the options that say what runs in them.

        Triples need more cores than pairs, and all programs of a matrix get equal parts of the cores.
        """
        parts: dict[str, tuple[str, ...]] = {"coruns": ("--self",)}
        if self.target.on.removeprefix("lab:") in self.suite.triples:
            triples = chain.from_iterable(("--triple", ",".join(names)) for names in combinations(self.cases, 3))
            parts["triples"] = ("--no-pairs", *triples)
        return parts

    def all(self, *, reuse: bool) -> str:
        """Measure what is not there yet, and compare. Returns the table of errors. Raises ValidationFailed."""
        with ExitStack() as lab:
            missing = [name for name in self.cases if not (reuse and self._done(f"profile-{name}"))]
            incomplete = [name for name in self.coruns if not (reuse and self._done(name))]
            if missing or incomplete:
                lab.enter_context(brought_up(self.target, stressbench=self.stressbench))
            for number, name in enumerate(missing, start=1):
                sys.stderr.write(f"{self.target.on}: profile {number} of {len(missing)}: {name} ...\n")
                self._profile(name)
                self._mark(f"profile-{name}")
            for name in incomplete:
                sys.stderr.write(f"{self.target.on}: {name} of {len(self.cases)} programs ...\n")
                self._corun(name, reuse=reuse)
                self._mark(name)
        return self._evaluate()

    def _done(self, part: str) -> bool:
        return (self.folder / f"{part}.done").exists()

    def _mark(self, part: str) -> None:
        (self.folder / f"{part}.done").touch()

    def _call(self, *words: str) -> str:
        return run([*self.stressbench, *words], str(self.folder), accepted=(0,), shows_messages=True)

    def _files(self) -> None:
        """The input files of all programs, in the directory where they run."""
        for case in self.cases.values():
            for file, text in case.files.items():
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / file).write_text(text)

    def _profile(self, name: str) -> None:
        self._files()
        common = ("-n", str(self.cases[name].ranks), "--on", self.target.on, "--store", "profiles", "--name", name)
        self._call("impact", *common, *self.suite.impact, "--", *self.commands[name])
        self._call("compress", *common, *self.suite.compress, "--", *self.commands[name])

    def _corun(self, name: str, *, reuse: bool) -> None:
        self._files()
        folder = self.folder / name
        if reuse and (folder / LAUNCHES).exists():
            self._call("corun", "resume", name)
            return
        shutil.rmtree(folder, ignore_errors=True)
        programs: list[str] = []
        for program in self.cases:
            programs += [*(["++"] if programs else []), *self.commands[program]]
        self._call(
            "corun", "matrix", "-n", ",".join(str(case.ranks) for case in self.cases.values()), "--on", self.target.on,
            "--nodes", "shared", *self.coruns[name], "--names", ",".join(self.cases), "--seed", str(self.suite.seed),
            "-o", name, *self.suite.corun, "--", *programs,
        )  # fmt: skip

    def _evaluate(self) -> str:
        observed = chain.from_iterable(("--observed", f"{name}/{OBSERVATIONS}") for name in self.coruns)
        words = ("predict", "evaluate", "profiles", *observed)
        (self.folder / "evaluation.json").write_text(self._call(*words, "--json"))
        return self._call(*words)


def read_suite(path: Path) -> Suite:
    """The suite in a file. Raises SourceMistake, with the file and the key."""
    suite = sources.read_definition(path, Suite)
    names = [program.name for program in suite.programs]
    for name in names:
        if names.count(name) > 1:
            raise sources.SourceMistake(f"{path}: programs: {name} is there twice")
    labs = {Path(lab).stem for lab in suite.labs}
    for lab in suite.triples:
        if lab not in labs:
            raise sources.SourceMistake(f"{path}: triples: '{lab}' is none of the labs: {', '.join(sorted(labs))}")
    return suite


def cases_of(suite: Suite, applications: dict[str, application_inputs.Application]) -> dict[str, Case]:
    """The programs of a suite by name. Raises SourceMistake if one has no such input, or cannot run on its ranks."""
    cases = {}
    for program in suite.programs:
        ((key, application, one),) = application_inputs.select(applications, [program.input])
        ranks = program.ranks or suite.ranks
        changed = application_inputs.Settings(values=program.values).completed_by(one)
        case = application_inputs.case_of(key, application, changed, ranks)
        if case.refused or case.ranks != ranks:
            numbers = ", ".join(map(str, sorted(one.completed_by(application).ranks or {})))
            raise sources.SourceMistake(f"{program.name}: {key} runs on {numbers} ranks, not on {ranks}")
        if case.prepare:
            raise sources.SourceMistake(f"{program.name}: {key} has to be prepared, which a suite does not do")
        cases[program.name] = case
    written: dict[str, tuple[str, str]] = {}
    for name, case in cases.items():
        for file, text in case.files.items():
            other, theirs = written.setdefault(file, (name, text))
            if text != theirs:
                raise sources.SourceMistake(f"{name} and {other} have different files {file} in one directory")
    return cases


def listing(suite: Suite, targets: Sequence[SuiteTarget], cases: dict[str, Case]) -> str:
    """What a suite measures."""
    lines = [suite.about, *(target.title for target in targets)]
    lines += [f"{name}: {case.key} on {case.ranks} ranks: {' '.join(case.program)}" for name, case in cases.items()]
    return "\n".join(lines) + "\n"


def arguments_of(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, metavar="SUITE.toml", help="what to measure")
    parser.add_argument("--list", action="store_true", help="print labs and programs")
    parser.add_argument("--build-only", action="store_true", help="fetch and build the programs")
    parser.add_argument(
        "--definitions", type=Path, default=application_inputs.FOLDER, metavar="DIR", help="other definitions"
    )
    parser.add_argument(
        "--sources", type=Path, metavar="DIR", help="repositories that are used instead of fetching them"
    )
    parser.add_argument(
        "--cache", type=Path, default=sources.DEFAULT_CACHE, metavar="DIR", help="where programs are built"
    )
    parser.add_argument("--engine", type=Path, metavar="PATH", help="stressbench-mpi ($STRESSBENCH_MPI)")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="results, a directory for each lab")
    parser.add_argument(
        "--continue", dest="reuse", action="store_true", help="keep the parts that are complete in -o DIR"
    )
    arguments = parser.parse_args(words)
    if arguments.output is None and not (arguments.list or arguments.build_only):
        parser.error("-o DIR is needed")
    return arguments


def main(words: Sequence[str] | None = None, *, stressbench: Sequence[str] = STRESSBENCH) -> int:
    """Print the table of each lab. The exit status is that of the description above."""
    arguments = arguments_of(words)
    try:
        suite = read_suite(arguments.suite)
        targets = [lab_target(arguments.suite.parent / lab) for lab in suite.labs]
        cases = cases_of(suite, application_inputs.definitions(arguments.definitions))
        if arguments.list:
            sys.stdout.write(listing(suite, targets, cases))
            return 0
        programs = sources.Programs(
            cache=arguments.cache.absolute(), sources=arguments.sources, beside=arguments.definitions
        )
        built = {name: str(programs.built(case.application)) for name, case in cases.items()}
    except sources.SourceMistake as mistake:
        sys.stderr.write(f"error: {mistake}\n")
        return 2
    if arguments.build_only:
        return 0
    if engine := arguments.engine or os.environ.get(ENGINE):
        os.environ[ENGINE] = str(Path(engine).absolute())
    commands = {
        name: tuple(word.replace("{build}", built[name]) for word in case.program) for name, case in cases.items()
    }
    status = 0
    for target in targets:
        folder = (arguments.output / target.on.removeprefix("lab:")).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        measurement = Measurement(
            suite=suite, target=target, folder=folder, cases=cases, commands=commands, stressbench=tuple(stressbench)
        )
        try:
            sys.stdout.write(f"{target.title}\n{measurement.all(reuse=arguments.reuse)}\n")
            sys.stdout.flush()
        except ValidationFailed as fault:
            sys.stderr.write(f"error: {target.on}: {escaped(str(fault))}\n")
            status = 1
        except KeyboardInterrupt:
            sys.stderr.write(f"interrupted: --continue keeps what is complete in {arguments.output}\n")
            return 130
    return status


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
