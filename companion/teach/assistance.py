"""Levels of help in a real game, from Teach to Tournament.

At the first two levels each rule is explained once, when it first applies, which is remembered. A declaration
or reading that would break a rule is held back with a warning; it is ruled if it is repeated or left as it
is. Presses are never held back, and nothing is while a timed window is open.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Micros
from companion.core.switch import Edge
from companion.core.view import Guidance, Sentence
from companion.referee.loop import Announcement, RefereedGame
from companion.system import safe_files
from companion.system.file_owner import make_folder
from companion.system.safe_files import SizeLimit

GUIDED_LEVELS = frozenset({"teach", "assisted"})
NOTE_TIME: Micros = 20 * SECOND
"""How long a note is shown unless it is closed."""
REPEAT_WINDOW: Micros = 20 * SECOND
"""A declaration repeated within this time is accepted."""
RULING_DELAY: Micros = 6 * SECOND
"""How long cards may break a rule before that is ruled."""
MAX_REMEMBERED = 400
"""Most rules remembered; there are fewer."""


class HeldReading(NamedTuple):
    """Readings that are held back because the cards would break a rule."""

    seen: ob.TableSeen
    since: Micros
    rule: ev.Infraction
    warn: Micros
    """When to warn: some readings are judged only after a quiet time, until which they may change."""
    warned: bool = False


class ExplainedRules:
    """The rules already explained at this table, kept in a small file beside its games if possible."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        try:
            text = "" if file is None else safe_files.read_text(file, SizeLimit.NOTE)
        except (OSError, UnicodeDecodeError):
            text = ""
        self._explained = dict.fromkeys(line for line in text.splitlines()[:MAX_REMEMBERED] if line)

    def __contains__(self, rule: str) -> bool:
        return rule in self._explained

    def add(self, rule: str) -> None:
        """Remember a rule. If that cannot be saved, it is merely explained again another day."""
        self._explained[rule] = None
        if self._file is None:
            return
        try:
            make_folder(self._file.parent)
            self._file.write_text("\n".join(self._explained) + "\n", encoding="utf-8")
        except OSError:
            self._file = None

    def forget_all(self) -> None:
        """Forget everything, for new players."""
        self._explained.clear()
        if self._file is not None:
            self._file.unlink(missing_ok=True)


