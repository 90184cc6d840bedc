"""Listening on the loopback address."""

import socket

from local_aws.checkout import HOST


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
