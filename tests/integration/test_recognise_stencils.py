"""`stressbench recognise` of programs without a motif of their own: stencils, and what looks like one but is none."""

import random
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.recognising import KEYS, gaps_of, words_of
from support.trace_lines import lines_of
from support.traces import MadeRank, MadeTrace, Record, allreduce, call, irecv, isend, waitall, write_lines

FACES = "irecv -{0} {1}; irecv +{0} {1}; isend -{0} {1}; isend +{0} {1}"
CORNERS = "irecv {0} 8; irecv {1} 8; isend {0} 8; isend {1} 8"
HALO2D = f"{FACES.format('x', '8*y')}; {FACES.format('y', '8*x')}; waitall; allreduce 8 max"
WAITS = "wait; wait; wait; wait"
BLOCKING = "send +x 800 tag 3; recv -x 800 tag 3; barrier"
# options of motif stencil: its ranks, and other ranks on which the stencil that is recognised has to be the same
STENCILS = {
    f'--mesh 61x35 --calls "{HALO2D}"': (4, (6, 9, 16)),
    f'--mesh 61x35 --fastest first --calls "{HALO2D}"': (8, (4, 12)),
    f'--mesh 60x60 --periodic xy --calls "{HALO2D}"': (9, (12, 16)),
    f'--mesh 60x60 --periodic y --fastest first --calls "{HALO2D}"': (12, (9, 20)),
    f'--mesh 64x60 --null-calls --calls "{HALO2D}"': (4, (6, 16)),
    '--mesh 60x48 --calls "sendrecv -y 8*x +y 8*x tag 1; sendrecv +y 8*x -y 8*x tag 2; '
    'sendrecv -x 16*y +x 16*y tag 3; sendrecv +x 16*y -x 16*y tag 4"': (6, (4, 8)),
    f'--mesh 61x35 --calls "{FACES.format("x", "40*y")}; {FACES.format("y", "16*x")}; waitall"': (4, (6, 16)),
    f'--mesh 24x30x36 --calls "{FACES.format("x", "16*y*z")}; waitall; {FACES.format("y", "16*x*z")}; waitall; '
    f'{FACES.format("z", "16*x*y")}; waitall"': (8, (12, 27)),
    f'--mesh 30x30 --calls "{FACES.format("x", "8*y")}; {FACES.format("y", "8*x")}; waitall; '
    f'{CORNERS.format("-x-y", "+x+y")}; {CORNERS.format("-x+y", "+x-y")}; waitall"': (9, (4, 12)),
    f'--mesh 512x512 --grid 0x1 --calls "repeat 4; {FACES.format("x", "8*y")}; waitall; end; bcast 16"': (4, (7, 16)),
    f'--mesh 13 --periodic x --calls "{FACES.format("x", "40")}; {WAITS}; allreduce 8 sum"': (13, (5, 6)),
    f'--mesh 13 --calls "{FACES.format("x", "40")}; {WAITS}; allreduce 8 sum"': (13, (5, 6)),
    f'--mesh 8 --calls "{BLOCKING}"': (5, (8,)),
    f'--mesh 9x9 --calls "{FACES.format("x", "8*y")}; waitall sends; wait; wait; {FACES.format("y", "8*x")}; '
    'waitall receives; waitall sends"': (6, (4, 9)),
    '--mesh 3000 --calls "alltoall 24*X/P/P; allreduce 8 sum; alltoall 24*X/P/P"': (4, (8, 10)),
    f'--mesh 64x64 --calls "{FACES.format("x", "8*y")}; {FACES.format("y", "8*x")}; waitall; allreduce 8 sum along x; '
    'bcast 800 root 1 along y"': (6, (4, 8)),
}  # fmt: skip


def calls_of(path: Path) -> list[list[Any]]:
    return [[line[key] for key in KEYS] for line in lines_of(path)[1:-1]]


@pytest.mark.parametrize("stencil", STENCILS)
def test_a_stencil_is_recognised_and_makes_the_same_calls_on_other_ranks(stencil: str, listed, recognised) -> None:
    ranks, others = STENCILS[stencil]

    (capture,) = recognised(listed(f"stencil {stencil} -i 6", ranks))["captures"]

    (motif,) = capture["motifs"]
    assert motif["times"] * motif["of_one"]["calls"] == capture["total"]["calls"]
    for number in (ranks, *others):
        found = [part for name, value in motif["candidate"]["options"] for part in (f"--{name}", value) if part]
        ours = listed(f"stencil {shlex.join(found)} -i {motif['times']}", number)
        assert calls_of(ours) == calls_of(listed(f"stencil {stencil} -i 6", number)), number


