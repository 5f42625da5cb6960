"""Redaction: no key in a sentence that is shown, though a provider may repeat what it was sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urlsplit

from growbox_tui.models.protocol import ModelError

MARK = "…"
_SHORT = 8
"""Characters: a key shorter than this is replaced only where it stands as a word of its own, so
that a placeholder like ``x`` does not tear the sentence."""
_LEAST_PART = 4
"""Characters of a key that a cut text may end with and still give nothing away."""
_SECRET_NAMES = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$", re.IGNORECASE)
_AUTHORIZATION = re.compile(
    r"((?:authorization|x-api-key|api-key)[\"'\\]*\s*[:=]\s*[\"'\\]*(?:(?:bearer|basic)\s+)?"
    r"|\b(?:bearer|basic)\s+)[^\s\"'\\,;<>{}]{8,}",
    re.IGNORECASE,
)


def redact(text: str, secrets: Iterable[str], *, public: str = "") -> str:
    """The text with each secret, and whatever looks like the value of an authorization header,
    replaced by ``MARK``. Secrets that are part of ``public`` (a placeholder such as ``ollama``,
    which is also the provider's name) hide nothing and stay."""
    # The longest first: one key may begin with another.
    for secret in sorted(set(secrets), key=lambda item: (-len(item), item)):
        if not secret or secret in public:
            continue
        if len(secret) < _SHORT:
            text = re.sub(rf"(?<![\w-]){re.escape(secret)}(?![\w-])", MARK, text)
            continue
        text = text.replace(secret, MARK)
        # A text that was shortened may end in the middle of the key.
        for size in range(len(secret) - 1, _LEAST_PART, -1):
            text = text.replace(secret[:size] + MARK, MARK)
    return _AUTHORIZATION.sub(rf"\g<1>{MARK}", text)


def redact_error(error: ModelError, secrets: Iterable[str], *, public: str = "") -> None:
    """Take the secrets out of everything that an error may show."""
    known = tuple(secrets)
    error.text = redact(error.text, known, public=public)
    error.hint = redact(error.hint, known, public=public)
    error.args = (error.text,)


def secrets_of(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What a request to this address carries that nobody else may see: the values of headers that
    authorize it, and the password in the address."""
    found: list[str] = []
    for name, value in headers.items():
        if name.lower() in ("authorization", "x-api-key", "api-key"):
            found += [value, value.rpartition(" ")[2]]
    if password := urlsplit(url).password:
        found += [password, unquote(password)]
    return tuple(found)


def secrets_in(env: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secret: for a voice that reads its key
    from the environment itself. Short values are placeholders or no keys at all."""
    return tuple(
        value.strip()
        for name, value in sorted(env.items())
        if _SECRET_NAMES.search(name) and len(value.strip()) >= _SHORT
    )
