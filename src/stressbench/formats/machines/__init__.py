"""Files of `stressbench machine`: the published result of a machine, and the settings of the directory behind it."""

from stressbench.formats.machines.result import (
    FILE,
    MachineFigure,
    MachineResult,
    Percentiles,
    Provenance,
    Skipped,
    Source,
    SuiteFacts,
    read_machine,
    sealed,
    to_json,
)
from stressbench.formats.machines.settings import (
    SETTINGS_FILE,
    SUITE_VERSION,
    Part,
    SuiteSettings,
    read_settings,
    settings_json,
)
from stressbench.formats.machines.vocabulary import Better, Unit

__all__ = [
    "FILE", "SETTINGS_FILE", "SUITE_VERSION", "Better", "MachineFigure", "MachineResult", "Part", "Percentiles",
    "Provenance", "Skipped", "Source", "SuiteFacts", "SuiteSettings", "Unit", "read_machine", "read_settings", "sealed",
    "settings_json", "to_json",
]  # fmt: skip
