"""Generates seeded random walks through any game.

A walk mixes what may lawfully come next with anything the senses could report.
"""

import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Action, Micros, Setup, Value
from companion.core.button_choices import STEP
from companion.core.observations import UNKNOWN, Observation
from companion.core.rules import Rules
from companion.core.view import repairable_values
from companion.games import deck_folder
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee

UNKNOWN_PLACE_SUFFIX = ":99"
RANDOM_BUTTONS = ("seat", "seat", "seat", "back", "next", "ok")

ChooseObservations = Callable[[Rules[Any], Any, Micros, Random], list[Observation]]
"""(rules, state, instant, chance) → what somebody does next; nothing where they cannot."""


class GameCase(Value, frozen=True):
    """One game at one table."""

    rules: Any
    setup: Setup
    cards: tuple[str, ...]
    """Faces that may turn up anywhere."""

    def __str__(self) -> str:
        return f"{self.rules.name}-{self.setup.players}{'-bot' * self.setup.bot}"


def make_cases(rules: Rules[Any], cards: tuple[str, ...] = (), *, every: bool = False) -> Iterator[GameCase]:
    """A game with as few and as many chairs as it takes, in every mode; `every`: with any number of chairs.

    `cards` are its faces and backs; without them those of the deck in its assets.
    """
    faces = cards or _deck_faces(rules.name)
    for players, bot in rules.table_sizes() if every else smallest_and_largest_tables(rules):
        # The chairs in use leave gaps, so that chair and seat are seldom the same number.
        chairs = tuple(range(8 - players, 8))
        yield GameCase(rules, Setup(chairs, rules.options(), bot), faces)


def smallest_and_largest_tables(rules: Any) -> list[tuple[int, bool]]:
    """The fewest and the most people of every mode: modes differ in how many decks are dealt to how many."""
    ways = sorted(
        rules.table_sizes(), key=lambda way: (count_hands(rules, way[0], bot=way[1]) - way[0], *way)
    )
    kinds = [(bot, count_hands(rules, players, bot=bot) - players) for players, bot in ways]
    ends = {
        way
        for kind in kinds
        for way in _first_and_last([w for w, k in zip(ways, kinds, strict=True) if k == kind])
    }
    return sorted(ends)


def _first_and_last(ways: list[tuple[int, bool]]) -> tuple[tuple[int, bool], ...]:
    return ways[0], ways[-1]


def count_hands(rules: Any, players: int, *, bot: bool) -> int:
    """How many hands of cards so many people play with."""
    return int(rules.hand_count(Setup(tuple(range(players)), rules.options(), bot)))


def _deck_faces(game: str) -> tuple[str, ...]:
    """The faces and backs of its deck; a game without one may be shown what is no card."""
    file = deck_folder(game).with_suffix(".toml")
    if not file.exists():
        return (UNKNOWN,)
    deck = tomllib.loads(file.read_text(encoding="utf-8"))
    backs = sorted({card["back"] for card in deck["card"] if "back" in card})
    return (*(card["id"] for card in deck["card"]), *backs, UNKNOWN)


def new_referee(case: GameCase) -> Referee[Any]:
    return Referee(case.rules, MemoryJournal(make_header(case.rules.name, case.setup, kind="simulation")))


def lawful_observations(rules: Rules[Any], state: Any, at: Micros) -> list[Observation]:
    """Everything that may lawfully come next; empty only when the game is over or paused."""
    ways: list[Observation] = []
    if (lots := rules.awaited_draw(state)) is not None:
        ways += [ob.RandomDraw(at=at, choices=lots, index=index) for index in range(len(lots))]
    if (cue := rules.awaited_cue(state)) is not None:
        ways.append(ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt))
    if (timer := rules.next_timer(state)) is not None:
        ways.append(ob.TimerElapsed(at=timer.due, timer=timer.name))
    return ways + [ob.ActionDeclared(at=at, action=action) for action in sorted_legal_actions(rules, state)]


