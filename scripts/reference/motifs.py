"""Page of all motifs and their options: from an engine if one is built, else from the golden file of its options."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference.markdown import cell, code, table

_INTRODUCTION = """\
# Motifs and their options

Look up the name, type, default and valid values of each option of each motif. A motif is a step of a
[workload](../workload-language.md): `[MOTIF] halo2d -x 4000 --rows 4000`; `stressbench-mpi describe halo2d` prints the
same declarations. What each motif sends is described on [the motifs' own pages](../motifs/README.md).
"""

Entry = dict[str, Any]


def pages(root: Path) -> dict[str, str]:
    """One page with a section for each motif."""
    declared = declarations(root)
    lines = [_INTRODUCTION]
    for family in dict.fromkeys(one["family"] for one in declared.values()):
        lines.append(f"## {family.replace('_', ' ').capitalize()}\n")
        for name, entry in declared.items():
            if entry["family"] == family:
                lines += _motif(root, name, entry)
    return {"motifs": "\n".join(lines)}


def declarations(root: Path) -> dict[str, Entry]:
    """Family, quantity, metrics and options of each motif; help texts only if an engine is available."""
    options = root / "tests/golden/data/options"
    declared: dict[str, Entry] = json.loads((options / "motifs.json").read_text(encoding="utf-8"))
    for name in ("hdf5", "pnetcdf"):
        declared[name] = json.loads((options / f"{name}.json").read_text(encoding="utf-8"))
    if engine := _engine(root):
        for one in _engine_json(engine, "list"):
            described = _engine_json(engine, "describe", one["name"])
            declared[one["name"]] = {
                **described,
                "metrics": {each["name"]: each["better"] for each in described["metrics"]},
            }
    return dict(sorted(declared.items()))


def _engine(root: Path) -> str | None:
    """Path of the engine (STRESSBENCH_MPI or the build folder), which also knows help texts; None if there is none."""
    named = os.environ.get("STRESSBENCH_MPI")
    built = root / "build/openmpi/engine/stressbench-mpi"
    return named or (str(built) if built.exists() else None)


def _engine_json(engine: str, *words: str) -> Any:
    done = subprocess.run([engine, *words, "--json"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def _motif(root: Path, name: str, entry: Entry) -> Iterator[str]:
    yield f"### {name}\n"
    if entry.get("summary"):
        yield f"{cell(entry['summary']).capitalize()}.\n"
    own = root / "docs/motifs" / f"{name}.md"
    about = f"[Description](../motifs/{name}.md). " if own.exists() else ""
    metrics = ", ".join(f"`{metric}` ({better} is better)" for metric, better in entry["metrics"].items())
    yield f"{about}Quantity: {entry['quantity']}.{f' Metrics: {metrics}.' if metrics else ''}\n"
    rows = [_option(one) for one in entry["options"]]
    yield from table(["option", "takes", "default", "meaning and valid values"], rows)


def _option(one: Entry) -> tuple[str, str, str, str]:
    short = f"`-{one['short']}`, " if one.get("short") else ""
    description = "; ".join(filter(None, (one.get("help"), one.get("accepted"))))
    return (
        f"{short}`--{one['name']}`",
        one["takes"],
        code(str(one["default"])) if one["default"] else "",
        cell(description),
    )
