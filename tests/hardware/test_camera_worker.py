"""The camera worker, round by round and without its thread; once with it."""

from __future__ import annotations

import logging
from queue import SimpleQueue
from threading import Event

import numpy as np
import pytest

from companion.core.actions import SECOND, CameraRequest
from companion.core.clock import GameClock, ManualClock
from companion.core.observations import CameraLost, CameraRecovered, Observation, TableSeen
from companion.core.view import Sentence
from hardware.camera_worker import FIRST_RETRY_SECONDS, FROZEN_TIMEOUT, MAX_RETRY_SECONDS, CameraWorker
from hardware.errors import CameraError, LibraryMissingError
from hardware.simulated_panel import SimulatedCamera

LONGEST_S = 60.0
"""A test that waits so long for the thread has failed."""


def image(at: int):
    return np.full((2, 2, 3), at // 100_000 % 256, dtype=np.uint8)


def reading(picture, at: int) -> list[Observation]:
    """A reading that sees something in every picture."""
    return [TableSeen(at=at + 1, regions=())]


class Bench:
    """A worker on a simulated camera, with a list for its inbox."""

    def __init__(self, step=reading):
        self.clock = ManualClock()
        self.posted: list[Observation] = []
        self.looks: list[CameraRequest] = []
        self.opened = 0
        self.broken: Exception | None = None
        self.camera = SimulatedCamera(image, self.clock)
        self.worker = CameraWorker(
            self.open, step, self.posted.append, self.clock, asked=self.looks.append, interval=100_000
        )

    def open(self):
        self.opened += 1
        if self.broken:
            raise self.broken
        return self.camera

    def once_at(self, at: int) -> float:
        self.clock.move_to(at)
        return self.worker.run_once()


def test_the_same_picture_for_a_minute_is_a_lost_camera_until_another_comes():
    bench, shown = Bench(), [7]
    bench.camera = SimulatedCamera(lambda at: np.full((8, 8, 3), shown[0], np.uint8), bench.clock)
    bench.worker = CameraWorker(
        bench.open, reading, bench.posted.append, bench.clock, frozen_after=FROZEN_TIMEOUT
    )
    for at in range(0, FROZEN_TIMEOUT, 10 * SECOND):
        bench.once_at(at)
    assert not any(isinstance(seen, CameraLost) for seen in bench.posted)
    bench.once_at(FROZEN_TIMEOUT)
    (lost,) = [seen for seen in bench.posted if isinstance(seen, CameraLost)]
    assert "hasn't changed" in lost.reason
    assert bench.worker.frozen
    bench.once_at(FROZEN_TIMEOUT + SECOND)  # opened anew, and still the same
    assert bench.opened == 2
    assert bench.worker.frozen
    assert not any(isinstance(seen, CameraRecovered) for seen in bench.posted)
    shown[0] = 8
    bench.once_at(FROZEN_TIMEOUT + 2 * SECOND)
    assert not bench.worker.frozen
    assert sum(isinstance(seen, CameraRecovered) for seen in bench.posted) == 1


def test_noise_is_enough_for_a_still_table_to_be_no_frozen_one():
    bench, noise = Bench(), np.random.default_rng(1)

    def still(at: int):
        return np.clip(np.full((64, 64, 3), 90) + noise.normal(0, 1, (64, 64, 3)), 0, 255).astype(np.uint8)

    bench.camera = SimulatedCamera(still, bench.clock)
    bench.worker = CameraWorker(
        bench.open, reading, bench.posted.append, bench.clock, frozen_after=FROZEN_TIMEOUT
    )
    for at in range(0, 3 * FROZEN_TIMEOUT, 5 * SECOND):
        bench.once_at(at)
    assert not any(isinstance(seen, CameraLost) for seen in bench.posted)


def test_the_picture_of_before_a_long_pause_is_no_frozen_one():
    bench = Bench()
    bench.camera = SimulatedCamera(lambda at: np.zeros((8, 8, 3), np.uint8), bench.clock)
    bench.worker = CameraWorker(
        bench.open, reading, bench.posted.append, bench.clock, frozen_after=FROZEN_TIMEOUT
    )
    bench.once_at(0)
    bench.worker.reopen_camera()
    bench.once_at(3 * FROZEN_TIMEOUT)
    assert not bench.worker.frozen


def test_a_camera_that_nobody_needs_is_tried_once_and_let_go_until_somebody_does():
    bench, closed = Bench(), []
    bench.camera.close = lambda: closed.append(True)
    bench.worker.idle = True
    for at in (1_000, 2_000, 3_000):
        bench.once_at(at)
    assert (bench.opened, closed) == (1, [True])
    assert len(bench.posted) == 1
    bench.worker.idle = False
    bench.once_at(4_000)
    assert bench.opened == 2
    assert len(bench.posted) == 2


def test_a_folder_of_pictures_is_never_frozen():
    bench = Bench()
    bench.camera = SimulatedCamera(lambda at: np.zeros((8, 8, 3), np.uint8), bench.clock)
    for at in range(0, 3 * FROZEN_TIMEOUT, 5 * SECOND):
        bench.once_at(at)
    assert not any(isinstance(seen, CameraLost) for seen in bench.posted)


def test_a_round_reads_one_picture_and_hands_over_what_it_means():
    bench = Bench()
    assert bench.once_at(1_000) == pytest.approx(0.1)
    assert bench.posted == [TableSeen(at=1_001, regions=())]
    assert bench.opened == 1


def test_a_job_is_done_with_the_camera_after_the_next_picture():
    bench, done = Bench(), []
    bench.worker.run_job(done.append)
    bench.worker.run_job(lambda camera: done.append("again"))
    assert done == []
    bench.once_at(1_000)
    bench.once_at(2_000)
    assert done == [bench.camera, "again"]


def test_the_camera_is_opened_anew_when_somebody_wants_it_otherwise():
    bench = Bench()
    bench.once_at(0)
    bench.worker.reopen_camera()
    bench.once_at(1)
    bench.once_at(2)
    assert bench.opened == 2
    assert not any(isinstance(seen, CameraLost) for seen in bench.posted)


def test_a_slow_reading_is_not_made_to_wait():
    bench = Bench()

    def slow(picture, at):
        bench.clock.move_to(at + 250_000)
        return []

    bench.worker = CameraWorker(bench.open, slow, bench.posted.append, bench.clock, interval=100_000)
    assert bench.once_at(1_000) == 0


def test_a_lost_camera_is_told_once_and_tried_with_patience():
    bench = Bench()
    bench.once_at(0)
    bench.camera.disconnect("The camera was unplugged.")
    waits = [bench.once_at(1_000_000 + n) for n in range(7)]
    assert waits == [
        FIRST_RETRY_SECONDS,
        1.0,
        2.0,
        4.0,
        MAX_RETRY_SECONDS,
        MAX_RETRY_SECONDS,
        MAX_RETRY_SECONDS,
    ]
    assert bench.posted[1:] == [CameraLost(at=1_000_000, reason="The camera was unplugged.")]
    assert bench.opened == 7


def test_the_camera_that_comes_back_is_told_once_before_what_it_sees():
    bench = Bench()
    bench.camera.disconnect("gone")
    bench.once_at(0)
    bench.camera.reconnect()
    bench.once_at(500_000)
    bench.once_at(600_000)
    assert [type(seen) for seen in bench.posted] == [CameraLost, CameraRecovered, TableSeen, TableSeen]


def test_a_camera_that_never_was_is_told_once():
    bench = Bench()
    bench.broken = LibraryMissingError("picamera2 is not installed here.")
    for at in (0, 1, 2):
        bench.once_at(at)
    assert bench.posted == [CameraLost(at=0, reason="picamera2 is not installed here.")]


def test_after_a_second_loss_patience_starts_again():
    bench = Bench()
    bench.broken = CameraError("gone")
    bench.once_at(0)
    bench.once_at(1)
    bench.broken = None
    bench.once_at(2)
    bench.camera.disconnect()
    assert bench.once_at(3) == FIRST_RETRY_SECONDS
    assert sum(isinstance(seen, CameraLost) for seen in bench.posted) == 2


def test_a_lost_camera_is_logged_once_and_told_until_pictures_come(caplog: pytest.LogCaptureFixture):
    bench = Bench()
    bench.broken = CameraError("The webcam does not open: plug it in.")
    with caplog.at_level(logging.WARNING):
        bench.once_at(0)
        bench.once_at(SECOND)
    assert [record.getMessage() for record in caplog.records] == [f"No pictures: {bench.broken}"]
    assert bench.worker.trouble == Sentence("shared.trouble.camera")
    bench.broken = None
    bench.once_at(2 * SECOND)
    assert bench.worker.trouble is None


def test_a_reading_that_breaks_leaves_the_game_to_the_hands(caplog: pytest.LogCaptureFixture):
    def broken(picture, at):
        raise ValueError("no corners")

    bench = Bench(broken)
    assert bench.once_at(0) == FIRST_RETRY_SECONDS
    bench.once_at(1)
    (lost,) = bench.posted
    assert isinstance(lost, CameraLost)
    assert "no corners" in lost.reason
    assert "ValueError" in caplog.text


def test_only_the_newest_look_is_taken_up():
    bench = Bench()
    for since in (10, 20, 30):
        bench.worker.request_look(CameraRequest(regions=frozenset({"slot1"}), since=since))
    bench.once_at(0)
    assert bench.looks == [CameraRequest(regions=frozenset({"slot1"}), since=30)]


def test_a_look_s_picture_is_newer_than_its_since():
    seen = []
    bench = Bench(lambda picture, at: seen.append(at) or ())
    bench.worker.request_look(CameraRequest(regions=frozenset(), since=70_000))
    bench.once_at(70_000)
    assert seen[0] > 70_000


def test_no_picture_is_read_twice():
    seen = []
    bench = Bench(lambda picture, at: seen.append(at) or ())
    for _ in range(3):
        bench.once_at(5)
    assert len(set(seen)) == 3


def test_another_game_s_pictures_are_as_new_as_its_time():
    seen = []
    bench = Bench(lambda picture, at: seen.append(at) or ())
    bench.once_at(900 * SECOND)
    bench.worker.request_look(
        CameraRequest(regions=frozenset(), since=901 * SECOND)
    )  # of the game before, not taken up yet
    bench.clock.restart()
    bench.once_at(SECOND)
    bench.once_at(2 * SECOND)
    assert seen == [900 * SECOND, SECOND, 2 * SECOND]


def test_the_eye_gets_the_newest_picture_once():
    bench = Bench()
    assert bench.worker.take_preview() is None
    bench.once_at(100_000)
    bench.once_at(300_000)
    frame = bench.worker.take_preview()
    assert frame is not None
    assert frame.at == 300_000
    assert bench.worker.take_preview() is None


def test_closing_lets_the_camera_go():
    bench = Bench()
    closed = []
    bench.camera.close = lambda: closed.append(True)
    bench.once_at(0)
    bench.worker.close()
    assert closed == [True]


def test_the_thread_reads_until_it_is_closed():
    clock = GameClock()
    inbox: SimpleQueue[Observation] = SimpleQueue()
    worker = CameraWorker(lambda: SimulatedCamera(image, clock), reading, inbox.put, clock, interval=1_000)
    worker.start()
    worker.request_look(CameraRequest(regions=frozenset(), since=0))
    first, second = inbox.get(timeout=LONGEST_S), inbox.get(timeout=LONGEST_S)
    worker.close(patience=LONGEST_S)
    assert first.at < second.at
    assert not worker._thread.is_alive()


def test_a_reading_that_takes_long_keeps_nobody_and_lets_the_camera_go_when_it_is_over():
    clock, reads, may_end = GameClock(), Event(), Event()

    def long_reading(picture, at: int) -> list[Observation]:
        reads.set()
        may_end.wait(LONGEST_S)
        return []

    worker = CameraWorker(lambda: SimulatedCamera(image, clock), long_reading, lambda seen: None, clock)
    worker.start()
    assert reads.wait(LONGEST_S)
    worker.close(patience=0.0)
    assert worker._thread.is_alive()
    may_end.set()
    worker.close(patience=LONGEST_S)
    assert not worker._thread.is_alive()


def test_a_thread_that_waits_for_a_lost_camera_ends_at_once():
    inbox: SimpleQueue[Observation] = SimpleQueue()

    def nothing():
        raise CameraError("no camera")

    worker = CameraWorker(nothing, reading, inbox.put, GameClock())
    worker.start()
    assert isinstance(inbox.get(timeout=LONGEST_S), CameraLost)
    worker.close(patience=LONGEST_S)
    assert not worker._thread.is_alive()
