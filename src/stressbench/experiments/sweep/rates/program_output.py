"""Where the ranks of a program run, and what its figures are read from: standard output, a file, HPC Challenge."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.experiments.scratch import scratch_directory
from stressbench.experiments.sweep.launches import STANDARD_OUTPUT, figures_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, open_regular
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.suites.hpcc import (
    INPUT,
    LATENCY_FIGURES,
    OUTPUT,
    THROUGHPUT_FIGURES,
    figure_pattern,
    hpcc_input,
    parse_summary,
)

HPCC_N = 1000
_LARGEST_TAIL = 1 << 20


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """Which figures of merit are read from what: expressions `NAME=REGEX`, a file, or those of HPC Challenge."""

    figures: Sequence[str] = ()
    lower: Sequence[str] = ()
    file: Path | None = None
    hpcc: bool = False
    hpcc_n: int | None = None

    @property
    def first(self) -> str | None:
        """The first option that is given; None where none is."""
        given = (
            ("--fom", self.figures), ("--fom-lower", self.lower), ("--fom-file", self.file), ("--hpcc", self.hpcc),
            ("--hpcc-n", self.hpcc_n is not None),
        )  # fmt: skip
        return next((option for option, value in given if value), None)


@dataclass(frozen=True, kw_only=True)
class Output:
    """`figures`: expressions by name; of those in `lower` less is better. `file` is relative to `folder`, None: stdout.

    `hpcc_n`: N of the input that is written for `hpcc`, None: it has its own. `is_hpcc`: what it writes is checked.
    """

    figures: Mapping[str, str]
    lower: tuple[str, ...]
    file: Path | None
    folder: Path
    is_hpcc: bool
    hpcc_n: int | None

    @contextmanager
    def placed(self) -> Iterator["Output"]:
        """In a folder of its own meanwhile, where an input is written for `hpcc`."""
        if self.hpcc_n is None:
            yield self
            return
        with scratch_directory("hpcc") as folder:
            yield replace(self, folder=folder)

    def command(self, words: Sequence[str]) -> tuple[str, ...]:
        """The program as ranks find it from the folder in which they work."""
        first = words[0]
        return (str(Path(first).absolute()) if os.path.sep in first else first, *words[1:])

    def read_from(self, program: str) -> str:
        """Where figures stand, for sentences."""
        return STANDARD_OUTPUT.format(program=program) if self.file is None else str(self.file)

    def begin(self, ranks: int) -> None:
        """What the launch before wrote goes, and `hpcc` gets its input. Raises StudyFault."""
        try:
            if self.file is not None:
                (self.folder / self.file).unlink(missing_ok=True)
            if self.hpcc_n is not None:
                (self.folder / INPUT).write_text(hpcc_input(n=self.hpcc_n, ranks=ranks), encoding="utf-8")
        except OSError as fault:
            raise StudyFault(f"{fault.filename}: {reason_of(fault)}") from fault

    def text(self, printed: str) -> str:
        """What figures are searched in, at most its last MiB; empty where there is no file."""
        if self.file is None:
            return printed
        try:
            with open_regular(self.folder / self.file, limit=limits.FILE) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _LARGEST_TAIL))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def complaint(self, text: str, *, ranks: int) -> str | None:
        """Why what `hpcc` wrote does not count; None where it does, and for other programs."""
        if not self.is_hpcc:
            return None
        try:
            parse_summary(text, ranks=ranks)
        except ValueError as fault:
            return str(fault)
        return None


def output_of(options: FigureOptions, *, folder: Path) -> Output:
    """From options, ranks in `folder` unless it is `hpcc` without an input there. Raises StudyMistake."""
    _require_hpcc(options)
    ready = {name: figure_pattern(name) for name in (*THROUGHPUT_FIGURES, *LATENCY_FIGURES)} if options.hpcc else {}
    higher = figures_of(options.figures, beside=ready)
    lower = figures_of(options.lower, option="--fom-lower", beside={**ready, **higher})
    file = Path(OUTPUT) if options.hpcc else options.file
    if options.file is not None and not higher and not lower:
        raise StudyMistake(f"--fom-file {options.file}: needs --fom 'NAME=REGEX', which says what to read from it")
    has_input = options.hpcc and (folder / INPUT).exists()
    if has_input and options.hpcc_n is not None:
        raise StudyMistake(f"--hpcc-n {options.hpcc_n}: {INPUT} exists and sets its own N; leave one of the two out")
    hpcc_n = (options.hpcc_n or HPCC_N) if options.hpcc and not has_input else None
    if file is not None and hpcc_n is None and os.path.lexists(folder / file):
        option = "--hpcc" if options.hpcc else "--fom-file"
        raise StudyMistake(
            f"{option}: {file} is there already, and would be removed before each launch: move it away first"
        )
    return Output(
        figures={**ready, **higher, **lower}, lower=(*(LATENCY_FIGURES if options.hpcc else ()), *lower), file=file,
        folder=folder, is_hpcc=options.hpcc, hpcc_n=hpcc_n,
    )  # fmt: skip


def _require_hpcc(options: FigureOptions) -> None:
    if options.hpcc_n is not None and not options.hpcc:
        raise StudyMistake(f"--hpcc-n {options.hpcc_n}: goes with --hpcc")
    if options.hpcc_n is not None and options.hpcc_n < 1:
        raise StudyMistake(f"--hpcc-n {options.hpcc_n}: expected an order of a system of equations, at least 1")
    if options.hpcc and options.file is not None:
        raise StudyMistake(f"--fom-file {options.file}: --hpcc reads {OUTPUT}; leave one of the two out")
