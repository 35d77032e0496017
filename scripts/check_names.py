"""Check that replaced names are not used again as identifiers in engine/, tracer/, src/, benchmarks/ or tests/.

    python scripts/check_names.py [CHECKOUT]

Prints one line per violation, `FILE:LINE: OLD is called NEW now`, and exits with status 1 if there is any. Comments and
strings are not searched, because many old names are ordinary English words. For the same reason each table below states
how its names are matched. C++ is searched for definitions of types, calls of functions and words in identifiers; Python
for all definitions (with `ast`): classes, functions, arguments, variables, attributes and modules. Underscores around a
name do not matter. Names of tests are sentences and are not searched. Keys of files and of `--json` (property names in
schema/ and keys in tests/golden/data/json) may contain the words, since they do not change. Phrases are searched for in
all text, including the documentation.
"""

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CPP_FOLDERS = ("engine", "tracer", "tests/engine", "tests/tracer")
PYTHON_FOLDERS = ("src", "tracer", "benchmarks", "tests")
OWN_TEST = "tests/unit/test_renamed.py"  # contains old names as examples
CPP_SUFFIXES = (".c", ".cpp", ".h", ".hpp", ".inc")

# Types: exact names of classes, structures, enumerations, type aliases and template parameters.
CPP_TYPES = {
    "Crew": "JobGroup",
    "Cast": "JobLayout",
    "Muster": "CompletionBarrier",
    "Care": "StartBarrier",
    "Rest": "Throttle",
    "Tally": "SampleBuffer",
    "Wire": "RootChannel",
    "Kept": "HistogramRef",
    "OwnHistogram": "MotifHistogram",
    "Stillness": "StallDetector",
    "Whereabouts": "RankStatus",
    "DecomposesAlone": "SerialSetup",
    "Script": "CallList",
    "Act": "Call",
    "Performance": "CallListExecutor",
    "Score": "ReplayPlan",
    "Player": "ReplayState",
    "Standing": "PreexistingCommunicators",
    "Wish": "AccessRequirements",
    "Laid": "FileRegion",
    "Order": "...Order",
    "Side": "...Side",
}
PYTHON_TYPES = {
    "Wish": "LaunchRequest",
    "Ending": "RunResult",
    "Patience": "StopPolicy",
    "Place": "LaunchTarget",
    "Shared": "SharedTarget",
    "Asked": "...Options",
    "Typed": "...Options",
    "Wanted": "...Options",
    "Order": "ScheduledRun",
    "Errand": "MeasurementSpec",
    "Companion": "BackgroundLoad",
    "Launches": "MeasurementRunner",
    "Ended": "MeasurementAborted",
    "Turns": "LaunchSweep",
    "Compressed": "CompressionData",
    "Suffered": "CongestionLevel",
    "Portrait": "ProfileSummary",
    "Side": "ProbeStatistics",
    "CannotTell": "Inconclusive",
    "SharesAndWaits": "LinkShareDelay",
    "Foretold": "ModelPrediction",
    "Seating": "PlacementPlan",
    "Standing": "RunState",
    "Campaign": "StudyRunner",
    "Material": "StudyData",
    "Leaf": "Document",
    "Sheet": "Table",
    "Keeper": "LabSupervisor",
    "Talk": "ControlChannel",
    "Slot": "LabDirectory",
    "Meter": "LinkCounterServer",
}

# Functions: called in C++, defined in Python (with or without underscores before the name).
CPP_FUNCTIONS = {
    "settle": "bind",
    "review": "reduce_metrics",
    "conclude": "finish",
    "observes": "is_timed",
    "spoil": "poison_payload",
    "remarks": "notes",
}
PYTHON_FUNCTIONS = {"tell": "emit, log", "say": "emit, log"}

