"""Starts, resumes or teaches games on a real table's parts."""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core.actions import Chairs, Setup
from companion.core.clock import is_clock_wrong, wall_time
from companion.core.errors import CompanionError
from companion.core.game import CUPBOARD, Game, Preset
from companion.core.view import Sentence
from companion.games import GAMES, RULES
from companion.language.voice.mixer import find_output_name, list_outputs
from companion.language.voice.voice_pack import SAMPLE_SENTENCE, installed_voices, list_packs
from companion.referee.dry_run import check_can_continue
from companion.referee.journal import JournalError, MemoryJournal, SqliteJournal, make_header
from companion.referee.referee import Referee
from companion.referee.store import GameStore, GameSummary
from companion.referee.store_errors import explain_store_errors
from companion.settings.files import save_settings, user_settings_file
from companion.settings.model import Settings
from companion.system import safe_files
from companion.system.boot_config import lacks_board_line
from companion.system.machine import Machine, program_version
from companion.system.safe_files import SizeLimit
from companion.table.host import SetupLimits
from companion.table.real_host import TableHost
from companion.table.runtime import SCREEN_SETTINGS, Runtime
from companion.table.session import Session
from companion.teach.assistance import Assistance, ExplainedRules
from companion.teach.lesson import Lesson, find_lesson, find_lesson_files, load_lesson, untimed_options
from companion.teach.rehearsal import START_TIME
from companion.teach.runner import LessonRunner
from companion.ui import commands as do
from companion.ui.board.setup_overlays import spoken_rules
from companion.ui.frame import GameDraft, GameOffer, LessonOffer, StoredGame

log = logging.getLogger(__name__)

MAX_LISTED = 500
"""Games that the screen lists, the newest; `companion games` lists the others."""
LEFT_NOTE = "left"
"""The file, beside the store, of `LeftGamesNote`."""
STARTS_NOTE, BOOT_ID = "starts", "proc/sys/kernel/random/boot_id"
"""A file like it: the game that is played, and in which of the machine's starts, by the kernel's number of
each. People who leave a game, and a program that is ended, take it away: a plug that is pulled does not.
"""


def lesson_name(lesson: Lesson) -> str:
    """What a lesson is called by programs: its game and mode."""
    return f"{lesson.game}/{lesson.mode}"


def lesson_offers(game: str) -> tuple[LessonOffer, ...]:
    """The lessons of a game, that for most people first."""
    lessons = sorted(
        (load_lesson(file) for file in find_lesson_files(game)), key=lambda lesson: -lesson.players
    )
    return tuple(
        LessonOffer(lesson_name(lesson), lesson.title, lesson.players, lesson.minutes) for lesson in lessons
    )


def build_offer(game: Game) -> GameOffer:
    """What can be done here with a game; nothing is opened for it."""
    players = game.rules.players
    return GameOffer(
        game.name,
        players[0],
        players[-1],
        game.rules.table_sizes(),
        taught=bool(find_lesson_files(game.name)),
        practised=game.opponents is not None,
        watched=game.simulated_players is not None,
        boxed=game.presets is not None,
        cover=game.cover,
    )


def to_stored_game(game: GameSummary) -> StoredGame:
    """A stored game as the screen has it."""
    return StoredGame(
        game_id=str(game.game),
        game=game.name if game.name in RULES else "",
        when=game.date.replace("T", " ")[:16],
        chairs=game.chairs,
        winners=game.outcome.winners if game.outcome else (),
        finished=game.outcome is not None,
        closed=bool(game.problem),
    )


