"""Motifs send what the applications send: each reference profile against the motif, captured by our tracer.

The profiles in tests/reference are captures of unmodified applications (tests/reference/README.md); the motifs contain
formulas, not recorded data. Motifs on as many ranks are launched as the chain of one job: the start of ranks takes
longer than most of them.
"""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.trace_lines import lines_of

from stressbench.experiments.traces import reference_profile_json
from stressbench.tracing.grammar import expand

CHECKOUT = Path(__file__).resolve().parent.parent.parent
REFERENCE = CHECKOUT / "tests" / "reference"

# profile: the motif that sends the same
MOTIFS = {
    "tealeaf_cg_4000x4000_p2": "tealeaf -x 4000 -y 4000",
    "tealeaf_cg_4000x4000_p4": "tealeaf -x 4000 -y 4000",
    "tealeaf_cg_4000x4000_p8": "tealeaf -x 4000 -y 4000",
    "tealeaf_jacobi_1000_p4": "tealeaf --solver jacobi -x 1000 -y 1000",
    "tealeaf_chebyshev_1000_p4": "tealeaf --solver chebyshev -x 1000 -y 1000",
    "tealeaf_ppcg_1000_p4": "tealeaf --solver ppcg -x 1000 -y 1000 --depth 2",
    "tealeaf_cg_step_61x35_p6": "tealeaf --step -x 61 -y 35 --depth 2 -n 30",
    "tealeaf_jacobi_step_50x31_p8": "tealeaf --step --solver jacobi -x 50 -y 31 --depth 3 -n 9",
    "tealeaf_chebyshev_step_80x120_p4": (
        "tealeaf --step --solver chebyshev -x 80 -y 120 -n 109 --cg-iterations 11 --first-check 40"
    ),
    "tealeaf_ppcg_step_61x35_p6": "tealeaf --step --solver ppcg -x 61 -y 35 --depth 4 --inner-steps 10 -n 3",
    "tealeaf_ppcg_first_step_97x30_p2": "tealeaf --step --solver ppcg -x 97 -y 30 --cg-iterations 24",
    "sweep3d_50_p4": "sweep3d",
    "sweep3d_50_p8": "sweep3d",
    "sweep3d_150_p6": "sweep3d --it-g 150 --jt-g 150 --kt 150 --mk 30 --mmi 2 --grid 2x3",
    "lulesh_s22_p8": "lulesh -s 22",
    "lulesh_s22_p27": "lulesh -s 22",
    "lulesh_s30_p8": "lulesh -s 30",
    "cloverleaf_960_p4": "cloverleaf -x 960 -y 960",
    "cloverleaf_960_p8": "cloverleaf -x 960 -y 960",
    "swfft_160_p2": "swfft --ngx 160 --driver --dfft-timing 0",
    "swfft_160_p4": "swfft --ngx 160 --driver --dfft-timing 0",
    "swfft_160_p8": "swfft --ngx 160 --driver --dfft-timing 0",
    "swfft_96_p6": "swfft --ngx 96 --driver --dfft-timing 0",
    "swfft_timing1_160_p4": "swfft --ngx 160 --driver --dfft-timing 1",
    "swfft_timing2_160_p2": "swfft --ngx 160 --driver",
    "swfft_timing2_160_p4": "swfft --ngx 160 --driver",
    "swfft_timing2_160_p8": "swfft --ngx 160 --driver",
    "swfft_timing2_96_p6": "swfft --ngx 96 --driver",
    "fftw2d_2000_p4": "fft2d --nx 2000 --barrier",
    "fftw2d_2000_p8": "fft2d --nx 2000 --barrier",
    "fftw2d_transposed_out_2000_p2": "fft2d --nx 2000 --transposed-out --barrier",
    "fftw2d_transposed_out_2000_p4": "fft2d --nx 2000 --transposed-out --barrier",
    "fftw2d_transposed_out_20x17_p3": "fft2d --nx 20 --ny 17 --transposed-out --barrier",
    "fftw2d_transposed_in_2000_p8": "fft2d --nx 2000 --transposed-in --barrier",
    "fftw2d_transposed_in_7x50_p6": "fft2d --nx 7 --ny 50 --transposed-in --barrier",
    "fftw2d_transposed_in_out_20x17_p3": "fft2d --nx 20 --ny 17 --transposed-in --transposed-out --barrier",
    "fftw2d_destroy_transposed_out_2000_p4": "fft2d --nx 2000 --transposed-out --call alltoall --barrier",
    "fftw2d_destroy_transposed_in_20x17_p3": "fft2d --nx 20 --ny 17 --transposed-in --call alltoallv --barrier",
    "fftw3d_160_p8": "fft3d --nx 160 --barrier",
    "fftw3d_transposed_out_160_p8": "fft3d --nx 160 --transposed-out --barrier",
    "fftw3d_transposed_in_9x14x5_p4": "fft3d --nx 9 --ny 14 --nz 5 --transposed-in --barrier",
    "fftw3d_transposed_in_out_17x14x23_p8": "fft3d --nx 17 --ny 14 --nz 23 --transposed-in --transposed-out --barrier",
    "ptrans_256_p4": "ptrans -m 256 -b 64 --positions 1,3,2,0",
    "ptrans_250_p6": "ptrans -m 250 -b 40 --positions 2,5,3,0,4,1",
    "ptrans_256_p8": "ptrans -m 256 -b 64 --positions 0,5,7,3,1,6,2,4",
    "vpfft_15_p2": "vpfft -x 15 -n 2",
    "vpfft_15_p4": "vpfft -x 15 -n 2",
    "vpfft_17x14x9_p8": "vpfft -x 17 -y 14 -z 9 -n 1",
    "vpfft_16_p4": "vpfft -x 16 -n 1 --call staged",
    "vpfft_16_p8": "vpfft -x 16 -n 1 --call staged",
    "vpfft_17x16x16_p4": "vpfft -x 17 -y 16 -z 16 -n 1 --call staged,pairwise",
    "vpfft_32_p4": "vpfft -x 32 -n 1",
    "milc_8x8x8x8_p8": "milc -x 8 -y 8 -z 8 -t 8",
    "minife_48_p4": "minife -x 48 -y 48 -z 48",
    "minife_setup_14_p5": "minife -x 14 -y 14 -z 14 --phase setup",
    "nekbone_p4": "nekbone --elements 32 --points 10",
    "nekbone_setup_6_p6": "nekbone --elements 6 --points 5 --phase setup",
    "nekbone_setup_6_p7": "nekbone --elements 6 --points 5 --phase setup",
    "comd_eam_p8": "comd -x 20 -y 20 -z 20",
    "npb_cgA_p4": "npb --benchmark cg --class A",
    "npb_ftA_p4": "npb --benchmark ft --class A",
    "npb_btA_p4": "npb --benchmark bt --class A",
    "npb_btA_p9": "npb --benchmark bt --class A",
    "npb_spA_p4": "npb --benchmark sp --class A",
    "npb_spA_p9": "npb --benchmark sp --class A",
    "npb_isA_p4": "npb --benchmark is --class A --run",
    "npb_isS_p8": "npb --benchmark is --class S --run",
    "umt_3x6x8_p4": "umt -n 3x6x8 -P 2x2x1 --temperature-iterations 3 --sweeps all,all/all",
    "umt_first_step_2x3x4_p2": "umt -n 2x3x4 -P 2x1x1 -g 4 --order 4 --temperature-iterations 3 --sweeps all",
    "umt_2x2x2_p8": (
        "umt -n 2x2x2 -P 2x2x2 -g 4 --polar 2 --azimuthal 2 --temperature-iterations 4 --sweeps all,all/all"
    ),
    "umt_2x1x3_p6": "umt -n 2x1x3 -P 3x2x1 -g 3 --order 6 --temperature-iterations 4 --sweeps all,all/all",
    "umt_partial_sweeps_1x1x1_p4": (
        "umt -n 1x1x1 -P 1x1x4 -g 2 --order 4 --temperature-iterations 5 --sweeps all,all/all,4/all,3/all"
    ),
    "umt_2x2x2_p1": "umt -n 2x2x2 -g 4 --order 2 --temperature-iterations 4 --sweeps all",
    "amg_p1_16_p4": "amg -n 16x16x16 -P 2x2x1",
    "amg_p1_8_p8": "amg -n 8x8x8",
    "amg_p2_16_p4": "amg -n 16x16x16 -P 2x2x1 --solver gmres --basis 4",
}

