"""The rules that games of tricks share: how a card is told or read, looked at again, and what follows."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

from companion.core import rules as base
from companion.core.actions import Action, Micros, Prompt, Result
from companion.core.events import Event, Events, apply_events
from companion.core.exhibits import Exhibit
from companion.core.observations import ActionDeclared, Observation, RegionReading
from companion.core.verbs import VerbRule, announce, ask, define_verb, judge_verb
from companion.games.kit.cards import VALUES, CardSet, cards_in
from companion.games.kit.trick_camera import (
    REGION,
    PlaceSeen,
    judge_places,
    pictured_cards,
    play_on,
    seen_places,
    unread_places,
)
from companion.games.kit.trick_table import (
    CardPlayed,
    ClaimAccepted,
    ClaimRefused,
    MisdealFound,
    RestClaimed,
    RevokeProved,
    RevokesUndecided,
    TrickDealVoided,
    TrickState,
    apply_repair,
    look_again,
    tell_card,
    what_is_wrong,
)
from companion.games.kit.trick_view import trick_proof

T = TypeVar("T", bound=TrickState)


@cache
def card_pairs(cards: CardSet) -> tuple[str, ...]:
    """These cards, chosen in two steps."""
    return tuple(VALUES[card] for card in cards_in(cards))


class TrickGame(base.Rules[T]):
    """A game says what a whole trick and the end of a deal are, and what else may be said."""

    unspoken_fields = frozenset({"card"})
    menu_verbs = frozenset({"claim"})
    persistent = staticmethod(seen_places)
    unread_places = staticmethod(unread_places)
    after_repair = staticmethod(apply_repair)
    pictured_cards = staticmethod(pictured_cards)
    verbs: ClassVar[Mapping[str, VerbRule[Any]]]
    """What people may say besides a card."""

    @abstractmethod
    def trick_taken(self, state: T) -> Event:
        """What is told of the trick that is whole now."""

    @abstractmethod
    def end_deal(self, state: T) -> Events:
        """What follows once the last card was played or the rest given, and nothing has to be looked at."""

    def card_prompts(self, state: T) -> tuple[Prompt, ...]:
        """Who plays a card, whose cards have to be looked at again, or who says whether a claim is right."""
        if state.checks:
            return tuple(
                ask(chair, seat, "right", ("was", card_pairs(state.rules.may_tell(seat))))
                for seat, chair in enumerate(state.setup.chairs)
                if state.check_of(seat) is not None
            )
        if state.is_claimed:
            undecided = set(range(state.players)) - state.agreed - {state.claimed}
            return tuple(ask(state.chair_of(seat), seat, "agree", "play_on") for seat in sorted(undecided))
        short = ("short",) if state.is_last_trick else ()
        seat = state.seat
        plays = ("play", card_pairs(state.rules.may_tell(seat)))
        return (ask(state.chair_of(seat), seat, plays, *short),)

    def extra_actions(self, state: T) -> Iterable[Action]:
        playing = set(range(state.players)) - {state.rules.sits_out} if state.is_playing else set()
        return (Action(seat, "claim") for seat in sorted(playing))

    def judge(self, state: T, action: Action, at: Micros) -> Events:
        legal = self.legal_actions(state)
        ruled = judge_verb(self.all_verbs, state, action, at, legal)
        return self.play_on(state, ruled) if action in legal else ruled

    def play_on(self, state: T, ruled: Events) -> Events:
        """A ruling, and what follows from it of cards that lie there already."""
        return (*ruled, *play_on(apply_events(state, ruled), self._play))

    @property
    def all_verbs(self) -> Mapping[str, VerbRule[T]]:
        """Those of a card, and the game's own."""
        return {
            **self.verbs,
            "play": define_verb(lambda state, said, _: self._play(state, said), "play", who=_turn),
            "short": define_verb(
                lambda *_: (MisdealFound(),), "play", who=_turn, may=lambda state: state.is_last_trick
            ),
            "right": define_verb(self._look, "play"),
            "was": define_verb(self._look, "play"),
            "claim": define_verb(announce(RestClaimed), "play", may=lambda state: state.is_playing),
            "agree": define_verb(self._agree, "play"),
            "play_on": define_verb(lambda _, said, __: (ClaimRefused(said.seat),), "play"),
        }

    def judge_regions(self, state: T, regions: tuple[RegionReading, ...], at: Micros) -> Events:
        ruled = judge_places(state, regions, self._play) if self.outcome(state) is None else ()
        if state.is_claimed:  # open hands are no plays; what lies there once somebody plays on is one
            return tuple(event for event in ruled if isinstance(event, PlaceSeen))
        return ruled

    def early_choices(self, state: T, events: Iterable[Event]) -> Iterable[tuple[str, Action]]:
        for event in events:
            if isinstance(event, CardPlayed) and event.card == state.lying[event.seat]:
                cards = card_pairs(state.rules.may_tell(event.seat))
                for action in ask(0, event.seat, ("play", cards)).actions:
                    yield f"{REGION}{event.seat}", action

    def judge_truth(self, state: T, truth: Observation, misread: RegionReading | None) -> Events:
        said = truth.action if isinstance(truth, ActionDeclared) and truth.action.verb == "play" else None
        if said is None or misread is None or misread.name != f"{REGION}{said.seat}":
            return super().judge_truth(state, truth, misread)
        lies = (PlaceSeen(said.seat, str(said.value)),)  # it lay there before its turn
        return super().judge_truth(state, truth, misread) if said in self.legal_actions(state) else lies

    def _play(self, state: T, said: Action) -> Events:
        ruled = tell_card(state, said.seat, str(said.value))
        after = apply_events(state, ruled)
        if isinstance(ruled[0], CardPlayed) and len(after.plays) % state.rules.trick_size == 0:
            taken = (self.trick_taken(after),)
            ruled, after = ruled + taken, apply_events(after, taken)
        return ruled + self._what_follows(after)

    def _look(self, state: T, said: Action, _: Micros) -> Events:
        ruled = look_again(state, said.seat, None if said.value is None else str(said.value))
        return ruled + self._what_follows(apply_events(state, ruled))

    def _agree(self, state: T, said: Action, _: Micros) -> Events:
        ruled: Events = (ClaimAccepted(said.seat),)
        after = apply_events(state, ruled)
        if len(after.agreed) < state.players - 1:
            return ruled
        undecided = (RevokesUndecided(),) if state.is_undecided else ()
        return (*ruled, *undecided, *self.end_deal(after))

    def _what_follows(self, state: T) -> Events:
        """What follows from what was told: what is proved by it, and the end of the deal."""
        wrong = what_is_wrong(state)
        if state.options.revoke == "again" and any(isinstance(event, RevokeProved) for event in wrong):
            return (wrong[0], TrickDealVoided())
        after = apply_events(state, wrong)
        return (*wrong, *self.end_deal(after)) if after.is_played else wrong

    def exhibit(self, state: T, standing: Iterable[Any]) -> Exhibit | None:
        return trick_proof(self.name, state, standing)

    def result(self, state: T) -> Result | None:
        return ("points", state.winners) if state.winners else None

    def choice_picture(self, action: Action) -> str:
        return ":".join(map(str, action.parts)) if action.has_two_steps else ""

    def awaited_regions(self, state: T) -> frozenset[str]:
        return frozenset({f"{REGION}{state.seat}"} if state.is_playing else ())

    def find_violation(self, state: T) -> str | None:
        cards = {play.card for play in state.plays}
        return None if len(cards) == len(state.plays) else "a card was played twice in a deal"

    def after_abandonment(self, state: T) -> T:
        return state.over()

    def redact(self, state: T) -> T:
        return state


def _turn(state: TrickState) -> int | None:
    return None if state.checks or state.is_claimed else state.seat
