"""Runs a drill: buttons, keys and touch in, the drill's own page out; no store, no journal, no game."""

import secrets
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue
from random import Random
from statistics import median
from typing import Any, Protocol

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import Clock, GameClock
from companion.core.debounce import Debouncer
from companion.core.errors import INTERRUPTED, InputError
from companion.core.exhibits import Stage, Trained
from companion.core.observations import ButtonPressed, Observation
from companion.core.one_button import Edge, Line
from companion.games import GAMES
from companion.run.display import headless, need_screen
from companion.run.looks import colours_of, glass_of, screen_of, words_of
from companion.run.stopping import stopped_in_order
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json
from companion.table.rounds import rounds
from companion.table.window import table_window
from companion.ui import commands as do
from companion.ui.frame import PALETTE
from companion.ui.glass import Glass
from companion.ui.inputs import Closed
from companion.ui.pages.drill import DrillFrame, DrillPage
from companion.ui.window import Window

PUMP: Micros = 4_000
"""Keys and touch are stamped when they are pumped."""
LINGER: Micros = 6 * SECOND
"""How long a simulated drill shows what came of it."""
Inbox = SimpleQueue[Edge | Observation | None]


class Drill(Protocol):
    """Timing practice for everybody who joins."""

    stage: Stage
    left: int
    """Signals still to come."""

    @property
    def results(self) -> tuple[Trained, ...]: ...

    @property
    def pictures(self) -> tuple[str, str]:
        """What is waited for and what lies on top; alike: it is the signal."""

    def due(self) -> Micros | None: ...

    def press(self, chair: Chair, at: Micros) -> None: ...

    def advance(self, now: Micros) -> None: ...

    def shown(self, now: Micros) -> None: ...


class Practice:
    """The loop's business with a drill: what comes in, what is judged, what is drawn."""

    def __init__(
        self,
        clock: Clock,
        inbox: Inbox,
        window: Window,
        page: DrillPage,
        glass: Glass,
        *,
        make: Callable[[], Drill],
        level: Callable[[Chair | None, str], bool | None] | None = None,
        colours: tuple[str, ...] = PALETTE,
        poll: Callable[[], object] | None = None,
        light: Callable[[frozenset[Line], Micros], None] | None = None,
    ) -> None:
        self.left = False
        self.drill = make()
        self.glass = glass
        self._make = make
        self.window = window
        self._clock = clock
        self._inbox = inbox
        self._page = page
        self._colours = colours
        self._debouncer = Debouncer(level)
        self._poll = poll
        self._light = light
        self._shown = ""
        """The card on top of the picture that was shown last."""

    def leave(self) -> None:
        """End it with this round, be it waiting or not.

        A signal that comes while Python 3.11 waits in a queue can leave it there for good: its answer takes
        longer than the wait had left, and what is left then is negative, which means for ever.
        """
        self.left = True
        self._inbox.put(None)

    def hear(self, edge: Edge) -> None:
        self._debouncer.edge(edge, heard=self._clock.now())

    def turn(self) -> None:
        """Take input, judge, draw."""
        if self._poll is not None:
            self._poll()
        for entered in self.window.pump():
            if isinstance(entered, Closed):
                self.left = True
                return
            self._handle(entered)
        now = self._clock.now()
        for seen in self._debouncer.advance(now):
            if isinstance(seen, ButtonPressed):
                self._pressed(seen)
        self.drill.advance(now)
        if self._light is not None:
            self._light(self._debouncer.lit(), now)
        self.draw()

    def wait(self) -> None:
        """Until something is reported or due."""
        timeout = self._clock.seconds_until(self.due())
        try:
            seen = self._inbox.get(timeout=max(0.0, timeout))
            while True:
                if isinstance(seen, Edge):
                    self.hear(seen)
                seen = self._inbox.get_nowait()
        except Empty:
            return

    def draw(self) -> None:
        """Show what is new; from that instant on the card on top could be seen."""
        frame, before = self.frame(), self.drill.pictures[1]
        if not self._page.needs_redraw(frame, self._clock.now()):
            return
        self._page.draw(self.window.surface, frame, self._clock.now())
        self.window.flip()
        if before != self._shown:
            self._shown = before
            self.drill.shown(self._clock.now())

    def frame(self) -> DrillFrame:
        drill = self.drill
        buried, lying = drill.pictures
        return DrillFrame(
            glass=self.glass,
            colours=self._colours,
            stage=drill.stage.value,
            trained=drill.results,
            buried=buried,
            lying=lying,
            left=drill.left,
            pressed=frozenset(chair for chair, _ in self._debouncer.lit() if chair is not None),
        )

    def due(self) -> Micros:
        """When the next turn is worth it, if nothing comes before."""
        dues = [self._clock.now() + PUMP, self._debouncer.next_due(), self.drill.due()]
        return min(due for due in dues if due is not None)

    def _pressed(self, seen: ButtonPressed) -> None:
        if seen.chair is not None:
            self.drill.press(seen.chair, seen.at)
        else:
            self._handle(seen)

    def _handle(self, entered: Any) -> None:
        self.glass, wanted = self._page.handle(entered, self.frame())
        for command in wanted:
            match command:
                case do.Leave():
                    self.left = True
                case do.Rematch():
                    self.drill = self._make()
                case do.ChairPress():
                    now = self._clock.now()
                    edge = Edge(command.chair, "seat", level=command.down, at=now, source=command.source)
                    self._debouncer.edge(edge)


