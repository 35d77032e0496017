"""Which files a workload reads by `[INCLUDE]`, and what stands in all of them, given the variables of cells.

What the engine will refuse anyway, a file that is not there or a variable that is not set, is passed over here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.formats.files import limits, read_text

STATEMENT = re.compile(r"^[ \t]*\[(?P<key>[A-Z_]+)\](?P<rest>[^\n]*(?:\n(?![ \t]*\[)[^\n]*)*)", re.MULTILINE)
"""`key`, and the `rest` with the lines that continue it."""
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")


def without_comments(text: str) -> str:
    """The rest of a statement, as it counts."""
    return _COMMENT.sub("", text)


_MOST_DEEP = 16  # as in the engine
_PIECE = re.compile(r'\$\{(\w+)\}|"')


def included_files(workload: Path, cells: Iterable[Mapping[str, str]]) -> tuple[Path, ...]:
    """The files that the workload reads with the variables of any of the cells, and those that they read; each once."""
    reader = _Reader()
    for sets in cells:
        for _ in reader.walk(workload, dict(sets), sets, depth=0):
            pass
    return tuple(reader.included_paths)


def statements_of(workload: Path, sets: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Key and words of each statement but `[SET]` and `[INCLUDE]`, as the engine meets them with these variables.

    Words are None where a variable in them is not known.
    """
    for key, rest, variables in _Reader().walk(workload, dict(sets), sets, depth=0):
        yield key, _word(rest, variables)


_Variables = dict[str, str | None]


@dataclass(frozen=True)
class _Reader:
    """`texts`: key and rest of the statements of files that were read; `included_paths`: files included, in order."""

    texts: dict[Path, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    included_paths: dict[Path, None] = field(default_factory=dict)

    def walk(
        self, path: Path, variables: _Variables, sets: Mapping[str, str], *, depth: int
    ) -> Iterator[tuple[str, str, _Variables]]:
        """Go through the statements. `[SET]` changes `variables` (None: unknown) but not those that the cell `sets`."""
        for key, rest in self._statements(path):
            name, _, value = rest.partition("=")
            if key == "SET":
                if name not in sets:
                    variables[name] = _word(value, variables)
            elif key != "INCLUDE":
                yield key, rest, variables
            elif depth < _MOST_DEEP and (word := _word(rest, variables)) is not None:
                file = Path(path.parent / word)
                if file.is_file():
                    self.included_paths[file] = None
                    yield from self.walk(file, variables, sets, depth=depth + 1)

    def _statements(self, path: Path) -> tuple[tuple[str, str], ...]:
        if path not in self.texts:
            text = read_text(path, limit=limits.WORKLOAD, errors="replace").removeprefix("\ufeff")
            self.texts[path] = tuple(
                (included_paths["key"], without_comments(included_paths["rest"]).strip())
                for included_paths in STATEMENT.finditer(text)
            )
        return self.texts[path]


def _word(text: str, variables: Mapping[str, str | None]) -> str | None:
    """The text without quotes, each variable replaced; None where one is not known."""
    if any(name and variables.get(name) is None for name in _PIECE.findall(text)):
        return None
    return _PIECE.sub(lambda piece: variables[piece[1]] or "" if piece[1] else "", text)
