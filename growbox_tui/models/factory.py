"""Factory: a model's name to a voice. Nothing is imported or loaded before a voice needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from growbox_tui.models import catalog
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.cache_fields import is_own
from growbox_tui.models.http_stream import SILENCE_S
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Model, ModelFacts, Unauthorised, UnknownModel
from growbox_tui.models.providers import ALIASES, PROVIDERS, Provider, named
from growbox_tui.models.reachability import is_address, is_loopback
from growbox_tui.models.redaction import secrets_in

BUNDLED = "local/bundled"


def open_model(
    name: str,
    env: Mapping[str, str],
    *,
    base_url: str | None = None,
    key_env: str | None = None,
    context: int | None = None,
    silence_s: float = SILENCE_S,
    prefixes: Path | None = None,
) -> Model:
    """The voice of a name: ``provider/name``, a bare name that the catalog knows,
    ``local/bundled``, ``local/FILE.gguf`` or ``script/FILE``.

    ``env`` holds keys and base URLs under the names that litellm uses; ``base_url`` and ``key_env``
    (the name of a variable) override those. ``context`` is a context size in tokens that is known
    better than by the catalog. ``prefixes`` is the folder where local voices keep what they
    computed. Raises ``UnknownModel`` and ``Unauthorised``; nothing is asked of any server yet.
    """
    full = full_name(name)
    provider, _, rest = full.partition("/")
    if provider == "local":
        from growbox_tui.models.llama_model import LlamaModel

        path = None if rest == "bundled" else Path(rest).expanduser()
        return LlamaModel(path, prefixes=prefixes)
    if provider == "script":
        from growbox_tui.models.scripted_model import ScriptedModel

        return ScriptedModel.load(Path(rest).expanduser())
    if provider in PROVIDERS:
        entry = PROVIDERS[provider]
        url = _checked(base_url or named(env, entry.url_names)[1] or entry.base_url)
        key_name, key = _key(entry, env, url, key_env)
        return _direct(full, entry, url, key_name, key, context, silence_s)
    return _by_litellm(full, env, base_url, key_env, context, silence_s)


def full_name(name: str) -> str:
    """``provider/name`` with the provider's usual word. Raises ``UnknownModel``."""
    name = name.strip()
    provider, slash, rest = name.partition("/")
    if name.lower().endswith(".gguf") and provider != "local":
        return f"local/{name}"
    if slash and rest:
        provider = ALIASES.get(provider, provider)
        known = provider in PROVIDERS or provider in ("local", "script")
        if known or provider in catalog.litellm_providers():
            return f"{provider}/{rest}"
    elif name and not slash and (provider := catalog.provider_of(name)):
        return f"{provider}/{name}"
    near = catalog.nearest(name)
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UnknownModel(
        f"No provider has a model named {name!r}." if name else "No model is named.",
        f"{hint}Models are named provider/name, such as openai/{PROVIDERS['openai'].model}; "
        f"{BUNDLED} needs no key.",
    )


def _direct(
    name: str,
    entry: Provider,
    url: str,
    key_name: str,
    key: str,
    context: int | None,
    silence_s: float,
) -> Model:
    facts = _with_context(catalog.facts(name), context)
    if is_loopback(entry.base_url) and facts.input_price is None:
        # What runs on one's own machine is not billed.
        facts = replace(facts, input_price=0.0, output_price=0.0)
    if entry.wire == "anthropic":
        return AnthropicModel(
            name, base_url=url, key=key, key_name=key_name, facts=facts, silence_s=silence_s
        )
    return OpenAIModel(
        name,
        base_url=url,
        key=key,
        key_name=key_name,
        facts=facts,
        thinking_back=entry.thinking_back,
        id_form=entry.id_form,
        # Local servers render with the model's own template, and who knows what a gateway does.
        alternate=is_loopback(entry.base_url) or not is_own(entry.name, url),
        silence_s=silence_s,
    )


def _by_litellm(
    name: str,
    env: Mapping[str, str],
    base_url: str | None,
    key_env: str | None,
    context: int | None,
    silence_s: float,
) -> Model:
    from growbox_tui.models.litellm_model import LitellmModel

    return LitellmModel(
        name,
        base_url=base_url,
        key=_given_key(name, env, key_env) if key_env else "",
        facts=_with_context(catalog.facts(name), context),
        takes_tools=catalog.takes_tools(name),
        secrets=secrets_in(env),
        silence_s=silence_s,
    )


def _with_context(facts: ModelFacts, context: int | None) -> ModelFacts:
    return replace(facts, context=context) if context else facts


def _key(entry: Provider, env: Mapping[str, str], url: str, key_env: str | None) -> tuple[str, str]:
    """The name and value of the key that goes to this URL; both may be empty on loopback."""
    if key_env:
        return key_env, _given_key(entry.name, env, key_env)
    key_name, key = named(env, entry.key_names)
    if not key and not is_loopback(url) and not is_loopback(entry.base_url):
        raise Unauthorised(
            f"There is no key for {entry.name}.",
            f"Set {entry.key_names[0]} in the environment, or choose another model with --model; "
            f"{BUNDLED} needs no key.",
        )
    return key_name or entry.key_names[0], _sound(key, key_name)


def _checked(url: str) -> str:
    """The base URL, if it is one."""
    if not is_address(url):
        raise UnknownModel(
            f"The base URL {url!r} is not an address.", "Write it like http://127.0.0.1:8080/v1."
        )
    return url


def _sound(key: str, key_name: str) -> str:
    """The key, if it can be sent. The sentence must not hold it, nor may any later error."""
    if key.isascii() and key.isprintable() and " " not in key:
        return key
    raise Unauthorised(
        f"The key in {key_name} holds a character that no key has.",
        f"Copy the key into {key_name} again.",
    )


def _given_key(who: str, env: Mapping[str, str], key_env: str) -> str:
    key = env.get(key_env, "").strip()
    if not key:
        raise Unauthorised(
            f"There is no key for {who}: the variable {key_env} is not set.",
            f"Set {key_env} in the environment.",
        )
    return _sound(key, key_env)
