"""Two tables at which the same happens at the same instants; only faces that lie covered differ.

Everything that leaves a loop is kept with its instant, from the one at which those faces were covered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from companion.cli.checks.journal_replay import replay_steps
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.rules import Rules
from companion.core.switch import Edge
from companion.home.home_assistant import HomeAssistantDevice, HomeMessage
from companion.language.language import Language
from companion.network import uplink_messages
from companion.network.messages import (
    ChairRequest,
    CountBeat,
    FromTable,
    Message,
    PhoneJoined,
    PhonePresence,
    PhoneQuestion,
    TableSnapshot,
    ToTable,
    encode_line,
)
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.frames import LOG_OVERLAYS, game_frame, game_frame_key, recap_frame
from companion.table.remote.club_link import TableClub
from companion.table.remote.connections import OutletGroup
from companion.table.remote.phone_seats import TablePhones
from companion.table.remote.public_view import PublicTable
from companion.table.session import Session
from companion.ui.frame import UiState
from tests.table.loop import ListLamps, ListVoice
from tests.thorough import examples

MS: Micros = 1_000
Deed = tuple[Any, ...]
Out = tuple[Micros, str, object]
"""When something left the loop, by which way, and what it was."""
COLOURS = ("red", "blue", "green", "yellow")
OVERLAYS = ("", "menu", "log", "correct", "take_back", "may", "finish")
many = settings(max_examples=int(os.environ.get("LEAK_EXAMPLES", examples(100))), deadline=None)
"""5,000 in `make fuzz`."""


class Eyeless:
    """As much of a host as a frame asks for."""

    def picture(self) -> None:
        return None

    def demo_info(self) -> None:
        return None

    def needs_keyboard(self) -> bool:
        return False

    def is_stuck(self, chair: int | None, button: str) -> bool:
        return False


class Bytes:
    """The door of the page, with somebody at it: every line goes to `out`."""

    has_readers = True

    def __init__(self, out: Callable[[bytes], None]) -> None:
        self.connection_count = 1
        self.incoming: SimpleQueue[ToTable | None] = SimpleQueue()
        self._out = out

    def broadcast(self, message: FromTable) -> None:
        self._out(encode_line(message))


class ForClub:
    """The door of the uplink, with somebody at it, and what Home Assistant is told of every line."""

    has_readers = True

    def __init__(self, out: Callable[[str, bytes], None]) -> None:
        self.connection_count = 1
        self.incoming_tasks: SimpleQueue[Any] = SimpleQueue()
        self._out = out
        self._home = HomeAssistantDevice(
            "home", "table", "5" * 32, uplink_messages.UplinkHello("r", "table", "0"), Language("en")
        )

    def broadcast(self, message: Message) -> None:
        if not isinstance(message, uplink_messages.FromTable):
            return
        self._out("uplink", encode_line(message))
        said: list[HomeMessage] = []
        match message:
            case TableSnapshot():
                said = self._home.on_view(message)
            case CountBeat():
                said = self._home.on_count(message)
            case uplink_messages.CurrentGame():
                said = self._home.on_playing(message)
        for one in said:
            self._out("home", one.payload)


class Loop:
    """A session under a clock moved by hand, and all that left it while no face that differs lay open."""

    readings = 1
    """How often the camera reads what comes to lie somewhere."""

    def __init__(self, rules: Rules[Any], setup: Setup, *, opened: Callable[[Any], bool]) -> None:
        """`opened` says of a state whether a face that differs may be looked at from now on."""
        self.clock = ManualClock()
        self.out: list[Out] = []
        self._newest: dict[str, object] = {}
        """The last thing that left by each way."""
        self._known: object = None
        self.covered = False
        """Both tables look alike: from now on what leaves is kept."""
        self.is_open = False
        self._opened = opened
        self._begin(rules, MemoryJournal(make_header(rules.name, setup)))

    def _begin(self, rules: Rules[Any], journal: MemoryJournal) -> None:
        self.game = RefereedGame(Referee(rules, journal), chance=lambda choices: 0)
        self.door = Bytes(lambda line: self.note("door", line))
        self.uplink = ForClub(self.note)
        self.public = PublicTable(OutletGroup(self.door, self.uplink), COLOURS)
        self.club = TableClub(self.uplink)
        journal.game = 1  # type: ignore[attr-defined] # as one of a store has it
        self.phones = TablePhones(self.door, self.clock, COLOURS)
        self.voice, self.lamps = ListVoice(self.clock, available=False), ListLamps()
        self.session = Session(
            self.game,
            clock=self.clock,
            voice=self.voice,
            lamps=self.lamps,
            ask=lambda look: self.note("camera", look),
            listeners=[lambda told: self.note("told", (told.entry.seq, told.entry.cause.at))],
        )

    @property
    def state(self) -> Any:
        return self.game.referee.state

    @property
    def over(self) -> bool:
        """Whether the game ended by the rules: `replay` may show everything then."""
        outcome = self.game.referee.rules.outcome(self.state)
        return outcome is not None and outcome.is_open

    def restart(self) -> None:
        """The program comes back to the game."""
        journal = self.game.referee.journal
        self._begin(self.game.referee.rules, MemoryJournal(journal.header, journal.entries))

    def cover(self) -> None:
        """From now on nothing may differ."""
        self.voice.said.clear()
        self.voice.effects.clear()
        self.session.latest_sentence = None  # what was told last may have named what was covered just then
        self.session.announced_lines.clear()
        self.door.connection_count += 1  # somebody comes in now, and is told all that stands
        self.uplink.connection_count += 1
        self.phones.admit_phones()
        for said in (PhoneJoined("p"), ChairRequest("p", 0)):
            self.door.incoming.put(said)
        self.phones.receive_messages(self.session)
        assert self.phones.grant_chair(0)
        self.covered = True

    def note(self, way: str, what: object) -> None:
        if self.covered and not self.is_open:
            self.out.append((self.clock.now(), way, what))
            self._newest[way] = what

    def run(self, until: Micros, *reports: Edge | ob.AnyObservation) -> None:
        """Step whenever something is due; every report comes at its own instant."""
        waiting = sorted(reports, key=lambda seen: seen.at)
        while self.clock.now() < until and not self.is_open:
            due = min(until, self.session.next_due() or until, *(seen.at for seen in waiting[:1]))
            self.clock.move_to(max(due, self.clock.now() + 1))
            while waiting and waiting[0].at <= self.clock.now():
                self.session.submit(waiting.pop(0))
            if self.covered:
                self.phones.receive_messages(self.session)
            self.session.step()
            self.is_open = self.covered and self._opened(self.state)
            if self.covered and not self.is_open:
                self._look()
                self.phones.send_updates()
                self.club.send_updates(self.session)
            self.public.send_changes(self.session, self.clock.now())

    def _look(self) -> None:
        """What everybody can see and hear now, where it changed; frames are made when the app makes them."""
        known = (self.session, game_frame_key(self.session, Eyeless()))  # type: ignore[arg-type]
        if known != self._known:
            self._known = known
            self._look_at_the_screen()
        self._changed("said", tuple(self.voice.said))
        self._changed("sounds", tuple(self.voice.effects))
        self._changed("lamps", self.session.lamps())
        self._changed("entries", len(self.game.referee.journal.entries))

    def _look_at_the_screen(self) -> None:
        """Whoever opens what names everything after a game that was won ends it for good."""
        common: Any = {"names": {}, "colours": (), "trouble": None}
        named = self.over and not self.state.desk.uncovered
        for overlay in set(OVERLAYS) - (LOG_OVERLAYS if named else set()):
            frame = game_frame(self.session, Eyeless(), {"ui_state": UiState(overlay=overlay), **common})  # type: ignore[arg-type]
            self._changed(f"screen {overlay}", frame)
        if self.game.over and not named:
            self._changed(
                "recap", recap_frame(self.session, {"ui_state": UiState(overlay="timeline"), **common})
            )

    def _changed(self, way: str, what: object) -> None:
        if what != self._newest.get(way):
            self.note(way, what)

    def replayed(self) -> list[object]:
        """What `companion replay`, and with it `report`, tells of the game now."""
        journal = self.game.referee.journal
        return list(replay_steps(self.game.referee.rules, journal.header, journal.entries))

    def do(self, deed: Deed) -> None:
        """Something that happens at both tables."""
        at, people = self.clock.now(), len(self.state.setup.chairs)
        for said in (PhoneQuestion("p", "why"), PhoneQuestion("p", "may"), PhonePresence("p", awake=True)):
            self.door.incoming.put(said)
        match deed:
            case ("presses", *pairs):
                edges = [
                    Edge(self.state.setup.chairs[seat % people], "seat", level=level, at=at + after + held)
                    for seat, after in dict(pairs).items()
                    for level, held in ((True, 0), (False, 90 * MS))
                ]
                self.run(at + 3 * SECOND, *edges)
            case ("lies", place, card, sure):
                self.run(at + SECOND, seen(at + 700 * MS, place, card, sure=sure))
            case ("back", done):
                self.run(at + SECOND, ob.UndoRequested(at=at + MS, done=done))
            case ("again",):
                self.run(at + SECOND, ob.UndoRequested(at=at + MS, redo=True))
            case ("correct", which):
                self._correct(at, self._offered_corrections(), which)
            case ("correct_old", which):
                self._correct(at, self._old_corrections(), which)
            case ("repair", which):
                fields = self.session.view.fields
                if fields:
                    field = fields[which % len(fields)]
                    table = ((field.name, field.choices[which % len(field.choices)]),)
                    self.run(at + SECOND, ob.TableDeclared(at=at + MS, table=table))
            case ("say", which):
                asked = [one.action for chair in self.session.view.chairs for one in chair.choices]
                if asked:
                    self.run(at + SECOND, ob.ActionDeclared(at=at + MS, action=asked[which % len(asked)]))
            case ("tells", verb, value):
                known = self.game.referee.rules.legal_actions(self.state)
                seat = next((one.seat for one in sorted(known, key=str) if one.verb == verb), 0)
                self.run(at + SECOND, ob.ActionDeclared(at=at + MS, action=Action(seat, verb, value)))
            case ("pause",):
                self.run(at + SECOND, ob.PauseRequested(at=at + MS), ob.ResumeRequested(at=at + 500 * MS))
            case ("end",):
                self.run(at + SECOND, ob.AbandonRequested(at=at + MS))
            case ("resume",):
                self.restart()
                self.run(at + SECOND)
            case ("wait", after):
                self.run(at + after)
            case _:
                raise AssertionError(deed)

    def _correct(self, at: Micros, choices: Sequence[tuple[int, Any]], which: int) -> None:
        """Correct an entry, of which each choice has the number, to what it may have been."""
        self.note("corrections", [(seq, str(truth)) for seq, truth in choices])
        if choices:
            seq, truth = choices[which % len(choices)]
            self.run(at + SECOND, ob.CorrectionRequested(at=at + MS, seq=seq, truth=truth))

    def _offered_corrections(self) -> list[tuple[int, Any]]:
        """What the menu offers."""
        reading = self.session.history.last_reading()
        return [] if reading is None else [(reading.seq, truth) for _, truth in reading.choices]

    def _old_corrections(self) -> list[tuple[int, Any]]:
        """What may be said not to have happened, newest first, whether the menu offers it or not."""
        referee = self.game.referee
        old = [entry.seq for entry in referee.correctable_entries()]
        return [(seq, None) for seq in old if referee.is_correctable(seq, to_nothing=True)]


def seen(at: Micros, place: str, *cards: str, sure: float = 1.0) -> ob.TableSeen:
    """A reading of one place; how sure it is depends on the face, as in a real camera."""
    faces = tuple(ob.SeenCard(card, 0, sure) for card in cards)
    return ob.TableSeen(at=at, regions=(ob.RegionReading(place, faces, at - 600 * MS, at - 300 * MS),))


def sure_of(card: str) -> float:
    """How surely the camera reads this card: every face has its own figure."""
    return 0.99 + sum(map(ord, card)) % 97 / 10_000


def first_difference(left: Loop, right: Loop) -> tuple[Out | None, Out | None] | None:
    """The first thing that left the two loops otherwise, by what, when or at all."""
    one, other = left.out, right.out
    for place in range(max(len(one), len(other))):
        mine = one[place] if place < len(one) else None
        its = other[place] if place < len(other) else None
        if mine != its:
            return mine, its
    return None


def led(loops: Iterable[Loop], deeds: Iterable[Deed]) -> tuple[Out | None, Out | None] | None:
    """Do the same at both tables; the first thing that differs."""
    left, right = loops
    assert len(left.game.referee.journal.entries) == len(right.game.referee.journal.entries)
    for deed in deeds:
        for loop in (left, right):
            if not loop.is_open:
                loop.do(deed)
    found = first_difference(left, right)
    if found is None and not left.is_open and not left.over and left.replayed() != right.replayed():
        both = zip(left.replayed(), right.replayed(), strict=False)
        mine, its = next((one, other) for one, other in both if one != other)
        return (0, "replay", mine), (0, "replay", its)
    return found


presses = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30_000)), min_size=1, max_size=4)
mending = st.one_of(
    st.tuples(st.just("back"), st.booleans()),
    st.just(("again",)),
    st.tuples(st.sampled_from(("correct", "correct_old")), st.integers(0, 40)),
    st.tuples(st.just("repair"), st.integers(0, 40)),
    st.just(("pause",)),
    st.just(("end",)),
    st.just(("resume",)),
)
"""What is taken back, brought back, corrected, put right, stopped, ended and gone on with."""
