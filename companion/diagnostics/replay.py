"""Judges a journal's causes again and compares with what it says was ruled."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from companion.core.actions import Value
from companion.core.events import Event, kind_of
from companion.core.rules import REVISION, Rules
from companion.core.view import ChairView, PlaceView, Sentence, View
from companion.referee.acceptance import accepted, judged_now
from companion.referee.game_log import worded_in
from companion.referee.journal import Entry, Header, MemoryJournal, replay
from companion.referee.journal.line import UNFIT, said_of, unfit
from companion.referee.referee import NotCorrectable, Referee, mending

Lying = tuple[str, str]
"""A place, and a face that lies open there."""
MOST_LOOKS = 1000
"""Views that are kept for when the same state comes again."""
HIDDEN = "hidden"
BLANK = ("back:", "actor:")
"""What is there is no face."""
FACES = frozenset({"label", "card", "face"})
"""Parts of a sentence that name a face."""


class Step(Value, frozen=True):
    """One entry, judged again."""

    seq: int
    at: int
    cause: str
    rulings: tuple[Sentence, ...]
    view: View
    differs: str = ""
    """What was ruled otherwise, by the kinds of the events."""
    older: bool = False
    """The game began under older rules, and by these it was ruled so."""


def final_state(rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]) -> Any:
    """The state a journal folds to; `JournalError` names the line that fits no game."""
    return replay(rules, header.setup.under(rules.options), entries)


def steps(
    rules: Rules[Any],
    header: Header,
    entries: Sequence[Entry[Event]],
    *,
    looked: Callable[[int], None] = lambda _: None,
) -> Iterator[Step]:
    """Every entry, judged again on the journal's own past.

    Of an unfinished game only what may be shown at its end is shown: a face that is hidden again is named by
    its place. For that all is looked through before the first step; `looked` is called with how many.
    `JournalError` names the first line that no table could come to.
    """
    try:
        yield from _steps(rules, header, entries, looked)
    except UNFIT as error:
        accepted(rules, header, entries)
        raise unfit(error, len(entries) - 1) from error


def _steps(
    rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]], looked: Callable[[int], None]
) -> Iterator[Step]:
    whole = Referee(rules, MemoryJournal(header, entries))
    glimpse = None if rules.is_open(whole.state) else rules.view(whole.state)
    nothing = rules.initial_state(header.setup.under(rules.options))
    stands = {one.seq: one.events for one in whole.standing()}
    since = {} if glimpse is None else lying_since(whole, glimpse, looked)
    referee = Referee(rules, MemoryJournal(header))
    seen = lru_cache(MOST_LOOKS)(rules.view)  # equal states are shown in the same way
    for entry in entries:
        refused = False
        try:
            judged = judged_now(referee, entry)
            why = ""
        except UNFIT as error:
            refused = isinstance(error, NotCorrectable)  # what lies hidden cannot be corrected any more
            judged, why = None, f"it can't be judged{f' ({error})' if refused else said_of(error)}"
        older = header.rules < REVISION and judged != entry and (judged is not None or refused)
        if judged != entry:
            why = why or _difference(judged, entry)
        referee.adopt(entry)  # the journal's own past, so that one difference is reported once
        kept = glimpse is None or stands.get(entry.seq) is entry.events
        rulings = [mending(entry)]
        for event in referee.news(entry):
            where = worded_in(whole, entry.seq, event) if kept else nothing
            rulings.append(rules.sentence(where, event, log=True))
        view = seen(referee.state)
        if glimpse is not None:
            lay = {at for at, first in since.items() if kept and first <= entry.seq}
            view = masked(view, lay)
        if not kept:  # numbers stand on tokens too
            bare = tuple(replace(chair, tokens=()) for chair in view.chairs)
            view = replace(view, chairs=bare, card="", headline=Sentence(view.headline.key))
        yield Step(
            seq=entry.seq,
            at=entry.cause.at,
            cause=kind_of(entry.cause),
            rulings=tuple(sentence for sentence in rulings if sentence is not None),
            view=view,
            differs=why,
            older=older,
        )


def lying_since(referee: Referee[Any], glimpse: View, looked: Callable[[int], None]) -> dict[Lying, int]:
    """What lies open where, and the entry since which it has lain there without a break.

    What was covered in between, and is named again, may be another card. `looked` is called with how many
    entries were looked through.
    """
    count = len(referee.journal.entries)
    seen = lru_cache(MOST_LOOKS)(referee.rules.view)
    lying = set(_lying(glimpse))
    since = dict.fromkeys(lying, count)
    later: Any = None
    for seq in range(count - 1, -1, -1):
        then = referee.state_after(seq)
        if then is not later:
            there = set(_lying(seen(then)))
            lying = {(at, face) for at, face in lying & there if referee.lies_still(seq, at)}
            later = then
        since.update(dict.fromkeys(lying, seq))
        looked(count - seq if lying else count)
        if not lying:
            break
    return since


def _lying(view: View) -> Iterator[Lying]:
    for place in view.places:
        for face in (place.card, *place.on_top):
            yield place.region, face


def masked(view: View, lay: Collection[Lying]) -> View:
    """An earlier view of an unfinished game, without the faces that have not lain there ever since."""

    def face(card: str, region: str) -> str:
        blank = not card or card.startswith(BLANK)
        return card if blank or (region, card) in lay else HIDDEN

    def place(seen: PlaceView) -> PlaceView:
        on_top = tuple(face(card, seen.region) for card in seen.on_top)
        return replace(seen, card=face(seen.card, seen.region), on_top=on_top)

    def chair(seen: ChairView) -> ChairView:
        return replace(seen, choices=(), note=_faceless(seen.note))

    headline = _faceless(view.headline)  # the same words may be about another card now
    assert headline is not None
    return replace(
        view,
        headline=headline,
        hint=_faceless(view.hint),
        chairs=tuple(map(chair, view.chairs)),
        places=tuple(map(place, view.places)),
        shared=(),
        fields=(),
    )


def _difference(judged: Entry[Event] | None, entry: Entry[Event]) -> str:
    def kinds(ruled: Entry[Event]) -> str:
        return ", ".join(kind_of(event) for event in ruled.events) or "nothing"

    if judged is None:
        return "it undoes what this entry can't undo"
    if kinds(judged) != kinds(entry):
        return f"the journal says {kinds(entry)}, now it is {kinds(judged)}"
    return f"the same rulings with different details ({kinds(entry)})"


def _faceless(sentence: Sentence | None) -> Sentence | None:
    """The sentence without any face: the twin of an open card may be the one that lies hidden."""
    if sentence is None:
        return None
    kept = tuple((name, value) for name, value in sentence.parts if name not in FACES)
    return replace(sentence, parts=kept)
