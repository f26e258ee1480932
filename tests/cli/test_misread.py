"""`companion misread`: a picture of a game that is over becomes a labelled test image."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.camera.evidence import picture_path
from companion.core.actions import Action
from companion.core.observations import (
    ActionDeclared,
    CorrectionRequested,
    RegionReading,
    SeenCard,
    TableSeen,
)
from companion.games import mat_layout
from companion.referee.journal import Entry
from companion.referee.journal.entry import RejudgedRuling
from companion.system import asset_paths
from companion.vision.decks import Deck, build_deck
from companion.vision.recogniser import Recogniser
from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures
from tests.cli.command_line import Command, file_of, played

LAY, READ, PLACE = "object:5-6", "object:1-2", "slot:2"
SEQ = 5


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TableRenderer]:
    """A table with one card, and another beside it."""
    layout = mat_layout("kinapa", 4)
    renderer = TableRenderer(
        Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa"), layout, MIDDLE
    )
    cards = ((LAY, layout.spots(PLACE)[0].centre_mm, 4.0), ("fox", layout.spots("slot:5")[0].centre_mm, 0.0))
    path = tmp_path_factory.mktemp("photo") / "photo.jpg"
    cv2.imwrite(str(path), renderer.render(TableScene(cards), np.random.default_rng(1)))
    return path, renderer


def stored(companion: Command, tmp_path: Path, photo: Path, *, over: bool = True, told: str = "") -> None:
    """A game in whose fifth entry a card was misread; `told` is what the table corrected it to."""
    header, entries = played(upto=None if over else 20)
    entry = entries[SEQ]
    seen = TableSeen(at=entry.cause.at, regions=(RegionReading(PLACE, (SeenCard(READ, 0, 0.9),), 0, 0),))
    entries[SEQ] = Entry(SEQ, seen, entry.events)
    if told:
        last = entries[-1]
        truth = ActionDeclared(at=seen.at, action=Action(0, "object", told))
        again = tuple(RejudgedRuling(one.seq, one.events) for one in entries[SEQ:])
        cause = CorrectionRequested(at=last.cause.at + 1, seq=SEQ, truth=truth)
        entries.append(Entry(last.seq + 1, cause, (), corrects=SEQ, rejudged=again))
    assert companion("import", str(file_of(tmp_path, (header, entries)))).code == 0
    path = picture_path(tmp_path / "games" / "table", 1, SEQ)
    path.parent.mkdir(parents=True)
    shutil.copy(photo, path)


def labels(folder: Path) -> dict[str, object]:
    file = folder / "sets" / "kinapa" / "labels.json"
    found: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    return found


def test_the_misread_card_is_labelled_where_it_lies_and_the_rest_counts_for_nothing(
    companion: Command, tmp_path: Path, photo: tuple[Path, TableRenderer]
) -> None:
    path, renderer = photo
    stored(companion, tmp_path, path)
    out = tmp_path / "data"
    said = companion("dev", "misread", "1", str(SEQ), "--card", LAY, "--out", str(out))
    assert said.code == 0, said.err
    assert f"{LAY} at {PLACE}, read as {READ}" in said.out
    ((name, about),) = labels(out).items()
    assert isinstance(about, dict)
    assert (about["split"], about["kind"]) == ("dev", "pos")
    mine, other = about["cards"]
    assert mine["card"] == LAY.replace(":", "%3a")
    place = mat_layout("kinapa", 4).spots(PLACE)[0]
    true = renderer.card_corners(place.centre_mm, 4.0)
    assert np.abs(np.array(mine["corners"]) - true).max() < 4.0
    assert (other["card"], other["ignore"]) == ("fox", True)
    assert (out / "sets" / "kinapa" / "photos" / name).read_bytes() == path.read_bytes()


def test_its_references_enrol_a_deck_that_reads_it(
    companion: Command, tmp_path: Path, photo: tuple[Path, TableRenderer]
) -> None:
    stored(companion, tmp_path, photo[0], told="5-6")
    out = tmp_path / "data"
    assert companion("dev", "misread", "1", str(SEQ), "--out", str(out)).code == 0, (
        "the correction says what it was"
    )
    refs = sorted((out / "sets" / "kinapa" / "refs").iterdir())
    plain = Deck.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa" / "kinapa.deck")
    assert len(refs) == len(plain.cards)
    pictures = [(ref.stem, np.asarray(cv2.imread(str(ref)), np.uint8)) for ref in refs]
    taken = cv2.imread(str(photo[0]))
    assert taken is not None
    seen = {one.card for one in Recogniser(build_deck(pictures)).recognise(np.asarray(taken, np.uint8))}
    assert LAY.replace(":", "%3a") in seen


def test_the_entry_of_the_correction_names_the_reading_too_and_a_second_picture_is_added(
    companion: Command, tmp_path: Path, photo: tuple[Path, TableRenderer]
) -> None:
    stored(companion, tmp_path, photo[0], told="5-6")
    correction = str(played()[1][-1].seq + 1)
    out = tmp_path / "data"
    assert companion("dev", "misread", "1", correction, "--out", str(out)).code == 0
    known = labels(out)
    (out / "sets" / "kinapa" / "labels.json").write_text(json.dumps({**known, "other.jpg": {}}))
    assert companion("dev", "misread", "1", str(SEQ), "--out", str(out)).code == 0
    assert set(labels(out)) == {*known, "other.jpg"}


def test_while_a_game_is_not_over_its_pictures_stay_shut(
    companion: Command, tmp_path: Path, photo: tuple[Path, TableRenderer]
) -> None:
    stored(companion, tmp_path, photo[0], over=False)
    said = companion("dev", "misread", "1", str(SEQ), "--card", LAY, "--out", str(tmp_path / "data"))
    assert said.code == 2
    assert "isn't over" in said.err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["6", "--card", LAY], f"there are pictures of entry {SEQ}"),
        ([str(SEQ)], "--card"),
        ([str(SEQ), "--card", "object:99"], "no card object:99"),
        ([str(SEQ), "--card", LAY, "--place", "slot:9"], f"read {PLACE}"),
    ],
)
def test_what_cannot_be_labelled_is_told_in_a_sentence(
    companion: Command, tmp_path: Path, photo: tuple[Path, TableRenderer], words: list[str], told: str
) -> None:
    stored(companion, tmp_path, photo[0])
    said = companion("dev", "misread", "1", *words, "--out", str(tmp_path / "data"))
    assert said.code == 2
    assert told in said.err
