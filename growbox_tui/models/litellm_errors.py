"""litellm's errors as errors of our own tree.

Its classes mislead: a name that is not known and a stream of nonsense both come as "500", anything
that its own code runs into as a failed connection. So what lies below an error is looked at first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from growbox_tui.models.faults import error_for, no_tools, too_long
from growbox_tui.models.http_stream import load_httpx
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    EmptyReply,
    ModelError,
    Overloaded,
    Silent,
    Unauthorised,
    UnknownModel,
    Unreachable,
)
from growbox_tui.models.reachability import cannot_reach, causes


def error_of(error: Exception, *, who: str, url: str = "", began: bool = False) -> ModelError:
    """The error for whatever litellm raised. ``who`` is the model's name, ``url`` the base URL
    where it is known, ``began`` whether part of the reply had come."""
    chain = list(causes(error))
    own = next((cause for cause in chain if isinstance(cause, ModelError)), None)
    if own is not None:
        # Raised below litellm, by our own look at the answer.
        return BadReply(f"{who}: {own.text}", own.hint)
    kind, text = type(error).__name__, str(error)
    if kind == "ContextWindowExceededError":
        return too_long(text, text)
    if kind == "Timeout":
        return Silent(f"{who} sent nothing for too long")
    if kind == "AuthenticationError":
        return Unauthorised(text, "Set the key of this provider in the environment.")
    if kind == "UnsupportedParamsError" and "tools" in text:
        return no_tools(f"{who} takes no tools, litellm says: {text}")
    if "LLM Provider NOT provided" in text:
        return UnknownModel(f"litellm knows no provider for {who}.")
    if began:
        return CutStream(f"{who} broke off in the middle of its reply: {text}")
    return _without_answer(error, chain, who, url) or _by_status(error, who)


def _without_answer(
    error: Exception, chain: list[BaseException], who: str, url: str
) -> ModelError | None:
    """The error where no server refused: it was not reached, or what it sent was no answer.
    ``None`` where a server did refuse, or nothing below the error tells."""
    httpx = load_httpx()
    if any(isinstance(cause, httpx.HTTPStatusError) for cause in chain):
        return None
    broken = [cause for cause in chain if isinstance(cause, httpx.TransportError)]
    if broken:
        return cannot_reach(broken[0], who=who, url=url)
    nonsense = (json.JSONDecodeError, UnicodeDecodeError)
    if isinstance(error, ValueError) or any(isinstance(cause, nonsense) for cause in chain):
        # The server speaks something else, and will say the same again.
        return BadReply(
            f"{who} answered in another form than the model's protocol: {error}",
            "Check the base URL and the provider's name.",
        )
    if any(isinstance(cause, StopAsyncIteration) for cause in chain):
        return EmptyReply(f"{who} ended its answer without a word", "Ask again.")
    return None


def _by_status(error: Exception, who: str) -> ModelError:
    text, status = str(error), getattr(error, "status_code", None)
    if type(error).__name__ == "APIConnectionError":
        return Unreachable(f"{who} cannot be reached: {text}", "Check the network.")
    if isinstance(status, int) and status >= 300:
        return error_for(status, _headers(error), text, who=who)
    return Overloaded(f"{who} failed: {text}", "Try again later.")


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in headers.items()}
