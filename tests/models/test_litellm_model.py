import pytest

from growbox_tui.agent.messages import Usage
from growbox_tui.models.collect import collect
from growbox_tui.models.litellm_model import LitellmModel
from growbox_tui.models.protocol import CutStream, RateLimited
from tests.doubles.stream_server import StreamServer, chunk, sse
from tests.models.stream_judge import request_for

ROW = {"tools": ["read_file(path:string!)"]}


async def test_a_reply_comes_through_the_same_assembler_and_nothing_is_printed(capfd):
    function = {"name": "read_file", "arguments": '{"path":"a"}'}
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    writes = [
        chunk({"content": "Hello"}),
        chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}),
        chunk({}, "tool_calls"),
        *sse({"choices": [], "usage": usage}, "[DONE]"),
    ]
    async with StreamServer([{"writes": writes}]) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
    assert got.reply is not None
    assert got.text == "Hello"
    assert [call.arguments for call in got.runnable] == ['{"path":"a"}']
    assert got.reply.usage == Usage(9, 3, 4)
    assert capfd.readouterr() == ("", "")


async def test_its_errors_are_errors_of_our_own_tree():
    limited = {"http": {"status": 429, "headers": {"retry-after": "7"}}, "body": '{"error":{}}'}
    async with StreamServer([limited]) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
        assert isinstance(got.error, RateLimited)
        assert got.error.retry_after == 7.0
        assert len(server.received) == 1


async def test_a_stream_that_breaks_is_cut():
    async with StreamServer(
        [{"writes": [chunk({"content": "Hel"})], "end": "chunked_cut"}]
    ) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
    assert isinstance(got.error, CutStream)
    assert got.text == "Hel"


@pytest.mark.parametrize("name", ["custom_openai/m", "anthropic/m", "azure_ai/m"])
async def test_no_redirect_is_followed(name: str):
    async with StreamServer([{"body": "{}"}]) as other:
        moved = {"http": {"status": 307, "headers": {"location": other.url}}, "body": ""}
        async with StreamServer([moved]) as server:
            got = await collect(LitellmModel(name, base_url=server.url, key="k"), request_for({}))
        assert got.error is not None
        assert other.received == []
