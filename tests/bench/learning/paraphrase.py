"""Questions asked again in other words, in four strengths; fixed, made by tables and no model.

``framed``: the same words within small talk. ``reworded``: another form of question, and every
second content word exchanged for one that means the same. ``terse``: content words alone, in
another order. ``hasty``: reworded, with slips of the finger.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_FRAMES = (
    "I can't recall this any more. {whole}",
    "Hey, one thing: {begun}",
    "We talked about it once, {begun}",
    "{whole} It has slipped my mind.",
    "Could you look this up for me? {whole}",
    "Before I forget to ask: {begun}",
    "Going by what you have been told so far, {begun}",
)

_SHAPES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern + r"\s*[?.]*$", re.IGNORECASE), shapes)
    for pattern, shapes in (
        (r"when (?:did|was|were|is|does|do|has|have|will) (.+)",
         ("At what time {}?", "Can you tell the day {}?", "Which date goes with this: {}?")),
        (r"how many times (.+)", ("How often {}?", "Count how often {}.")),
        (r"how many (.+)", ("I want the total of {}.", "Count the {}.")),
        (r"how long (.+)", ("Over what period {}?", "How much time {}?")),
        (r"how (?:did|does|do|is|was|were) (.+)", ("By what means {}?", "Describe the way {}.")),
        (r"how (.+)", ("Say how {}.",)),
        (r"where (?:did|does|do|is|was|were|has|have) (.+)",
         ("At which spot {}?", "Say the place where {}.")),
        (r"why (?:did|does|do|is|was|were) (.+)",
         ("What made it that {}?", "Give the grounds: {}?")),
        (r"who (.+)", ("Whose name is it that {}?", "The one who {}, who is that?")),
        (r"(?:which|what) (?:kind|kinds|type|types|sort) of (.+)", ("What {} exactly?",)),
        (r"which (.+)", ("Of all, what {}?", "Pick out which {}.")),
        (r"what (?:is|are|was|were) (.+)", ("I'd like to hear of {}.", "Do you know {}?")),
        (r"what (?:did|does|do|has|have) (.+)", ("The thing that {}, what is it?", "Say what {}.")),
        (r"what (.+)", ("Could you say which {}?", "Remind me of the {}.")),
        (r"(?:does|did|is|was|would|has|have|do|are|can|could|will) (.+)",
         ("Would you say that {}?", "True or not: {}?")),
    )
)  # fmt: skip

_PAIRS = """
activities:pursuits activity:pursuit advice:guidance adopt:take_on adopted:took_on album:record
art:artwork artist:painter attend:join attended:joined author:writer bad:poor beach:seaside big:huge
book:title books:titles bought:got buy:get car:automobile career:line_of_work change:shift
charity:good_cause child:youngster children:youngsters city:place class:course close:near
collect:gather collects:gathers community:neighbourhood competition:tournament cook:make_food
country:land create:make created:made dad:father daughter:girl decide:make_up_the_mind
decided:made_up_the_mind describe:put_in_words described:put_in_words difficult:hard dish:food
dog:puppy dogs:puppies dream:wish enjoy:love enjoys:loves event:happening events:happenings
exercise:workout family:relations favorite:most_liked feel:be_moved film:motion_picture
finish:end finished:ended food:eating friend:mate friends:mates game:video_game gift:something_given
goal:target goals:targets group:circle happy:pleased health:fitness help:support helped:supported
hike:trek hiking:trekking hobbies:leisure_interests hobby:leisure_interest home:flat house:flat
husband:spouse idea:thought important:crucial injury:wound inspire:spark inspired:sparked
instrument:music_maker interest:passion interests:passions interested:keen job:position
kid:young_one kids:young_ones learn:get_to_know learned:got_to_know like:be_fond_of likes:is_fond_of
live:reside lives:resides local:nearby lose:miss lost:missed love:adore made:built make:build
meet:see met:saw mention:speak_of mentioned:spoke_of money:funds mother:mum motivated:drove
movie:motion_picture movies:motion_pictures music:songs name:called nature:outdoors new:another
old:former opinion:view paint:draw painted:drew painting:picture paintings:pictures parents:folks
partner:companion pet:house_animal pets:house_animals photo:snapshot photos:snapshots
picture:snapshot pictures:snapshots place:venue places:venues plan:mean_to planning:meaning_to
plans:means_to play:take_part_in plays:takes_part_in present:something_given problem:trouble
problems:troubles project:piece_of_work purchase:pay_for purchased:paid_for read:finish_reading
receive:be_given received:was_given recent:last recently:not_long_ago recommend:advise
recommended:advised relax:unwind road:street school:college share:pass_on shared:passed_on
shop:business show:present showed:presented sister:sibling brother:sibling son:boy song:piece
songs:pieces sport:athletics start:set_up started:set_up store:business story:tale stress:strain
studied:went_in_for study:go_in_for symbolize:stand_for symbolizes:stands_for talk:speak team:squad
think:suppose town:place travel:journey trip:outing trips:outings try:have_a_go_at
tried:had_a_go_at type:variety vacation:time_off visit:call_at visited:called_at walk:stroll
want:hope_for wants:hopes_for watch:see watched:saw wife:spouse win:earn won:earned work:labour
world:earth write:put_on_paper writing:putting_on_paper wrote:put_on_paper year:twelvemonth
"""
"""A word and what it is exchanged for; ``_`` is a space."""

_ALIKE = dict(pair.split(":") for pair in _PAIRS.split())

_FUNCTION = """
    a about all am an and any are as at be been being but by can could did do does for from had
    has have he her hers him his how i if in into is it its kind many me much my of on or our she so
    some sort that the their them then there these they this those to type was we were what when
    where which who whom whose why will with would you your
