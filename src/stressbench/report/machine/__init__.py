"""Documents of `stressbench machine`: the page of one machine, the comparison of two, and acceptance."""

from stressbench.report.machine.acceptance import acceptance_document as acceptance_document
from stressbench.report.machine.comparison import comparison_document as comparison_document
from stressbench.report.machine.result import brief as brief
from stressbench.report.machine.result import page as page
from stressbench.report.renderers import formats

FORMATS = formats(brief=brief, page=page, without=("latex",))
