"""GOAL, the text that LogGOPSim, ATLAHS and HTSIM read by way of `txt2bin`. Pure.

Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language", ICPP 2009; the grammar is that of txt2bin.re in
https://github.com/spcl/LogGOPSim.
"""

from collections.abc import Iterator

from stressbench.tracing.comments import in_comment
from stressbench.tracing.schedules.operations import Kind, Operation, RankSchedule
from stressbench.tracing.schedules.survey import Survey
from stressbench.tracing.schedules.tags import Tags

SMALLEST_MESSAGE = 1
"""Messages without content are written with this size: LogGOPSim charges the time of all bytes but the first."""


def goal_text(survey: Survey, *, comments: tuple[str, ...] = ()) -> Iterator[str]:
    """The lines of the file, one rank after the other; times in nanoseconds."""
    for comment in comments:
        yield f"// {in_comment(comment)}\n"
    yield f"num_ranks {survey.source.ranks}\n"
    tags = Tags(jobs=len(survey.source.jobs))
    for rank in survey.source.in_order():
        if isinstance(rank, int):
            yield f"\nrank {rank} {{\n}}\n"
            continue
        yield f"\nrank {rank.number} {{\n"
        tail_s = rank.own.streams_by_thread()[0].tail_s or 0.0
        for operation in RankSchedule(tags).operations(survey.events(rank), tail_s):
            yield _lines(operation)
        yield "}\n"


def _lines(operation: Operation) -> str:
    label = f"l{operation.number}"
    if operation.kind is Kind.compute:
        text = f"{label}: calc {operation.amount}\n"
    else:
        verb, towards = ("send", "to") if operation.kind is Kind.send else ("recv", "from")
        size = max(operation.amount, SMALLEST_MESSAGE)
        text = f"{label}: {verb} {size}b {towards} {operation.partner} tag {operation.tag}\n"
    for number in operation.requires:
        text += f"{label} requires l{number}\n"
    for number in operation.irequires:
        text += f"{label} irequires l{number}\n"
    return text
