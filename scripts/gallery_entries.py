"""The entries of docs/gallery.md: the commands that make each page, the question that it answers, and what to look for.

scripts/gallery.py makes the pages, scripts/gallery_page.py the document; a new kind of page is a new entry.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_PROBES = "--every 20ms --idle 4s --no-after --link 100Mbit --packet 42KiB --store profiles"
_RINGS = "--levels all --partners 3 --messages 1 --bubbles 120ms,35ms,12.5ms --pause-after round"
_SOLVER = "stressbench-mpi motif tealeaf -x 500 -y 500 -i 200 --repetitions 1 --warmup 0"
_STUDY = """\
about = "A solver, a transpose and an incast on sixteen hosts: two placements, two lengths of messages"
seed = 1

[factors]
workload = "workloads/demo.sb"
on = "lab:tinis"
ranks = 16
placement = ["linear", "interleaved"]

[set]
solver = 8
transpose = 4
incast = 4
grid = 2000
block = ["4KiB", "32KiB"]
output = "64KiB"

[run]
isolated = 6
contended = 6
repetitions = 2
"""
_STREAMS = """\
[JOB_NAME] stream
[NID_LIST] 0,1
[MOTIF] bandwidth -s 512KiB -w 4
[JOB_NAME] transpose
[NID_LIST] 2,3
[MOTIF] alltoall -s 256KiB
"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A kind of page, made on a lab.

    `commands` are lines for a shell, in a directory with the workloads of the checkout, with `files` (texts by name)
    and with what the entries of `needs` left there; `lab` must be up. They write `page`; where `served`, the last of
    them serves the page until it is interrupted. `made_by` is the module of stressbench.report that defines the page,
    `guide` the page of docs/ that explains it, with its title. `part` is the element of the page at the top of the
    picture; empty: the top of the page.
    """

    name: str
    title: str
    question: str
    look: str
    guide: str
    guide_title: str
    made_by: str
    commands: Sequence[str]
    page: str
    lab: str = "tiny"
    files: Mapping[str, str] = field(default_factory=dict)
    needs: Sequence[str] = ()
    served: bool = False
    part: str = ""

    @property
    def picture(self) -> str:
        """Name of the picture of its first screen."""
        return f"{self.name}.png"


ENTRIES = (
    Entry(
        name="run", title="A run", lab="tinis", made_by="stressbench.report.run",
        question="Which jobs are slowed when they share the machine, by how much, and on which link?",
        look="The five answers come first; in the picture below them, compare the links of the contended half with "
        "those of the isolated one.",
        guide="how-to/report.md#the-first-screen", guide_title="Make a report",
        commands=(
            "stressbench run workloads/demo.sb --on lab:tinis -n 16 --place interleaved --set solver=8 "
            "--set transpose=4 --set incast=4 --set block=32KiB --set output=128KiB --set grid=2000 --isolated 6 "
            "--contended 6 --repetitions 5 -o run.jsonl",
            "stressbench report run.jsonl -o run.html",
        ),
        page="run.html",
    ),
    Entry(
        name="study", title="A study", lab="tinis", made_by="stressbench.report.study",
        question="In which placements, and with which lengths of messages, are jobs slowed?",
        look="The answers name the worst cell and the factor on which the impacts depend most; the picture is the "
        "network in that cell.",
        guide="how-to/study-results.md#the-first-screen", guide_title="Report a study",
        files={"study.toml": _STUDY},
        commands=(
            "stressbench study run study.toml -o study",
            "stressbench study report study --format html -o study.html",
        ),
        page="study.html",
    ),
    Entry(
        name="watch", title="A study in progress", lab="tinis", made_by="stressbench.report.live_page",
        question="How far is a study, what is running, and when will it end?",
        look="The page refreshes itself while the study runs; this one shows the end of the study above, with the "
        "interval of each job.",
        guide="how-to/watch.md", guide_title="Watch it",
        needs=("study",), commands=("stressbench study watch study",), page="watch.html", served=True,
    ),
    Entry(
        name="telemetry", title="Counters of the hosts", made_by="stressbench.report.run",
        question="Which NICs were busiest, and was a host throttled or slowed by its hypervisor?",
        look="These tables are near the end of the page of a run: compare the rates of isolated and contended rounds.",
        guide="how-to/telemetry.md", guide_title="Read the counters of hosts and NICs",
        files={"streams.sb": _STREAMS},
        commands=(
            "stressbench run streams.sb --on lab:tiny --isolated 6 --contended 6 --repetitions 4 -o telemetry.jsonl",
            "stressbench report telemetry.jsonl -o telemetry.html",
        ),
        page="telemetry.html", part="run1-telemetry",
    ),
    Entry(
        name="profile", title="The MPI profile of a program", made_by="stressbench.report.traffic.document",
        question="Where does a program spend its time in MPI, and which ranks exchange how many bytes?",
        look="The timeline shows what the ranks did from start to end, the matrix the bytes between each pair.",
        guide="how-to/profile.md", guide_title="Profile it",
        commands=(
            "stressbench lab exec --lab tiny h0 -- stressbench profile -o profile.html mpirun --host h0,h1,h2,h3 "
            f"{_SOLVER}",
        ),
        page="profile.html",
    ),
    Entry(
        name="validate", title="A motif beside its application",
        made_by="stressbench.report.validation.document",
        question="Does a motif make the MPI calls of an application, and does an iteration take the same time?",
        look="The first sentence compares the calls, the second the times: the interval of their ratio should contain "
        "1. Here the program is the motif itself.",
        guide="how-to/validate.md", guide_title="Compare a motif with it",
        commands=(
            f"stressbench validate -n 4 --on lab:tiny --launches 6 -o validate tealeaf -x 500 -y 500 -- {_SOLVER}",
        ),
        page="validate/report.html",
    ),
    Entry(
        name="corun", title="Two programs beside each other", made_by="stressbench.report.coruns",
        question="How much do two unchanged programs slow each other?",
        look="Each slowdown has its interval; the figure of periods shows which executions ran beside the other "
        "program for long enough to count.",
        guide="how-to/corun.md", guide_title="Run programs beside each other",
        commands=(
            "stressbench corun -n 4 --on lab:tiny --nodes shared --executions 1 --min-overlap 50% --rounds 4 -o corun "
            "workloads/sensitivity/fft.sb ++ workloads/sensitivity/sweep.sb",
        ),
        page="corun/report.html",
    ),
    Entry(
        name="pairs", title="All pairs of programs", made_by="stressbench.report.coruns",
        question="Of several programs, which slows which?",
        look="Further down, a matrix has a row for each program that is slowed, and a column for each that slows it. "
        "Two blocks are too few for intervals.",
        guide="how-to/corun.md#all-pairs", guide_title="Run programs beside each other",
        commands=(
            "stressbench corun matrix -n 4 --on lab:tiny --nodes shared --blocks 2 --executions 1 --min-overlap 50% "
            "--rounds 4 -o pairs workloads/sensitivity/fft.sb ++ workloads/sensitivity/sweep.sb "
            "++ workloads/sensitivity/milc.sb",
            "stressbench corun report pairs --format html -o pairs.html",
        ),
        page="pairs.html",
    ),
    Entry(
        name="impact", title="The load of a program on the network", made_by="stressbench.report.interference",
        question="How busy does a program keep the network?",
        look="The distance between the idle and the contended curve of the probes' latencies is the waiting that the "
        "program causes.",
        guide="how-to/impact.md#the-page", guide_title="Measure its load on the network",
        commands=(
            f"stressbench impact -n 4 --on lab:tiny --rounds 8 {_PROBES} --name fft --report impact.html "
            "workloads/sensitivity/fft.sb",
        ),
        page="impact.html",
    ),
    Entry(
        name="compress", title="The sensitivity of a program", made_by="stressbench.report.interference",
        question="How much is a program slowed when the network is busy?",
        look="Each mark is a congestion level with its slowdown, and the curve is what predictions use. On a busy "
        "machine the utilisation of levels is unknown, and the page says so first.",
        guide="how-to/compress.md#the-page", guide_title="Measure its sensitivity",
        needs=("impact",),
        commands=(
            f"stressbench compress -n 4 --on lab:tiny --rounds 4 {_RINGS} {_PROBES} --name fft --report compress.html "
            "workloads/sensitivity/fft.sb",
        ),
        page="compress.html",
    ),
    Entry(
        name="predict", title="Predicted slowdowns", made_by="stressbench.report.interference.predictions",
        question="How much will programs slow each other that never ran at the same time?",
        look="Each model has its line for each program; models that need what the profiles lack say so.",
        guide="how-to/predict.md#pages", guide_title="Predict slowdowns",
        needs=("impact", "compress"),
        commands=(
            f"stressbench impact -n 4 --on lab:tiny --rounds 8 {_PROBES} --name sweep workloads/sensitivity/sweep.sb",
            f"stressbench compress -n 4 --on lab:tiny --rounds 4 {_RINGS} {_PROBES} --name sweep "
            "workloads/sensitivity/sweep.sb",
            "stressbench predict fft sweep --store profiles --all-models --report predict.html",
        ),
        page="predict.html",
    ),
    Entry(
        name="evaluate", title="Predictions beside measurements", made_by="stressbench.report.interference.evaluation",
        question="How far are the predictions of each model from what was measured?",
        look="Points on the diagonal are predicted exactly; two co-runs are too few to prefer a model.",
        guide="how-to/predict.md#compare-with-measured-co-runs", guide_title="Predict slowdowns",
        needs=("predict", "corun"),
        commands=(
            "stressbench predict evaluate profiles --observed corun/observations.jsonl --report evaluate.html",
        ),
        page="evaluate.html",
    ),
    Entry(
        name="place", title="A placement on switches", made_by="stressbench.report.interference.placement",
        question="Which programs should share a switch?",
        look="The placement with the least sum of predicted slowdowns: here of two copies of each program, by a model "
        "that needs no utilisation.",
        guide="how-to/predict.md#which-applications-should-share-a-switch", guide_title="Predict slowdowns",
        needs=("predict",),
        commands=(
            "stressbench predict place fft fft sweep sweep --store profiles --switches 2 --model AverageLT "
            "--report place.html",
        ),
        page="place.html",
    ),
    Entry(
        name="degrade", title="Less injection bandwidth", made_by="stressbench.report.rates",
        question="How much longer do programs take with half, a quarter and an eighth of the injection bandwidth?",
        look="A job on the line for bandwidth alone is bound by bandwidth; one at 1 does not need it.",
        guide="how-to/degrade.md#the-page", guide_title="Reduce the injection bandwidth",
        commands=(
            "stressbench degrade run workloads/degrade.sb --set pattern=stream --set pattern=allreduce "
            "--set long=64KiB --on lab:tiny -n 4 --isolated 6 --repetitions 2 -o degrade",
            "stressbench degrade report degrade --format html -o degrade.html",
        ),
        page="degrade.html",
    ),
    Entry(
        name="rails", title="Rails of hosts with two NICs", lab="dual-rail", made_by="stressbench.report.rails",
        question="Which NICs should the ranks of each job use?",
        look="Compare the boxes of the policies, and the congestion impact: with a NIC for each job it disappears.",
        guide="how-to/rails.md", guide_title="Choose the rail",
        commands=(
            "stressbench rails run workloads/rails-two-jobs.sb -n 8 --policies default,nic0,per-job --isolated 6 "
            "--contended 6 --repetitions 3 --runs 1 -o rails",
            "stressbench rails report rails --format html -o rails.html",
        ),
        page="rails.html",
    ),
    Entry(
        name="beff", title="Effective bandwidth of a network", made_by="stressbench.report.suites.beff",
        question="How many bytes per second do all ranks send, averaged over message sizes and patterns?",
        look="The curve shows from which message size on the links are filled.",
        guide="how-to/beff.md", guide_title="Measure b_eff",
        commands=("stressbench beff -n 4 --on lab:tiny --quick --lmax 64KiB -o beff.jsonl --report beff.html",),
        page="beff.html",
    ),
    Entry(
        name="beff-io", title="Effective bandwidth of files", made_by="stressbench.report.suites.beff_io",
        question="How many bytes per second do all ranks write, rewrite and read with MPI-IO?",
        look="Each panel is an access method, each line a layout of the file. The lab tiny has no I/O nodes: these "
        "files were on the disk of the machine.",
        guide="how-to/beff-io.md#the-page", guide_title="Measure b_eff_io",
        commands=(
            "stressbench beff-io -n 4 --on lab:tiny -T 6s --mpart 2MiB --limit 128MiB -o beff-io.jsonl "
            "--report beff-io.html",
        ),
        page="beff-io.html",
    ),
    Entry(
        name="machine", title="A machine", made_by="stressbench.report.machine.result",
        question="What are latency, bandwidth, congestion and noise of a machine, for publication and comparison?",
        look="Each figure has its interval, and the page a checksum of the result from which it was made.",
        guide="how-to/machine.md", guide_title="Measure a machine and compare machines",
        commands=(
            'stressbench machine run --on lab:tiny --quick --label "lab tiny" -o machine',
            "stressbench machine report machine --format html -o machine.html",
        ),
        page="machine.html",
    ),
)  # fmt: skip


def entry_named(name: str) -> Entry | None:
    """The entry of this name; None if there is none."""
    return next((entry for entry in ENTRIES if entry.name == name), None)


def with_needed(names: Iterable[str], entries: Sequence[Entry] = ENTRIES) -> list[Entry]:
    """The entries of these names and those that they need, in the order of `entries`."""
    wanted = set(names)
    for entry in reversed(entries):  # what an entry needs comes before it
        if entry.name in wanted:
            wanted.update(entry.needs)
    return [entry for entry in entries if entry.name in wanted]
