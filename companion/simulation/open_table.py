"""The open table: what each player knows, what the announcement tells everybody, and what follows.

All cards lie open, so nothing here is secret; in a game not a word of it would be said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.dnup.belief import DnupReckoning
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as dnup
from companion.games.kabuki.rules import events as kabuki
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.rules import events as kinapa
from companion.games.kinapa.rules.telling import bot_part
from companion.games.kobayakawa.belief import KobayakawaReckoning
from companion.games.kobayakawa.rules import events as kobayakawa
from companion.games.kobayakawa.rules.showdown import totals, winner


class OpenTable:
    """Owns what everybody can know, and says it beside the truth."""

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._rules, self._world = rules, world
        self.lines: tuple[Sentence, ...] = ()
        self._reckoning: Any = None
        match rules.name:
            case "kinapa":
                self._reckoning = KinapaReckoning(rules.seats(setup))
            case "kobayakawa":
                self._reckoning = KobayakawaReckoning(setup.players)
            case "dnup":
                self._reckoning = DnupReckoning(setup.players)

    def hear(self, before: Any, event: Event, after: Any) -> None:
        """A ruling; the world's cards have moved already."""
        if self._reckoning is not None:
            self._reckoning.hear(before, event)
        match event:
            case kinapa.Punished():
                self._reckoning.sees(event.seat, self._world.hands[event.seat])  # they lie open
            case kinapa.HandsLocked():
                self.lines = tuple(self._kinapa(before, event))
            case kobayakawa.BettingBegan() | kobayakawa.Fought() | kobayakawa.Passed():
                self.lines = tuple(self._kobayakawa(after))
            case dnup.TurnBegan():
                self.lines = tuple(self._dnup(after))
            case kabuki.MaskPlaced():
                self.lines = tuple(self._kabuki(after, event))
            case kinapa.EmperorCrowned() | kobayakawa.RoundWon() | kabuki.RoundEnded():
                self.lines = ()

    def _line(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        who = () if seat is None else (self._who(state, seat),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _who(self, state: Any, seat: int) -> tuple[str, int | str]:
        """A chair, or the BOT deck that lies there."""
        if self._rules.name == "kinapa" and state.is_bot(seat):
            return bot_part(state, seat)
        return "chair", self._rules.chair_of(state, seat)

    def _kinapa(self, state: Any, locked: kinapa.HandsLocked) -> Iterator[Sentence]:
        number, table = state.turn.number, self._reckoning.chances()
        for seat in range(len(self._world.hands)):
            count, value = len(self._world.holds(seat, number)), round(100 * float(table[seat, number - 1]))
            yield self._line("chance", state, seat, count=count, value=value)
        if len(self._world.holds(state.emperor, number)) == 2:
            yield self._line("pair", state)
        else:
            yield self._line(
                ("nobody", "one")[len(locked.lowered)] if len(locked.lowered) < 2 else "blind", state
            )

    def _kobayakawa(self, state: Any) -> Iterator[Sentence]:
        table = self._reckoning.chances()
        cards = {seat: self._world.holds(seat) for seat in state.order}
        for seat, number in cards.items():
            yield self._line(
                "card", state, seat, number=number, value=round(100 * float(table[seat, number]))
            )
        left = {seat: number for seat, number in cards.items() if state.hands[seat].bet != "pass"}
        if left:
            best = winner(left, state.kobayakawa, state.order)
            total = totals(left, state.kobayakawa)[best]
            yield self._line("best", state, best, total=total)

    def _dnup(self, state: Any) -> Iterator[Sentence]:
        for seat, hand in enumerate(state.hands):
            yield self._line("known", state, seat, count=len(hand.known), number=hand.size)
        rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas)}
        ups = list(map(card.up, self._world.hands[state.seat]))
        sets = [
            (size, value)
            for value in set(ups)
            for size in range(1, ups.count(value) + 1)
            if rivals.get(size, 0) < value
        ]
        if sets:
            size, value = max(sets)
            yield self._line("largest", state, state.seat, count=size, value=value)
        else:
            yield self._line("no_set", state, state.seat)

    def _kabuki(self, state: Any, placed: kabuki.MaskPlaced) -> Iterator[Sentence]:
        lying = self._world.stacks[placed.stack]
        twins = lying[:-1].count(lying[-1])
        for seat in range(state.players):
            recalls = lying[-1] in self._world.remembered(seat, placed.stack)
            yield self._line("recalls" if recalls else "recalls_not", state, seat)
        yield self._line("stop_right" if twins else "stop_wrong", state, slot=placed.stack)
