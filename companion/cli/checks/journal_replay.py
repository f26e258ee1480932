"""Replays a journal through today's rules to find rulings that differ."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from companion.core.actions import Value
from companion.core.events import Event, kind_of
from companion.core.rules import RULES_REVISION, Rules
from companion.core.view import ChairView, PlaceView, Sentence, View
from companion.referee.dry_run import check_journal, rejudge_entry
from companion.referee.game_log import hidden_state, wording_state
from companion.referee.journal import Entry, Header, MemoryJournal, replay_state
from companion.referee.journal.valid_entries import MISFIT_ERRORS, describe_error, misfit_error
from companion.referee.referee import NotCorrectableError, Referee, amendment_sentence

OpenCard = tuple[str, str]
"""A place, and a face that lies open there."""
MAX_CACHED_VIEWS = 1000
"""Views that are kept for when the same state comes again."""
HIDDEN_LABEL = "hidden"
FACELESS_PREFIXES = ("back:", "actor:")
"""What is there is no face."""
FACELESS_ARGUMENTS = frozenset({"chair", "bot", "count", "number"})
"""Parts of a headline that name no face in any game, where its entry stands."""


class ReplayStep(Value, frozen=True):
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
    return replay_state(rules, header.setup.with_options(rules.options), entries)


def replay_steps(
    rules: Rules[Any],
    header: Header,
    entries: Sequence[Entry[Event]],
    *,
    looked: Callable[[int], None] = lambda _: None,
) -> Iterator[ReplayStep]:
    """Every entry, judged again on the journal's own past.

    Of an unfinished game only what may be shown at its end is shown: a face that is hidden again is named by
    its place. For that all is looked through before the first step; `looked` is called with how many.
    `JournalError` names the first line that no table could come to.
    """
    try:
        yield from _replay_steps(rules, header, entries, looked)
    except MISFIT_ERRORS as error:
        check_journal(rules, header, entries)
        raise misfit_error(error, len(entries) - 1) from error


def _replay_steps(
    rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]], looked: Callable[[int], None]
) -> Iterator[ReplayStep]:
    whole = Referee(rules, MemoryJournal(header, entries))
    glimpse = None if rules.is_open(whole.state) else rules.view(whole.state)
    stands = {one.seq: one.events for one in whole.standing_entries()}
    since = {} if glimpse is None else find_open_since(whole, glimpse, looked)
    referee = Referee(rules, MemoryJournal(header))
    seen = lru_cache(MAX_CACHED_VIEWS)(rules.view)  # equal states are shown in the same way
    for entry in entries:
        refused = False
        try:
            judged = rejudge_entry(referee, entry)
            why = ""
        except MISFIT_ERRORS as error:
            refused = isinstance(error, NotCorrectableError)  # what lies hidden cannot be corrected any more
            judged, why = None, f"it can't be judged{f' ({error})' if refused else describe_error(error)}"
        older = header.rules < RULES_REVISION and judged != entry and (judged is not None or refused)
        if judged != entry:
            why = why or _describe_difference(judged, entry)
        referee.append_entry(entry)  # the journal's own past, so that one difference is reported once
        standing = stands.get(entry.seq) is entry.events
        rulings = [amendment_sentence(entry)]
        for event in referee.new_events(entry):
            where = wording_state(whole, entry.seq, event) if standing else hidden_state(whole, entry.seq)
            rulings.append(rules.sentence(where, event, log=True))
        view = seen(referee.state)
        if glimpse is not None:
            lay = {at for at, first in since.items() if standing and first <= entry.seq}
            named = FACELESS_ARGUMENTS | rules.cardless_parts
            view = mask_hidden_faces(view, lay, named if standing else ())
        yield ReplayStep(
            seq=entry.seq,
            at=entry.cause.at,
            cause=kind_of(entry.cause),
            rulings=tuple(sentence for sentence in rulings if sentence is not None),
            view=view,
            differs=why,
            older=older,
        )


def find_open_since(
    referee: Referee[Any], glimpse: View, looked: Callable[[int], None]
) -> dict[OpenCard, int]:
    """What lies open where, and the entry since which it has lain there without a break.

    What was covered in between, and is named again, may be another card. `looked` is called with how many
    entries were looked through.
    """
    count = len(referee.journal.entries)
    seen = lru_cache(MAX_CACHED_VIEWS)(referee.rules.view)
    lying = set(_open_cards(glimpse))
    since = dict.fromkeys(lying, count)
    later: Any = None
    for seq in range(count - 1, -1, -1):
        then = referee.state_after(seq)
        if then is not later:
            there = set(_open_cards(seen(then)))
            lying = {(at, face) for at, face in lying & there if referee.lies_still(seq, at)}
            later = then
        since.update(dict.fromkeys(lying, seq))
        looked(count - seq if lying else count)
        if not lying:
            break
    return since


def _open_cards(view: View) -> Iterator[OpenCard]:
    for place in view.places:
        for face in (place.card, *place.on_top):
            yield place.region, face


def mask_hidden_faces(
    view: View, lay: Collection[OpenCard], named: Collection[str] = FACELESS_ARGUMENTS
) -> View:
    """An earlier view of an unfinished game, without the faces that have not lain there ever since.

    It is built of what names no card, so that whatever a view shows besides is not shown. `named`: the parts
    of the headline that do not either; none where the entry does not stand: then what lies in front of
    people, such as pairs, is left out, too.
    """

    def mask_card(card: str, region: str) -> str:
        blank = not card or card.startswith(FACELESS_PREFIXES)
        return card if blank or (region, card) in lay else HIDDEN_LABEL

    def mask_place(seen: PlaceView) -> PlaceView:
        on_top = tuple(mask_card(card, seen.region) for card in seen.on_top)
        return replace(seen, card=mask_card(seen.card, seen.region), on_top=on_top)

    def mask_chair(seen: ChairView) -> ChairView:
        return ChairView(
            chair=seen.chair,
            seat=seen.seat,
            lamp=seen.lamp,
            cards=seen.cards,
            tokens=seen.tokens if named else (),
            raised=seen.raised,
            asked=seen.asked,
            clock=seen.clock,
        )

    return View(
        game=view.game,
        phase=view.phase,
        headline=_keep_parts(view.headline, named),
        hint=None,
        chairs=tuple(map(mask_chair, view.chairs)),
        places=tuple(map(mask_place, view.places)),
        bots=tuple(replace(bot, tokens=bot.tokens if named else ()) for bot in view.bots),
        rows=view.rows,  # those are of tables without cards
        dark=view.dark,
        paused=view.paused,
        by_hand=view.by_hand,
        outcome=view.outcome,
    )


def _describe_difference(judged: Entry[Event] | None, entry: Entry[Event]) -> str:
    def event_kinds(ruled: Entry[Event]) -> str:
        return ", ".join(kind_of(event) for event in ruled.events) or "nothing"

    if judged is None:
        return "it undoes what this entry can't undo"
    if event_kinds(judged) != event_kinds(entry):
        return f"the journal says {event_kinds(entry)}, now it is {event_kinds(judged)}"
    return f"the same rulings with different details ({event_kinds(entry)})"


def _keep_parts(sentence: Sentence, named: Collection[str]) -> Sentence:
    """The sentence with these parts alone: the twin of an open card may be the one that lies hidden."""
    kept = tuple((name, value) for name, value in sentence.parts if name in named)
    return replace(sentence, parts=kept)