Profile = dict[str, Any]


def reference(name: str) -> Profile:
    return json.loads((REFERENCE / f"{name}.json").read_text())


MOTIFS_OF_A_LAUNCH = 8  # whose buffers have to be in memory at the same time


def chains() -> Iterator[tuple[str, ...]]:
    """Names of profiles on as many ranks, and of TeaLeaf, whose waits vary, or of others."""
    alike: dict[tuple[int, bool], list[str]] = {}
    for name in MOTIFS:
        alike.setdefault((int(name.rpartition("_p")[2]), name.startswith("tealeaf")), []).append(name)
    for names in alike.values():
        yield from (tuple(names[at : at + MOTIFS_OF_A_LAUNCH]) for at in range(0, len(names), MOTIFS_OF_A_LAUNCH))


@pytest.fixture
def captured(engine, stressbench, tmp_path) -> Callable[..., Profile]:
    """The profile of one iteration of each motif of a chain on so many ranks, without computation."""

    def run(motifs: Sequence[str], ranks: int) -> Profile:
        trace, workload = tmp_path / "motifs.trace", tmp_path / "motifs.sb"
        chain = "".join(f"[MOTIF] {motif} --compute off\n" for motif in motifs)
        workload.write_text(f"[JOB_NAME] chain\n[NODES] 1\n{chain}", encoding="utf-8")
        done = engine.traced(
            engine.program, "run", workload, "--ranks-per-node", str(ranks), "--isolated", "1", "--contended", "0",
            "--repetitions", "1", "--warmup", "0", "--pcontrol", "-q", "--output", tmp_path / "motifs.jsonl",
            "--overwrite", ranks=ranks, trace=trace, STRESSBENCH_TRACE_PAUSED="1",
        )  # fmt: skip
        assert done.status == 0, done.text
        outcome = stressbench("trace", "export", "--profile", trace)
        assert outcome.status == 0, outcome.text
        return {**json.loads(outcome.output), "bytes_to_ranks": bytes_to_ranks(trace)}

    return run


