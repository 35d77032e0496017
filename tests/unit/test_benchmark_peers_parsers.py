"""What comparisons with public benchmarks read from those programs' output, and the command lines they start."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

# Outputs of the programs at the commits of benchmarks/peers, recorded with Open MPI 4.1.4 and shortened.
IOR = """\
IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     125.99     2227.74    0.000789    32768      64.00      0.099716   0.459658   0.017641   0.507982   0
read      195.18     4802       0.000373    32768      64.00      0.047861   0.213231   0.092887   0.327906   0
write     586.60     14535      0.000116    32768      64.00      0.039971   0.070449   0.009642   0.109104   1
read      1771.92    39938      0.000050    32768      64.00      0.011942   0.025640   0.008359   0.036119   1
write     250.22     7513       0.000183    32768      64.00      0.155798   0.136304   0.006204   0.255776   2
read      1595.33    36949      0.000048    32768      64.00      0.011866   0.027714   0.005712   0.040117   2

Summary of all tests:
Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    Mean(s)
write         586.60      90.38     233.02     185.36    9385.55    1446.11    3728.28    2965.69    0.43058
read         1771.92     195.18     795.05     727.68   28350.74    3122.85   12720.76   11642.88    0.20486
"""


@pytest.fixture
def module(benchmark: Callable[[str], ModuleType]) -> Callable[[str], ModuleType]:
    """A comparison by name."""
    return lambda name: benchmark(f"peers_{name}")


@pytest.fixture
def setting(benchmark: Callable[[str], ModuleType], tmp_path: Path) -> Callable[..., object]:
    """A setting whose programs are those of a definition, below /built."""

    def made(definition: str, **changes: object) -> object:
        peer, peers = benchmark("peer"), benchmark("peers")
        built = peer.Built(peers.read_peer(definition), tmp_path)
        for path in built.peer.programs.values():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).touch()
        defaults = {
            "programs": built, "place": None, "engine": Path("/engine"), "launches": 3, "seed": 1,
            "sizes": peer.Sizes(0, 4 << 20), "folder": tmp_path,
        }  # fmt: skip
        return peer.Setting(**(defaults | changes))

    return made


def test_ior_bandwidths_are_those_of_each_repetition(module):
    found = module("ior").ior_bandwidths(IOR)
    assert found["write"] == [bandwidth * (1 << 20) for bandwidth in (125.99, 586.60, 250.22)]
    assert found["read"] == [bandwidth * (1 << 20) for bandwidth in (195.18, 1771.92, 1595.33)]


def test_ior_without_results_is_an_error(module):
    with pytest.raises(ValueError, match=r"IOR printed no results:\nERROR: cannot open file"):
        module("ior").ior_bandwidths("ERROR: cannot open file")


def test_the_first_open_is_left_out(module):
    ior = module("ior")
    found = ior.times(ior.ior_bandwidths(IOR), skipped=1)
    assert found["write"] == pytest.approx(64 / ((586.60 + 250.22) / 2))
    assert found["read"] == pytest.approx(64 / ((1771.92 + 1595.33) / 2))


def test_ior_and_motif_transfer_the_same(module, tmp_path):
    access = module("ior").Access("MPIIO", "N-N", 65536)
    assert access.ior_words("ior", tmp_path / "f", "-w") == [
        "ior", "-a", "MPIIO", "-t", "65536", "-b", "33554432", "-F", "-o", f"{tmp_path}/f", "-w",
    ]  # fmt: skip
    same = ["-t", "65536", "-s", "33554432", "--files", "rank", "-f", f"{tmp_path}/f", "--json"]
    call = ["/engine", "motif", "mpiio", "--call", "MPI_File_write_at"]
    assert access.motif_words(Path("/engine"), tmp_path / "f", "--keep", does="write") == [
        *call, "--truncate", *same, "--do", "write", "--keep",
    ]  # fmt: skip
    assert access.motif_words(Path("/engine"), tmp_path / "f", does="read") == [*call, *same, "--do", "read"]


def test_all_accesses_are_compared_once(module):
    every = list(module("ior").accesses())
    assert len(every) == len(set(every)) == 3 * 2 * 2


class Recording:
    """A place that answers for programs and keeps their command lines."""

    def __init__(self, answer: Callable[[list[str]], str]) -> None:
        self.answer = answer
        self.started: list[list[str]] = []

    def run(self, _ranks: int, words: list[str], **_: object) -> str:
        self.started.append(words)
        return self.answer(words)


def storage_answer(words: list[str]) -> str:
    """Twice IOR's bandwidth for the motif, as if it skipped something."""
    if words[0] != "/engine":
        return IOR
    ways = {"write": ["write"], "read": ["read"], "write_read": ["write", "read"]}[words[words.index("--do") + 1]]
    spread = [{"mean": 1e9}]
    return json.dumps({"rows": [{"metrics": {f"{way}_bandwidth_bytes_per_s": spread for way in ways}}]})


