"""scripts/check_names.py finds names that were replaced, as identifiers and with their lines."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

IN_CPP = {
    "a class": ("engine/a.hpp", "\nclass Crew final {};", 2, "Crew", "JobGroup"),
    "a declared class": ("engine/a.hpp", "class Care;", 1, "Care", "StartBarrier"),
    "an enumeration": ("engine/a.hpp", "enum class Rest { some };", 1, "Rest", "Throttle"),
    "an alias": ("engine/a.hpp", "using Tally = int;", 1, "Tally", "SampleBuffer"),
    "a function": ("engine/a.cpp", "// settle\nmotif->settle(group);", 2, "settle", "bind"),
    "a word in a variable": ("tracer/a.hpp", "int muster_count_ = 0;", 1, "muster", "completion_barrier"),
    "a word in a type": ("engine/a.hpp", "struct TheWhereabouts;", 1, "whereabouts", "rank_status"),
    "a file": ("engine/crew.hpp", "", 1, "crew", "job_group"),
    "a template's parameter": ("engine/a.hpp", "template <class Act> void f();", 1, "Act", "Call"),
    "a type with an underscore": ("engine/a.hpp", "struct Tally_;", 1, "Tally", "SampleBuffer"),
    "a function with an underscore": ("engine/a.cpp", "settle_(group);", 1, "settle", "bind"),
    "a member": ("engine/a.hpp", "std::uint64_t stamp_ = 0;", 1, "stamp", "payload pass"),
    "a word before an underscore": ("engine/a.hpp", "int told__ = 0;", 1, "told", "reported"),
    "a test of the engine": ("tests/engine/a_test.cpp", "\nint alone = 0;", 2, "alone", "isolated"),
    "behind a raw string": ("engine/a.cpp", 'auto a = R"(")"; struct Wire {};', 1, "Wire", "RootChannel"),
}
IN_PYTHON = {
    "a class": ("src/a.py", "\n\nclass Turns: ...", 3, "Turns", "LaunchSweep"),
    "a class of a module's own": ("src/a.py", "class _Order: ...", 1, "Order", "ScheduledRun"),
    "an alias": ("src/a.py", "Place = str", 1, "Place", "LaunchTarget"),
    "an import under an old name": ("src/a.py", "import b as Leaf", 1, "Leaf", "Document"),
    "a function": ("src/a.py", "def _tell(): ...", 1, "tell", "emit, log"),
    "a word before an underscore": ("src/a.py", "card_ = 1", 1, "card", "nic"),
    "a word between underscores": ("src/a.py", "_alone_ = 1", 1, "alone", "isolated"),
    "a variable": ("src/a.py", "told = 1", 1, "told", "reported"),
    "a companion": ("src/a.py", "def run_with_companion(): ...", 1, "companion", "background_load"),
    "material": ("src/a.py", "report, material = 1, 2", 1, "material", "data"),
    "together": ("src/a.py", "rates_together = 1", 1, "together", "contended"),
    "talk": ("src/a.py", "class A:\n    talk: str", 2, "talk", "channel, profiles"),
    "a helper of tests": ("tests/unit/test_a.py", "def suffered(): ...", 1, "suffered", "congestion_level"),
    "a benchmark": ("benchmarks/a.py", "class Place: ...", 1, "Place", "LaunchTarget"),
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
    "a phrase in a study": ("studies/lab/a.toml", 'about = "no links of ours"', 1, "links of ours", RATES),
    "a phrase in a workload": ("workloads/a.sb", "# no links of ours", 1, "links of ours", RATES),
    "a phrase in a notebook": ("docs/tutorials/a.ipynb", '{"source": "no links of ours"}', 1, "links of ours", RATES),
    "a phrase in the README": ("README.md", "It has no links of ours.", 1, "links of ours", RATES),
    "a phrase in CONTRIBUTING": ("CONTRIBUTING.md", "It has no links of ours.", 1, "links of ours", RATES),
}
ALLOWED = {
    "comments and strings": ("engine/a.cpp", '// Crew\n/* Muster */ auto a = "Tally";'),
    "ordinary words in C++": ("engine/a.cpp", "int rest = 0, kept, wire_ = act(rest); bool laid = care;"),
    "a pack of a template": ("engine/a.hpp", "template <class First, class... Rest> void f(Rest&& rest);"),
    "the name of a test of the engine": ("tests/engine/a_test.cpp", "TEST(Chain, is_timed_alone) {}"),
    "the name of a test": ("tests/unit/test_a.py", "def test_what_is_told_alone(): ..."),
    "parts of other words": ("engine/a.cpp", "Broadcast cast_rank; Restart restart; TallyMan wired;"),
    "ordinary words in Python": ("src/a.py", "place, order, side, leaf, slot = 1, 2, 3, 4, 5\n# Errand, wish"),
    "a use, since the definition is found": ("src/a.py", "from b import Campaign\nCampaign()"),
    "a command of this name": ("src/cli/sensitivity.py", "'a campaign'"),
    "parts of words in Python": ("src/a.py", "discard, cardinal, wished = 1, 2, 3"),
}


@pytest.fixture(scope="module")
def check_names(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("check_names")


def checkout(folder: Path, path: str, source: str) -> Path:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
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


def test_a_key_of_a_file_or_of_json_output_may_have_an_old_word(check_names: ModuleType, tmp_path: Path) -> None:
    tree = checkout(tmp_path, "src/a.py", "class A:\n    alone_s: float\n    talk: str\n    alone: int")
    checkout(tree, "schema/a.schema.json", '{"$defs": {"A": {"properties": {"alone_s": {}}}}, "alone": 1}')
    checkout(tree, "tests/golden/data/json/a.json", '[{"talk": "", "b": "alone"}]')

    found = list(check_names.violations(tree, frozenset()))

    assert found == ["src/a.py:4: alone is called isolated now"]


def test_an_exception_holds_for_one_name_in_one_file(check_names: ModuleType, tmp_path: Path) -> None:
    tree = checkout(tmp_path, "src/a.py", "wish = 1\ncard = 2")

    found = list(check_names.violations(tree, {("src/a.py", "wish")}))

    assert found == ["src/a.py:2: card is called nic now"]


def test_an_exception_that_is_not_needed_is_a_violation(check_names: ModuleType, tmp_path: Path) -> None:
    tree = checkout(tmp_path, "src/a.py", "request = 1")

    (found,) = check_names.violations(tree, {("src/a.py", "wish")})

    assert found == "scripts/check_names.py: src/a.py does not use wish any more; take the entry out"
