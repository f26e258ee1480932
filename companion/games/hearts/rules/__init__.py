"""Rules of Hearts: follow suit, take no hearts and not the queen of spades; or take them all.

docs/rules.md, section 12, has them in full. The referee is told who played which card and never sees a hand:
what a play says of its hand is held against the cards that follow, and a revoke is proved by them.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core import rules as base
from companion.core.actions import Action, Micros, Prompt, Result, Setup
from companion.core.events import Event
from companion.core.exhibits import Exhibit
from companion.core.game_status import GameStatus
from companion.core.verbs import ask, judge_verb
from companion.core.view import SentenceParts
from companion.games.hearts.rules import exhibits, judge, model, view
from companion.games.hearts.rules.model import HeartsPhase, HeartsState
from companion.games.kit import trick_camera


class Hearts(base.Rules[HeartsState]):
    """The rules over what the referee knows, which is no hand."""

    name = "hearts"
    players = range(model.PLAYERS, model.PLAYERS + 1)
    options = model.HeartsOptions
    events = model.HeartsEvent
    board = view.BOARD
    camera_sentences = frozenset({"hearts.hint.play"})
    after_repair = staticmethod(model.apply_repair)
    judge_regions = staticmethod(judge.judge_regions)
    persistent = staticmethod(trick_camera.seen_places)
    pictured_cards = staticmethod(trick_camera.pictured_cards)
    unread_places = staticmethod(trick_camera.unread_places)
    unspoken_fields = frozenset({"card"})
    cardless_parts = frozenset({"rank", "trick", "proof", "points"})

    label = view.label
    first_label = view.first_label
    follow_up_sentences = view.follow_up_sentences
    restore_instructions = view.restore_instructions
    view = view.view

    def initial_state(self, setup: Setup) -> HeartsState:
        return HeartsState(setup=setup, desk=GameStatus(), points=(0,) * setup.players)

    def prompts(self, state: HeartsState) -> tuple[Prompt, ...]:
        chairs = state.setup.chairs
        match state.phase:
            case HeartsPhase.PASS:
                return tuple(ask(chair, seat, "open") for seat, chair in enumerate(chairs))
            case HeartsPhase.PLAY if state.checks:
                return tuple(
                    ask(chair, seat, "right", ("was", model.PLAYS))
                    for seat, chair in enumerate(chairs)
                    if state.check_of(seat) is not None
                )
            case HeartsPhase.PLAY:
                short = ("short",) if state.is_last_trick else ()
                return (ask(state.chair_of(state.seat), state.seat, ("play", model.PLAYS), *short),)
            case HeartsPhase.MOON:
                shooter = model.moon_shooter(state)
                assert shooter is not None
                return (ask(state.chair_of(shooter), shooter, "add", "subtract"),)
        return ()

    def judge(self, state: HeartsState, action: Action, at: Micros) -> tuple[Event, ...]:
        legal = self.legal_actions(state)
        ruled = judge_verb(judge.VERBS, state, action, at, legal)
        return judge.go_on(state, ruled) if action in legal else ruled

    def choice_picture(self, action: Action) -> str:
        return ":".join(map(str, action.parts)) if action.has_two_steps else ""

    def awaited_regions(self, state: HeartsState) -> frozenset[str]:
        if state.phase is HeartsPhase.PASS:
            return frozenset(f"{trick_camera.REGION}{seat}" for seat in range(model.PLAYERS))
        is_turn = state.phase is HeartsPhase.PLAY and not state.checks
        return frozenset({f"{trick_camera.REGION}{state.seat}"} if is_turn else ())

    def sentence_key(self, event: Event) -> str:
        return view.sentence_key(event) or super().sentence_key(event)

    def sentence_parts(self, state: HeartsState, event: Event) -> SentenceParts:
        return view.sentence_parts(state, event, super().sentence_parts(state, event))

    def exhibit(self, state: HeartsState, standing: Iterable[Any]) -> Exhibit | None:
        return exhibits.exhibit(state, standing)

    def after_abandonment(self, state: HeartsState) -> HeartsState:
        return replace(state, phase=HeartsPhase.OVER)

    def result(self, state: HeartsState) -> Result | None:
        return ("points", state.winners) if state.winners else None

    def find_violation(self, state: HeartsState) -> str | None:
        cards = {play.card for play in state.plays}
        return None if len(cards) == len(state.plays) else "a card was played twice in a deal"

    def redact(self, state: HeartsState) -> HeartsState:
        return state
