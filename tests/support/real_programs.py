"""Real programs for co-runs, as benchmarks/applications defines them. A test is skipped where one is missing."""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest


@dataclass(frozen=True)
class Chosen:
    """A definition of benchmarks/applications, and the values of its input."""

    application: str
    values: Mapping[str, str | int | float]


PAIRS: Mapping[str, Mapping[str, Chosen]] = {
    "packages": {
        "hpcc": Chosen("hpcc", {"order": 200}),
        "lammps": Chosen("lammps", {"cells": 10, "temperature": 1.44, "steps": 1000}),
    },
    "sources": {
        "cg": Chosen("npb", {"benchmark": "cg", "class": "A"}),
        "ft": Chosen("npb", {"benchmark": "ft", "class": "A"}),
    },
}
"""Programs from packages of Debian, and programs that are built from public sources."""


def programs_of(
    pair: str, *, benchmark: Callable[[str], ModuleType], folder: Path, ranks: int
) -> Mapping[str, tuple[str, ...]]:
    """The command line of each program of a pair by name. The files that they read are written to `folder`."""
    inputs, sources = benchmark("application_inputs"), benchmark("sources")
    definitions, built = inputs.definitions(), sources.Programs(beside=inputs.FOLDER)
    found: dict[str, tuple[str, ...]] = {}
    for name, one in PAIRS[pair].items():
        application = definitions[one.application]
        case = inputs.case_of(name, application, inputs.Input(name=name, values=one.values), ranks)
        if application.repository and not built.is_built(application):
            pytest.skip(f"{name} is not built: benchmarks/applications.py {one.application} --build-only builds it")
        if not application.repository and shutil.which(case.program[0]) is None:
            pytest.skip(f"{case.program[0]} is not installed (packages {', '.join(application.packages)})")
        for file, text in case.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        place = str(built.folder_of(application)) if application.repository else ""
        found[name] = tuple(word.replace("{build}", place) for word in case.program)
    return found
