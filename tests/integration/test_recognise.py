"""`stressbench recognise` and `stressbench-mpi calls`: captures are lists of calls that the engine writes.

That these lists are what applications send is tested in test_reference.py.
"""

import shlex
from pathlib import Path

import pytest
from support.recognising import KEYS, gaps_of, words_of
from support.trace_lines import lines_of
from support.traces import MadeTrace, allreduce, irecv, isend, rank_of, waitall, write_lines

# program: its ranks, the motif that is recognised, how often, and other ranks on which it has to be the same
PROGRAMS = {
    "tealeaf -x 61 -y 35 -i 30": (4, "tealeaf --solver cg --columns 61 --rows 35", 30, (2, 6, 9)),
    "tealeaf --solver jacobi -x 61 -y 35 -i 30": (6, "tealeaf --solver jacobi --columns 61 --rows 35", 30, (4,)),
    "tealeaf --solver chebyshev -n 10 -x 61 -y 35 -i 30": (
        4, "tealeaf --solver chebyshev --solver-iterations 10 --columns 61 --rows 35", 30, (8,)
    ),
    "tealeaf --solver ppcg -x 61 -y 35 -d 2 -i 5": (
        4, "tealeaf --solver ppcg --depth 2 --columns 61 --rows 35", 5, (9,)
    ),
    "cloverleaf -x 240 -y 120 -i 4": (4, "cloverleaf --columns 240 --rows 120", 4, (8, 12)),
    "lulesh -s 7 -i 4": (8, "lulesh --elements 7", 4, (27, 64)),
    "sweep3d -i 4": (4, "sweep3d --it-g 50 --jt-g 50 --kt 50 --mk 10 --mmi 3 --mm 6", 4, (6, 8)),
    "sweep3d -i 4 --grid 1x3": (
        3, "sweep3d --it-g 50 --jt-g 50 --kt 50 --mk 10 --mmi 3 --mm 6 --grid 1x3", 4, ()
    ),
    "swfft -x 24 --driver -i 4": (4, "swfft --ngx 24 --driver --dfft-timing 2", 4, (6, 8)),
    "swfft -x 24 --dfft-timing 0 -i 4": (8, "swfft --ngx 24 --dfft-timing 0", 4, (2,)),
    "fft2d --nx 60 -i 4": (4, "fft2d --nx 60 --ny 60 --call pairwise", 4, (3, 8)),
    # the same calls as the transform of the transposed matrix, and as half as many of both transposes
    "fft2d --nx 20 --ny 17 --transposed-in --barrier -i 4": (
        3, "fft2d --nx 17 --ny 20 --transposed-out --call pairwise --barrier", 4, ()
    ),
    "fft2d --nx 64 --transposed-out --call alltoall -i 4": (
        4, "fft2d --nx 64 --ny 64 --call alltoall", 2, (8,)
    ),
    "fft3d --nx 20 -i 4": (4, "fft3d --nx 20 --call pairwise", 4, (5,)),
    "minife -x 12 -y 12 -z 12 -i 6": (4, "minife --nx 12 --ny 12 --nz 12", 6, (8,)),
    "nekbone -i 6": (4, "nekbone --elements 32 --points 10", 6, (6, 8, 16)),
    "nekbone --elements 12 --points 5 -i 6": (8, "nekbone --elements 12 --points 5", 6, (4, 12)),
    "comd -x 16 -y 16 -z 16 -i 6": (4, "comd --potential eam --nx 16 --ny 16 --nz 16", 6, (8,)),
    "milc -i 6": (8, "milc --precision single --nx 8 --ny 8 --nz 8 --nt 8", 6, (4,)),
    "npb --benchmark lu --class S -i 4": (4, "npb --benchmark lu --class S", 4, (2, 8)),
    "npb --benchmark mg --class S -i 5": (4, "npb --benchmark mg --class S", 5, (8,)),
    "vpfft -x 15 -n 3 -i 4": (4, "vpfft --nx 15 --solver-iterations 3 --call pairwise", 4, (5, 8)),
    "vpfft -x 16 -n 2 --call staged,staged,pairwise,pairwise -i 4": (
        4, "vpfft --nx 16 --solver-iterations 2 --call staged,staged,pairwise,pairwise", 4, (8,)
    ),
    "umt -n 2x3x4 -g 4 --polar 2 --azimuthal 2 -i 4": (
        8, "umt --zones 2x3x4 --groups 4 --polar 2 --azimuthal 2 --temperature-iterations 4 --sweeps all,all/all", 4,
        (4, 12),
    ),
    "umt -n 2x3x4 -g 3 --polar 3 --azimuthal 2 --sweeps all,1256/all --grid 1x2x2 -i 4": (
        4, "umt --zones 2x3x4 --groups 3 --polar 3 --azimuthal 2 --temperature-iterations 4 --sweeps all,1256/all "
        "--grid 1x2x2", 4, (),
    ),
    "amg -n 4x5x6 -i 4": (4, "amg --points 4x5x6", 4, (2, 8)),
    "amg -n 4x5x6 --grid 2x1x3 -i 4": (6, "amg --points 4x5x6 --grid 2x1x3", 4, ()),
    "npb --benchmark is --class S --run": (4, "npb --benchmark is --class S --run", 1, (8,)),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_motif_is_recognised_with_its_options_and_makes_the_same_calls_on_other_ranks(
    program: str, listed, recognised
) -> None:
    ranks, expected, times, others = PROGRAMS[program]

    result = recognised(listed(program, ranks))

    (capture,) = result["captures"]
    (motif,) = capture["motifs"]
    assert (words_of(motif), motif["times"]) == (expected, times)
    assert times * motif["of_one"]["calls"] == capture["total"]["calls"]
    for number in others:
        theirs, ours = (lines_of(listed(words, number))[1:-1] for words in (program, f"{expected} -i {times}"))
        assert [[line[key] for key in KEYS] for line in ours] == [[line[key] for key in KEYS] for line in theirs]


def test_several_captures_show_what_one_leaves_open(listed, recognised) -> None:
    program = "tealeaf -x 60 -y 40 -i 30"
    two, four = listed(program, 2), listed(program, 4)

    (single,) = recognised(two)["captures"]
    first, second = recognised(two, four)["captures"]

    assert words_of(single["motifs"][0]) == "tealeaf --solver cg --columns 40 --rows 40"
    assert "columns: as many as rows" in single["motifs"][0]["candidate"]["assumed"][0]
    for capture in (first, second):
        assert [words_of(motif) for motif in capture["motifs"]] == ["tealeaf --solver cg --columns 60 --rows 40"]


def test_the_computation_is_the_median_of_captures_on_as_many_ranks(tmp_path, listed, recognised) -> None:
    listed_lines = {ranks: lines_of(listed("tealeaf -x 61 -y 35 -i 30", ranks)) for ranks in (4, 9)}

    def timed(name: str, before_call_s: float, ranks: int = 4) -> Path:
        header, *of_ranks, end = listed_lines[ranks]
        own = [rank | {"gaps": gaps_of(rank, before_call_s)} for rank in of_ranks]
        return write_lines(tmp_path / f"{name}.trace", [header, *own, end])

    slow, fast, usual = timed("slow", 9e-3), timed("fast", 2e-3), timed("usual", 3e-3)
    (single,) = recognised(usual)["captures"][0]["motifs"]

    first, *others = recognised(slow, fast, usual, timed("more-ranks", 1e-3, ranks=9))["captures"]

    assert first["motifs"] == [single]
    assert [capture["motifs"][0]["computed_s"] for capture in others[:2]] == pytest.approx(
        [single["computed_s"] * 2 / 3, single["computed_s"]]
    )


def test_a_chain_of_motifs_is_recognised_in_its_order(tmp_path, listed, recognised, engine) -> None:
    (tmp_path / "app.sb").write_text(
        "[JOB_NAME] app\n[NODES] 1\n[LOOP] 6\n[MOTIF] swfft -x 24 --driver\n[END]\n[MOTIF] tealeaf -x 61 -y 35 -i 40\n"
    )
    workload = tmp_path / "found.sb"

    (capture,) = recognised(listed("app.sb", 4), "-o", workload)["captures"]

    assert [(words_of(motif), motif["times"]) for motif in capture["motifs"]] == [
        ("swfft --ngx 24 --driver --dfft-timing 2", 6),
        ("tealeaf --solver cg --columns 61 --rows 35", 40),
    ]
    assert capture["total"]["calls"] == sum(motif["times"] * motif["of_one"]["calls"] for motif in capture["motifs"])
    assert "[LOOP] 6\n  [MOTIF] swfft --ngx 24 --driver --dfft-timing 2\n[END]\n[LOOP] 40\n" in workload.read_text()
    assert engine.run("check", workload, "--nodes", "1", "--ranks-per-node", "4").status == 0
    again = listed(str(workload), 4)
    assert lines_of(again)[1]["sequence_calls"] == lines_of(listed("app.sb", 4))[1]["sequence_calls"]


def test_a_transposition_by_ranks_in_an_order_of_their_own_is_recognised_if_it_occurs_once(
    tmp_path, listed, recognised
) -> None:
    (tmp_path / "app.sb").write_text(
        "[JOB_NAME] app\n[NODES] 1\n[MOTIF] ptrans --matrix 240 --block 40 --positions 2,5,3,0,4,1\n"
        "[LOOP] 9\n[MOTIF] tealeaf -x 6100 -y 3500 -i 5\n[END]\n[MOTIF] ptrans --matrix 240 --block 40\n"
    )
    header, *ranks, end = lines_of(listed("app.sb", 6))
    for rank in ranks:
        own = [2, 5, 3, 0, 4, 1].index(rank["rank"])
        members = [[2, 3, 2], [3, -3, 2], [4, -3, 2]]
        rank["comms"].append({"slot": 9, "size": 6, "rank": own, "members": members, "inter": False})
    capture = write_lines(tmp_path / "other-order.trace", [header, *ranks, end])

    result = recognised(capture, "--ranks", "12")

    motifs = [motif for motif in result["captures"][0]["motifs"] if motif["candidate"]["motif"] == "ptrans"]
    assert [(words_of(motif), motif["times"]) for motif in motifs] == [
        ("ptrans --matrix 240 --block 1 --positions 2,5,3,0,4,1", 1), ("ptrans --matrix 240 --block 1", 1),
    ]  # fmt: skip
    first, second = (motif for motif in result["scaled"]["motifs"] if motif["words"][0] == "ptrans")
    assert first["words"][:6] == ["ptrans", "--matrix", "240", "--block", "1", "--positions"]
    assert first["words"][6].startswith("random:")
    assert first["of_one"] == second["of_one"]


def test_a_few_more_iterations_of_a_program_that_was_recognised_count(tmp_path, listed, recognised) -> None:
    step, run = "[MOTIF] npb --benchmark lu --class S\n", "[MOTIF] npb --benchmark lu --class S --run\n"
    (tmp_path / "app.sb").write_text(f"[JOB_NAME] app\n[NODES] 1\n{step}[MOTIF] tealeaf -x 61 -y 35\n{run}")

    (capture,) = recognised(listed("app.sb", 4))["captures"]

    motifs = {words_of(motif): (motif["times"], motif["runs"]) for motif in capture["motifs"]}
    assert motifs["npb --benchmark lu --class S"] == (1, 1)  # which is a fiftieth of its messages
    assert motifs["npb --benchmark lu --class S --run"] == (1, 1)


def test_time_steps_with_other_iterations_are_the_same_program(tmp_path, listed, recognised, engine) -> None:
    often, once = (f"[MOTIF] umt -n 2x3x4 --temperature-iterations {number}\n" for number in (4, 3))
    (tmp_path / "app.sb").write_text(
        f"[JOB_NAME] app\n[NODES] 1\n[LOOP] 2\n{often}[END]\n{once}[LOOP] 20\n{often}[END]\n"
    )
    trace, workload = listed("app.sb", 8), tmp_path / "found.sb"

    (capture,) = recognised(trace, "-o", workload)["captures"]

    assert [(words_of(motif).split()[-3], motif["times"], motif["runs"]) for motif in capture["motifs"]] == [
        ("4", 22, 2), ("3", 1, 1)
    ]  # fmt: skip
    assert [line["peers"] for line in lines_of(listed(str(workload), 8))[1:-1]] == [
        line["peers"] for line in lines_of(trace)[1:-1]
    ]
    assert workload.read_text().count("[LOOP]") == 2
    shown = engine.stressbench("recognise", trace)
    assert shown.text.count("one of the quadratures with so many angles") == 1


def test_a_scaled_workload_makes_the_calls_of_the_larger_program(tmp_path, listed, recognised) -> None:
    workload = tmp_path / "large.sb"

    result = recognised(listed("tealeaf -x 60 -y 40 -i 30", 4), "--ranks", "16", "--size", "4", "-o", workload)

    (motif,) = result["scaled"]["motifs"]
    assert motif["words"][:7] == ["tealeaf", "--solver", "cg", "--columns", "120", "--rows", "80"]
    program = lines_of(listed("tealeaf -x 120 -y 80 -i 30", 16))[1:-1]
    sent = [line["peers"] for line in program]
    assert motif["of_one"]["messages"] * 30 == sum(messages for peers in sent for _, messages, _ in peers)
    assert [line["peers"] for line in lines_of(listed(str(workload), 16))[1:-1]] == sent


# motif: what precedes its iterations, single iterations between long runs, factors on the cells, and other ranks
PROGRAMS_WITH_PHASES = {
    "minife -x 12 -y 12 -z 12": (("setup", "start"), {8: 1, 16: 1}),
    "nekbone --elements 6 --points 10": (("setup", "exchange", "start"), {8: 2, 12: 3, 16: 4}),
}


@pytest.mark.parametrize("motif", PROGRAMS_WITH_PHASES)
def test_what_precedes_the_iterations_of_a_motif_and_single_ones_are_scaled_too(
    motif: str, tmp_path, listed, recognised
) -> None:
    phases, others = PROGRAMS_WITH_PHASES[motif]
    check = '[MOTIF] stencil --mesh 1 --calls "allreduce 8 sum; barrier"'
    before = [f"[MOTIF] {motif} --phase {phase}" for phase in phases]
    program = [*before, "[LOOP] 9", f"[MOTIF] {motif}", "[END]", check, f"[MOTIF] {motif}", check]
    (tmp_path / "app.sb").write_text("\n".join(["[JOB_NAME] app", "[NODES] 1", *program, ""]))
    capture = listed("app.sb", 4)

    (found,) = recognised(capture)["captures"]

    iteration = max(found["motifs"], key=lambda one: one["of_one"]["messages"] * one["times"])
    assert (iteration["times"], iteration["runs"]) == (10, 2)
    assert [dict(one["candidate"]["options"]).get("phase") for one in found["motifs"][: len(phases)]] == list(phases)
    assert found["parts"] == []
    for ranks, size in others.items():
        scaled = tmp_path / f"scaled-{ranks}.sb"
        recognised(capture, "--ranks", str(ranks), "--size", str(size), "-o", scaled)
        theirs, ours = (lines_of(listed(str(path), ranks))[1:-1] for path in (tmp_path / "app.sb", scaled))
        assert [[line[key] for key in KEYS] for line in ours] == [[line[key] for key in KEYS] for line in theirs]


def test_a_million_calls_on_each_of_64_ranks_are_recognised(listed, recognised) -> None:
    (capture,) = recognised(listed("tealeaf -x 8000 -y 8000 -i 100000", 64))["captures"]

    assert [(words_of(motif), motif["times"]) for motif in capture["motifs"]] == [
        ("tealeaf --solver cg --columns 8000 --rows 8000", 100_000)
    ]
    assert capture["total"]["calls"] == 100_000 * capture["motifs"][0]["of_one"]["calls"] > 64_000_000


def test_ranks_on_which_a_motif_cannot_run_are_refused_with_its_reason(listed, engine, tmp_path) -> None:
    trace = listed("lulesh -s 7 -i 4", 8)

    done = engine.stressbench("recognise", trace, "--ranks", "30", "-o", tmp_path / "app.sb")

    assert done.status == 2
    assert "30 ranks: lulesh: lulesh needs a cube of ranks" in done.text
    assert "27 or 64 would fit" in done.text
    assert not (tmp_path / "app.sb").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--size", "0"), "--size: 0: expected a factor on the number of cells, greater than 0"),
        (("--size", "nan"), "nan"),
        (("--ranks", "0"), "--ranks: 0: expected 1 to 2097152"),
        (("-o", "app.txt"), "app.txt should end in .sb"),
        (("--engine", "none"), "none"),
    ],
)
def test_invalid_options_are_refused(words: tuple[str, ...], message: str, listed, engine, tmp_path) -> None:
    done = engine.stressbench("recognise", listed("lulesh -s 7", 8), *words, cwd=tmp_path)

    assert done.status == 2
    assert message in done.text