# Words: as part of any identifier or file name, in any spelling (`Errand`, `errands`, `the_errand`).
CPP_WORDS = {
    "crew": "job_group",
    "muster": "completion_barrier",
    "stillness": "stall_detector",
    "whereabouts": "rank_status",
    "gentle_barrier": "sleeping_barrier",
    "keeps_to_itself": "per_rank_files",
    "stamp": "payload pass",
    "told": "reported",
    "alone": "isolated",
    "together": "contended, collectively",
}
PYTHON_WORDS = {
    "wish": "request",
    "errand": "spec",
    "suffering": "compression_analysis",
    "suffered": "congestion_level",
    "portrait": "summary",
    "cannot_tell": "inconclusive",
    "shares_and_waits": "link_share_delay",
    "foretold": "prediction",
    "seating": "placement_plan",
    "spared": "skipped",
    "campaign": "runner",
    "keeper": "supervisor",
    "be_prompt": "raise_priority",
    "putting_back": "restore",
    "card": "nic",
    "told": "reported",
    "talk": "channel, profiles",
    "material": "data",
    "companion": "background_load",
    "alone": "isolated",
    "together": "contended",
}

# Modules and packages with exactly this name.
PYTHON_MODULES = {"finding": "impact_analysis", "judging": "validation"}
PYTHON_PACKAGES = {"sensitivity": "interference"}

# Phrases that are not terms of the field, anywhere in a line.
PHRASES = {
    "How to tell it": "Output format",
    "is to become of": "Change to apply",
    "nobody can tell": "no confidence interval is available",
    "too heavy for it": "congestion levels above it are dropped",
    "links of ours": "link rates cannot be controlled on this target",
    "killed at any moment": "can be killed at any time",
    "what others are over": "all factors are relative to it",
    "Who is done early": "Jobs that finish early",
}
PHRASE_FOLDERS = ("engine", "tracer", "src", "docs", "benchmarks", "studies", "workloads", "tests")
PHRASE_FILES = ("README.md", "CONTRIBUTING.md")
PHRASE_SUFFIXES = (*CPP_SUFFIXES, ".py", ".md", ".toml", ".sb", ".ipynb")

# Exceptions by path and old name, with the reason. An exception that is not needed is a violation, too.
ALLOWED = {
    ("src/stressbench/experiments/study/unpacking.py", "tell"): "a method that tarfile calls",
}

NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
DEFINES_TYPE = re.compile(r"\b(?:class|struct|union|enum(?: +(?:class|struct))?|using)\s+$")
NAME_OF_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\([^)]*\)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """An old name in use. `path` is relative to the checkout."""

    path: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old} is called {self.new} now"


def words_in(identifier: str) -> str:
    """The identifier's words in lower case, each between underscores: `_errand_of_`."""
    return "_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower().strip("_") + "_"


def word_in(identifier: str, words: dict[str, str]) -> str | None:
    """The first of `words` that occurs in the identifier, in singular or plural; None if none does."""
    parts = words_in(identifier)
    return next((old for old in words if f"_{old}_" in parts or f"_{old}s_" in parts), None)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def format_keys(checkout: Path) -> frozenset[str]:
    """Keys of files and of `--json`: property names of the schemas, and keys of the golden JSON output."""
    keys: set[str] = set()

    def collect(value: Any, *, is_schema: bool) -> None:
        if isinstance(value, dict):
            keys.update(value.get("properties", {}) if is_schema else value)
            for inner in value.values():
                collect(inner, is_schema=is_schema)
        elif isinstance(value, list):
            for inner in value:
                collect(inner, is_schema=is_schema)

    for folder, is_schema in (("schema", True), ("tests/golden/data/json", False)):
        for file in (checkout / folder).glob("*.json"):
            collect(json.loads(file.read_text(encoding="utf-8")), is_schema=is_schema)
    return frozenset(keys)


def in_cpp(path: str, source: str) -> Iterator[Finding]:
    """Old names in the code of a C++ file and in its file name."""
    code = NAME_OF_TEST.sub(_blank, NOT_CODE.sub(_blank, source))
    if old := word_in(Path(path).stem, CPP_WORDS):
        yield Finding(path=path, line=1, old=old, new=CPP_WORDS[old])
    for number, line in enumerate(code.splitlines(), start=1):
        for match in IDENTIFIER.finditer(line):
            name, behind = match.group(), line[match.end() :]
            bare = name.strip("_")
            if bare in CPP_TYPES and DEFINES_TYPE.search(line[: match.start()]):
                yield Finding(path=path, line=number, old=bare, new=CPP_TYPES[bare])
            elif bare in CPP_FUNCTIONS and behind.lstrip().startswith("("):
                yield Finding(path=path, line=number, old=bare, new=CPP_FUNCTIONS[bare])
            elif old := word_in(name, CPP_WORDS):
                yield Finding(path=path, line=number, old=old, new=CPP_WORDS[old])


