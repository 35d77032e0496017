"""Applications against the motifs that model them, and against their own recorded workloads.

    .venv/bin/python benchmarks/applications.py --list
    .venv/bin/python benchmarks/applications.py tealeaf npb/cg-A --launches 6
    .venv/bin/python benchmarks/applications.py --recorded --ranks 4 --on lab:tiny -o results
    .venv/bin/python benchmarks/applications.py --recorded --ranks 4 --on lab:tiny -o results --continue
    .venv/bin/python benchmarks/applications.py --labs benchmarks/applications/labs -o results

Goal: the same calls, and times within 5 %. Programs are fetched and built once, below --cache; --sources DIR takes
their repositories from a directory instead (DIR/OWNER/NAME, DIR/OWNER+NAME or DIR/NAME). benchmarks/applications has
their definitions, which benchmarks/application_inputs.py describes. An input that cannot run on --ranks N runs on the
next larger number that it can; if there is none, its row says so. --labs DIR brings up the labs of a directory in turn,
with a rank on each host and a table for each; some inputs are for labs only, or for other targets only. Each input is
compared by `stressbench validate` of this checkout with the engine of $STRESSBENCH_MPI or --engine. One thread a rank.

Exit status: 0 all meet the goal, 1 some do not, or could not be built or run, 2 invalid names or definitions,
130 interrupted.

"""

import argparse
import dataclasses
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import application_inputs
import compare
import pydantic
import sources
from application_inputs import Application, Case
from application_results import GOAL, Comparison, Row, comparisons_of, effort, tables
from application_targets import SuiteTarget, lab_targets

from stressbench.console.escaping import escaped
from stressbench.results.validation import Validation
from stressbench.stop_signals import deferred

CHECKOUT = Path(__file__).resolve().parent.parent
LAUNCHES = 11
ENGINE = "STRESSBENCH_MPI"
STRESSBENCH = (sys.executable, "-m", "stressbench")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, kw_only=True)
class Suite:
    """How inputs are validated. `keep`: a directory for results, those in it are reused if `reuse`.

    `broken`: why applications could not be built, which is not tried again for their other inputs.
    """

    programs: sources.Programs
    on: str
    launches: int
    computation: str | None
    keep: Path | None
    reuse: bool
    stressbench: tuple[str, ...]
    broken: dict[str, sources.SourceMistake] = dataclasses.field(default_factory=dict)

    def compare(self, case: Case, *, recorded: bool) -> Comparison:
        """Build the program unless that was done, and validate it. A failure is a Comparison with its reason."""
        about = Comparison(
            input=case.key, ranks=case.ranks, on=self.on, recorded=recorded, source=case.application.words,
            fingerprint=f"{self._program_of(case)}-{case.fingerprint}-{self.launches}-{self.computation}",
        )  # fmt: skip
        if case.refused:
            return dataclasses.replace(about, reason=case.refused)
        if (kept := self._kept(about)) is not None:
            return kept
        try:
            build = self._built(case.application)
            result = self._validate(case, build, recorded=recorded)
        except (sources.SourceMistake, ValidationFailed) as fault:
            return dataclasses.replace(about, reason=str(fault))
        done = dataclasses.replace(about, result=result)
        if self.keep is not None:
            self._file(done).write_bytes(pydantic.TypeAdapter(Comparison).dump_json(done, indent=1))
        return done

    def _program_of(self, case: Case) -> str:
        """The fingerprint of the program; empty where it cannot be built."""
        try:
            return self.programs.fingerprint(case.application)
        except sources.SourceMistake:
            return ""

    def _built(self, application: Application) -> Path:
        if application.name in self.broken:
            raise self.broken[application.name]
        try:
            return self.programs.built(application)
        except sources.SourceMistake as mistake:
            self.broken[application.name] = mistake
            raise

    def _file(self, one: Comparison) -> Path:
        words = (one.input, f"{one.ranks}", one.on, *(["recorded"] if one.recorded else []))
        return (self.keep or Path()) / f"{re.sub(r'[^A-Za-z0-9_.]+', '-', '-'.join(words))}.json"

    def _kept(self, about: Comparison) -> Comparison | None:
        """The result of an earlier call for the same program, input and options; None if there is none."""
        if self.keep is None or not self.reuse:
            return None
        try:
            kept = pydantic.TypeAdapter(Comparison).validate_json(self._file(about).read_bytes())
        except (OSError, pydantic.ValidationError):
            return None
        return kept if dataclasses.replace(kept, result=None) == about else None

    def _validate(self, case: Case, build: Path, *, recorded: bool) -> Validation:
        def located(text: str) -> str:
            return text.replace("{build}", str(build))

        computation = self.computation or case.computation
        options = ["--json", "-n", str(case.ranks), "--on", self.on, "--launches", str(self.launches),
                   *([] if computation == "own" else ["--within", f"{GOAL:.0%}"]),
                   *case.options, *([] if recorded else case.matching),
                   *(["--computation", computation] if computation else [])]  # fmt: skip
        with tempfile.TemporaryDirectory(dir=self.programs.cache, prefix="run-") as name:
            for file, text in case.files.items():
                path = Path(name, file)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(located(text))
            if case.prepare:
                run(["bash", "-e", "-c", located(case.prepare)], name, accepted=(0,))
            output = run(
                [*self.stressbench, "validate", *options, *([] if recorded else case.motif), "--",
                 *map(located, case.program)], name, accepted=(0, 1),
            )  # fmt: skip
        result = pydantic.TypeAdapter(Validation).validate_json(output)
        program = tuple(word.replace(str(build), "{build}") for word in result.program)
        return dataclasses.replace(result, program=program)  # the same wherever it was built


