"""How MPI finds the lab's hosts: their names, and an agent in the place of ssh. Pure."""

from stressbench.lab.addresses import address_of
from stressbench.lab.topology import Lab
from stressbench.lab.variables import LAB_FOLDER

HOSTS = f"{LAB_FOLDER}/hosts"
PIDS = f"{LAB_FOLDER}/pids"
CORES = f"{LAB_FOLDER}/cores"


def hosts_text(lab: Lab) -> str:
    """`/etc/hosts` of every node: a plain name is on the first rail, `h0-eth1` on the second."""
    lines = ["127.0.0.1 localhost"]
    for node in lab.nodes:
        rails = sorted({link.rail for link in lab.links_of(node.name)})
        for rail in rails:
            names = [node.name] if rail == rails[0] else []
            lines.append(" ".join([address_of(node, rail=rail), *names, f"{node.name}-eth{rail}"]))
    return "\n".join(lines) + "\n"


def agent_text(lab: Lab) -> str:
    """`agent HOST COMMAND...` starts a command on another host, as `ssh HOST COMMAND...` would."""
    return f"""\
#!/bin/sh
# Called by mpirun in the place of ssh: agent HOST COMMAND...
host=$1
shift
pid=$(cat "{PIDS}/$host" 2>/dev/null) || {{ echo "lab {lab.name}: there is no host '$host'" >&2; exit 255; }}
cores=$(cat "{CORES}/$host" 2>/dev/null) && taskset -cp "$cores" $$ >/dev/null
exec nsenter --target "$pid" --net --mount --uts --ipc -- /bin/sh -c "$*"
"""


def scratch_of(lab: Lab, *, serves: bool) -> str | None:
    """Where hosts find what I/O nodes serve, empty where these do not; None where the lab has none."""
    if lab.io is None:
        return None
    return lab.io.path if serves else ""