class LeftGamesNote:
    """Holds the games that were not over when people last left one of their own will, or that were imported:
    the table does not go on with them by itself.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> frozenset[str]:
        """A line for each game."""
        try:
            return frozenset(safe_files.read_text(self._path, SizeLimit.NOTE).splitlines())
        except (OSError, UnicodeDecodeError):
            return frozenset()

    def write(self, games: Iterable[str]) -> None:
        with suppress(OSError):
            self._path.write_text("".join(f"{game}\n" for game in games), encoding="utf-8")

    def remove(self) -> None:
        with suppress(OSError):
            self._path.unlink()

    def add(self, game: int, date: str) -> None:
        self.write(self.read() | {note_line(game, date)})


def note_line(game: int, date: str) -> str:
    """A game as the note of those that were left has it: another store may have the same numbers."""
    return f"{game} {date}"


def count_power_cuts(folder: Path) -> int:
    """How often the machine went off in the middle of the game that was played last in this store."""
    return max(0, len(LeftGamesNote(folder / STARTS_NOTE).read()) - 2)


def open_locked_store(settings: Settings) -> GameStore:
    """The store of this table, for one program at a time; `CompanionError` says who has it."""
    store = GameStore(settings.store_file(), RULES)
    with explain_store_errors(str(store.path)):
        store.lock()
    return store


class TableGames:
    """Sets games up on the parts of a table."""

    def __init__(self, settings: Settings, shared: Runtime, host: TableHost, store: GameStore) -> None:
        self.settings = settings
        self._host = host
        self._store = store
        self._left_note = LeftGamesNote(settings.store_folder() / LEFT_NOTE)
        self._starts_note = LeftGamesNote(settings.store_folder() / STARTS_NOTE)
        host.when_left = self._note_left_games
        self._clock, self._wake = shared.clock, shared.wake_loop
        self._level: str = settings.table.level
        """Assistance level of the next game, from Teach to Tournament."""
        self._memory = ExplainedRules(settings.store_folder() / "explained")
        self.phone_chairs: Callable[[], tuple[Chairs, Chairs]] = lambda: (frozenset(), frozenset())
        """The chairs that phones hold now, and those whose phone is fit for races."""
        self._voices: dict[str, tuple[tuple[str, str], ...]] = {}
        """By language, once somebody looked."""
        self._damaged: int | None = None
        """The game that could not be opened just now; opened again, what is sound in it is played on."""
        self._lesson: Session | None = None
        self._cupboard: tuple[str, tuple[tuple[Preset, ...], tuple[Sentence, ...]]] = ("", ((), ()))
        """Of the game that was chosen last."""
        self._offered: tuple[GameOffer, ...] = ()
        self._taught: tuple[GameOffer, ...] = ()
        """The same with the lessons of each, once somebody asked."""

    def list_offers(self, *, lessons: bool = False) -> tuple[GameOffer, ...]:
        self._offered = self._offered or tuple(map(build_offer, GAMES.values()))
        if lessons and not self._taught:
            self._taught = tuple(replace(offer, lessons=lesson_offers(offer.game)) for offer in self._offered)
        return tuple(map(self._mark_lessons_done, self._taught)) if lessons else self._offered

    def _mark_lessons_done(self, offer: GameOffer) -> GameOffer:
        lessons = tuple(replace(one, done=f"lesson {one.lesson}" in self._memory) for one in offer.lessons)
        return replace(offer, lessons=lessons)

    def say(self, sentences: Sequence[Sentence]) -> None:
        wanted = {sentence.key for sentence in sentences}  # to its end, however long it takes
        self._host.parts.run("voice", lambda: self._host.voice.say(sentences, wanted), None)

    def compare_voices(self, code: str) -> None:
        packs = [voice.pack for voice in installed_voices(code, self.settings.sound.voice_pack, log.info)]
        self._host.parts.run("voice", lambda: self._host.voice.compare(SAMPLE_SENTENCE, packs), None)

    def continue_speaking(self) -> None:
        self._host.parts.run("voice", lambda: bool(self._host.voice.poll(self._clock.now())), otherwise=False)

    def unfinished_games(self) -> tuple[StoredGame, ...]:
        with explain_store_errors(str(self._store.path)):
            found = self._store.find_unfinished()
        return () if found is None else (to_stored_game(found),)

    def last_draft(self) -> GameDraft:
        """Names that are forgotten stand in no header any more."""
        with explain_store_errors(str(self._store.path)):
            found = next(
                (one for one in self._store.iterate_games() if not one.problem and one.name in RULES), None
            )
        if found is None:
            return GameDraft()
        chairs = tuple(chair for chair in found.chairs if chair < self.settings.table.chairs)
        names = tuple(pair for pair in found.names if pair[0] in chairs)
        return GameDraft(found.name, chairs, names, last=chairs)

    def stored_games(self) -> tuple[StoredGame, ...]:
        with explain_store_errors(str(self._store.path)):
            stored = tuple(islice(self._store.iterate_games(), MAX_LISTED))
        return tuple(map(to_stored_game, stored))

    def warnings(self) -> tuple[Sentence, ...]:
        damaged = self._store.damaged
        kept = () if damaged is None else (Sentence("shared.trouble.store_kept", (("file", damaged.name),)),)
        return (*kept, *self._unrestored_notes(), *self._host.warnings())

    def _unrestored_notes(self) -> list[Sentence]:
        """What names the logs from which not everything could be restored."""
        logs = self._store.unrestored
        if self._store.blocked is not None:
            return [Sentence("shared.alarm.storage.locked")]
        return [Sentence("shared.trouble.store_unrestored", (("file", log.name),)) for log in logs]

    def voices(self, code: str) -> tuple[tuple[str, str], ...]:
        if code not in self._voices:
            self._voices[code] = tuple(list_packs(code, self.settings.sound.voice_pack))
        return self._voices[code]

    def sound_outputs(self) -> tuple[tuple[str, str], ...]:
        return tuple(list_outputs().items())

    def playing_output(self, wanted: str) -> str:
        return find_output_name(wanted)

    def lacks_board_line(self) -> bool:
        return lacks_board_line(Machine())

    def setup_limits(self, game: str) -> SetupLimits:
        rules, options = RULES[game], self.settings.house_rules(game)
        mixed = self._host.has_mixed_sources()
        return SetupLimits(self.settings.table.chairs, rules.players, options, mixed)

    def list_presets(self, game: str) -> tuple[tuple[Preset, ...], tuple[Sentence, ...]]:
        if self._cupboard[0] != game:
            make = GAMES[game].presets
            found = () if make is None else tuple(make(self.settings.store_folder() / CUPBOARD / game))
            boxes = tuple(one for one in found if isinstance(one, Preset))
            broken = tuple(one for one in found if isinstance(one, Sentence))
            self._cupboard = game, (boxes, broken)
        return self._cupboard[1]

    def reread_presets(self) -> None:
        self._cupboard = "", ((), ())

    def keep_setting(self, setting: str, value: str | int | float | bool) -> None:  # noqa: FBT001
        """As `Games.keep_setting`: it is written into the user's settings file."""
        if setting == "level":
            self._level = str(value)
        if setting == "sound_output":
            self._host.is_output_chosen, self._host.sound_device = True, str(value)
        if setting == "voice_pack":
            self._host.is_voice_chosen = True
        try:
            save_settings(user_settings_file(), {SCREEN_SETTINGS[setting]: value})
        except (CompanionError, OSError) as trouble:
            log.warning("%s is not kept: %s", setting, trouble)

    def start_game(self, wanted: do.StartGame) -> Session:
        rules = RULES[wanted.game]
        options = wanted.options or self.settings.house_rules(wanted.game)
        if self._level == "teach":
            options = untimed_options(wanted.game, options)
        chairs, (held, fit) = frozenset(wanted.chairs), self.phone_chairs()
        options = options.adapt_to_phones(chairs, held & chairs, fit & chairs)
        if is_clock_wrong(date := wall_time()):
            log.warning("This game is kept with a wrong date, for the clock says %s.", date)
        header = make_header(
            wanted.game,
            Setup(wanted.chairs, options, wanted.bot),
            date=date,
            software=program_version(),
            names=wanted.names,
            language=self.settings.table.language,
        )
        with explain_store_errors(str(self._store.path)):
            journal = self._store.create_game(header, wake=self._wake)
        self._clock.restart()
        self._note_start(journal)
        session = self._open_session(Referee(rules, journal))
        self.say(spoken_rules(wanted.game, options))
        return session

    def resume_game(self, game_id: str) -> Session:
        with explain_store_errors(f"game {game_id}"):
            journal = self._open_journal(int(game_id))
            try:
                referee = Referee(RULES[journal.header.game], journal)
                check_can_continue(referee)
            except BaseException:
                journal.close()
                raise
        resumed = note_line(int(game_id), journal.header.date)
        self._left_note.write(self._left_note.read() - {resumed})
        went_off = self._note_start(journal)
        session = self._open_session(referee)
        for sentence in self._unrestored_notes()[:1]:
            session.show_table_notice(sentence)
        if went_off:
            log.warning("The power went off during the game: check the supply and its cable.")
            session.show_table_notice(Sentence("shared.power_gone"))
        return session

    def _note_start(self, journal: SqliteJournal) -> bool:
        """Note in which start of the machine a game is played; whether it went off in the middle of it."""
        machine = Machine()
        game, start = journal.header.date, machine.read_text(BOOT_ID)  # it has no number yet
        known = self._starts_note.read()
        known = known if game in known else frozenset({game})
        self._starts_note.write(known | {start})
        return len(known) > 1 and start not in known

    def _open_journal(self, game: int) -> SqliteJournal:
        """A stored game; where that was in vain just before, a copy of what stands before the damage."""
        again, self._damaged = self._damaged == game, None
        if again:
            header, entries = self._store.salvage_game(game)
            journal = self._store.create_game(header, wake=self._wake)
            for entry in entries:
                journal.append(entry)
            return journal
        try:
            return self._store.open_game(game, wake=self._wake)
        except JournalError:
            self._damaged = game
            raise

    def _open_session(self, referee: Referee[Any]) -> Session:
        self._clock.restart(referee.at + 1 if referee.journal.entries else 0)
        game = self._host.build_game(referee)
        assistance = Assistance(
            game, self._memory, level=self._level, say=self._host.voice.say, now=self._clock.now
        )
        return self._host.open_session(game, assistance, evidence=True)

    def start_lesson(self, wanted: do.StartLesson) -> Session:
        self._lesson, lesson = None, find_lesson(wanted.lesson)
        chairs = wanted.chairs or tuple(range(lesson.players))
        journal = MemoryJournal(make_header(lesson.game, lesson.setup(chairs), kind="lesson"))
        self._clock.restart(START_TIME)
        game = self._host.build_game(Referee(lesson.rules, journal))
        course = LessonRunner(
            lesson,
            game,
            pupils=[chairs.index(chair) for chair in wanted.pupils or chairs],
            say=self._host.voice.say,
            now=self._clock.now,
            lays=not self._host.draws_table,
            next_lesson=self._find_next_lesson(lesson_name(lesson)),
            begins=lambda: self._lesson.clear_announcements() if self._lesson is not None else None,
            ends=lambda: self._memory.add(f"lesson {lesson_name(lesson)}"),
        )
        self._host.attach_drawn_camera(game, course.required_layout)
        self._lesson = self._host.open_session(game, course, evidence=False)
        return self._lesson

    def _find_next_lesson(self, name: str) -> str:
        """The first lesson after this one that nobody here went through: those for most people come first.

        Empty where all were.
        """
        listed = [offer.lessons for offer in self.list_offers(lessons=True)]
        names = [one for row in zip_longest(*listed) for one in row if one is not None]
        at = next((place for place, one in enumerate(names) if one.lesson == name), 0)
        later = (*names[at + 1 :], *names[:at])
        return next((one.lesson for one in later if not one.done), "")

    def add_unrestored(self, logs: Sequence[Path]) -> None:
        """As `GameStore.add_unrestored`."""
        self._store.add_unrestored(logs)

    def interrupted_game(self) -> str | None:
        """The game that a power cut, a crash or switching off broke into.

        Leaving is what is written down: if a power cut takes that note along, a game too many is offered,
        never one too few. Where its end could not be restored, the table first reads so on the home page.
        """
        if self._store.unrestored:
            return None
        left = self._left_note.read()
        with explain_store_errors(str(self._store.path)):
            begun = self._store.iterate_unfinished()
            return next(
                (
                    str(one.game)
                    for one in begun
                    if left.isdisjoint({note_line(one.game, one.date), str(one.game)})  # or without its date
                ),
                None,
            )

    def _note_left_games(self) -> None:
        """Note every game that is not over: the table goes on by itself with what is begun from now on."""
        self._starts_note.remove()
        with suppress(sqlite3.Error, OSError, CompanionError):  # its disk is gone
            self._left_note.write([note_line(one.game, one.date) for one in self._store.iterate_unfinished()])

    def has_unfinished_game(self) -> bool:
        """Whether there is a game to continue."""
        try:
            return self._store.find_unfinished() is not None
        except (sqlite3.Error, OSError, CompanionError):  # its disk is gone
            return False

    def close(self) -> None:
        """Another program may have the store."""
        self._starts_note.remove()
        self._store.close()
