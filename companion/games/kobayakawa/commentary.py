"""Commentary on a Kobayakawa game for people who look on.

`KobayakawaOpenTable` speaks in practice with open cards, `find_highlights` names the turning points of a
finished game. How good a shown card was when its owner bet is reckoned from what its owner could see then.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kit.commentary import Highlight, HistoryStep, OpenTable, announcement_of
from companion.games.kobayakawa.belief import KobayakawaBelief
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaState, fighter_totals, showdown_winner

SAMPLED_DEALS = 400
BOLD_FIGHT_PERCENT = 25
"""A fight with less than this many chances in a hundred to win is one against the odds."""

KAMON_WEIGHT = 0.25
"""What a kamon is worth (`lead`)."""


class KobayakawaOpenTable(OpenTable):
    """Says what everybody can know of Kobayakawa."""

    belief_class = KobayakawaBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        match event:
            case model.BettingBegan() | model.PlayerFought() | model.PlayerPassed():
                self.lines = tuple(self._sentences(after))
            case model.RoundWon():
                self.lines = ()

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        table = self._belief.card_probabilities()
        cards = {seat: self._world.card_in_hand(seat) for seat in state.order}
        for seat, number in cards.items():
            yield self._build_sentence(
                "card", state, seat, number=number, value=round(100 * float(table[seat, number]))
            )
        left = {seat: number for seat, number in cards.items() if state.hands[seat].bet != "pass"}
        if left:
            best = showdown_winner(left, state.kobayakawa, state.order)
            total = fighter_totals(left, state.kobayakawa)[best]
            yield self._build_sentence("best", state, best, total=total)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """Only cards that were shown can be judged: who won unseen keeps the secret."""
    fought: dict[int, tuple[KobayakawaState, KobayakawaBelief]] = {}
    reckoning = KobayakawaBelief(history[0].before.players, cards=history[0].before.cards)
    shown: dict[int, int] = {}
    for place, (_, _, _, before, event, _) in enumerate(history):
        match event:
            case model.KobayakawaRoundBegan():
                fought, shown = {}, {}
            case model.PlayerFought():
                fought[event.seat] = before, _copy_belief(reckoning)
            case model.FighterCardShown():
                shown[event.seat] = event.number
            case model.RoundWon():
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
                for seat, number in shown.items():
                    if (
                        seat in fought
                        and (chance := _win_percentage(*fought[seat], seat, number)) < BOLD_FIGHT_PERCENT
                    ):
                        won = seat == event.seat
                        parts = (("chair", before.chair_of(seat)), ("number", number), ("value", chance))
                        words = "recap.kobayakawa.bold" if won else "recap.kobayakawa.vain"
                        yield Highlight(place, "bluff" if won else "wrong", Sentence(words, parts))
                if event.how in {"alone", "last"} and event.seat in fought:
                    who = (("chair", before.chair_of(event.seat)),)
                    yield Highlight(place, "uncaught", Sentence("recap.kobayakawa.unseen", who))
            case (
                model.NobodyFought()
                | model.PlayerOut()
                | model.DecidingRoundDue()
                | model.KobayakawaGameWon()
            ):
                yield Highlight(place, "turning", announcement_of(rules, history[place]))
            case model.NumberDoubted():
                yield Highlight(place, "wrong", announcement_of(rules, history[place]))
        reckoning.observe_event(before, event)


def _copy_belief(reckoning: KobayakawaBelief) -> KobayakawaBelief:
    """What was known at this moment."""
    same = KobayakawaBelief(reckoning.seats, reckoning.manner, cards=reckoning.cards)
    same.likely = reckoning.likely.copy()
    same.playing, same.open = reckoning.playing, reckoning.open
    return same


def _win_percentage(state: KobayakawaState, known: KobayakawaBelief, seat: int, number: int) -> int:
    """In a hundred: how often this card wins, if those who come later bet as people do."""
    known.learn_hand(seat, number)
    rng = np.random.default_rng(number)
    rows, weights = known.sample_deals(SAMPLED_DEALS, rng)
    done = state.order.index(seat)
    sure = {place for place in range(done) if state.hands[state.order[place]].bet == "fight"}
    won = 0.0
    for row, weight in zip(rows, weights, strict=True):
        fights = {done, *sure}
        for place in range(done + 1, len(state.order)):
            if rng.random() < known.manner.fight_probability(int(row[place]), state.kobayakawa, alone=False):
                fights.add(place)
        cards = {place: int(row[place]) for place in sorted(fights)}
        won += weight * (showdown_winner(cards, state.kobayakawa, range(len(state.order))) == done)
    return round(100 * won)


def lead_scores(state: KobayakawaState) -> tuple[float, ...]:
    """A score for each seat: its kamons; in units of log odds."""
    return tuple(KAMON_WEIGHT * count for count in state.kamons or (0,) * state.players)
