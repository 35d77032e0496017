"""Studies shipped with StressBench, by name, and the folders they need, in a checkout or an installed package.

pyproject.toml puts a checkout's `studies`, `workloads` and `schema` into the package's `shipped`, side by side as they
lie in the checkout, so that a study finds its workloads by the same relative path.
"""

from importlib.resources import files
from pathlib import Path

from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import read_study
from stressbench.formats.toml import unknown_message
from stressbench.results.study_plan import ShippedStudy

_ENDING = ".toml"
_PLATFORMS = "platforms"  # labs for studies that simulate


def shipped_folder(name: str) -> Path:
    """The folder of this name: `studies`, `workloads` or `schema`."""
    package = Path(str(files("stressbench")))
    installed = package / "shipped" / name
    return installed if installed.is_dir() else package.parents[1] / name


def shipped() -> tuple[str, ...]:
    """Names of the shipped studies, such as `small` and `lab/gpcnet`, those without a folder first."""
    folder = shipped_folder("studies")
    found = (path.relative_to(folder).with_suffix("") for path in folder.rglob(f"*{_ENDING}"))
    names = [name.as_posix() for name in found if name.parts[0] != _PLATFORMS]
    return tuple(sorted(names, key=lambda name: (name.count("/"), name)))


def shipped_studies() -> tuple[ShippedStudy, ...]:
    """All shipped studies, in the order of `shipped`."""
    studies = ((name, read_study(study_file(name))[0]) for name in shipped())
    return tuple(
        ShippedStudy(study=name, cells=len(study.cells), runs=len(study.runs), about=study.about)
        for name, study in studies
    )


def study_file(word: str) -> Path:
    """The file of a study, where `word` is the name of a shipped study or a path. Raises StudyMistake otherwise."""
    if word in (names := shipped()):
        return shipped_folder("studies") / f"{word}{_ENDING}"
    if word.endswith(_ENDING) or Path(word).exists():
        return Path(word)
    raise StudyMistake(f"{unknown_message('study', word, names)}; a file's name ends in {_ENDING}")
