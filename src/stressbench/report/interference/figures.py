"""The figures of a sensitivity profile with their data."""

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.profile_summary import ProfileSummary
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import style
from stressbench.report.interference import curve, latencies, phases, rings
from stressbench.report.interference.records import records_of


def draw(profile: Profile, summary: ProfileSummary, *, key: str) -> tuple[Figure | DataFile, ...]:
    """Figures of latencies, phases and congestion levels, each with its data below."""
    with style():
        latency_blocks = (latencies.draw(profile, summary, key=key), latencies.data_file(profile, key=key))
        over_time = phases.draw(profile, summary, key=key)
        levels = [
            figure for figure in (curve.draw(summary, key=key), rings.draw(summary, key=key)) if figure is not None
        ]
    level_data = (records_of((summary,), name=f"{key}-compressions"),) if levels else ()
    phase_blocks = () if over_time is None else (over_time, phases.data_file(summary, key=key))
    return (*latency_blocks, *phase_blocks, *levels, *level_data)
