"""Ports of the loopback address: taken for good, or found free for a process that is yet to start."""

import secrets
import socket
from typing import Final

from local_aws.checkout import HOST

# Below what Linux gives to outgoing connections: one of those could take a port between finding and using it.
SERVER_PORTS: Final = range(20000, 30000)


def listening_socket(port: int) -> socket.socket:
    """Return a socket bound to a loopback port; 0 takes any free one.

    Raises:
        OSError: something else listens on the port.
    """
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((HOST, port))
        server.listen(128)
    except OSError as error:
        server.close()
        raise OSError(error.errno, f"port {port} on {HOST} is taken") from error
    return server


def free_port() -> int:
    """Return a port that nothing listens on.

    Raises:
        OSError: none was found among a hundred.
    """
    for port in secrets.SystemRandom().sample(SERVER_PORTS, 100):
        try:
            listening_socket(port).close()
        except OSError:
            continue
        return port
    raise OSError(f"no port of {HOST} between {SERVER_PORTS.start} and {SERVER_PORTS.stop} is free")
