"""MPI objects that are left at the end: the tracer counts them, and no motif leaves any."""

import json

import pytest

# Kind: how many tests/tracer/patterns_objects.c makes at a time, and how many of these it can leave.
MADE = {
    "requests": (5, 2), "communicators": (3, 3), "datatypes": (9, 9), "groups": (3, 3), "windows": (1, 1),
    "files": (1, 1), "reductions": (1, 1), "errhandlers": (1, 1), "keyvals": (1, 1), "infos": (1, 1),
}  # fmt: skip
TIMES = 3


def counts_of(rank):
    """By kind: made, released."""
    return {one["kind"]: (one["made"], one["released"]) for one in rank["objects"]}


def expected(rank, left):
    """As the pattern makes them: rank 0 has a communicator more, which it releases, and rank 1 datatypes."""
    found = {kind: (TIMES * made, TIMES * made - left * leaves) for kind, (made, leaves) in MADE.items()}
    if rank == 0:
        found["communicators"] = tuple(count + TIMES for count in found["communicators"])
    if rank == 1:
        made, released = found["datatypes"]
        found["datatypes"] = (made + 9, released + (0 if left else 9))
    return found


@pytest.mark.parametrize(("name", "left"), [("objects", 0), ("objects", 2), ("objects_unseen", 1)])
def test_objects_are_counted_by_kind_whether_anybody_looks_or_not(traced, patterns, name, left):
    run = traced([patterns, name, str(left)], ranks=2)
    assert run.status == 0, run.text
    assert [counts_of(rank) for rank in run.ranks] == [expected(0, left), expected(1, left)]


def test_a_program_that_is_never_looked_at_is_counted_too(traced, patterns):
    run = traced([patterns, "objects", "1"], ranks=2, STRESSBENCH_TRACE_PAUSED="1")
    assert [rank["totals"] for rank in run.ranks] == [[], []]
    assert [counts_of(rank) for rank in run.ranks] == [expected(0, 1), expected(1, 1)]


def test_what_is_only_counted_is_no_call(traced, patterns):
    run = traced([patterns, "objects", "0"], ranks=2)
    called = {total["op"] for rank in run.ranks for total in rank["totals"]}
    assert {"Comm_dup", "Win_create", "File_open"} <= called
    assert not {op for op in called if op.startswith(("Type_", "Group_", "Op_", "Info_"))}


def test_a_request_may_be_completed_by_another_thread_and_by_one_that_nobody_looks_at(traced, patterns):
    run = traced([patterns, "objects_threads", "5"], ranks=1)
    assert run.status == 0, run.text
    found = counts_of(run.ranks[0])
    assert (found["requests"], found["groups"]) == ((5, 5), (5, 0))


def test_what_came_with_mpi_4_is_counted(traced, patterns, any_engine):
    if any_engine.library != "MPICH":
        pytest.skip("Debian's Open MPI is of MPI 3.1")
    run = traced([patterns, "objects_mpi4", "5"], ranks=1)
    assert run.status == 0, run.text
    found = counts_of(run.ranks[0])
    assert (found["requests"], found["datatypes"]) == ((10, 5), (10, 5))


@pytest.mark.parametrize("name", ["small", "communicators", "persistent", "collectives", "derived", "any_source"])
def test_programs_that_release_all_leave_nothing(traced, patterns, name):
    run = traced([patterns, name, "7"])
    assert any(made for rank in run.ranks for made, _ in counts_of(rank).values())
    assert all(made == released for rank in run.ranks for made, released in counts_of(rank).values())


@pytest.mark.parametrize("source", ["objects.f90", "objects08.f90"])
def test_fortran_counts_as_c_does(traced, fortran, source):
    run = traced([fortran(source)], ranks=2)
    assert run.status == 0, run.text
    for rank in run.ranks:
        assert {kind: counts for kind, counts in counts_of(rank).items() if counts != (0, 0)} == {
            "requests": (3, 2), "communicators": (3, 2), "datatypes": (3, 2), "groups": (2, 1), "reductions": (1, 0),
            "infos": (1, 1),
        }  # fmt: skip


def test_profile_names_what_is_left_and_the_rank_that_left_most(engine, stressbench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = engine.build / "tests" / "tracer" / "patterns"
    words = ("profile", "--", *engine.launch(program, "objects", ranks=2))
    outcome = stressbench(*words, "1")
    assert outcome.status == 0, outcome.text
    rows = [line.split() for line in outcome.output.splitlines()]
    assert ["datatypes", "27", "9", "18", "1", "63"] in rows
    assert ["requests", "4", "2", "2", "0", "30"] in rows
    assert "left open" not in stressbench(*words, "0").output


# What a motif needs beside its name; all others run with their defaults.
OPTIONS = {
    "b_eff": "--sizes 8 --loops 2 --best-of 1 --polygons 1", "b_eff_io": "--calls 1 --mpart 1MiB",
    "pingpongalllatencies": "--sizes 8", "lulesh": "-s 3", "swfft": "--ngx 12", "fft2d": "--nx 40", "fft3d": "--nx 20",
}  # fmt: skip
TRAINING = "--parameters 1000000 --tokens 256"
MORE = (
    "pingpong --layout vector", "put --sync pscw", "get --sync lock_all", "accumulate --sync fence",
    "fft3d --nx 20 --decomposition pencils", "alltoall --call pairwise", "halo3d --overlap", "incast --call gatherv",
)  # fmt: skip
RANKS = {"lulesh": 1, "tornado": 3}  # others: 2
REPEAT = 3


def motif_lines(engine, trace):
    """Ranks: a [MOTIF] line for each motif, and one more for its nonblocking form; without computation."""
    lines = {1: [], 2: [f"[MOTIF] {more}" for more in MORE], 3: []}
    for motif in json.loads(engine.run("list", "--json").output):
        name = motif["name"]
        options = OPTIONS.get(name, f"-f {trace}" if name == "replay" else "")
        options += TRAINING if motif["family"] == "machine_learning" else ""
        reported = engine.run("describe", name).output
        options += " --compute off" if "--compute <choice>" in reported else ""
        of_ranks = lines[RANKS.get(name, 2)]
        of_ranks.append(f"[MOTIF] {name} {options}")
        if "--nonblocking" in reported:
            of_ranks.append(f"[MOTIF] {name} {options} --nonblocking")
    return lines


def test_no_motif_leaves_an_object_of_mpi(any_engine, traced, patterns, tmp_path):
    assert traced([patterns, "communicators", "5"], ranks=2).status == 0
    replayed = (tmp_path / "made.trace").rename(tmp_path / "replayed.trace")
    workload = tmp_path / "motifs.sb"
    jobs = motif_lines(any_engine, replayed).items()
    workload.write_text(
        "\n".join(f"[JOB_NAME] on{n}\n[NODES] {n}\n[REPEAT] {REPEAT}\n" + "\n".join(lines) for n, lines in jobs)
    )
    rounds = ("--ranks-per-node", "1", "--isolated", "1", "--contended", "0", "--warmup", "0", "-q")
    run = traced([any_engine.program, "run", workload, *rounds], ranks=6, mode="profile")
    assert run.status == 0, run.text
    made = [counts_of(rank) for rank in run.ranks]
    assert sum(one["requests"][0] for one in made) > 100 * REPEAT
    left = {
        (rank, kind): counts[0] - counts[1]
        for rank, counted in enumerate(made)
        for kind, counts in counted.items()
        if counts[0] != counts[1]
    }
    assert not left, left
