"""The camera's thread: look, read, hand over; a camera that goes away is told once and tried again."""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from threading import Thread

import numpy as np

from companion.core.actions import SECOND, Look, Micros
from companion.core.clock import Clock
from companion.core.observations import CameraBack, CameraLost, Observation
from companion.core.seldom import Seldom
from hardware.camera import Camera, Frame, Image
from hardware.errors import CameraError, HardwareError

Step = Callable[[Image, Micros], Iterable[Observation]]
"""A picture and its exposure in, what it means out: the whole of the reading."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds until a lost camera is tried again; doubled each time."""

RESTING = 0.5
"""Seconds between two looks whether somebody wants pictures again."""

ANEW: Micros = SECOND
"""If game time jumps back by more than this from the newest picture, a new game has begun."""

FROZEN_AFTER: Micros = 60 * SECOND
"""How long a picture may stay the very same: a real one has noise, even of a table that nobody touches."""
FEW = (slice(None, None, 4), slice(None, None, 4))
"""The pixels that are compared."""

log = logging.getLogger(__name__)


def _nobody_asks(look: Look) -> None:
    """For readings that read everything always."""


class CameraWorker:
    """Owns the camera and the reading's state. `once` is one round; `start` makes a thread do rounds."""

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        step: Step,
        post: Callable[[Observation], None],
        clock: Clock,
        *,
        asked: Callable[[Look], None] = _nobody_asks,
        interval: Micros = 100_000,
        frozen_after: Micros | None = None,
    ) -> None:
        """`asked` gets every new Look in the worker's thread; `frozen_after` is None without noise."""
        self._open_camera = open_camera
        self._step = step
        self._post = post
        self._clock = clock
        self._asked = asked
        self.interval = interval
        """Pictures are at least so far apart; may be changed at any time."""
        self._frozen_after = frozen_after
        self._still: tuple[Micros, Image] | None = None
        """Since when the picture has been the very same, and what it is like."""
        self.frozen = False
        """Whether the camera gives one picture over and over: it is told as lost."""
        self._camera: Camera | None = None
        self._newer_than: Micros = -1
        self._wait = 0.0
        self._logged = Seldom()
        self._looks: Queue[Look | None] = Queue(maxsize=1)
        self._jobs: SimpleQueue[Callable[[Camera], None]] = SimpleQueue()
        self._reopen = False
        self.resting = False
        """Whether nobody needs pictures: after a first one, which tells that it works, the camera is off."""
        self._tried = False
        self._preview: deque[Frame] = deque(maxlen=1)
        self._thread = Thread(target=self._run, name="camera", daemon=True)

    def ask(self, look: Look) -> None:
        """Say where certainty is needed now; a look not yet taken up is replaced."""
        self._replace(look)

    def do(self, job: Callable[[Camera], None]) -> None:
        """Have `job` done with the camera, in the worker's thread, after the next picture."""
        self._jobs.put(job)

    def reopen(self) -> None:
        """Open the camera again before the next picture, with the settings it has by then."""
        self._reopen = True

    def preview(self) -> Frame | None:
        """The newest picture that was not fetched yet: for the eye, never a fact."""
        try:
            return self._preview.pop()
        except IndexError:
            return None

    def once(self, look: Look | None = None) -> float:
        """Look and read once, taking up `look`; the seconds until it is worth looking again."""
        try:
            return self._round(look)
        except HardwareError as trouble:
            wait = self._lost(str(trouble))
            self._drop_camera()  # a driver may take its time over it
            return wait
        except Exception as trouble:  # whatever ails the reading, the game goes on by hand
            level = (
                logging.ERROR
                if self._logged.due(type(trouble).__name__, self._clock.now())
                else logging.DEBUG
            )
            log.log(level, "Reading the table failed", exc_info=True)
            return self._lost(f"Couldn't read the table ({trouble}): see the log.")

    def _round(self, look: Look | None) -> float:
        self._take(look)
        self._take(self._waiting())
        if self._clock.now() < self._newer_than - ANEW:
            self._newer_than, self._still = -1, None
        if self.resting and self._tried:
            self._still, self.frozen = None, False
            self._drop_camera()
            return RESTING
        self._tried = True
        if self._reopen:
            self._reopen = False
            self._drop_camera()
        self._camera = self._camera or self._open_camera()
        frame = self._camera.capture(self._newer_than)
        self._newer_than = max(self._newer_than, frame.at)
        self._notice_frost(frame)
        self._preview.append(frame)
        found = tuple(self._step(frame.image, frame.at))
        self._do_jobs(self._camera)
        if self._wait:
            self._wait = 0.0
            self._post(CameraBack(at=self._clock.now()))
        for observation in found:
            self._post(observation)
        return max(0, frame.at + self.interval - self._clock.now()) / 1e6

    def start(self) -> None:
        self._thread.start()

    def close(self, patience: float = 1.0) -> None:
        """End the thread, if there is one, within `patience` seconds, and let the camera go."""
        if self._thread.is_alive():
            self._replace(None)
            # A camera that hangs must not keep the program: the thread is a daemon.
            self._thread.join(timeout=patience)
        if not self._thread.is_alive():
            self._drop_camera()

    def _notice_frost(self, frame: Frame) -> None:
        """Raise if nothing, not even noise, has changed for too long."""
        if self._frozen_after is None:
            return
        few = frame.image[FEW]
        if self._still is None or not np.array_equal(self._still[1], few):
            self._still, self.frozen = (frame.at, few.copy()), False
        elif frame.at - self._still[0] >= self._frozen_after:
            self.frozen = True
            raise CameraError(
                "The picture hasn't changed for a minute: take the cap off, or plug it in again."
            )

    def _do_jobs(self, camera: Camera) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            job(camera)

    def _run(self) -> None:
        look: Look | None = None
        while True:
            wait = self.once(look)
            try:
                look = self._looks.get(timeout=wait) if wait else self._looks.get_nowait()
            except Empty:
                look = None
                continue
            if look is None:
                return

    def _waiting(self) -> Look | None:
        try:
            look = self._looks.get_nowait()
        except Empty:
            return None
        if look is None:
            self._replace(None)  # the end is for `_run` to see
        return look

    def _take(self, look: Look | None) -> None:
        if look is not None:
            self._newer_than = max(self._newer_than, look.since)
            self._asked(look)

    def _replace(self, look: Look | None) -> None:
        with suppress(Empty):
            self._looks.get_nowait()
        self._looks.put_nowait(look)

    def _lost(self, reason: str) -> float:
        if not self._wait:
            self._post(CameraLost(at=self._clock.now(), reason=reason))
        self._wait = min(self._wait * 2, LONGEST_WAIT) if self._wait else FIRST_WAIT
        return self._wait

    def _drop_camera(self) -> None:
        camera, self._camera = self._camera, None
        if not self.frozen:
            self._still = None  # what it showed while nobody looked is not known
        if camera is not None:
            try:
                camera.close()
            except Exception:  # it is gone already, and drivers fail in every way then
                log.debug("Closing the lost camera failed", exc_info=True)
