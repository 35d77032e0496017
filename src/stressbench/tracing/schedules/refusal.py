"""What cannot become a schedule."""


class ScheduleRefused(Exception):
    """The calls of a trace have no schedule. The message says why."""
