"""The questions of a reader who decides about a machine, and the parts of pages that answer them. Pure.

The answers of the first screen give the first five; a page links to the parts that answer the others. The guide
docs/how-to/read-a-report.md lists all of them.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from stressbench.report.document import Block, Link, Links, keys_in

ANSWERS = "answers"
"""Element id of the answers of the first screen, after the prefix of the page or the section."""
DOUBTS, PROVENANCE = "doubts", "provenance"


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with the element ids of its answer in a run's section (after `runN-`) and in the page of a study.

    Several ids are alternatives, the first that the page has is meant. `otherwise` is the answer where it has none.
    """

    text: str
    run: tuple[str, ...]
    study: tuple[str, ...]
    otherwise: str = ""


_FIRST_SCREEN = tuple(
    Question(text=text, run=(ANSWERS,), study=(f"study-{ANSWERS}",))
    for text in (
        "Which jobs are slowed when they share the machine?",
        "By how much, and how certain is that?",
        "Where are they slowed: on which link, with which placement?",
        "How much longer do the slowest repetitions take?",
        "What should be measured or changed next?",
    )
)
_LINKED = (
    Question(text="How long does each job take, isolated and contended?", run=("jobs",), study=("study-cells",)),
    Question(
        text="Where does each job run?",
        run=("network", "placement"),
        study=("worst-network", "placements"),
        otherwise="Unknown: no run is done.",
    ),
    Question(
        text="What makes these numbers doubtful?",
        run=(DOUBTS,),
        study=(DOUBTS,),
        otherwise="Nothing that the analysis checks.",
    ),
    Question(
        text="Did the machine stay the same?",
        run=("timeline",),
        study=("order",),
        otherwise="Unknown: that takes several runs.",
    ),
    Question(
        text="On which hosts and with which software was this measured, and how is it repeated?",
        run=(PROVENANCE,),
        study=("again",),
    ),
)
QUESTIONS = (*_FIRST_SCREEN, *_LINKED)
_TITLE = "Further questions"


def run_links(blocks: Iterable[Block], *, prefix: str, subject: str) -> Links:
    """Links to the answers among the blocks of a run's section; `subject` distinguishes the sections of a page."""
    keys = {key.removeprefix(f"{prefix}-") for key in keys_in(blocks)}
    links = (_link(one, one.run, keys, prefix=f"{prefix}-") for one in _LINKED)
    return Links(title=f"{_TITLE}: {subject}", links=tuple(links))


def study_links(keys: Iterable[str], *, more: Iterable[Link] = ()) -> Links:
    """Links to the answers among the sections and blocks with these element ids, then `more`."""
    known = set(keys)
    return Links(title=_TITLE, links=(*(_link(one, one.study, known, prefix="") for one in _LINKED), *more))


def _link(question: Question, answers: Iterable[str], keys: Set[str], *, prefix: str) -> Link:
    key = next((key for key in answers if key in keys), None)
    if key is None:
        return Link(text=f"{question.text} {question.otherwise}".strip())
    return Link(text=question.text, key=f"{prefix}{key}")
