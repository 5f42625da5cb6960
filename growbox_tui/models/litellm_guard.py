"""litellm, imported and told to keep to itself.

It prints advice, fetches its price table from the network, and follows redirects with the key in
hand. All three are switched off here, before the first request. And it takes a web page for an
empty answer, so its clients are made to refuse one.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from growbox_tui.models.protocol import BadReply

if TYPE_CHECKING:
    import httpx

_HANDLERS = "litellm.llms.custom_httpx.http_handler"
_OPENAI = "litellm.llms.openai.common_utils"


@lru_cache(maxsize=1)
def load_litellm() -> Any:
    """The module, ready for use. Takes seconds the first time: call it in a thread. Raises
    ``AttributeError`` when this litellm cannot be kept from following redirects."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    # Its second transport keeps sockets that nothing closes when the program ends.
    litellm.disable_aiohttp_transport = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    handler = importlib.import_module(_HANDLERS).AsyncHTTPHandler
    handler.create_client = _staying(handler.create_client)
    base = importlib.import_module(_OPENAI).BaseOpenAILLM
    base._get_async_http_client = staticmethod(_staying(base._get_async_http_client))
    return litellm


def _staying(make_client: Callable[..., Any]) -> Callable[..., Any]:
    """The same maker of HTTP clients, whose clients follow no redirect and take no web page. There
    is no setting for it, and a followed redirect would hand the key to another host."""

    def make(*arguments: Any, **named: Any) -> Any:
        client = make_client(*arguments, **named)
        client.follow_redirects = False
        hooks = client.event_hooks
        client.event_hooks = {**hooks, "response": [*hooks["response"], refuse_page]}
        return client

    return make


async def refuse_page(response: httpx.Response) -> None:
    """Raise ``BadReply`` for a success that is a web page: a login, a proxy, a wrong base URL."""
    if response.is_success and "text/html" in response.headers.get("content-type", ""):
        # Without its query, in which some providers want the key.
        asked = response.request.url.copy_with(query=None, userinfo=b"")
        raise BadReply(
            f"{asked.host} answered with a web page, not with the model's protocol",
            f"Check the base URL: {asked} was asked.",
        )
