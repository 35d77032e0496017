"""Settings of the suite from options, checked before anything starts. Errors name the option."""

import os
from pathlib import Path

from stressbench.errors import UserError
from stressbench.formats.bounds import LARGEST_INT64
from stressbench.formats.machines import Part, SuiteSettings
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.formats.toml import unknown_message
from stressbench.formats.workload_text import WorkloadTextError, quote_argument
from stressbench.launch.targets import properties_of

_LONGEST_LABEL = 60


def suite_settings(
    *, on: str, ranks: int | None, ranks_per_node: int | None, storage: str | None, only: str | None, seed: int,
    quick: bool, label: str | None, host_names: bool, engine: Path | None,
) -> SuiteSettings:  # fmt: skip
    """Settings from the options of `stressbench machine run`. `only`: parts, separated by commas. Raises UserError."""
    for option, value, least in (("-n", ranks, 2), ("--ranks-per-node", ranks_per_node, 1)):
        if value is not None and not least <= value <= MAX_NUMBERS:
            raise UserError(f"{option}: {value}: expected {least} or more, at most {MAX_NUMBERS}")
    if not 0 <= seed <= LARGEST_INT64:
        raise UserError(f"--seed: {seed}: expected a number from 0 to 2^63 - 1")
    if properties_of(on).simulated:
        raise UserError(f"--on: '{on}': simulated ranks compute nothing and have no noise; expected real hosts")
    if label is not None and not (label.isprintable() and 0 < len(label) <= _LONGEST_LABEL):
        raise UserError(f"--label: '{label}': expected 1 to {_LONGEST_LABEL} printable characters")
    parts = _parts(only)
    if storage is not None:
        _require_storage(storage, on=on)
        if Part.storage not in parts:
            raise UserError(f"--storage: '{storage}': --only leaves out the part storage, which uses it")
    return SuiteSettings(
        on=on, ranks=ranks, ranks_per_node=ranks_per_node, storage=storage, parts=parts, seed=seed, quick=quick,
        label=label, host_names=host_names, engine=None if engine is None else _engine(engine),
    )  # fmt: skip


def _engine(path: Path) -> str:
    """The path, which is absolute so that it holds in any directory; a bare name is looked up on PATH."""
    return str(path.absolute()) if os.path.sep in str(path) else str(path)


def _parts(text: str | None) -> tuple[Part, ...]:
    """The parts in `latency,noise`, in the order of the suite; all for None. Raises UserError."""
    if text is None:
        return tuple(Part)
    words = text.split(",")
    for number, word in enumerate(words):
        if word not in tuple(Part):
            raise UserError(f"--only: {unknown_message('part', word, tuple(Part))}")
        if word in words[:number]:
            raise UserError(f"--only: '{word}' is given twice")
    return tuple(part for part in Part if part in words)


def _require_storage(storage: str, *, on: str) -> None:
    """A path with a variable, or one on other hosts, is checked by the ranks that use it."""
    try:
        quote_argument(storage, variables=True)
    except WorkloadTextError as mistake:
        raise UserError(f"--storage: {mistake}") from mistake
    if not storage or storage.startswith("-"):
        raise UserError(f"--storage: '{storage}': expected a directory, such as /scratch/me or '${{SCRATCH}}'")
    if on == "local" and "${" not in storage and not Path(storage).is_dir():
        raise UserError(f"--storage: '{storage}' is not a directory")
