"""The working directory of a program, and the source of its figures: standard output, a file, or HPC Challenge."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.experiments.scratch import scratch_directory
from stressbench.experiments.sweep.launches import STANDARD_OUTPUT, figures_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import end_of_text, limits
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
    """Options for figures of merit: expressions `NAME=REGEX`, the file to search, or the figures of HPC Challenge."""

    figures: Sequence[str] = ()
    lower: Sequence[str] = ()
    file: Path | None = None
    hpcc: bool = False
    hpcc_n: int | None = None

    @property
    def given(self) -> tuple[tuple[str, object], ...]:
        """The options, and whether each is given."""
        return (
            ("--fom", self.figures), ("--fom-lower", self.lower), ("--fom-file", self.file), ("--hpcc", self.hpcc),
            ("--hpcc-n", self.hpcc_n is not None),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Output:
    """`figures`: expressions by name, where less is better for those in `lower`. `folder`: working directory of ranks.

    `file` is relative to `folder`, None: stdout. `hpcc_n`: N of the input to write for `hpcc`, None: no input is
    written. `is_hpcc`: check the output of `hpcc`.
    """

    figures: Mapping[str, str]
    lower: tuple[str, ...]
    file: Path | None
    folder: Path
    is_hpcc: bool
    hpcc_n: int | None

    @contextmanager
    def placed(self) -> Iterator["Output"]:
        """Context with a temporary working directory where an input is written for `hpcc`, else with no change."""
        if self.hpcc_n is None:
            yield self
            return
        with scratch_directory("hpcc") as folder:
            yield replace(self, folder=folder)

    def command(self, words: Sequence[str]) -> tuple[str, ...]:
        """The command, with a relative path of the program made absolute, since ranks run in `folder`."""
        first = words[0]
        return (str(Path(first).absolute()) if os.path.sep in first else first, *words[1:])

    def read_from(self, program: str) -> str:
        """The text in which figures are searched, as a phrase for messages."""
        return STANDARD_OUTPUT.format(program=program) if self.file is None else str(self.file)

    def begin(self, ranks: int) -> None:
        """Remove the output of the previous launch, and write the input of `hpcc`. Raises StudyFault."""
        try:
            if self.file is not None:
                (self.folder / self.file).unlink(missing_ok=True)
            if self.hpcc_n is not None:
                (self.folder / INPUT).write_text(hpcc_input(n=self.hpcc_n, ranks=ranks), encoding="utf-8")
        except OSError as fault:
            raise StudyFault(f"{fault.filename}: {reason_of(fault)}") from fault

    def text(self, printed: str) -> str:
        """The text to search for figures: `printed`, or the last MiB of the file, empty where it cannot be read."""
        if self.file is None:
            return printed
        return end_of_text(self.folder / self.file, most=_LARGEST_TAIL, limit=limits.FILE)

    def complaint(self, text: str, *, ranks: int) -> str | None:
        """Why the output of `hpcc` is invalid, None where it is valid and for other programs."""
        if not self.is_hpcc:
            return None
        try:
            parse_summary(text, ranks=ranks)
        except ValueError as fault:
            return str(fault)
        return None


def output_of(options: FigureOptions, *, folder: Path) -> Output:
    """The output that `options` select, for ranks in `folder`. Raises StudyMistake."""
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
            f"{option}: {file} already exists, and would be removed before each launch: move it away first"
        )
    return Output(
        figures={**ready, **higher, **lower}, lower=(*(LATENCY_FIGURES if options.hpcc else ()), *lower), file=file,
        folder=folder, is_hpcc=options.hpcc, hpcc_n=hpcc_n,
    )  # fmt: skip


def _require_hpcc(options: FigureOptions) -> None:
    if options.hpcc_n is not None and not options.hpcc:
        raise StudyMistake(f"--hpcc-n {options.hpcc_n}: requires --hpcc")
    if options.hpcc_n is not None and options.hpcc_n < 1:
        raise StudyMistake(f"--hpcc-n {options.hpcc_n}: expected an order of a system of equations, at least 1")
    if options.hpcc and options.file is not None:
        raise StudyMistake(f"--fom-file {options.file}: --hpcc reads {OUTPUT}; leave one of the two out")
