"""The workloads of the suite, version 1, and the figures that each of them yields. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stressbench.experiments.machine.sizes import WORDS, Sizes, Survey
from stressbench.formats.machines import Part, Skipped
from stressbench.formats.workload_text import quote_argument
from stressbench.results.machine_figures import Measurement, Quantity

VICTIM = "victim"
WINDOW = 4
PLACEMENTS = ("linear", "interleaved", "random")
B_EFF = "b_eff --rings 6 --polygons 1 --best-of 1 --lmax 256KiB"
COMPUTATION = "compute --mean 1ms --mode cpu"
_COMPUTATIONS = 10
_LEAST_NODES_FOR_IMPACT = 4
_JOB_BY_PLACE: Mapping[str, str] = {"node": "within a node", "network": "between two nodes"}


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One workload of the suite and its figures. `placed`: it runs under each of the `PLACEMENTS`."""

    part: Part
    name: str
    text: str
    measurements: tuple[Measurement, ...]
    placed: bool = False

    @property
    def file(self) -> str:
        """Name of the workload's file."""
        return f"{self.name}.sb"


@dataclass(frozen=True, kw_only=True)
class Suite:
    """All workloads for a machine, and those that it cannot run, with the reason."""

    benchmarks: tuple[Benchmark, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, kw_only=True)
class _Step:
    """A motif of a chain: what it measures, and the options that only say how often or how it is timed."""

    motif: str
    rest: str = ""
    figures: tuple[tuple[str, str, Quantity, str | None], ...] = ()
    """Name, sentence, quantity and metric of each figure."""


def suite_for(survey: Survey, sizes: Sizes, *, parts: tuple[Part, ...], storage: str | None) -> Suite:
    """The suite for a machine. `storage`: the directory of files as ranks see it, None without."""
    benchmarks: list[Benchmark] = []
    skipped: list[Skipped] = []
    for part in Part:
        if part not in parts:
            continue
        for one in _BY_PART[part](survey, sizes, storage):
            (benchmarks if isinstance(one, Benchmark) else skipped).append(one)  # type: ignore[arg-type]
    return Suite(benchmarks=tuple(benchmarks), skipped=tuple(skipped))


def _latency(survey: Survey, sizes: Sizes, _: str | None) -> Iterator[Benchmark | Skipped]:
    for place, head in _pairs(survey, Part.latency):
        if isinstance(head, Skipped):
            yield head
            continue
        times = f"--timer iteration --iterations {sizes.iterations[f'small-{place}']}"
        steps = tuple(
            _Step(
                motif=f"pingpong --size {size}",
                rest=times,
                figures=((f"{size}B", f"latency of {size} B {_JOB_BY_PLACE[place]}", Quantity.time, None),),
            )
            for size in (0, 8)
        )
        yield _benchmark(Part.latency, place, head, steps)


def _bandwidth(survey: Survey, sizes: Sizes, _: str | None) -> Iterator[Benchmark | Skipped]:
    for place, head in _pairs(survey, Part.bandwidth):
        if isinstance(head, Skipped):
            yield head
            continue
        count = sizes.iterations[f"large-{place}"]
        where = _JOB_BY_PLACE[place]
        windows = f"--iterations {max(1, count // WINDOW)}"
        yield _benchmark(
            Part.bandwidth, place, head,
            (
                _Step(
                    motif="pingpong --size 1MiB", rest=f"--iterations {count}",
                    figures=(("pingpong", f"ping-pong of 1 MiB {where}", Quantity.bandwidth, None),),
                ),
                _Step(
                    motif=f"bandwidth --size 1MiB --window {WINDOW} --direction one", rest=windows,
                    figures=(("one-way", f"1 MiB, one way, {where}", Quantity.bandwidth, None),),
                ),
                _Step(
                    motif=f"bandwidth --size 1MiB --window {WINDOW} --direction both", rest=windows,
                    figures=(("both-ways", f"1 MiB, both ways, {where}", Quantity.bandwidth, None),),
                ),
            ),
        )  # fmt: skip


def _allreduce(survey: Survey, sizes: Sizes, _: str | None) -> Iterator[Benchmark | Skipped]:
    steps = tuple(
        _Step(
            motif=f"allreduce --count {count}", rest=f"--iterations {sizes.iterations[f'allreduce-{size}']}",
            figures=((size, f"allreduce of {size.replace('B', ' B').replace('Mi ', ' Mi')}", Quantity.time, None),),
        )
        for size, count in (("8B", 1), ("1MiB", WORDS))
    )  # fmt: skip
    yield _benchmark(Part.allreduce, "", _all_nodes(Part.allreduce, survey), steps)


def _storage(survey: Survey, sizes: Sizes, storage: str | None) -> Iterator[Benchmark | Skipped]:
    if storage is None:
        yield Skipped(part=Part.storage, workload=None, reason="no directory: --storage names one")
        return
    steps = []
    for name, about, motif in (
        ("posix-N-N", "POSIX, a file for each rank", "posix --files rank"),
        ("posix-N-1", "POSIX, one file", "posix --files one"),
        ("mpiio-N-1", "MPI-IO, one file", "mpiio --files one --call MPI_File_write_at"),
    ):
        path = quote_argument(f"{storage}/stressbench-{name}", variables=True)
        steps.append(
            _Step(
                motif=f"{motif} --size {sizes.file_bytes} --transfer 1MiB --do write_read --sync",
                rest=f"--file {path}",
                figures=tuple(
                    (f"{name}.{word}", f"{word} of {about}", Quantity.metric, f"{word}_bandwidth_bytes_per_s")
                    for word in ("write", "read")
                ),
            )
        )
    yield _benchmark(Part.storage, "", _all_nodes(Part.storage, survey), tuple(steps))


