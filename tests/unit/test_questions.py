"""The ten questions of a reader: the guide lists them, and pages of a run and of a study answer each of them."""

import re
from pathlib import Path

import pytest
from support.commands import invoke
from support.pages import Outline

from stressbench.report.questions import QUESTIONS, Question

TESTS = Path(__file__).resolve().parents[1]
GUIDE = TESTS.parent / "docs" / "how-to" / "read-a-report.md"
FIRST_SCREEN = 5


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of the corpora's run and study."""
    folder = tmp_path_factory.mktemp("pages")
    run, study = folder / "run.html", folder / "study.html"
    commands = (
        ["report", str(TESTS / "corpus" / "run" / "whole.jsonl"), "-o", str(run)],
        ["study", "report", str(TESTS / "corpus" / "study-dir" / "made"), "--format", "html", "-o", str(study)],
    )
    for words in commands:
        assert invoke(words).exit_code == 0
    return {"run": run.read_text(encoding="utf-8"), "study": study.read_text(encoding="utf-8")}


def keys_of(question: Question, kind: str) -> tuple[str, ...]:
    return question.study if kind == "study" else tuple(f"run1-{key}" for key in question.run)


def first_screen(page: str) -> str:
    """The page up to the end of the links below the picture."""
    return page[: page.index("</nav>", page.index('class="questions"'))]


def test_there_are_ten_questions() -> None:
    assert len({one.text for one in QUESTIONS}) == 10


@pytest.mark.parametrize("kind", ["run", "study"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.text)
def test_each_question_is_answered_on_the_first_screen_or_one_link_away(
    pages: dict[str, str], kind: str, question: Question
) -> None:
    page = pages[kind]
    found = [key for key in keys_of(question, kind) if key in Outline(page).ids]
    screen = first_screen(page)

    if question in QUESTIONS[:FIRST_SCREEN]:
        assert f'id="{found[0]}"' in screen
    elif found:
        assert f'<a href="#{found[0]}">{question.text}</a>' in screen
    else:
        assert question.otherwise
        assert f"<li>{question.text} {question.otherwise}</li>" in screen


@pytest.mark.parametrize("kind", ["run", "study"])
def test_the_corpora_have_a_part_for_most_questions(pages: dict[str, str], kind: str) -> None:
    """Otherwise the test above would find nothing."""
    ids = set(Outline(pages[kind]).ids)

    assert [one.text for one in QUESTIONS if not ids.intersection(keys_of(one, kind))] == []


def test_the_guide_lists_the_questions_with_the_parts_that_answer_them() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \| (.+?) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)

    assert [text for _, text, *_ in rows] == [one.text for one in QUESTIONS]
    assert [int(number) for number, *_ in rows] == list(range(1, 11))
    for (_, _, run, study), question in zip(rows, QUESTIONS, strict=True):
        assert re.findall(r"`#([^`]+)`", run) == [f"run1-{key}" for key in question.run]
        assert re.findall(r"`#([^`]+)`", study) == list(question.study)
