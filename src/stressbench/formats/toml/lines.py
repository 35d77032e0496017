"""The line number of each key of a valid TOML text, which tomllib does not report. Pure."""

import re
from collections.abc import Mapping

KeyPath = tuple[str | int, ...]
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_UNQUOTED_VALUE = re.compile(r"[^,\]}\n#]*")


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
        self._offset = 0
        self._lines: dict[KeyPath, int] = {}
        self._counts: dict[KeyPath, int] = {}  # elements so far of each array of tables
        self._counted_to, self._number = 0, 1  # offset up to which newlines are counted, and its line

    def scan(self) -> Mapping[KeyPath, int]:
        table: KeyPath = ()
        self._skip_blank()
        while self._offset < len(self._text):
            if self._text[self._offset] == "[":
                table = self._header()
            else:
                self._key_value(table)
            self._skip_blank()
        return self._lines

    def _header(self) -> KeyPath:
        line, is_array = self._line_number(), self._text.startswith("[[", self._offset)
        self._offset += 2 if is_array else 1
        names = self._key_parts()
        self._offset = self._text.index("]", self._offset) + (2 if is_array else 1)
        place: KeyPath = ()
        for name in names[:-1]:
            place = (*place, name)
            if place in self._counts:
                place = (*place, self._counts[place] - 1)
        place = (*place, names[-1])
        if is_array:
            self._lines.setdefault(place, line)
            self._counts[place] = self._counts.get(place, 0) + 1
            place = (*place, self._counts[place] - 1)
        self._lines[place] = line
        return place

    def _key_value(self, table: KeyPath) -> None:
        line, place = self._line_number(), table
        for name in self._key_parts():
            place = (*place, name)
            self._lines.setdefault(place, line)
        self._offset = self._text.index("=", self._offset) + 1
        self._value(place)

    def _value(self, place: KeyPath) -> None:
        self._skip_blank()
        self._lines.setdefault(place, self._line_number())
        first = self._text[self._offset : self._offset + 1]
        if first == "[":
            self._elements("]", place)
        elif first == "{":
            self._elements("}", place)
        else:
            match = _STRING.match(self._text, self._offset) or _UNQUOTED_VALUE.match(self._text, self._offset)
            assert match is not None
            self._offset = match.end()

    def _elements(self, closing: str, place: KeyPath) -> None:
        """Scan the elements of an array, or the pairs of an inline table."""
        self._offset += 1
        number = 0
        self._skip_blank()
        while self._offset < len(self._text) and self._text[self._offset] != closing:
            if closing == "]":
                self._value((*place, number))
            else:
                self._key_value(place)
            number += 1
            self._skip_blank()
            if self._text[self._offset : self._offset + 1] == ",":
                self._offset += 1
                self._skip_blank()
        self._offset += 1

    def _key_parts(self) -> list[str]:
        names = []
        while True:
            self._skip_blank()
            match = _KEY.match(self._text, self._offset)
            if match is None:
                raise ValueError(f"line {self._line_number()}: no key")
            names.append(match[0].strip("\"'"))
            self._offset = match.end()
            self._skip_blank()
            if self._text[self._offset : self._offset + 1] != ".":
                return names
            self._offset += 1

    def _skip_blank(self) -> None:
        match = _BLANK.match(self._text, self._offset)
        assert match is not None
        self._offset = match.end()

    def _line_number(self) -> int:
        self._number += self._text.count("\n", self._counted_to, self._offset)
        self._counted_to = self._offset
        return self._number
