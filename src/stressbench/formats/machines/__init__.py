"""Files of `stressbench machine`: the result of a machine, settings of the directory behind it, acceptance criteria."""

from stressbench.formats.machines.criteria import (
    Criteria,
    CriteriaMistake,
    Criterion,
    FigureKind,
    parse_criteria,
)
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
    "FILE", "SETTINGS_FILE", "SUITE_VERSION", "Better", "Criteria", "CriteriaMistake", "Criterion", "FigureKind",
    "MachineFigure", "MachineResult", "Part", "Percentiles", "Provenance", "Skipped", "Source", "SuiteFacts",
    "SuiteSettings", "Unit", "parse_criteria", "read_machine", "read_settings", "sealed", "settings_json", "to_json",
]  # fmt: skip