"""

_FUNCTION_WORDS = frozenset(_FUNCTION.split())

_WORD = re.compile(r"[A-Za-z]+")
_TOKEN = re.compile(r"[\w'’-]+")

EXCHANGED = 0.8
"""The share of the words in the table that are exchanged."""
SLIPS = 0.14
"""The share of words of four letters or more that are mistyped."""


def framed(question: str) -> str:
    """The same words within small talk."""
    frame = _dice(question, "framed").choice(_FRAMES)
    return frame.format(whole=question, begun=question[:1].lower() + question[1:])


def reworded(question: str) -> str:
    """Another form of question, other words that mean the same."""
    dice = _dice(question, "reworded")
    said = question.strip()
    for pattern, shapes in _SHAPES:
        found = pattern.match(said)
        if found:
            said = dice.choice(shapes).format(found.group(1).rstrip("?. "))
            break
    return _WORD.sub(lambda word: _exchanged(word.group(), dice), said)


def terse(question: str) -> str:
    """Content words in another order, as one types into a search box."""
    dice = _dice(question, "terse")
    words = [w for w in _TOKEN.findall(question) if w.lower() not in _FUNCTION_WORDS]
    dice.shuffle(words)
    return " ".join(words) or question


def hasty(question: str) -> str:
    """Reworded, with letters left out, doubled or in the wrong order."""
    dice = _dice(question, "hasty")
    return _WORD.sub(lambda word: _slipped(word.group(), dice), reworded(question))


STRENGTHS: dict[str, Callable[[str], str]] = {
    "framed": framed,
    "reworded": reworded,
    "terse": terse,
    "hasty": hasty,
}
"""Ever harder, in the order in which they are asked."""


def _dice(question: str, strength: str) -> random.Random:
    """Chance that is the same for a question whenever and wherever it is asked."""
    return random.Random(f"{strength}|{question}")


def _exchanged(word: str, dice: random.Random) -> str:
    other = _ALIKE.get(word.lower())
    if other is None or dice.random() > EXCHANGED:
        return word
    other = other.replace("_", " ")
    return other[:1].upper() + other[1:] if word[0].isupper() else other


def _slipped(word: str, dice: random.Random) -> str:
    if len(word) < 4 or dice.random() > SLIPS:
        return word
    at = dice.randrange(1, len(word) - 1)
    left_out = word[:at] + word[at + 1 :]
    doubled = word[:at] + word[at] + word[at:]
    turned = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return dice.choice((left_out, doubled, turned))
