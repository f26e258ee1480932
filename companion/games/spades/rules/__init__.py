"""Rules of Spades: two against two bid how many tricks they take, spades are trump.

docs/rules.md, section 15, has them in full. The referee is told bids and cards and never sees a hand: what a
play says of its hand is held against the cards that follow, and a revoke is proved by them.
"""

from companion.core.actions import Prompt, Setup
from companion.core.events import Event, Events
from companion.core.game_status import GameStatus
from companion.core.verbs import ask
from companion.core.view import SentenceParts
from companion.games.kit.trick_game import TrickGame
from companion.games.kit.trick_table import PLAYERS, SIDES, TrickGameWon, leading_seats
from companion.games.spades.rules import model, view
from companion.games.spades.rules.model import SpadesPhase, SpadesState


class Spades(TrickGame[SpadesState]):
    """The rules over what the referee knows, which is no hand."""

    name = "spades"
    players = range(PLAYERS, PLAYERS + 1)
    options = model.SpadesOptions
    events = model.SpadesEvent
    board = view.BOARD
    camera_sentences = frozenset({"spades.hint.play"})
    cardless_parts = frozenset({"rank", "trick", "proof", "tricks", "value"})
    number_verbs = frozenset({"bid"})
    verbs = model.VERBS

    label = view.label
    first_label = view.first_label
    follow_up_sentences = view.follow_up_sentences
    restore_instructions = view.restore_instructions
    view = view.view

    def initial_state(self, setup: Setup) -> SpadesState:
        return SpadesState(setup=setup, desk=GameStatus())

    def prompts(self, state: SpadesState) -> tuple[Prompt, ...]:
        match state.phase:
            case SpadesPhase.BID:
                bids = ("bid", range(state.most_tricks + 1))
                return (ask(state.chair_of(state.seat), state.seat, bids),)
            case SpadesPhase.PLAY:
                return self.card_prompts(state)
        return ()

    def trick_taken(self, state: SpadesState) -> Event:
        return model.SpadesTrickTaken(state.seat)

    def end_deal(self, state: SpadesState) -> Events:
        points, bags = zip(*(model.side_result(state, side) for side in range(SIDES)), strict=True)
        scored = model.SpadesDealScored(points, bags)
        total = scored.apply(state).points
        lost = state.options.floor != "none" and min(total) <= model.FLOOR
        if (max(total) >= state.options.target or lost) and total[0] != total[1]:
            return (scored, TrickGameWon(leading_seats(total)))
        return (scored,)

    def sentence_key(self, event: Event) -> str:
        return view.sentence_key(event) or super().sentence_key(event)

    def sentence_parts(self, state: SpadesState, event: Event) -> SentenceParts:
        return view.sentence_parts(state, event, super().sentence_parts(state, event))
