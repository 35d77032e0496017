"""GlusterFS volume files of the servers (I/O nodes) and clients (hosts). Pure.

The daemons read these files directly. No `glusterd` runs, so nothing is written outside the lab.
"""

from collections.abc import Iterable, Mapping

from stressbench.formats.units import Bytes

PORT = 49152
_BRICK = "brick"


def brick_volume(folder: str) -> str:
    """Volume file of a server: it exports `folder` with POSIX locks."""
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
    """Volume file of a client: it combines the folders of all servers (addresses by name).

    A file is stored on the server given by the hash of its name, or with `stripe` in pieces of this size, each placed
    by the hash of its name. Write-behind of up to 1 MiB per file lets a writer get its share of a busy link. Closing a
    file waits for outstanding writes. Slow servers are never disconnected.
    """
    clients = [
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
        *clients,
        ("spread", "cluster/distribute", {}, tuple(servers)),
    ]
    if stripe is not None:
        layers.append(("striped", "features/shard", {"shard-block-size": str(stripe.count)}, (layers[-1][0],)))
    layers.append(("pipelined", "performance/write-behind", {"flush-behind": "off"}, (layers[-1][0],)))
    return _volumes(*layers)


def _volumes(*layers: tuple[str, str, Mapping[str, str], Iterable[str]]) -> str:
    """Text of a volume file; each layer has a name, a type, options, and its subvolumes."""
    return "\n".join(
        "\n".join(
            [
                f"volume {name}",
                f"    type {kind}",
                *(f"    option {key} {value}" for key, value in options.items()),
                *(f"    subvolumes {' '.join(subvolumes)}" for subvolumes in [tuple(subvolumes)] if subvolumes),
                "end-volume\n",
            ]
        )
        for name, kind, options, subvolumes in layers
    )
