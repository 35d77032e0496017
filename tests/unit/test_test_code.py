"""House rules of the tests themselves: no test module imports another, and none replaces parts of the command line."""

from pathlib import Path

import pytest
from support.house_rules import complaints, complaints_in

MODULES = frozenset({"test_one", "test_two"})
PLANTED = {
    "an import from another test module": "from test_two import call",
    "one of the whole module": "import test_two",
    "one through its folder": "from unit import test_two",
    "one with the folder's name": "from unit.test_two import call",
    "monkeypatch on a module": "from stressbench.cli import beff\nmonkeypatch.setattr(beff, 'place_of', None)",
    "monkeypatch on a class": "from stressbench.cli.study import common\nmonkeypatch.setattr(common.CliPlaces, 'a', 1)",
    "monkeypatch by path": "monkeypatch.setattr('stressbench.cli.beff.place_of', None)",
    "mock by path": "with mock.patch('stressbench.cli.beff.place_of'):\n    pass",
    "mock of an object": "import stressbench.cli.beff\nmock.patch.object(stressbench.cli.beff, 'place_of')",
    "another name": "import stressbench.cli.beff as it\nsetattr(it, 'place_of', None)",
    "an assignment": "from stressbench.cli import beff\nbeff.place_of = None",
    "an assignment in a loop": "from stressbench.cli import a, b\nfor one in (a, b):\n    one.place_of = None",
    "a program in a string": "TEXT = '''\nfrom stressbench.cli import beff\nbeff.place_of = None\n'''",
}
ALLOWED = """\
from stressbench.cli.console.app import build
from stressbench.launch import session
from support.commands import call
monkeypatch.setattr(session, "run", None)
monkeypatch.setenv("STRESSBENCH_MPI", "stressbench.cli")
PROGRAM = "from stressbench.cli.console.app import main; main()"
result = build()
result.colour = None
"""


@pytest.mark.parametrize("violation", PLANTED)
def test_a_planted_violation_is_found(violation: str) -> None:
    (reported,) = complaints(PLANTED[violation], source="test_one.py", modules=MODULES)

    assert reported.startswith("test_one.py:")


def test_what_is_allowed_passes() -> None:
    assert complaints(ALLOWED, source="test_one.py", modules=MODULES) == []


def test_these_tests_keep_the_rules() -> None:
    assert complaints_in(Path(__file__).parents[1], but=Path(__file__)) == []
