"""Faults: what providers say when they refuse, as errors of our own tree.

Status codes alone mislead: an empty account comes as 429 or 400, a prompt that is too long as 400,
413 or 500, an overload as 200 with an error inside. So the words are read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from growbox_tui.models.protocol import (
    BadReply,
    ModelError,
    NoTools,
    Overloaded,
    QuotaSpent,
    RateLimited,
    Rejected,
    TooLong,
    Unauthorised,
    UnknownModel,
)
from growbox_tui.models.retry import asked_wait
from growbox_tui.models.stated_limit import stated_limit

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context window"
    r"|exceeds? (?:the )?(?:available |maximum |model'?s? )?context|exceed context limit"
    r"|prompt is too long|prompt too long"
    r"|longer than the (?:maximum )?(?:model|(?:model's )?context) length"
    r"|greater than the context length|context the overflows|model token limit"
    r"|maximum prompt length|range of input length|reduce the length of (?:the|your)"
    r"|input (?:is|was) too long|input token count.{0,40}exceeds|request_too_large"
    r"|too large for model with|tokens` \+ `max_new_tokens`|string_above_max_length"
    r"|request too large for",
    re.IGNORECASE,
)
_SPENT = re.compile(
    r"insufficient_quota|billing_hard_limit|billing_not_active|exceeded_current_quota"
    r"|insufficient.?(?:balance|credit|fund)|credit balance is too low|out of credits"
    r"|payment required|arrearage|quota_exceeded|account is not active|spending limit"
    r"|purchase (?:more )?credits|never purchased credits|overdue.payment",
    re.IGNORECASE,
)
_MAYBE_SPENT = re.compile(r"exceeded your (?:current|monthly|assigned) quota|usage limit", re.I)
_NO_MODEL = re.compile(
    r"model_not_found|model[_ ]not[_ ]exist|(?:no such|unknown|invalid) model"
    r"|model\W.{0,80}(?:does not exist|not found|not supported|is not available)"
    r"|not a valid model",
    re.IGNORECASE,
)
_TOOLS = r"(?:`?tools`?|tool[ _-](?:use|call(?:s|ing)?)|function[ _-]call(?:s|ing)?|functions)"
_REFUSED = r"(?:is|are) (?:not (?:yet |currently )?|un)(?:supported|enabled|allowed)"
_NO_TOOLS = re.compile(
    rf"(?:does not|doesn't|do not|don't|cannot|can't) (?:yet )?(?:support|accept) {_TOOLS}\b"
    rf"|(?<!\w)['\"`]?{_TOOLS}['\"`]? {_REFUSED}"
    r"|no endpoints found that support tool"
    r"|does not support parameters: [\[{][^\]}]{0,200}['\"]tools['\"]"
    r"|tools param requires"
    r"|requires --enable-auto-tool-choice",
    re.IGNORECASE,
)
_BAD_HISTORY = re.compile(r"failed to parse tool call arguments", re.IGNORECASE)
_REFUSALS = frozenset({400, 404, 405, 422, 500, 501})
"""Statuses under which servers refuse tools; 500 is what some local ones say for everything."""
_KINDS = {
    "overloaded_error": 529,
    "overloaded": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "rate_limit_reached_error": 429,
    "too_many_requests": 429,
    "throttling": 429,
    "insufficient_quota": 402,
    "billing_error": 402,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "invalid_authentication_error": 401,
    "permission_error": 403,
    "permission_denied": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "context_length_exceeded": 413,
    "invalid_request_error": 400,
    "badrequesterror": 400,
    "timeout_error": 504,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "internalservererror": 500,
    "service_unavailable": 503,
    "serviceunavailableerror": 503,
}


def words_of(body: str) -> str:
    """What an error body says, short and on one line; of an HTML page its title."""
    text = body.strip()
    if text.startswith("<"):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        return f"an HTML page: {_short(title.group(1))}" if title else "an HTML page"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _short(text)
    words, field = error_words(value), _field(value)
    return _short((f"{words} ({field})" if field not in words else words) if words else text)


def _field(value: Any) -> str:
    """The field of the request that a refusal means, where it stands beside the words."""
    if not isinstance(value, Mapping):
        return ""
    for holder in (value, value.get("error")):
        if isinstance(holder, Mapping) and isinstance(holder.get("param"), str):
            return str(holder["param"])
    detail = value.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else None
    where = first.get("loc") if isinstance(first, Mapping) else None
    return ".".join(map(str, where)) if isinstance(where, list) else ""


def error_words(value: Any) -> str:
    """The message in a parsed error body of any provider's shape."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next((words for item in value if (words := error_words(item))), "")
    if isinstance(value, Mapping):
        for name in ("error", "message", "msg", "detail", "errors"):
            if words := error_words(value.get(name)):
                return words
    return ""


