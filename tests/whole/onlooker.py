"""Somebody who watches the table, and knows of every place what lay open there since it was last covered.

Where cards lie, and how high, everybody sees; nothing else is taken from the state, which is redacted, too.
What they are, the onlooker has only from what players say and the camera reads. No face that was covered is
remembered, and nothing is known of how the referee keeps such faces apart. So whatever the program names and
the onlooker does not know, it gave away.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.view import Sentence, View, repairable_values
from companion.games import RULES
from companion.games.dnup.rules.cards import COVERED_CARD
from companion.games.dnup.rules.cards import active_value as active
from companion.games.dnup.rules.model import area_region
from companion.games.kinapa.rules.model import CLOSED, DOWN, object_label
from companion.referee.journal import Entry

Names = frozenset[str]
NOTHING: Names = frozenset()
BLANK = ("back:", "unknown", "actor:", "hidden")


class OpenCard(NamedTuple):
    """A card, or a set of cards, that lies open."""

    place: str
    names: Names
    """What the screen shows of it."""
    is_public: bool = False
    """What lay there once is no secret, even if it is gone back to: only what is brought back is."""
    is_placed: bool = True
    """Whether another card that is read there lies higher; otherwise it covers this one in its place."""


class Known(NamedTuple):
    """What is known of one of them."""

    face: int
    """It has lain open all the time since it got this number."""
    since: int
    """The entry with which it came to lie open."""
    place: str
    names: Names


OpenCards = dict[Hashable, OpenCard]
"""By how they can be told apart: by the place, and where cards lie on cards by the height."""


def face_names(cards: Iterable[str]) -> Names:
    return frozenset(card for card in cards if card and not card.startswith(BLANK))


def _place_names(view: View) -> Mapping[str, Names]:
    return {place.region: face_names((place.card, *place.on_top)) for place in view.places}


# What lies open, of each game -------------------------------------------------------------------------------


def kabuki_cards(state: Any, view: View) -> OpenCards:
    shown = _place_names(view)
    cards: OpenCards = {("show", state.round, state.placed): OpenCard("show", shown["show"])}
    heights = [len(stack) for stack in state.stacks]
    for stack, height in enumerate(heights, 1):
        if height:
            cards[stack, height] = OpenCard(f"stack:{stack}", shown[f"stack:{stack}"])
    for here in state.misplaced:
        lies = OpenCard(f"stack:{here.stack}", NOTHING, is_placed=False)
        cards[here.stack, heights[here.stack - 1] + 1] = lies
    for above, here in enumerate((state.pending.placement, state.pending.upper), 1):
        if here is not None:  # what the screen shows is the highest
            place, height = f"stack:{here.stack}", heights[here.stack - 1] + above
            if (here.stack, height - 1) in cards:
                cards[here.stack, height - 1] = cards[here.stack, height - 1]._replace(names=NOTHING)
            cards[here.stack, height] = OpenCard(place, shown[place], is_placed=False)
    checked = [names for place, names in shown.items() if place.startswith("shown:")]
    if checked:
        cards["shown", state.stop.number] = OpenCard("shown", NOTHING.union(*checked))
    return cards


def kinapa_cards(state: Any, view: View) -> OpenCards:
    shown = _place_names(view)
    cards: OpenCards = {
        slot: OpenCard(f"slot:{slot}", shown[f"slot:{slot}"], lying.lies is CLOSED)
        for slot, lying in enumerate(state.slots, 1)
        if lying.lies is not DOWN
    }
    if state.phase == "placing" and not state.turn.slot:
        cards[0] = OpenCard("slot:0", frozenset({f"object:{state.turn.label}"}))
    return cards


def dnup_cards(state: Any, view: View) -> OpenCards:
    """Until the next deal the sets lie there, shown or not."""
    shown = _place_names(view)
    lie = {area_region(at) for at, area in enumerate(state.areas) if area.cards}
    lie |= {place.region for place in view.places if place.card}
    return {place: OpenCard(place, shown.get(place, NOTHING)) for place in sorted(lie)}


def kobayakawa_cards(state: Any, view: View) -> OpenCards:
    """Until the next deal the cards of a round lie there, shown or not."""
    cards: OpenCards = {}
    if state.opened:
        cards["opened", state.round, len(state.opened)] = OpenCard(
            "kobayakawa", face_names([view.card]), True
        )
    for seat, (hand, chair) in enumerate(zip(state.hands, view.chairs, strict=True)):
        shown = {token.kind: str(token.value).lstrip("×").partition("+")[0] for token in chair.tokens}
        lie = (("discard", "discard", hand.discard >= 0), ("shown", "hand", hand.shown > 0))
        for kind, place in ((kind, place) for kind, place, lies in lie if lies):
            names = face_names([f"number:{shown[kind]}"] if shown.get(kind, "?") != "?" else [])
            cards[kind, state.round, seat] = OpenCard(f"{place}:{state.field_of_seat(seat)}", names, True)
    return cards


OPEN_CARDS: Mapping[str, Callable[[Any, View], OpenCards]] = {
    "kabuki": kabuki_cards,
    "kinapa": kinapa_cards,
    "dnup": dnup_cards,
    "kobayakawa": kobayakawa_cards,
}


# What is said and seen --------------------------------------------------------------------------------------


def statements(game: str, state: Any, cause: Any) -> Iterator[tuple[str, Names]]:
    """Places, and what is said or read to lie there; `state`: in which it was."""
    match cause:
        case ob.TableSeen():
            for seen in cause.regions:
                read = _reading(face.card for face in seen.faces)
                if read or not seen.faces:  # what cannot be read tells nothing
                    yield seen.name, read
                if seen.name in {"audit", "show"} and getattr(state, "stop", None) is not None:
                    yield f"stack:{state.stop.stack}", face_names(face.card for face in seen.faces)
                    yield "shown", face_names(face.card for face in seen.faces)
        case ob.HandShown() if game == "kobayakawa" and 0 <= cause.seat < state.players:
            yield f"hand:{state.field_of_seat(cause.seat)}", face_names(face.card for face in cause.faces)
        case ob.TableDeclared():
            yield from _of_repair(game, cause.table)
        case ob.ActionDeclared():
            yield from _of_action(game, state, cause.action)
        case ob.ButtonPressed() | ob.ButtonReleased() | ob.ButtonHeld():
            chosen = RULES[game].press_meaning(state, cause)
            if isinstance(chosen, Action):
                yield from _of_action(game, state, chosen)


def _reading(cards: Iterable[str]) -> Names:
    """What was read, whichever way it lies; one card of a pair tells of the other."""
    read = face_names(cards)
    turned = {f"{card}@180" for card in read}
    values = {f"value:{value}" for card in read if card.startswith("pair:") for value in _values(card)}
    pairs = {f"{kind}:{card.partition(':')[2]}" for card in read for kind in ("animal", "shelter")}
    return (
        read
        | turned
        | values
        | (pairs if any(card[:6] in {"animal", "shelte"} for card in read) else NOTHING)
    )


def _values(card: str) -> list[str]:
    return ["".join(filter(str.isdigit, value)) for value in card.partition(":")[2].split("-")]


def _of_repair(game: str, table: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Names]]:
    for name, value in table:
        kind, _, place = name.partition(":")
        match game, kind:
            case "kobayakawa", "number" if value:
                yield "kobayakawa", frozenset({f"number:{value}"})
            case "dnup", "value" if value:
                yield area_region(int(place)), frozenset({f"value:{value}"})
            case "kinapa", "slot" if value:
                pair = {f"{kind}:{value}" for kind in ("animal", "shelter")}
                yield name, frozenset({f"object:{object_label(int(value))}", *pair})


def _of_action(game: str, state: Any, action: Action) -> Iterator[tuple[str, Names]]:
    what, _, where = str(action.value).partition("@")
    match game, action.verb:
        case "kabuki", "place" | "name" if where:
            yield f"stack:{where}", frozenset({f"mask:{what}"})
        case "kabuki", "show":
            yield "show", frozenset({f"mask:{what}"})
        case "kinapa", "turn":
            yield f"slot:{where or 0}", frozenset({f"object:{what}"})
        case "kinapa", "place":
            pair = frozenset(f"{kind}:{what}" for kind in ("animal", "shelter"))
            for slot in range(len(state.slots) + 1):
                yield f"slot:{slot}", pair
        case "kobayakawa", "kobayakawa":
            yield "kobayakawa", frozenset({f"number:{what}"})
        case "kobayakawa", "discard" | "show" if 0 <= action.seat < state.players:
            place = {"discard": "discard", "show": "hand"}[action.verb]
            yield f"{place}:{state.field_of_seat(action.seat)}", frozenset({f"number:{what}"})
        case "dnup", "play" | "value":
            yield area_region(state.area), frozenset({f"value:{what.partition('x')[2] or what}"})
        case "dnup", "add" if what.isdecimal() and 0 < int(what) <= len(state.areas):
            lying = state.areas[int(what) - 1].cards  # what is added is of their value, if that is known
            known = {f"value:{active(card)}" for card in lying if card != COVERED_CARD}
            yield area_region(int(what) - 1), frozenset(known)


MOVES: Mapping[str, Callable[[str, str], bool]] = {
    "kabuki": lambda one, other: one == "show" and other.startswith("stack:"),
    "kinapa": lambda one, other: one == "slot:0" and other.startswith("slot:"),
    "dnup": lambda one, other: False,
    "kobayakawa": lambda one, other: False,
}
"""From where to where a card is carried in everybody's sight."""


