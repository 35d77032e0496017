"""From options to a study file's text: what the commands that make studies share."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from stressbench.formats.study.errors import StudyFileMistake, StudyMistake
from stressbench.formats.toml import toml_text


@contextmanager
def told_as_options(source: str, options: Mapping[str, str]) -> Iterator[None]:
    """Mistakes of the file `source` that was made are told as those of options, its keys replaced. StudyMistake."""
    line = re.compile(rf"{source}:\d+: ")

    def as_typed(message: str) -> str:
        text = line.sub("", message)
        for key, option in options.items():
            text = text.replace(key, option)
        return text

    try:
        yield
    except StudyFileMistake as mistake:
        raise StudyMistake("\n".join(map(as_typed, mistake.messages))) from mistake


def rank_counts(text: str | None) -> list[int]:
    """`2,4,8`. Raises StudyMistake."""
    found: list[int] = []
    for word in text.split(",") if text is not None else ():
        if not (word.isascii() and word.isdigit() and int(word) > 0) or int(word) in found:
            raise StudyMistake(f"-n: '{word}': expected numbers of ranks, each once, such as 2,4,8")
        found.append(int(word))
    return found


def variables(texts: Sequence[str]) -> dict[str, list[str]]:
    """`NAME=VALUE` of each, values of one name together. Raises StudyMistake."""
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None or not equals:
            raise StudyMistake(f"--set {text}: expected NAME=VALUE")
        if value in found.setdefault(name, []):
            raise StudyMistake(f"--set {text}: is given twice")
        found[name].append(value)
    return found


def table_lines(name: str, values: Mapping[str, object]) -> Iterator[str]:
    """A table of the file with what is not None."""
    given = {key: value for key, value in values.items() if value is not None}
    if given:
        yield f"[{name}]"
        yield from (f"{key} = {toml_text(value)}" for key, value in given.items())