def _short(text: str) -> str:
    text = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())
    return text if len(text) <= 400 else text[:397] + "…"


def error_for(
    status: int, headers: Mapping[str, str], body: str, *, who: str, key_name: str = ""
) -> ModelError:
    """The error for a refusal. ``headers`` by lower-case names; ``who`` is the model or host that
    the sentence names; ``key_name`` the environment variable that holds the key."""
    said = words_of(body)
    told = f"{who} answered {status}" + (f": {said}" if said else "")
    wait = asked_wait(headers, body)
    if status in (401, 403) and not _SPENT.search(body):
        hint = f"Check the key in {key_name}." if key_name else "Check the key."
        return Unauthorised(told, hint)
    if status == 413 or _TOO_LONG.search(body):
        return too_long(told, body)
    if status == 402 or _SPENT.search(body) or (_MAYBE_SPENT.search(body) and wait is None):
        return QuotaSpent(told, "Add credit to the account, or choose another model with /model.")
    if status == 429:
        asked = "" if wait is None else f" It asks for {wait:g} seconds."
        return RateLimited(told, f"Too many requests; waiting helps.{asked}", retry_after=wait)
    if status in _REFUSALS and _NO_TOOLS.search(body):
        return no_tools(told)
    if status == 404 or (status < 500 and _NO_MODEL.search(body)):
        return UnknownModel(told, "Check the model's name and the base URL.")
    if 300 <= status < 400:
        where = headers.get("location", "somewhere else")
        return BadReply(
            f"{who} redirects to {_short(where)}; redirects are not followed, so that no key "
            "reaches another host",
            "Set the base URL to the address that really answers.",
        )
    if _BAD_HISTORY.search(body):
        return Rejected(told, "The history holds a damaged tool call; /nap starts afresh.")
    if status == 408 or status >= 500:
        return Overloaded(told, "The provider has trouble; try again later.", retry_after=wait)
    return Rejected(told)


def too_long(told: str, body: str) -> TooLong:
    """The error for a prompt that does not fit; ``body`` may say how much would."""
    hint = "Shorten the conversation: /nap clears it and keeps long memory."
    return TooLong(told, hint, limit=stated_limit(body))


def no_tools(told: str) -> NoTools:
    """The error for a model that takes no tools."""
    return NoTools(told, "Choose a model with tools by /model; this one can only talk.")


def is_error(value: Any, kind: str = "") -> bool:
    """Whether a parsed event or body is an error report and no answer."""
    if not isinstance(value, Mapping):
        return False
    if value.get("error") or kind == "error" or value.get("type") == "error":
        return True
    if value.get("object") == "error":
        return True
    answers = ("choices", "content", "delta", "usage", "message", "candidates")
    return not any(name in value for name in answers) and any(
        name in value for name in ("detail", "errors")
    )


def inband_error(value: Mapping[str, Any], *, who: str, key_name: str = "") -> ModelError:
    """The error for a report that came inside an answer with status 200."""
    status = _status_in(value)
    body = json.dumps(value, ensure_ascii=False)
    if status is None:
        status = 429 if re.search(r"rate.?limit|too many requests", body, re.I) else 500
    return error_for(status, {}, body, who=who, key_name=key_name)


def _status_in(value: Mapping[str, Any]) -> int | None:
    inner = value.get("error")
    for holder in (inner, value):
        if not isinstance(holder, Mapping):
            continue
        for name in ("code", "status", "status_code", "http_code", "type"):
            said = holder.get(name)
            if isinstance(said, int | str) and str(said).isdigit() and 400 <= int(said) < 600:
                return int(said)
            if isinstance(said, str) and said.lower() in _KINDS:
                return _KINDS[said.lower()]
    return None
