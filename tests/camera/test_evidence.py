"""Pictures behind rulings: which are kept, which never, how many, and who may have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.camera import evidence as _evidence
from companion.camera.evidence import (
    MAX_PENDING_WRITES,
    PAUSE_AFTER_HAND,
    EvidenceRecorder,
    delete_pictures,
    list_pictures,
    prune_pictures,
)
from companion.core.actions import SECOND
from companion.core.observations import (
    ButtonPressed,
    HandShown,
    Observation,
    RegionReading,
    SeenCard,
    TableSeen,
)
from companion.referee.journal import Entry
from companion.referee.loop import Announcement, RefereedGame

GAME = 7


def picture(value: int) -> NDArray[np.uint8]:
    return np.full((48, 64, 3), value, np.uint8)


@dataclass
class Table:
    """A game of which only what a witness looks at is there; states are whether somebody shows a hand."""

    dark: bool = False
    entries: list[Entry[Any]] = field(default_factory=list)
    rulings: bool = True

    @property
    def view(self) -> Any:
        return SimpleNamespace(dark=self.dark)

    @property
    def referee(self) -> Any:
        rules = SimpleNamespace(view=lambda dark: SimpleNamespace(dark=dark))
        return SimpleNamespace(rules=rules, journal=SimpleNamespace(game=GAME, entries=self.entries))


class Evening:
    """A witness at a table: pictures come, rulings are told, and the camera's thread writes at once."""

    def __init__(self, folder: Path, *, writes: bool = True) -> None:
        self.folder, self.table = folder, Table()
        self.jobs: list[Any] = []
        self.writes = writes
        self.witness = EvidenceRecorder(folder, cast("RefereedGame", self.table), self._do)
        self.seq = 0

    def _do(self, job: Any) -> None:
        if self.writes:
            job(None)
        else:
            self.jobs.append(job)

    def look(self, seconds: float, value: int) -> None:
        at = round(seconds * SECOND)
        self.witness.add_picture(picture(value), at, at + 1000)

    def told(self, cause: Observation, *, before: bool = False, after: bool = False) -> int:
        """A ruling on `cause`; `before` and `after` say whether somebody shows a hand."""
        self.seq += 1
        self.table.dark = after
        entry = Entry(self.seq, cause, ())  # type: ignore[arg-type]
        self.witness.handle_ruling(Announcement(entry, (), before, after))
        return self.seq

    def kept(self) -> dict[int, int]:
        """Entry → what was in its picture."""
        shown = {one.seq: cv2.imread(str(one.path)) for one in list_pictures(self.folder)}
        return {seq: round(float(np.mean(image))) for seq, image in shown.items() if image is not None}


def seen(seconds: float, *regions: RegionReading) -> TableSeen:
    return TableSeen(at=round(seconds * SECOND), regions=regions)


def region(name: str, *cards: str) -> RegionReading:
    return RegionReading(name, tuple(SeenCard(card) for card in cards), 0, 0)


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    return Evening(tmp_path)


@pytest.fixture(autouse=True)
def _ruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_evidence, "is_ruling", lambda rules, events: True)


def test_the_picture_that_was_seen_before_the_ruling_is_kept(evening: Evening) -> None:
    evening.look(1.0, 50)
    evening.look(1.1, 100)
    evening.look(1.5, 200)  # seen while the ruling was being judged: not what it was made by
    seq = evening.told(seen(1.2, region("slot:1", "object:1-2")))
    assert evening.kept() == {seq: 100}


def test_a_press_that_rules_nothing_keeps_nothing(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_evidence, "is_ruling", lambda rules, events: False)
    evening.look(1.0, 50)
    evening.told(ButtonPressed(at=2 * SECOND, chair=0, button="seat", source="key"))
    assert evening.kept() == {}
    seq = evening.told(seen(3.0, region("slot:1", "object:1-2")))  # what is read may be misread
    assert evening.kept() == {seq: 50}


