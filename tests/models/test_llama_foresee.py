"""What a local voice foresees of its cache, beside what llama.cpp counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.models.llama_model import LlamaModel
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.llama_standing import LEAST_GAIN, Saved, Served, best, spared
from growbox_tui.models.llama_work import Kind, LlamaWork
from growbox_tui.models.protocol import Delta, Foresees, Reply, Request
from tests.doubles.calls import Call, Foreseen, asked, foresee, made
from tests.doubles.tiny_gguf import tiny

SHORT = st.lists(st.integers(0, 2), max_size=8)


def wrong(found: list[Foreseen]) -> list[Foreseen]:
    return [each for each in found if each.served is not None and not each.right]


@pytest.mark.parametrize("recurrent", [False, True])
async def test_a_hundred_calls_of_a_hundred_are_foreseen(tmp_path: Path, recurrent: bool) -> None:
    model = LlamaModel(tiny(tmp_path / "m.gguf", recurrent=recurrent), takes_tools=False)

    found = await foresee(model, 100, seed=3)
    await model.close()

    assert isinstance(model, Foresees)
    assert wrong(found) == []
    assert any(each.served for each in found)
    assert {"grow", "edit", "again", "unrelated", "cancel", "long", "anew"} <= {
        each.kind for each in found
    }
    assert max(each.tokens for each in found) > 2048  # The context has doubled.


@pytest.mark.parametrize("recurrent", [False, True])
async def test_calls_are_foreseen_when_a_new_process_takes_the_prefix_up(
    tmp_path: Path, recurrent: bool
) -> None:
    path = tiny(tmp_path / "m.gguf", recurrent=recurrent)
    found = []
    for seed in range(6):
        model = LlamaModel(path, takes_tools=False, prefixes=tmp_path / "p")
        # Every second process goes through the same course as the one before it.
        found += await foresee(model, 12, seed // 2)
        await model.close()

    assert wrong(found) == []
    assert list((tmp_path / "p").glob("*.prefix"))


async def test_the_bundled_model_is_foreseen_from_its_first_request_on() -> None:
    model = LlamaModel()
    found = await foresee(model, 4, seed=5)
    await model.close()

    assert wrong(found) == [] and found[0].served == found[0].foreseen == 0


async def test_a_voice_that_is_closed_foresees_nothing(tmp_path: Path) -> None:
    model = LlamaModel(tiny(tmp_path / "m.gguf"), takes_tools=False)
    await made(model, Call("first", asked([])))
    await model.close()

    assert await model.foresee(asked([])) is None


def kind(path: Path, prefixes: Path | None = None) -> Kind:
    return Kind("local/m", path, 4096, 4, Sampling(temperature=0.6), False, prefixes)


@pytest.mark.parametrize("recurrent", [False, True])
def test_a_request_that_is_stopped_anywhere_leaves_what_is_foreseen(
    tmp_path: Path, recurrent: bool
) -> None:
    work = LlamaWork(kind(tiny(tmp_path / "m.gguf", recurrent=recurrent)))
    request = Request((), ("The oak and the ash. " * 40,), asked([]).messages, max_output=4)
    told: list[Delta] = []
    for most in range(1, 14):
        asks: list[None] = []

        def stopped(most: int = most, asks: list[None] = asks) -> bool:
            asks.append(None)
            return len(asks) > most

        work.answer(replace(request, system=(f"{most}", *request.system)), told.append, stopped)
        again = replace(request, system=(f"{most}", *request.system, "Be brief."))
        _, spared = work.foresee(again)
        work.answer(again, told.append, lambda: False)
        last = told[-1]
        assert isinstance(last, Reply) and last.usage and last.usage.cache_read == spared
    work.close()


def test_a_prefix_that_cannot_be_kept_is_told_with_the_next_reply_and_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    work = LlamaWork(kind(tiny(tmp_path / "m.gguf"), tmp_path / "file"))
    request = Request((), ("The oak and the ash. " * 80,), asked([]).messages, max_output=4)
    notices = []
    for _ in range(3):
        told: list[Delta] = []
        work.answer(request, told.append, lambda: False)
        last = told[-1]
        assert isinstance(last, Reply)
        notices.append(last.notice)
        if len(notices) == 1:
            work.keep(lambda: False, last=True)
    work.close()

    assert notices[0] == notices[2] == "" and "could not be kept" in notices[1]


@given(SHORT, SHORT)
def test_the_last_token_is_never_spared_and_no_more_than_is_common(
    standing: list[int], prompt: list[int]
) -> None:
    found = spared(standing, prompt, forgets_parts=True)

    assert found == 0 or found < len(prompt)
    assert standing[:found] == prompt[:found]
    assert spared(standing, prompt, forgets_parts=False) in (0, len(standing))


def saved(*tokens: int) -> Saved:
    return Saved(Path(f"{len(tokens)}.prefix"), tokens, 1, 1)


def test_a_file_is_read_only_if_it_spares_enough() -> None:
    prompt = list(range(1000))
    some = saved(*range(LEAST_GAIN))
    more = saved(*range(300), *range(5000, 5900))

    def taken(standing: list[int], *files: Saved, room: int = 2000) -> Served:
        return best(standing, files, prompt, forgets_parts=True, room=room)

    assert taken([], some) == Served(LEAST_GAIN, some)
    assert taken([0], some) == Served(1, None)
    assert taken([], more, some) == Served(300, more)
    assert taken([], more, some, room=1000) == Served(LEAST_GAIN, some)
    assert taken([], saved(*range(100), *range(5000, 15000)), room=20000) == Served(0, None)
    assert taken(list(range(400)), more, some) == Served(400, None)