def bytes_to_ranks(trace: Path) -> dict[str, list[list[int]]]:
    """What each rank sends to every rank in each MPI_Alltoallv, in order; a token has only the sum."""
    return {
        str(rank["rank"]): [
            rank["calls"][number]["counts"]
            for number in expand(rank["rules"])
            if rank["calls"][number]["op"] == "Alltoallv"
        ]
        for rank in lines_of(trace)
        if rank["type"] == "rank"
    }


def differences(found: Profile, wanted: Sequence[Profile]) -> list[str | None]:
    """In words, the first difference of each motif of a chain from its application; None where they are the same."""
    (is_tealeaf,) = {profile["app"] == "TeaLeaf" for profile in wanted}
    complete = with_all_waits if is_tealeaf else list
    reported: list[str | None] = [None] * len(wanted)
    for rank in wanted[0]["sequence_all_ranks"]:
        ours = complete(found["sequence_all_ranks"][rank].split())
        sent = list(found["bytes_to_ranks"][rank])
        for number, profile in enumerate(wanted):
            theirs = complete(profile["sequence_all_ranks"][rank].split())
            is_last = number == len(wanted) - 1  # it has all that is left
            own, ours = (ours, []) if is_last else (ours[: len(theirs)], ours[len(theirs) :])
            calls = sum(token.startswith("Alltoallv") for token in theirs)
            own_sent, sent = sent[:calls], sent[calls:]
            reported[number] = (
                reported[number]
                or difference_of_calls(rank, own, theirs)
                or difference_of_bytes(rank, own_sent, profile.get("bytes_to_ranks", {}).get(rank))
            )
    return reported


def difference_of_calls(rank: str, ours: Sequence[str], theirs: Sequence[str]) -> str | None:
    ours = without_tags_that_vary(ours, theirs)
    if ours == theirs:
        return None
    at = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return f"rank {rank}, call {at}: the motif {ours[at : at + 3]}, the application {theirs[at : at + 3]}"


def difference_of_bytes(rank: str, ours: list[list[int]], theirs: list[list[int]] | None) -> str | None:
    if theirs is None or ours == theirs:
        return None
    return f"rank {rank}, MPI_Alltoallv: the motif {ours}, the application {theirs}"


def with_all_waits(tokens: list[str]) -> list[str]:
    """TeaLeaf tests for its messages to left and right (tags 1 and 2), and if they already exist leaves out their
    wait, which otherwise precedes that for the messages down and up. Here no wait is left out."""
    completed: list[str] = []
    across = down = 0  # requests since the last wait
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if message := re.match(r"I[sr][<>]\d+:(\d):", token):
            across += message[1] in "12"
            down += message[1] in "34"
        elif token.startswith("Wa("):
            left_out = not following.startswith("Wa(") if down else token != f"Wa({across})"
            if across and left_out:
                completed.append(f"Wa({across})")
            across = down = 0
        completed.append(token)
    return completed


