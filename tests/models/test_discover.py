import json

import pytest

from growbox_tui.models import discover
from growbox_tui.models.discover import choose, first_of
from growbox_tui.models.factory import BUNDLED
from growbox_tui.models.offered import offered
from tests.doubles.patience import FOR_EVER
from tests.doubles.stream_server import StreamServer

_SERVERS = ("OLLAMA", "LM_STUDIO", "HOSTED_VLLM", "LLAMACPP")
NOBODY = {f"{server}_API_BASE": "http://127.0.0.1:9" for server in _SERVERS}


@pytest.fixture(autouse=True)
def servers_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discover, "CONNECT_S", FOR_EVER)
    monkeypatch.setattr(discover, "ASK_S", FOR_EVER)


async def test_a_key_in_the_environment_comes_first_and_is_named():
    async with StreamServer([]) as server:
        env = {**NOBODY, "OLLAMA_API_BASE": server.url, "DEEPSEEK_API_KEY": "k"}
        choice = await choose(env)
        assert choice.name.startswith("deepseek/")
        assert "DEEPSEEK_API_KEY" in choice.why
        assert server.received == []


async def test_an_empty_key_is_no_key():
    assert (await choose({**NOBODY, "OPENAI_API_KEY": " "})).name == BUNDLED


async def test_a_key_with_an_own_base_url_takes_the_first_model_that_its_server_lists():
    models = [{"id": "text-embedding-9"}, {"id": "m-7", "context_length": 32_000}]
    async with StreamServer([], models=models) as server:
        env = {**NOBODY, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.url}
        choice = await choose(env)
        assert (choice.name, choice.context) == ("openai/m-7", 32_000)
        assert server.received[0].headers["authorization"] == "Bearer k"


async def test_a_server_on_loopback_comes_before_the_bundled_model_and_is_sent_no_key():
    async with StreamServer([], models=[{"id": "qwen3:8b"}]) as server:
        choice = await choose({**NOBODY, "OLLAMA_API_BASE": server.url, "OLLAMA_API_KEY": ""})
        assert choice.name == "ollama/qwen3:8b"
        assert "ollama" in choice.why
        assert "authorization" not in server.received[-1].headers


async def test_a_base_url_and_a_key_that_are_configured_come_before_the_environment():
    async with StreamServer([], models=[{"id": "m-7"}]) as server:
        env = {
            **NOBODY,
            "OPENAI_BASE_URL": "http://127.0.0.1:9",
            "OPENAI_API_KEY": "k",
            "MINE": "j",
        }
        choice = await choose(env, base_urls={"openai": server.url}, key_envs={"openai": "MINE"})
        assert choice.name == "openai/m-7"
        assert "MINE" in choice.why
        assert server.received[0].headers["authorization"] == "Bearer j"


async def test_a_configured_key_that_is_not_set_leaves_its_provider_out():
    env = {**NOBODY, "OPENAI_API_KEY": "k"}
    assert (await choose(env, key_envs={"openai": "MINE"})).name == BUNDLED
    assert offered(env, key_envs={"openai": "MINE"}) == [BUNDLED]


async def test_a_model_server_at_a_configured_address_is_found():
    async with StreamServer([], models=[{"id": "qwen3:8b"}]) as server:
        address = server.url.removeprefix("http://")
        choice = await choose(NOBODY, base_urls={"hosted_vllm": address})
        assert choice.name == "hosted_vllm/qwen3:8b"
        assert address.split("/")[0] in choice.why


@pytest.mark.parametrize("url", ["http://[", "http://127.0.0.1:99999", "ftp://127.0.0.1:9", "::"])
async def test_a_base_url_that_is_no_address_is_passed_over(url: str):
    assert (await choose(NOBODY, base_urls={"ollama": url, "openai": url})).name == BUNDLED
    keyed = {**NOBODY, "OPENAI_API_KEY": "k"}
    assert (await choose(keyed, base_urls={"openai": url})).name == BUNDLED
    assert offered({}, base_urls={"openai": url}) == [BUNDLED]


def test_models_are_offered_whose_key_or_own_server_is_configured():
    with_key = offered({"MINE": "k"}, key_envs={"deepseek": "MINE"})
    assert with_key[0].startswith("deepseek/")
    assert with_key[-1] == BUNDLED
    own = offered({}, base_urls={"openai": "http://127.0.0.1:9/v1"})
    assert own[0].startswith("openai/")
    assert offered({}, base_urls={"openai": "http://example.invalid/v1"}) == [BUNDLED]


async def test_a_server_that_is_no_model_server_is_passed_over():
    async with StreamServer([], models=()) as server:
        assert (await choose({**NOBODY, "LLAMACPP_API_BASE": server.url})).name == BUNDLED


async def test_with_nothing_there_the_bundled_model_is_taken_and_how_to_do_better_is_said():
    choice = await choose(NOBODY)
    assert choice.name == BUNDLED
    assert "--model" in choice.how_to_choose_better


def test_context_sizes_are_read_where_servers_give_them():
    listing = json.loads('{"data": [{"id": "a", "max_model_len": "4096"}]}')
    assert getattr(first_of(listing), "context", None) == 4096
    assert (
        getattr(first_of({"data": [{"id": "a", "meta": {"n_ctx": 512}}]}), "context", None) == 512
    )
    for nothing in (None, [], {}, {"data": None}, {"data": [{"id": 5}]}):
        assert first_of(nothing) is None


@pytest.mark.parametrize("name", ["eclipse-7b", "embedded-coder", "mistts", "m", "gpt-image-chat"])
def test_a_first_model_that_talks_is_taken_though_its_name_holds_letters_of_a_mute_one(name: str):
    found = first_of({"data": [{"id": name}, {"id": "second"}]})
    assert getattr(found, "id", None) == name


@pytest.mark.parametrize(
    "mute",
    [
        {"id": "nomic-embed-text:latest"},
        {"id": "text-embedding-9"},
        {"id": "all-minilm"},
        {"id": "BAAI/bge-m3"},
        {"id": "whisper-1"},
        {"id": "gpt-tts"},
        {"id": "flux", "type": "image"},
        {"id": "e5", "type": "embedding"},
    ],
)
def test_a_first_model_that_is_mute_is_passed_over(mute: dict):
    found = first_of({"data": [mute, {"id": "clip-chat", "type": "chat"}]})
    assert getattr(found, "id", None) == "clip-chat"
