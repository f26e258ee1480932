"""The printed numbers 1 to 60: each is read for what it is, and none for another."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from companion.core.actions import Setup
from companion.games import RULES, find_deck_file
from companion.games.in_order.rules.model import HEAP
from companion.printing.deck_file import load_deck
from companion.simulation.simulated_table import DrawnMat
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.decks import Deck
from companion.vision.renderer import TableScene
from companion.vision.table_watcher import TableWatcher
from tests.games.in_order.order_table import A, B, Table, kinds
from tests.thorough import examples

ORDER = RULES["in_order"]
MOST_BYTES = 1_500_000
ALIKE = (6, 9, 12, 21, 16, 19, 59)
"""Like others upside down or swapped: tried at every time."""
NUMBERS = sorted({*ALIKE, *random.Random(14).sample(range(1, 61), examples(60))})
STILL = 10
"""Looks at a table on which nothing moves."""


def test_there_are_sixty_cards_and_no_two_share_ground_and_pattern() -> None:
    faces = [face for face in load_deck(bundled_assets_folder() / "decks" / "in_order.toml") if face.copies]
    assert [(face.card, face.options["number"]) for face in faces] == [
        (f"order:{number}", str(number)) for number in range(1, 61)
    ]
    assert {face.copies for face in faces} == {1}
    assert Counter((face.ground, face.pattern) for face in faces).most_common(1)[0][1] == 1


def test_the_deck_is_small_and_its_nearest_cards_are_far_apart() -> None:
    file = find_deck_file("in_order")
    assert file.stat().st_size < MOST_BYTES
    deck = Deck.load(file)
    assert set(deck.cards) == {"back:order", *(f"order:{number}" for number in range(1, 61))}
    assert deck.find_look_alikes(1)[0][2] > 0.45


@pytest.fixture(scope="module")
def mat() -> DrawnMat:
    setup = Setup((0, 1, 2), ORDER.options())
    return DrawnMat(ORDER, setup, random.Random(1), np.random.default_rng(1))


def read_top(mat: DrawnMat, *numbers: int, turns: tuple[float, ...]) -> str:
    """What is read on a heap of these cards, each laid a little off, turned by so many degrees."""
    known, chance = mat.watcher, random.Random(str(numbers))
    x, y = known.layout.place(HEAP).centre_mm
    cards = tuple(
        (f"order:{number}", (x + chance.uniform(-6, 6), y + chance.uniform(-6, 6)), turn)
        for number, turn in zip(numbers, turns, strict=True)
    )
    picture = mat._renderer.render(TableScene(cards), mat._noise)
    watcher, read = TableWatcher(known.recogniser, known.layout, known.calibration), ""
    for look in range(STILL):
        seen = watcher.step(picture, 250_000 * (look + 1))
        if seen is not None:
            read = " ".join(face.card for face in seen.regions[0].faces)
    return read


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_every_number_is_read_either_way_up_and_across(mat: DrawnMat, number: int) -> None:
    for turn in (3.0, 94.0, 176.0):
        assert read_top(mat, number, turns=(turn,)) == f"order:{number}"
    assert read_top(mat, number, turns=(230.0,)) in {f"order:{number}", "unknown"}


@pytest.mark.slow
def test_on_a_heap_the_uppermost_is_read_or_none(mat: DrawnMat) -> None:
    chance, read = random.Random(3), Counter[bool]()
    for _ in range(examples(96)):
        numbers = chance.sample(range(1, 61), 3)
        turns = tuple(chance.choice((0, 180)) + chance.uniform(-5, 5) for _ in numbers)
        top = read_top(mat, *numbers, turns=turns)
        assert top in {f"order:{numbers[-1]}", "unknown", ""}
        read[top.startswith("order")] += 1
    assert read[True] > read[False]


@pytest.mark.slow
def test_who_has_pressed_lays_what_the_camera_reads(mat: DrawnMat) -> None:
    table, known = Table(), mat.watcher
    watcher = TableWatcher(known.recogniser, known.layout, known.calibration)
    ruled: list[str] = []
    for seat, number in ((A, 12), (B, 5)):
        table.press(seat)
        picture = mat.render({HEAP: (f"order:{number}",)})
        for _ in range(STILL):
            table.at += 250_000
            seen = watcher.step(picture, table.at)
            ruled += [] if seen is None else kinds(table.see(seen))
    assert [kind for kind in ruled if kind != "HeapSeen"] == ["NumberLaid", "NumberLaid", "LifeLost"]
