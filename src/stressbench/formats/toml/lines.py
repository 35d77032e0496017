"""The line number of each key of a valid TOML text, which tomllib does not report. Pure."""

import re
from collections.abc import Mapping

KeyPath = tuple[str | int, ...]
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_TEXT = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_BARE = re.compile(r"[^,\]}\n#]*")


def lines_of(text: str) -> Mapping[KeyPath, int]:
    """Line number, counted from 1, of each key such as `("link", 2, "rate")`; for a table, that of its header."""
    return _Scanner(text).scan()


def line_of(lines: Mapping[KeyPath, int], place: KeyPath) -> int:
    """The line of the key, or of the innermost enclosing table that has one; 1 if there is none."""
    for length in range(len(place), 0, -1):
        if place[:length] in lines:
            return lines[place[:length]]
    return 1


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines: dict[KeyPath, int] = {}
        self._counts: dict[KeyPath, int] = {}  # elements so far of each array of tables
        self._counted, self._number = 0, 1  # offset up to which newlines are counted, and its line

    def scan(self) -> Mapping[KeyPath, int]:
        table: KeyPath = ()
        self._blank()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._blank()
        return self._lines

    def _header(self) -> KeyPath:
        line, many = self._line(), self._text.startswith("[[", self._at)
        self._at += 2 if many else 1
        names = self._names()
        self._at = self._text.index("]", self._at) + (2 if many else 1)
        place: KeyPath = ()
        for name in names[:-1]:
            place = (*place, name)
            if place in self._counts:
                place = (*place, self._counts[place] - 1)
        place = (*place, names[-1])
        if many:
            self._lines.setdefault(place, line)
            self._counts[place] = self._counts.get(place, 0) + 1
            place = (*place, self._counts[place] - 1)
        self._lines[place] = line
        return place

    def _pair(self, table: KeyPath) -> None:
        line, place = self._line(), table
        for name in self._names():
            place = (*place, name)
            self._lines.setdefault(place, line)
        self._at = self._text.index("=", self._at) + 1
        self._value(place)

    def _value(self, place: KeyPath) -> None:
        self._blank()
        self._lines.setdefault(place, self._line())
        letter = self._text[self._at : self._at + 1]
        if letter == "[":
            self._many("]", place)
        elif letter == "{":
            self._many("}", place)
        else:
            found = _TEXT.match(self._text, self._at) or _BARE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()

    def _many(self, closing: str, place: KeyPath) -> None:
        """Scan the elements of an array, or the pairs of an inline table."""
        self._at += 1
        number = 0
        self._blank()
        while self._at < len(self._text) and self._text[self._at] != closing:
            if closing == "]":
                self._value((*place, number))
            else:
                self._pair(place)
            number += 1
            self._blank()
            if self._text[self._at : self._at + 1] == ",":
                self._at += 1
                self._blank()
        self._at += 1

    def _names(self) -> list[str]:
        names = []
        while True:
            self._blank()
            found = _KEY.match(self._text, self._at)
            if found is None:
                raise ValueError(f"line {self._line()}: no key")
            names.append(found[0].strip("\"'"))
            self._at = found.end()
            self._blank()
            if self._text[self._at : self._at + 1] != ".":
                return names
            self._at += 1

    def _blank(self) -> None:
        found = _BLANK.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _line(self) -> int:
        self._number += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._number
