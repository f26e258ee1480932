"""What each verb of Hearts rules, and how a deal is scored."""

from collections.abc import Mapping

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Events, apply_events
from companion.core.observations import RegionReading
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.hearts.rules import model
from companion.games.hearts.rules.model import PLAYERS, HeartsPhase, HeartsState
from companion.games.kit.cards import VALUES
from companion.games.kit.trick_camera import judge_places, play_on
from companion.games.kit.trick_table import CardPlayed, RevokeProved, look_again, tell_card, what_is_wrong


def _play(state: HeartsState, said: Action) -> Events:
    ruled = tell_card(state, said.seat, str(said.value)) or (model.MisdealFound(),)
    after = apply_events(state, ruled)
    if isinstance(ruled[0], CardPlayed) and len(after.plays) % PLAYERS == 0:
        ruled += (model.TrickTaken(after.seat, model.points_of(state.options, after.plays[-PLAYERS:])),)
    return _and_then(state, ruled)


def _look(state: HeartsState, said: Action, _: Micros) -> Events:
    card = None if said.value is None else str(said.value)
    return _and_then(state, look_again(state, said.seat, card))


def _moon(state: HeartsState, said: Action, _: Micros) -> Events:
    return _score(state, "others" if said.verb == "add" else "own")


def _turn(state: HeartsState) -> Seat | None:
    return None if state.checks else state.seat


VERBS: Mapping[str, VerbRule[HeartsState]] = {
    "open": define_verb(announce(model.DealOpened), HeartsPhase.PASS),
    "play": define_verb(lambda state, said, _: _play(state, said), HeartsPhase.PLAY, who=_turn),
    "short": define_verb(
        lambda *_: (model.MisdealFound(),),
        HeartsPhase.PLAY,
        who=_turn,
        may=lambda state: state.is_last_trick,
    ),
    "right": define_verb(_look, HeartsPhase.PLAY),
    "was": define_verb(_look, HeartsPhase.PLAY),
    "add": define_verb(_moon, HeartsPhase.MOON),
    "subtract": define_verb(_moon, HeartsPhase.MOON),
}


def judge_regions(state: HeartsState, regions: tuple[RegionReading, ...], at: Micros) -> Events:
    """What lies before the players; the two of clubs opens a deal."""
    if state.phase is HeartsPhase.OVER:
        return ()
    ruled = judge_places(state, regions, _play)
    after = apply_events(state, ruled)
    opening = VALUES[model.OPENING]
    if after.phase is not HeartsPhase.PASS or opening not in after.lying:
        return ruled
    opened = model.DealOpened(after.lying.index(opening))
    return (*ruled, opened, *play_on(apply_events(after, (opened,)), _play))


def go_on(state: HeartsState, ruled: Events) -> Events:
    """A ruling, and what follows from it of cards that lie on the table already."""
    return (*ruled, *play_on(apply_events(state, ruled), _play))


def _and_then(state: HeartsState, ruled: Events) -> Events:
    """What follows from what was told: what is proved by it, and the end of the deal."""
    after = apply_events(state, ruled)
    wrong = what_is_wrong(after)
    if state.options.revoke == "again" and any(isinstance(event, RevokeProved) for event in wrong):
        return (*ruled, wrong[0], model.HeartsDealVoided())
    ruled, after = (*ruled, *wrong), apply_events(after, wrong)
    if not after.is_played:
        return ruled
    shooter = model.moon_shooter(after)
    if shooter is None:
        return (*ruled, *_score(after, "others"))
    ruled += (model.MoonShot(shooter),)
    return ruled if state.options.moon == "choice" else (*ruled, *_score(after, state.options.moon))


def _score(state: HeartsState, moon: str) -> Events:
    """The deal is scored, a moon in this way, and perhaps somebody has won."""
    scored = model.DealScored(model.deal_points(state, moon))
    total = scored.apply(state).points
    fewest = tuple(seat for seat, have in enumerate(total) if have == min(total))
    over = max(total) >= state.options.target and (len(fewest) == 1 or state.options.tie == "shared")
    return (scored, model.HeartsGameWon(fewest)) if over else (scored,)
