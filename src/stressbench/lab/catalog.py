"""Which lab a word on the command line means: one that ships, or a file."""

from importlib.resources import files
from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.toml.complaints import unknown

_ENDING = ".toml"


def shipped() -> tuple[str, ...]:
    """Names of the labs that ship."""
    found = (entry.name for entry in files("stressbench.lab").joinpath("shipped").iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING)))


def lab_file(word: str) -> Path:
    """The file of a shipped lab, or the path that the word is. LabMistake where it is neither."""
    if word in shipped():
        return Path(str(files("stressbench.lab").joinpath("shipped", word + _ENDING)))
    if word.endswith(_ENDING) or "/" in word:
        if not Path(word).is_file():
            raise LabMistake(f"{word} is not a file")
        return Path(word)
    raise LabMistake(f"{unknown('lab', word, shipped())}; a file's name ends in {_ENDING}")
