"""What the engine costs while it measures: memory of a rank, processor time of a parked one."""

from support.measured import at_least, at_most


def test_a_rank_needs_less_than_6_mib_beyond_mpi(engine, benchmark):
    memory, mpi = benchmark("memory"), benchmark("mpi")
    ours, theirs = memory.measure(engine.program, mpi.build_bare(mpi.OPEN_MPI, "init"), 8)
    assert ours.peak_kib - theirs.peak_kib < memory.GOAL_KIB


def test_a_parked_rank_takes_less_than_2_percent_of_a_core(engine, benchmark, measured, few_samples):
    """Of each launch the rank that takes most; ranks 0 and 1 run meanwhile, as much as two cores let them."""
    parked = benchmark("parked")

    shares = [parked.shares(engine.program, 8, seconds=4) for _ in range(few_samples)]

    measured.bounded("share of a core of a parked rank", [max(one[2:]) for one in shares], at_most(parked.GOAL))
    measured.bounded("share of a core of a rank that runs", [max(one[:2]) for one in shares], at_least(parked.GOAL))
