"""`stressbench recognise` of programs with collectives by messages: recursive doubling and binomial trees."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.programs import CHECKOUT
from support.recognising import KEYS, words_of
from support.trace_lines import lines_of

RANKS = 4
LARGER = (8, 16)
STAGES = {
    "stages; sendrecv ^ 800 ^ 800 tag k; end; barrier": (RANKS, LARGER),
    "stages; send +^ 24; recv -^ 24; send -^ 24; recv +^ 24; end": (8, (4, 16)),
    "stages down; irecv ^ 40 tag 3; isend ^ 40 tag 3; wait; wait; end": (8, (4, 16)),
    "stages; irecv child 16; wait; isend parent 16; wait; end; stages down; recv parent 16; send child 16; end": (
        6, (4, 16, 13),
    ),
    "irecv -x 800; irecv +x 800; isend -x 800; isend +x 800; waitall; stages; sendrecv ^ 8 ^ 8; end; "
    "stages highest root 3; recv parent 8 tag 1+k; send child 8 tag 1+k; end; allreduce 8 sum": (8, (4, 16)),
}  # fmt: skip


def calls_of(path: Path) -> list[list[Any]]:
    return [[line[key] for key in KEYS] for line in lines_of(path)[1:-1]]


@pytest.mark.parametrize("calls", STAGES)
def test_stages_are_recognised_and_make_the_same_calls_on_other_ranks(calls: str, listed, recognised) -> None:
    ranks, others = STAGES[calls]
    stencil = f'stencil --mesh 100 --calls "{calls}" -i 6'

    (capture,) = recognised(listed(stencil, ranks))["captures"]

    (motif,) = capture["motifs"]
    assert "stages" in words_of(motif)
    assert motif["times"] * motif["of_one"]["calls"] == capture["total"]["calls"]
    found = [part for name, value in motif["candidate"]["options"] for part in (f"--{name}", value) if part]
    for number in (ranks, *others):
        ours = listed(f"stencil {shlex.join(found)} -i {motif['times']}", number)
        assert calls_of(ours) == calls_of(listed(stencil, number)), number


@pytest.fixture
def program(any_engine, tmp_path) -> Path:
    """Collectives by messages, in C."""
    if any_engine.library != "Open MPI":
        pytest.skip("16 ranks of MPICH would poll on two cores")
    compiler = any_engine.compiler.replace("mpicxx", "mpicc")
    compiled = tmp_path / "stages"
    subprocess.run([compiler, CHECKOUT / "tests" / "tracer" / "stages.c", "-o", compiled], check=True)
    return compiled


@pytest.mark.parametrize("structure", ["doubling", "tree"])
def test_a_program_captured_on_4_ranks_is_predicted_on_8_and_16(
    structure: str, program: Path, traced: Callable[..., Any], listed, recognised, tmp_path
) -> None:
    captures = {}
    for ranks in (RANKS, *LARGER):
        run = traced([program, structure], ranks=ranks)
        assert run.status == 0, run.text
        captures[ranks] = (tmp_path / "made.trace").rename(tmp_path / f"{structure}-{ranks}.trace")
    for ranks in LARGER:
        workload = tmp_path / f"{structure}-{ranks}.sb"
        recognised(captures[RANKS], "-n", ranks, "-o", workload)
        ours, theirs = lines_of(listed(str(workload), ranks))[1:-1], lines_of(captures[ranks])[1:-1]
        for own, other in zip(ours, theirs, strict=True):
            assert own["peers"] == other["peers"]
            assert own["sizes"] == other["sizes"]


def test_recursive_doubling_is_scaled_to_powers_of_two_only(engine, listed) -> None:
    capture = listed('stencil --mesh 1 --calls "stages; sendrecv ^ 8 ^ 8; end" -i 6', RANKS)

    done = engine.stressbench("recognise", capture, "-n", "12")

    assert done.status == 2
    assert "^ in stages needs a power of two of ranks, but the job has 12; 8 or 16 would fit" in done.text


def test_captures_of_several_numbers_of_ranks_settle_how_sizes_grow(listed, recognised) -> None:
    """Shares of one whole, of which a rank has fewer on more ranks, and no multiples of what a rank has."""
    stencil = 'stencil --mesh 512 --calls "stages; sendrecv ^ 8*X*S/P ^ 8*X*S/P; end" -i 6'
    four, eight = listed(stencil, RANKS), listed(stencil, 8)

    single = recognised(four)["captures"][0]["motifs"][0]
    both = recognised(four, eight)["captures"][0]["motifs"][0]

    assert "sendrecv ^ 1024*S ^ 1024*S" in words_of(single)
    assert "sizes in stages are 1024*S on other numbers of ranks, too" in str(single["candidate"]["assumed"])
    assert "sendrecv ^ 16*X*S/P ^ 16*X*S/P" in words_of(both)
    assert both["candidate"]["assumed"] == []