def test_a_stencil_computes_as_long_as_the_rank_that_computes_most(tmp_path, listed, recognised) -> None:
    ring = f'stencil --mesh 4 --periodic x --calls "{FACES.format("x", "40")}; waitall" -i 20'
    header, *of_ranks, end = lines_of(listed(ring, 4))
    own = [rank | {"gaps": gaps_of(rank, 4e-6 if rank["rank"] == 2 else 1e-6)} for rank in of_ranks]

    (capture,) = recognised(write_lines(tmp_path / "uneven.trace", [header, *own, end]))["captures"]

    (motif,) = capture["motifs"]
    assert motif["computed_s"] == pytest.approx(5 * 4e-6)
    assert words_of(motif).count("compute 4000ns") == 5


def test_two_captures_show_how_many_dimensions_are_divided_and_that_blocks_have_a_margin(listed, recognised) -> None:
    calls = "; ".join(FACES.format(*one) for one in (("x", "8*(y+3)"), ("y", "8*(x+1)"))) + "; waitall"
    stencil = f'stencil --mesh 60x48 --calls "{calls}"'

    (single,) = recognised(listed(f"{stencil} -i 6", 4))["captures"]
    first, second = recognised(listed(f"{stencil} -i 6", 4), listed(f"{stencil} -i 6", 16))["captures"]

    assert ["mesh", "62x54"] in single["motifs"][0]["candidate"]["options"]
    assert "divides more of them has the same messages on 4 ranks" in single["motifs"][0]["candidate"]["assumed"][0]
    for capture in (first, second):
        (motif,) = capture["motifs"]
        assert ["mesh", "60x48"] in motif["candidate"]["options"]
        assert "irecv -x 8*(y+3)" in words_of(motif)
        assert not any("divides more" in text for text in motif["candidate"]["assumed"])


def test_a_scaled_stencil_has_longer_layers(listed, recognised, tmp_path, engine) -> None:
    workload = tmp_path / "large.sb"
    stencil = 'stencil --mesh {} --calls "' + HALO2D + '"'

    result = recognised(listed(f"{stencil.format('60x40')} -i 6", 4), "-n", "16", "--size", "4", "-o", workload)

    assert result["scaled"]["motifs"][0]["name"] == "stencil --mesh 120x80 --calls ..."
    assert engine.run("check", workload, "--nodes", "1", "--ranks-per-node", "16").status == 0
    sent = [line["peers"] for line in lines_of(listed(f"{stencil.format('120x80')} -i 6", 16))[1:-1]]
    assert [line["peers"] for line in lines_of(listed(str(workload), 16))[1:-1]] == sent


def looped(calls: Sequence[Record], times: int = 20) -> MadeRank:
    """A rank that makes these calls so many times."""
    return MadeRank(calls=calls, rules=[[[-1, times]], [[number, 1] for number in range(len(calls))]])


SETUP = '[MOTIF] stencil --mesh 60x40 --calls "bcast 40; repeat 2; {}; waitall; end; barrier"'.format(
    f"{FACES.format('x', '16*(y+4)')}; {FACES.format('y', '16*(x+4)')}"
)
PROGRAM = f"""\
[JOB_NAME] app
[NODES] 1
{SETUP}
[LOOP] 5
  [LOOP] 8
    [MOTIF] tealeaf -x 60 -y 40
  [END]
  [MOTIF] stencil --mesh 60x40 --calls "{FACES.format("x", "8*(y+2)")}; waitall; reduce 8 max root 1"
[END]
[MOTIF] stencil --mesh 1 --calls "allgather 64; reduce 24"
"""
"""A solver with what it does before, between and after its iterations, which no motif of an application has."""


def test_parts_between_motifs_are_stencils_that_are_scaled_too(listed, recognised, tmp_path, engine) -> None:
    (tmp_path / "app.sb").write_text(PROGRAM)
    workload = tmp_path / "found.sb"

    (capture,) = recognised(listed("app.sb", 4), "-o", workload)["captures"]

    assert capture["parts"] == []
    explained = [(motif["times"], motif["of_one"]["calls"]) for motif in capture["motifs"]]
    assert sum(times * calls for times, calls in explained) == capture["total"]["calls"]
    assert [times for times, _ in explained] == [1, 40, 4, 1]  # the end of the last pass belongs to what follows
    assert "[LOOP] 4\n  [LOOP] 8\n    [MOTIF] tealeaf" in workload.read_text()
    same = engine.stressbench("trace", "diff", listed(str(workload), 4), listed("app.sb", 4))
    assert same.status == 0, same.text
    recognised(listed("app.sb", 4), "-n", "9", "-o", workload)
    sent = [line["peers"] for line in lines_of(listed("app.sb", 9))[1:-1]]
    assert [line["peers"] for line in lines_of(listed(str(workload), 9))[1:-1]] == sent


