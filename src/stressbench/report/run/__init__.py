"""Documents of runs: the slowdown of each job, its placement, and how to repeat the run."""

from collections.abc import Sequence

from stressbench.formats.run import Run
from stressbench.report.document import Document
from stressbench.report.renderers import formats


def brief(runs: Sequence[Run]) -> Document:
    """The document for formats without figures: findings, tables, plans and warnings of each run."""
    from stressbench.report.run import in_brief  # the statistics take half a second to import

    return in_brief.brief(runs)


def page(runs: Sequence[Run]) -> Document:
    """The HTML page of at least one run: the same with figures and provenance."""
    from stressbench.report.run import in_full  # figures take a second to import

    return in_full.page(runs)


FORMATS = formats(brief=brief, page=page, without=("text",))
