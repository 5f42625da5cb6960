from __future__ import annotations

import json
from dataclasses import fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.events import KINDS, Event, TextDelta, from_json, to_json


def values(kind: Any) -> st.SearchStrategy[Any]:
    origin = get_origin(kind)
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin is tuple:
        return st.lists(values(get_args(kind)[0]), max_size=3).map(tuple)
    if origin in (Union, UnionType):
        return st.one_of(*(values(part) for part in get_args(kind)))
    if kind is type(None):
        return st.none()
    simple = {
        str: st.text(max_size=20),
        int: st.integers(-(10**9), 10**9),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
    }
    if kind in simple:
        return simple[kind]
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: values(hints[field.name]) for field in fields(kind)})


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_event_survives_the_way_to_json_and_back(name: str) -> None:
    @given(values(KINDS[name]))
    def holds(event: Event) -> None:
        line = to_json(event)
        assert "\n" not in line
        assert from_json(line) == event

    holds()


def test_an_unknown_event_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="not an event"):
        from_json(json.dumps({"event": "Nonsense"}))


def test_a_torn_event_is_refused() -> None:
    with pytest.raises(ValueError, match="not an event"):
        from_json('{"event": "TurnStarted", "turn": 1}')


def test_words_of_other_scripts_stay_readable() -> None:
    assert "登录" in to_json(TextDelta("登录"))
