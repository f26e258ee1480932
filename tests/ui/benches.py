"""The pages at the camera, as people may see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from msgspec.structs import replace

from companion.camera.enrolment_task import list_cards
from companion.core.camera_tasks import (
    CalibrationView,
    CameraPageInput,
    EnrolView,
    PhotoView,
    SimilarCards,
    SpottedCard,
    WatchView,
    Zone,
)
from companion.core.view import Sentence
from companion.games import printed_mat
from companion.ui.frame import CameraPageFrame, UiState

DECKS = Path(__file__).parents[2] / "assets" / "decks" / "kinapa"
WIDE, HIGH = 640, 360
MAT = ((0.17, 0.06), (0.83, 0.06), (0.93, 0.94), (0.07, 0.94))
"""Where the mat's corners are in the picture."""


def _wood() -> Any:
    grain = np.random.default_rng(1).normal(0, 5, (HIGH, 8)).repeat(WIDE // 8, axis=1)
    return np.clip(np.array((66, 96, 132)) + cv2.GaussianBlur(grain, (41, 3), 0)[..., None], 0, 255)


def _onto(table: Any, picture: Any, corners: Any) -> Any:
    """A picture laid on the table, its corners where they are said to be (shares)."""
    high, wide = picture.shape[:2]
    flat = np.array(((0, 0), (wide, 0), (wide, high), (0, high)), np.float32)
    turn = cv2.getPerspectiveTransform(flat, (np.array(corners) * (WIDE, HIGH)).astype(np.float32))
    laid = cv2.warpPerspective(picture, turn, (WIDE, HIGH), flags=cv2.INTER_AREA)
    seen = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), turn, (WIDE, HIGH))[..., None] / 255
    return table * (1 - seen) + laid * seen


def _zones() -> Iterator[Zone]:
    layout = printed_mat("kinapa")
    wide, high = layout.mat_size_mm
    flat = np.array(((0, 0), (wide, 0), (wide, high), (0, high)), np.float32)
    turn = cv2.getPerspectiveTransform(flat, np.array(MAT, np.float32))
    for place in (*layout.banks, *layout.places):
        corners = cv2.perspectiveTransform(place.corners_mm()[None].astype(np.float32), turn)[0]
        label, read = place.name.partition(":")[2], place in layout.places
        fault = "glare" if place.name == "slot:12" else ""
        yield Zone(place.name, label, tuple((float(x), float(y)) for x, y in corners), read, fault)


PICTURE = _onto(_wood(), cv2.imread(str(DECKS / "mat.jpg")), MAT).astype(np.uint8)
CARD_LIES = ((0.34, 0.16), (0.63, 0.14), (0.64, 0.9), (0.34, 0.89))
SHOWN = _onto(_wood(), cv2.imread(str(DECKS / "enrol" / "object%3a15-16.jpg")), CARD_LIES).astype(np.uint8)
SQUARE = ((0.2, 0.2), (0.4, 0.2), (0.4, 0.5), (0.2, 0.5))
WHOLE = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
FOUND = CalibrationView(
    game="kinapa",
    games=("kinapa", "kabuki"),
    method="marks",
    hint=Sentence("ui.calibrate.found"),
    zones=tuple(_zones()),
    ready=True,
)
WARNED = replace(
    FOUND,
    warnings=(
        Sentence("ui.calibrate.not_held"),
        Sentence("ui.calibrate.glare", (("where", "1, 12, 3 …"),)),
        Sentence("ui.calibrate.shadow"),
        Sentence("ui.calibrate.blur"),
        Sentence("ui.calibrate.flicker"),
    ),
)
BY_HAND = replace(
    FOUND, method="sheet", aim="corners", corners=WHOLE, hint=Sentence("ui.calibrate.corners_sheet")
)
SIDES = ("left", "right", "top", "bottom")
HINTS = (
    "no_picture", "locking", "kept", "kept_unlocked", "found", "corners", "corners_sheet", "zones", "crossed",
    "misplaced", "turned", "askew", "white", "mirrored", "blur",
    "missing.top_left", "missing.top_right", "missing.bottom_right", "missing.bottom_left",
)  # fmt: skip


