"""Loads links to a known utilisation, to validate `stressbench impact`: a program whose ranks do not call MPI.

    mpirun -n 2 python known_load.py --peers h1,h0 --rate 100Mbit --share 0.5 --burst 131072 --for 20

Rank r sends datagrams to the r-th host of `--peers`, in bursts that arrive as a Poisson process, as an M/G/1 queue
assumes. A burst of B bytes of frames keeps a link of rate R busy for 8 B / R seconds; on average there are
1 / (share 8 B / R) bursts per second. Headers count: a frame is 1514 bytes.

"""

import argparse
import os
import random
import socket
import sys
import time

_PORT = 9
FRAME = 1514
_PAYLOAD = bytes(1472)
UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def bits_per_s(text: str) -> float:
    """Parse a rate such as `100Mbit`."""
    for unit, factor in UNITS.items():
        if text.lower().endswith(unit):
            return float(text[: -len(unit)]) * factor
    raise argparse.ArgumentTypeError(f"'{text}': expected a rate such as 100Mbit")


def arguments_of(words: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", required=True, help="destination host of each rank; -: none")
    parser.add_argument("--rate", type=bits_per_s, default=bits_per_s("100Mbit"), help="rate of the link [100Mbit]")
    parser.add_argument("--share", type=float, required=True, help="utilisation of the link, 0 to 1")
    parser.add_argument("--burst", type=int, default=131072, help="bytes of frames per burst [%(default)s]")
    parser.add_argument("--for", dest="seconds", type=float, default=20, help="duration in seconds [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="seed, combined with the rank [%(default)s]")
    return parser.parse_args(words)


def rank() -> int:
    """The rank from the launcher's environment variables; 0 without a launcher."""
    names = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
    return int(next((os.environ[name] for name in names if name in os.environ), "0"))


def main() -> int:
    """Send the load and print how much was sent."""
    arguments = arguments_of()
    own_rank = rank()
    peer = arguments.peers.split(",")[own_rank]
    end = time.monotonic() + arguments.seconds
    if peer == "-" or arguments.share == 0:
        time.sleep(arguments.seconds)
        return 0
    frames = max(1, round(arguments.burst / FRAME))
    bursts_per_s = arguments.share * arguments.rate / (8 * FRAME * frames)
    draws = random.Random(f"{arguments.seed}-{own_rank}")
    sent = 0
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        sink.bind(("", _PORT))  # keeps the port open, so that no ICMP errors are sent
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
        sender.connect((peer, _PORT))
        send_time = time.monotonic()
        while (send_time := send_time + draws.expovariate(bursts_per_s)) < end:
            time.sleep(max(0.0, send_time - time.monotonic()))
            for _ in range(frames):
                try:
                    sender.send(_PAYLOAD)
                except ConnectionRefusedError:  # the other rank has not started or has ended
                    continue
            sent += 1
        time.sleep(max(0.0, end - time.monotonic()))
    sys.stdout.write(f"rank {own_rank}: {sent} bursts of {frames * FRAME} bytes in {arguments.seconds:g} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
