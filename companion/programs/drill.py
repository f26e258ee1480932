"""`companion drill`: timing practice with buttons, keys or touch, without a game."""

import secrets
import signal
from collections.abc import Callable
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from random import Random
from statistics import median
from typing import Any, Protocol

from companion.core.actions import PALETTE, SECOND, Chair, Micros
from companion.core.clock import Clock, GameClock, earliest
from companion.core.debounce import Debouncer
from companion.core.errors import EXIT_INTERRUPTED, InputError
from companion.core.exhibits import DrillResult, DrillStage
from companion.core.observations import ButtonPressed, Observation
from companion.core.switch import ButtonId, Edge
from companion.games import GAMES
from companion.programs.display import is_headless, require_screen
from companion.settings.model import Settings
from companion.system.fault_isolation import drain_queue
from companion.system.signals import stop_on_signals
from companion.system.terminal import print_json, print_lines
from companion.table.runtime import (
    TOUCH_POLL_INTERVAL,
    build_page_resources,
    build_window,
    chair_colours,
    initial_ui_state,
    language_factory,
    run_loop,
)
from companion.ui import commands as do
from companion.ui.frame import UiState
from companion.ui.pages.drill import DrillFrame, DrillPage
from companion.ui.toolkit.inputs import CloseRequested
from companion.ui.toolkit.window import Window

RESULT_TIME: Micros = 6 * SECOND
"""How long a simulated drill shows what came of it."""
Inbox = SimpleQueue[Edge | Observation | None]


class DrillProtocol(Protocol):
    """Timing practice for everybody who joins."""

    stage: DrillStage
    left: int
    """Signals still to come."""

    @property
    def results(self) -> tuple[DrillResult, ...]: ...

    @property
    def pictures(self) -> tuple[str, str]:
        """What is waited for and what lies on top; alike: it is the signal."""

    def due(self) -> Micros | None: ...

    def press(self, chair: Chair, at: Micros) -> None: ...

    def advance(self, now: Micros) -> None: ...

    def mark_shown(self, now: Micros) -> None: ...


class DrillLoop:
    """The loop's business with a drill: what comes in, what is judged, what is drawn."""

    def __init__(
        self,
        clock: Clock,
        inbox: Inbox,
        window: Window,
        page: DrillPage,
        ui_state: UiState,
        *,
        make: Callable[[], DrillProtocol],
        level: Callable[[Chair | None, str], bool | None] | None = None,
        colours: tuple[str, ...] = PALETTE,
        poll: Callable[[], object] | None = None,
        light: Callable[[frozenset[ButtonId], Micros], None] | None = None,
    ) -> None:
        self.quit_requested = False
        self.drill = make()
        self.ui_state = ui_state
        self._make = make
        self.window = window
        self._clock = clock
        self._inbox = inbox
        self._page = page
        self._colours = colours
        self._debouncer = Debouncer(level)
        self._poll = poll
        self._light = light
        self._last_card = ""
        """The card on top of the picture that was shown last."""

    def leave(self) -> None:
        """End it with this round, be it waiting or not.

        A signal that comes while Python 3.11 waits in a queue can leave it there for good: its answer takes
        longer than the wait had left, and what is left then is negative, which means for ever.
        """
        self.quit_requested = True
        self._inbox.put(None)

    def run_once(self) -> None:
        """Take input, judge, draw."""
        if self._poll is not None:
            self._poll()
        for seen in drain_queue(self._inbox):
            if isinstance(seen, Edge):
                self._debouncer.add_edge(seen, arrived=self._clock.now())
        for entered in self.window.read_events():
            if isinstance(entered, CloseRequested):
                self.quit_requested = True
                return
            self._handle(entered)
        now = self._clock.now()
        for pressed in self._debouncer.advance(now):
            if isinstance(pressed, ButtonPressed):
                self._handle_press(pressed)
        self.drill.advance(now)
        if self._light is not None:
            self._light(self._debouncer.buttons_maybe_down(), now)
        self.draw()

    def draw(self) -> None:
        """Show what is new; from that instant on the card on top could be seen."""
        frame, before = self.frame(), self.drill.pictures[1]
        if not self._page.needs_redraw(frame, self._clock.now()):
            return
        self._page.draw(self.window.surface, frame, self._clock.now())
        self.window.flip()
        if before != self._last_card:
            self._last_card = before
            self.drill.mark_shown(self._clock.now())

    def frame(self) -> DrillFrame:
        drill = self.drill
        buried, lying = drill.pictures
        return DrillFrame(
            ui_state=self.ui_state,
            colours=self._colours,
            stage=drill.stage.value,
            trained=drill.results,
            buried=buried,
            lying=lying,
            left=drill.left,
            pressed=frozenset(
                chair for chair, _ in self._debouncer.buttons_maybe_down() if chair is not None
            ),
        )

    def next_due(self) -> Micros | None:
        """When the next turn is worth it, if nothing comes before."""
        polled = self._clock.now() + TOUCH_POLL_INTERVAL
        return earliest(self._debouncer.next_due(), self.drill.due(), polled)

    def _handle_press(self, seen: ButtonPressed) -> None:
        if seen.chair is not None:
            self.drill.press(seen.chair, seen.at)
        else:
            self._handle(seen)

    def _handle(self, entered: Any) -> None:
        self.ui_state, wanted = self._page.handle(entered, self.frame())
        for command in wanted:
            match command:
                case do.LeaveOrQuit():
                    self.quit_requested = True
                case do.Rematch():
                    self.drill = self._make()
                case do.ChairPress():
                    now = self._clock.now()
                    edge = Edge(command.chair, "seat", level=command.down, at=now, source=command.source)
                    self._debouncer.add_edge(edge)


