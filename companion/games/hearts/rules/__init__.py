"""Rules of Hearts: follow suit, take no hearts and not the queen of spades; or take them all.

docs/rules.md, section 12, has them in full. The referee is told who played which card and never sees a hand:
what a play says of its hand is held against the cards that follow, and a revoke is proved by them.
"""

from collections.abc import Iterable
from typing import Any

from companion.core.actions import Micros, Prompt, Setup
from companion.core.events import Event, Events, apply_events
from companion.core.exhibits import Exhibit
from companion.core.game_status import GameStatus
from companion.core.observations import RegionReading
from companion.core.verbs import ask
from companion.core.view import SentenceParts
from companion.games.hearts.rules import model, view
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_game import TrickGame


class Hearts(TrickGame[HeartsState]):
    """The rules over what the referee knows, which is no hand."""

    name = "hearts"
    players = range(PLAYERS, PLAYERS + 1)
    options = model.HeartsOptions
    events = model.HeartsEvent
    board = view.BOARD
    camera_sentences = frozenset({"hearts.hint.play"})
    cardless_parts = frozenset({"rank", "trick", "proof", "points"})
    verbs = model.VERBS
    end_deal = staticmethod(model.end_deal)

    label = view.label
    first_label = view.first_label
    follow_up_sentences = view.follow_up_sentences
    restore_instructions = view.restore_instructions
    view = view.view

    def initial_state(self, setup: Setup) -> HeartsState:
        return HeartsState(setup=setup, desk=GameStatus(), points=(0,) * setup.players)

    def prompts(self, state: HeartsState) -> tuple[Prompt, ...]:
        match state.phase:
            case HeartsPhase.PASS:
                return tuple(ask(chair, seat, "open") for seat, chair in enumerate(state.setup.chairs))
            case HeartsPhase.PLAY:
                return self.card_prompts(state)
            case HeartsPhase.MOON:
                shooter = model.moon_shooter(state)
                assert shooter is not None
                return (ask(state.chair_of(shooter), shooter, "add", "subtract"),)
        return ()

    def trick_taken(self, state: HeartsState) -> Event:
        return model.TrickTaken(
            state.seat, model.points_of(state.options, model.played_cards(state.plays[-PLAYERS:]))
        )

    def judge_regions(self, state: HeartsState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
        """What lies before the players; the two of clubs opens a deal."""
        ruled = super().judge_regions(state, regions, at)
        opened = model.open_deal(apply_events(state, ruled))
        return self.play_on(state, (*ruled, *opened)) if opened else ruled

    def awaited_regions(self, state: HeartsState) -> frozenset[str]:
        if state.phase is HeartsPhase.PASS:
            return frozenset(f"{REGION}{seat}" for seat in range(PLAYERS))
        return super().awaited_regions(state)

    def sentence_key(self, event: Event) -> str:
        return view.sentence_key(event) or super().sentence_key(event)

    def sentence_parts(self, state: HeartsState, event: Event) -> SentenceParts:
        return view.sentence_parts(state, event, super().sentence_parts(state, event))

    def exhibit(self, state: HeartsState, standing: Iterable[Any]) -> Exhibit | None:
        return view.exhibit(state, standing)
