"""The workloads of `rails run` if none are given."""

import os

from stressbench.experiments.study.catalog import shipped_folder

_NAMES = ("rails-bandwidth.sb", "rails-latency.sb")


def shipped_workloads() -> tuple[str, ...]:
    """Paths of the shipped workloads, relative to the current directory."""
    folder = shipped_folder("workloads")
    return tuple(os.path.relpath(folder / name) for name in _NAMES)
