"""Whatever comes between two deeds, or between a misreading and its correction, the game is the honest one.

Honest people play any game from a seed. What they did is done again at two tables: one where nothing else
happens, and one that is interrupted, or whose camera errs. A failure names the seed that repeats it.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.games import RULES
from companion.games.kit.world import PlayStyle, split_rotation
from companion.referee.game_log import CorrectionOffer, find_correction_offer
from companion.referee.journal import Entry, MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation
from companion.simulation.simulated_players import read_places
from companion.testing.random_walks import make_cases
from tests.thorough import examples

Cards = tuple[str, ...]
DEEDS = 80
"""So many of a game are done again."""
MISREADINGS = 3
BLINK = 50_000
REST = 8 * SECOND
"""After this time all that lies there has been ruled on."""
READ = {name for name, rules in RULES.items() if rules.reads_cards}
SEEDS = range(examples(60, 60))


class Played:
    """What honest people did, how long after each other, and what lay where afterwards."""

    def __init__(self, game: str, seed: int) -> None:
        self.rules = RULES[game]
        players = Random(seed).choice(self.rules.players)
        self.setup = Setup(tuple(range(players)), self.rules.options())
        people = GameSimulation(self.rules, self.setup, seed=seed, styles=[PlayStyle.LAWFUL] * players)
        self.lies = dict(people.world.places)
        self.deeds: list[tuple[int, Any, dict[str, Cards]]] = []
        self.lots: list[int] = []
        at = 0
        for _ in people.run_entries():
            cause = people.referee.journal.entries[-1].cause
            if isinstance(cause, ob.RandomDraw):
                self.lots.append(cause.index)
            elif not isinstance(cause, ob.TimerElapsed):
                self.deeds.append((cause.at - at, cause, dict(people.world.places)))
                at = cause.at
            if len(self.deeds) == DEEDS:
                break
        assert not people.faults


class Table:
    """A table at which they do it again; the camera reads all anew after whatever may have changed it."""

    def __init__(self, played: Played) -> None:
        self.played, self.rules, self.lies = played, played.rules, played.lies
        self.lots = iter(played.lots)
        self.now = 0
        self.misread: tuple[str, Cards, Cards] | None = None
        """A place, what lies there, and what is read there as long as it does."""
        self._sit_down(())

    def _sit_down(self, entries: Iterable[Entry[Any]]) -> None:
        journal = MemoryJournal(make_header(self.rules.name, self.played.setup), entries)
        self.referee: Referee[Any] = Referee(self.rules, journal)
        self.game = RefereedGame(self.referee, chance=lambda _: next(self.lots, 0))

    def wait(self, time: int) -> None:
        until = self.now + time
        while (due := self.game.next_due()) is not None and due < until:
            self.now = max(due, self.now + 1)
            self.game.step(self.now)
        self.now = max(until, self.now)
        self.game.step(self.now)
        self.game.take_announcements()
        assert not self.game.failed

    def observe(self, *seen: type[Any] | ob.AnyObservation, wait: int = SECOND) -> None:
        for one in seen:
            self.game.post(one(at=self.now) if isinstance(one, type) else replace(one, at=self.now))
            self.wait(wait)

    def as_read(self, places: dict[str, Cards]) -> dict[str, Cards]:
        if self.misread is None:
            return places
        place, _, wrong = self.misread
        return {name: wrong if name == place else lies for name, lies in places.items()}

    def read(self, places: dict[str, Cards], wait: int = SECOND) -> None:
        self.lies = {**self.lies, **places}
        if self.misread is not None and self.lies[self.misread[0]] != self.misread[1]:
            self.misread = None
        regions = read_places(self.as_read(places).items(), self.now, self.now)
        self.observe(ob.TableSeen(at=0, regions=regions), wait=wait)

    def look(self) -> None:
        """Also "Read the table again"."""
        self.read(self.lies)

    def settle(self) -> dict[str, Any]:
        """What people see, and may do, once all that lies there has been read and ruled on."""
        self.wait(REST)
        self.look()
        self.wait(REST)
        return shown(self.rules, self.referee.state)

    def do(self, number: int, misread: tuple[str, Cards, Cards] | None = None) -> None:
        """What people did then."""
        after, cause, lies = self.played.deeds[number]
        self.wait(max(after - BLINK, 1))
        if isinstance(cause, ob.TableSeen):
            laid = {region.name: cards_in(region) for region in cause.regions}
            swept: dict[str, Cards] = {
                one: () for one in laid if one.startswith("seat_card:") and self.lies.get(one) != laid[one]
            }
            if swept:
                self.read(swept, BLINK)
            if misread is not None:
                self.lies = {**self.lies, **laid}
                self.misread = misread
            self.read(laid, BLINK)
        else:
            cue = self.rules.awaited_cue(self.referee.state)
            if isinstance(cause, ob.CueHeard) and cue is not None:
                cause = replace(cause, attempt=cue.attempt)
            self.observe(cause, wait=BLINK)
        self.lies = lies

    def is_calm(self) -> bool:
        """Whether nothing is open that an interruption makes void."""
        rules, state = self.rules, self.referee.state
        cue = rules.awaited_cue(state)
        return cue is None and not rules.is_window_open(state) and rules.outcome(state) is None

    def offer(self) -> CorrectionOffer | None:
        return find_correction_offer(self.referee)

    def correct(self, offer: CorrectionOffer, action: Action) -> None:
        truth = ob.ActionDeclared(at=0, action=action)
        self.observe(ob.CorrectionRequested(at=0, seq=offer.entry.seq, truth=truth))
        self.look()

    def would_be(self, offer: CorrectionOffer, action: Action) -> dict[str, Any]:
        """How it would stand, were this the truth."""
        journal, at = self.referee.journal, self.now
        twin = Referee(self.rules, MemoryJournal(journal.header, journal.entries))
        said = ob.ActionDeclared(at=0, action=action)
        wanted = offer.accept(ob.CorrectionRequested(at=at, seq=offer.entry.seq, truth=said))
        assert wanted is not None
        twin.observe(wanted)
        for later in (at, at + REST):
            seen = ob.TableSeen(at=later, regions=read_places(self.as_read(self.lies).items(), at, at))
            twin.observe(twin.without_misread(seen))
            twin.fire_timers(later + REST)
        return shown(self.rules, twin.state)

    # What comes between -----------------------------------------------------------------------------------

    def kill(self) -> None:
        self._sit_down(self.referee.journal.entries)
        self.now = max(self.now, self.referee.at) + SECOND
        self.wait(2 * SECOND)
        self.look()

    def stand_still(self) -> None:
        self.now += 3 * SECOND
        self.game.stood_still(self.now, unseen=True)
        self.wait(SECOND)
        self.look()

    def go_dark(self) -> None:
        self.observe(ob.CameraLost, ob.CameraRecovered)
        self.look()

    def undo(self) -> None:
        self.observe(ob.UndoRequested)
        self.look()

    def undo_and_redo(self) -> None:
        """Only what needs nothing put back: nobody moves a card."""
        undone = self.referee.find_undoable()
        if undone is not None and undone.corrects is None and not self.referee.undo_instructions():
            self.observe(ob.UndoRequested, ob.UndoRequested(at=0, redo=True))
            self.look()

    def interrupt(self, chance: Random) -> list[str]:
        """Up to three things that people do, or that happen to them; nothing of the game."""
        done: list[str] = []
        simple = {"look": self.look, "kill": self.kill, "dark": self.go_dark, "stall": self.stand_still}
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            if not self.is_calm():
                break
            inside = chance.choice(("", *simple))
            around = chance.choice(("", "", "end", "pause", "redo"))
            done.append(f"{around} {inside}".strip())
            if around in {"end", "pause"}:
                self.observe(ob.AbandonRequested if around == "end" else ob.PauseRequested)
            if inside:
                simple[inside]()
            if around == "end":
                self.undo()
            elif around == "pause":
                self.observe(ob.ResumeRequested)
            elif around == "redo":
                self.undo_and_redo()
        return done


def shown(rules: Any, state: Any) -> dict[str, Any]:
    """What people see, and may do."""
    view = rules.view(state)
    seen = {name: getattr(view, name) for name in view.__struct_fields__}
    del seen["cue"], seen["count"], seen["shared"]
    seen["chairs"] = [replace(chair, choices=(), clock=None) for chair in view.chairs]
    if rules.name == "dnup":  # what was said and not read shows its value alone; the rest stands in `fields`
        del seen["hint"]
        seen["places"] = [(place.region, len(place.on_top)) for place in view.places if place.card]
    seen["open"] = sorted((face.place, str(face.card)) for face in rules.open_faces(state))
    seen["legal"] = rules.legal_actions(state)
    return seen


def open_places(table: Table) -> set[str]:
    return {face.place for face in table.rules.open_faces(table.referee.state)}


def cards_in(region: ob.RegionReading) -> Cards:
    return tuple(f"{face.card}@{face.turn}" if face.turn else face.card for face in region.faces)


def misreadings(played: Played, number: int, chance: Random) -> tuple[str, Cards, Cards] | None:
    """One place of a deed with another card on top than lies there, which never comes to lie there."""
    cause = played.deeds[number][1]
    every = next(make_cases(played.rules)).cards
    for region in cause.regions if isinstance(cause, ob.TableSeen) else ():
        if (
            region.name == "show"
            or not region.faces
            or (played.rules.name == "dnup" and len(region.faces) > 1)
        ):
            continue  # a set of several values is refused at once; a mask that is shown is nothing yet
        cards = cards_in(region)
        name, turn = split_rotation(cards[-1])
        there = {card for _, _, lies in played.deeds for card in lies.get(region.name, ())}
        kind = name.partition(":")[0]
        kinds = {kind} if kind not in {"spades", "hearts", "diamonds", "clubs"} else {"hearts", "clubs"}
        wrong = [one for one in every if one.partition(":")[0] in kinds and one not in {name, *there}]
        if wrong and kind != "back":
            top = chance.choice(wrong)
            return region.name, cards, (*cards[:-1], f"{top}@{turn}" if turn else top)
    return None


def differences(one: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def cases(games: Iterable[str], *found: tuple[str, int]) -> list[tuple[str, int]]:
    """Some seeds of each game, and those by which a fault was `found`."""
    return [*dict.fromkeys([*((game, seed) for game in sorted(games) for seed in SEEDS), *found])]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seed"), cases(RULES, ("dnup", 13)))
def test_what_interrupts_a_game_changes_nothing(game: str, seed: int) -> None:
    """The table read again, a dark camera, a pulled plug, a standstill, a pause, an end taken back."""
    played, chance = Played(game, seed), Random(seed)
    honest, other = Table(played), Table(played)
    for number in range(len(played.deeds)):
        honest.do(number)
        other.do(number)
        if chance.random() < 0.2 and honest.is_calm():
            done = other.interrupt(chance)
            assert not differences(honest.settle(), other.settle()), (seed, number, done)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seed"), cases(READ, ("dnup", 27), ("dnup", 28), ("kabuki", 2)))
def test_a_misreading_that_is_corrected_leaves_no_trace(game: str, seed: int) -> None:
    """Whenever it is, after whatever came between, after a slip, or once more after it was taken back."""
    played, chance = Played(game, seed), Random(seed)
    laid = [number for number in range(len(played.deeds)) if misreadings(played, number, Random(0))]
    for number in chance.sample(laid, k=min(MISREADINGS, len(laid))):
        misread = misreadings(played, number, chance)
        later = min(number + chance.choice((0, 0, 0, 1, 2)), len(played.deeds) - 1)
        honest, other = Table(played), Table(played)
        for each in range(later + 1):
            honest.do(each)
            other.do(each, misread if each == number else None)
        said = [(number, misread), *correct_somehow(honest.settle(), other, chance)]
        for each in range(later + 1, min(later + 6, len(played.deeds))):
            honest.do(each)
            other.do(each)
        if len(said) > 1:
            found = differences(honest.settle(), other.settle())
            assert not found, (seed, said, found)


def correct_somehow(right: dict[str, Any], table: Table, chance: Random) -> list[str]:
    """What was done until the table was as if it had been read rightly; nothing if no menu offers that."""
    offer = table.offer() if differences(right, table.settle()) and table.is_calm() else None
    if offer is None or table.misread is None:  # what is gone cannot be asked for any more
        return []
    said = table.misread[1][-1].partition("@")[0]
    likely = sorted(offer.actions, key=lambda one: (said.replace(":", "|") not in str(one), str(one)))
    likely.sort(key=lambda one: said.rpartition(":")[2] not in str(one))
    truth = next((one for one in likely[:12] if not differences(right, table.would_be(offer, one))), None)
    if truth is None:  # something newer is offered
        return []
    slips = [one for one in offer.actions if one.verb == truth.verb and one != truth]
    slip = chance.choice(slips or [truth])
    plan = chance.choice(([truth], [slip, truth], [truth, slip, truth], [truth, None, truth]))
    done, lay = table.interrupt(chance), open_places(table)
    for action in plan:
        done.append(str(action))
        newest = table.referee.find_undoable()
        if action is None and newest is not None and newest.corrects is not None:
            table.undo()
        elif action is not None:
            now = table.offer()
            assert now is not None, f"nothing is offered any more after {done}"
            if now.entry.seq != offer.entry.seq:  # judged again another ruling is the newest
                return []
            assert action in now.actions, f"that is not offered any more after {done}"
            table.correct(now, action)
            if not lay <= open_places(table):  # what the slip took away, or laid on, is covered
                return []
        done += table.interrupt(chance)
    found = differences(right, table.settle())
    assert not found, (done, found)
    return done
