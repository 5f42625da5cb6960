"""Pointers and their keys: what is learned, what is followed, what is forgotten."""

from __future__ import annotations

import pytest

from memory.config import KEYS_A_POINTER, POINTERS_A_SOURCE
from memory.recall import feedback
from memory.recall.pointers import BOOST, DAY, NEGATIVE_DAYS
from memory.store import certificates, pieces, pointers, questions, redirects
from memory.store.certificates import Reading
from memory.store.keys import ResidentKeys
from memory.types import Node

from .asking import (
    BARS,
    STAMP,
    answered,
    asked,
    at_cosine,
    chosen,
    embed,
    key,
    led,
    misled,
    pointer,
    signs,
    targets,
)
from .conftest import NOW, Store


def test_a_question_of_the_same_family_makes_its_key_heavier_and_no_second_one(
    store: Store,
) -> None:
    # row 53
    entry, target = store.add("entry"), store.add("target")
    answered(store, "Where is the spare key?", target, 0, entry=entry.seq)
    first = questions.same_words(store.db, "where is the spare key")
    assert first is not None
    number = asked(store, "Where's that spare key?", [target], entry=entry.seq, family=first.id)
    feedback.confirm(store.db, number, [target.id], NOW)
    assert signs(pointer(store, target)) == [(1, 2.0)]
    assert key(pointer(store, target)).question == first.id


def test_questions_of_two_families_are_two_keys(store: Store) -> None:
    # row 54
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    answered(store, "Who painted the fence?", target, 90)
    assert signs(pointer(store, target)) == [(1, 1.0), (1, 1.0)]


def test_a_rejection_leaves_a_negative_key_and_the_positive_ones_as_they_were(
    store: Store,
) -> None:
    # row 55
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    before = key(pointer(store, target))
    misled(store, "Who painted the fence?", target, 90)
    assert signs(pointer(store, target)) == [(1, 1.0), (-1, 2.0)]
    assert pointer(store, target).keys[0] == before


def test_a_question_near_one_that_was_misled_is_kept_from_the_target(store: Store) -> None:
    # row 56
    target = store.add("target")
    answered(store, "Where is the key?", target, 20)
    misled(store, "Where is the piano key?", target, 0)
    found, decided = chosen(store, 5)
    assert not found
    assert list(decided.vetoed) == [target.seq]


def test_the_very_question_that_was_answered_is_followed_though_a_misled_one_is_near(
    store: Store,
) -> None:
    # row 57
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    misled(store, "Where is the piano key?", target, at_cosine(0.91))
    assert targets(led(store, 0)) == [target.seq]


def test_what_was_last_said_of_the_same_words_holds(store: Store) -> None:
    target = store.add("target")
    for _ in range(5):
        answered(store, "Where is the key?", target, 0)
        store.db.execute("UPDATE keys SET weight = 9")
    misled(store, "Where is the key?", target, 0, at=NOW + 1)
    assert not led(store, 0)
    answered(store, "Where is the key?", target, 0, at=NOW + 2)
    assert targets(led(store, 0)) == [target.seq]


def test_of_too_many_keys_the_lightest_goes_and_all_that_stay_are_real_questions(
    store: Store,
) -> None:
    # row 58
    target = store.add("target")
    told = [f"question number {n} about things" for n in range(KEYS_A_POINTER + 1)]
    for place, words in enumerate(told):
        answered(store, words, target, 10 * place, at=NOW + place)
        if place != 3:
            answered(store, words, target, 10 * place, at=NOW + place)
    kept = pointer(store, target).keys
    texts = {each.text for each in questions.by_ids(store.db, [each.question for each in kept])}
    assert texts == set(told) - {told[3]}


def test_all_old_negative_keys_are_reached_round_by_round_however_many(store: Store) -> None:
    # row 59
    nodes = [store.add(f"target {n}") for n in range(3 * feedback.REVIEWED)]
    with store.db.transaction():
        for place, node in enumerate(nodes):
            misled(store, f"question {place}", node, place, at=NOW - 20 * DAY * (place % 2))
    assert feedback.due(store.db, NOW)
    rounds = 0
    while feedback.due(store.db, NOW):
        feedback.review(store.db, NOW)
        rounds += 1
    assert rounds <= 4
    left = pointers.latest(store.db, 1_000)
    assert {each.target for each in left} == {node.seq for node in nodes[::2]}
    assert all(NOW - each.used <= NEGATIVE_DAYS * DAY for each in left)


