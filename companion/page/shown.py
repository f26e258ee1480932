"""What a browser gets, in its language: the table's keys and numbers as words, pictures by address."""

from collections.abc import Collection
from typing import Any

import msgspec

from companion.core.exhibits import Finish
from companion.core.view import SAID_ONLY, BotView, PlaceView, Sentence, Token
from companion.doors.messages import Count, FromTable, Lesson, Line, Person, Photo, View
from companion.ui.language import Language
from companion.ui.tokens import tokens

Shown = dict[str, Any]
_encode = msgspec.json.Encoder().encode


def as_json(message: FromTable, words: Language, art: Collection[str]) -> bytes | None:
    """A message of the table as a browser gets it (JSON); None where it is none of a watcher's business.

    `art` has the name of every picture that can be fetched (`/art/NAME`).
    """
    match message:
        case View():
            shown: Shown = _table(message, words, art)
        case Line():
            shown = {"type": "line", "seq": message.seq, "text": words.text(message.sentence)}
        case Count():
            shown = {"type": "count", "beat": message.beat, "beats": message.beats}
        case Photo():
            friendly = message.finish is not None and message.finish.friendly
            said = words.tr("shared.friendly") if friendly else ""
            shown = {"type": "finish", "rows": _finish(message.finish, words), "say": said}
        case Lesson():
            card = message.guidance
            text = [] if card is None else [_text(card.title, words), _text(card.say, words)]
            shown = {"type": "lesson", "text": text}
        case _:
            return None
    return _encode(shown)


def _text(sentence: Sentence | None, words: Language) -> str:
    return "" if sentence is None else words.text(sentence)


def _table(view: View, words: Language, art: Collection[str]) -> Shown:
    if not view.game:
        return {"type": "table", "game": "", "headline": words.tr("ui.page.waiting")}
    headline, say = _text(view.headline, words), _text(view.say, words)
    named = dict(view.headline.parts).get("chair") if view.headline else None
    everybody = all(person.asked for person in view.people)
    return {
        "type": "table",
        "seq": view.seq,
        "game": words.tr(f"{view.game}.name"),
        "headline": words.tr("ui.paused") if view.paused else headline,
        "hint": _text(view.hint, words),
        "say": "" if say.rstrip(".") == headline.rstrip(".") else say,
        "broken": view.say is not None and ".rule." in view.say.key,
        "unsaved": words.tr("shared.alarm.storage.lost") if view.unsaved else "",
        "people": [
            _person(one, view, words, art, asked=one.asked and (named == one.chair or not everybody))
            for one in view.people
        ],
        "bots": [_bot(one, words, art) for one in view.bots],
        "places": [_place(one, art) for one in view.places if one.chair is None],
        "card": _card(view.card, art) if view.card else None,
        "heaps": [
            {
                "words": words.tr(heap.words, count=heap.count),
                "count": heap.count,
                "art": _motif(heap.kind, art),
            }
            for heap in view.heaps
        ],
        "decided": [_card(one, art) for one in view.decided],
        "counting": None
        if view.counting is None
        else {"number": view.counting.number, "beats": view.counting.beats},
        "won": [] if view.outcome is None else list(view.outcome.winners),
        "over": view.outcome is not None,
    }


def _person(one: Person, view: View, words: Language, art: Collection[str], *, asked: bool) -> Shown:
    seat = next(seat for seat in tokens().seats if seat.name == view.colours[one.chair])
    return {
        "chair": one.chair,
        "name": words.chair(one.chair),
        "colour": seat.name,
        "shape": seat.shape,
        "hand": one.cards,
        "hand_said": words.tr("ui.page.hand", cards=one.cards) if one.cards else "",
        "tokens": [_token(token, art) for token in one.tokens],
        "raised": one.raised,
        "asked": asked,
        "choices": [
            {"text": words.text(choice.label), "press": choice.press, "marked": choice.marked}
            for choice in one.choices
        ],
        "note": _text(one.note, words),
        "places": [_place(place, art) for place in view.places if place.chair == one.chair and place.card],
    }


def _bot(one: BotView, words: Language, art: Collection[str]) -> Shown:
    return {
        "name": words.bot(-1 if one.owner is None else one.owner),
        "hand": one.cards,
        "tokens": [_token(token, art) for token in one.tokens],
        "asked": one.asked,
        "says": _text(one.says, words),
    }


def _token(token: Token, art: Collection[str]) -> Shown:
    value = "" if token.value is None else str(token.value)
    motif = _motif(token.motif or token.kind, art)
    return {"art": motif, "count": token.count, "value": value, "chip": token.chip.value}


def _motif(name: str, art: Collection[str]) -> str:
    return f"/art/{name}" if name in art else ""


def _place(place: PlaceView, art: Collection[str]) -> Shown:
    return {
        "spot": place.spot.value,
        "number": place.number,
        "card": _card(place.card, art) if place.card else None,
        "on_top": [_card(one, art) for one in place.on_top],
        "marked": place.marked or place.active,
    }


def _card(card: str, art: Collection[str]) -> Shown:
    """A card by its id (`object:5-6`, `pair:1-7@180`, `back:blue`, `value:7`)."""
    name, _, turned = card.partition("@")
    label = "" if name.startswith("back:") else name.partition(":")[2]
    return {
        "art": f"/art/{name}" if name in art and not name.startswith(SAID_ONLY) else "",
        "label": label,
        "back": name.startswith("back:"),
        "turned": int(turned) if turned.isdigit() else 0,
    }


def _finish(finish: Finish | None, words: Language) -> list[Shown]:
    """Every press of a race in its order, ms after the first that could count."""
    if finish is None:
        return []
    return [
        {
            "name": words.chair(one.chair),
            "ms": round((one.at - finish.zero) / 1000),
            "counts": one.verdict == "counts",
        }
        for one in finish.presses
    ]
