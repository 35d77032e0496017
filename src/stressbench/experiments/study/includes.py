"""The files that a workload reads by `[INCLUDE]`, and the statements in them, given the variables of cells.

Missing files, undefined variables and includes beyond the engine's limits are ignored here, since the engine refuses
them anyway.
"""

import os.path
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.formats.files import is_file, limits, read_text
from stressbench.formats.workload_text import STATEMENT, expanded, without_comments

# As in the engine (engine/workload/limits.hpp).
_MOST_DEEP = 16
_MOST_INCLUDES = 1000
_MOST_TEXT = 2 << 20  # of the workload with all its includes


def included_files(workload: Path, cells: Iterable[Mapping[str, str]]) -> tuple[Path, ...]:
    """All files that a workload includes, directly or indirectly, with the variables of any of the cells, each once."""
    reader = _Reader()
    for sets in map(dict, dict.fromkeys(tuple(cell.items()) for cell in cells)):
        for _ in reader.statements(workload, sets):
            pass
    return tuple(reader.included_paths)


def statements_of(workload: Path, sets: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Key and words of each statement except `[SET]` and `[INCLUDE]`, in the order in which the engine reads them.

    `sets`: the variables of a cell. Words are None where a variable in them is unknown.
    """
    for key, rest, variables in _Reader().statements(workload, sets):
        yield key, expanded(rest, variables)


_Variables = dict[str, str | None]


@dataclass
class _Budget:
    """What one pass over a workload may still include."""

    includes: int = _MOST_INCLUDES
    text: int = _MOST_TEXT


@dataclass(frozen=True)
class _File:
    """Key and rest of all statements of a file, and the length of its text."""

    statements: tuple[tuple[str, str], ...]
    length: int


@dataclass(frozen=True)
class _Reader:
    """`files`: by path. `included_paths`: the included files, in order."""

    files: dict[Path, _File] = field(default_factory=dict)
    included_paths: dict[Path, None] = field(default_factory=dict)

    def statements(self, workload: Path, sets: Mapping[str, str]) -> Iterator[tuple[str, str, _Variables]]:
        """Iterate over key, rest and variables of all statements except `[SET]` and `[INCLUDE]`."""
        budget = _Budget(text=_MOST_TEXT - self._file(workload).length)
        return self._walk(workload, dict(sets), sets, open_files=(os.path.normpath(workload),), budget=budget)

    def _walk(
        self, path: Path, variables: _Variables, sets: Mapping[str, str], *, open_files: tuple[str, ...],
        budget: _Budget,
    ) -> Iterator[tuple[str, str, _Variables]]:  # fmt: skip
        """`[SET]` changes `variables` (None: unknown), except those in the cell's `sets`.

        A file may be included several times, with different variables, but not by itself, directly or indirectly.
        """
        for key, rest in self._file(path).statements:
            if key == "SET":
                name, _, value = rest.removeprefix('"').partition("=")
                if name not in sets:
                    variables[name] = expanded(f'"{value}' if rest.startswith('"') else value, variables)
            elif key != "INCLUDE":
                yield key, rest, variables
            elif len(open_files) <= _MOST_DEEP and (word := expanded(rest, variables)) is not None:
                file = Path(path.parent / word)
                if budget.includes and is_file(file):
                    budget.includes -= 1
                    self.included_paths[file] = None
                    normal = os.path.normpath(file)
                    if normal in open_files or self._file(file).length > budget.text:
                        continue
                    budget.text -= self._file(file).length
                    inner = (*open_files, normal)
                    yield from self._walk(file, variables, sets, open_files=inner, budget=budget)

    def _file(self, path: Path) -> _File:
        if path not in self.files:
            text = read_text(path, limit=limits.WORKLOAD, errors="replace").removeprefix("\ufeff")
            statements = tuple(
                (statement["key"], without_comments(statement["rest"]).strip())
                for statement in STATEMENT.finditer(text)
            )
            self.files[path] = _File(statements=statements, length=len(text))
        return self.files[path]