def calibrations() -> Iterator[CalibrationView]:
    yield FOUND
    yield replace(FOUND, games=("kinapa",))
    for mat in ("kinapa.mat.0", "kinapa.mat.1", "ui.calibrate.mat.other"):
        yield replace(WARNED, mat=Sentence(mat))
    yield WARNED
    yield BY_HAND
    yield replace(BY_HAND, aim="zones", chosen=1, fine=True, warnings=WARNED.warnings[1:3])
    yield replace(BY_HAND, method="corners")
    for hint in HINTS:
        yield replace(FOUND, hint=Sentence(f"ui.calibrate.{hint}"), ready=False, kept="kept" in hint)
    yield replace(FOUND, hint=Sentence("ui.calibrate.marks_missing", (("left", 3),)), zones=(), ready=False)
    for warning in ("across", "dark", "small", "lens.wide", "lens.noir"):
        yield replace(FOUND, warnings=(Sentence(f"ui.calibrate.{warning}"),))
    for warning, part in (("slant", "degrees"), ("too_high", "cm"), ("too_high.share", "percent")):
        yield replace(FOUND, warnings=(Sentence(f"ui.calibrate.{warning}", ((part, 31),)),))
    other = Sentence("ui.calibrate.other_webcam", (("webcam", "HD Pro Webcam C920"),))
    yield replace(FOUND, hint=other, zones=(), ready=False)
    beyond = tuple((2 * x - 0.5, 2 * y - 0.5) for x, y in WHOLE)
    for hint, part in (
        ("slant", "degrees"),
        ("too_low", "cm"),
        ("too_low.share", "percent"),
        *((f"cut_off.{side}", "cm") for side in SIDES),
    ):
        cut = Sentence(f"ui.calibrate.{hint}", ((part, 31),))
        yield replace(FOUND, hint=cut, zones=(), ready=False, outline=beyond)


DECK = list_cards("kinapa")
ASKED = EnrolView(
    game="kinapa",
    games=("kabuki", "kinapa"),
    phase="show",
    hint=Sentence("ui.enrol.show"),
    card="object:15-16",
    cards=DECK,
    known=frozenset(DECK[:12]),
    outline=CARD_LIES,
    can_go_back=True,
)
CLASH = replace(ASKED, phase="clash", hint=Sentence("ui.enrol.shown_before"), other="object:13-14")
DONE = replace(
    ASKED,
    phase="done",
    hint=Sentence("ui.enrol.done"),
    card="",
    known=frozenset(DECK),
    twins=(
        SimilarCards("object:15-16", "object:13-14", 0.02, Sentence("ui.enrol.advice.same")),
        SimilarCards("aid:raise", "mask:demon", 0.12, Sentence("ui.enrol.advice.hard")),
    ),
)
CARDS = tuple(
    (card, cv2.imread(str(DECKS.parent / deck / "enrol" / f"{card.replace(':', '%3a')}.jpg")))
    for deck, card in (
        ("kinapa", "object:15-16"),
        ("kinapa", "object:13-14"),
        ("kinapa", "aid:raise"),
        ("kabuki", "mask:demon"),
    )
)


def enrolments() -> Iterator[EnrolView]:
    yield ASKED
    yield replace(ASKED, known=frozenset(), can_go_back=False)
    yield replace(ASKED, card="back:blue", hint=Sentence("ui.enrol.show_back"))
    for hint in ("bare", "turn", "not_the_same", "not_saved", "checking", "other_shape", "round"):
        yield replace(ASKED, hint=Sentence(f"ui.enrol.{hint}"))
    yield CLASH
    yield replace(CLASH, hint=Sentence("ui.enrol.looks_like"))
    yield DONE
    yield replace(DONE, read="mask:lion")
    yield replace(
        DONE, twins=(SimilarCards("shelter:1", "back:blue", 0.75, Sentence("ui.enrol.advice.easy")),)
    )
    yield replace(DONE, read="unknown", twins=())


