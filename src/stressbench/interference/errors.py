"""Errors of models and predictions."""


class Inconclusive(Exception):
    """A model does not apply to these measurements; the message gives the reason, as a sentence without a full stop."""
