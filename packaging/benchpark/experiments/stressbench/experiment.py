"""Benchpark experiment of StressBench. It names no system: launcher and scheduler are those of Benchpark's system."""

from benchpark.directives import variant
from benchpark.experiment import Experiment
from benchpark.mpi import MpiOnlyExperiment

RANKS = {"demo": 8, "validation": 16, "gpcnet": 14, "storage": 16}
"""Ranks of each workload in the size that repo/stressbench/application.py sets."""


class Stressbench(Experiment, MpiOnlyExperiment):
    """Slowdown of each job of a workload by the other jobs."""

    variant("workload", default="demo", values=tuple(RANKS), description="workload to run")
    variant("version", default="main", values=("main", "0.2.0"), description="version of the Spack package")
    variant("rounds", default="10", description="isolated and contended rounds; six or more give an interval")

    def compute_applications_section(self):
        """Variables of the experiment."""
        ranks = RANKS[self.spec.variants["workload"][0]]
        self.add_experiment_variable("n_ranks", ranks, True)
        self.add_experiment_variable("rounds", self.spec.variants["rounds"][0], False)
        self.set_required_variables(
            n_resources="{n_ranks}", process_problem_size="{rounds}", total_problem_size="{rounds}*{n_ranks}"
        )

    def compute_package_section(self):
        """The Spack package of packaging/spack."""
        self.add_package_spec(self.name, [f"stressbench@{self.spec.variants['version'][0]}"])