def test_a_key_that_was_confirmed_once_counts_as_its_plain_cosine(store: Store) -> None:
    # row 60
    answered(store, "Where is the key?", store.add("target"), 0)
    (found,) = led(store, at_cosine(0.95))
    assert found.lead.strength == found.lead.likeness == pytest.approx(0.95)


def test_use_lifts_a_key_only_near_the_bar_and_less_as_time_goes_by(store: Store) -> None:
    answered(store, "Where is the key?", store.add("target"), 0)
    store.db.execute("UPDATE keys SET weight = 50")
    questions.changed(store.db)
    near, far = at_cosine(BARS.follow - BOOST / 2), at_cosine(BARS.follow - 2 * BOOST)
    assert led(store, near)
    assert not led(store, near, now=NOW + 365 * DAY)
    assert not led(store, far)


def test_no_weight_makes_a_key_a_magnet_for_unrelated_questions(store: Store) -> None:
    # row 61
    answered(store, "Where is the key?", store.add("target"), 0)
    store.db.execute("UPDATE keys SET weight = 50, successes = 1000")
    questions.changed(store.db)
    found, decided = chosen(store, at_cosine(0.5))
    assert not found
    assert not decided.boosts


def test_a_key_that_hardly_ever_leads_right_is_no_longer_followed(store: Store) -> None:
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    for _ in range(8):
        lead = (pointer(store, target).id, key(pointer(store, target)).question)
        number = asked(store, "Where did I put it?", [target], leads=[lead])
        feedback.confirm(store.db, number, [], NOW)
    assert key(pointer(store, target)).missed == 8
    assert not led(store, 0)


def test_pointers_that_begin_at_one_place_are_capped_and_the_least_useful_goes(
    store: Store,
) -> None:
    # row 64
    entry = store.add("entry")
    kept = store.add("kept")
    with store.db.transaction():
        answered(store, "the useful one", kept, 0, entry=entry.seq)
        answered(store, "the useful one", kept, 0, entry=entry.seq)
        for n in range(3 * POINTERS_A_SOURCE):
            node = store.add(f"target {n}")
            answered(store, f"question {n}", node, 90 + n / 10, entry=entry.seq)
    begun = pointers.from_source(store.db, entry.seq)
    assert len(begun) == POINTERS_A_SOURCE
    assert kept.seq in {each.target for each in begun}
    assert node.seq in {each.target for each in begun}
    assert pointers.overflowed(store.db) == 2 * POINTERS_A_SOURCE + 1


def test_what_is_over_the_cap_in_all_goes_by_utility_round_by_round(store: Store) -> None:
    with store.db.transaction():
        for n in range(40):
            answered(store, f"question {n}", store.add(f"target {n}"), n, at=NOW - n * DAY)
    while pointers.count(store.db)[0] > 10:
        assert feedback.review(store.db, NOW, most=10)
    assert pointers.count(store.db)[0] == 10
    assert pointers.overflowed(store.db) == 30


def test_a_pointer_to_what_was_deleted_is_forgotten(store: Store) -> None:
    gone, stays = store.add("gone"), store.add("stays")
    answered(store, "Where is the key?", gone, 0)
    answered(store, "Who painted the fence?", stays, 90)
    assert not feedback.due(store.db, NOW)
    redirects.retire(store.db, gone.seq, [], NOW)
    assert feedback.due(store.db, NOW)
    assert feedback.review(store.db, NOW) == 1
    assert not feedback.due(store.db, NOW)
    assert [each.target for each in pointers.latest(store.db, 9)] == [stays.seq]