def run_drill(
    settings: Settings, *, signals: int, simulate: bool, seed: int | None, as_json: bool = False
) -> int:
    """`companion drill`, until the players leave; simulated, until it is over. Returns the exit status.

    Raises `InputError` if no installed game has a drill.
    """
    made = next((game.drill for game in GAMES.values() if game.drill is not None), None)
    if made is None:
        raise InputError("None of the installed games has a drill.")
    blind = headless()
    if not simulate:
        need_screen("companion drill")
    elif blind:
        say("No display: the drill runs, but you cannot see it.", error=as_json)
    clock = GameClock()
    inbox: Inbox = SimpleQueue()
    chance = Random(secrets.randbelow(1 << 30) if seed is None else seed)
    with ExitStack() as stack:
        parts = _simulated(clock, inbox, stack, chance) if simulate else _real(settings, clock, inbox, stack)
        people: Callable[[Drill, Micros], None] | None = parts.pop("people", None)
        practice = build_drill(settings, clock, inbox, lambda: made(chance, signals=signals), **parts)
        stack.callback(practice.window.close)
        if not simulate:
            need_screen("companion drill", practice.window)
        over: Micros | None = None

        def ended() -> bool:
            nonlocal over
            if people is not None:
                people(practice.drill, clock.now())
            if practice.drill.stage is not Stage.OVER:
                over = None
            elif over is None:
                over = clock.now()
                tell(practice.drill, as_json=as_json)
            return over is not None and simulate and clock.now() - over > (0 if blind else LINGER)

        # Nothing is kept, so a signal does not wait for what is closed either.
        with stopped_in_order(practice.leave) as stopped, stack.pop_all():
            rounds(practice, over=ended)
            if stopped.came:
                tell(practice.drill, as_json=as_json)
    return INTERRUPTED if signal.SIGINT in stopped.came else 0


def build_drill(
    settings: Settings, clock: Clock, inbox: Inbox, make: Callable[[], Drill], **parts: Any
) -> Practice:
    """The drill on this table's screen; `parts` are those of its buttons."""
    return Practice(
        clock,
        inbox,
        table_window(settings, "Table companion: drill"),
        DrillPage(screen_of(settings, words_of(settings))),
        glass_of(settings),
        make=make,
        colours=colours_of(settings),
        **parts,
    )


def tell(drill: Drill, *, as_json: bool = False) -> None:
    """The results as lines of text, or as one line of JSON."""
    if as_json:
        rows = (
            {
                "chair": trained.chair + 1,
                "reactions": list(trained.reactions),
                "early": trained.early,
                "missed": trained.misses,
            }
            for trained in drill.results
        )
        say_json(list(rows), indent=None)
        return
    for trained in drill.results:
        typical = f"{median(trained.reactions) / 1000:.0f} ms" if trained.reactions else "none"
        say(
            f"chair {trained.chair + 1}: reaction {typical}, {len(trained.reactions)} in time, "
            f"{trained.early} early, {trained.misses} missed"
        )


def _real(settings: Settings, clock: GameClock, inbox: Inbox, stack: ExitStack) -> dict[str, Any]:
    """The parts of the buttons there are; without any, keys and touch are enough."""
    from companion.run import buttons
    from hardware.errors import HardwareError
    from hardware.pins import pin_table

    parts: dict[str, Any] = {}
    try:
        pins = pin_table(settings.buttons.pins, settings.buttons.lamps)
        panel, lamps = buttons.on_pins(settings, pins, clock, inbox, stack)
        parts |= {"level": panel.level, "light": buttons.lit_while_down(lamps)}
    except HardwareError as trouble:
        say(f"No buttons on the pins: {trouble}")
    with suppress(HardwareError):
        parts["poll"] = buttons.by_usb(settings, clock, inbox, stack).poll
    return parts


def _simulated(clock: GameClock, inbox: Inbox, stack: ExitStack, chance: Random) -> dict[str, Any]:
    """The parts of mock pins, and three people who react as people do."""
    from companion.run import buttons

    panel, fingers = buttons.simulated(clock, inbox, stack, chance)

    def tap(chair: Chair, at: Micros) -> None:
        fingers.do(lambda panel: panel.tap(chair, at=at))

    people = SimulatedPeople(tap, Random(chance.random()))
    return {"level": panel.buttons.level, "light": buttons.lit_while_down(panel.lamps), "people": people}


class SimulatedPeople:
    """Three people at a drill: quick, slow, and one who is sometimes early or asleep."""

    def __init__(self, press: Callable[[Chair, Micros], None], chance: Random) -> None:
        self._press = press
        self._chance = chance
        self._seen: tuple[str, str, int] | None = None
        self._joined = False

    def __call__(self, drill: Drill, now: Micros) -> None:
        """Look at the screen, and decide what the finger does."""
        if not self._joined:
            self._joined = True
            for chair in range(3):
                self._press(chair, now + (chair + 1) * 300_000)
        buried, lying = drill.pictures
        seen = (buried, lying, drill.left)
        if seen == self._seen:
            return
        self._seen = seen
        if lying and lying == buried:
            for chair, typical in enumerate((280, 420, 350)):
                if chair == 2 and self._chance.random() < 0.2:
                    continue
                self._press(chair, now + round(self._chance.gauss(typical, 40)) * 1_000)
        elif lying and self._chance.random() < 0.12:
            self._press(2, now + 300_000)
