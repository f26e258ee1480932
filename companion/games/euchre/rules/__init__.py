"""Rules of Euchre: two against two make a suit trump and take three of five tricks, with 24 cards.

docs/rules.md, section 16, has them in full. The referee is told bids and cards and never sees a hand: what a
play says of its hand is held against the cards that follow, and a revoke is proved by them.
"""

from typing import Any

from companion.core.actions import Micros, Prompt, Setup
from companion.core.events import Event, Events, apply_events
from companion.core.game_status import GameStatus
from companion.core.observations import RegionReading
from companion.core.verbs import ask
from companion.core.view import SentenceParts
from companion.games.euchre.rules import model, view
from companion.games.euchre.rules.model import EuchrePhase, EuchreState
from companion.games.kit.cards import CARDS, SUITS
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_game import TrickGame, card_pairs
from companion.games.kit.trick_table import PLAYERS, TrickGameWon, leading_seats


class Euchre(TrickGame[EuchreState]):
    """The rules over what the referee knows, which is no hand."""

    name = "euchre"
    players = range(PLAYERS, PLAYERS + 1)
    options = model.EuchreOptions
    events = model.EuchreEvent
    board = view.BOARD
    camera_sentences = frozenset({"euchre.hint.play", "euchre.hint.turn_up"})
    cardless_parts = frozenset({"rank", "trick", "proof", "suit", "taken"})
    verbs = model.VERBS

    label = view.label
    first_label = view.first_label
    follow_up_sentences = view.follow_up_sentences
    restore_instructions = view.restore_instructions
    view = view.view

    def initial_state(self, setup: Setup) -> EuchreState:
        return EuchreState(setup=setup, desk=GameStatus())

    def prompts(self, state: EuchreState) -> tuple[Prompt, ...]:
        match state.phase:
            case EuchrePhase.TURN_UP:
                said: tuple[Any, ...] = (("turn_up", card_pairs(model.DECK)),)
            case EuchrePhase.BID if state.passes < PLAYERS:
                said = ("pass", "order")
            case EuchrePhase.BID:
                turned_down = state.upcard.partition("|")[0]
                named = ("name", [suit for suit in SUITS if suit != turned_down])
                said = (named,) if state.must_name else ("pass", named)
            case EuchrePhase.LONER:
                said = ("with_partner", "play_alone")
            case EuchrePhase.DISCARD:
                said = ("discarded",)
            case EuchrePhase.PLAY:
                return self.card_prompts(state)
            case _:
                return ()
        return (ask(state.chair_of(state.seat), state.seat, *said),)

    def judge_regions(self, state: EuchreState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
        """What lies before the players; the dealer's card is turned up."""
        ruled = super().judge_regions(state, regions, at)
        after = apply_events(state, ruled)
        card = after.lying[after.seat] if after.phase is EuchrePhase.TURN_UP else ""
        return (*ruled, model.UpcardTurned(after.seat, card)) if card in CARDS else ruled

    def awaited_regions(self, state: EuchreState) -> frozenset[str]:
        if state.phase is EuchrePhase.TURN_UP:
            return frozenset({f"{REGION}{state.seat}"})
        return super().awaited_regions(state)

    def trick_taken(self, state: EuchreState) -> Event:
        return model.EuchreTrickTaken(state.seat)

    def end_deal(self, state: EuchreState) -> Events:
        scored = model.EuchreDealScored(model.side_points(state))
        total = scored.apply(state).points
        if max(total) < state.options.target:
            return (scored,)
        return (scored, TrickGameWon(leading_seats(total)))

    def sentence_key(self, event: Event) -> str:
        return view.sentence_key(event) or super().sentence_key(event)

    def sentence_parts(self, state: EuchreState, event: Event) -> SentenceParts:
        return view.sentence_parts(state, event, super().sentence_parts(state, event))
