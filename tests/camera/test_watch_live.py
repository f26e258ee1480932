"""What the camera reads, live: on a bench as in the window, and line by line on a terminal."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.__main__ import main
from companion.camera.picture_tasks import WatchTask, find_faults
from companion.camera.task_runner import CameraTaskRunner
from companion.core.camera_tasks import CameraCommand, WatchView
from companion.core.clock import ManualClock
from companion.programs.camera_programs import LAYING_INTERVAL, MAX_LAID, simulate_laying
from companion.system import asset_paths
from companion.vision.decks import Deck, build_deck
from companion.vision.recogniser import Recogniser
from hardware.camera import Camera, CameraFrame

GAME = "kobayakawa"


@pytest.fixture(scope="module")
def frames() -> tuple[CameraFrame, ...]:
    """A drawn table: bare, bare again, with one card, with two."""
    clock = ManualClock()
    camera: Camera = simulate_laying(GAME, clock)
    taken = []
    for at in (0, LAYING_INTERVAL // 2, LAYING_INTERVAL, 2 * LAYING_INTERVAL):
        clock.move_to(at)
        taken.append(camera.capture(at - 1))
    return tuple(taken)


@pytest.fixture
def table(frames: tuple[CameraFrame, ...], tmp_path: Path) -> Path:
    """The same pictures in a folder."""
    folder = tmp_path / "table"
    folder.mkdir()
    for number, frame in enumerate(frames):
        cv2.imwrite(str(folder / f"{number}.png"), frame.image)
    return folder


def watched(bench: WatchTask, frame: CameraFrame) -> list[str]:
    bench.step(frame.image, frame.at)
    return [one.card for one in bench.view().seen]


def test_cards_are_seen_with_their_corners_their_chance_and_the_time(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    clock = ManualClock()
    bench = WatchTask(tmp_path, GAME, clock=clock)
    assert watched(bench, frames[0]) == []
    assert watched(bench, frames[2]) == ["number:1"]
    (one,) = bench.view().seen
    assert 0.9 < one.confidence < 1.0
    assert all(0 < x < 1 and 0 < y < 1 for x, y in one.corners)
    assert sorted(watched(bench, frames[3])) == ["number:1", "number:8"]
    assert bench.view().pictures == 3


def test_outlines_are_shown_on_the_picture_in_which_they_were_seen(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    camera_tasks = CameraTaskRunner(tmp_path, say=lambda _: None)
    camera_tasks.open_page("watch", GAME)
    camera_tasks.step(frames[2].image, frames[2].at)
    camera_tasks.tick(frames[3].image)  # newer, but not read yet
    bench = camera_tasks.page_input()
    assert bench is not None
    assert bench.camera is frames[2].image
    assert isinstance(bench.view, WatchView)
    assert [one.card for one in bench.view.seen] == ["number:1"]


def test_whether_the_picture_is_light_and_sharp_is_told_of_the_cards_in_it(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    bench = WatchTask(tmp_path, GAME, clock=ManualClock())
    watched(bench, frames[2])
    assert bench.view().faults == ()
    seen = bench._before
    assert seen
    assert find_faults(seen, (frames[2].image // 4).astype(np.uint8)) == ("dark",)
    soft = cv2.GaussianBlur(frames[2].image, (0, 0), 9)
    assert find_faults(seen, np.asarray(soft, np.uint8)) == ("blur",)


def test_another_game_s_deck_knows_these_cards_for_strangers_or_not_at_all(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    bench = WatchTask(tmp_path, GAME, clock=ManualClock())
    bench.add_command(CameraCommand("game"))
    assert set(watched(bench, frames[3])) <= {""}
    assert bench.view().deck != GAME


def test_the_table_s_own_deck_is_read_and_a_broken_one_is_told(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    (tmp_path / "decks").mkdir()
    own = tmp_path / "decks" / f"{GAME}.deck"
    own.write_bytes(b"PK\x03\x04 cut short")
    bench = WatchTask(tmp_path, GAME, clock=ManualClock())
    assert watched(bench, frames[2]) == []
    trouble = bench.view().trouble
    assert trouble is not None
    assert trouble.key == "ui.watch.no_deck"
    own.unlink()
    assert watched(bench, frames[2]) == ["number:1"]
    assert bench.view().trouble is None


def test_cards_without_a_name_in_the_catalogue_keep_their_own(
    tmp_path: Path, frames: tuple[CameraFrame, ...]
) -> None:
    plain = Deck.load(asset_paths.bundled_assets_folder() / "decks" / GAME / f"{GAME}.deck")
    renamed = build_deck(
        [(f"K{owner}", picture) for owner, picture in zip(plain.owners, plain.pictures, strict=True)]
    )
    renamed.save(tmp_path / "mine.deck")
    bench = WatchTask(tmp_path, str(tmp_path / "mine.deck"), clock=ManualClock())
    assert watched(bench, frames[2]) == [f"K{plain.cards.index('number:1')}"]
    assert not bench.view().named


def test_a_card_that_cannot_be_read_is_one_of_the_deck_if_that_is_complete(
    tmp_path: Path, frames: tuple[CameraFrame, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """It is spoilt; of a deck that was taught in part nobody knows whether it is another card."""
    spoilt = frames[2].image.copy()
    whole = Deck.load(asset_paths.bundled_assets_folder() / "decks" / GAME / f"{GAME}.deck")
    (card,) = Recogniser(whole).recognise(spoilt)
    x, y = card.corners.mean(axis=0).astype(int).tolist()
    cv2.circle(spoilt, (x, y), 8, (20, 20, 20), -1)
    cv2.imwrite(str(tmp_path / "a.png"), spoilt)
    for complete, told in ((True, "1 card I can't read\n"), (False, "read, or that is not in this deck\n")):
        replace(whole, complete=complete).save(tmp_path / "mine.deck")
        bench = WatchTask(tmp_path, str(tmp_path / "mine.deck"), clock=ManualClock())
        assert watched(bench, replace(frames[2], image=spoilt)) == [""]
        assert bench.view().complete == complete
        words = ["--deck", str(tmp_path / "mine.deck"), "--from", str(tmp_path / "a.png"), "--once"]
        assert main(["watch", *words]) == 0
        assert told in capsys.readouterr().out


# On a terminal ----------------------------------------------------------------------------------------------


def test_once_prints_one_picture_and_ends(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (table / "0.png").unlink()
    (table / "1.png").unlink()
    assert main(["watch", GAME, "--from", str(table), "--once"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert " ms  number:1 0.9" in line


def test_a_folder_is_read_once_and_only_what_changes_is_printed(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", GAME, "--from", str(table), "--print"]) == 0
    told = capsys.readouterr().out.splitlines()
    seen = [re.findall(r"number:\d+", line) for line in told[:-1]]
    assert [sorted(cards) for cards in seen] == [[], ["number:1"], ["number:1", "number:8"]]
    assert told[-1].startswith("4 pictures, ")


def test_a_bad_picture_of_a_folder_is_named_and_the_others_are_read(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (table / "1.png").write_text("no picture")
    (table / "9.png").write_bytes(b"")
    assert main(["watch", GAME, "--from", str(table), "--json"]) == 2
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 3
    first, last = told.err.splitlines()
    assert "1.png isn't a picture" in first
    assert "9.png is empty" in last


def test_as_json_every_picture_is_a_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", GAME, "--from", str(table), "--json", "--frames", "3"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[card["card"] for card in one["cards"]] for one in told] == [[], [], ["number:1"]]
    assert len(told[2]["cards"][0]["corners"]) == 4


def test_one_picture_and_the_cards_of_the_simulated_table_are_read(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", GAME, "--from", str(table / "2.png"), "--print"]) == 0
    assert "number:1" in capsys.readouterr().out
    assert main(["watch", GAME, "--simulate", "--once"]) == 0
    assert len(re.findall(r"number:\d+", capsys.readouterr().out)) == MAX_LAID


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from", "nowhere"], "can't find nowhere"),
        (["--simulate", "--from", "."], "either --simulate or --from"),
        ([GAME, "--deck", "x.deck"], "either GAME or --deck"),
        (["--deck", "x.deck"], "there is no deck x.deck"),
        (["--frames", "0"], "at least 1"),
        (["--from", __file__], "test_watch_live.py"),
    ],
)
def test_what_cannot_be_watched_is_told_in_a_sentence(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", "--once", *words]) == 2
    assert told in capsys.readouterr().err


def test_pictures_of_any_shape_are_looked_at(tmp_path: Path) -> None:
    bench = WatchTask(tmp_path, GAME, clock=ManualClock())
    black: NDArray[np.uint8] = np.zeros((480, 640, 3), np.uint8)
    for picture in (black, np.full((720, 1280, 3), 255, np.uint8)):
        bench.step(picture, 0)
        assert bench.view().seen == ()
