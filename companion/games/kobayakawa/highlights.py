"""Kobayakawa looked back on: rounds and who won them, fights against the odds, well or badly ended.

How good a shown card was when its owner bet is reckoned from what its owner could see then.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kit.highlights import Found, Step, announced
from companion.games.kobayakawa.belief import KobayakawaReckoning
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules.showdown import winner
from companion.games.kobayakawa.rules.state import KobayakawaState

DEALS = 400
BOLD = 25
"""A fight with less than this many chances in a hundred to win is one against the odds."""

KAMON = 0.25
"""What a kamon is worth (`lead`)."""


def found(rules: Rules[Any], history: Sequence[Step]) -> Iterable[Found]:
    """Only cards that were shown can be judged: who won unseen keeps the secret."""
    fought: dict[int, tuple[KobayakawaState, KobayakawaReckoning]] = {}
    reckoning = KobayakawaReckoning(history[0].before.players, cards=history[0].before.cards)
    shown: dict[int, int] = {}
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case ev.RoundBegan():
                fought, shown = {}, {}
            case ev.Fought():
                fought[event.seat] = before, _copy(reckoning)
            case ev.CardShown():
                shown[event.seat] = event.number
            case ev.RoundWon():
                yield Found(place, "turning", announced(rules, history[place]))
                for seat, number in shown.items():
                    if seat in fought and (chance := _chance(*fought[seat], seat, number)) < BOLD:
                        won = seat == event.seat
                        parts = (
                            ("chair", rules.chair_of(before, seat)),
                            ("number", number),
                            ("value", chance),
                        )
                        words = "recap.kobayakawa.bold" if won else "recap.kobayakawa.vain"
                        yield Found(place, "bluff" if won else "wrong", Sentence(words, parts))
                if event.how in {"alone", "last"} and event.seat in fought:
                    who = (("chair", rules.chair_of(before, event.seat)),)
                    yield Found(place, "uncaught", Sentence("recap.kobayakawa.unseen", who))
            case ev.NobodyFought() | ev.PlayerOut() | ev.DecidingRoundDue() | ev.GameWon():
                yield Found(place, "turning", announced(rules, history[place]))
            case ev.NumberDoubted():
                yield Found(place, "wrong", announced(rules, history[place]))
        reckoning.hear(before, event)


def _copy(reckoning: KobayakawaReckoning) -> KobayakawaReckoning:
    """What was known at this moment."""
    same = KobayakawaReckoning(reckoning.seats, reckoning.manner, cards=reckoning.cards)
    same.likely = reckoning.likely.copy()
    same.playing, same.open = reckoning.playing, reckoning.open
    return same


def _chance(state: KobayakawaState, known: KobayakawaReckoning, seat: int, number: int) -> int:
    """In a hundred: how often this card wins, if those who come later bet as people do."""
    known.knows(seat, number)
    rng = np.random.default_rng(number)
    rows, weights = known.deals(DEALS, rng)
    done = state.order.index(seat)
    sure = {place for place in range(done) if state.hands[state.order[place]].bet == "fight"}
    won = 0.0
    for row, weight in zip(rows, weights, strict=True):
        fights = {done, *sure}
        for place in range(done + 1, len(state.order)):
            if rng.random() < known.manner.fights(int(row[place]), state.kobayakawa, alone=False):
                fights.add(place)
        cards = {place: int(row[place]) for place in sorted(fights)}
        won += weight * (winner(cards, state.kobayakawa, range(len(state.order))) == done)
    return round(100 * won)


def lead(state: KobayakawaState) -> tuple[float, ...]:
    """A score for each seat: its kamons; in units of log odds."""
    return tuple(KAMON * count for count in state.kamons or (0,) * state.players)
