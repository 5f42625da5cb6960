"""The world that every test runs in: no keys, no network but loopback, a home of its own."""

from __future__ import annotations

import ipaddress
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.doubles.patience import FOR_EVER

# A busy machine is no fault of a test, and the same examples are tried wherever the suite runs;
# ``--hypothesis-profile=search`` looks for new ones.
settings.register_profile(
    "growbox", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", settings.get_profile("growbox"), derandomize=False)
settings.load_profile("growbox")

FORGOTTEN_ENDINGS = ("_API_KEY", "_API_BASE", "_BASE_URL", "_AUTH_TOKEN", "_API_TOKEN")
FORGOTTEN_STARTS = ("GROWBOX_", "OLLAMA_", "LITELLM_", "AWS_", "XDG_", "TEXTUAL")
FORGOTTEN = {"NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES"} | {
    spelled
    for scheme in ("HTTP", "HTTPS", "ALL", "NO")
    for spelled in (f"{scheme}_PROXY", f"{scheme}_PROXY".lower())
}
"""Variables that would let the machine that runs the tests decide what they see."""


def forgets(name: str) -> bool:
    """Whether a variable of the environment is kept from the tests."""
    return (
        name in FORGOTTEN or name.endswith(FORGOTTEN_ENDINGS) or name.startswith(FORGOTTEN_STARTS)
    )


def is_loopback(host: str | bytes | None) -> bool:
    """Whether a name or address stays on this machine."""
    if host is None:
        return True
    name = host.decode() if isinstance(host, bytes) else host
    if name in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder and a ``GROWBOX_HOME`` of the test's own; pinned time zone and language."""
    for name in [name for name in os.environ if forgets(name)]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GROWBOX_HOME", str(home / "growbox"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("LANG", "C.UTF-8")
    time.tzset()
    return home


@pytest.fixture(autouse=True)
def memory_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory waits for others, and at its end for itself, as long as it takes: a few seconds may be
    little on a busy machine."""
    monkeypatch.setattr("memory.store.database.BUSY_MS", FOR_EVER * 1000)
    monkeypatch.setattr("memory.memory.CLOSE_SECONDS", FOR_EVER)
    monkeypatch.setattr("memory.store.lane.CLOSE_GRACE_SECONDS", FOR_EVER)


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections and look-ups that would leave the machine fail, and fail the test as well."""
    tried: list[str] = []
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    look_up = socket.getaddrinfo

    def refuse(host: Any) -> None:
        if not is_loopback(host):
            tried.append(str(host))
            raise ConnectionRefusedError(f"tests have no network, and {host} is not this machine")

    def checked(sock: socket.socket, address: Any) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            refuse(address[0])

    def guarded_connect(sock: socket.socket, address: Any) -> None:
        checked(sock, address)
        connect(sock, address)

    def guarded_connect_ex(sock: socket.socket, address: Any) -> int:
        checked(sock, address)
        return connect_ex(sock, address)

    def guarded_look_up(host: Any, *rest: Any, **named: Any) -> Any:
        refuse(host)
        return look_up(host, *rest, **named)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    assert not tried, f"the test tried to reach {', '.join(tried)}"