def run_drill(
    settings: Settings, *, signals: int, simulate: bool, seed: int | None, as_json: bool = False
) -> int:
    """`companion drill`, until the players leave; simulated, until it is over. Returns the exit status.

    Raises `InputError` if no installed game has a drill.
    """
    made = next((game.drill for game in GAMES.values() if game.drill is not None), None)
    if made is None:
        raise InputError("None of the installed games has a drill.")
    blind = is_headless()
    if not simulate:
        require_screen("companion drill")
    elif blind:
        print_lines("No display: the drill runs, but you cannot see it.", error=as_json)
    clock = GameClock()
    inbox: Inbox = SimpleQueue()
    chance = Random(secrets.randbelow(1 << 30) if seed is None else seed)
    with ExitStack() as stack:
        parts = (
            _simulate_people(clock, inbox, stack, chance)
            if simulate
            else _open_real_buttons(settings, clock, inbox, stack)
        )
        people: Callable[[DrillProtocol, Micros], None] | None = parts.pop("people", None)
        practice = build_drill_loop(settings, clock, inbox, lambda: made(chance, signals=signals), **parts)
        stack.callback(practice.window.close)
        if not simulate:
            require_screen("companion drill", practice.window)
        over: Micros | None = None

        def is_over() -> bool:
            nonlocal over
            if people is not None:
                people(practice.drill, clock.now())
            if practice.drill.stage is not DrillStage.OVER:
                over = None
            elif over is None:
                over = clock.now()
                print_results(practice.drill, as_json=as_json)
            return over is not None and simulate and clock.now() - over > (0 if blind else RESULT_TIME)

        # Nothing is kept, so a signal does not wait for what is closed either.
        with stop_on_signals(practice.leave) as stopped, stack.pop_all():
            run_loop(practice, clock, inbox, over=is_over)
            if stopped.came:
                print_results(practice.drill, as_json=as_json)
    return EXIT_INTERRUPTED if signal.SIGINT in stopped.came else 0


def build_drill_loop(
    settings: Settings, clock: Clock, inbox: Inbox, make: Callable[[], DrillProtocol], **parts: Any
) -> DrillLoop:
    """The drill on this table's screen; `parts` are those of its buttons."""
    return DrillLoop(
        clock,
        inbox,
        build_window(settings, "Table companion: drill"),
        DrillPage(build_page_resources(settings, language_factory(settings))),
        initial_ui_state(settings),
        make=make,
        colours=chair_colours(settings),
        **parts,
    )


def print_results(drill: DrillProtocol, *, as_json: bool = False) -> None:
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
        print_json(list(rows), indent=None)
        return
    for trained in drill.results:
        typical = f"{median(trained.reactions) / 1000:.0f} ms" if trained.reactions else "none"
        print_lines(
            f"chair {trained.chair + 1}: reaction {typical}, {len(trained.reactions)} in time, "
            f"{trained.early} early, {trained.misses} missed"
        )


def _open_real_buttons(
    settings: Settings, clock: GameClock, inbox: Inbox, stack: ExitStack
) -> dict[str, Any]:
    """The parts of the buttons there are; without any, keys and touch are enough."""
    from companion.programs import standalone_buttons
    from hardware.errors import HardwareError
    from hardware.pin_table import build_pin_table

    parts: dict[str, Any] = {}
    try:
        chosen = settings.buttons
        pins = build_pin_table(chosen.pins, chosen.lamps, chairs=settings.table.chairs)
        panel, lamps = standalone_buttons.open_pins(settings, pins, clock, inbox, stack)
        parts |= {"level": panel.read_level, "light": standalone_buttons.build_lamp_follower(lamps)}
    except HardwareError as trouble:
        print_lines(f"No buttons on the pins: {trouble}")
    with suppress(HardwareError):
        parts["poll"] = standalone_buttons.open_usb(settings, clock, inbox, stack).poll
    return parts


def _simulate_people(clock: GameClock, inbox: Inbox, stack: ExitStack, chance: Random) -> dict[str, Any]:
    """The parts of mock pins, and three people who react as people do."""
    from companion.programs import standalone_buttons

    panel, fingers = standalone_buttons.simulate_buttons(clock, inbox, stack, chance)

    def tap(chair: Chair, at: Micros) -> None:
        fingers.run_job(lambda panel: panel.tap(chair, at=at))

    people = SimulatedPeople(tap, Random(chance.random()))
    return {
        "level": panel.buttons.read_level,
        "light": standalone_buttons.build_lamp_follower(panel.lamps),
        "people": people,
    }


class SimulatedPeople:
    """Three people at a drill: quick, slow, and one who is sometimes early or asleep."""

    def __init__(self, press: Callable[[Chair, Micros], None], chance: Random) -> None:
        self._press = press
        self._chance = chance
        self._last_seen: tuple[str, str, int] | None = None
        self._joined = False

    def __call__(self, drill: DrillProtocol, now: Micros) -> None:
        """Look at the screen, and decide what the finger does."""
        if not self._joined:
            self._joined = True
            for chair in range(3):
                self._press(chair, now + (chair + 1) * 300_000)
        buried, lying = drill.pictures
        seen = (buried, lying, drill.left)
        if seen == self._last_seen:
            return
        self._last_seen = seen
        if lying and lying == buried:
            for chair, typical in enumerate((280, 420, 350)):
                if chair == 2 and self._chance.random() < 0.2:
                    continue
                self._press(chair, now + round(self._chance.gauss(typical, 40)) * 1_000)
        elif lying and self._chance.random() < 0.12:
            self._press(2, now + 300_000)
