"""Simulated buttons, lamps or cameras for tests or the demo.

gpiozero's MockPin stamps with the machine's clock even when the factory's `ticks` says otherwise, so these
pins stamp with the game's. The buttons and lamps on them are the real classes.
"""

import heapq
from collections.abc import Callable, Sequence
from itertools import count
from queue import Empty, SimpleQueue
from random import Random
from threading import Thread
from typing import NamedTuple

from gpiozero.pins.mock import MockFactory, MockPin

from companion.core.actions import Chair, Micros
from companion.core.clock import Clock
from companion.core.switch import ButtonId
from hardware.buttons import ButtonPanel, PutEdge
from hardware.camera import CameraFrame, Image
from hardware.errors import CameraError
from hardware.lamps import LampPanel
from hardware.pin_table import PinTable, build_pin_table

PI_4B_REVISION = "c03111"
"""The board the pins pretend to belong to: its header says where real pull-ups are."""
TAP_DURATION: Micros = 120_000
"""How long a finger rests on a button when it just presses."""


class ClockedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin whose edges carry the factory's time."""

    def clear_states(self) -> None:
        self._last_change = self.factory.ticks()
        self.states: list[object] = []

    def _change_state(self, value: bool) -> bool:  # noqa: FBT001 (the base's promise)
        if self.state == value:
            return False
        # `states` stays empty: a lamp that blinks for an evening would fill it.
        self._state = value
        self._last_change = self.factory.ticks()
        return True


class ClockedFactory(MockFactory):  # type: ignore[misc]
    """Mock pins that live in game time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.stamp: Micros | None = None
        """The instant of the edge being driven: the kernel's stamp, however late the program is."""
        super().__init__(revision=PI_4B_REVISION, pin_class=ClockedPin)

    def ticks(self) -> float:
        """The time in seconds of the monotonic clock, as gpiozero's pins report it."""
        at = self._clock.now() if self.stamp is None else self.stamp
        return self._clock.to_monotonic_ns(at) / 1e9


MAX_PROMPT_DELAY: Micros = 2_000
"""A finger that moves so soon after its turn has moved in time."""


class ContactMovement(NamedTuple):
    """What a contact does once a finger moves: after how long it closes or opens."""

    moves: tuple[tuple[Micros, bool], ...]
    lost: bool
    """The kernel loses the edges."""


