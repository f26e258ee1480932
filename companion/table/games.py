"""The games of a table of one's own: begun, gone on with and learnt on its parts, kept in its store."""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from companion.appliance.machine import program_version
from companion.core.actions import Chairs, Setup
from companion.core.clock import wall_time
from companion.core.errors import CompanionError
from companion.core.game import Game
from companion.core.view import Sentence
from companion.games import GAMES, RULES
from companion.referee.acceptance import check_goes_on
from companion.referee.journal import JournalError, MemoryJournal, SqliteJournal, header_of
from companion.referee.referee import Referee
from companion.referee.store import Store, Summary
from companion.referee.store_errors import explained
from companion.settings.model import Settings
from companion.table.host import Gathering
from companion.table.real import TableHost
from companion.table.session import Session
from companion.table.shared import Shared
from companion.teach.assistance import Assistance, Memory
from companion.teach.lesson import lesson_named, load, shipped, without_clock
from companion.teach.rehearsal import BEGUN
from companion.teach.runner import LessonRunner
from companion.ui import commands as do
from companion.ui.frame import Offer, StoredGame, Taught
from companion.ui.glass import Draft
from companion.ui.houserules import rules_to_say

MOST_LISTED = 500
"""Games that the screen lists, the newest; `companion games` lists the others."""


def taught(game: str) -> tuple[Taught, ...]:
    """The lessons of a game, that for most people first."""
    lessons = sorted((load(file) for file in shipped(game)), key=lambda lesson: -lesson.players)
    return tuple(Taught(f"{lesson.game}/{lesson.mode}", lesson.title, lesson.players) for lesson in lessons)


def offer_of(game: Game) -> Offer:
    """What can be done here with a game; nothing is opened for it."""
    players = game.rules.players
    return Offer(
        game.name,
        players[0],
        players[-1],
        game.rules.tables(),
        taught=bool(shipped(game.name)),
        practised=game.opponents is not None,
        watched=game.players is not None,
        cover=game.cover,
    )


def listed(game: Summary) -> StoredGame:
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


def locked_store(settings: Settings) -> Store:
    """The store of this table, for one program at a time; `CompanionError` says who has it."""
    store = Store(settings.store_file(), RULES)
    with explained(str(store.path)):
        store.lock()
    return store