def without_tags_that_vary(tokens: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """An application's tags that change from one iteration to the next are '*' in its profile (MILC)."""
    masked = [re.sub(r":\d+:", ":*:", token, count=1) if ":*:" in other else token
              for token, other in zip(tokens, theirs, strict=False)]  # fmt: skip
    return [*masked, *tokens[len(masked) :]]


@pytest.mark.parametrize("names", list(chains()), ids=lambda names: f"{names[0]} and {len(names) - 1} more")
def test_motifs_send_what_their_applications_send(names, captured):
    wanted = [reference(name) for name in names]
    found = captured([MOTIFS[name] for name in names], wanted[0]["ranks"])
    assert dict(zip(names, differences(found, wanted), strict=True)) == dict.fromkeys(names)


@pytest.mark.parametrize("name", MOTIFS)
def test_the_calls_listed_for_a_motif_are_those_of_its_application(name, engine, tmp_path):
    wanted, trace = reference(name), tmp_path / "motif.trace"
    listed = engine.run("calls", *MOTIFS[name].split(), "--ranks", wanted["ranks"], "--output", trace)
    assert listed.status == 0, listed.text

    profile = json.loads(reference_profile_json(trace))

    assert differences({**profile, "bytes_to_ranks": bytes_to_ranks(trace)}, [wanted]) == [None]


def test_amg_sends_what_was_captured_where_the_levels_of_the_capture_are_given(captured, stressbench, tmp_path):
    trace, levels = tmp_path / "amg.trace", tmp_path / "amg.levels"
    trace.write_bytes(gzip.decompress((REFERENCE / "amg_p1_16_p4.trace.gz").read_bytes()))
    outcome = stressbench("trace", "levels", trace, "-o", levels)
    assert outcome.status == 0, outcome.text

    assert differences(captured([f"amg --levels {levels}"], 4), [reference("amg_p1_16_p4")]) == [None]


@pytest.mark.parametrize("levels", ["amg_p1_32_p2", "amg_p1_33x17x9_p6", "amg_p2_24_p4_step6"])
def test_the_levels_of_a_motif_with_levels_are_these_levels(levels, engine, stressbench, tmp_path):
    given = tmp_path / "given.levels"
    given.write_text((REFERENCE / "levels" / f"{levels}.levels").read_text())
    ranks = int(levels.split("_p")[2].split("_")[0])
    trace = tmp_path / "motif.trace"
    done = engine.traced(
        engine.program, "motif", "amg", "--levels", given, "--compute", "off", "--repetitions", "2", "--warmup", "0",
        ranks=ranks, trace=trace,
    )  # fmt: skip
    assert done.status == 0, done.text

    outcome = stressbench("trace", "levels", trace)

    assert outcome.status == 0, outcome.text
    assert entries_of(outcome.output) == entries_of(given.read_text())


def entries_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_every_profile_has_its_motif():
    compared_in_test_mcb = {path.stem for path in REFERENCE.glob("mcb_*.json")}
    stems = {path.stem for path in REFERENCE.glob("*.json")}
    assert MOTIFS.keys() == stems - compared_in_test_mcb


@pytest.mark.parametrize(
    ("course", "whole"),
    [
        ("Is>1:2:8 Ir<1:1:8 Is>2:4:8 Ir<2:3:8 Wa(2)", "Is>1:2:8 Ir<1:1:8 Is>2:4:8 Ir<2:3:8 Wa(2) Wa(2)"),
        ("Is>1:2:8 Ir<1:1:8 Wa(0)", "Is>1:2:8 Ir<1:1:8 Wa(2) Wa(0)"),
    ],
    ids=["neighbours in both directions", "none down or up"],
)
def test_a_wait_that_a_successful_test_left_out_is_no_difference(course, whole):
    assert with_all_waits(f"{course} {whole} {course}".split()) == f"{whole} {whole} {whole}".split()


def test_a_deep_halo_has_all_its_waits():
    across = ["Is>1:2:8", "Ir<1:1:8", "Wa(2)"]
    deep = [*across, "Is>2:4:8", "Ir<2:3:8", "Wa(2)", *across, "Wa(0)"]
    assert with_all_waits(deep) == deep


def test_a_wrong_size_is_noticed_and_does_not_hide_what_follows(captured):
    wanted = [reference("tealeaf_cg_4000x4000_p2"), reference("tealeaf_ppcg_first_step_97x30_p2")]

    found = captured(["tealeaf -x 4000 -y 3999", MOTIFS["tealeaf_ppcg_first_step_97x30_p2"]], 2)

    first, second = differences(found, wanted)
    assert first is not None
    assert "rank 0, call 2" in first
    assert second is None


def test_a_missing_and_an_additional_call_are_noticed():
    sequence = {"0": "Is>1:2:8 Ir<1:1:8 Wa(2)"}
    wanted = {"app": "other", "sequence_all_ranks": sequence, "bytes_to_ranks": {"0": []}}

    for calls in ("Is>1:2:8 Ir<1:1:8", "Is>1:2:8 Ir<1:1:8 Wa(2) Barrier@2"):
        found = {"sequence_all_ranks": {"0": f"{sequence['0']} {calls}"}, "bytes_to_ranks": {"0": []}}
        first, second = differences(found, [wanted, wanted])
        assert first is None
        assert second is not None