class Assistance:
    """The level of help in one game."""

    def __init__(
        self,
        game: RefereedGame,
        memory: ExplainedRules,
        *,
        level: str,
        say: Callable[[Sequence[Sentence]], None],
        now: Callable[[], Micros],
    ) -> None:
        self.level = level
        self._game = game
        self._memory = memory
        self._say = say
        self._now = now
        self._note: tuple[str, Sentence, Micros] | None = None
        self._unexplained: list[Sentence] = []
        """Rules waiting to be explained after the current note."""
        self._warned: tuple[Action, Micros] | None = None
        self._lying: HeldReading | None = None

    def set_level(self, level: str) -> None:
        """Change the level during a game."""
        self.level = level
        self._note = None
        self._unexplained.clear()

    @property
    def silent(self) -> bool:
        """Whether only the count is spoken."""
        return self.level == "tournament"

    # What is shown ----------------------------------------------------------------------------------------

    def guidance(self) -> Guidance | None:
        """The current note; none while a timed window is open."""
        if self._note is None or self._window_open() or self._game.over:
            return None
        kind, say, _ = self._note
        return Guidance(kind, Sentence(f"lesson.{kind}"), say, 0, 0, self._chair())

    def _chair(self) -> Chair:
        return next((chair.chair for chair in self._game.view.chairs if chair.asked), 0)

    def _window_open(self) -> bool:
        return self._game.referee.rules.is_window_open(self._game.referee.state)

    # What happens -----------------------------------------------------------------------------------------

    def admits(self, seen: Edge | ob.Observation) -> bool:
        """Whether an observation is ruled now; one that would break a rule is warned about first."""
        if self.level not in GUIDED_LEVELS or self._window_open():
            return True
        match seen:
            case ob.ActionDeclared():
                return self._allows_declared(seen)
            case ob.TableSeen():
                return self._allows_reading(seen)
        return True

    def _allows_declared(self, seen: ob.ActionDeclared) -> bool:
        broken = self._find_infraction(seen)
        if broken is None:
            return True
        before, self._warned = self._warned, (seen.action, self._now())
        if before is not None and before[0] == seen.action and self._now() - before[1] < REPEAT_WINDOW:
            self._warned = self._note = None
            return True
        self._warn(broken)
        return False

    def _allows_reading(self, seen: ob.TableSeen) -> bool:
        """Judges a reading together with those held back before, because only changes are read."""
        now, held = self._now(), self._lying
        regions = {} if held is None else {region.name: region for region in held.seen.regions}
        regions |= {region.name: region for region in seen.regions}
        whole = replace(seen, regions=tuple(regions.values()))
        broken, wait = self._foresee_infraction(whole)
        if broken is not None:
            warned = held is not None and held.warned and held.rule == broken
            self._lying = HeldReading(whole, now, broken, now + wait, warned=warned)
            self._warn_of_held_reading(now)
            return False
        self._lying = None
        if self._note is not None and self._note[0] == "warn":
            self._note = None
        if held is None:
            return True
        self._game.post(whole, now)
        return False

    def _warn_of_held_reading(self, now: Micros) -> None:
        held = self._lying
        if held is not None and not held.warned and now >= held.warn:
            self._lying = held._replace(warned=True)
            self._warn(held.rule)

    def _find_infraction(self, seen: Any) -> ev.Infraction | None:
        """The infraction that an observation would be, if any."""
        return self._foresee_infraction(seen)[0]

    def _foresee_infraction(self, seen: Any) -> tuple[ev.Infraction | None, Micros]:
        """The infraction that an observation would be, and the quiet time after which it is ruled."""
        referee = self._game.referee
        rules, state = referee.rules, referee.state
        rulings = rules.decide(state, seen)
        at_once = _first_infraction(rulings)
        if at_once is not None or not isinstance(seen, ob.TableSeen):
            return at_once, 0
        then = reduce(rules.evolve, rulings, state)
        timer = rules.next_timer(then)
        if timer is None or timer == rules.next_timer(state):
            return None, 0
        later = rules.decide(then, ob.TimerElapsed(at=timer.due, timer=timer.name))
        return _first_infraction(later), max(0, timer.due - seen.at)

    def _warn(self, broken: ev.Infraction) -> None:
        rules = self._game.referee.rules
        self._show_note(
            "warn", Sentence(f"{rules.name}.why.{rules.explanation_key(self._game.referee.state, broken)}")
        )

    def _show_note(self, kind: str, say: Sentence) -> None:
        self._note = kind, say, self._now()
        self._say([Sentence(f"lesson.{kind}"), say])

    def handle_ruling(self, ruling: Announcement) -> None:
        """Queue the rules behind a ruling that have not been explained at this table."""
        if self.level not in GUIDED_LEVELS or ruling.entry.retracts is not None:
            return
        rules = self._game.referee.rules
        for event in ruling.news:
            if rules.sentence(ruling.state, event) is None or isinstance(event, ev.Infraction | ev.Repair):
                continue
            rule = f"{rules.name}.why.{rules.explanation_key(ruling.state, event)}"
            if type(event).__module__ != ev.__name__ and rule not in self._memory:
                self._memory.add(rule)
                self._unexplained.append(Sentence(rule))
        self._explain_next()

    def _explain_next(self) -> None:
        """Explain the next rule, once the last note is gone and no window is open."""
        if self._note is None and self._unexplained and not self._window_open():
            self._show_note("note", self._unexplained.pop(0))

    def advance(self, now: Micros) -> None:
        """Remove old notes, and rule on cards that were left as they were."""
        if self._note is not None and now - self._note[2] >= NOTE_TIME:
            self._note = None
        self._warn_of_held_reading(now)
        if self._lying is not None and now >= self._lying.warn + RULING_DELAY:
            seen, self._lying, self._note = self._lying.seen, None, None
            self._game.post(seen, now)
        self._explain_next()

    def next_due(self) -> Micros | None:
        dues = [] if self._note is None else [self._note[2] + NOTE_TIME]
        if self._lying is not None:
            dues.append(self._lying.warn + (RULING_DELAY if self._lying.warned else 0))
        return min(dues, default=None)

    def handle_request(self, what: str) -> None:
        """`next` closes the note, `repeat` speaks it again."""
        if what == "next":
            self._note = None
        elif what == "repeat" and self._note is not None:
            self._say([self._note[1]])


def _first_infraction(rulings: Sequence[Any]) -> ev.Infraction | None:
    return next((event for event in rulings if isinstance(event, ev.Infraction)), None)