def test_a_program_of_no_motif_is_status_1_and_writes_nothing(engine, tmp_path) -> None:
    ring = [  # of which one rank is left out
        [irecv((r - 1) % 3, size=64), isend((r + 1) % 3, size=64, request=1), waitall(0, 1), allreduce(size=8)]
        for r in range(3)
    ]
    ring.append([allreduce(size=8)])
    trace = MadeTrace([rank_of(calls * 20) for calls in ring]).write(tmp_path)

    done = engine.stressbench("recognise", trace, "-o", tmp_path / "app.sb")

    assert done.status == 1
    assert "no motif makes its calls" in done.text
    assert not (tmp_path / "app.sb").exists()


@pytest.mark.parametrize("deviation", ["size", "missing", "extra"])
def test_one_deviating_rank_is_not_covered_up(deviation: str, listed, engine, tmp_path, recognised) -> None:
    lines = lines_of(listed("tealeaf -x 61 -y 35 -i 30", 4))
    records = [{key: value for key, value in line.items() if key != "crc32"} for line in lines]
    calls = records[3]["calls"]
    if deviation == "size":
        next(one for one in calls if one["op"] == "Isend")["bytes"] += 8
    elif deviation == "missing":
        records[3]["rules"][0] = [[records[3]["rules"][0][0][0], 29]]
    else:
        records[3]["rules"][0].append([0, 1])
        records[3]["sequence_calls"] += 1
    trace = write_lines(tmp_path / "deviating.trace", records)

    status = 0 if deviation == "extra" else 1
    (capture,) = recognised(trace, status=status)["captures"]

    if deviation == "extra":
        (motif,) = capture["motifs"]
        assert motif["times"] * motif["of_one"]["calls"] == capture["total"]["calls"] - 1
    else:
        assert capture["motifs"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("posix --ranks 4", "calls: posix: its calls are not known without a launch"),
        ("lulesh --ranks 9", "8 or 27 would fit"),
        ("lulesh --ranks 0", "--ranks"),
        ("lulesh", "--ranks is required"),
        ("lulesh --ranks 8 -s 0", "greater than 0"),
        ("lulesh --ranks 8 --job a", "--job: lulesh is a motif"),
        ("lulesh --ranks 8 --set a=1", "--set: lulesh is a motif"),
        ("huge.sb --ranks 8", "its numbers multiply to more than 2^63"),
        ("none --ranks 8", "'none' is not a motif"),
        ("two.sb --ranks 8", "choose one with --job: a, b"),
        ("two.sb --ranks 8 --job c", "--job: 'c' is not a job of the workload; it has a, b"),
        ("two.sb --ranks 8 -s 3", "expected nothing after a workload file"),
        ("--ranks 8", "the name of a motif, or a workload file"),
    ],
)
def test_what_has_no_list_of_calls_is_refused(words: str, message: str, engine, tmp_path) -> None:
    (tmp_path / "two.sb").write_text(
        "[JOB_NAME] a\n[NODES] 1\n[MOTIF] lulesh\n[JOB_NAME] b\n[NODES] 1\n[MOTIF] lulesh\n"
    )

    loops = "[LOOP] 1G\n[MOTIF] lulesh -s 1000 -i 1000000\n[END]\n"
    (tmp_path / "huge.sb").write_text(f"[JOB_NAME] a\n[NODES] 1\n{loops}")

    done = engine.run("calls", *shlex.split(words), "--output", "x.trace", cwd=tmp_path)

    assert done.status == 2, done.text
    assert message in done.text
    assert not (tmp_path / "x.trace").exists()


def test_the_calls_of_ten_thousand_ranks_are_listed_without_a_launch(listed, engine) -> None:
    trace = listed("tealeaf -x 8000 -y 8000 -i 100", 10_000)

    shown = engine.stressbench("trace", "show", trace, "--rank", "5000")

    assert shown.status == 0, shown.text
    assert "the calls that a motif would make, without times" in engine.stressbench("trace", "show", trace).text
    assert "100 times, 10 calls each" in shown.text
