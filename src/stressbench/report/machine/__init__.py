"""Documents of `stressbench machine`: the page of one machine, and the comparison of two."""

from stressbench.report.machine.comparison import comparison_document as comparison_document
from stressbench.report.machine.result import brief as brief
from stressbench.report.machine.result import page as page
from stressbench.report.renderers import formats

FORMATS = formats(brief=brief, page=page, without=("latex",))