@lru_cache(maxsize=4)
def sorted_legal_actions(rules: Rules[Any], state: Any) -> tuple[Action, ...]:
    """What may be done now, always in the same order; a walk and its promises ask it again and again."""
    return tuple(sorted(rules.legal_actions(state), key=str))


def random_observation(case: GameCase, state: Any, at: Micros, chance: Random) -> Observation:
    """Some observation, sensible or not."""
    rules = case.rules
    chair = chance.choice((*case.setup.chairs, *case.setup.chairs, 0, 9, None))
    button = "seat" if chair is not None else chance.choice(RANDOM_BUTTONS)
    match chance.randrange(18):
        case 0 | 1 | 2:
            return ob.ButtonPressed(at=at, chair=chair, button=button)
        case 3 | 4:
            return ob.ButtonReleased(at=at, chair=chair, button=button)
        case 5:
            return ob.ButtonHeld(at=at, chair=chair, button=button)
        case 6 | 7 | 8:
            return ob.ActionDeclared(at=at, action=random_action(case, state, chance))
        case 9 | 10:
            awaited = {*rules.awaited_regions(state), *_known_and_unknown_places(rules, state)}
            regions = (*sorted(awaited), "hand:1", "hand:7", "place-2", "elsewhere")
            seen = chance.sample(regions, k=chance.randint(1, 2))
            return ob.TableSeen(
                at=at,
                regions=tuple(
                    ob.RegionReading(name, _random_faces(case, chance, 2), max(0, at - 900), max(0, at - 600))
                    for name in dict.fromkeys(seen)
                ),
            )
        case 11:
            return ob.HandShown(at=at, seat=chance.randrange(9), faces=_random_faces(case, chance, 5))
        case 12:
            cue = rules.awaited_cue(state)
            return ob.CueHeard(at=at, cue=cue.name if cue else "no cue", attempt=chance.randrange(3))
        case 13:
            # The loop alone makes these, and only of timers that stand.
            return ob.TimerElapsed(at=at, timer="no timer")
        case 14:
            return ob.RandomDraw(
                at=at, choices=rules.awaited_draw(state) or ("a", "b"), index=chance.randrange(9)
            )
        case 15:
            said = [
                (name, chance.choice((value, 1, 3))) for name, value in repairable_values(rules.view(state))
            ]
            pairs: tuple[tuple[str, str | int], ...] = (
                *said,
                *(
                    (name, 3)
                    for name in _known_and_unknown_places(rules, state)
                    if name.endswith(UNKNOWN_PLACE_SUFFIX)
                ),
                ("nowhere:x", 1),
                ("place-0", "sun"),
            )
            return ob.TableDeclared(at=at, table=tuple(chance.sample(pairs, k=chance.randint(0, 2))))
        case 16:
            return chance.choice(
                (ob.PauseRequested(at=at), ob.ResumeRequested(at=at), ob.ProgramRestarted(at=at))
            )
        case _:
            gone = chance.choice(("", "unplugged"))
            choices = (
                ob.CameraLost(at=at),
                ob.CameraRecovered(at=at),
                ob.AdapterLost(at=at, adapter="x", reason=gone),
                ob.CountStalled(at=at),
                ob.ProgramStalled(at=at, until=at + SECOND),
                ob.ProgramStalled(at=at),
            )
            return chance.choice(choices)


def _known_and_unknown_places(rules: Rules[Any], state: Any) -> list[str]:
    """Every place that is shown, and of each kind one that no table has."""
    places = {place.region for place in rules.view(state).places}
    return sorted(places | {name.partition(":")[0] + UNKNOWN_PLACE_SUFFIX for name in places if ":" in name})


def random_action(case: GameCase, state: Any, chance: Random) -> Action:
    known = sorted_legal_actions(case.rules, state)
    verbs = sorted({action.verb for action in known} | {"fly", STEP})
    values = (
        *sorted({action.value for action in known}, key=str),
        None,
        0,
        -1,
        3,
        99,
        "sun",
        "1-2@3",
        "@",
        "",
    )
    return Action(chance.randrange(-1, 10), chance.choice(verbs), chance.choice(values))


