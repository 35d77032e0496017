"""What goes wrong with predictions."""


class CannotTell(Exception):
    """A model does not hold here; the message says why, as a sentence for people without a full stop."""
