"""Runs one game at this table: reports in, rulings out to voice, lamps, log. Knows no pygame and no device.

A part that it leads, as voice, lamps or guide, is guarded: one that fails answers with a default. Screen and
lamps are drawn from state; the voice speaks what is new, once it is durable. So a recovery or an
undo redraws correctly and stays silent.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, cast

from companion.core import observations as ob
from companion.core import switch
from companion.core.actions import SECOND, CameraRequest, Chair, Cue, CueStarted, Micros
from companion.core.clock import Clock, earliest
from companion.core.events import ClocksShifted, Event, Infraction, kind_of
from companion.core.observations import UNKNOWN
from companion.core.switch import Edge
from companion.core.view import (
    Board,
    ChairView,
    CountView,
    Guidance,
    LampSignal,
    Sentence,
    SoundEffect,
    View,
)
from companion.referee.correction import PERSISTENT_EVENTS
from companion.referee.loop import GRACE, MAX_ROUND_INTERVAL, Announcement, RefereedGame
from companion.referee.phone_chairs import PHONE_SOURCE, PhoneAnswer
from companion.referee.referee import amendment_sentence
from companion.system.appliance import MachineStatus
from companion.system.fault_isolation import FaultIsolation
from companion.table.clock_voice import ClockVoice, has_running_clock
from companion.table.history import LOG_LENGTH, JournalHistory
from companion.ui.toolkit.theme import VERDICT_TIME

NUDGE_AFTER: Micros = 45 * SECOND
"""After this long without action the voice says whose move it is; then after twice as long, and so on."""
QUIET_STANDINGS = "standing."
"""In every game who leads is spoken only where all is: the screen shows the scores side by side."""
NOTICE_TIME: Micros = 4 * SECOND
"""How long a panel says that a press was in vain."""
NEWS_TIME: Micros = 6 * SECOND
"""How long good news or a verdict stands beside what is asked next, of which it is no part."""
TABLE_NOTICE_TIME: Micros = 10 * SECOND
"""How long the screen says what became of the saved game (written again, or restored but for a part) or of
the clocks."""
PLAYER_ACTIONS = (ob.ButtonPressed, ob.ActionDeclared, ob.UndoRequested, ob.CorrectionRequested)
"""A player has acted, even if nothing is announced of it."""
SILENT_LEAD_IN: Micros = SECOND
"""Without a voice: from the frame that shows the announcement to the first beat."""
STALL: Micros = 150_000
"""How late the picture of a beat, or the sound of a count's end, may be: the count is void beyond it.