def _b_eff(survey: Survey, _: Sizes, __: str | None) -> Iterator[Benchmark | Skipped]:
    about = "b_eff, short: two rings of all ranks"
    step = _Step(motif=B_EFF, figures=(("short", about, Quantity.metric, "b_eff_bytes_per_s"),))
    yield _benchmark(Part.b_eff, "", _all_nodes(Part.b_eff, survey), (step,))


def _impact(survey: Survey, sizes: Sizes, _: str | None) -> Iterator[Benchmark | Skipped]:
    if survey.nodes < _LEAST_NODES_FOR_IMPACT:
        reason = f"{_nodes(survey.nodes)}: placements differ from {_LEAST_NODES_FOR_IMPACT} nodes on"
        yield Skipped(part=Part.impact, workload=None, reason=reason)
        return
    exchange = f"alltoall --size {sizes.pair_bytes}"
    chain = (
        ("allreduce-8B", "allreduce of 8 B", "allreduce --count 1", sizes.iterations["allreduce-8B"]),
        ("alltoall", "alltoall", exchange, sizes.iterations["alltoall"]),
    )
    first = survey.nodes // 2
    text = (
        f"[JOB_NAME] {VICTIM}\n[NODES] {first}\n"
        + "".join(f"[MOTIF] {motif} --iterations {count}\n" for _, _, motif, count in chain)
        + f"[JOB_NAME] congestor\n[ROLE] congestor\n[NODES] {survey.nodes - first}\n"
        + f"[MOTIF] {exchange} --iterations {sizes.iterations['alltoall']}\n"
    )
    measurements = tuple(
        Measurement(
            name=f"impact.{placement}.{name}", part=Part.impact, about=f"impact on {about}, {placement}",
            job=VICTIM, step=step, quantity=Quantity.impact, motif=motif, placement=placement,
            beside=f"{exchange} on {_nodes(survey.nodes - first)}",
        )
        for placement in PLACEMENTS
        for step, (name, about, motif, _) in enumerate(chain)
    )  # fmt: skip
    yield Benchmark(part=Part.impact, name="impact", text=text, measurements=measurements, placed=True)


def _noise(survey: Survey, sizes: Sizes, _: str | None) -> Iterator[Benchmark | Skipped]:
    steps = (
        _Step(motif="barrier"),  # all ranks leave it together, whatever the last computation of each took
        _Step(
            motif="barrier", rest=f"--timer iteration --iterations {sizes.iterations['barrier']}",
            figures=(
                ("barrier", "empty barrier", Quantity.time, None),
                ("barrier.tail", "empty barrier: p99 / median", Quantity.tail, None),
                ("barrier.difference", "empty barrier: A/A difference", Quantity.difference, None),
            ),
        ),
        _Step(
            motif=COMPUTATION, rest=f"--timer iteration --iterations {_COMPUTATIONS}",
            figures=(
                ("computation", "1 ms of processor time", Quantity.time, None),
                ("computation.tail", "1 ms of processor time: p99 / median", Quantity.tail, None),
                ("computation.difference", "1 ms of processor time: A/A difference", Quantity.difference, None),
            ),
        ),
    )  # fmt: skip
    yield _benchmark(Part.noise, "", _all_nodes(Part.noise, survey), steps)


_BY_PART: Mapping[Part, Callable[[Survey, Sizes, str | None], Iterator[Benchmark | Skipped]]] = {
    Part.latency: _latency,
    Part.bandwidth: _bandwidth,
    Part.allreduce: _allreduce,
    Part.storage: _storage,
    Part.b_eff: _b_eff,
    Part.impact: _impact,
    Part.noise: _noise,
}


def _pairs(survey: Survey, part: Part) -> Iterator[tuple[str, str | Skipped]]:
    """The head of the job of two ranks within node 0, and of two ranks on the first and the last node."""
    if survey.ranks_of_nodes[0] < 2:
        yield "node", Skipped(part=part, workload=f"{part}-node", reason="node 0 has 1 rank; two are needed")
    else:
        yield "node", f"[JOB_NAME] {part}-node\n[NID_LIST] 0\n[RANKS_PER_NODE] 2\n"
    if survey.nodes < 2:
        yield "network", Skipped(part=part, workload=f"{part}-network", reason="1 node; two are needed")
    else:
        yield "network", f"[JOB_NAME] {part}-network\n[NID_LIST] 0,{survey.last_node}\n[RANKS_PER_NODE] 1\n"


def _all_nodes(part: Part, survey: Survey) -> str:
    return f"[JOB_NAME] {part}\n[NODES] {survey.nodes}\n"


def _benchmark(part: Part, place: str, head: str, steps: tuple[_Step, ...]) -> Benchmark:
    name = f"{part}-{place}" if place else str(part)
    return Benchmark(
        part=part,
        name=name,
        text=head + "".join(f"[MOTIF] {step.motif} {step.rest}".rstrip() + "\n" for step in steps),
        measurements=tuple(
            Measurement(
                name=f"{name.replace('-', '.')}.{figure}", part=part, about=about, job=name, step=number,
                quantity=quantity, motif=step.motif, metric=metric,
            )
            for number, step in enumerate(steps)
            for figure, about, quantity, metric in step.figures
        ),
    )  # fmt: skip


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"
