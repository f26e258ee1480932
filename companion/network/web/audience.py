"""Fan-out of the table's messages to watching browsers, worded once for each language, and their sending."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection
from contextlib import suppress
from functools import lru_cache
from typing import Any

import anyio
import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.core.actions import PALETTE
from companion.core.clock import monotonic_ns
from companion.core.exhibits import PhotoFinish
from companion.core.view import VALUE_ONLY_PREFIX, BotView, PlaceView, Sentence, Token
from companion.language.language import Language, table_title
from companion.network.messages import (
    ChairHolders,
    CountBeat,
    FromTable,
    GuidanceMessage,
    PhotoFinishMessage,
    PublicCell,
    PublicChair,
    PublicClock,
    RulingMessage,
    TableHello,
    TableSnapshot,
)
from companion.network.web.guard import BrowserWarnings
from companion.ui.toolkit.theme import load_design_tokens

JsonObject = dict[str, Any]
_encode = msgspec.json.Encoder().encode


def to_json(message: FromTable, words: Language, art: Collection[str]) -> bytes | None:
    """A message of the table as a browser gets it (JSON); None where it is none of a watcher's business.

    `art` has the name of every picture that can be fetched (`/art/NAME`).
    """
    match message:
        case TableSnapshot():
            as_json: JsonObject = _table_json(message, words, art)
        case RulingMessage():
            as_json = {"type": "line", "seq": message.seq, "text": words.text(message.sentence)}
        case CountBeat():
            as_json = {"type": "count", "beat": message.beat, "beats": message.beats}
        case PhotoFinishMessage():
            friendly = message.finish is not None and message.finish.friendly
            said = words.tr("shared.friendly") if friendly else ""
            as_json = {"type": "finish", "rows": _finish_json(message.finish, words), "say": said}
        case GuidanceMessage():
            card = message.guidance
            text = (
                [] if card is None else [_sentence_text(card.title, words), _sentence_text(card.say, words)]
            )
            as_json = {"type": "lesson", "text": text}
        case _:
            return None
    return _encode(as_json)


def _sentence_text(sentence: Sentence | None, words: Language) -> str:
    return "" if sentence is None else words.text(sentence)


def _table_json(view: TableSnapshot, words: Language, art: Collection[str]) -> JsonObject:
    if not view.game:
        return {"type": "table", "game": "", "headline": words.tr("ui.page.waiting")}
    headline, say = _sentence_text(view.headline, words), _sentence_text(view.say, words)
    named = dict(view.headline.parts).get("chair") if view.headline else None
    everybody = all(person.asked for person in view.people)
    return {
        "type": "table",
        "seq": view.seq,
        "game": words.tr(f"{view.game}.name"),
        "headline": words.tr("ui.paused") if view.paused else headline,
        "paused": view.paused,
        "hint": _sentence_text(view.hint, words),
        "say": "" if say.rstrip(".") == headline.rstrip(".") else say,
        "broken": view.say is not None and ".rule." in view.say.key,
        "unsaved": _sentence_text(view.why_unsaved, words),
        "people": [
            _person_json(one, view, words, art, asked=one.asked and (named == one.chair or not everybody))
            for one in view.people
        ],
        "bots": [_bot_json(one, words, art) for one in view.bots],
        "places": [_place_json(one, art) for one in view.places if one.chair is None],
        "card": _card_json(view.card, art) if view.card else None,
        "heaps": [
            {
                "words": words.tr(heap.words, count=heap.count),
                "count": heap.count,
                "art": _picture_address(heap.kind, art),
            }
            for heap in view.heaps
        ],
        "decided": [_card_json(one, art) for one in view.decided],
        "rows": [[_cell_json(one, view, words, art) for one in row] for row in view.rows],
        "number": dict(view.headline.parts).get("number") if view.headline else None,
        "counting": None
        if view.counting is None
        else {"number": view.counting.number, "beats": view.counting.beats},
        "won": [] if view.outcome is None else list(view.outcome.winners),
        "over": view.outcome is not None,
    }


def _person_json(
    one: PublicChair, view: TableSnapshot, words: Language, art: Collection[str], *, asked: bool
) -> JsonObject:
    return {
        **_chair_json(one.chair, view),
        "name": words.chair_name(one.chair),
        "hand": one.cards,
        "hand_said": words.tr("ui.page.hand", cards=one.cards) if one.cards else "",
        "tokens": [_token_json(token, words, art) for token in one.tokens],
        "raised": one.raised,
        "asked": asked,
        "choices": [
            {"text": words.text(choice.label), "press": choice.press, "marked": choice.marked}
            for choice in one.choices
        ],
        "note": _sentence_text(one.note, words),
        "clock": _clock_json(one.clock),
        "places": [
            _place_json(place, art) for place in view.places if place.chair == one.chair and place.card
        ],
    }


def _chair_json(chair: int, view: TableSnapshot) -> JsonObject:
    seat = next(seat for seat in load_design_tokens().seats if seat.name == view.colours[chair])
    return {"chair": chair, "colour": seat.name, "shape": seat.shape}


def _clock_json(clock: PublicClock | None) -> JsonObject | None:
    """What it shows as this is sent, in milliseconds, and whether it goes on."""
    if clock is None:
        return None
    gone = 0 if clock.since_ns is None else max(0, monotonic_ns() - clock.since_ns) // 1000
    reading = max(0, clock.reading - gone) if clock.whole else clock.reading + gone
    return {"reading": reading // 1000, "runs": clock.since_ns is not None, "whole": clock.whole // 1000}


def _cell_json(one: PublicCell, view: TableSnapshot, words: Language, art: Collection[str]) -> JsonObject:
    picture = _picture_address(one.motif, art)
    value = one.value if one.value is not None or picture else one.motif.partition(":")[2] or None
    return {
        "who": None if one.chair is None else _chair_json(one.chair, view),
        "art": picture,
        "words": _sentence_text(one.words, words),
        "value": None if value is None else str(value),
        "lit": one.lit,
        "clock": _clock_json(one.clock),
    }


def _bot_json(one: BotView, words: Language, art: Collection[str]) -> JsonObject:
    return {
        "name": words.bot_name(-1 if one.owner is None else one.owner),
        "hand": one.cards,
        "tokens": [_token_json(token, words, art) for token in one.tokens],
        "asked": one.asked,
        "says": _sentence_text(one.says, words),
    }


def _token_json(token: Token, words: Language, art: Collection[str]) -> JsonObject:
    value = _sentence_text(token.said, words) or ("" if token.value is None else str(token.value))
    motif = _picture_address(token.motif or token.kind, art)
    return {"art": motif, "count": token.count, "value": value, "chip": token.chip.value}


def _picture_address(name: str, art: Collection[str]) -> str:
    return f"/art/{name}" if name in art else ""


def _place_json(place: PlaceView, art: Collection[str]) -> JsonObject:
    return {
        "spot": place.spot.value,
        "number": place.number,
        "card": _card_json(place.card, art) if place.card else None,
        "on_top": [_card_json(one, art) for one in place.on_top],
        "marked": place.marked or place.active,
    }


def _card_json(card: str, art: Collection[str]) -> JsonObject:
    """A card by its id (`object:5-6`, `pair:1-7@180`, `back:blue`, `value:7`)."""
    name, _, turned = card.partition("@")
    label = "" if name.startswith("back:") else name.partition(":")[2]
    return {
        "art": f"/art/{name}" if name in art and not name.startswith(VALUE_ONLY_PREFIX) else "",
        "label": label,
        "back": name.startswith("back:"),
        "turned": int(turned) if turned.isdigit() else 0,
    }


def _finish_json(finish: PhotoFinish | None, words: Language) -> list[JsonObject]:
    """Every press of a race in its order, ms after the first that could count."""
    if finish is None:
        return []
    return [
        {
            "chair": one.chair,
            "name": words.chair_name(one.chair),
            "ms": round((one.at - finish.zero_time) / 1000),
            "counts": one.verdict == "counts",
        }
        for one in finish.presses
    ]


MAX_WATCHERS = 48
"""Browsers at a time; who comes later reads that it is full."""
MAX_QUEUED_MESSAGES = 64
"""Messages that wait for one browser; a slower one is let go and comes back."""

AWAY_MESSAGE = msgspec.json.encode({"type": "away"})


@lru_cache(maxsize=8)
def _language(code: str, colours: tuple[str, ...]) -> Language:
    return Language(code, colours)


class BrowserWatcher:
    """One browser: its language, and what waits for it."""

    def __init__(self, code: str, address: str = "") -> None:
        self.code = code
        self.address = address
        """Where it is; empty: it is never told why it was cut off."""
        self.waiting: asyncio.Queue[bytes] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self.slow = asyncio.Event()
        self.unread = False
        """Whether it is let go because it does not read."""

    def queue_line(self, line: bytes) -> None:
        """One that reads too slowly is let go."""
        try:
            self.waiting.put_nowait(line)
        except asyncio.QueueFull:
            self.unread = True
            self.slow.set()


class Audience:
    """Between the one table and its watchers."""

    def __init__(self, art: Collection[str]) -> None:
        self.art = art
        self._watchers: set[BrowserWatcher] = set()
        self._standing: dict[type, FromTable] = {}
        self._colours: tuple[str, ...] = PALETTE
        self._name = ""
        """What the table is called; it is kept while the table is away."""
        self.table_there = False
        self.remarks = BrowserWarnings()

    @property
    def full(self) -> bool:
        return len(self._watchers) >= MAX_WATCHERS

    def add_watcher(self, code: str, address: str = "") -> BrowserWatcher:
        """A browser watches from now on; what stands is sent at once, and why it had been cut off."""
        watcher = BrowserWatcher(code, address)
        if not self.table_there:
            watcher.waiting.put_nowait(AWAY_MESSAGE)
        for message in self._standing.values():
            if (line := self._encode_for(message, code)) is not None:
                watcher.waiting.put_nowait(line)
        if (why := self.remarks.take_cut_off_reason(address)) is not None:
            text = self.language_for(code).tr(f"ui.page.back.{why}")
            watcher.waiting.put_nowait(msgspec.json.encode({"type": "back", "text": text}))
        self._watchers.add(watcher)
        return watcher

    def remove_watcher(self, watcher: BrowserWatcher) -> None:
        if watcher in self._watchers and watcher.unread:
            self.remarks.report_cut_off(watcher.address, "unread")
        self._watchers.discard(watcher)

    def close(self) -> None:
        """Everybody is let go: the page ends."""
        for watcher in self._watchers:
            watcher.slow.set()

    def handle_message(self, message: FromTable | None) -> None:
        """The table said something; None: it went away, and nothing of it stands any more."""
        self.table_there = message is not None
        if message is None or isinstance(message, TableHello):
            self._standing.clear()
        if isinstance(message, TableHello):
            self._name = message.table
        if message is None:
            self._send_to_all(dict.fromkeys((one.code for one in self._watchers), AWAY_MESSAGE))
            return
        if isinstance(message, TableSnapshot) and message.colours:
            self._colours = message.colours
        if isinstance(message, ChairHolders) and message.seats:
            self._colours = (*(seat.colour for seat in message.seats), *self._colours[len(message.seats) :])
        if isinstance(message, TableSnapshot | PhotoFinishMessage | GuidanceMessage):
            self._standing[type(message)] = message
        codes = {watcher.code for watcher in self._watchers}
        self._send_to_all(
            {code: line for code in codes if (line := self._encode_for(message, code)) is not None}
        )

    def language_for(self, code: str) -> Language:
        """The language of a browser, in the colours of this table."""
        return _language(code, self._colours)

    def table_name(self, code: str, host: str) -> str:
        """What the table is called, to a browser that found it at `host`."""
        return table_title(self.language_for(code), self._name, host)

    def _encode_for(self, message: FromTable, code: str) -> bytes | None:
        return to_json(message, self.language_for(code), self.art)

    def _send_to_all(self, lines: dict[str, bytes]) -> None:
        for watcher in self._watchers:
            if (line := lines.get(watcher.code)) is not None:
                watcher.queue_line(line)


CLOSED_WRONG, CLOSED_FULL, CLOSED_SLOW = 4403, 4429, 4408
"""Why a live connection was closed, as scripts read it."""
DISCONNECT_ERRORS = (RuntimeError, WebSocketDisconnect)
"""What Starlette raises where a browser has gone already."""


ALIVE_INTERVAL_S = 0.25
"""A browser that hears nothing for four times as long says that the connection is lost."""
ALIVE_MESSAGE = b'{"type":"alive"}'


async def send_queued(socket: WebSocket, watcher: BrowserWatcher) -> None:
    """Send all that waits for a watcher, for ever; where nothing does, that the page is there."""
    while True:
        try:
            line = await asyncio.wait_for(watcher.waiting.get(), ALIVE_INTERVAL_S)
        except TimeoutError:
            line = ALIVE_MESSAGE
        await send_line(socket, line)


async def send_line(socket: WebSocket, line: bytes) -> None:
    """As text: a browser hands binary frames over later than text, and then in another order."""
    await socket.send_text(line.decode())


async def run_until_first_ends(*parts: Awaitable[object]) -> None:
    """Run all of them until the first is done; a browser that has gone ends its part."""
    async with anyio.create_task_group() as group:

        async def one(part: Awaitable[object]) -> None:
            with suppress(*DISCONNECT_ERRORS):
                await part
            group.cancel_scope.cancel()

        for part in parts:
            group.start_soon(one, part)
