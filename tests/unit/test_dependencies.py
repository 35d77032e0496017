"""What the package imports is what its installation brings along, and not by chance what something else needs."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = frozenset({"frames", "parquet"})
"""Extras that a user may install; `dev` is for who works on StressBench."""
SUPPORTED = frozenset({"pandas"})
"""Packages that are used if they are there, and that no extra brings."""


def imported() -> Iterator[tuple[str, str]]:
    """Each package that is neither Python's nor ours, with a file that imports it."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "stressbench":
                    yield top, str(path.relative_to(ROOT))


def declared() -> frozenset[str]:
    extras = [line for name in OPTIONAL for line in PROJECT["optional-dependencies"][name]]
    return frozenset(normal(re.split(r"[<>=!~;\[ ]", line)[0]) for line in [*PROJECT["dependencies"], *extras])


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_that_is_imported_is_a_dependency() -> None:
    brought = packages_distributions()
    found = dict(imported())

    assert {"numpy", "typer"} <= set(found)
    assert {
        name: file
        for name, file in found.items()
        if name not in SUPPORTED and not declared() & {normal(one) for one in brought.get(name, [name])}
    } == {}
