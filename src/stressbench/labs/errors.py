"""Faults of the machine. Errors that a user can correct are LabMistake (formats.lab.errors)."""

from stressbench.errors import MachineFault


class LabFault(MachineFault):
    """The machine refused a step or failed; the message names the step and the system's error. Exit status 3."""