def test_of_too_many_questions_those_go_that_nothing_rests_on(store: Store) -> None:
    target = store.add("target")
    answered(store, "Where is the key?", target, 0, at=1)
    idle = [questions.put(store.db, f"idle {n}", NOW + n) for n in range(6)]
    head = questions.put(store.db, "first of a family", 2)
    questions.put(store.db, "second of it", NOW, family=head.id)
    assert feedback.review(store.db, NOW, most_questions=5) == 4
    left = questions.since(store.db, 0)
    assert {each.text for each in left} == {
        "Where is the key?",
        "first of a family",
        *(each.text for each in idle[-3:]),
    }


def test_where_a_pointer_goes_its_familys_certificates_have_a_hole(store: Store) -> None:
    nodes = [store.add(f"memory {n}") for n in range(5)]
    target = nodes[2]
    answered(store, "Where is the key?", target, 0)
    reading = Reading(key(pointer(store, target)).family, "judge", "j")
    told = certificates.contents(store.db, 1, 5)
    certificates.put(store.db, reading, certificates.DEEP, 1, 5, told, NOW)
    pointers.drop(store.db, [pointer(store, target)])
    left = certificates.of(store.db, reading)
    assert [(each.lo, each.hi) for each in left] == [(1, 2), (4, 5)]
    assert all(certificates.contents(store.db, each.lo, each.hi) == each.hash for each in left)


def test_a_memory_that_the_user_rejected_leaves_what_was_read_for_the_question(
    store: Store,
) -> None:
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    family = key(pointer(store, target)).family
    store.db.execute(
        "INSERT INTO certificates (family, method, judge, embedder, depth, lo, hi, hash, at)"
        " VALUES (?, 'judge', 'j', 'e', 2, 1, 9, x'00', 1)",
        (family,),
    )
    misled(store, "Where is the key?", target, 0)
    assert signs(pointer(store, target)) == [(-1, 2.0)]
    assert store.db.value("SELECT count(*) FROM certificates") == 1


def test_a_pointer_to_an_edited_file_is_followed_but_never_surely(store: Store) -> None:
    # row 65
    def read(sha: str, path: str = "/p/a.py") -> Node:
        meta = {"reference": {"path": path, "sha256": sha}}
        return store.add(f"contents {sha}", role="tool", meta=meta)

    target = read("1")
    answered(store, "What does a.py say?", target, 0)
    read("1")
    read("2", "/p/b.py")
    assert [each.outdated for each in led(store, 0)] == [False]
    read("2")
    assert [each.outdated for each in led(store, 0)] == [True]
    other = store.add("what was said of it")
    answered(store, "What does a.py say?", other, 0)
    assert targets(led(store, 0)) == [other.seq, target.seq]


def test_the_pointers_from_a_place_are_one_local_read(store: Store) -> None:
    # row 66
    plans: list[str] = []

    def planned(cursor: object, sql: str, bindings: object) -> bool:
        if sql.startswith("SELECT id, source"):
            rows = store.db.connection.execute("EXPLAIN QUERY PLAN " + sql, (1,))
            plans.extend(row[3] for row in rows)
        return True

    entry, target = store.add("entry"), store.add("target")
    answered(store, "Where is the key?", target, 0, entry=entry.seq)
    store.db.connection.exec_trace = planned
    try:
        assert len(pointers.from_source(store.db, entry.seq)) == 1
    finally:
        store.db.connection.exec_trace = None
    assert [plan.endswith("(source=?)") and plan.startswith("SEARCH") for plan in plans] == [True]


def test_a_pointer_to_a_node_that_was_cut_leads_to_its_pieces_and_never_to_all_of_it(
    store: Store,
) -> None:
    # row 26
    long = store.add("the key is under the mat. " * 4)
    answered(store, "Where is the key?", long, 0)
    cut = pieces.cut(store.db, long.seq, [(0, 26), (26, 52), (52, 104)])
    assert targets(led(store, 0)) == cut
    pieces.cut(store.db, long.seq, [(0, 52), (52, 104)])
    assert len(targets(led(store, 0))) == 2


