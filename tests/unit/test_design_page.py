"""docs/design.md follows `halo2d -x 4000` to a figure in ten sentences, whose files and functions exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADING = "## From `halo2d -x 4000` to a figure"
NAMED = re.compile(r"`(?P<function>\w+)\(\)` in\s+`(?P<path>[\w/.]+)`")
FILE = re.compile(r"`(?:engine|src)/[\w/]+\.\w+`")


def sentences() -> list[str]:
    """The items of the numbered list below the heading."""
    section = (ROOT / "docs/design.md").read_text(encoding="utf-8").split(HEADING)[1].split("\n## ")[0]
    return re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]


def test_there_are_ten_sentences() -> None:
    assert len(sentences()) == 10
    assert [item.count(".\n") for item in sentences()] == [1] * 10


@pytest.mark.parametrize("number", range(10))
def test_each_sentence_names_its_files_and_functions(number: int) -> None:
    sentence = sentences()[number]
    named = [(match["function"], match["path"]) for match in NAMED.finditer(sentence)]

    assert FILE.search(sentence)
    assert named or "halo2d.cpp" in sentence
    for function, path in named:
        assert re.search(rf"\b{function}\(", (ROOT / path).read_text(encoding="utf-8")), f"{path} has no {function}"
