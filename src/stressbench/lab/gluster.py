"""Volume files of GlusterFS: what an I/O node serves, and how a host sees it. Pure.

They are given to the daemons as they are: no `glusterd` runs, so that nothing is written down outside the lab.
"""

from collections.abc import Iterable, Mapping

from stressbench.formats.units import Bytes

PORT = 49152
_BRICK = "brick"


def brick_volume(folder: str) -> str:
    """What an I/O node serves: a folder of its own, with locks for all hosts."""
    return _volumes(
        ("store", "storage/posix", {"directory": folder, "reserve": "0", "health-check-interval": "0"}, ()),
        ("locks", "features/locks", {}, ("store",)),
        (_BRICK, "performance/io-threads", {}, ("locks",)),
        (
            "server",
            "protocol/server",
            {
                "transport-type": "tcp",
                "transport.address-family": "inet",
                "transport.socket.listen-port": str(PORT),
                f"auth.addr.{_BRICK}.allow": "*",
            },
            (_BRICK,),
        ),
    )


def host_volume(servers: Mapping[str, str], *, stripe: Bytes | None) -> str:
    """What a host mounts: the folders of all servers (addresses by name) as one.

    A file lies on the server that its name's hash gives, or in pieces of `stripe` on those that the pieces' names give.
    Up to 1 MiB of a file is on its way at a time, so that a writer gets its part of a link that others fill; closing
    waits for all of it. A server that is slow to answer is never given up.
    """
    parts = [
        (
            name,
            "protocol/client",
            {
                "transport-type": "tcp",
                "transport.address-family": "inet",
                "remote-host": address,
                "remote-port": str(PORT),
                "remote-subvolume": _BRICK,
                "ping-timeout": "0",
            },
            (),
        )
        for name, address in servers.items()
    ]
    layers: list[tuple[str, str, dict[str, str], tuple[str, ...]]] = [
        *parts,
        ("spread", "cluster/distribute", {}, tuple(servers)),
    ]
    if stripe is not None:
        layers.append(("striped", "features/shard", {"shard-block-size": str(stripe.count)}, (layers[-1][0],)))
    layers.append(("pipelined", "performance/write-behind", {"flush-behind": "off"}, (layers[-1][0],)))
    return _volumes(*layers)


def _volumes(*layers: tuple[str, str, Mapping[str, str], Iterable[str]]) -> str:
    """Each layer's name, kind, options and the layers below it."""
    return "\n".join(
        "\n".join(
            [
                f"volume {name}",
                f"    type {kind}",
                *(f"    option {key} {value}" for key, value in options.items()),
                *(f"    subvolumes {' '.join(below)}" for below in [tuple(below)] if below),
                "end-volume\n",
            ]
        )
        for name, kind, options, below in layers
    )
