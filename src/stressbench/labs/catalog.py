"""Lookup of labs named on the command line: shipped labs and files."""

from importlib.resources import files
from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.toml.complaints import unknown_message

_ENDING = ".toml"


def shipped() -> tuple[str, ...]:
    """Names of the shipped labs."""
    found = (entry.name for entry in files("stressbench.labs").joinpath("shipped").iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)))


def lab_file(word: str) -> Path:
    """Path of the shipped lab with this name, or of the file `word`. Raises LabMistake if it is neither."""
    if word in shipped():
        return Path(str(files("stressbench.labs").joinpath("shipped", word + _ENDING)))
    if word.endswith(_ENDING) or "/" in word:
        if not Path(word).is_file():
            raise LabMistake(f"{word} is not a file")
        return Path(word)
    raise LabMistake(f"{unknown_message('lab', word, shipped())}; a file's name ends in {_ENDING}")