def _lies(x: float, y: float, turn: float, high: float = 0.4) -> tuple[tuple[float, float], ...]:
    """The corners of a card whose middle is there, turned by this many degrees."""
    wide, angle = high * HIGH * 44 / 68, np.radians(turn)
    spin = np.array(((np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))))
    corners = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1))) * (wide / 2, high * HIGH / 2) @ spin.T
    return tuple((x + float(a) / WIDE, y + float(b) / HIGH) for a, b in corners)


LYING = (
    ("object:15-16", 0.9939, _lies(0.24, 0.32, -4)),
    ("animal:5", 0.997, _lies(0.5, 0.3, 3)),
    ("aid:raise", 0.91, _lies(0.75, 0.33, 0)),
    ("", 0.0, _lies(0.4, 0.78, 24, 0.3)),
)


def _watched() -> Any:
    table = _wood()
    for card, _, corners in LYING:
        face = DECKS / "enrol" / f"{(card or 'back:blue').replace(':', '%3a')}.jpg"
        table = _onto(table, cv2.imread(str(face)), corners)
    return table.astype(np.uint8)


CARDS_LIE = _watched()
WATCHED = WatchView(
    "kinapa",
    ("kabuki", "kinapa"),
    complete=True,
    seen=tuple(SpottedCard(*one) for one in LYING),
    pictures=120,
    spent=1_300,
)


def watchings() -> Iterator[WatchView]:
    yield WATCHED
    yield replace(WATCHED, seen=())
    yield replace(WATCHED, seen=WATCHED.seen * 9)
    yield WatchView("kinapa", ("kabuki", "kinapa"))
    yield replace(
        WATCHED,
        deck="/home/ada/skat.deck",
        named=False,
        complete=False,
        seen=(SpottedCard("KS", 0.99, SQUARE), *WATCHED.seen[3:]),
    )
    yield replace(WATCHED, seen=(), trouble=Sentence("ui.watch.no_deck", (("deck", "kinapa"),)))


LAID = PhotoView("any_game", "tiles", Sentence("ui.photo.lay"), ready=True)


def photos() -> Iterator[PhotoView]:
    yield LAID
    yield replace(LAID, hint=Sentence("ui.photo.wait"), ready=False)
    yield replace(LAID, hint=Sentence("ui.photo.kept"), kept=True, has_photo=True)
    yield replace(LAID, hint=Sentence("ui.enrol.not_saved"), has_photo=True)


def bench_frames(language: str) -> Iterator[tuple[str, Any]]:
    """Page name and frame."""
    ui_state = UiState(language=language)
    for view in calibrations():
        yield (
            "calibrate",
            CameraPageFrame(
                ui_state=ui_state,
                camera_input=CameraPageInput(view, None if view.hint.key.endswith("no_picture") else PICTURE),
            ),
        )
    yield (
        "calibrate",
        CameraPageFrame(
            ui_state=replace(ui_state, overlay="help"), camera_input=CameraPageInput(FOUND, PICTURE)
        ),
    )
    yield "calibrate", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(BY_HAND))
    for enrolling in enrolments():
        yield (
            "enrol",
            CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(enrolling, SHOWN, CARDS)),
        )
    for photo in photos():
        yield "photo", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(photo, SHOWN))
    blank = replace(LAID, hint=Sentence("ui.calibrate.no_picture"), ready=False)
    yield "photo", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(blank))
    for watching in watchings():
        yield "watch", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(watching, CARDS_LIE))
    yield (
        "watch",
        CameraPageFrame(ui_state=replace(ui_state, overlay="help"), camera_input=CameraPageInput(WATCHED)),
    )
    yield (
        "enrol",
        CameraPageFrame(ui_state=replace(ui_state, overlay="help"), camera_input=CameraPageInput(ASKED)),
    )
    yield (
        "enrol",
        CameraPageFrame(ui_state=replace(ui_state, overlay="anew"), camera_input=CameraPageInput(DONE)),
    )
