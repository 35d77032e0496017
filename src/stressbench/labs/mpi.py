"""Files through which MPI finds the lab's hosts: /etc/hosts, and a launch agent in place of ssh. Pure."""

from stressbench.formats.lab.paths import CORES, PIDS
from stressbench.labs.addresses import address_of
from stressbench.labs.topology import Lab


def hosts_text(lab: Lab) -> str:
    """Text of `/etc/hosts` of every node: `h0` is the address on the first rail, `h0-eth1` on the second."""
    lines = ["127.0.0.1 localhost"]
    for node in lab.nodes:
        rails = sorted({link.rail for link in lab.links_of(node.name)})
        for rail in rails:
            names = [node.name] if rail == rails[0] else []
            lines.append(" ".join([address_of(node, rail=rail), *names, f"{node.name}-eth{rail}"]))
    return "\n".join(lines) + "\n"


def agent_text(lab: Lab) -> str:
    """Script `agent HOST COMMAND...`, which starts a command on another host like `ssh HOST COMMAND...`."""
    return f"""\
#!/bin/sh
# Called by mpirun instead of ssh: agent HOST COMMAND...
host=$1
shift
pid=$(cat "{PIDS}/$host" 2>/dev/null) || {{ echo "lab {lab.name}: there is not a host '$host'" >&2; exit 255; }}
cores=$(cat "{CORES}/$host" 2>/dev/null) && taskset -cp "$cores" $$ >/dev/null
exec nsenter --target "$pid" --net --mount --uts --ipc -- /bin/sh -c "$*"
"""


def scratch_of(lab: Lab, *, serve_files: bool) -> str | None:
    """Mount point of the I/O nodes' file system: empty if they do not serve it, None without I/O nodes."""
    if lab.io is None:
        return None
    return lab.io.path if serve_files else ""
