import json

import pytest

from growbox_tui.models.faults import error_for, inband_error
from growbox_tui.models.protocol import (
    BadReply,
    Overloaded,
    QuotaSpent,
    RateLimited,
    Rejected,
    TooLong,
    Unauthorised,
    UnknownModel,
)


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
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000"),
        (400, "The decoder prompt (length 900) is longer than the maximum model length of 512"),
        (400, "the request exceeds the available context size, try increasing it"),
        (500, "the request exceeds the available context size"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
        (400, "Invalid request: Your request exceeded model token limit: 131072"),
        (400, "Range of input length should be [1, 129024]"),
        (400, "Your input exceeds the context window of this model."),
        (400, "This model's maximum prompt length is 131072 but the request contains 140000"),
        (400, "The input token count (99) exceeds the maximum number of tokens allowed (9)"),
        (413, ""),
    ],
)
def test_a_prompt_that_does_not_fit_is_told_in_every_wording(status: int, message: str):
    assert type(told(status, message)) is TooLong


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
