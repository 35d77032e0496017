"""A profile that is to be shown, read once for all that is drawn and told of it."""

from dataclasses import dataclass

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.profile_summary import ProfileSummary, summarise_profile


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """`cautions`: what whoever measured it knows beyond the profile, sentences without a full stop."""

    profile: Profile
    said: ProfileSummary
    cautions: tuple[str, ...] = ()


def shown(profile: Profile, *, cautions: tuple[str, ...] = ()) -> Shown:
    """The profile with its portrait."""
    return Shown(profile=profile, said=summarise_profile(profile), cautions=cautions)