def test_first_opens_are_compared_only_if_asked_for(module, setting):
    place = Recording(storage_answer)
    (table,) = module("ior").tables(setting("ior", place=place, launches=1))
    assert len(table.rows) == 24
    assert all("-i 11" in " ".join(words) for words in place.started if words[0] != "/engine")
    assert all("--warmup 1" in " ".join(words) for words in place.started if words[0] == "/engine")


def test_first_opens_write_and_read_in_launches_of_their_own(module, setting):
    place = Recording(storage_answer)
    _, both, mixed = module("ior").tables(setting("ior", place=place, launches=1, first_open=True))

    assert [row[:4] for row in both.rows] == [
        ("MPIIO", layout, "64 KiB", way) for layout in ("N-1", "N-N") for way in ("write", "read")
    ]
    assert [row[:4] for row in mixed.rows] == [row[:4] for row in both.rows]
    once = [words for words in place.started if words[0] == "/engine" and words[-1] == "0"]
    assert {words[words.index("--do") + 1] for words in once} == {"write", "read"}
    assert all("--existing" in words for words in once if "read" in words)
    ior = [words for words in place.started if words[0] != "/engine" and "-i" not in words]
    assert {tuple(words[-2:]) for words in ior} == {("-w", "-k"), (ior[0][-3], "-r")} or len(ior) == 16


def interrupted(launch: Callable[..., object], *, after: int) -> Callable[..., object]:
    """A launch that the user interrupts once there were so many."""
    numbers = iter(range(after))

    def launched(*words: object) -> object:
        if next(numbers, None) is None:
            raise KeyboardInterrupt
        return launch(*words)

    return launched


# Of two blocks: in the second size, the first size's rows are complete; a block of the second size counts, too.
@pytest.mark.parametrize(("launches", "rows"), [(2, [("1 GB", "2")]), (3, [("1 GB", "2"), ("10 GB", "1")])])
def test_darshan_keeps_the_rows_that_are_complete_at_an_interruption(
    module, setting, monkeypatch, launches: int, rows: list[tuple[str, str]]
) -> None:
    darshan, used = module("darshan"), setting("darshan", launches=2)
    written = darshan.Written(1.0, 1)
    monkeypatch.setattr(darshan, "launch", interrupted(lambda *_: (written, written), after=launches))

    (table,) = darshan.tables(used)

    assert used.interruption.happened
    assert [(row[0], row[-2]) for row in table.rows] == rows


@pytest.mark.parametrize(("launches", "sizes"), [(6, ["8 B"]), (7, ["8 B"]), (12, ["8 B", "8 KiB"])])  # 2 warm up
def test_mpip_keeps_the_rows_that_are_complete_at_an_interruption(
    module, setting, benchmark, monkeypatch, launches: int, sizes: list[str]
) -> None:
    mpip, used = module("mpip"), setting("mpip", launches=2)
    times = interrupted(lambda *_: (2e-6, 1e-6), after=launches)
    monkeypatch.setattr(benchmark("mpi"), "build_bare", lambda *_: Path("/pingpong"))
    monkeypatch.setattr(mpip, "tracer_library", lambda _: Path("/tracer.so"))
    monkeypatch.setattr(benchmark("tracer"), "alternating_blocks", times)

    (table,) = mpip.tables(used)

    assert used.interruption.happened
    assert [row[0] for row in table.rows] == sizes


def test_an_interruption_before_any_row_ends_the_comparison(module, setting, monkeypatch) -> None:
    darshan = module("darshan")
    monkeypatch.setattr(darshan, "launch", interrupted(lambda *_: None, after=0))

    with pytest.raises(KeyboardInterrupt):
        list(darshan.tables(setting("darshan")))
