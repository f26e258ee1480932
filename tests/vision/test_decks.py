"""A deck survives its file; what is no deck is refused with a sentence that helps."""

from __future__ import annotations

import json
import re
import struct
import zipfile

import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.system.asset_paths import bundled_assets_folder
from companion.vision import decks
from companion.vision.acceptance import COMPLETE_DECK_LIMIT, MAX_FLAW_LIMIT, RIVAL_RATIO_RANGE, SAME_FACE_FLAW
from companion.vision.decks import (
    DECK_FORMAT,
    MAX_PICTURES,
    Deck,
    DeckError,
    TrainedDeck,
    build_deck,
    card_id,
    file_stem,
    load_and_upgrade_deck,
    picture_digest,
    read_card_pictures,
)
from tests.vision.drawn import cards, face


def small_deck() -> Deck:
    return build_deck([*cards("27", ("disc", "kite")), ("disc:2", face("2", "disc"))], name="Tricks")


def rewritten(path, change, compression=zipfile.ZIP_STORED) -> None:
    """The deck's file with its description changed."""
    with zipfile.ZipFile(path) as file:
        parts = {n: file.read(n) for n in file.namelist()}
    about = json.loads(parts["deck.json"])
    change(about)
    parts["deck.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in parts.items():
            file.writestr(name, data)


def test_a_deck_comes_back_from_its_file_as_it_was(tmp_path):
    deck = small_deck()
    deck.save(tmp_path / "tricks.deck")
    again = Deck.load(tmp_path / "tricks.deck")
    assert (again.name, again.cards, again.owners, again.lying, again.limits) == (
        "Tricks", ("disc:2", "disc:7", "kite:2", "kite:7"), deck.owners, deck.lying, deck.limits)  # fmt: skip
    assert not again.complete
    assert all(np.array_equal(a, b) for a, b in zip(deck.pictures, again.pictures, strict=True))
    assert [p.name for p in tmp_path.iterdir()] == ["tricks.deck"]


@pytest.mark.parametrize("keep", [0, 10, 500, -1, -30])
def test_a_file_cut_short_is_refused(tmp_path, keep):
    path = tmp_path / "tricks.deck"
    small_deck().save(path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DeckError, match=r"damaged.*copy it again"):
        Deck.load(path)


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "song.deck"
    path.write_bytes(b"ID3 this is a song" * 100)
    with pytest.raises(DeckError, match="isn't a deck"):
        Deck.load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("letter.txt", "dear friend")
    with pytest.raises(DeckError, match="isn't a deck"):
        Deck.load(path)


def described(path, headers, more=()) -> None:
    """A deck's file of cards of two pictures each, of which only the beginnings are there; and more parts."""
    owners = [n // 2 for n in range(len(headers))]
    names = [f"card:{n}" for n in range(owners[-1] + 1)]
    limits = {"flaws": [0.1] * len(names), "rival": 0.3}
    about = {"format": DECK_FORMAT, "name": "", "cards": names, "owners": owners, "limits": limits}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("deck.json", json.dumps(about | {"lying": [False] * len(headers)}))
        for number, (width, height) in enumerate(headers):
            file.writestr(
                f"{number:04d}.png", b"\x89PNG\r\n\x1a\n" + bytes(8) + struct.pack(">II", width, height)
            )
        for name in more:
            file.writestr(name, b"")


@pytest.mark.parametrize(
    ("size", "count", "why"),
    [
        ((310, 480), MAX_PICTURES + 1, "holds 241 pictures, more than 240: split the deck"),
        ((480, 480), MAX_PICTURES, "pictures that are too large together"),
        (
            (310, 480),
            MAX_PICTURES,
            "is damaged",
        ),  # their beginnings are looked at, and then the first of them
    ],
)
def test_more_than_fits_into_memory_is_refused_before_any_picture_is_decoded(tmp_path, size, count, why):
    path = tmp_path / "huge.deck"
    described(path, [size] * count)
    with pytest.raises(DeckError, match=why):
        Deck.load(path)


def test_an_archive_with_a_long_list_of_parts_is_refused_before_the_list_is_read(tmp_path):
    path = tmp_path / "tricks.deck"
    small_deck().save(path)
    Deck.load(path)
    with zipfile.ZipFile(path, "a") as file:
        for number in range(9):
            about = zipfile.ZipInfo(f"{number}{'n' * 65_000}")
            about.comment = b"n" * 65_000
            file.writestr(about, b"")
    with pytest.raises(DeckError, match="is damaged"):
        Deck.load(path)


def test_pictures_that_are_too_large_together_are_kept_smaller(tmp_path, monkeypatch):
    whole = sum(picture.size for picture in small_deck().pictures) // 3
    monkeypatch.setattr(decks, "MAX_DECK_PIXELS", whole // 2)
    deck = small_deck()
    assert sum(picture.size for picture in deck.pictures) // 3 <= whole // 2
    deck.save(tmp_path / "tricks.deck")
    Deck.load(tmp_path / "tricks.deck")


def test_more_pictures_than_a_deck_holds_are_refused_when_they_are_enrolled():
    with pytest.raises(DeckError, match="more than 240 pictures"):
        build_deck([(f"card:{number}", face("2", "disc")) for number in range(MAX_PICTURES + 1)])


def test_a_deck_from_a_newer_version_says_so(tmp_path):
    path = tmp_path / "tricks.deck"
    small_deck().save(path)
    rewritten(path, lambda about: about.update(format=DECK_FORMAT + 1))
    with pytest.raises(DeckError, match="newer version: update"):
        Deck.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about["owners"].append(3),
        lambda about: about["owners"].__setitem__(0, 99),
        lambda about: about["owners"].clear(),
        lambda about: about["lying"].pop(),
        lambda about: about["cards"].append("extra:1"),
        lambda about: about["limits"].update(flaws=["loose"] * 4),
        lambda about: about["limits"].update(flaws=[7.0] * 4),
        lambda about: about["limits"].update(flaws=[0.1] * 3),
        lambda about: about["limits"].update(nonsense=1),
        lambda about: about.pop("limits"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(tmp_path, change):
    path = tmp_path / "tricks.deck"
    small_deck().save(path)
    rewritten(path, change)
    with pytest.raises(DeckError):
        Deck.load(path)


def test_a_zip_bomb_is_refused_unopened(tmp_path):
    path = tmp_path / "bomb.deck"
    small_deck().save(path)
    rewritten(path, lambda about: about.update(name="x" * 10_000_000), zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 300_000
    with pytest.raises(DeckError):
        Deck.load(path)


def test_a_huge_picture_in_a_deck_is_refused(tmp_path):
    path = tmp_path / "huge.deck"
    small_deck().save(path)
    with zipfile.ZipFile(path) as file:
        parts = {n: file.read(n) for n in file.namelist()}
    parts["0000.png"] = cv2.imencode(".png", np.zeros((4000, 4000, 3), np.uint8))[1].tobytes()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)
    with pytest.raises(DeckError):
        Deck.load(path)


def test_a_deck_with_look_alikes_is_stricter_than_one_without():
    alike = build_deck(cards("2345", ("disc", "box")))
    unlike = build_deck([("a:1", face("2", "disc")), ("a:2", np.rot90(face("9", "kite"), 2).copy())])
    assert alike.limits.strictest_flaw < unlike.limits.strictest_flaw <= MAX_FLAW_LIMIT


def test_a_card_enrolled_under_two_names_does_not_make_the_deck_strict():
    twice = build_deck([*cards("279", ("disc", "kite")), ("copy:2", face("2", "disc"))])
    assert twice.limits.strictest_flaw == pytest.approx(
        build_deck(cards("279", ("disc", "kite"))).limits.strictest_flaw
    )


def test_the_hardest_pairs_to_tell_apart_are_named_hardest_first():
    deck = build_deck([*cards("279", ("disc", "kite")), ("copy:2", face("2", "disc"))])
    pairs = deck.find_look_alikes()
    assert pairs[0][:2] == ("copy:2", "disc:2")
    assert pairs[0][2] < SAME_FACE_FLAW
    assert [p[2] for p in pairs] == sorted(p[2] for p in pairs)
    assert len({p[:2] for p in pairs}) == len(pairs)


def test_pictures_that_cannot_be_used_are_refused_with_the_remedy():
    with pytest.raises(DeckError, match="no pictures"):
        build_deck([])
    with pytest.raises(DeckError, match=r"disc:2 is too small.*nearer"):
        build_deck([("disc:2", face("2", "disc")[:10])])
    with pytest.raises(DeckError, match="not in colour"):
        build_deck([("disc:2", face("2", "disc")[..., 0])])
    with pytest.raises(DeckError, match=r"disc:2 is more than 5 times as long as wide: cut it"):
        build_deck([("disc:2", face("2", "disc")[:, 60:90])])


def test_a_folder_of_pictures_is_read_with_its_ids(tmp_path):
    for stem in ("object_5-6", "object_5-6#2", "mask%3asun", "50%25"):
        cv2.imwrite(str(tmp_path / f"{stem}.png"), face("2", "disc"))
    (tmp_path / "notes.txt").write_text("not a picture")
    ids = [card for card, _ in read_card_pictures(tmp_path)]
    assert ids == ["50%", "mask:sun", "object_5-6", "object_5-6"]


def test_a_file_name_may_have_an_underscore_for_the_colon_of_a_known_card(tmp_path):
    for stem in ("object_5-6", "my_card"):
        cv2.imwrite(str(tmp_path / f"{stem}.png"), face("2", "disc"))
    assert [card for card, _ in read_card_pictures(tmp_path, known=["object:5-6"])] == [
        "my_card",
        "object:5-6",
    ]


def test_a_picture_that_is_none_is_named(tmp_path):
    (tmp_path / "disc_2.jpg").write_bytes(b"not a picture")
    with pytest.raises(DeckError, match=r"disc_2\.jpg isn't a picture"):
        list(read_card_pictures(tmp_path))
    cv2.imwrite(str(tmp_path / "disc_3.png"), face("3", "disc"))
    cv2.imwrite(str(tmp_path / "disc_4.png"), face("4", "disc")[:10])
    refused = []
    assert [card for card, _ in read_card_pictures(tmp_path, refused=refused.append)] == ["disc_3"]
    assert [re.split(r" isn.t | is ", str(one))[0][-10:] for one in refused] == ["disc_2.jpg", "disc_4.png"]


@given(st.text(min_size=1, max_size=20), st.integers(1, 9))
def test_a_card_id_survives_its_file_name(card, number):
    stem = file_stem(card, number)
    assert card_id(stem) == card
    assert not set(stem) & set('/\\:<>"|?*\0')


def photographed(card: str, seed: int, blur: float) -> np.ndarray:
    """Another picture of a drawn card: a little out of focus, in other light, with noise."""
    suit, rank = card.split(":")
    rng = np.random.default_rng(seed)
    soft = cv2.GaussianBlur(face(rank, suit), (0, 0), blur).astype(np.float32)
    light = np.linspace(0.8, 1.0, soft.shape[1])[None, :, None]
    return np.clip(soft * light + rng.normal(0, 6, soft.shape), 0, 255).astype(np.uint8)


def test_the_margin_is_the_decks_own_and_wider_where_cards_are_alike():
    rng = np.random.default_rng(3)
    unlike = build_deck(
        (f"{n}", rng.integers(0, 256, (9, 6, 3)).astype(np.uint8).repeat(30, 0).repeat(30, 1))
        for n in range(8)
    )
    alike = build_deck(cards("2345", ("disc", "box")))
    assert RIVAL_RATIO_RANGE[0] <= unlike.limits.rival < alike.limits.rival <= RIVAL_RATIO_RANGE[1]


def test_second_pictures_that_differ_more_make_the_limits_wider_but_never_reach_another_card():
    alike = cards("68", ("disc", "box", "drop", "kite"))
    once = build_deck(alike)
    twice = build_deck([*alike, *((card, photographed(card, n, 1.6)) for n, (card, _) in enumerate(alike))])
    assert all(wide >= narrow for wide, narrow in zip(twice.limits.flaws, once.limits.flaws, strict=True))
    apart = {one: flaw for one, _, flaw in reversed(twice.find_look_alikes(100))}
    for card, limit in zip(twice.cards, twice.limits.flaws, strict=True):
        assert limit <= max(apart.get(card, 1.0), 0.03)


def test_second_pictures_that_were_swapped_are_told_with_the_card_they_show():
    some = cards("259", ("disc", "kite"))
    second = {card: photographed(card, n, 0.8) for n, (card, _) in enumerate(some)}
    assert build_deck([*some, *second.items()]).find_swapped_pictures() == []
    second["disc:2"], second["kite:9"] = second["kite:9"], second["disc:2"]
    assert sorted(build_deck([*some, *second.items()]).find_swapped_pictures()) == [
        ("disc:2", "kite:9"),
        ("kite:9", "disc:2"),
    ]


def test_a_complete_deck_stays_so_in_its_file(tmp_path):
    path = tmp_path / "tricks.deck"
    build_deck(cards("27", ("disc", "kite")), complete=True).save(path)
    whole = Deck.load(path)
    assert (whole.complete, whole.limits.flaws) == (True, (COMPLETE_DECK_LIMIT,) * 4)
    rewritten(path, lambda about: about.pop("complete"))
    assert not Deck.load(path).complete


def test_a_deck_of_an_older_format_is_to_be_taught_again(tmp_path):
    path = tmp_path / "tricks.deck"
    small_deck().save(path)
    rewritten(path, lambda about: about.update(format=DECK_FORMAT - 1))
    with pytest.raises(DeckError, match="teach it again"):
        Deck.load(path)


def parts(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def with_parts(path, changed: dict[str, bytes | None]) -> None:
    """The file with some parts changed, or left out where there is None."""
    whole = parts(path) | changed
    with zipfile.ZipFile(path, "w") as file:
        for name, data in whole.items():
            if data is not None:
                file.writestr(name, data)


def painted(count: int = 3) -> list[tuple[str, np.ndarray]]:
    """Cards full of detail."""
    shown = []
    for number in range(count):
        grain = np.random.default_rng(number).integers(0, 256, (60, 40, 3), np.uint8)
        shown.append((f"picture:{number}", cv2.resize(grain, (200, 300), interpolation=cv2.INTER_CUBIC)))
    return shown


@pytest.mark.parametrize("shown", [painted(), cards("27", ("disc", "kite"))], ids=["painted", "plain"])
def test_what_is_learnt_of_the_pictures_comes_back_from_the_file(tmp_path, shown):
    path, deck = tmp_path / "a.deck", build_deck(shown)
    deck.save(path)
    again, made = Deck.load(path).trained_features, TrainedDeck.train(deck.pictures, deck.cards_of_pictures)
    assert again.local.usable == made.local.usable == shown[0][0].startswith("picture")
    assert again.kinds.usable == made.kinds.usable
    assert np.array_equal(again.local.described, made.local.described)
    for one, other in zip(again.local.points, made.local.points, strict=True):
        assert np.array_equal(one, other)
    for name in ("at", "area", "spread", "fill", "way"):
        assert np.array_equal(getattr(again.kinds.shapes, name), getattr(made.kinds.shapes, name))
    for name in ("which", "planes", "steps"):
        assert np.array_equal(getattr(again.sisters, name), getattr(made.sisters, name))
    assert len(again.sisters.which) == 3 * len(shown)  # two sisters, and itself upside down


@pytest.mark.parametrize(
    "path", sorted(bundled_assets_folder().glob("decks/*/*.deck")), ids=lambda path: path.stem
)
def test_the_decks_that_come_with_the_program_need_not_be_learnt_again(path):
    assert Deck.load(path).trained_features is not None


def test_an_older_deck_is_learnt_once_says_how_far_and_keeps_all_it_had(tmp_path):
    path = tmp_path / "a.deck"
    build_deck(painted()).save(path)
    with_parts(path, {"learnt.bin": None})
    before, heard = parts(path), []
    assert Deck.load(path).trained_features is None
    assert load_and_upgrade_deck(path, heard.append).trained_features is not None
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert {name: data for name, data in parts(path).items() if name != "learnt.bin"} == before
    assert Deck.load(path).trained_features is not None
    load_and_upgrade_deck(path, lambda share: pytest.fail(f"it was learnt again: {share}"))
    assert [p.name for p in tmp_path.iterdir()] == ["a.deck"]


def test_an_older_deck_that_cannot_be_written_is_learnt_in_memory_and_says_so(tmp_path, caplog):
    path = tmp_path / f"{'a' * 246}.deck"  # there is no room for the longer name of a draft
    build_deck(painted()).save(tmp_path / "a.deck")
    with_parts(tmp_path / "a.deck", {"learnt.bin": None})
    (tmp_path / "a.deck").rename(path)
    before = path.read_bytes()
    assert load_and_upgrade_deck(path).trained_features is not None
    assert path.read_bytes() == before
    assert "can't be saved" in caplog.text


@pytest.mark.parametrize(
    "what", ["nothing", "junk", "half", "other pictures", "older", "other cards", "too few sisters"]
)
def test_what_was_learnt_of_something_else_is_not_believed(tmp_path, what):
    path, other = tmp_path / "a.deck", tmp_path / "b.deck"
    build_deck(painted()).save(path)
    build_deck(cards("27", ("disc", "kite"))).save(other)
    learnt = parts(path)["learnt.bin"]
    kept = msgspec.msgpack.decode(learnt)
    changed = {
        "older": {"version": 1},
        "other cards": {"pictures": picture_digest(Deck.load(path).pictures, ["one", "two", "three"])},
        "too few sisters": {"registered": kept["registered"][:-5]},
    }
    stands = {"nothing": b"", "junk": b"\xff" * 99, "half": learnt[: len(learnt) // 2]}
    stands |= {name: msgspec.msgpack.encode(kept | change) for name, change in changed.items()}
    with_parts(path, {"learnt.bin": stands.get(what, parts(other)["learnt.bin"])})
    deck = Deck.load(path)
    assert deck.trained_features is None
    assert len(deck.cards) == 3


def test_a_card_out_of_focus_must_fit_better_where_it_may_be_an_unknown_sister():
    partial, complete = (build_deck(cards("2345"), complete=whole).limits for whole in (False, True))
    sharp, blurred = ([deck.max_flaw_of(0, 300, blur) for deck in (partial, complete)] for blur in (0.0, 2.0))
    assert blurred[0] / sharp[0] < blurred[1] / sharp[1] < 1
