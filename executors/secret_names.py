"""Secret names: which paths hold keys or passwords, told by the path alone.

Names that always mean a secret count anywhere. What is secret only as part of somebody's account,
such as ``.npmrc``, counts in a home folder and not in a project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

NAMES = (
    ".env", ".env.*", "*.env", ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials",
    "credentials", "credentials.json", "credentials.toml", ".credentials.json", "auth.json",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx",
    "*.keystore", "*.jks", "*.kdbx", ".htpasswd", "secrets.toml", "secrets.yaml", "secrets.yml",
    "secrets.json", "credentials.tfrc.json", ".vault-token", ".mylogin.cnf", "login data",
    "login data for account", "key3.db", "key4.db",
)  # fmt: skip
"""Globs of file names."""
PUBLIC = (
    ".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "cacert.pem",
    "ca-bundle.pem",
)  # fmt: skip
"""Templates and public certificates, which are there to be read."""
_PUBLIC_KEY = re.compile(r"(?:.+[._-])?pub(?:lic)?(?:[._-]?key)?\.(?:pem|key)")
FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".password-store")
_ENDINGS = ("/.docker/config.json", "/.kube/config", "/.config/gh/hosts.yml")
HOME = (
    ".npmrc", ".yarnrc.yml", ".docker/config.json", ".kube", ".my.cnf", ".boto", ".s3cfg",
    ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
    ".subversion/auth",
    ".config/gh", ".config/glab-cli", ".config/hub", ".config/gcloud", ".config/rclone",
    ".config/op", ".config/doctl", ".config/heroku", ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens", ".huggingface/token", ".local/share/keyrings",
    ".local/share/kwalletd", "library/keychains", "library/cookies",
    # Whole profiles of browsers and mail programs: passwords, cookies and history lie together.
    ".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta",
    ".config/chromium", ".config/bravesoftware", ".config/microsoft-edge", ".config/vivaldi",
    ".config/opera", "snap/firefox", "snap/chromium", ".var/app/org.mozilla.firefox",
    ".var/app/com.google.chrome", ".var/app/org.chromium.chromium",
    "library/application support/google/chrome", "library/application support/chromium",
    "library/application support/bravesoftware", "library/application support/microsoft edge",
    "library/application support/firefox", "library/safari",
    "appdata/local/google/chrome", "appdata/local/microsoft/edge", "appdata/roaming/mozilla",
)  # fmt: skip
"""Files and folders under a home folder."""
SYSTEM = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/master.passwd",
    "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh", "/etc/ssl/private", "/etc/krb5.keytab",
    "/etc/networkmanager/system-connections", "/etc/kubernetes", "/run/secrets",
    "/var/run/secrets", "/proc/kcore",
)  # fmt: skip
_HOMES = r"/root|/var/root|/home/[^/]+|(?:/mnt/[a-z])?/users/[^/]+"
_PROCESS = re.compile(r"/proc/[^/]+/(?:task/[^/]+/)?(?:environ|mem)")


def _glob(name: str) -> str:
    return re.escape(name).replace(r"\*", "[^/]*")


def _any(texts: Iterable[str]) -> str:
    return "|".join(texts)


_NAME = re.compile(_any(map(_glob, NAMES)))
_AT_HOME = re.compile(rf"(?:{_HOMES})/(?:{_any(map(re.escape, HOME))})(?:/.*)?", re.DOTALL)
_OF_SYSTEM = re.compile(rf"(?:{_any(map(re.escape, SYSTEM))})(?:/.*)?", re.DOTALL)


def holds_secrets(path: PurePath, home: str) -> bool:
    """Whether an absolute path, links followed, is that of keys or passwords. ``home`` is the
    user's home folder; other users' are known by where systems put them."""
    whole = path.as_posix().casefold().removeprefix("/private")  # where macOS keeps its /etc
    name = path.name.casefold()
    if name in PUBLIC or _PUBLIC_KEY.fullmatch(name):
        return False
    if _NAME.fullmatch(name) or whole.endswith(_ENDINGS):
        return True
    if not set(FOLDERS).isdisjoint(whole.split("/")):
        return True
    below = whole.removeprefix(home.casefold().rstrip("/") + "/")
    if below != whole and any(below == known or below.startswith(known + "/") for known in HOME):
        return True
    return any(pattern.fullmatch(whole) for pattern in (_AT_HOME, _OF_SYSTEM, _PROCESS))
