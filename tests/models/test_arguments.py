import json

import pytest

from growbox_tui.models.arguments import read_arguments


@pytest.mark.parametrize("text", ["", "  ", "null"])
def test_no_arguments_are_an_empty_object(text: str):
    assert read_arguments(text) == ("{}", "")


def test_good_arguments_stay_as_the_model_wrote_them():
    text = '{ "path" : "a b.py",\n "n": 1.50 }'
    assert read_arguments(text) == (text, "")


def test_arguments_that_were_encoded_twice_are_decoded_once():
    assert read_arguments(json.dumps('{"path":"a"}')) == ('{"path":"a"}', "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"command":"ls","command":"rm x"}', "twice"),
        ('{"n":NaN}', "NaN"),
        ('{"n":Infinity}', "Infinity"),
        ('{"n":1e999}', "too large"),
        ('{"n":' + "9" * 5000 + "}", "valid JSON"),
        ('{"command":"echo a\nb"}', "valid JSON"),
        ('{"command":"rm -rf bui', "valid JSON"),
        ('{"a":1} trailing', "valid JSON"),
        ("[1]", "not a JSON object"),
        ("7", "not a JSON object"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 80 + "1" + "}" * 80, "nested"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested"),
    ],
)
def test_what_two_parsers_could_read_differently_is_refused_with_the_reason(text: str, word: str):
    arguments, fault = read_arguments(text)
    assert arguments == "{}"
    assert word in fault


def test_arguments_as_deep_as_the_hands_take_them_pass():
    text = '{"a":' * 64 + "1" + "}" * 64
    assert read_arguments(text) == (text, "")


def test_half_a_character_is_replaced_so_that_it_can_be_stored():
    arguments, fault = read_arguments('{"a":"x\\ud83d"}')
    assert (json.loads(arguments), fault) == ({"a": "x\ufffd"}, "")
    arguments.encode("utf-8")
