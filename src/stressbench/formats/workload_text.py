"""Words of the workload language (.sb): how values are written, and how the text of statements is read.

The rules are those of the engine's reader, engine/workload/statement.cpp: blanks separate words, `#` at the beginning
of a word starts a comment, `${NAME}` is a variable. Within quotes, a backslash escapes `"`, `$` and itself.
"""

import re
from collections.abc import Mapping

from stressbench.errors import UserError

STATEMENT = re.compile(r"^[ \t]*\[(?P<key>[A-Z_]+)\](?P<rest>[^\n]*(?:\n(?![ \t]*\[)[^\n]*)*)", re.MULTILINE)
"""A statement: its `key`, and the `rest` including continuation lines."""
_QUOTED = r'"(?P<inner>(?>\\["\\$]|[^"\n])*)"?'
_VARIABLE = r"\$\{(?P<name>\w+)\}"
_QUOTED_OR_COMMENT = re.compile(rf"{_QUOTED}|(?:^|(?<=[ \t\n]))#[^\n]*")
_PIECE = re.compile(rf"{_VARIABLE}|{_QUOTED}|(?P<plain>.)", re.DOTALL)
_QUOTED_PIECE = re.compile(rf'{_VARIABLE}|\\(?P<escaped>["\\$])|(?P<plain>.)', re.DOTALL)
_SPECIAL = re.compile(r'["\\$]')
_OPTION = re.compile(r"-[A-Za-z]|--[A-Za-z][\w-]*")
_NOT_ALLOWED = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")


class WorkloadTextError(UserError):
    """A value cannot be written in a workload: it has a control character, or bytes that are not UTF-8."""


def quote(value: str) -> str:
    """The word whose value is `value`: quoted if it would be split, expanded, or read as an option or a comment.

    Raises WorkloadTextError.
    """
    is_plain = value and value[0] not in "-[" and not any(letter in ' \t"\\$#' for letter in value)
    return value if is_plain and value.isprintable() else in_quotes(value)


def in_quotes(value: str) -> str:
    """As `quote`, with quotes in any case. Raises WorkloadTextError."""
    return f'"{escaped(value)}"'


def escaped(value: str) -> str:
    """The value as it is written between quotes. Raises WorkloadTextError."""
    if found := _NOT_ALLOWED.search(value):
        what = "a newline" if found[0] == "\n" else f"character {ord(found[0]):#04x}"
        if "\ud800" <= found[0] <= "\udfff":
            what = "bytes that are not UTF-8"
        raise WorkloadTextError(f"{value!r} has {what}, which workload files cannot contain; expected another name")
    return _SPECIAL.sub(lambda special: f"\\{special[0]}", value)


def job_head(job: str, *, nodes: int | None) -> str:
    """The lines before the motifs of a workload of one job, whose nodes `--set nodes=N` changes. None: one node.

    Raises WorkloadTextError.
    """
    return f"[SET] nodes={nodes or 1}\n\n[JOB_NAME] {quote(job)}\n[NODES] ${{nodes}}"


def quote_argument(word: str, *, variables: bool = False) -> str:
    """A command-line word of a motif: options stay options, and anything else is a value.

    `variables`: `${NAME}` in a value is replaced by the engine. Raises WorkloadTextError.
    """
    option, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
    if _OPTION.fullmatch(option):
        return f"{option}{equals}{_value(value, variables=variables) if equals else ''}"
    return _value(word, variables=variables)


def _value(value: str, *, variables: bool) -> str:
    parts = re.split(_VARIABLE, value) if variables else [value]
    if len(parts) == 1:
        return quote(value)
    literals = [escaped(text) for text in parts[::2]]
    names = [f"${{{name}}}" for name in parts[1::2]] + [""]
    text = "".join(literal + name for literal, name in zip(literals, names, strict=True))
    is_plain = all(not literal or quote(f"x{literal}") == f"x{literal}" for literal in literals)
    return text if is_plain else f'"{text}"'


def without_comments(text: str) -> str:
    """The text of a statement without its comments."""
    return _QUOTED_OR_COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", text)


def expanded(text: str, variables: Mapping[str, str | None]) -> str | None:
    """The text without quotes and with variables replaced, None where a variable is unknown."""
    values: list[str] = []
    for name, letters in _pieces(text):
        value = variables.get(name) if name else letters
        if value is None:
            return None
        values.append(value)
    return "".join(values)


def inner_text(word: str) -> str:
    """The word as it is written between one pair of quotes. Variables stay variables. Raises WorkloadTextError."""
    return "".join(f"${{{name}}}" if name else escaped(letters) for name, letters in _pieces(word))


def _pieces(text: str) -> list[tuple[str, str]]:
    """The name of each variable, and the literal characters before, between and after variables."""
    pieces: list[tuple[str, str]] = []
    for found in _PIECE.finditer(text):
        if found["inner"] is None:
            pieces.append((found["name"] or "", found["plain"] or ""))
            continue
        parts = _QUOTED_PIECE.finditer(found["inner"])
        pieces += [(part["name"] or "", part["escaped"] or part["plain"] or "") for part in parts]
    return pieces
