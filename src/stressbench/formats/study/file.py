"""`read_study` reads a study file into a `Study`, `parse_study` a text (pure). Every mistake has its line."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stressbench.formats.excerpts import excerpt
from stressbench.formats.files import is_file
from stressbench.formats.study.cells import (
    PLAIN_FACTORS,
    Cell,
    FactorValue,
    PlannedRun,
    matches,
    product,
    scheduled_runs,
)
from stressbench.formats.study.errors import StudyFileMistake, StudyMistake
from stressbench.formats.study.fields import split_command
from stressbench.formats.study.rail_policies import Kind
from stressbench.formats.study.tables import ExcludeTable, RunTable, StudyTable, UntilTable
from stressbench.formats.toml import (
    Complaint,
    KeyLabel,
    KeyPath,
    TomlMistake,
    ValidationMistakes,
    by_key,
    complaints_of,
    mistakes_as,
    parse_toml,
    read_text,
    unknown_message,
    with_line_numbers,
)

MAX_CELLS = 10_000
MAX_RUNS = 100_000


@dataclass(frozen=True, kw_only=True)
class Study:
    """A validated study. Paths in cells are as written, relative to the folder of the study file."""

    about: str
    seed: int
    repetitions: int
    until: UntilTable | None
    retries: int
    time_limit_s: float | None
    run: RunTable
    cells: tuple[Cell, ...]
    matrix: tuple[str, ...] = ()
    rate_command: str | None = None
    nics: tuple[str, ...] = ()
    transport: str | None = None

    @property
    def runs(self) -> tuple[PlannedRun, ...]:
        """All runs in their order; the largest possible number of them if an interval decides how many are done."""
        grouped_by_rate = self.rate_command is not None
        return scheduled_runs(self.cells, repetitions=self.repetitions, seed=self.seed, grouped_by_rate=grouped_by_rate)

    @property
    def run_limit_s(self) -> float | None:
        """Time limit of each run, s; None without a limit."""
        return None if self.run.time_limit is None else self.run.time_limit.value

    @property
    def target(self) -> float | None:
        """Target width of the interval of each impact, high / low - 1; None if the number of runs is fixed."""
        return None if self.until is None else self.until.interval.value


def read_study(path: Path) -> tuple[Study, str]:
    """The study in the file at `path`, and its text. Raises StudyMistake, also if a workload file is missing."""
    try:
        text = read_text(path)
    except TomlMistake as fault:
        raise StudyMistake(str(fault)) from fault
    study = parse_study(text, source=str(path))
    require_workloads(study, text=text, source=str(path), folder=path.absolute().parent)
    return study, text


def parse_study(text: str, *, source: str) -> Study:
    """The study that the text describes. Raises StudyFileMistake with `source` and line of every mistake."""
    with study_file_mistakes(text, source=source):
        return study_of(parse_toml(text, source=source))


def study_of(tables: Mapping[str, Any], *, key_label: KeyLabel = by_key) -> Study:
    """The study described by the tables of a study file. Raises ValidationMistakes, which name keys by `key_label`."""
    try:
        return _assemble(StudyTable.model_validate(tables), key_label)
    except ValidationError as fault:
        raise ValidationMistakes(complaints_of(fault, StudyTable, key_label=key_label)) from fault


def study_file_mistakes(text: str, *, source: str) -> AbstractContextManager[None]:
    """Turn ValidationMistakes about the tables of `text` into StudyFileMistake, each with its line."""
    return mistakes_as(StudyFileMistake, text=text, source=source)


def require_workloads(study: Study, *, text: str, source: str, folder: Path) -> None:
    """Raise StudyFileMistake if a workload is not a file below `folder`."""
    missing = [name for name in dict.fromkeys(cell.workload for cell in study.cells) if not is_file(folder / name)]
    place = ("factors", "workload")
    complaints = [
        Complaint(place=place, text=f"factors.workload: '{excerpt(name)}': expected a workload file in {folder}")
        for name in missing
    ]
    if complaints:
        raise StudyFileMistake(with_line_numbers(complaints, text=text, source=source))


def _assemble(table: StudyTable, key_label: KeyLabel) -> Study:
    factors = _factors(table)
    count = 1
    for values in factors.values():
        count *= len(values)
    if count > MAX_CELLS:
        raise ValidationMistakes(
            [Complaint(place=("factors",), text=f"[factors] {count} cells: expected at most {MAX_CELLS}")]
        )
    repetitions = table.until.at_most if table.until else table.repetitions or 1
    if count * repetitions > MAX_RUNS:
        place: KeyPath = ("until", "at_most") if table.until else ("repetitions",)
        message = f"{key_label(place)}: {count} cells, {repetitions} times each: expected at most {MAX_RUNS} runs"
        raise ValidationMistakes([Complaint(place=place, text=message)])
    cells = tuple(product(factors))
    remaining = tuple(
        cell for cell in cells if not any(matches(cell, _excluded_values(exclude)) for exclude in table.exclude)
    )
    complaints = [
        *_exclude_complaints(table, factors, cells), *_repetition_complaints(table),
        *_link_complaints(table, remaining, key_label),
    ]  # fmt: skip
    if not remaining and not complaints:
        complaints.append(Complaint(place=("exclude",), text="exclude: leaves no cell; expected at least one"))
    if complaints:
        raise ValidationMistakes(complaints)
    return Study(
        about=table.about,
        seed=table.seed,
        repetitions=repetitions,
        until=table.until,
        retries=table.retries,
        time_limit_s=None if table.time_limit is None else table.time_limit.value,
        run=table.run,
        cells=remaining,
        matrix=table.matrix,
        rate_command=table.rate_command,
        nics=table.nics or (),
        transport=table.transport,
    )


def _factors(table: StudyTable) -> Mapping[str, tuple[FactorValue, ...]]:
    plain = ((name, getattr(table.factors, name)) for name in PLAIN_FACTORS)
    variables = ((f"set.{name}", values) for name, values in table.set.items())
    return {name: values for name, values in (*plain, *variables) if values is not None}


def _excluded_values(table: ExcludeTable) -> Mapping[str, tuple[str, ...]]:
    plain = ((name, getattr(table, name)) for name in PLAIN_FACTORS)
    variables = ((f"set.{name}", values) for name, values in table.set.items())
    return {name: tuple(map(str, values)) for name, values in (*plain, *variables) if values is not None}


def _exclude_complaints(
    table: StudyTable, factors: Mapping[str, tuple[FactorValue, ...]], cells: tuple[Cell, ...]
) -> Iterator[Complaint]:
    for number, exclude in enumerate(table.exclude):
        excluded, has_mistake = _excluded_values(exclude), False
        if not excluded:
            yield Complaint(place=("exclude", number), text="exclude: names no factor; it would leave out every cell")
            continue
        for name, values in excluded.items():
            place: KeyPath = ("exclude", number, *name.split("."))
            if name not in factors:
                has_mistake = True
                yield Complaint(place=place, text=f"exclude: {unknown_message('factor', name, tuple(factors))}")
                continue
            known = tuple(map(str, factors[name]))
            for value in values:
                if value not in known:
                    has_mistake = True
                    yield Complaint(place=place, text=f"exclude.{name}: '{value}': expected one of {', '.join(known)}")
        if not has_mistake and not any(matches(cell, excluded) for cell in cells):
            yield Complaint(place=("exclude", number), text="exclude: fits no cell")


def _link_complaints(table: StudyTable, cells: tuple[Cell, ...], key_label: KeyLabel) -> Iterator[Complaint]:
    yield from _command_complaints(table, key_label)
    yield from _policy_complaints(table, cells, key_label)


def _policy_complaints(table: StudyTable, cells: tuple[Cell, ...], key_label: KeyLabel) -> Iterator[Complaint]:
    for name in ("nics", "transport"):
        value = getattr(table, name)
        if value is not None and table.factors.policy is None:
            given = value if isinstance(value, str) else ", ".join(value)
            yield Complaint(place=(name,), text=f"{key_label((name,))}: {given}: is for policies; needs factors.policy")
    place: KeyPath = ("factors", "policy")
    for cell in cells:
        if cell.policy is not None and cell.policy.value.kind is not Kind.default and cell.rails is not None:
            text = f"{key_label(place)}: {cell.policy}: chooses among all NICs; expected no rails with it"
            yield Complaint(place=place, text=text)
            return


def _command_complaints(table: StudyTable, key_label: KeyLabel) -> Iterator[Complaint]:
    if table.rate_command is None:
        return
    place: KeyPath = ("rate_command",)
    prefix = f"{key_label(place)}: '{table.rate_command}': "
    if not split_command(table.rate_command):
        yield Complaint(place=place, text=f"{prefix}expected a command, its quotes closed; the rate is added to it")
    if table.factors.rate is None:
        yield Complaint(place=place, text=f"{prefix}there is no rate to set; expected factors.rate")


def _repetition_complaints(table: StudyTable) -> Iterator[Complaint]:
    if table.until is None:
        return
    if table.repetitions is not None:
        yield Complaint(
            place=("repetitions",), text=f"repetitions: {table.repetitions}: expected either this or [until], not both"
        )
    if table.until.at_least > table.until.at_most:
        yield Complaint(
            place=("until", "at_least"),
            text=f"until.at_least: {table.until.at_least}: expected at most at_most, {table.until.at_most}",
        )
