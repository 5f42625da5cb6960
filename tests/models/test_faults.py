import json

import pytest

from growbox_tui.models.faults import error_for, inband_error
from growbox_tui.models.protocol import (
    BadReply,
    NoTools,
    Overloaded,
    QuotaSpent,
    RateLimited,
    Rejected,
    TooLong,
    Unauthorised,
    UnknownModel,
)
from growbox_tui.models.retry import next_try


def told(status: int, message: str = "", code: str = "", headers: dict | None = None):
    body = json.dumps({"error": {"message": message, "code": code}})
    return error_for(status, headers or {}, body, who="p/m", key_name="P_API_KEY")


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504, 520, 529])
def test_trouble_of_the_server_can_be_tried_again(status: int):
    assert type(told(status, "boom")) is Overloaded


def test_a_wrong_key_names_the_variable_that_holds_it():
    error = told(401, "Incorrect API key")
    assert type(error) is Unauthorised
    assert "P_API_KEY" in error.hint
    assert type(told(403, "forbidden")) is Unauthorised


def test_too_many_requests_carry_the_asked_wait():
    error = told(429, "slow down", headers={"retry-after": "3"})
    assert (type(error), error.retry_after) == (RateLimited, 3.0)


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (429, "You exceeded your current quota, please check your plan", "insufficient_quota"),
        (429, "suspended", "exceeded_current_quota_error"),
        (402, "Insufficient Balance", ""),
        (400, "Your credit balance is too low to access the API", ""),
        (403, "Arrearage: overdue payment", ""),
    ],
)
def test_an_empty_account_is_not_a_rate_limit(status: int, message: str, code: str):
    assert type(told(status, message, code)) is QuotaSpent


def test_quota_words_with_a_wait_beside_them_are_a_rate_limit():
    error = told(429, "You exceeded your current quota", headers={"retry-after": "9"})
    assert type(error) is RateLimited


@pytest.mark.parametrize(
    ("status", "message", "limit"),
    [
        (400, "This model's maximum context length is 8192 tokens. You requested 9000", 8192),
        (400, "This endpoint's maximum context length is 131,072 tokens.", 131_072),
        (400, "The prompt (length 900) is longer than the maximum model length of 512", 512),
        (400, "the request exceeds the available context size, try increasing it", None),
        (500, "the request exceeds the available context size", None),
        (400, "request (9000 tokens) exceeds the available context size (4096 tokens)", 4096),
        (400, "The input (9000 tokens) is longer than the model's context length (40 tokens)", 40),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        (400, "input length and `max_tokens` exceed context limit: 190 + 32 > 200000", 200_000),
        (400, "Invalid request: Your request exceeded model token limit: 131072", 131_072),
        (400, "Range of input length should be [1, 129024]", 129_024),
        (400, "Your input exceeds the context window of this model.", None),
        (400, "The maximum prompt length is 131072 but the request contains 140000", 131_072),
        (400, "The input token count (99) exceeds the maximum number of tokens allowed (9)", 9),
        (400, "Prompt has 40000 tokens, too large for model with 32768 context length", 32_768),
        (400, "context the overflows. The model is loaded with context length of only 40", 40),
        (413, "Request too large for model: tokens per minute (TPM): Limit 6000", None),
        (413, "", None),
    ],
)
def test_a_prompt_that_does_not_fit_is_told_in_every_wording(
    status: int, message: str, limit: int | None
):
    error = told(status, message)
    assert isinstance(error, TooLong)
    assert error.limit == limit


def test_the_context_size_that_a_server_gives_as_a_field_is_carried():
    said = {"code": 400, "type": "exceed_context_size_error", "message": "x", "n_ctx": 4096}
    error = inband_error({"error": {**said, "n_prompt_tokens": 9000}}, who="p/m")
    assert isinstance(error, TooLong)
    assert error.limit == 4096


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/llama2:latest does not support tools"),
        (404, 'No endpoints found that support tool use. Try disabling "read".'),
        (400, "`tools` is not supported with this model."),
        (400, "Unsupported parameter: 'tools' is not supported with this model."),
        (400, "tool use is not supported"),
        (400, "Tool calling is not supported for this model."),
        (400, "Function calling is not enabled for this model"),
        (400, "Function calling is not enabled for models/gemma-3-27b-it"),
        (400, "deepseek-reasoner does not support Function Calling"),
        (400, "'claude-2.0' does not support tool use."),
        (400, "This model doesn't support tool use in streaming mode."),
        (400, "tools are unsupported"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'),
        (500, "tools param requires --jinja flag"),
        (400, "perplexity does not support parameters: ['tools'], for model=x."),
    ],
)
def test_a_refusal_of_tools_is_told_from_other_refusals_in_every_wording(status, message):
    error = told(status, message)
    assert type(error) is NoTools
    assert isinstance(error, Rejected)
    assert next_try(error, 1, 0.0) is None


@pytest.mark.parametrize(
    "message",
    [
        "Unsupported value: 'tools[0].type' is not supported",
        "Invalid 'tools[3].function.name': it does not match the pattern",
        "tool_choice is not supported",
        "This model does not support images",
        "does not support parameters: ['logprobs'], for model=x.",
        "temperature is not supported; tools are fine",
    ],
)
def test_a_refusal_of_something_else_is_no_refusal_of_tools(message: str):
    assert type(told(400, message)) is Rejected


def test_an_unknown_model_is_told_from_other_bad_requests():
    assert type(told(404, "The model `x` does not exist")) is UnknownModel
    assert type(told(400, "Model Not Exist")) is UnknownModel
    assert type(told(400, "temperature must be a number")) is Rejected
    assert type(told(422, "field required")) is Rejected


def test_a_damaged_history_is_not_tried_again_though_the_status_is_500():
    assert type(told(500, "Failed to parse tool call arguments as JSON")) is Rejected


def test_a_redirect_says_where_it_points_and_is_not_followed():
    error = error_for(307, {"location": "http://else.where/v1"}, "", who="p/m")
    assert type(error) is BadReply
    assert "else.where" in error.text


def test_a_web_page_is_told_by_its_title_and_control_bytes_are_dropped():
    body = "<html><title>502\x1b[31m Bad</title></html>"
    error = error_for(502, {}, body, who="p/m")
    assert "502 [31m Bad" in error.text
    assert "\x1b" not in error.text


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"error": {"type": "overloaded_error", "message": "Overloaded"}}, Overloaded),
        ({"error": {"message": "slow", "code": 429}}, RateLimited),
        ({"error": {"message": "no", "code": "invalid_api_key"}}, Unauthorised),
        ({"error": {"message": "Rate limit reached"}}, RateLimited),
        ({"error": "something broke"}, Overloaded),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, Rejected),
        ({"object": "error", "message": "maximum context length is 5", "code": 400}, TooLong),
        ({"error": {"code": "insufficient_quota", "message": "x"}}, QuotaSpent),
    ],
)
def test_an_error_inside_a_success_is_the_error_of_its_code(value: dict, kind: type):
    assert type(inband_error(value, who="p/m")) is kind
