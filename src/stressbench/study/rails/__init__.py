"""What rail policies do to jobs and programs: times, figures of merit, bandwidth by size, bytes on each card."""

from stressbench.study.rails.findings import RailsFound

__all__ = ["RailsFound"]