def test_parts_in_which_waits_may_have_had_another_place_are_left_out(listed, tmp_path, engine) -> None:
    """TeaLeaf tests for messages. With waits where their requests start, all ranks would wait before they send."""
    halo = "irecv -x 8*y; irecv +x 8*y; isend -x 8*y; isend +x 8*y; waitall receives; waitall sends"
    (tmp_path / "app.sb").write_text(
        "[JOB_NAME] app\n[NODES] 1\n[LOOP] 30\n[MOTIF] tealeaf -x 60 -y 40\n[END]\n"
        f'[MOTIF] stencil --mesh 60x40 --calls "{halo}"\n'
    )

    done = engine.stressbench("recognise", listed("app.sb", 4), "-o", tmp_path / "found.sb")

    assert "16 calls, 4 messages and 640 B belong to no motif; the workload leaves them out" in done.text
    assert "stencil" not in (tmp_path / "found.sb").read_text()


def test_parts_that_no_stencil_explains_are_replayed(listed, tmp_path, engine) -> None:
    """Ranks 0 and 3 exchange a message before the loop."""
    records = [
        {key: value for key, value in line.items() if key != "crc32"}
        for line in lines_of(listed("cloverleaf -x 240 -y 120 -i 8", 4))
    ]
    for rank, peer in ((0, 3), (3, 0)):
        line = records[1 + rank]
        line["calls"] += [
            {"op": "Isend", "comm": 0, "peer": peer, "tag": 9, "bytes": 100, "request": 90, "n": 1, "time_s": 0.0},
            {"op": "Recv", "comm": 0, "peer": peer, "tag": 9, "bytes": 100, "n": 1, "time_s": 0.0},
            {"op": "Waitall", "requests": [90], "n": 1, "time_s": 0.0},
        ]
        number = len(line["calls"])
        line["rules"][0] = [[number - 3, 1], [number - 2, 1], [number - 1, 1], *line["rules"][0]]
        line["sequence_calls"] += 3
        line["peers"].append([peer, 1, 100])
    trace = write_lines(tmp_path / "app.trace", records)
    workload = tmp_path / "found.sb"

    done = engine.stressbench("recognise", trace, "-o", workload)

    assert done.status == 0, done.text
    assert (
        f"6 calls, 2 messages and 200 B belong to no motif; they are replayed ({tmp_path}/found-part-1.trace)"
        in done.text
    )
    assert (
        f"[MOTIF] replay --file {tmp_path}/found-part-1.trace\n[LOOP] 8\n  [MOTIF] cloverleaf" in workload.read_text()
    )
    assert engine.run("check", workload, "--nodes", "1", "--ranks-per-node", "4").status == 0
    run = engine.stressbench(
        "run", workload, "-n", "4", "--contended", "1", "--isolated", "0", "-o", tmp_path / "run.jsonl"
    )
    assert run.status == 0, run.text
    scaled = engine.stressbench("recognise", trace, "-n", "8", "-o", workload)
    assert "6 calls, 2 messages and 200 B belong to no motif; the scaled workload leaves them out" in scaled.text
    assert "replay" not in workload.read_text()


def pairs(partner: Sequence[int]) -> list[list[Record]]:
    """Each rank exchanges a message with its partner."""
    return [
        [irecv(other, size=800), isend(other, size=800, request=1), waitall(0, 1), allreduce()] for other in partner
    ]


def random_pairs(ranks: int, seed: int) -> list[int]:
    order = random.Random(seed).sample(range(ranks), ranks)
    partner = [0] * ranks
    for a, b in zip(order[::2], order[1::2], strict=True):
        partner[a], partner[b] = b, a
    return partner


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ranks", [8, 16])
def test_random_pairs_are_no_hypercube(ranks: int, seed: int, tmp_path, recognised) -> None:
    """In one dimension of a hypercube, pairs differ in one bit; of random ones, some do."""
    trace = MadeTrace([looped(calls) for calls in pairs(random_pairs(ranks, seed))]).write(tmp_path)

    result = recognised(trace, status=1)

    assert result["captures"][0]["motifs"] == []
    assert result["refusals"]


def test_all_dimensions_of_a_hypercube_are_a_grid_of_two_ranks_in_each(tmp_path, recognised) -> None:
    calls = [
        [one for bit in (1, 2, 4) for one in (irecv(rank ^ bit, size=800), isend(rank ^ bit, size=800, request=1),
                                              waitall(0, 1))]
        for rank in range(8)
    ]  # fmt: skip
    trace = MadeTrace([looped(own) for own in calls]).write(tmp_path)

    (capture,) = recognised(trace)["captures"]

    (motif,) = capture["motifs"]
    assert motif["times"] == 20


