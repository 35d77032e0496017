"""Documents of runs: how much each job was slowed, where it ran, and how to repeat the run."""

from collections.abc import Sequence

from stressbench.formats.run import Run
from stressbench.report.document import Document
from stressbench.report.renderers import formats


def brief(runs: Sequence[Run]) -> Document:
    """Tables, plans and doubts of each run."""
    from stressbench.report.run import in_brief  # the statistics take half a second to import

    return in_brief.brief(runs)


def page(runs: Sequence[Run]) -> Document:
    """The same with figures and provenance; at least one run."""
    from stressbench.report.run import in_full  # figures take a second to import

    return in_full.page(runs)


FORMATS = formats(brief=brief, page=page, without=("text",))