class SimulatedPanel:
    """The table's buttons and lamps on mock pins, with somebody's fingers on them.

    Edges are driven by `advance`, each with the stamp it was planned for: call it when `next_due` is reached,
    or leave that to `FingerThread`. Without bounce a press is one clean edge.
    """

    def __init__(self, clock: Clock, put: PutEdge, *, chance: Random, pins: PinTable | None = None) -> None:
        self._clock = clock
        self._chance = chance
        self._pins = pins or build_pin_table()
        self._planned: list[tuple[Micros, int, ButtonId, ContactMovement]] = []
        self._behind: Micros = 0
        """How much later than planned everything happens."""
        self._begun: list[tuple[Micros, int, ButtonId, bool, bool]] = []
        """Edges of contacts that move already: instant, order, button, whether down, whether lost."""
        self._order = count()
        self.factory = ClockedFactory(clock)
        self.buttons = ButtonPanel(self.factory, self._pins, clock, put)
        self.lamps = LampPanel(self.factory, self._pins)

    def press(
        self,
        chair: Chair | None,
        button: str = "seat",
        *,
        at: Micros | None = None,
        bounce_ms: float = 3.0,
        hold: Micros | None = None,
    ) -> None:
        """Push a button down at `at` (default: now), and let it go `hold` microseconds later, if given.

        The contact bounces for `bounce_ms` milliseconds.
        """
        start = self._clock.now() if at is None else at
        moves = self._bouncing_edges(bounce_ms, down=True)
        if hold is not None:
            let_go = self._bouncing_edges(min(bounce_ms, hold / 2_000), down=False)
            moves += [(hold + after, down) for after, down in let_go]
        self._plan_movement(start, (chair, button), moves)
        self.advance(self._clock.now())

    def release(
        self, chair: Chair | None, button: str = "seat", *, at: Micros | None = None, bounce_ms: float = 1.5
    ) -> None:
        """Let a button go at `at` (default: now); the contact bounces for `bounce_ms` milliseconds."""
        start = self._clock.now() if at is None else at
        self._plan_movement(start, (chair, button), self._bouncing_edges(bounce_ms, down=False))
        self.advance(self._clock.now())

    def tap(self, chair: Chair | None, button: str = "seat", *, at: Micros | None = None) -> None:
        """Press and let go, as a person does."""
        self.press(chair, button, at=at, bounce_ms=self._chance.uniform(0.0, 6.0), hold=TAP_DURATION)

    def spike(self, chair: Chair | None, button: str = "seat", *, at: Micros, micros: Micros = 300) -> None:
        """Something a long cable picks up."""
        self._plan_movement(at, (chair, button), [(0, True), (micros, False)])
        self.advance(self._clock.now())

    def change_without_edge(
        self, chair: Chair | None, button: str = "seat", *, at: Micros, down: bool
    ) -> None:
        """The level changes, but the kernel loses the edge."""
        self._plan_movement(at, (chair, button), [(0, down)], lost=True)
        self.advance(self._clock.now())

    def advance(self, now: Micros) -> None:
        """Drive every edge planned up to `now`."""
        while self._planned and self._planned[0][0] + self._behind <= now:
            at, _, line, contact = heapq.heappop(self._planned)
            self._begin_movement(at + self._behind, line, contact)
        while self._begun and self._begun[0][0] <= now:
            at, _, line, down, lost = heapq.heappop(self._begun)
            pin = self.factory.pin(f"GPIO{self._pins.button_pin(line)}")
            self.factory.stamp = at
            pin.edges = "none" if lost else "both"
            if down:
                pin.drive_low()
            else:
                pin.drive_high()
            self.factory.stamp = None

    def postpone_late_movements(self, now: Micros) -> None:
        """Fingers that should have moved before `now` move now, and what they do after that comes later too.

        A contact that has begun to bounce does not wait for anybody.
        """
        if self._planned and self._planned[0][0] + self._behind < now - MAX_PROMPT_DELAY:
            self._behind = now - self._planned[0][0]

    def next_due(self) -> Micros | None:
        """When the next edge is planned."""
        planned = [self._planned[0][0] + self._behind] if self._planned else []
        return min([*planned, *(edge[0] for edge in self._begun[:1])], default=None)

    def is_lamp_lit(self, chair: Chair) -> bool:
        """Whether a lamp is lit, read from its pin."""
        return bool(self.factory.pin(f"GPIO{self._pins.lamp_pin(chair)}").state)

    def close(self) -> None:
        self.lamps.close()
        self.buttons.close()
        self.factory.close()

    def _bouncing_edges(self, bounce_ms: float, *, down: bool) -> list[tuple[Micros, bool]]:
        """A switch's contact: it makes, opens for moments that are shorter than its touches, and stays."""
        moves, after, end = [(0, down)], 0, round(bounce_ms * 1000)
        while True:
            opens = after + self._chance.randint(150, 1_200)
            after = opens + self._chance.randint(40, 140)
            if after > end:
                return moves
            moves += [(opens, not down), (after, down)]

    def _plan_movement(
        self, at: Micros, line: ButtonId, moves: Sequence[tuple[Micros, bool]], *, lost: bool = False
    ) -> None:
        heapq.heappush(
            self._planned, (at - self._behind, next(self._order), line, ContactMovement(tuple(moves), lost))
        )

    def _begin_movement(self, at: Micros, line: ButtonId, contact: ContactMovement) -> None:
        for after, down in contact.moves:
            heapq.heappush(self._begun, (at + after, next(self._order), line, down, contact.lost))


class FingerThread:
    """Moves a panel's buttons from a thread of their own, as people do: the demo at a real clock.

    A finger that gets its turn late presses late: a pin is stamped when it moves.

    After `start` only this thread touches the panel's buttons; `do` hands it what to do next.
    """

    def __init__(self, panel: SimulatedPanel, clock: Clock) -> None:
        self._panel = panel
        self._clock = clock
        self._jobs: SimpleQueue[Callable[[SimulatedPanel], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="fingers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def run_job(self, job: Callable[[SimulatedPanel], None]) -> None:
        """Have `job` done with the panel at once, e.g. `lambda panel: panel.tap(2)`."""
        self._jobs.put(job)

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()

    def move_due(self) -> None:
        """Move what is due now."""
        now = self._clock.now()
        self._panel.postpone_late_movements(now)
        self._panel.advance(now)

    def _run(self) -> None:
        while True:
            due = self._panel.next_due()
            wait = None if due is None else max(0.0, self._clock.seconds_until(due))
            try:
                job = self._jobs.get(timeout=wait)
            except Empty:
                self.move_due()
                continue
            if job is None:
                return
            self.move_due()
            job(self._panel)


class SimulatedCamera:
    """The rendered table as a camera: `render` gives the picture of an instant."""

    def __init__(self, render: Callable[[Micros], Image], clock: Clock) -> None:
        self._render = render
        self._clock = clock
        self._lost = ""

    def capture(self, newer_than: Micros) -> CameraFrame:
        """The table as it is now, stamped after `newer_than` (µs); `CameraError` while it is lost."""
        if self._lost:
            raise CameraError(self._lost)
        at = max(self._clock.now(), newer_than + 1)
        return CameraFrame(self._render(at), at)

    def disconnect(self, reason: str = "The camera was unplugged: plug it in again.") -> None:
        """Give no more pictures, as if somebody pulled the cable."""
        self._lost = reason

    def reconnect(self) -> None:
        """Give pictures again."""
        self._lost = ""

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""
