"""What the programs of benchmarks/ stand on: reading IMB's tables, launches that take turns, ratios with intervals."""

from pathlib import Path

import pytest

PINGPONG = """\
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         5000         0.37         0.00
            8         5000         0.33        24.41
"""
ALLREDUCE = """\
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         5000         0.20         0.30         0.25
"""
RATE = """\
       #bytes #repetitions   Mbytes/sec      Msg/sec
            8         1000         3.84       479841
"""


def test_a_pingpong_time_comes_from_the_column_with_more_digits(benchmark):
    assert benchmark("against_imb").imb_time_s(PINGPONG, "PingPong", 8) == pytest.approx(8 / 24.41e6)


def test_a_message_of_0_bytes_has_no_bandwidth_but_a_time(benchmark):
    assert benchmark("against_imb").imb_time_s(PINGPONG, "PingPong", 0) == pytest.approx(0.37e-6)


def test_what_a_profiler_prints_around_the_times_is_skipped(benchmark, monkeypatch):
    tracer = benchmark("tracer")
    printed = 'mpiP: V3.5\nmpiP:\n{"traced_s": 2e-06, "paused_s": 4e-07, "ratio": 5.0}\n'
    monkeypatch.setattr(tracer.mpi, "run", lambda *_: printed)
    assert tracer.alternating_blocks(Path("program"), [], 8) == (2e-06, 4e-07)


def test_a_collective_time_is_the_mean_over_ranks(benchmark):
    assert benchmark("against_imb").imb_time_s(ALLREDUCE, "Allreduce", 8) == pytest.approx(0.25e-6)


def test_a_window_comes_from_the_message_rate(benchmark):
    assert benchmark("against_imb").imb_time_s(RATE, "Uniband", 8, 64) == pytest.approx(64 / 479841)


def test_a_table_without_the_size_is_an_error(benchmark):
    with pytest.raises(ValueError, match="no row for 64 bytes"):
        benchmark("against_imb").imb_time_s(PINGPONG, "PingPong", 64)


def test_launches_take_turns_in_random_order(benchmark):
    order = []
    mine, other = benchmark("compare").interleave(
        lambda: order.append("a") or 1.0, lambda: order.append("b") or 2.0, launches=20, seed=1
    )
    assert (mine, other) == ([1.0] * 20, [2.0] * 20)
    blocks = [tuple(order[i : i + 2]) for i in range(2, 42, 2)]  # the first pair warms up
    assert {tuple(sorted(block)) for block in blocks} == {("a", "b")}
    assert set(blocks) == {("a", "b"), ("b", "a")}


def test_a_machine_that_changes_between_blocks_leaves_the_ratio_within_blocks_alone(benchmark):
    machine = [1.0] * 7 + [12.0] * 8
    found = benchmark("compare").ratio([1.1 * x for x in machine], machine, seed=1)
    assert found.within_blocks.value == pytest.approx(1.1)
    assert found.within_blocks.low == pytest.approx(1.1)
    assert found.of_medians.value == pytest.approx(1.1)
    assert found.of_medians.low <= 1.1 <= found.of_medians.high
