"""A gpiozero pin factory on libgpiod, which keeps the kernel's timestamp of every edge.

lgpio has the kernel keep 16 edges of a pin: of a longer burst that is read late the first are gone, and with
them the instant of the press. Here the queue is long, and the kernel's sequence numbers leave a gap where an
edge was lost. tests/programs/pi/fairness measures both.
"""

import logging
import os
import select
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import gpiozero
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

KERNEL_QUEUE_SIZE = 256
"""Edges the kernel keeps per button until we read them: a bouncing switch makes some dozens at most."""
_BIAS = ("floating", "up", "down")

log = logging.getLogger(__name__)


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]  # gpiozero has no types
    """The pins of one gpiochip; one thread reads the edges of all of them."""

    def __init__(self, chip: int, library: Any) -> None:
        """`library` is the module gpiod, or stands for it in tests."""
        super().__init__()
        self.path = f"/dev/gpiochip{chip}"
        self.library = library
        self.pin_class = GpiodPin
        self._listener = _EdgeListener()
        with self.library.Chip(self.path):
            pass  # whether it opens at all

    def read_consumer(self, bcm: int) -> str:
        """What the kernel calls the line's user; empty if it has none."""
        with self.library.Chip(self.path) as chip:
            line = chip.get_line_info(bcm)
            return str(line.consumer) if line.used else ""

    def watch_descriptor(self, descriptor: int, read: Callable[[], None]) -> None:
        """Have `read` called whenever an edge waits."""
        self._listener.add(descriptor, read)

    def unwatch_descriptor(self, descriptor: int) -> None:
        self._listener.remove(descriptor)

    def leave_reading(self, wake: Callable[[], None]) -> None:
        """From now on `read_waiting` alone hands edges on; our thread only calls `wake` when some wait."""
        self._listener.wake = wake

    def read_waiting(self) -> None:
        """Hand on every edge that the kernel has by now, though our thread may not have had a turn."""
        self._listener.read_waiting()

    def close(self) -> None:
        super().close()
        self._listener.close()


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """One line, requested again whenever its use changes."""

    def __init__(self, factory: GpiodFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._library = factory.library
        self._function = "input"
        self._pull = info.pull or "floating"
        self._edges = "both"
        self._listening = False
        self._last = 0
        self.lost = 0
        """Edges that the kernel numbered and we never got."""
        self._request: Any = None
        self._request_line()

    def close(self) -> None:
        self._release_line()

    def _request_line(self, value: bool = False) -> None:  # noqa: FBT001, FBT002
        """Request the line as it is to be used now."""
        self._release_line()
        line = self._library.line
        if self._function == "output":
            level = line.Value.ACTIVE if value else line.Value.INACTIVE
            wanted = self._library.LineSettings(direction=line.Direction.OUTPUT, output_value=level)
        else:
            bias = {"up": line.Bias.PULL_UP, "down": line.Bias.PULL_DOWN, "floating": line.Bias.DISABLED}
            edges = {"both": line.Edge.BOTH, "rising": line.Edge.RISING, "falling": line.Edge.FALLING}
            wanted = self._library.LineSettings(
                direction=line.Direction.INPUT,
                bias=bias[self._pull],
                edge_detection=edges[self._edges] if self._listening else line.Edge.NONE,
            )
        self._request = self._library.request_lines(
            self.factory.path,
            {self._number: wanted},
            consumer="companion",
            event_buffer_size=KERNEL_QUEUE_SIZE,
        )
        if self._listening:
            self._last = 0  # the kernel counts each request's edges from 1
            self.factory.watch_descriptor(self._request.fd, self._read_edges)

    def _release_line(self) -> None:
        if self._request is not None:
            if self._listening:
                self.factory.unwatch_descriptor(self._request.fd)
            self._request.release()
            self._request = None

    def _read_edges(self) -> None:
        """Hand on every edge that waits, with the kernel's stamp and its own level."""
        request = self._request
        if request is None or not request.wait_edge_events(0):
            return  # the line was let go, or asked for again, while its edge was on the way
        for event in request.read_edge_events():
            if event.line_seqno != self._last + 1:
                self.lost += event.line_seqno - self._last - 1
                log.warning("The kernel had no room for %d edges of %r", self.lost, self)
            self._last = event.line_seqno
            level = event.event_type is event.Type.RISING_EDGE
            self._call_when_changed(event.timestamp_ns / 1e9, int(level))

    # What gpiozero asks of a pin --------------------------------------------------------------------------

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in {"input", "output"}:
            raise gpiozero.PinInvalidFunction(f"invalid function {value!r} for pin {self!r}")
        self._listening = False
        self._function = value
        self._request_line()

    def _get_state(self) -> bool:
        return bool(self._request.get_value(self._number) is self._library.line.Value.ACTIVE)

    def _set_state(self, value: bool) -> None:  # noqa: FBT001
        if self._function == "input":
            raise gpiozero.PinSetInput(f"cannot set state of pin {self!r}")
        values = self._library.line.Value
        self._request.set_value(self._number, values.ACTIVE if value else values.INACTIVE)

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise gpiozero.PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull not in {value, ""}:
            raise gpiozero.PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        if value not in _BIAS:
            raise gpiozero.PinInvalidPull(f"invalid pull {value!r} for pin {self!r}")
        self._pull = value
        self._request_line()

    def _get_frequency(self) -> None:
        return None

    def _set_frequency(self, value: float | None) -> None:
        if value is not None:
            raise gpiozero.PinPWMUnsupported(f"PWM is not supported on pin {self!r}")

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            raise gpiozero.PinInvalidBounce("a debounced edge comes late: the lockout does that")

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        self._edges = value
        self._request_line()

    def _enable_event_detect(self) -> None:
        self._release_line()
        self._listening = True
        self._request_line()

    def _disable_event_detect(self) -> None:
        self._release_line()
        self._listening = False
        self._request_line()


class _EdgeListener:
    """The thread that waits for edges, and reads them unless somebody else does."""

    def __init__(self) -> None:
        self.wake: Callable[[], None] | None = None
        """What is called in the thread when edges wait that others read; None: the thread reads them."""
        self._waiting, self._new = select.epoll(), select.epoll()
        """The lines on which edges wait, and those on which more came since the thread looked."""
        self._reads: dict[int, Callable[[], None]] = {}
        self._ended, self._end = os.pipe()
        self._new.register(self._ended, select.EPOLLIN)
        self._thread = Thread(target=self._run, name="edges", daemon=True)
        self._thread.start()

    def add(self, descriptor: int, read: Callable[[], None]) -> None:
        self._reads[descriptor] = read
        self._waiting.register(descriptor, select.EPOLLIN)
        self._new.register(descriptor, select.EPOLLIN | select.EPOLLET)

    def remove(self, descriptor: int) -> None:
        if self._reads.pop(descriptor, None) is not None:
            self._new.unregister(descriptor)
            self._waiting.unregister(descriptor)

    def close(self) -> None:
        if self._end >= 0:
            os.write(self._end, b"x")
            self._thread.join(timeout=3)
            os.close(self._end)
            os.close(self._ended)
            self._new.close()
            self._waiting.close()
            self._end = -1

    def read_waiting(self) -> None:
        """Have every line read on which edges wait."""
        for descriptor, _ in self._waiting.poll(0):
            read = self._reads.get(descriptor)
            if read is not None:
                with suppress(OSError):  # the line was let go while we looked
                    read()

    def _run(self) -> None:
        while self._ended not in {descriptor for descriptor, _ in self._new.poll()}:
            (self.wake or self.read_waiting)()


def read_chip_label(library: Any, number: int) -> str | None:
    """What the kernel calls a gpiochip; None if it does not open."""
    try:
        with library.Chip(f"/dev/gpiochip{number}") as chip:
            return str(chip.get_info().label)
    except OSError:
        return None
