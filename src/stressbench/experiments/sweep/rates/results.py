"""Results of a directory of `degrade run`, or of a study with the factor `rate`."""

from dataclasses import replace
from math import inf
from pathlib import Path

from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.results import collected_runs
from stressbench.experiments.sweep.launches import require_no_rounds
from stressbench.experiments.sweep.rates.launch_results import degradation_of_launches
from stressbench.experiments.sweep.rates.study_results import AnalysisOptions, degradation_of, is_competing
from stressbench.formats.launches.journal import FILE
from stressbench.formats.launches.rates import read_launches
from stressbench.formats.run import Kind
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import UnitError, check_share
from stressbench.results.rates import Degradation, Node


def rate_results(
    folder: Path, *, time: Kind | None = None, motifs: bool = False, at_most: float = 0.05, node: Node | None = None
) -> Degradation:  # fmt: skip
    """Slowdowns at each injection bandwidth, and the smallest one at which a job loses at most `at_most` (0.05: 5 %).

    `time`: the kind of rounds to evaluate, None: isolated, or contended where traffic competed. `motifs`: also report
    each motif. `node`: a node's peak and bandwidth, for the balance. Raises StudyMistake.
    """
    node = node or Node()
    for option, value in (("--gflops-per-node", node.gflops), ("--injection", node.injection_gb_per_s)):
        if value is not None and not 0 < value < inf:
            raise StudyMistake(f"{option} {value:g}: expected a number above 0")
    try:
        check_share(at_most, zero=True)
    except UnitError as mistake:
        raise StudyMistake(f"--at-most {at_most:g}: {mistake}") from None
    options = AnalysisOptions(kind=time or Kind.isolated, motifs=motifs, at_most=at_most, node=node)
    if (folder / FILE).is_file():
        require_no_rounds(folder, motifs=motifs, time=time)
        return degradation_of_launches(read_launches(folder / FILE), options=options)
    collected = collected_runs(open_directory(folder))
    if is_competing(collected.study):
        if time is Kind.isolated:
            raise StudyMistake("--time isolated: competing traffic runs in contended rounds alone; leave it out")
        options = replace(options, kind=Kind.contended)
    return degradation_of(collected.study, collected.states, collected.runs, options=options, notes=collected.notes)
