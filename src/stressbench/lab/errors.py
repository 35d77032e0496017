"""A machine that does not do its part. What a person can put right is a LabMistake (formats.lab.errors)."""


class LabFault(Exception):
    """The machine refused or failed; the message names the step and what the system said; exit status 3."""
