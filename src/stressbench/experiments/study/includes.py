"""The files that a workload reads by `[INCLUDE]`, and the statements in them, given the variables of cells.

Missing files and undefined variables are ignored here, since the engine refuses them anyway.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.formats.files import limits, read_text
from stressbench.formats.workload_text import STATEMENT, expanded, without_comments

_MOST_DEEP = 16  # as in the engine


def included_files(workload: Path, cells: Iterable[Mapping[str, str]]) -> tuple[Path, ...]:
    """All files that a workload includes, directly or indirectly, with the variables of any of the cells, each once."""
    reader = _Reader()
    for sets in cells:
        for _ in reader.walk(workload, dict(sets), sets, depth=0):
            pass
    return tuple(reader.included_paths)


def statements_of(workload: Path, sets: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Key and words of each statement except `[SET]` and `[INCLUDE]`, in the order in which the engine reads them.

    `sets`: the variables of a cell. Words are None where a variable in them is unknown.
    """
    for key, rest, variables in _Reader().walk(workload, dict(sets), sets, depth=0):
        yield key, expanded(rest, variables)


_Variables = dict[str, str | None]


@dataclass(frozen=True)
class _Reader:
    """`texts`: key and rest of all statements, by file. `included_paths`: the included files, in order."""

    texts: dict[Path, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    included_paths: dict[Path, None] = field(default_factory=dict)

    def walk(
        self, path: Path, variables: _Variables, sets: Mapping[str, str], *, depth: int
    ) -> Iterator[tuple[str, str, _Variables]]:
        """Iterate over statements. `[SET]` changes `variables` (None: unknown), except those in the cell's `sets`."""
        for key, rest in self._statements(path):
            if key == "SET":
                name, _, value = rest.removeprefix('"').partition("=")
                if name not in sets:
                    variables[name] = expanded(f'"{value}' if rest.startswith('"') else value, variables)
            elif key != "INCLUDE":
                yield key, rest, variables
            elif depth < _MOST_DEEP and (word := expanded(rest, variables)) is not None:
                file = Path(path.parent / word)
                if file.is_file():
                    self.included_paths[file] = None
                    yield from self.walk(file, variables, sets, depth=depth + 1)

    def _statements(self, path: Path) -> tuple[tuple[str, str], ...]:
        if path not in self.texts:
            text = read_text(path, limit=limits.WORKLOAD, errors="replace").removeprefix("\ufeff")
            self.texts[path] = tuple(
                (statement["key"], without_comments(statement["rest"]).strip())
                for statement in STATEMENT.finditer(text)
            )
        return self.texts[path]
