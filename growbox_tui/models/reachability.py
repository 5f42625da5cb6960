"""Reachability: whether an address is this machine, and why one could not be reached."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from growbox_tui.models.protocol import Unreachable


def is_loopback(url: str) -> bool:
    """Whether an address is this machine."""
    try:
        host = urlsplit(url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_address(url: str) -> bool:
    """Whether a request could go there. Without a scheme, http is meant."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came from, outermost first; each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def cannot_reach(error: Exception, *, who: str, url: str) -> Unreachable:
    """The error for a request that never reached a server. ``url`` may be empty where it is not
    known. A name that nobody knows, and a port of this machine where nobody listens, are not worth
    another try: waiting changes neither."""
    where = host_of(url)
    chain = list(causes(error))
    if any(map(_is_unknown_name, chain)):
        name = f"the name {where.rpartition(':')[0] or where}" if where else "the server's name"
        hint = "Check the base URL, and the proxy if one is set."
        found = Unreachable(f"{who} cannot be reached: {name} is not known", hint)
        found.retryable = False
        return found
    at = f" at {where}" if where else ""
    here = is_loopback(url)
    found = Unreachable(
        f"{who} cannot be reached{at}: {error or type(error).__name__}",
        "Start the model server, or check its address."
        if here
        else "Check the network and the base URL.",
    )
    # httpx says ConnectError; a refusal of its own port is what the system said below it.
    refused = any(type(cause).__name__ == "ConnectError" for cause in chain)
    found.retryable = not (refused and here)
    return found


def host_of(url: str) -> str:
    """``host:port`` of an address, without the user and password that may stand before it."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _is_unknown_name(cause: BaseException) -> bool:
    """Whether a name server answered that there is no such name. No answer at all (``EAI_AGAIN``)
    is another thing: that passes."""
    return isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
