"""What the engine costs while it measures: memory of a rank, processor time of a parked one."""


def test_a_rank_needs_less_than_6_mib_beyond_mpi(engine, benchmark):
    memory, mpi = benchmark("memory"), benchmark("mpi")
    ours, theirs = memory.measure(engine.program, mpi.build_bare(mpi.OPEN_MPI, "init"), 8)
    assert ours.peak_kib - theirs.peak_kib < memory.GOAL_KIB


def test_a_parked_rank_takes_less_than_2_percent_of_a_core(engine, benchmark):
    parked = benchmark("parked")
    shares = parked.shares(engine.program, 8, seconds=4)
    assert max(shares[2:]) < parked.GOAL
    assert max(shares[:2]) > parked.GOAL  # the others did run meanwhile
