"""Which card really carried the bytes: links' counters of run files, card by card. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from stressbench.formats.run import Round, Run
from stressbench.formats.study.rail_policies import Kind, parse_policy
from stressbench.results.rails import Carried, Load

Cards = Mapping[tuple[str, str], int]
"""The number of a host's card, from the name of its link and its own."""


def cards_of(run: Run) -> Cards:
    """As the run file tells: a host's links in their order are its cards. Hosts alone send; switches pass on."""
    hosts = {node.host for launch in run.launches for node in launch.header.nodes}
    found: dict[tuple[str, str], int] = {}
    for link in next((one.links for one in run.rounds if one.links), ()):
        if link.source in hosts:
            number = sum(host == link.source for _, host in found)
            found.setdefault((link.link, link.source), number)
    return found


def carried_of(
    runs: Sequence[Run], *, policy: str, where: Mapping[str, str], nics: Sequence[str], cards: Cards
) -> Iterator[Carried]:
    """One for each job alone and one for all together, summed over rounds and runs that somebody counted."""
    names = {job.name: None for run in runs for job in run.jobs}
    for name in (*names, None):
        rounds = [(run, one) for run in runs for one in run.rounds if one.links and _is_of(run, one, name)]
        if not rounds:
            continue
        sent = _sent(rounds, cards)
        shown = tuple(nics) or tuple(f"nic{number}" for number in range(max(sent, default=-1) + 1))
        asked = asked_cards(policy, tuple(names), job=name, count=len(shown))
        yield Carried(
            where=where, policy=policy, job=name, asked=asked_in_words(asked, shown),
            loads=tuple(
                Load(nic=nic, asked=None if asked is None else number in asked, sent_bytes=sent.get(number, 0))
                for number, nic in enumerate(shown)
            ),
        )  # fmt: skip


def asked_cards(policy: str, jobs: Sequence[str], *, job: str | None, count: int) -> frozenset[int] | None:
    """The cards of so many that a policy asks for; None where it leaves that to MPI or to each host."""
    found = parse_policy(policy)
    match found.kind:
        case Kind.nic:
            return frozenset({found.highest})
        case Kind.round_robin:
            return frozenset(range(count))
        case Kind.per_job | Kind.jobs:
            cards = {name: number % max(1, count) for number, name in enumerate(jobs)}
            if found.kind is Kind.jobs:
                cards = dict(found.jobs)
            wanted = jobs if job is None else (job,)
            return frozenset(cards.get(name, 0) for name in wanted)
    return None


def asked_in_words(asked: frozenset[int] | None, nics: Sequence[str]) -> str:
    """`eth0, eth1`."""
    return "MPI's choice" if asked is None else ", ".join(nics[card] for card in sorted(asked) if card < len(nics))


def _is_of(run: Run, one: Round, name: str | None) -> bool:
    return (one.job is None) if name is None else (one.job is not None and run.jobs[one.job].name == name)


def _sent(rounds: Iterable[tuple[Run, Round]], cards: Cards) -> Mapping[int, int]:
    """Bytes by card."""
    sent: dict[int, int] = {}
    told: dict[int, Cards] = {}
    for run, one in rounds:
        mine = cards or told.setdefault(id(run), cards_of(run))
        for link in one.links or ():
            if (card := mine.get((link.link, link.source))) is not None:
                sent[card] = sent.get(card, 0) + link.bytes
    return sent