def test_nothing_of_an_audit_is_kept_before_in_or_after_it(evening: Evening) -> None:
    evening.look(1.0, 10)
    evening.told(seen(1.1), after=True)  # the audit begins
    for tenth in range(12, 60):
        evening.look(tenth / 10, 66)
    evening.told(seen(5.9, region("audit", "animal:1", "shelter:2")), before=True, after=True)
    evening.told(HandShown(at=6 * SECOND, seat=0, faces=()), before=True)
    # It is over, but the hand still lies there.
    for tenth in range(61, 300):
        evening.look(tenth / 10, 66)
        evening.told(seen(tenth / 10, region("slot:1")))
    assert evening.kept() == {}
    evening.told(seen(30.0, region("audit")))  # bare again
    evening.look(30.1, 120)
    seq = evening.told(seen(30.2, region("slot:1")))
    assert list(evening.kept()) == [seq]


def test_without_a_reading_of_the_place_nothing_is_kept_for_a_while_after_an_audit(evening: Evening) -> None:
    evening.told(HandShown(at=SECOND, seat=0, faces=()), before=True, after=True)
    evening.look(1.2, 66)
    over = 1.2 * SECOND + PAUSE_AFTER_HAND
    evening.told(HandShown(at=round(1.3 * SECOND), seat=0, faces=()), before=True)
    evening.look((over - 0.1 * SECOND) / SECOND, 66)
    evening.told(seen(over / SECOND + 1))
    assert evening.kept() == {}
    evening.look((over + 0.1 * SECOND) / SECOND, 120)
    seq = evening.told(seen(over / SECOND + 2))
    assert evening.kept() == {seq: 120}


def test_a_camera_thread_that_hangs_does_not_fill_the_memory(tmp_path: Path) -> None:
    evening = Evening(tmp_path, writes=False)
    evening.look(1.0, 50)
    for number in range(20):
        evening.told(seen(2.0 + number))
    assert len(evening.jobs) == MAX_PENDING_WRITES
    for job in evening.jobs:
        job(None)
    evening.told(seen(30.0))
    assert len(evening.jobs) == MAX_PENDING_WRITES + 1


def test_a_full_disk_costs_the_picture_and_not_the_game(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, image: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("companion.vision.pictures.write_picture", full)
        evening.look(1.0, 50)
        evening.told(seen(1.1))
    assert evening.kept() == {}
    seq = evening.told(seen(1.2))
    assert evening.kept() == {seq: 50}


def test_a_new_game_does_not_inherit_the_pictures_of_another_with_its_number(tmp_path: Path) -> None:
    old = tmp_path / "evidence" / f"game-{GAME}" / "00099.jpg"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"of a store that is gone")
    evening = Evening(tmp_path)
    evening.look(1.0, 50)
    seq = evening.told(seen(1.1))
    assert list(evening.kept()) == [seq]
    going_on = Evening(tmp_path)
    going_on.table.entries.append(Entry(0, seen(0.1), ()))  # type: ignore[arg-type]
    going_on.witness = EvidenceRecorder(tmp_path, cast("RefereedGame", going_on.table), going_on._do)
    going_on.seq = 50
    going_on.look(2.0, 80)
    assert going_on.told(seen(2.1)) == 51
    assert list(going_on.kept()) == [seq, 51]


def test_the_oldest_go_when_there_are_too_many_or_they_are_too_large(tmp_path: Path) -> None:
    for game, seq in ((2, 1), (10, 3), (10, 2)):
        path = _evidence.picture_path(tmp_path, game, seq)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(100))
    prune_pictures(tmp_path, most=2)
    assert [(one.game, one.seq) for one in list_pictures(tmp_path)] == [(10, 2), (10, 3)]
    assert not (tmp_path / "evidence" / "game-2").exists()
    prune_pictures(tmp_path, most_bytes=150)
    assert [(one.game, one.seq) for one in list_pictures(tmp_path)] == [(10, 3)]
    assert delete_pictures(list_pictures(tmp_path)) == 1
    assert list_pictures(tmp_path) == []


def test_what_is_no_picture_of_a_game_is_left_alone(tmp_path: Path) -> None:
    for name in ("game-x/00001.jpg", "game-1/cat.jpg", "notes.txt"):
        path = tmp_path / "evidence" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"mine")
    assert list_pictures(tmp_path) == []