A program that stood still for longer has not seen the table, and no clock ran."""
HELD_BY_CARD: Micros = 46_000
"""A sound card has so much of a sound, two blocks, and plays it although the program stands still."""
FRAMES = 512
"""More than are flipped in two seconds."""
NOT_IN_GAME = "shared.not_in_game"


class Speaker(Protocol):
    """What speaks, or cannot."""

    @property
    def available(self) -> bool: ...

    @property
    def count_finished(self) -> bool:
        """Whether the count that was begun last has sounded to its end, or nothing is heard."""

    @property
    def caption(self) -> Sentence | None:
        """The sentence being said."""

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None: ...

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None: ...

    def play_effect(self, name: SoundEffect) -> None: ...

    def play_cue(self, cue: Cue) -> None: ...

    def stop_cue(self) -> None: ...

    def poll(self, now: Micros) -> Iterable[CueStarted]: ...


class Lamps(Protocol):
    """What glows."""

    def show_states(self, states: Mapping[Chair, LampSignal], at: Micros) -> None: ...


class Guide(Protocol):
    """Who teaches beside the game, and says what the rules may hear of."""

    def guidance(self) -> Guidance | None:
        """What is said now."""

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether the rules hear of it now."""

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced."""

    def advance(self, now: Micros) -> None:
        """Whatever is due."""

    def next_due(self) -> Micros | None: ...

    def handle_request(self, what: str) -> None:
        """Somebody asked to go on, back, or for a hint."""

    def set_level(self, level: str) -> None:
        """Another assistance level from Teach to Tournament."""

    @property
    def silent(self) -> bool:
        """Whether nothing but the count is said."""


T = TypeVar("T")

FAILURE_VALUES: Mapping[str, object] = {
    "available": False,
    "count_finished": True,
    "poll": (),
    "admits": True,
    "silent": False,
    "read_status": MachineStatus(),
}
"""What a part that has failed answers where None does not do: without a voice the screen opens the counts."""


def guard_part(name: str, part: T, parts: FaultIsolation) -> T:
    """`part`, each of whose methods and properties is run as the part `name` of `parts`."""
    return cast("T", _GuardedPart(name, part, parts))


class _GuardedPart:
    def __init__(self, name: str, part: object, parts: FaultIsolation) -> None:
        self._name = name
        self._part = part
        self._parts = parts

    def __getattr__(self, asked: str) -> Any:
        otherwise = FAILURE_VALUES.get(asked)
        if callable(getattr(type(self._part), asked, None)):
            return self._parts.wrap(self._name, getattr(self._part, asked), otherwise)
        return self._parts.run(self._name, lambda: getattr(self._part, asked), otherwise)


class Session:
    """The loop's business with one game; `step` is called whenever something may be due."""

    _sounded_at: Micros | None = None
    """When the count had sounded to its end, as far as that can be told; None: it has not."""
    card_pictures: Mapping[tuple[str, str], Any] = MappingProxyType({})
    """The pictures that the game asks for, by region and card; they are kept nowhere but here."""

    def __init__(
        self,
        game: RefereedGame,
        *,
        clock: Clock,
        voice: Speaker,
        lamps: Lamps | None = None,
        ask: Callable[[CameraRequest], None] | None = None,
        listeners: Sequence[Callable[[Announcement], None]] = (),
        guide: Guide | None = None,
        card_pictures: Callable[[], Mapping[str, tuple[str, Any]]] = dict,
        parts: FaultIsolation | None = None,
    ) -> None:
        """`ask` hands a new request to the camera; `listeners` get every durable entry.

        `card_pictures`: which card lies in a region now, and the camera's own picture of it.
        `parts` are the table's: what fails here is switched off there.
        """
        self.game = game
        parts = parts or FaultIsolation()
        self.guide = None if guide is None else guard_part("guide", guide, parts)
        self.voice = guard_part("voice", voice, parts)
        self.latest_sentence: Sentence | None = None
        """The newest sentence announced."""
        self._news: tuple[Sentence, Micros] | None = None
        """The newest sentence, if it asks nothing of anybody, and until when it is shown."""
        self._announced_under: dict[Sentence, Sentence] = {}
        """With which headline each sentence was announced."""
        self._withdrawn: frozenset[Sentence] = frozenset()
        """What was announced of another table; it may still be waiting to be said."""
        self._ruled: tuple[Sentence, Micros] | None = None
        """The last verdict, unless something else was announced or chosen since, and when it fell."""
        self.unread_place: str | None = None
        """The awaited place whose card could not be read."""
        self._clock, self._ask, self._lying = clock, ask, card_pictures
        self._lamps = None if lamps is None else guard_part("lamps", lamps, parts)
        self._listeners = tuple(parts.wrap("listener", listener, None) for listener in listeners)
        self._announced_state = game.referee.state
        self._told_view: tuple[Any, View] | None = None
        self.announced_seq = len(game.referee.journal.entries) - 1
        """The newest entry that was announced; -1 before the first."""
        self.announced_lines: deque[tuple[int, Sentence]] = deque(maxlen=LOG_LENGTH)
        """What was just announced, with its entry, until it is taken out."""
        self._frames: deque[tuple[Micros, Micros, bool]] = deque(maxlen=FRAMES)
        """Of which instant the newest frames are, when each was flipped, and whether it shows the table."""
        game.stalled = self._stalled
        self._cue: Cue | None = None
        """The count that was asked for and is not over."""
        self._cue_ends: Micros | None = None
        """When it will have sounded to its end; None while it has not begun."""
        self._shown: Cue | None = None
        self._unsaved, self._rewritten = "", 0
        self._table_notice: tuple[Micros, Sentence | None] = 0, None
        """Until when the screen says what of the saved game, or of the clocks."""
        self._notices: dict[Chair, tuple[Micros, Sentence]] = {}
        """Until when a chair's panel shows which word."""
        self._regions: frozenset[str] = frozenset()
        self._stepped: Micros | None = None
        """When the last round was."""
        self._active, self._patience = clock.now(), NUDGE_AFTER
        self._clock_voice = ClockVoice()
        self.lamp_override: frozenset[Chair] | None = None
        """The lamps that glow instead of the game's, while a page has the buttons."""
        self.history = JournalHistory(game.referee)
        """What pages look up in the journal."""
        self._looked_up = len(game.referee.journal.entries)
        """Up to which entry `has_new_urgent_ruling` was asked."""

    def step(self) -> list[Announcement]:
        """Judge what is due, announce what is durable, ask the camera; what was announced now."""
        now = self._clock.now()
        if self.guide is not None:
            self.guide.advance(now)
        before, self._stepped = self._stepped, now
        lasted = 0 if before is None else (now - before) / self._clock.speed
        if lasted > self._longest_round():
            # Without a screen nothing says that rounds come often enough to tell a standstill from a wait.
            self.game.stood_still(now, unseen=lasted > STALL and bool(self._frames))
        self._follow_sound(now if before is None else before, now)
        self.game.step(now)
        if (self._clock.now() - now) / self._clock.speed > switch.SWITCH_TIMING.delivery:
            self.game.note_reading(self._clock.now())
        rulings = self.game.take_announcements()
        for ruling in rulings:
            self._announce(ruling)
        self._note_storage()
        self._update_cue(now)
        for started in self.voice.poll(now):
            self._report_first_beat(started.cue, started.first_beat, "sound")
        self._update_look(now)
        self._nudge(now)
        self._tell_clocks(now)
        if self._lamps is not None:
            self._lamps.show_states(self.lamps(), now)
        return rulings

    def _longest_round(self) -> Micros:
        """Beyond this the program stood still: it waits no longer, where presses are timed hardly at all."""
        return GRACE if self.game.are_presses_timed() else GRACE + MAX_ROUND_INTERVAL

    def submit(self, report: Edge | ob.Observation | PhoneAnswer, *, aside: bool = False) -> bool:
        """Hand over something that was reported; a press `aside` is the page's, not the game's.

        False if the guide keeps it from the game.
        """
        now = self._clock.now()
        self._active, self._patience = now, NUDGE_AFTER
        observation = report.observation if isinstance(report, PhoneAnswer) else report
        admitted = aside or self.guide is None or self.guide.admits(observation)
        if isinstance(report, Edge):
            self.game.post(report, now, "page" if aside else "game" if admitted else "nobody")
        elif admitted:
            self.game.post(report, now, announced=self.announced_seq)
        if admitted and isinstance(report, ob.TableSeen):
            self._note_unread(report)
        return admitted

    def _note_unread(self, reading: ob.TableSeen) -> None:
        """A card that is not certain is asked for, by its place."""
        for region in reading.regions:
            if region.name in self._regions:
                unread = any(face.card == UNKNOWN for face in region.faces)
                self.unread_place = (
                    region.name if unread else None if self.unread_place == region.name else self.unread_place
                )

    def press_notices(self) -> tuple[tuple[Chair, Sentence], ...]:
        """What became of a press, for the chair's own panel and some seconds: in vain, or late."""
        now = self._clock.now()
        return tuple((chair, sentence) for chair, (until, sentence) in self._notices.items() if now < until)

    # Announcing -------------------------------------------------------------------------------------------

    def _announce(self, ruling: Announcement) -> None:
        self._announced_state = ruling.state
        rules, entry = self.game.referee.rules, ruling.entry
        self.announced_seq = entry.seq
        # What was judged again long after may be hidden by now: it is said as in the log.
        again, mended = entry.corrects is not None, amendment_sentence(entry)
        lasts = PERSISTENT_EVENTS if mended is not None else ()
        sentences: list[Sentence] = [] if mended is None else [mended]
        aloud = list(sentences)
        for event in ruling.news:
            if (picked := rules.picked_row(ruling.state, event)) is not None:
                aloud.append(picked)
            if isinstance(event, lasts) or (said := rules.sentence(ruling.state, event, log=again)) is None:
                continue
            sentences.append(said)
            aloud += (said, *(() if mended or again else rules.follow_up_sentences(ruling.state, event)))
        self._note_presses(ruling)
        self.announced_lines.extend((entry.seq, said) for said in aloud)
        if sentences:
            self.latest_sentence = sentences[-1]
            news = {*rules.board.good_news_events, *rules.board.full_screen_words}
            asks_nothing = self.latest_sentence.event in news
            self._news = (self.latest_sentence, self._clock.now() + NEWS_TIME) if asks_nothing else None
            self._announced_under |= dict.fromkeys((*aloud, *sentences), self.announced_view.headline)
            self.unread_place = None
        elif _are_clocks_late(ruling) and has_running_clock(self.announced_view):
            self.show_table_notice(Sentence("shared.clocks_stood"))
        self._note_verdict(ruling, [] if mended or again else sentences)
        awaited = self._awaited_cue(ruling.state)
        if awaited not in {None, self._cue} and awaited == self._awaited_cue(self.game.referee.state):
            aloud = [said for said in aloud if awaited is None or said.key != awaited.said]
        if self.guide is None or not self.guide.silent:
            urgent, quiet = (
                {f"{rules.name}.{event}" for event in events}
                for events in (rules.board.urgent_events, rules.board.quiet_events)
            )
            self.voice.announce(aloud, urgent, {*quiet, QUIET_STANDINGS, f"{rules.name}.do."})
            if mended is None and not again and (effect := _effect_of(rules.board, ruling.news)):
                self.voice.play_effect(effect)
        lying = {(region, card): picture for region, (card, picture) in self._lying().items()}
        known = {**lying, **self.card_pictures}
        asked = rules.pictured_cards(ruling.state)
        self.card_pictures = {which: known[which] for which in asked if which in known}
        for listener in self._listeners:
            listener(ruling)
        if self.guide is not None:
            self.guide.handle_ruling(ruling)

    def _note_verdict(self, ruling: Announcement, sentences: list[Sentence]) -> None:
        """A verdict about one chair has its moment until anything else is announced, pressed or said."""
        moments = self.game.referee.rules.board.full_screen_words
        verdicts = [
            sentence
            for sentence in sentences
            if sentence.event in moments and isinstance(dict(sentence.parts).get("chair"), int)
        ]
        if verdicts:
            self._ruled = verdicts[-1], self._clock.now()
        elif sentences or isinstance(ruling.entry.cause, PLAYER_ACTIONS):
            self._ruled = None

    def current_verdict(self) -> tuple[Sentence, Micros] | None:
        """The verdict that has its moment now."""
        if self._ruled is None or self._clock.now() - self._ruled[1] >= VERDICT_TIME:
            return None
        return self._ruled

    @property
    def caption(self) -> Sentence | None:
        """What is being said, else what was announced last, while the headline is the one it came with.

        What a lesson says has its own place on the screen.
        """
        headline, spoken = self.announced_view.headline, self.voice.caption
        lesson = self.guide is not None and spoken is not None and spoken.key.startswith("lesson.")
        if lesson or spoken in self._withdrawn - self._announced_under.keys():
            spoken = None
        over = self._news is not None and self._news[0] is self.latest_sentence and self._news_end() is None
        latest = None if over else self.latest_sentence
        told = (said for said in (spoken, latest) if said is not None)
        return next((said for said in told if self._announced_under.get(said, headline) == headline), None)

    def _news_end(self) -> Micros | None:
        """When the newest sentence is no longer shown; None: it stays, or is over."""
        return None if self._news is None or self._news[1] <= self._clock.now() else self._news[1]

    def clear_announcements(self) -> None:
        """The table was laid again: what was said of another is not shown, though still heard."""
        self._withdrawn |= self._announced_under.keys()
        self.latest_sentence = self._ruled = None
        self._announced_under.clear()

    def _note_presses(self, ruling: Announcement) -> None:
        cause, until = ruling.entry.cause, self._clock.now() + NOTICE_TIME
        rules = self.game.referee.rules
        chair = cause.chair if isinstance(cause, ob.ButtonPressed | ob.ButtonReleased) else None
        asked = rules.asked_chairs(ruling.before)
        in_vain = isinstance(cause, ob.ButtonPressed) and not ruling.news
        if chair is not None and ruling.state.seat_of(chair) is None:
            self._notices[chair] = until, Sentence(NOT_IN_GAME, (("chair", chair),))
        elif in_vain and chair is not None and asked and chair not in asked:
            self._notices[chair] = until, Sentence("ui.not_your_turn")
        by_phone = (
            isinstance(cause, ob.ButtonPressed) and cause.source == PHONE_SOURCE and cause.within is None
        )
        if by_phone and chair is not None and rules.is_press_a_report(ruling.before, chair):
            self._notices[chair] = until, Sentence("ui.late.unplaced")
        if (
            isinstance(cause, ob.ButtonPressed)
            and cause.since is not None
            and chair is not None
            and rules.judge_race_press(ruling.before, chair, cause) is not None  # who was first matters
        ):
            within = round((cause.found - cause.since) / 1000)
            self._notices[chair] = until, Sentence("ui.late.unknown", (("ms", within),))
        if ruling.unsure and chair is not None:
            self._notices[chair] = until, Sentence("ui.late.unknown", (("ms", round(ruling.unsure / 1000)),))
        counted = False
        for event in ruling.news:
            vain = rules.ineffective_press(event)
            if vain is not None:
                self._notices[ruling.state.chair_of(vain[0])] = until, Sentence(f"ui.{vain[1]}")
            counted = counted or (vain is None and not isinstance(event, Infraction))
        if ruling.late and chair is not None:
            became = "counted" if counted else "void"
            self._notices[chair] = until, Sentence(f"ui.late.{became}", (("ms", round(ruling.late / 1000)),))

    def _note_storage(self) -> None:
        """Say once that nothing is being saved."""
        trouble = self.game.trouble
        unsaved = "" if trouble is None else trouble.key
        if unsaved != self._unsaved:
            self.latest_sentence = Sentence(f"shared.{unsaved or 'storage.back'}")
            self.voice.say([self.latest_sentence])
        self._unsaved = unsaved
        rewritten = self.game.referee.journal.rewrite_count
        if rewritten != self._rewritten:
            self._rewritten = rewritten
            self.show_table_notice(Sentence("shared.storage.again"))

    @property
    def storage_alarm(self) -> Sentence | None:
        """Why nothing is being saved now, as screen and phones say it."""
        trouble = self.game.trouble
        return None if trouble is None else Sentence(f"shared.alarm.{trouble.key}")

    def show_table_notice(self, sentence: Sentence) -> None:
        """Say for some seconds on the screen what became of the saved game, or of the clocks."""
        self._table_notice = self._clock.now() + TABLE_NOTICE_TIME, sentence

    def table_notice(self, now: Micros) -> Sentence | None:
        """What the table is being told of the saved game, or of the clocks."""
        until, sentence = self._table_notice
        return sentence if now < until else None

    def _awaited_cue(self, state: Any) -> Cue | None:
        """The cue whose first beat a state waits for."""
        return None if state.desk.paused else self.game.referee.rules.awaited_cue(state)

    def _update_cue(self, now: Micros) -> None:
        """Announcement and count are one clip; it starts when the announcement may be made.

        A count that is void falls silent at once; one that ran to its end is left its closing beep.
        """
        state = self.game.referee.state
        awaited = self._awaited_cue(state)
        if (
            awaited != self._cue
            and self._cue is not None
            and not self.game.referee.rules.is_window_open(state)
        ):
            if self._cue_ends is None or now < self._cue_ends:
                self.voice.stop_cue()
            self._cue = None
        if (
            awaited is not None
            and awaited != self._cue
            and awaited == self._awaited_cue(self._announced_state)
        ):
            self._cue, self._cue_ends = awaited, None
            if self.latest_sentence is not None and self.latest_sentence.key != awaited.said:
                self.latest_sentence = None  # what was said before the count is not said during it
            self.voice.play_cue(awaited)

    def note_frame_shown(self, view: View | None, pictured: Micros | None = None) -> None:
        """A frame with this table as of `pictured` was flipped; None: something else lies over it.

        Without a voice, or once it failed, the frame that asks for a count opens its window.
        """
        cue = None if view is None else view.cue
        now = self._clock.now()
        self._frames.append((now if pictured is None else pictured, now, view is not None))
        sounds = self.voice.available or (cue == self._cue and self._cue_ends is not None)
        if cue is not None and cue != self._shown and not sounds:
            self._report_first_beat(cue, now + SILENT_LEAD_IN, "screen")
            self._shown = cue
        elif cue is None:
            self._shown = None

    def _report_first_beat(self, cue: Cue, at: Micros, by: str) -> None:
        if cue == self._cue:
            self._cue_ends = at + cue.beats * SECOND
        self.submit(ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt, by=by))

    def _follow_sound(self, before: Micros, now: Micros) -> None:
        """Note when the count has sounded, which it had not at `before`.

        If the program stood still since, the card played what it held. Had it more to play, or should it have
        ended already, nobody knows.
        """
        if self._cue is None or not self.voice.count_finished:
            self._sounded_at = None
        elif self._sounded_at is None:
            held = before < (self._cue_ends or now) <= before + HELD_BY_CARD
            self._sounded_at = before if held or now - before <= HELD_BY_CARD else now

    def _stalled(self, count: CountView, due: Micros) -> bool | None:
        """Whether a count stood still up to its beat `due`: as `RefereedGame.stalled` asks."""
        if self.game.asked_cue not in {None, self._cue} and self.voice.available:
            return True  # a timer began it before its announcement was durable: nobody heard it
        now, limit = self._clock.now(), STALL * max(1, round(self._clock.speed))
        first = count.first_beat or 0
        last = first + count.beats * SECOND
        answers = [self._late(due, now, limit)]
        if due == first + SECOND < last:  # that it has begun is shown once that is judged
            answers.append(self._late(first, now, limit + self.game.grace))
        if due >= last and self._cue_ends is not None:
            finished_at = self._sounded_at
            # A card is handed the last of a sound before it is heard.
            late = max(self._cue_ends, now if finished_at is None else finished_at) - due > limit
            answers.append(None if finished_at is None and not late else late)
        return True if True in answers else None if None in answers else False

    def _late(self, beat: Micros, now: Micros, limit: Micros) -> bool | None:
        """Whether the first frame of this beat came too late; None: there is none yet."""
        was_watched = next((table for pictured, _, table in reversed(self._frames) if pictured < beat), False)
        if not was_watched:
            return False  # nobody looked at the table then
        flipped_at = next((flipped for pictured, flipped, _ in self._frames if pictured >= beat), None)
        late = (now if flipped_at is None else flipped_at) - beat > limit
        return None if flipped_at is None and not late else late

    def _update_look(self, now: Micros) -> None:
        look = self.game.referee.rules.camera_request(self.game.referee.state, now)
        regions = frozenset() if look is None else look.regions
        if regions != self._regions:
            self._regions = regions
            self.unread_place = self.unread_place if self.unread_place in regions else None
            if self._ask is not None:
                self._ask(look or CameraRequest(regions, now))

    def _nudge(self, now: Micros) -> None:
        if now - self._active < self._patience:
            return
        self._active, self._patience = now, 2 * self._patience
        asked_chairs = [chair.chair for chair in self.game.view.chairs if chair.asked]
        silent = self.guide is not None and self.guide.silent
        silent |= self.game.referee.rules.has_clocks  # a long turn is told as agreed
        if len(asked_chairs) == 1 and not self.game.over and not silent:
            self.voice.say([Sentence("shared.nudge", (("chair", asked_chairs[0]),))])

    def _tell_clocks(self, now: Micros) -> None:
        said = list(self._clock_voice.sentences(self.game.view, now))
        if said and not self.game.over and not (self.guide is not None and self.guide.silent):
            self.voice.say(said)

    # Showing ----------------------------------------------------------------------------------------------

    def has_new_urgent_ruling(self) -> bool:
        """Whether something was ruled, since this was last asked, that nobody may miss."""
        rules, entries = self.game.referee.rules, self.game.referee.journal.entries
        new, self._looked_up = entries[self._looked_up :], len(entries)
        return any(rules.needs_attention(event) for entry in new for event in entry.events)

    @property
    def watched_places(self) -> frozenset[str]:
        """The places where certainty is needed now."""
        return self._regions

    def lamps(self) -> dict[Chair, LampSignal]:
        """Lamps from state, plus presses that are not judged yet: first light."""
        if self.lamp_override is not None:
            return dict.fromkeys(self.lamp_override, LampSignal.LIT)
        down, fresh = self.game.buttons_maybe_down(), self.game.unjudged_buttons()
        return {chair.chair: _lamp_state(chair, down, fresh) for chair in self.game.view.chairs}

    @property
    def view(self) -> View:
        return self.game.view

    @property
    def announced_view(self) -> View:
        """The table as of the last ruling that is durable; `view` may be ahead of it by one commit."""
        if not self.game.waiting:
            return self.game.view
        state = self._announced_state
        if self._told_view is None or self._told_view[0] is not state:
            self._told_view = state, self.game.referee.rules.view(state)
        return self._told_view[1]

    def next_due(self) -> Micros | None:
        """When `step` has something to do, if nothing is reported before."""
        guided = None if self.guide is None else self.guide.next_due()
        clocks = self._clock_voice.next_due()
        nudge = self._active + self._patience
        return earliest(self.game.next_due(), guided, clocks, nudge, self._news_end())


def _are_clocks_late(ruling: Announcement) -> bool:
    """Whether the clocks go on because the program does again."""
    shifted = any(isinstance(event, ClocksShifted) for event in ruling.news)
    return shifted and isinstance(ruling.entry.cause, ob.ProgramStalled)


def _effect_of(board: Board, events: Iterable[Event]) -> SoundEffect | None:
    """What a ruling sounds like: its last event that has a sound; a broken rule has one in every game."""
    sounds: Mapping[str, SoundEffect] = {kind_of(Infraction): "knock", **board.event_sounds}
    heard = [sounds[kind] for kind in map(kind_of, events) if kind in sounds]
    return heard[-1] if heard else None


def _lamp_state(
    chair: ChairView, down: frozenset[switch.ButtonId], fresh: frozenset[switch.ButtonId]
) -> LampSignal:
    line = (chair.chair, "seat")
    first = (chair.lamp is LampSignal.DARK and line in fresh) or (
        chair.lamp is LampSignal.SLOW and line in down
    )
    return LampSignal.LIT if chair.asked and first else chair.lamp
