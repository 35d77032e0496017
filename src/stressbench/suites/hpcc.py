"""HPC Challenge: the input file of `hpcc`, and the results in its output file. Pure."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

INPUT, OUTPUT = "hpccinf.txt", "hpccoutf.txt"
BLOCK = 80
MAX_N = 8000  # about a minute on a few cores
THROUGHPUT_FIGURES = (
    "HPL_Tflops", "PTRANS_GBs", "MPIRandomAccess_GUPs", "MPIFFT_Gflops", "RandomlyOrderedRingBandwidth_GBytes",
)  # fmt: skip
"""Summary keys where more is better: the four kernels of Pedretti et al., and randomly ordered ring bandwidth."""
LATENCY_FIGURES = ("RandomlyOrderedRingLatency_usec",)
"""Summary keys where less is better."""
_MEMORY_SHARE = 0.2
_SUMMARY = re.compile(r"^(\w+)=(\S+)\s*$", re.MULTILINE)
_SUMMARY_BEGIN = "Begin of Summary section."

_INPUT_TEMPLATE = """\
HPLinpack benchmark input file
written by stressbench
HPL.out      output file name
8            device out (6=stdout, 7=stderr, file)
1            number of problem sizes
{n}          Ns
1            number of blocking sizes
{block}      NBs
0            PMAP (0=Row-, 1=Column-major)
1            number of process grids
{rows}       Ps
{columns}    Qs
16.0         threshold
1            number of panel factorizations
2            PFACTs (0=left, 1=Crout, 2=Right)
1            number of recursive stopping criteria
4            NBMINs
1            number of panels in recursion
2            NDIVs
1            number of recursive panel factorizations
1            RFACTs (0=left, 1=Crout, 2=Right)
1            number of broadcasts
1            BCASTs (0=1rg, 1=1rM, 2=2rg, 3=2rM, 4=Lng, 5=LnM)
1            number of lookahead depths
1            DEPTHs
2            SWAP (0=bin-exch, 1=long, 2=mix)
64           swapping threshold
0            L1 in (0=transposed, 1=no-transposed) form
0            U in (0=transposed, 1=no-transposed) form
1            equilibration (0=no, 1=yes)
8            memory alignment in doubles
(line 32 separates)
0            number of further problem sizes for PTRANS
0            their values
0            number of further blocking sizes for PTRANS
0            their values
"""


@dataclass(frozen=True, kw_only=True)
class Rmax:
    """Linpack performance in floating-point operations per second, and its source."""

    flops_per_s: float
    source: str


def problem_size(memory_bytes: int) -> int:
    """Linpack problem size N, a multiple of BLOCK: the matrix takes at most a fifth of this memory, and N <= MAX_N."""
    fitting = math.isqrt(int(_MEMORY_SHARE * memory_bytes / 8))
    return max(BLOCK, min(MAX_N, fitting) // BLOCK * BLOCK)


def hpcc_input(*, n: int, ranks: int) -> str:
    """Input file of `hpcc` for one Linpack run of size `n` on the most nearly square process grid of all ranks."""
    rows = next(side for side in range(math.isqrt(ranks), 0, -1) if ranks % side == 0)
    return _INPUT_TEMPLATE.format(n=n, block=BLOCK, rows=rows, columns=ranks // rows)


def figure_pattern(figure: str) -> str:
    """Regular expression that matches a figure in the output of `hpcc`; its group is the value."""
    return rf"^{figure}=(\S+)"


def parse_summary(text: str, *, ranks: int) -> Mapping[str, str]:
    """Values of the last summary in the output of `hpcc`, by name.

    Raises ValueError if there is none, if it is of another number of ranks, or if a test failed.
    """
    values = dict(_SUMMARY.findall(text.rpartition(_SUMMARY_BEGIN)[2])) if _SUMMARY_BEGIN in text else {}
    if not values:
        raise ValueError(f"{OUTPUT} has no summary: hpcc did not complete")
    hpcc_ranks = values.get("CommWorldProcs")
    if hpcc_ranks != str(ranks):
        raise ValueError(f"hpcc ran on {hpcc_ranks or 'no'} of {ranks} ranks; is it built with the engine's MPI?")
    if values.get("Success") != "1":
        raise ValueError("hpcc reports that one of its tests failed (Success=0)")
    return values


def parse_linpack(text: str, *, ranks: int, n: int) -> Rmax:
    """Linpack performance from the output of `hpcc`. Raises ValueError for an invalid or incomplete output."""
    values = parse_summary(text, ranks=ranks)
    try:
        flops = float(values.get("HPL_Tflops", "")) * 1e12
    except ValueError:
        flops = 0.0
    if not (math.isfinite(flops) and flops > 0):
        raise ValueError(f"{OUTPUT} holds no HPL_Tflops above 0")
    return Rmax(flops_per_s=flops, source=f"hpcc, N = {n}, on {ranks} ranks")
