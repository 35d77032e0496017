"""Documents of sensitivity profiles: the load of each application on the network, and its slowdown under congestion."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.profile_summary import ProfileSummary, summarise_profile
from stressbench.report.document import Document, Fact, Section
from stressbench.report.interference.records import records_of
from stressbench.report.interference.tables import findings, tables_of
from stressbench.report.names import printable
from stressbench.report.page_sections import brief_section, page_section
from stressbench.report.renderers import formats
from stressbench.report.units import count

_FOOT = (
    "Utilisation is the share of time in which the switch is busy, estimated from the additional latency of probes "
    "over that on the idle machine (M/G/1 queue). The method is active measurement; a single queue models the whole "
    "network."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ProfileReport:
    """A profile with its summary; `cautions` of the measurement are sentences without a full stop."""

    profile: Profile
    summary: ProfileSummary
    cautions: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Application and machine: `cg on lab-tiny`."""
        return f"{self.summary.application} on {self.summary.machine}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Missing results, then cautions."""
        return (*self.summary.missing, *self.cautions)


def profile_report(profile: Profile, *, cautions: tuple[str, ...] = ()) -> ProfileReport:
    """The profile with its summary."""
    return ProfileReport(profile=profile, summary=summarise_profile(profile), cautions=cautions)


def brief(profiles: Sequence[ProfileReport]) -> Document:
    """The document for formats without figures: tables and notes of each application."""
    sections = tuple(
        brief_section(
            title=one.title, headline=" ".join(findings(one.summary)), tables=tables_of(one.summary), notes=one.notes
        )
        for one in profiles
    )
    summary = tuple(one.summary for one in profiles)
    return Document(title="Profiles", sections=sections, records=records_of(summary), value=summary)


def page(profiles: Sequence[ProfileReport]) -> Document:
    """The HTML page of at least one profile: findings, figures, tables and provenance of each application."""
    sections = tuple(_page_section(one, number) for number, one in enumerate(profiles, start=1))
    machine = printable(profiles[0].summary.machine)
    several = f"Interference profiles of {len(sections)} applications on {machine}"
    return Document(
        title=sections[0].title if len(sections) == 1 else several,
        lead="The load of each application on the network, and its slowdown under congestion, each measured by itself.",
        sections=sections,
        foot=_FOOT,
    )


def _page_section(one: ProfileReport, number: int) -> Section:
    from stressbench.report.interference.figures import draw  # figures take a second to import

    key = f"profile{number}"
    return page_section(
        key=key,
        title=printable(one.title),
        findings=map(printable, findings(one.summary)),
        notes=one.notes,
        names=(one.summary.application,),
        figures=draw(one.profile, one.summary, key=key),
        tables=tables_of(one.summary),
        facts=_facts(one.summary),
    )


def _facts(summary: ProfileSummary) -> tuple[Fact, ...]:
    provenance, probe = summary.provenance, summary.probe
    pairs = (
        ("Measured (UTC)", f"{provenance.measured_at:%Y-%m-%d %H:%M}"),
        ("By", f"stressbench {provenance.version}"),
        ("Command", " ".join(provenance.command)),
        ("Ran on", f"{count(provenance.ranks, 'rank')}, probes on {count(provenance.nodes, 'host')}"),
        ("Probes", f"{count(probe.pairs, 'pair')}, {probe.message_bytes:,} B every {probe.interval_s:g} s"),
        *((name.capitalize(), value) for name, value in sorted(provenance.configuration.items())),
    )
    return tuple(Fact(name=printable(name), value=printable(value)) for name, value in pairs)


FORMATS = formats(brief=brief, page=page)