def defined_in(tree: ast.AST) -> Iterator[tuple[str, int, bool]]:
    """Name, line, and whether it is a function, of everything that a module defines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node.lineno, True
            case ast.ClassDef():
                yield node.name, node.lineno, False
            case ast.arg():
                yield node.arg, node.lineno, _is_function(node.annotation)
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node.lineno, _is_function(node.annotation)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno, False
            case ast.alias(asname=str(name)):
                yield name, node.lineno, False


def _is_function(annotation: ast.expr | None) -> bool:
    return annotation is not None and "Callable" in ast.unparse(annotation)


def in_python(path: str, source: str, keys: Set[str] = frozenset()) -> Iterator[Finding]:
    """Old names that a module defines, and those in its path. `keys` of file formats may contain old words."""
    *packages, module = Path(path).with_suffix("").parts
    for part in (*packages, module):
        if old := word_in(part, PYTHON_WORDS):
            yield Finding(path=path, line=1, old=old, new=PYTHON_WORDS[old])
    for old in PYTHON_PACKAGES.keys() & set(packages):
        yield Finding(path=path, line=1, old=old, new=PYTHON_PACKAGES[old])
    if module in PYTHON_MODULES:
        yield Finding(path=path, line=1, old=module, new=PYTHON_MODULES[module])
    for name, line, is_function in sorted(set(defined_in(ast.parse(source))), key=lambda one: one[1]):
        bare = name.strip("_")
        if is_function and path.startswith("tests/") and name.startswith("test_"):
            continue
        if bare in PYTHON_TYPES:
            yield Finding(path=path, line=line, old=bare, new=PYTHON_TYPES[bare])
        elif is_function and bare in PYTHON_FUNCTIONS:
            yield Finding(path=path, line=line, old=bare, new=PYTHON_FUNCTIONS[bare])
        elif name not in keys and (old := word_in(name, PYTHON_WORDS)):
            yield Finding(path=path, line=line, old=old, new=PYTHON_WORDS[old])


def in_text(path: str, text: str) -> Iterator[Finding]:
    """Old phrases in a text."""
    for number, line in enumerate(text.splitlines(), start=1):
        for old, new in PHRASES.items():
            if old in line:
                yield Finding(path=path, line=number, old=old, new=new)


def findings(checkout: Path) -> Iterator[Finding]:
    """Every old name in use, in order of file and line."""
    keys = format_keys(checkout)
    for file in _files_in(checkout, (*CPP_FOLDERS, *PYTHON_FOLDERS)):
        path = file.relative_to(checkout).as_posix()
        if file.suffix in CPP_SUFFIXES and path.startswith(tuple(f"{folder}/" for folder in CPP_FOLDERS)):
            yield from in_cpp(path, file.read_text(encoding="utf-8"))
        elif file.suffix == ".py" and path.startswith(tuple(f"{folder}/" for folder in PYTHON_FOLDERS)):
            yield from in_python(path, file.read_text(encoding="utf-8"), keys)
    files = [one for name in PHRASE_FILES if (one := checkout / name).exists()]
    for file in (*_files_in(checkout, PHRASE_FOLDERS), *files):
        if file.suffix in PHRASE_SUFFIXES:
            yield from in_text(file.relative_to(checkout).as_posix(), file.read_text(encoding="utf-8"))


def _files_in(checkout: Path, folders: Iterable[str]) -> list[Path]:
    """All files in these folders, each once, in order, except the test of this script."""
    found = {file for folder in folders for file in (checkout / folder).rglob("*") if file.is_file()}
    return sorted(file for file in found if file.relative_to(checkout).as_posix() != OWN_TEST)


def violations(checkout: Path, excepted: Set[tuple[str, str]]) -> Iterator[str]:
    """One line of text per old name that is not excepted, and per exception that is not needed."""
    all_findings = list(findings(checkout))
    yield from (str(one) for one in all_findings if (one.path, one.old) not in excepted)
    for path, old in sorted(excepted - {(one.path, one.old) for one in all_findings}):
        yield f"scripts/check_names.py: {path} does not use {old} any more; take the entry out"


def main() -> int:
    """Print all violations. Exit status 1 if there is any."""
    lines = list(violations(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT, ALLOWED.keys()))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
