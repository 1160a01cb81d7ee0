"""Keeps this process on this machine: a call that would leave it is refused, whoever makes it."""

import ipaddress
import sys

# What was refused. Libraries turn errors of the network into errors of their own: this cannot be swallowed.
refused = []


class LeavesTheMachine(ConnectionError):
    """A name was to be looked up, or an address called, that is not this machine's."""


def is_loopback(host):
    """Whether a host as sockets have it, text, bytes or none, is this machine."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if not is_loopback(host):
        refused.append((event, host))
        raise LeavesTheMachine(f"{event} to {host!r}")


def guard():
    """From here on, for as long as the process lives: an audit hook cannot be taken away."""
    sys.addaudithook(_watch)
