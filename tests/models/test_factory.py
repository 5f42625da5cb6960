import subprocess
import sys

import pytest

from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.factory import full_name, open_model
from growbox_tui.models.litellm_model import LitellmModel
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Unauthorised, UnknownModel
from tests.doubles.collect import collect
from tests.doubles.stream_server import StreamServer, chunk
from tests.models.stream_judge import request_for

KEYS = {"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "DEEPSEEK_API_KEY": "d"}
HI = {"writes": [chunk({"content": "Hi"}, "stop")]}


@pytest.mark.parametrize(
    ("name", "kind", "full"),
    [
        ("openai/gpt-4o", OpenAIModel, "openai/gpt-4o"),
        ("gpt-4o", OpenAIModel, "openai/gpt-4o"),
        ("anthropic/claude-sonnet-4-5", AnthropicModel, "anthropic/claude-sonnet-4-5"),
        ("deepseek/deepseek-chat", OpenAIModel, "deepseek/deepseek-chat"),
        ("ollama_chat/qwen3:8b", OpenAIModel, "ollama/qwen3:8b"),
        ("gemini/gemini-2.5-pro", LitellmModel, "gemini/gemini-2.5-pro"),
        ("bedrock/anthropic.claude-opus-5", LitellmModel, "bedrock/anthropic.claude-opus-5"),
    ],
)
def test_a_name_opens_the_voice_of_its_provider(name: str, kind: type, full: str):
    model = open_model(name, KEYS)
    assert (type(model), model.name) == (kind, full)


def test_opening_a_voice_imports_neither_litellm_nor_an_http_client():
    code = (
        "import sys; from growbox_tui.models.factory import open_model; "
        "open_model('openai/gpt-4o', {'OPENAI_API_KEY': 'k'}); open_model('gemini/x', {}); "
        "heavy = {'litellm', 'httpx', 'llama_cpp', 'numpy'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_key_names_the_variable_to_set():
    with pytest.raises(Unauthorised) as found:
        open_model("openai/gpt-4o", {})
    assert "OPENAI_API_KEY" in found.value.hint


def test_a_named_key_variable_must_be_set():
    with pytest.raises(Unauthorised) as found:
        open_model("openai/gpt-4o", KEYS, key_env="MY_KEY")
    assert "MY_KEY" in found.value.hint


@pytest.mark.parametrize("name", ["opnai/gpt-4o", "gpt-4oo"])
def test_an_unknown_name_is_answered_with_the_nearest_right_one(name: str):
    with pytest.raises(UnknownModel) as found:
        open_model(name, KEYS)
    assert "openai/gpt-4o" in found.value.hint


@pytest.mark.parametrize("name", ["", "  ", "/", "openai/", "nobody", "nobody/x"])
def test_no_name_is_guessed(name: str):
    with pytest.raises(UnknownModel):
        full_name(name)


async def test_a_base_url_on_loopback_needs_no_key_and_sends_none():
    async with StreamServer([HI]) as server:
        for names in ({"OPENAI_BASE_URL": server.url}, {"OPENAI_API_BASE": server.url}):
            model = open_model("openai/m-1", names)
            assert (await collect(model, request_for({}))).text == "Hi"
            await model.close()
        assert all("authorization" not in request.headers for request in server.received)


async def test_each_provider_is_sent_its_own_key_only():
    async with StreamServer([HI]) as server:
        model = open_model("deepseek/m", KEYS, base_url=server.url)
        await collect(model, request_for({}))
        await model.close()
        assert server.received[0].headers["authorization"] == "Bearer d"
        assert "OPENAI" not in str(server.received)


def test_what_runs_on_ones_own_machine_costs_nothing_and_knows_its_context():
    model = open_model("llamacpp/some-model", {}, context=4096)
    assert (model.facts.context, model.facts.input_price) == (4096, 0.0)


@pytest.mark.parametrize("key", ["sk-\u2026end", "two words", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key: str):
    with pytest.raises(Unauthorised) as found:
        open_model("openai/gpt-4o", {"OPENAI_API_KEY": key})
    assert key not in f"{found.value.text} {found.value.hint}"
    assert "OPENAI_API_KEY" in found.value.text


@pytest.mark.parametrize("url", ["http://", "ftp://h/v1", "http://h:port/v1", "http://[x/v1"])
def test_a_base_url_that_is_none_is_told(url: str):
    with pytest.raises(UnknownModel) as found:
        open_model("openai/gpt-4o", KEYS, base_url=url)
    assert "base URL" in found.value.text