class ValidationFailed(Exception):
    """A program or the validation of it failed."""


def run(command: Sequence[str], folder: str, *, accepted: tuple[int, ...], shows_messages: bool = False) -> str:
    """The output of a command in a directory. Raises ValidationFailed after another exit status than these.

    With `shows_messages`, what it says of its progress and of a failure appears at once. Ctrl-C and SIGTERM (see
    `__main__`) end the launches of the command, and are then raised as KeyboardInterrupt.
    """
    environment = {**os.environ, **ONE_THREAD}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CHECKOUT / "src"), os.environ.get("PYTHONPATH")]))
    child: subprocess.Popen[str] | None = None
    try:
        with deferred((signal.SIGINT, signal.SIGTERM)) as mask:  # until the child is known
            child = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=None if shows_messages else subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask) and None,
            )  # fmt: skip
        output, errors = child.communicate()
    except KeyboardInterrupt:
        if child:
            child.terminate()  # it ignores SIGINT if a shell started this program in the background
            child.communicate()
        raise
    if child.returncode not in accepted:
        cause = "see above" if shows_messages else escaped(fault_in(errors))
        raise ValidationFailed(f"exit status {child.returncode}: {cause}")
    return output


def fault_in(errors: str) -> str:
    """What a command said about its failure: the line of its error, and the last line, which often has the cause."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    fault = [line for line in lines if "error:" in line][:1]
    return " ".join(dict.fromkeys([*fault, *lines[-1:]])) or "no message"


@contextmanager
def brought_up(target: SuiteTarget, *, stressbench: Sequence[str]) -> Iterator[None]:
    """The lab of a target, if it has one, is up in this context. Raises ValidationFailed."""
    if target.lab is None:
        yield
        return
    run([*stressbench, "lab", "up", str(target.lab)], str(CHECKOUT), accepted=(0,))
    try:
        yield
    finally:
        run([*stressbench, "lab", "down", target.lab.stem], str(CHECKOUT), accepted=(0,))


def kinds_of(case: Case, *, recorded: bool) -> list[bool]:
    """The comparisons of a case: True with its recorded workload, False with its motif."""
    if not case.motif:
        return [True]
    return [False, True] if recorded else [False]


def measure(suite: Suite, cases: Sequence[Case], rows: list[Row], *, recorded: bool) -> None:
    """Append a row for each case; what is done stays in `rows` if the user interrupts."""
    for number, case in enumerate(cases, start=1):
        row = Row(name=case.application.name, case=case)
        for kind in kinds_of(case, recorded=recorded):
            sys.stderr.write(
                f"[{number}/{len(cases)}] {case.key} on {case.ranks} ranks: "
                f"{'recorded workload' if kind else ' '.join(case.motif)} ...\n"
            )
            done = suite.compare(case, recorded=kind)
            row = dataclasses.replace(row, recorded=done) if kind else dataclasses.replace(row, motif=done)
            rows[number - 1 :] = [row]


def measure_on_all(
    suite: Suite, cases: Mapping[SuiteTarget, Sequence[Case]], done: dict[SuiteTarget, list[Row]], *, recorded: bool
) -> bool:
    """Measure the cases of each target in turn, into its rows of `done`. False if a lab could not be brought up."""
    complete = True
    for target, some in cases.items():
        try:
            with brought_up(target, stressbench=suite.stressbench):
                rows = done.setdefault(target, [])
                measure(dataclasses.replace(suite, on=target.on), some, rows, recorded=recorded)
        except ValidationFailed as fault:  # measure() makes rows of those of its cases
            complete = False
            sys.stderr.write(f"error: {target.on}: {fault}\n")
    return complete


def build(programs: sources.Programs, cases: Sequence[Case]) -> int:
    """Build the program of each case. Exit status 1 if one could not be built."""
    failed = False
    for application in {case.application.name: case.application for case in cases}.values():
        try:
            sys.stdout.write(f"{application.name}: {programs.built(application)}\n")
        except sources.SourceMistake as mistake:
            failed = True
            sys.stdout.write(f"{mistake}\n")
    return int(failed)


def listing(cases: Sequence[Case]) -> str:
    """A table of the inputs with their motifs and the sources of the programs."""
    rows = [
        [
            case.key,
            str(case.ranks),
            case.refused or " ".join(case.motif) or "recorded workload only",
            case.application.words,
        ]
        for case in cases
    ]
    return compare.table(("input", "ranks", "motif", "source"), rows)


def arguments_of(words: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Callable[..., Any] = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="APPLICATION or APPLICATION/INPUT; default: all")
    add("--list", action="store_true", help="print inputs, motifs and sources")
    add("--build-only", action="store_true", help="fetch and build the programs")
    add("--definitions", type=Path, default=application_inputs.FOLDER, metavar="DIR", help="other definitions")
    add("--sources", type=Path, metavar="DIR", help="repositories that are used instead of fetching them")
    add("--cache", type=Path, default=sources.DEFAULT_CACHE, metavar="DIR", help="where programs are built")
    add("--ranks", type=int, default=2, metavar="N", help="MPI ranks (2)")
    add("--on", default="local", metavar="TARGET", help="launch target of `stressbench validate` (local)")
    add("--labs", type=Path, metavar="DIR", help="compare on each lab of a directory, on as many ranks as it has hosts")
    add("--launches", type=int, default=LAUNCHES, metavar="N", help=f"launches of each side ({LAUNCHES})")
    add("--recorded", action="store_true", help="also compare with recorded workloads where there is a motif")
    add("--computation", choices=["sequence", "measured", "mean", "own"], help="as in `stressbench validate`")
    add("--engine", type=Path, metavar="PATH", help="stressbench-mpi ($STRESSBENCH_MPI)")
    add("-o", "--output", type=Path, metavar="DIR", help="keep the result of each validation there")
    add("--continue", dest="reuse", action="store_true", help="reuse results in -o DIR for the same input and options")
    add("--json", action="store_true", help="print the results as JSON")
    arguments = parser.parse_args(words)
    if arguments.reuse and arguments.output is None:
        parser.error("--continue needs -o DIR")
    if arguments.ranks < 1 or arguments.launches < 1:
        parser.error("--ranks and --launches are at least 1")
    if arguments.labs and (arguments.on != "local" or arguments.ranks != 2):
        parser.error("--labs DIR decides --on and --ranks")
    return arguments


def main(words: Sequence[str] | None = None, *, stressbench: Sequence[str] = STRESSBENCH) -> int:
    """Print the table. The exit status is that of the description above."""
    arguments = arguments_of(words)
    try:
        chosen = application_inputs.select(application_inputs.definitions(arguments.definitions), arguments.names)
        single = SuiteTarget(on=arguments.on, ranks=arguments.ranks)
        targets = lab_targets(arguments.labs) if arguments.labs else [single]
        cases = {
            target: [
                application_inputs.case_of(*one, target.ranks)
                for one in application_inputs.suited(chosen, arguments.names, on_lab=target.is_lab)
            ]
            for target in targets
        }
    except sources.SourceMistake as mistake:
        sys.stderr.write(f"error: {mistake}\n")
        return 2
    possible = [case for some in cases.values() for case in some if not case.refused]
    comparisons = sum(len(kinds_of(case, recorded=arguments.recorded)) for case in possible)
    needed = effort(comparisons, launches=arguments.launches)
    if arguments.list:
        for target, some in cases.items():
            sys.stdout.write("\n".join(filter(None, [target.title, listing(some)])) + "\n")
        sys.stdout.write(f"{needed}\n")
        return 0
    if engine := arguments.engine or os.environ.get(ENGINE):
        os.environ[ENGINE] = str(Path(engine).absolute())  # programs run in directories of their own
    for folder in filter(None, (arguments.cache, arguments.output)):
        folder.mkdir(parents=True, exist_ok=True)
    programs = sources.Programs(
        cache=arguments.cache.absolute(), sources=arguments.sources, beside=arguments.definitions
    )
    suite = Suite(
        programs=programs, on=arguments.on, launches=arguments.launches, computation=arguments.computation,
        keep=arguments.output, reuse=arguments.reuse, stressbench=tuple(stressbench),
    )  # fmt: skip
    done: dict[SuiteTarget, list[Row]] = {}
    complete, interrupted = True, False
    try:
        if arguments.build_only:
            return build(programs, cases[targets[0]])
        sys.stderr.write(f"{needed}\n")
        complete = measure_on_all(suite, cases, done, recorded=arguments.recorded)
    except KeyboardInterrupt:
        interrupted = True
    found = [one for rows in done.values() for one in comparisons_of(rows)]
    if arguments.json:
        sys.stdout.write(pydantic.TypeAdapter(list[Comparison]).dump_json(found, indent=1).decode() + "\n")
    else:
        for target, rows in done.items():
            sys.stdout.write(escaped("\n".join([*filter(None, [target.title]), *tables(rows)])) + "\n")
    return 130 if interrupted else int(not complete or not all(one.meets_goal for one in found))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
