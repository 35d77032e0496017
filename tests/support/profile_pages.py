"""The page of a synthetic profile."""

from pathlib import Path

from stressbench.formats.trace import read_trace
from stressbench.report.renderers import render
from stressbench.report.traffic import document
from stressbench.tracing.profile import profile_of
from support.traces import MadeTrace, ring

NASTY = "<script>document.title='hit'</script>"


def ring_called_nasty(ranks: int = 8) -> MadeTrace:
    """A ring whose rank 3 is slow, of a program with a hostile name."""
    trace = ring(ranks, slow=3)
    trace.header = {"program": NASTY}
    trace.symbols = {"cg+0x1000": f"{NASTY} (cg.c:12)"}
    return trace


def page_of(folder: Path, trace: MadeTrace) -> Path:
    path = folder / "profile.html"
    path.write_text(render("html", document.page(profile_of(read_trace(trace.write(folder))))), encoding="utf-8")
    return path
