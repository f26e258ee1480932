"""The pages at the camera, as people may see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from companion.core.camera_tasks import (
    CalibrationView,
    CameraPageInput,
    EnrolView,
    SimilarCards,
    SpottedCard,
    WatchView,
    Zone,
)
from companion.core.view import Sentence
from companion.ui.frame import CameraPageFrame, UiState

PICTURE = np.zeros((90, 160, 3), np.uint8)
SQUARE = ((0.2, 0.2), (0.4, 0.2), (0.4, 0.5), (0.2, 0.5))
ASIDE = tuple((x + 0.4, y) for x, y in SQUARE)
WHOLE = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))
FOUND = CalibrationView(
    game="kinapa",
    games=("kinapa", "kabuki"),
    method="marks",
    hint=Sentence("ui.calibrate.found"),
    zones=(
        Zone("emperor", "", SQUARE, read=False),
        Zone("slot:1", "1", SQUARE),
        Zone("slot:12", "12", ASIDE, fault="glare"),
    ),
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
    beyond = tuple((2 * x - 0.5, 2 * y - 0.5) for x, y in WHOLE)
    for hint, part in (
        ("too_low", "cm"),
        ("too_low.share", "percent"),
        *((f"cut_off.{side}", "cm") for side in SIDES),
    ):
        cut = Sentence(f"ui.calibrate.{hint}", ((part, 31),))
        yield replace(FOUND, hint=cut, zones=(), ready=False, outline=beyond)


ASKED = EnrolView(
    game="kinapa",
    games=("kabuki", "kinapa"),
    phase="show",
    hint=Sentence("ui.enrol.show"),
    card="object:15-16",
    taken=12,
    total=47,
    outline=SQUARE,
    can_go_back=True,
)
CLASH = replace(ASKED, phase="clash", hint=Sentence("ui.enrol.shown_before"), other="object:13-14")
DONE = replace(
    ASKED,
    phase="done",
    hint=Sentence("ui.enrol.done"),
    card="",
    taken=47,
    twins=(
        SimilarCards("object:15-16", "object:13-14", 0.02, Sentence("ui.enrol.advice.same")),
        SimilarCards("aid:raise", "mask:demon", 0.12, Sentence("ui.enrol.advice.hard")),
    ),
)
CARD = np.zeros((96, 62, 3), np.uint8)
CARDS = tuple((card, CARD) for card in ("object:15-16", "object:13-14", "aid:raise", "mask:demon"))


def enrolments() -> Iterator[EnrolView]:
    yield ASKED
    yield replace(ASKED, taken=0, can_go_back=False)
    yield replace(ASKED, card="back:blue", hint=Sentence("ui.enrol.show_back"))
    for hint in ("bare", "turn", "not_the_same", "not_saved", "checking", "other_shape"):
        yield replace(ASKED, hint=Sentence(f"ui.enrol.{hint}"))
    yield CLASH
    yield replace(CLASH, hint=Sentence("ui.enrol.looks_like"))
    yield DONE
    yield replace(DONE, read="mask:lion")
    yield replace(
        DONE, twins=(SimilarCards("shelter:1", "back:blue", 0.75, Sentence("ui.enrol.advice.easy")),)
    )
    yield replace(DONE, read="unknown", twins=())


WATCHED = WatchView(
    "kinapa",
    ("kabuki", "kinapa"),
    complete=True,
    seen=(
        SpottedCard("object:15-16", 0.9939, SQUARE),
        SpottedCard("aid:raise", 0.91, ASIDE),
        SpottedCard("", 0.0, WHOLE),
    ),
    pictures=120,
    spent=1_300,
    read=184_000,
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
        seen=(SpottedCard("KS", 0.99, SQUARE), *WATCHED.seen[2:]),
    )
    yield replace(WATCHED, seen=(), trouble=Sentence("ui.watch.no_deck", (("deck", "kinapa"),)))


def bench_frames(language: str) -> Iterator[tuple[str, Any]]:
    """Page name and frame."""
    ui_state = UiState(language=language)
    for view in calibrations():
        yield "calibrate", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(view, PICTURE))
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
            CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(enrolling, PICTURE, CARDS)),
        )
    for watching in watchings():
        yield "watch", CameraPageFrame(ui_state=ui_state, camera_input=CameraPageInput(watching, PICTURE))
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