def _is_covered(known: Known, cause: Any) -> bool:
    """Whether another card, or a back, is read where this one lay."""
    tops = [
        seen.faces[-1].card
        for seen in (cause.regions if isinstance(cause, ob.TableSeen) else ())
        if seen.name == known.place and seen.faces
    ]
    return bool(known.names) and any(top != ob.UNKNOWN and top not in known.names for top in tops)


class Onlooker:
    """What one of them knows, entry by entry."""

    def __init__(self, game: str) -> None:
        self.game = game
        self.known: dict[Hashable, Known] = {}
        self.causes: list[Any] = []
        self.before: list[dict[Hashable, Known]] = []
        """What was known before each entry."""
        self.seen: dict[str, Names] = {}
        """What was seen or said of a place and may not be ruled on yet."""
        self.last: dict[str, int] = {}
        """With which entry."""
        self.ever: dict[str, Names] = {}
        """What was ever seen or said there."""
        self._numbers = count()

    def watch(self, entry: Entry[Any], then: Any, now: Any, view: View) -> None:
        """An entry was ruled; raises `AssertionError` if its view shows what the onlooker does not know.

        `then`: the redacted state in which its cause was seen or said; `now`: the one that it led to.
        """
        self.before.append(self.known)
        cause = entry.cause.truth if isinstance(entry.cause, ob.CorrectionRequested) else entry.cause
        heard: dict[str, Names] = {}
        self.causes.append(entry.cause)
        later = self.causes[entry.corrects :] if entry.corrects is not None else []
        again = (one for one in later if isinstance(one, ob.TableDeclared))  # it is put right once more
        for place, names in (said for one in (cause, *again) for said in statements(self.game, then, one)):
            heard[place] = heard.get(place, NOTHING) | names
            self.ever[place] = self.ever.get(place, NOTHING) | names
        cards = OPEN_CARDS[self.game](now, view)
        if entry.retracts is not None:
            known = dict(self._gone_back(entry, cards))
        elif entry.corrects is not None:
            known = dict(self._corrected(entry, cards, heard))
        else:
            adds = not isinstance(entry.cause, ob.TableSeen) or any(
                not face_names([face.card]) for seen in entry.cause.regions for face in seen.faces
            )  # a card that cannot be read may be one that was read before
            self.last |= dict.fromkeys(heard, entry.seq)
            self.seen |= {
                place: names | self.seen.get(place, NOTHING) if adds else names
                for place, names in heard.items()
            }
            known = dict(self._gone_on(entry, cards))
        for at, card in cards.items():
            strange = card.names - known[at].names
            assert not strange, (
                f"{card.place} shows {sorted(strange)} after {entry.cause}; known is {known[at]}"
            )
        gone = {one.place for at, one in self.known.items() if known.get(at) != one}
        if entry.retracts is not None:
            for place in gone & self.seen.keys():
                if self.last[place] >= entry.retracts:
                    del self.seen[place]
        self.known = known

    def _gone_on(self, entry: Entry[Any], cards: OpenCards) -> Iterator[tuple[Hashable, Known]]:
        carried: dict[str, Names] = {}
        for one in self.known.values():
            carried[one.place] = carried.get(one.place, NOTHING) | one.names
        shows = {card.place for card in cards.values() if card.names}
        for at, card in cards.items():
            stays_public = card.place == "kobayakawa"
            new = (self.ever if stays_public else self.seen).get(card.place, NOTHING)
            old = self.known.get(at)
            moves = {place: names for place, names in carried.items() if MOVES[self.game](place, card.place)}
            if old is not None and not card.is_placed and _is_covered(old, entry.cause):
                yield at, Known(next(self._numbers), entry.seq, card.place, new)
                continue
            if old is not None:  # what lay wrong there may turn out to be the card that left its place now
                came = (names for place, names in moves.items() if place not in shows)
                yield at, old._replace(place=card.place, names=old.names.union(new, *came))
                continue
            moved = moves.values()
            yield at, Known(next(self._numbers), entry.seq, card.place, new.union(*moved))

    def _gone_back(self, entry: Entry[Any], cards: OpenCards) -> Iterator[tuple[Hashable, Known]]:
        assert entry.retracts is not None
        before = self.before[entry.retracts]
        lie_open = {one.face for one in self.known.values()}
        cause = entry.cause
        redo = isinstance(cause, ob.UndoRequested) and cause.redo
        for at, card in cards.items():
            was = before.get(at)
            if was is not None and (was.face in lie_open or (card.is_public and not redo)):
                yield at, was
            else:
                yield at, Known(next(self._numbers), entry.seq, card.place, NOTHING)

    def _corrected(
        self, entry: Entry[Any], cards: OpenCards, heard: Mapping[str, Names]
    ) -> Iterator[tuple[Hashable, Known]]:
        """The cards lie as they lay; only what is believed of them is another."""
        for at, card in cards.items():
            here = [one for where, one in self.known.items() if one.place == card.place]
            lies = self.known.get(at) or next(iter(here), None)
            new = (self.ever if card.is_public else heard).get(card.place, NOTHING)
            new |= self.seen.get(card.place, NOTHING)
            if lies is None:
                yield at, Known(next(self._numbers), entry.seq, card.place, new)
            else:
                yield at, lies._replace(place=card.place, names=lies.names | new)

    # What else may be named -------------------------------------------------------------------------------

    def public(self) -> Names:
        """All that can be seen, and what was said last of each place."""
        return NOTHING.union(*(one.names for one in self.known.values()), *self.seen.values())

    def menu_names(self, view: View) -> Iterator[str]:
        """The unknown faces with which *Correct the game* begins."""
        for _, names in _of_repair(self.game, repairable_values(view)):
            if not names & self.public():
                yield from names

    def names(self, sentence: Sentence | None) -> Iterator[str]:
        """The unknown faces that a sentence names."""
        for part, value in () if sentence is None else sentence.parts:
            card = {"mask": f"mask:{value}", "label": f"object:{value}"}.get(part)
            if card is not None and value and card not in self.public():
                yield card

    def log_names(self, seq: int, sentence: Sentence) -> Iterator[str]:
        """The faces that an older ruling is told to have face_names, and that do not lie there since."""
        parts = dict(sentence.parts)
        for what, kind, where in (("mask", "mask", "stack"), ("label", "object", "slot")):
            if parts.get(what) and where in parts:
                card, place = f"{kind}:{parts[what]}", f"{where}:{parts[where]}"
                here = (one for one in self.known.values() if one.place == place)
                if not any(card in one.names and one.since <= seq for one in here):
                    yield f"{card} on {place}"