class TableGames:
    """Sets games up on the parts of a table."""

    def __init__(self, settings: Settings, shared: Shared, host: TableHost, store: Store) -> None:
        self.settings = settings
        self._host = host
        self._store = store
        self._clock, self._wake = shared.clock, shared.wake
        self._memory = Memory(settings.store_folder() / "explained")
        self.holding: Callable[[], tuple[Chairs, Chairs]] = lambda: (frozenset(), frozenset())
        """The chairs that phones hold now, and those whose phone is fit for races."""
        self._damaged: int | None = None
        """The game that could not be opened just now; opened again, what is sound in it is played on."""
        self._lesson: Session | None = None
        self._offered: tuple[Offer, ...] = ()
        self._taught: tuple[Offer, ...] = ()
        """The same with the lessons of each, once somebody asked."""

    def offered(self, *, lessons: bool = False) -> tuple[Offer, ...]:
        self._offered = self._offered or tuple(map(offer_of, GAMES.values()))
        if lessons and not self._taught:
            self._taught = tuple(replace(offer, lessons=taught(offer.game)) for offer in self._offered)
        return self._taught if lessons else self._offered

    def tell(self, sentences: Sequence[Sentence]) -> None:
        self._host.tell(sentences)

    def talk_on(self) -> None:
        self._host.talk_on()

    def unfinished(self) -> tuple[StoredGame, ...]:
        with explained(str(self._store.path)):
            found = self._store.unfinished()
        return () if found is None else (listed(found),)

    def last(self) -> Draft:
        """Names that are forgotten stand in no header any more."""
        with explained(str(self._store.path)):
            found = next((one for one in self._store.each() if not one.problem and one.name in RULES), None)
        if found is None:
            return Draft()
        chairs = tuple(chair for chair in found.chairs if chair < self.settings.table.chairs)
        names = tuple(pair for pair in found.names if pair[0] in chairs)
        return Draft(found.name, chairs, names, last=chairs)

    def stored(self) -> tuple[StoredGame, ...]:
        with explained(str(self._store.path)):
            stored = tuple(islice(self._store.each(), MOST_LISTED))
        return tuple(map(listed, stored))

    def notes(self) -> tuple[Sentence, ...]:
        return self._host.notes()

    def gathering(self, game: str) -> Gathering:
        rules, options = RULES[game], self.settings.house_rules(game)
        mixed = self._host.mixed_sources()
        return Gathering(self.settings.table.chairs, rules.players, options, rules.with_bot, mixed)

    def start(self, wanted: do.Start) -> Session:
        rules = RULES[wanted.game]
        options = wanted.options or self.settings.house_rules(wanted.game)
        if self._host.level == "teach":
            options = without_clock(wanted.game, options)
        chairs, (held, fit) = frozenset(wanted.chairs), self.holding()
        options = options.for_phones(chairs, held & chairs, fit & chairs)
        header = header_of(
            wanted.game,
            Setup(wanted.chairs, options, wanted.bot),
            date=wall_time(),
            software=program_version(),
            names=wanted.names,
            language=self.settings.table.language,
        )
        with explained(str(self._store.path)):
            journal = self._store.create(header, wake=self._wake)
        self._clock.restart()
        session = self._session(Referee(rules, journal))
        self._host.tell(rules_to_say(wanted.game, options))
        return session

    def resume(self, game_id: str) -> Session:
        with explained(f"game {game_id}"):
            journal = self._opened(int(game_id))
            try:
                referee = Referee(RULES[journal.header.game], journal)
                check_goes_on(referee)
            except BaseException:
                journal.close()
                raise
        self._host.left.remove()
        return self._session(referee)

    def _opened(self, game: int) -> SqliteJournal:
        """A stored game; where that was in vain just before, a copy of what stands before the damage."""
        again, self._damaged = self._damaged == game, None
        if again:
            header, entries = self._store.salvage(game)
            journal = self._store.create(header, wake=self._wake)
            for entry in entries:
                journal.append(entry)
            return journal
        try:
            return self._store.open(game, wake=self._wake)
        except JournalError:
            self._damaged = game
            raise

    def _session(self, referee: Referee[Any]) -> Session:
        self._clock.restart(referee.at + 1 if referee.journal.entries else 0)
        game = self._host.game(referee)
        assistance = Assistance(
            game, self._memory, level=self._host.level, say=self._host.voice.say, now=self._clock.now
        )
        return self._host.session(game, assistance, evidence=True)

    def learn(self, wanted: do.Learn) -> Session:
        self._lesson, lesson = None, lesson_named(wanted.lesson)
        chairs = wanted.chairs or tuple(range(lesson.players))
        journal = MemoryJournal(header_of(lesson.game, lesson.setup(chairs), kind="lesson"))
        self._clock.restart(BEGUN)
        game = self._host.game(Referee(lesson.rules, journal))
        course = LessonRunner(
            lesson,
            game,
            pupils=[chairs.index(chair) for chair in wanted.pupils or chairs],
            say=self._host.voice.say,
            now=self._clock.now,
            begins=lambda: self._lesson.hush() if self._lesson is not None else None,
        )
        self._host.draw(game, course.laid)
        self._lesson = self._host.session(game, course, evidence=False)
        return self._lesson

    def interrupted(self) -> str | None:
        """The game that a power cut, a crash or switching off broke into.

        Leaving is what is written down: if a power cut takes that note along, a game too many is offered,
        never one too few.
        """
        with explained(str(self._store.path)):
            newest = self._store.unfinished()
        return None if newest is None or str(newest.game) == self._host.left.read() else str(newest.game)

    def waiting(self) -> bool:
        """Whether there is a game to continue."""
        try:
            return self._store.unfinished() is not None
        except (sqlite3.Error, OSError, CompanionError):  # its disk is gone
            return False

    def close(self) -> None:
        """Another program may have the store."""
        self._store.close()
