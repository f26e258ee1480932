"""The camera thread, which captures pictures for the reader or reopens a lost camera."""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, Queue, SimpleQueue
from threading import Thread

import numpy as np

from companion.core.actions import SECOND, CameraRequest, Micros
from companion.core.clock import Clock
from companion.core.observations import CameraLost, CameraRecovered, Observation
from companion.core.view import Sentence
from companion.system.fault_isolation import RateLimit
from hardware.camera import Camera, CameraFrame, Image
from hardware.errors import CameraError, HardwareError

ReadPicture = Callable[[Image, Micros], Iterable[Observation]]
"""A picture and its exposure in, what it means out: the whole of the reading."""

FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 8.0
"""Seconds until a lost camera is tried again; doubled each time."""

IDLE_SECONDS = 0.5
"""Seconds between two looks whether somebody wants pictures again."""

MAX_CLOCK_STEP_BACK: Micros = SECOND
"""If game time jumps back by more than this from the newest picture, a new game has begun."""

FROZEN_TIMEOUT: Micros = 60 * SECOND
"""How long a picture may stay the very same: a real one has noise, even of a table that nobody touches."""
SAMPLED_PIXELS = (slice(None, None, 4), slice(None, None, 4))
"""The pixels that are compared."""

log = logging.getLogger(__name__)


def _ignore_look(look: CameraRequest) -> None:
    """For readings that read everything always."""


class CameraWorker:
    """Owns the camera and the reading's state. `run_once` is one round; `start` makes a thread do rounds."""

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        step: ReadPicture,
        post: Callable[[Observation], None],
        clock: Clock,
        *,
        asked: Callable[[CameraRequest], None] = _ignore_look,
        interval: Micros = 100_000,
        frozen_after: Micros | None = None,
    ) -> None:
        """`asked` gets every new request in the worker's thread; `frozen_after` is None without noise."""
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
        self.trouble: Sentence | None = None
        """What is wrong with a camera that gives no pictures, for the screen."""
        self.has_delivered = False
        """Whether a camera gave a picture since the start."""
        self._camera: Camera | None = None
        self._newer_than: Micros = -1
        self._wait = 0.0
        self._logged = RateLimit()
        self._looks: Queue[CameraRequest | None] = Queue(maxsize=1)
        self._jobs: SimpleQueue[Callable[[Camera], None]] = SimpleQueue()
        self._reopen = False
        self.idle = False
        """Whether nobody needs pictures: after a first one, which tells that it works, the camera is off."""
        self._tried = False
        self._preview: deque[CameraFrame] = deque(maxlen=1)
        self._thread = Thread(target=self._run, name="camera", daemon=True)

    def request_look(self, look: CameraRequest) -> None:
        """Say where certainty is needed now; a look not yet taken up is replaced."""
        self._replace_look(look)

    def run_job(self, job: Callable[[Camera], None]) -> None:
        """Have `job` done with the camera, in the worker's thread, after the next picture."""
        self._jobs.put(job)

    def reopen_camera(self) -> None:
        """Open the camera again before the next picture, with the settings it has by then."""
        self._reopen = True

    def take_preview(self) -> CameraFrame | None:
        """The newest picture that was not fetched yet: for the eye, never a fact."""
        try:
            return self._preview.pop()
        except IndexError:
            return None

    def run_once(self, look: CameraRequest | None = None) -> float:
        """Look and read once, taking up `look`; the seconds until it is worth looking again."""
        try:
            return self._capture_and_read(look)
        except HardwareError as trouble:
            if not self._wait:
                log.warning("No pictures: %s", trouble)
            wait = self._report_loss(str(trouble), trouble.screen_sentence())
            self._drop_camera()  # a driver may take its time over it
            return wait
        except Exception as trouble:  # whatever ails the reading, the game goes on by hand
            level = (
                logging.ERROR
                if self._logged.should_log(type(trouble).__name__, self._clock.now())
                else logging.DEBUG
            )
            log.log(level, "Reading the table failed", exc_info=True)
            reason = f"Couldn't read the table ({trouble}): see the log."
            return self._report_loss(reason, Sentence("shared.trouble.camera"))

    def _capture_and_read(self, look: CameraRequest | None) -> float:
        self._apply_look(look)
        self._apply_look(self._next_look())
        if self._clock.now() < self._newer_than - MAX_CLOCK_STEP_BACK:
            self._newer_than, self._still = -1, None
        if self.idle and self._tried:
            self._still, self.frozen = None, False
            self._drop_camera()
            return IDLE_SECONDS
        self._tried = True
        if self._reopen:
            self._reopen = False
            self._drop_camera()
        self._camera = self._camera or self._open_camera()
        frame = self._camera.capture(self._newer_than)
        self._newer_than, self.has_delivered = max(self._newer_than, frame.at), True
        self._check_frozen(frame)
        self._preview.append(frame)
        found = tuple(self._step(frame.image, frame.at))
        self._do_jobs(self._camera)
        if self._wait:
            self._wait, self.trouble = 0.0, None
            self._post(CameraRecovered(at=self._clock.now()))
        for observation in found:
            self._post(observation)
        return max(0, frame.at + self.interval - self._clock.now()) / 1e6

    def start(self) -> None:
        self._thread.start()

    def close(self, patience: float = 1.0) -> None:
        """End the thread, if there is one, within `patience` seconds, and let the camera go."""
        if self._thread.is_alive():
            self._replace_look(None)
            # A camera that hangs must not keep the program: the thread is a daemon.
            self._thread.join(timeout=patience)
        if not self._thread.is_alive():
            self._drop_camera()

    def _check_frozen(self, frame: CameraFrame) -> None:
        """Raise if nothing, not even noise, has changed for too long."""
        if self._frozen_after is None:
            return
        few = frame.image[SAMPLED_PIXELS]
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
        look: CameraRequest | None = None
        while True:
            wait = self.run_once(look)
            try:
                look = self._looks.get(timeout=wait) if wait else self._looks.get_nowait()
            except Empty:
                look = None
                continue
            if look is None:
                return

    def _next_look(self) -> CameraRequest | None:
        try:
            look = self._looks.get_nowait()
        except Empty:
            return None
        if look is None:
            self._replace_look(None)  # the end is for `_run` to see
        return look

    def _apply_look(self, look: CameraRequest | None) -> None:
        if look is not None:
            self._newer_than = max(self._newer_than, look.since)
            self._asked(look)

    def _replace_look(self, look: CameraRequest | None) -> None:
        with suppress(Empty):
            self._looks.get_nowait()
        self._looks.put_nowait(look)

    def _report_loss(self, reason: str, trouble: Sentence) -> float:
        self.trouble = trouble
        if not self._wait:
            self._post(CameraLost(at=self._clock.now(), reason=reason))
        self._wait = min(self._wait * 2, MAX_RETRY_SECONDS) if self._wait else FIRST_RETRY_SECONDS
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
