"""What surrounds the app at a real table: buttons, lamps, camera, voice and store, whichever are there."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from companion.about import program_version
from companion.appliance.systemd import Service
from companion.camera.evidence import Job, Witness
from companion.camera.reader import Eye
from companion.camera.tools import Simulated, TableWorkshop
from companion.core.actions import Chair, Micros, Setup
from companion.core.clock import GameClock, wall_time
from companion.core.errors import CompanionError
from companion.core.observations import CameraLost, Observation
from companion.core.view import Lamp, Sentence
from companion.games import RULES, broken
from companion.referee.journal import Journal, MemoryJournal, SqliteJournal, header_of
from companion.referee.loop import Game
from companion.referee.parts import Parts, caught
from companion.referee.referee import Referee
from companion.referee.store import Store
from companion.referee.store_errors import told
from companion.settings.files import save, user_file
from companion.settings.model import Settings
from companion.table.host import Demo, Gathering
from companion.table.session import Inbox, Session
from companion.teach.course import Course
from companion.teach.lesson import lesson_named, load, shipped, without_clock
from companion.teach.ramp import Memory, Ramp
from companion.teach.rehearsal import BEGUN
from companion.ui import commands as do
from companion.ui.frame import DemoInfo, Offer, StoredGame, Taught
from companion.ui.language import Language
from companion.ui.voice import Voice
from hardware.buttons import ButtonPanel, open_factory
from hardware.camera import Camera
from hardware.camera_worker import FROZEN_AFTER, CameraWorker
from hardware.cameras import open_camera
from hardware.encoder import Encoder, open_encoder
from hardware.errors import HardwareError
from hardware.lamps import LampPanel
from hardware.pins import pin_table

if TYPE_CHECKING:
    from companion.demo.lesson_table import DrawnTable

log = logging.getLogger(__name__)
SAVED: Mapping[str, str] = MappingProxyType(
    {
        "language": "table.language",
        "volume": "sound.volume",
        "mute": "sound.mute",
        "brightness": "screen.brightness",
        "level": "table.level",
        "large": "screen.large_text",
        "slow": "sound.slow",
    }
)
"""What may be set on the glass, and which setting it is."""


def taught(game: str) -> tuple[Taught, ...]:
    """The lessons of a game, that for most people first."""
    lessons = sorted((load(file) for file in shipped(game)), key=lambda lesson: -lesson.players)
    return tuple(Taught(f"{lesson.game}/{lesson.mode}", lesson.title, lesson.players) for lesson in lessons)


class TableHost:
    """Opens what the table has; a missing part is noted, never fatal."""

    def __init__(
        self,
        settings: Settings,
        clock: GameClock,
        inbox: Inbox,
        voice: Voice,
        palette: tuple[str, ...],
        *,
        stopping: Callable[[], bool] = bool,
        camera: Simulated | None = None,
        drawn: bool = False,
        own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        parts: Parts | None = None,
    ) -> None:
        """`stopping` says whether the whole machine or program is being switched off.

        `drawn`: in lessons a drawn table stands in for the camera. `own_words` are those of a lesson's file.
        """
        self._drawn = drawn
        self._level: str = settings.table.level
        self._memory = Memory(settings.store_folder() / "explained")
        self._own_words = own_words
        self._table: DrawnTable | None = None
        self._lesson: Session | None = None
        self._taught: dict[str, tuple[Taught, ...]] | None = None
        """The lessons of each game, once somebody asked."""
        self.settings = settings
        self.parts = parts or Parts()
        self.clock = clock
        self.voice = voice
        self._inbox = inbox
        self._palette = palette
        self._volume, self._mute = settings.sound.volume, settings.sound.mute
        self._notes = [Sentence("shared.trouble.game", (("game", name),)) for name in broken()]
        self._service = Service(clock)
        self._picture: Any = None
        self._stopping = stopping
        self._simulated = camera
        self.saved = True
        """Whether all of the last game is on the disk."""
        self._store = Store(settings.store_file(), RULES)
        self._left = self._store.path.with_name("left")
        """Holds the number of the unfinished game that people left of their own will."""
        with told(str(self._store.path)):
            self._store.lock()
        self._buttons: ButtonPanel | None = None
        self._lamps: LampPanel | None = None
        self.parts.run("buttons", self._open_pins, None)
        self._encoder = self.parts.run("encoder", self._open_encoder, None)
        self._eye = Eye(clock, settings.store_folder())
        self.workshop = TableWorkshop(settings.store_folder(), say=lambda said: voice.say([said]))
        self._worker: CameraWorker | None = None
        self._witness: Witness | None = None
        """Keeps pictures of rulings, where the settings ask for it."""
        self._rounds = 0
        self._open_camera()

    # Parts ------------------------------------------------------------------------------------------------

    def _open_pins(self) -> None:
        chosen = self.settings.buttons
        try:
            factory = open_factory(chosen.chip)
            pins = pin_table(chosen.pins, chosen.lamps)
            self._buttons = ButtonPanel(factory, pins, self.clock, self._inbox.put)
            self._lamps = LampPanel(factory, pins)
        except HardwareError as trouble:
            log.info("No buttons on pins: %s", trouble)

    def _open_encoder(self) -> Encoder | None:
        wanted, sockets = self.settings.buttons.usb_device, self.settings.buttons.usb
        try:
            return open_encoder(wanted, sockets, self.clock, self._inbox.put, self._inbox.put)
        except HardwareError as trouble:
            if wanted:
                self._note(trouble)
            return None

    def _open_camera(self) -> None:
        camera = self.settings.camera
        if camera.kind == "none" and self._simulated is None:
            # Said once a game begins: cards are told by hand from the first one on.
            self._inbox.put(CameraLost(at=self.clock.now(), reason="none"))
            return

        def opened() -> Camera:
            if self._simulated is not None:
                return self._simulated(self.clock, self.workshop)
            lock = self.workshop.lock()
            return open_camera(camera.kind, camera.device, self.clock, size=camera.size, lock=lock)

        self._worker = self.workshop.worker = CameraWorker(
            opened,
            self._see,
            self._inbox.put,
            self.clock,
            asked=self._eye.asked,
            frozen_after=None if self._simulated is not None or camera.kind == "folder" else FROZEN_AFTER,
        )
        # Started by `tick`, after the first frame: loading camera and OpenCV would keep the screen dark.

    def _see(self, image: Any, at: Micros) -> Iterable[Observation]:
        """A picture, for whoever has the camera now."""
        return self.workshop.step(image, at) if self.workshop.busy else self._eye.step(image, at)

    def _note(self, trouble: CompanionError) -> None:
        log.warning("%s", trouble)
        self._notes.append(trouble.sentence())

    # The app's host ---------------------------------------------------------------------------------------

    def games(self) -> tuple[StoredGame, ...]:
        with told(str(self._store.path)):
            stored = self._store.games()
        return tuple(
            StoredGame(
                game_id=str(game.game),
                game=game.name if game.name in RULES else "",
                when=game.date.replace("T", " ")[:16],
                chairs=game.chairs,
                winners=game.outcome.winners if game.outcome else (),
                finished=game.outcome is not None,
                closed=bool(game.problem),
            )
            for game in stored
        )

    def start(self, wanted: do.Start) -> Session:
        rules = RULES[wanted.game]
        options = wanted.options or self.settings.house_rules(wanted.game)
        if self._level == "teach":
            options = without_clock(wanted.game, options)
        header = header_of(
            wanted.game,
            Setup(wanted.chairs, options, wanted.bot),
            date=wall_time(),
            software=program_version(),
            names=wanted.names,
            language=self.settings.table.language,
        )
        with told(str(self._store.path)):
            journal = self._store.create(header, wake=self._wake)
        self.clock.restart()
        return self._session(rules, journal)

    def learn(self, wanted: do.Learn) -> Session:
        from companion.demo.lesson_table import DrawnTable

        self._lesson, lesson = None, lesson_named(wanted.lesson)
        chairs = wanted.chairs or tuple(range(lesson.players))
        journal = MemoryJournal(header_of(lesson.game, lesson.setup(chairs), kind="lesson"))
        self.clock.restart(BEGUN)
        game = self._game(Referee(lesson.rules, journal))
        course = Course(
            lesson,
            game,
            pupils=[chairs.index(chair) for chair in wanted.pupils or chairs],
            say=self.voice.say,
            now=self.clock.now,
            begins=lambda: self._lesson.hush() if self._lesson is not None else None,
        )
        self._eye.begin(lesson.game, lesson.rules.seats(lesson.setup(chairs)))
        if self._drawn:
            self._table = DrawnTable(lesson.game, chairs, game, self.clock, self._inbox.put, laid=course.laid)
        ask = None if self._worker is None else self._worker.ask
        self._lesson = Session(
            game,
            clock=self.clock,
            voice=self.voice,
            lamps=self._lamps,
            ask=ask,
            guide=course,
            parts=self.parts,
        )
        return self._lesson

    def offered(self) -> tuple[Offer, ...]:
        if self._taught is None:
            self._taught = {name: taught(name) for name in RULES}
        return tuple(
            Offer(name, rules.players[0], rules.players[-1], rules.tables(), self._taught[name])
            for name, rules in RULES.items()
        )

    def open_demo(self, game: str) -> Demo:
        from companion.demo.host import guest_demo

        self._eye.end()
        self.clock.restart()
        rules = RULES[game]
        return guest_demo(
            rules,
            self.settings.house_rules(rules.name),
            clock=self.clock,
            inbox=self._inbox,
            voice=self.voice,
            volume=self._volume,
            mute=self._mute,
            parts=self.parts,
        )

    def open_practice(self, wanted: do.Practice) -> Demo:
        from companion.demo.practice import guest_practice

        self._eye.end()
        self.clock.restart()
        return guest_practice(
            wanted,
            replace(self.settings, sound=replace(self.settings.sound, volume=self._volume, mute=self._mute)),
            clock=self.clock,
            inbox=self._inbox,
            voice=self.voice,
            parts=self.parts,
        )

    def resume(self, game_id: str) -> Session:
        with told(f"game {game_id}"):
            journal = self._store.open(int(game_id), wake=self._wake)
        with suppress(OSError):
            self._left.unlink(missing_ok=True)
        return self._session(RULES[journal.header.game], journal)

    def _session(self, rules: Any, journal: Journal) -> Session:
        referee: Referee[Any] = Referee(rules, journal)
        self.clock.restart(referee.at + 1 if journal.entries else 0)
        game = self._game(referee)
        self._eye.begin(rules.name, rules.seats(referee.setup))
        ask = None if self._worker is None else self._worker.ask
        ramp = Ramp(game, self._memory, level=self._level, say=self.voice.say, now=self.clock.now)
        self._witness = None
        if self.settings.storage.evidence and self._worker is not None:
            self._witness = Witness(self.settings.store_folder(), game, self._keep)
        return Session(
            game,
            clock=self.clock,
            voice=self.voice,
            lamps=self._lamps,
            ask=ask,
            heard=() if self._witness is None else (self.parts.guard("evidence", self._witness.told, None),),
            guide=ramp,
            parts=self.parts,
        )

    def _keep(self, job: Job) -> None:
        if self._worker is not None:
            self._worker.do(self.parts.guard("evidence", job, None))

    def _game(self, referee: Referee[Any]) -> Game:
        buttons = self._buttons
        return Game(
            referee,
            chance=secrets.randbelow,
            levels=None if buttons is None else self.parts.guard("buttons", buttons.levels, {}),
            level=None if buttons is None else self.parts.guard("buttons", buttons.level, None),
        )

    def _wake(self) -> None:
        self._inbox.put(None)

    def interrupted(self) -> str | None:
        """The game that a power cut, a crash or switching off broke into.

        Leaving is what is written down: if a power cut takes that note along, a game too many is offered,
        never one too few.
        """
        with told(str(self._store.path)):
            newest = self._store.unfinished()
        try:
            left = self._left.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            left = ""
        return None if newest is None or str(newest.game) == left else str(newest.game)

    def put_away(self, session: Session) -> None:
        self._eye.end()
        self._table = self._witness = self._picture = None
        journal = session.game.referee.journal
        self.saved = journal.close()
        if not self._stopping() and isinstance(journal, SqliteJournal) and journal.game is not None:
            with suppress(OSError):
                self._left.write_text(f"{journal.game}\n", encoding="ascii")
        self._light({})

    def tick(self) -> None:
        self._service.alive()
        self._rounds += 1
        if self._worker is not None:
            self._worker.resting = not (self._eye.open or self.workshop.busy)
            if self._rounds == 2:
                self._worker.start()
        if self._encoder is not None:
            self.parts.run("encoder", self._encoder.poll, 0)
        self.parts.run("preview", self._look, None)
        self.parts.run("bench", lambda: self.workshop.tick(self._picture), None)

    def _look(self) -> None:
        """The newest picture, for the screen and for whoever keeps it."""
        if self._table is not None:
            self._table.look(self.clock.now())
            self._picture = self._table.picture
        frame = None if self._worker is None else self._worker.preview()
        if frame is not None:
            self._picture = frame.image
            if (witness := self._witness) is not None:
                self.parts.run(
                    "evidence", lambda: witness.seen(frame.image, frame.at, self.clock.now()), None
                )

    def next_due(self) -> Micros | None:
        return None if self._table is None else self.parts.run("preview", self._table.next_due, None)

    def picture(self) -> Any:
        return self._picture

    def demo(self) -> DemoInfo | None:
        return None

    def change(self, setting: str, value: str | float | bool) -> None:  # noqa: FBT001
        if setting not in SAVED:
            return
        match setting:
            case "volume":
                self._volume = int(value)
            case "level":
                self._level = str(value)
            case "mute":
                self._mute = bool(value)
            case "slow":
                self.voice.set_pace(slow=bool(value))
            case "language":
                self.voice.speak(Language(str(value), self._palette, own=self._own_words))
        self.voice.set_volume(self._volume, mute=self._mute)
        try:
            save(user_file(), {SAVED[setting]: value})
        except (CompanionError, OSError) as trouble:
            log.warning("%s is not kept: %s", setting, trouble)

    def keep_recap(self, session: Session, language: str) -> Sentence:
        from companion.table.save_recap import kept_recap

        return kept_recap(session, language, self.settings.store_folder())

    def read_again(self) -> None:
        self._eye.read_again()

    def seized(self, chair: Chair) -> None:
        """Everybody's buttons are their own."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        self._light(dict.fromkeys(lit, Lamp.LIT))

    def _light(self, states: Mapping[Chair, Lamp]) -> None:
        if (lamps := self._lamps) is not None:
            self.parts.run("lamps", lambda: lamps.show(states, self.clock.now()), None)

    def gathering(self, game: str) -> Gathering:
        options = self.settings.house_rules(game)
        return Gathering(self.settings.table.chairs, RULES[game].players, options, RULES[game].with_bot)

    def trouble(self) -> Sentence | None:
        if self._encoder is not None and self._encoder.gone:
            return Sentence("shared.trouble.unplugged")
        if self._worker is not None and self._worker.frozen:
            return Sentence("shared.camera.frozen")
        return self._eye.unseen

    def notes(self) -> tuple[Sentence, ...]:
        return (*self._notes, *self.parts.off())

    def mixed_sources(self) -> bool:
        return self._buttons is not None and self._encoder is not None

    def by_keys(self) -> bool:
        return self._buttons is None and self._encoder is None

    def close(self) -> None:
        """Everything in the reverse of its opening."""
        for part in (self._service, self._worker, self._encoder, self._lamps, self._buttons, self._store):
            if part is not None:
                caught(f"Closing {type(part).__name__}", part.close)
