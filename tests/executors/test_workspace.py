"""How paths are read, judged and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from executors.protocol import HandError
from executors.workspace import Workspace


@pytest.mark.parametrize(
    "path", ["a.py", "./a.py", "src//a.py", "..hidden", "...", "$HOME.txt", "[x]", "-rf", "名 字"]
)
def test_odd_names_are_only_names(tmp_path: Path, path: str) -> None:
    place = Workspace(tmp_path)
    assert place.inside(place.resolve(path))


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "a/../../etc/passwd", "~", "/proc/self/cwd/../x"]
)
def test_ways_out_are_outside(tmp_path: Path, path: str) -> None:
    place = Workspace(tmp_path / "w")
    assert not place.inside(place.resolve(path))


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    (tmp_path / "w2").mkdir()
    assert not Workspace(tmp_path / "w").inside(tmp_path / "w2" / "a")


def test_links_are_followed_before_judging(tmp_path: Path) -> None:
    place = Workspace(tmp_path)
    (tmp_path / "l1").symlink_to("l2")
    (tmp_path / "l2").symlink_to("/etc/passwd")
    (tmp_path / "stays").symlink_to("a.py")
    (tmp_path / "dangling").symlink_to("/nowhere/new.txt")
    assert not place.inside("l1")
    assert not place.inside("dangling")
    assert place.inside("stays")
    assert place.resolve("l1") == Path("/etc/passwd")


@pytest.mark.parametrize(
    "path", ["", "a\0b", "a\u202egpj.exe", "a\nb", "C:\\x", "\\\\host\\x", "c:/x"]
)
def test_what_cannot_be_a_path_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(HandError):
        Workspace(tmp_path).resolve(path)


def test_paths_are_shown_short_inside_and_whole_outside(tmp_path: Path) -> None:
    place = Workspace(tmp_path)
    assert place.show(place.root / "src" / "a.py") == "src/a.py"
    assert place.show("/etc/passwd") == "/etc/passwd"
    assert place.show("a\x1b[31m") == "a\\u001b[31m"


@pytest.mark.parametrize(
    "path",
    [".env", "config/.env.production", "id_rsa", "deploy/id_ed25519", ".ssh/config", ".aws/x",
     "server.pem", "tls/server.key", ".netrc", "credentials", ".ENV", ".pypirc",
     ".docker/config.json", ".kube/config", "~/.npmrc", "~/.kube/cache/x", "~/.config/gh/hosts.yml",
     "~/.config/gcloud/access_tokens.db", "~/.mozilla/firefox/a.default/logins.json",
     "~/.config/google-chrome/Default/Login Data", "/home/bo/.npmrc", "/home/bo/.config/gcloud",
     "/Users/a/Library/Keychains/login.keychain-db", "/etc/shadow", "/private/etc/sudoers.d/x",
     "/proc/self/environ", "/proc/1/task/1/environ", "/run/secrets/token"],
)  # fmt: skip
def test_secrets_are_known_by_their_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    place = Workspace(tmp_path / "work")
    assert place.is_secret(place.resolve(path))


@pytest.mark.parametrize(
    "path",
    [".env.example", "env.py", "id_rsa.pub", "src/keys.py", ".gitkeep", "keys/README.md",
     "tests/key.py", "docs/credentials.md", "secrets.py", ".docker/Dockerfile", ".npmrc",
     "public_key.pem", "jwt.pub.key", "certifi/cacert.pem", "gh/hosts.yml", "src/cookies/a.js",
     "fixtures/logins.json", "~/.config/git/ignore", "~/.config/gh.md", "~/project/.npmrc",
     "/proc/cpuinfo", "/proc/self/status", "/etc/hosts", "/etc/shadowsocks.json"],
)  # fmt: skip
def test_what_only_looks_alike_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    place = Workspace(tmp_path / "work")
    assert not place.is_secret(place.resolve(path))
