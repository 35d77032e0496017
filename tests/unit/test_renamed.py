"""scripts/check_names.py finds names that were replaced, as identifiers and with their lines."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_CPP = {
    "a class": ("engine/a.hpp", "\nclass Crew final {};", 2, "Crew", "JobGroup"),
    "a declared class": ("engine/a.hpp", "class Care;", 1, "Care", "StartBarrier"),
    "an enumeration": ("engine/a.hpp", "enum class Rest { some };", 1, "Rest", "Throttle"),
    "an alias": ("engine/a.hpp", "using Tally = int;", 1, "Tally", "SampleBuffer"),
    "a function": ("engine/a.cpp", "// settle\nmotif->settle(group);", 2, "settle", "bind"),
    "a word in a variable": ("tracer/a.hpp", "int muster_count_ = 0;", 1, "muster", "completion_barrier"),
    "a word in a type": ("engine/a.hpp", "struct TheWhereabouts;", 1, "whereabouts", "rank_status"),
    "a file": ("engine/crew.hpp", "", 1, "crew", "job_group"),
    "behind a raw string": ("engine/a.cpp", 'auto a = R"(")"; struct Wire {};', 1, "Wire", "RootChannel"),
}
IN_PYTHON = {
    "a class": ("src/a.py", "\n\nclass Turns: ...", 3, "Turns", "LaunchSweep"),
    "a class of a module's own": ("src/a.py", "class _Order: ...", 1, "Order", "ScheduledRun"),
    "an alias": ("src/a.py", "Place = str", 1, "Place", "LaunchTarget"),
    "an import under an old name": ("src/a.py", "import b as Leaf", 1, "Leaf", "Document"),
    "a function": ("src/a.py", "def _told(): ...", 1, "told", "report_errors"),
    "an argument that is a function": ("src/a.py", "def f(say: Callable[[], None]): ...", 1, "say", "emit, log"),
    "a word in a function": ("src/a.py", "def put(): ...\ndef errands_of(): ...", 2, "errand", "spec"),
    "a word in an argument": ("src/a.py", "def f(card: str): ...", 1, "card", "nic"),
    "a word in a variable": ("src/a.py", "the_wish = 1", 1, "wish", "request"),
    "a word in an attribute": ("src/a.py", "a.campaign = 1", 1, "campaign", "runner"),
    "a word in a field": ("src/a.py", "class A:\n    portrait: str", 2, "portrait", "summary"),
    "two words": ("src/a.py", "class NobodyCannotTell: ...", 1, "cannot_tell", "inconclusive"),
    "a module": ("src/judging.py", "", 1, "judging", "validation"),
    "a package": ("src/sensitivity/a.py", "", 1, "sensitivity", "interference"),
    "a script of the tracer": ("tracer/a.py", "wish = 1", 1, "wish", "request"),
}
RATES = "link rates cannot be controlled on this target"
IN_TEXT = {
    "a phrase in a comment": ("engine/a.cpp", "\n// has no links of ours", 2, "links of ours", RATES),
    "a phrase in a string": ("src/a.py", 'sentence = "has no links of ours"', 1, "links of ours", RATES),
    "a phrase in the documentation": ("docs/a.md", "It has no links of ours.", 1, "links of ours", RATES),
}
ALLOWED = {
    "comments and strings": ("engine/a.cpp", '// Crew\n/* Muster */ auto a = "Tally";'),
    "ordinary words in C++": ("engine/a.cpp", "int rest = 0, kept, stamp_ = act(rest); bool together = care;"),
    "a template's parameter": (
        "engine/a.hpp",
        "template <class First, class... Rest> void f(Rest&& rest); template <class Rest>",
    ),
    "parts of other words": ("engine/a.cpp", "Broadcast cast_rank; Restart restart; TallyMan wired;"),
    "ordinary words in Python": ("src/a.py", "place, order, side, told, leaf, slot = 1, 2, 3, 4, 5, 6\n# Errand, wish"),
    "a use, since the definition is found": ("src/a.py", "from b import Campaign\nCampaign()"),
    "a command of this name": ("src/cli/sensitivity.py", "'a campaign'"),
    "parts of words in Python": ("src/a.py", "discard, cardinal, wished = 1, 2, 3"),
}


@pytest.fixture(scope="module")
def check_names() -> ModuleType:
    sys.path.insert(0, str(ROOT / "scripts"))
    return importlib.import_module("check_names")


def checkout(folder: Path, path: str, source: str) -> Path:
    (folder / path).parent.mkdir(parents=True)
    (folder / path).write_text(source, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "case", [*IN_CPP.values(), *IN_PYTHON.values(), *IN_TEXT.values()], ids=[*IN_CPP, *IN_PYTHON, *IN_TEXT]
)
def test_an_old_name_is_found(check_names: ModuleType, tmp_path: Path, case: tuple[str, str, int, str, str]) -> None:
    path, source, line, old, new = case

    found = list(check_names.violations(checkout(tmp_path, path, source), frozenset()))

    assert found == [f"{path}:{line}: {old} is called {new} now"]


@pytest.mark.parametrize("case", ALLOWED)
def test_what_is_no_old_name_passes(check_names: ModuleType, tmp_path: Path, case: str) -> None:
    assert list(check_names.violations(checkout(tmp_path, *ALLOWED[case]), frozenset())) == []


def test_an_exception_holds_for_one_name_in_one_file(check_names: ModuleType, tmp_path: Path) -> None:
    tree = checkout(tmp_path, "src/a.py", "wish = 1\ncard = 2")

    found = list(check_names.violations(tree, {("src/a.py", "wish")}))

    assert found == ["src/a.py:2: card is called nic now"]


def test_an_exception_that_is_not_needed_is_a_violation(check_names: ModuleType, tmp_path: Path) -> None:
    tree = checkout(tmp_path, "src/a.py", "request = 1")

    (found,) = check_names.violations(tree, {("src/a.py", "wish")})

    assert found == "scripts/check_names.py: src/a.py does not use wish any more; take the entry out"


def test_this_checkout_has_none(check_names: ModuleType) -> None:
    assert list(check_names.violations(ROOT, check_names.ALLOWED.keys())) == []
