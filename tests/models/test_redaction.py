import pytest

from growbox_tui.models.protocol import Rejected
from growbox_tui.models.redaction import redact, redact_error, secrets_in, secrets_of

KEY = "sk-live-0123456789abcdef"


def test_a_key_is_taken_out_wherever_it_stands():
    assert redact(f"bad key '{KEY}' ({KEY})", [KEY]) == "bad key '…' (…)"


def test_a_text_that_was_cut_within_the_key_shows_no_part_of_it():
    assert redact(f"you sent {KEY[:15]}…", [KEY]) == "you sent …"


def test_the_longer_of_two_keys_with_one_beginning_leaves_no_rest():
    assert redact(f"{KEY}-more", [KEY, f"{KEY}-more"]) == "…"


def test_a_short_placeholder_is_taken_out_as_a_word_and_tears_no_other():
    assert redact("key k: looked up", ["k"]) == "key …: looked up"


def test_a_placeholder_that_is_the_providers_name_stays():
    said = "ollama/qwen answered 404"
    assert redact(said, ["ollama"], public="ollama/qwen") == said


@pytest.mark.parametrize(
    "said",
    [
        "Authorization: Bearer abcdef123456",
        '{"authorization": "Basic abcdef123456"}',
        "you sent bearer abcdef123456, which is wrong",
        "x-api-key=abcdef123456",
    ],
)
def test_what_looks_like_an_authorization_is_taken_out_though_nobody_knows_it(said: str):
    assert "abcdef123456" not in redact(said, [])


def test_an_error_is_cleaned_in_text_hint_and_arguments():
    error = Rejected(f"no {KEY}", f"not {KEY}")
    redact_error(error, [KEY])
    assert (error.text, error.hint, str(error)) == ("no …", "not …", "no …")


def test_the_secrets_of_a_request_are_its_key_and_the_password_in_its_address():
    found = secrets_of("http://me:p%40ss@h.example/v1", {"Authorization": f"Bearer {KEY}"})
    assert {KEY, "p@ss", "p%40ss"} <= set(found)
    assert secrets_of("http://h.example/v1", {"accept": "x", "x-api-key": KEY}) == (KEY, KEY)


def test_secret_variables_are_told_by_their_names():
    env = {"A_API_KEY": KEY, "B_TOKEN": "t" * 9, "C_KEY": "none", "HOME": "/home/somebody"}
    assert secrets_in(env) == (KEY, "t" * 9)