def _random_faces(case: GameCase, chance: Random, most: int) -> tuple[ob.SeenCard, ...]:
    return tuple(ob.SeenCard(chance.choice(case.cards)) for _ in range(chance.randint(0, most)))


def walk_randomly(case: GameCase, chance: Random, *, steps: int, nonsense: float) -> Iterator[Referee[Any]]:
    """The referee before each of `steps` observations, and once more at the end."""
    referee = new_referee(case)
    at = 0
    for _ in range(steps):
        yield referee
        at += chance.choice((0, 1, 50_000, SECOND))
        ways = lawful_observations(case.rules, referee.state, at)
        if chance.random() < nonsense or not ways:
            if case.rules.outcome(referee.state) is not None:
                break
            seen = random_observation(case, referee.state, at, chance)
            at = max(at, seen.at)
            referee.fire_timers(at)
            referee.observe(seen)  # type: ignore[arg-type]
            if referee.state.desk.paused and chance.random() < 0.7:
                referee.observe(ob.ResumeRequested(at=at))
        else:
            seen = chance.choice(ways)
            at = max(at, seen.at)
            if not isinstance(seen, ob.TimerElapsed):
                referee.fire_timers(at)
            elif referee.next_timer() is None:
                continue
            referee.observe(seen)  # type: ignore[arg-type]
    yield referee


def skip_unchanged(walk: Iterator[Referee[Any]]) -> Iterator[Referee[Any]]:
    """The referee wherever something was ruled or the state is another one: to look twice tells no more."""
    before, length = None, 0
    for referee in walk:
        entries = referee.journal.entries
        ruled = any(entry.events for entry in entries[length:])
        if ruled or referee.state != before:
            yield referee
        before, length = referee.state, len(entries)


def press_random_button(rules: Rules[Any], state: Any, at: Micros, chance: Random) -> list[Observation]:
    """Somebody's button, or a shared one, goes down and comes up again: one that means something now."""
    table = rules.controls(state)
    if not table:
        return []
    chair, press = chance.choice(sorted(table, key=str))
    button = "seat" if chair is not None else press
    said: list[Observation] = [ob.ButtonPressed(at=at, chair=chair, button=button)]
    if press == "hold":
        said.append(ob.ButtonHeld(at=at + HOLD_TIME, chair=chair, button=button))
    return [*said, ob.ButtonReleased(at=said[-1].at + 50_000, chair=chair, button=button)]


def touch_random_choice(rules: Rules[Any], state: Any, at: Micros, chance: Random) -> list[Observation]:
    """A finger on a choice that the screen shows now."""
    view = rules.view(state)
    shown = [choice.action for chair in view.chairs for choice in chair.choices]
    shown += [choice.action for choice in view.shared]
    return [ob.ActionDeclared(at=at, action=chance.choice(shown))] if shown else []


def play_to_the_end(
    case: GameCase,
    chance: Random,
    ways: ChooseObservations,
    *,
    most: int = 6_000,
) -> Referee[Any]:
    """A game to its end in which people do nothing else; nobody is stuck before."""
    rules, referee, at = case.rules, new_referee(case), 0
    for _ in range(most):
        state = referee.state
        if rules.outcome(state) is not None:
            return referee
        at += 50_000
        referee.fire_timers(at)
        if rules.outcome(referee.state) is not None:
            return referee
        timer, said = referee.next_timer(), ways(rules, referee.state, at, chance)
        if (lots := rules.awaited_draw(state)) is not None:
            said = [ob.RandomDraw(at=at, choices=lots, index=chance.randrange(len(lots)))]
        elif (cue := rules.awaited_cue(state)) is not None and (chance.random() < 0.5 or not said):
            said = [ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt)]
        elif timer is not None and (not said or chance.random() < 0.3):
            at = max(at, timer.due)
            referee.fire_timers(at)
            continue
        assert said, f"in {state} nobody can do anything this way"
        for seen in said:
            referee.fire_timers(seen.at)
            at = seen.at
            referee.observe(seen)  # type: ignore[arg-type]
    raise AssertionError(f"after {most} deeds the game is not over")