def halo_lines(listed, periodic: str) -> list[Record]:
    stencil = f'stencil --mesh 13 {periodic} --calls "{FACES.format("x", "40")}; waitall; allreduce 8 sum"'
    return [
        {key: value for key, value in line.items() if key != "crc32"}
        for line in lines_of(listed(f"{stencil} -i 9", 13))
    ]


@pytest.mark.parametrize("deviation", ["size", "peer", "tag", "missing", "wildcard"])
@pytest.mark.parametrize("periodic", ["--periodic x", ""])
def test_one_deviating_rank_is_no_stencil(periodic: str, deviation: str, listed, tmp_path, recognised) -> None:
    records = halo_lines(listed, periodic)
    rank = records[5]
    send = next(one for one in rank["calls"] if one["op"] == "Isend")
    if deviation == "size":
        send["bytes"] += 8
    elif deviation == "peer":
        send["peer"] = (send["peer"] + 3) % 13
    elif deviation == "tag":
        send["tag"] = 7
    elif deviation == "missing":
        rank["rules"][0] = [[rank["rules"][0][0][0], 8]]
    else:
        next(one for one in rank["calls"] if one["op"] == "Irecv")["any"] = "source"
    trace = write_lines(tmp_path / "deviating.trace", records)

    result = recognised(trace, status=1)

    assert result["captures"][0]["motifs"] == []


def test_waiting_for_any_request_is_refused_with_a_reason(engine, tmp_path) -> None:
    ring = [
        [
            irecv((r - 1) % 5, size=64), isend((r + 1) % 5, size=64, request=1),
            call("Waitany", requests=[0, 1], done=[0]), call("Waitany", requests=[1], done=[1]),
        ]
        for r in range(5)
    ]  # fmt: skip
    trace = MadeTrace([looped(calls) for calls in ring]).write(tmp_path)

    done = engine.stressbench("recognise", trace)

    assert done.status == 1
    assert "a loop of the program is no stencil: motif stencil has no MPI_Waitany" in done.text


HEAT_PY = """\
import array
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size, n = world.rank, world.size, 64
first, last, above, below = (array.array('d', [rank] * n) for _ in range(4))
up = rank - 1 if rank else MPI.PROC_NULL
down = rank + 1 if rank + 1 < size else MPI.PROC_NULL
for step in range(40):
    MPI.Request.Waitall([world.Irecv(above, up, 1), world.Irecv(below, down, 0),
                         world.Isend(first, up, 0), world.Isend(last, down, 1)])
    if step % 10 == 9:
        world.Allreduce(array.array('d', [step]), array.array('d', [0]), MPI.MAX)
"""


@pytest.fixture
def heat(request, any_engine, tmp_path) -> Sequence[str | Path]:
    """A program that solves the heat equation: in Fortran on a grid of ranks, or in Python with rows of the mesh."""
    if any_engine.library != "Open MPI":
        pytest.skip("16 ranks of MPICH would poll on two cores")
    if request.param == "Fortran":
        return [request.getfixturevalue("fortran")("heat.f90")]
    if subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], capture_output=True, check=False).returncode:
        pytest.skip("Debian's mpi4py is not installed everywhere")
    (tmp_path / "heat.py").write_text(HEAT_PY)
    return ["/usr/bin/python3", tmp_path / "heat.py"]


def messages_of(path: Path) -> Counter[tuple[int, int, int]]:
    """Messages of a trace by sender, receiver and size, and collectives by name and size."""
    sent: Counter[tuple[Any, ...]] = Counter()
    for line in lines_of(path)[1:-1]:
        for one in line["calls"]:
            if one["op"] in ("Isend", "Sendrecv") and one["peer"] >= 0:
                sent[line["rank"], one["peer"], one["bytes"]] += one["n"]
            elif one["op"] == "Allreduce":
                sent["Allreduce", one["bytes"]] += one["n"]
    return sent


@pytest.mark.parametrize("heat", ["Fortran", "Python"], indirect=True)
def test_a_program_captured_on_4_ranks_is_predicted_on_8_and_16(
    heat: Sequence[str | Path], traced: Callable[..., Any], listed, recognised, tmp_path
) -> None:
    """The numbers of messages and their sizes on more ranks are what the program sends there."""
    captures = {}
    for ranks in (4, 8, 16):
        run = traced(heat, ranks=ranks)
        assert run.status == 0, run.text
        captures[ranks] = (tmp_path / "made.trace").rename(tmp_path / f"heat-{ranks}.trace")
    for ranks in (8, 16):
        workload = tmp_path / f"heat-{ranks}.sb"
        recognised(captures[4], "-n", ranks, "-o", workload)
        assert messages_of(listed(str(workload), ranks)) == messages_of(captures[ranks])
