"""Whatever happens at a table of any game, under any house rules: it is judged, keeps the game's laws, and
what is listed as legal is exactly what breaks no rule.

Lawful play, readings, touches, take-backs, corrections and repairs come in any order; a failure
is made short.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from companion.core import observations as ob
from companion.core.actions import SECOND, Setup
from companion.core.events import Infraction
from companion.games import RULES
from companion.referee.journal import MemoryJournal, make_header, replay_state
from companion.referee.referee import Referee
from companion.testing import invariants as promise
from companion.testing.random_walks import GameCase, lawful_observations, make_cases, random_observation
from tests.games.game_table import kinds, lawful
from tests.games.laws import LAWS, Laws
from tests.models.compare import Game, option_values
from tests.models.test_models import GAMES
from tests.thorough import PART, examples

STEPS, TRIES = 40, 3
TIMED = {kind.__name__ for kind in (ob.TimerElapsed, ob.CueHeard, ob.RandomDraw)}
"""What comes of itself."""
REST = 60 * SECOND
"""After this time no press is void because it came too soon after another."""
chances = st.integers(0, 2**32 - 1).map(Random)


class AnyHistory(RuleBasedStateMachine):
    """A game under house rules of its own, and its referee."""

    game: ClassVar[Game]
    laws: ClassVar[Laws]
    referee: Referee[Any]

    @initialize(chance=chances, steps=st.sampled_from((0, 10, 40, 160, 320)))
    def sit_down(self, chance: Random, steps: int) -> None:
        """Some play on before anything else happens."""
        rules, values = self.game.rules, option_values(self.game)
        found = {name: chance.choice(values[name]) for name in values if chance.random() < 0.3}
        options = rules.options(**found)
        if options.find_conflict() is not None:
            options = rules.options()
        players, bot = chance.choice(self.game.sizes)
        setup = Setup(tuple(range(8 - players, 8)), options, bot)
        self.case = GameCase(rules, setup, next(make_cases(rules)).cards)
        self.referee = Referee(rules, MemoryJournal(make_header(rules.name, setup, kind="simulation")))
        self.at = 0
        for _ in range(steps):
            self.go_on(chance)

    # What happens -----------------------------------------------------------------------------------------

    @rule(chance=chances)
    def go_on(self, chance: Random) -> None:
        """Something lawful, as often of a verb with few values as of one with many."""
        self._wait(chance.choice((1, 1_000, SECOND)))
        ways: dict[str, list[Any]] = {}
        for way in lawful_observations(self.case.rules, self.referee.state, self.at):
            kind = type(way).__name__
            if isinstance(way, ob.ActionDeclared):
                kind = f"{way.action.verb}{'' if way.action.value is None else ' …'}"
            ways.setdefault(kind, []).append(way)
        if ways:
            of_itself = sorted(ways.keys() & TIMED)
            likely = of_itself if of_itself and chance.random() < 0.5 else sorted(ways)
            seen = chance.choice(ways[chance.choice(likely)])
            ruled = self._observe(seen)
            faults = [event for event in ruled if isinstance(event, Infraction)]
            assert not faults, f"{seen} is lawful, and an infraction: {faults}"

    @rule(chance=chances)
    def sense_anything(self, chance: Random) -> None:
        self._wait(1_000)
        self._observe(random_observation(self.case, self.referee.state, self.at, chance))
        if self.referee.state.desk.paused:
            self._observe(ob.ResumeRequested(at=self.at))

    @rule(chance=chances)
    def read_a_place(self, chance: Random) -> None:
        self._wait(SECOND)
        rules, state = self.case.rules, self.referee.state
        places = {place.region for place in rules.view(state).places} | rules.awaited_regions(state)
        faces = tuple(ob.SeenCard(chance.choice(self.case.cards)) for _ in range(chance.choice((0, 1, 1, 2))))
        for place in chance.sample(sorted(places), k=min(1, len(places))):
            lies = ob.RegionReading(place, faces, self.at - 900_000, self.at - 400_000)
            self._observe(ob.TableSeen(at=self.at, regions=(lies,)))

    @rule(times=st.integers(1, 4), redo=st.booleans())
    def take_back(self, times: int, redo: bool) -> None:
        for _ in range(times):
            self._observe(ob.UndoRequested(at=self.at, redo=redo))

    @rule(chance=chances)
    def correct(self, chance: Random) -> None:
        """One of the last entries, to something that it may have been, or to nothing."""
        entries = list(self.referee.correctable_entries())[:20]
        if not entries:
            return
        entry = chance.choice(entries)
        before = self.referee.state_before(entry.seq)
        others = sorted(self.case.rules.correction_choices(before, entry.cause), key=str)
        truths: list[Any] = [ob.ActionDeclared(at=0, action=other) for other in others] or [entry.cause]
        if self.referee.is_correctable(entry.seq, to_nothing=True):
            truths.append(None)
        self._observe(ob.CorrectionRequested(at=self.at, seq=entry.seq, truth=chance.choice(truths)))

    @rule(chance=chances)
    def declare(self, chance: Random) -> None:
        view = self.case.rules.view(self.referee.state)
        told: list[tuple[str, str | int]] = [
            (field.name, chance.choice(field.choices)) for field in view.fields if field.choices
        ]
        told += [(name, chance.choice((value, 0, 1, 2, 3))) for name, value in view.table]
        self._observe(ob.TableDeclared(at=self.at, table=tuple(chance.sample(told, k=min(2, len(told))))))

    @rule()
    def try_everything_said(self) -> None:
        """What is listed as legal is all that breaks no rule."""
        rules, state = self.case.rules, self.referee.state
        if rules.outcome(state) is not None or state.desk.paused:
            return
        legal, every = rules.legal_actions(state), set(self.laws.everything_said(state))
        assert legal <= every, f"{legal - every} can be done, and nobody could say it"
        wrong = {one for one in every if lawful(rules, state, one, self.at + REST) != (one in legal)}
        assert not wrong, (state.phase, sorted(map(str, wrong)))

    @rule()
    def press_every_button(self) -> None:
        """A button rules what the screen says that it means now."""
        rules, state, at = self.case.rules, self.referee.state, self.at + REST
        for (chair, press), action in rules.controls(state).items():
            meant = kinds(rules.decide(state, ob.ActionDeclared(at=at, action=action)))
            down = ob.ButtonPressed(at=at, chair=chair, button=press if chair is None else "seat")
            ruled = rules.decide(state, down)
            if chair is not None and press != "press":
                end = ob.ButtonReleased if press == "tap" else ob.ButtonHeld
                ruled = rules.decide(reduce(rules.evolve, ruled, state), end(at=at, chair=chair))
            assert set(meant) <= set(kinds(ruled)), f"{chair} {press} means {action}, and rules {ruled}"

    # What holds -------------------------------------------------------------------------------------------

    @invariant()
    def laws_hold(self) -> None:
        rules, state = self.case.rules, self.referee.state
        promise.check_pieces_are_conserved(rules, state)
        if not state.desk.abandoned:
            self.laws.check(state)
        promise.check_controls_are_ruled(rules, state)
        promise.check_something_can_happen(rules, state)
        promise.check_view_matches_state(rules, state)

    def teardown(self) -> None:
        """The journal is all that there is."""
        if hasattr(self, "referee"):
            self.try_everything_said()
            promise.check_journal_round_trip(self.case, self.referee)
            again = replay_state(self.case.rules, self.case.setup, self.referee.journal.entries)
            assert again == self.referee.state

    def _wait(self, time: int) -> None:
        self.at = max(self.at, self.referee.at) + time
        self.referee.fire_timers(self.at)

    def _observe(self, seen: Any) -> tuple[Any, ...]:
        if self.case.rules.outcome(self.referee.state) is not None and not isinstance(seen, ob.UndoRequested):
            return ()
        self.at = max(self.at, self.referee.at, seen.at)
        if isinstance(seen, ob.TimerElapsed):
            return tuple(event for entry in self.referee.fire_timers(seen.at) for event in entry.events)
        self.referee.fire_timers(self.at)
        return tuple(self.referee.observe(seen).events)


def machine_of(game: Game) -> type[AnyHistory]:
    return type(game.rules.name, (AnyHistory,), {"game": game, "laws": LAWS[game.rules.name]})


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_any_history_is_judged_by_the_laws_of_its_game(game: Game) -> None:
    many = settings(
        max_examples=examples(400, 4 * PART), stateful_step_count=STEPS, deadline=None, derandomize=True
    )
    run_state_machine_as_test(machine_of(game), settings=many)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_in_every_phase_what_is_legal_is_what_breaks_no_rule(game: Game) -> None:
    """Lawful play alone, until each phase was tried a few times."""
    laws, tried = LAWS[game.rules.name], Counter[str]()
    for seed in range(200):
        chance, machine = Random(seed), machine_of(game)()
        machine.sit_down(chance, 0)
        for _ in range(200):
            phase = machine.referee.state.phase
            if tried[phase] < TRIES:
                machine.try_everything_said()
                tried[phase] += 1
            machine.go_on(chance)
        if laws.phases - {"reopening", "recounting", "over"} <= tried.keys():  # these need a pause
            return
    pytest.fail(f"nobody came to {laws.phases - tried.keys()}: {tried}")


def test_every_game_has_its_laws() -> None:
    """But the one that knows no rule of the box on the table; and each has a model."""
    assert LAWS.keys() == RULES.keys() - {"any_game"}
    assert {game.rules.name for game in GAMES} == LAWS.keys()
