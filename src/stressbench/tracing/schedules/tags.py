"""Tags that separate communicators and collectives from each other, where a format has none of them. Pure."""

from dataclasses import dataclass, field

from stressbench.tracing.schedules.communicators import Group
from stressbench.tracing.schedules.refusal import ScheduleRefused

_FIRST_OTHER = 1 << 20  # of messages in other communicators than that of all ranks, or with larger tags
_FIRST_COLLECTIVE = 1 << 24
_INSTANCES = 1 << 10  # collectives of a communicator with different tags, one after the other
_LIMIT = 1 << 31


@dataclass(slots=True)
class Tags:
    """Tags below 2^31. Messages in the communicator of all ranks of a job keep their tags below 2^20."""

    _others: dict[tuple[int, int], int] = field(default_factory=dict)
    jobs: int = 1

    def message(self, group: Group, tag: int) -> int:
        """Tag of a message."""
        if group.number < self.jobs and 0 <= tag < _FIRST_OTHER:
            return tag
        found = self._others.setdefault((group.number, tag), _FIRST_OTHER + len(self._others))
        if found >= _FIRST_COLLECTIVE:
            raise ScheduleRefused(f"more than {_FIRST_COLLECTIVE - _FIRST_OTHER:,} tags in communicators")
        return found

    def collective(self, group: Group, instance: int) -> int:
        """Tag of the messages of a collective: the next one in the same communicator has another."""
        tag = _FIRST_COLLECTIVE + group.number * _INSTANCES + instance % _INSTANCES
        if tag >= _LIMIT:
            raise ScheduleRefused(f"{group.number:,} communicators are more than there are tags for")
        return tag
