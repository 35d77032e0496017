"""The page of a machine in a browser: that of a lab prints on one sheet of A4."""

import re
from dataclasses import replace
from pathlib import Path

from support.browser import browse, needs_browser
from support.machines import whole_result

from stressbench.report.machine import FORMATS

pytestmark = needs_browser
FIGURES_OF_A_LAB = 20  # one rank on each host, without storage


def test_twenty_figures_print_on_one_sheet(tmp_path: Path) -> None:
    page, printed = tmp_path / "machine.html", tmp_path / "machine.pdf"
    whole = whole_result()
    text = FORMATS["html"](replace(whole, figures=whole.figures[:FIGURES_OF_A_LAB]))
    page.write_text(text.replace("</style>", "@page { size: A4 }</style>"), encoding="utf-8")  # as a printer with A4

    browse(page, tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={printed}")

    assert len(re.findall(rb"/Type */Page\b", printed.read_bytes())) == 1