def test_a_pointer_to_one_piece_leads_to_what_took_its_words(store: Store) -> None:
    text = "".join(f"fact {n}: the pump runs at {n * 7} bar. " for n in range(60))
    node = store.add(text)
    second = pieces.pieces_of(store.db, node.seq)[1]
    number = pointers.link(store.db, 0, second.place, NOW)
    question = questions.put(store.db, "How fast?", NOW)
    new = pointers.Key(number, 0, second.place, question.id, question.family, 1, 1.0, 0, 0, 0, NOW)
    pointers.put_keys(store.db, [new], NOW)
    embed(store, question.id, 0)
    middle = (second.lo + second.hi) // 2
    cut = pieces.cut(store.db, node.seq, [(0, middle), (middle, len(text))])
    assert targets(led(store, 0)) == cut


def test_a_superseded_memory_leads_to_what_stands_for_it_and_a_deleted_one_nowhere(
    store: Store,
) -> None:
    old, new, newest = store.add("old"), store.add("new"), store.add("newest")
    answered(store, "What holds?", old, 0)
    redirects.retire(store.db, old.seq, [new.seq], NOW)
    assert targets(led(store, 0)) == [new.seq]
    redirects.retire(store.db, new.seq, [newest.seq], NOW)
    assert targets(led(store, 0)) == [newest.seq]
    redirects.retire(store.db, newest.seq, [], NOW)
    assert led(store, 0) == ()
    with pytest.raises(ValueError, match="stand for itself"):
        redirects.retire(store.db, newest.seq, [old.seq], NOW)


def test_a_retired_memory_is_found_by_no_index_and_read_by_its_address(store: Store) -> None:
    from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder

    old = store.add("the heliotrope valve opens at nine")
    store.add("nothing of it here")
    store.embed_all(NgramEmbedder())
    assert store.texts("heliotrope valve", NgramEmbedder())
    redirects.retire(store.db, old.seq, [], NOW)
    store.embed_all(NgramEmbedder())
    assert old.text not in store.texts("heliotrope valve", NgramEmbedder())
    assert pieces.in_stretch(store.db, 1, 9) == [old.seq + 1]
    assert pieces.text_of(store.db, [old.seq]) == {old.seq: old.text}


def test_keys_in_memory_are_read_again_only_when_something_was_learned(store: Store) -> None:
    target = store.add("target")
    answered(store, "Where is the key?", target, 0)
    resident = ResidentKeys()
    first = resident.fresh(store.db, STAMP)
    store.add("nothing learned")
    assert resident.fresh(store.db, STAMP) is first
    answered(store, "Who painted the fence?", target, 90)
    second = resident.fresh(store.db, STAMP)
    assert [each.text for each in second.questions] != [each.text for each in first.questions]
    assert second.vectors.shape == (2, 2)


def test_a_question_without_a_vector_is_known_by_its_words_alone(store: Store) -> None:
    target = store.add("target")
    number = asked(store, "Where is the key?", [target])
    feedback.confirm(store.db, number, [target.id], NOW)
    assert not led(store, 0)
    assert targets(led(store, 0, "where IS the key")) == [target.seq]
    assert targets(led(store, None, "where IS the key")) == [target.seq]
    assert not led(store, None, "where is not the key")


def test_a_vector_without_a_direction_is_like_no_question(store: Store) -> None:
    target = store.add("target")
    number = asked(store, "!?", [target])
    made = feedback.confirm(store.db, number, [target.id], NOW)
    assert made is not None
    questions.put_vectors(store.db, STAMP, [(made.id, bytes(8))])
    answered(store, "Who painted the fence?", target, 90)
    assert questions.pending(store.db, STAMP, 9) == []
    assert not led(store, 0)


def test_a_pointer_leads_elsewhere_or_is_none(store: Store) -> None:
    node = store.add("here")
    for source, target in ((node.seq, node.seq), (node.seq, 0)):
        with pytest.raises(ValueError, match="from one place to another"):
            pointers.link(store.db, source, target, NOW)


def test_a_memory_that_was_its_own_entry_is_led_to_from_nowhere(store: Store) -> None:
    node = store.add("here")
    answered(store, "Where?", node, 0, entry=node.seq)
    assert pointer(store, node).source == 0
