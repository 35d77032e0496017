"""The settings of `stressbench machine run`, which its directory keeps so that `machine resume` continues with them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from stressbench.formats.bounds import CHECK_INT64, Name, Sentence
from stressbench.formats.machines.reading import parse_file
from stressbench.formats.machines.vocabulary import Part as Part
from stressbench.formats.run.records import Positive

SUITE_VERSION = 1
"""Version of the suite: another one measures something else, so that its figures are not compared with these."""
SETTINGS_FILE = "settings.json"
_TYPE: Literal["machine-settings"] = "machine-settings"


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class SuiteSettings:
    """What is measured, and where. `on`: the launch target. `storage`: directory of files, as ranks see it.

    `ranks` and `ranks_per_node` are None for those of the launch target. `label`: name of the machine in its result.
    `host_names`: the result names the hosts. `engine`: path of stressbench-mpi, None for the one that is found.
    """

    type: Literal["machine-settings"] = _TYPE
    schema_version: Literal[1] = 1
    suite: Positive = SUITE_VERSION
    on: Name
    ranks: Positive | None
    ranks_per_node: Positive | None
    storage: Sentence | None
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    seed: Annotated[int, Field(ge=0), CHECK_INT64]
    quick: bool
    label: Name | None
    host_names: bool
    engine: Sentence | None


_ADAPTER: TypeAdapter[SuiteSettings] = TypeAdapter(SuiteSettings)


def settings_json(settings: SuiteSettings) -> str:
    """The settings as indented JSON with a newline at the end."""
    return _ADAPTER.dump_json(settings, indent=2).decode() + "\n"


def read_settings(path: Path) -> SuiteSettings:
    """The settings in the file at `path`. Raises MachineFileError."""
    settings, _ = parse_file(path, SuiteSettings, type_=_TYPE)
    return settings
