"""The glossary of HTML pages: each term once, in the words of docs/design.md where that page has it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Term:
    """A term and its definition; `pattern` is a regular expression for the words of a page that it explains."""

    name: str
    definition: str
    pattern: str

    @property
    def key(self) -> str:
        """The element id of the term in a page."""
        return "term-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


TERMS = (
    Term(
        name="congestion impact",
        definition="contended time divided by isolated time of a job (StressBench, Equation 3); 1 is no impact",
        pattern=r"\b[Cc]ongestion impacts?\b|^(largest )?impact$|^Impacts\b|\bImpact:",
    ),
    Term(
        name="slowdown", definition="contended time divided by isolated time of any program; 1 is not slowed down",
        pattern=r"\b[Ss]lowdowns?\b|\bslowed down \(mean\)",
    ),
    Term(
        name="tail impact",
        definition="a percentile of the contended repetitions divided by that of the isolated ones",
        pattern=r"\b[Tt]ail impact\b|^percentile 99",
    ),
    Term(
        name="isolated", definition="in a round in which one job runs and all other ranks are parked",
        pattern=r"\b[Ii]solated\b",
    ),
    Term(name="contended", definition="in a round in which all jobs run", pattern=r"\b[Cc]ontended\b"),
    Term(name="job", definition="a named chain of motifs on a set of nodes, as one application would run",
         pattern=r"\b[Jj]obs?\b"),
    Term(
        name="motif",
        definition="one communication, computation or storage pattern with its parameters; everything that runs is a "
        "motif",
        pattern=r"\b[Mm]otifs?\b",
    ),
    Term(name="round", definition="one execution of the workload", pattern=r"\b[Rr]ounds?\b"),
    Term(
        name="block",
        definition="one isolated round of each measured job and one contended round, in random order",
        pattern=r"\b[Bb]locks?\b",
    ),
    Term(name="repetition", definition="one pass of a job's chain within a round", pattern=r"\b[Rr]epetitions?\b"),
    Term(name="n", definition="the number of values behind a result; what is counted is stated with it",
         pattern=r"^n$|\bn = \d|\bn counts\b"),
    Term(
        name="95 % interval",
        definition="a range that contains the true value in about 19 of 20 measurements; [1.4, –] and [1.4, ...) have "
        "no upper bound",
        pattern=r"\b95 % (confidence )?intervals?\b|\[95 %\]",
    ),
    Term(
        name="percentile", definition="the time that this percentage of the repetitions, or of the probes, does not "
        "exceed",
        pattern=r"\b[Pp]ercentiles?\b|^9[59] %$",
    ),
    Term(
        name="P(slower)",
        definition="the share of pairs of an isolated and a contended round in which the contended one is slower",
        pattern=r"P\(slower\)",
    ),
    Term(
        name="node",
        definition="the ranks that share memory, or the consecutive ranks that --ranks-per-node gives it; numbered by "
        "their lowest rank",
        pattern=r"\b[Nn]odes?\b",
    ),
    Term(
        name="victim, aggressor",
        definition="in pairwise analysis: the job that is slowed down, and the job that causes it",
        pattern=r"\b[Vv]ictims?\b|\b[Aa]ggressors?\b",
    ),
    Term(
        name="probe",
        definition="a ping-pong between two hosts at random intervals; its latency shows how busy the network is",
        pattern=r"\b[Pp]robes?\b",
    ),
    Term(name="bubble", definition="the pause of a ring after each burst of messages", pattern=r"\b[Bb]ubbles?\b"),
    Term(
        name="congestion level",
        definition="the load that one ring, with its partners, messages and bubble, puts on the network; measured as "
        "utilisation",
        pattern=r"\b[Cc]ongestion levels?\b",
    ),
    Term(
        name="degradation factor", definition="a job's time at a reduced rate divided by its time at the full rate",
        pattern=r"\b[Dd]egradation factors?\b|\btimes worse than at the full rate\b",
    ),
    Term(
        name="cell", definition="one value of each factor of a study",
        pattern=r"\b[Cc]ells? of the study\b|\bper cell\b|\bin one cell\b|\bof the cell\b|\b[Aa]ll cells\b",
    ),
)  # fmt: skip
"""All terms, in the order of the glossary."""

_PATTERNS = tuple((term, re.compile(term.pattern)) for term in TERMS)


def terms_in(texts: Iterable[str]) -> tuple[Term, ...]:
    """The terms that the texts use, in the order of the glossary."""
    used = tuple(texts)
    return tuple(term for term, pattern in _PATTERNS if any(pattern.search(text) for text in used))


def term_of_head(label: str) -> Term | None:
    """The term that explains the head of a column: the one that occurs first in it; None without one."""
    found = [(match.start(), term) for term, pattern in _PATTERNS if (match := pattern.search(label)) is not None]
    return min(found, key=lambda one: one[0])[1] if found else None
