"""The kernel's lines, as the module gpiod shows them: what it has of a chip, without one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any


class Value(Enum):
    INACTIVE = 0
    ACTIVE = 1


class Kind(Enum):
    RISING_EDGE = 1
    FALLING_EDGE = 2


LINE = SimpleNamespace(
    Value=Value,
    Direction=Enum("Direction", "INPUT OUTPUT"),
    Bias=Enum("Bias", "PULL_UP PULL_DOWN DISABLED"),
    Edge=Enum("Edge", "NONE RISING FALLING BOTH"),
)


class Event:
    """One edge as the kernel queues it."""

    Type = Kind

    def __init__(self, kind: Kind, stamp: int, number: int) -> None:
        self.event_type, self.timestamp_ns, self.line_seqno = kind, stamp, number


class Request:
    """One requested line: a pipe whose bytes are waiting edges."""

    def __init__(self, chip: Gpiod, number: int, settings: Any) -> None:
        self.chip, self.number, self.settings = chip, number, settings
        self.fd, self._kernel = os.pipe()
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.level = settings.output_value

    def edge(self, kind: Kind, stamp: int, number: int) -> None:
        self.events.put(Event(kind, stamp, number))
        os.write(self._kernel, b"e")

    def wait_edge_events(self, timeout: float) -> bool:
        return not self.events.empty()

    def read_edge_events(self) -> list[Event]:
        return [self.events.get() for _ in os.read(self.fd, 64)]

    def get_value(self, number: int) -> Value:
        return self.chip.levels.get(number, Value.ACTIVE) if self.level is None else self.level

    def set_value(self, number: int, value: Value) -> None:
        self.level = value

    def release(self) -> None:
        del self.chip.held[self.number]
        os.close(self.fd)
        os.close(self._kernel)


class Gpiod:
    """The kernel's side, as the module gpiod shows it."""

    line = LINE

    def __init__(self) -> None:
        self.held: dict[int, Request] = {}
        self.levels: dict[int, Value] = {}
        self.consumers: dict[int, str] = {}
        """Of lines that somebody else holds."""

    @contextmanager
    def Chip(self, path: str) -> Iterator[Any]:
        yield SimpleNamespace(
            get_line_info=lambda bcm: SimpleNamespace(
                used=bcm in self.held, consumer=self.consumers.get(bcm, "companion")
            ),
            get_info=lambda: SimpleNamespace(label="pinctrl-rp1"),
        )

    @staticmethod
    def LineSettings(**settings: Any) -> Any:
        plain = {"direction": None, "bias": None, "edge_detection": None, "output_value": None}
        return SimpleNamespace(**{**plain, **settings})

    def take(self, bcm: int, consumer: str) -> None:
        """Somebody else holds this line from now on."""
        self.held[bcm] = Request(self, bcm, Gpiod.LineSettings())
        self.consumers[bcm] = consumer

    def request_lines(self, path: str, config: dict[int, Any], **_: Any) -> Request:
        ((number, settings),) = config.items()
        if number in self.held:
            raise OSError(16, "Device or resource busy")
        self.held[number] = Request(self, number, settings)
        return self.held[number]
