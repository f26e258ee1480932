"""The saved recap: one file, escaped, nothing from elsewhere, to be read by eye and by ear."""

from __future__ import annotations

import dataclasses
import math
import re
from base64 import b64decode
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.core.errors import InputError
from companion.games import GAMES, RULES
from companion.games.kit.commentary import winning_chances
from companion.language.language import Language
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.table.history import build_timeline, most_decisive
from companion.table.recap.save import (
    DARK,
    LIGHT,
    LINK_PICTURE_SIZE,
    MARKS,
    NEUTRAL,
    STYLE,
    DecisiveMoment,
    RecapFacts,
    RecapNotSavedError,
    RecapPlayer,
    TimelineStop,
    format_clock,
    render_link_picture,
    render_page,
    render_recap,
    save_recap,
)
from companion.ui.toolkit.theme import LOOK
from tests.table.recap.test_timeline import played

VOID = {"meta", "img", "br"}


class Read(HTMLParser):
    """A strict reader: every tag is closed in order, ids are unique."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self.ids += [given["id"]] if given.get("id") else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def stops_of(read: Read) -> list[dict[str, str | None]]:
    """The pictures of the time line; those of the moments above are told by the words beside them."""
    return [given for tag, given in read.tags if tag == "img" and given["alt"]]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_page_has_every_stop_with_its_picture_and_its_words(language: str) -> None:
    referee = played("kobayakawa")
    read = Read(render_recap(referee, language))
    words, moments = Language(language), build_timeline(referee)
    pictures = stops_of(read)
    assert len(pictures) == len(moments)
    for given, moment in zip(pictures, moments, strict=True):
        kind, _, data = str(given["src"]).partition(",")
        assert kind == "data:image/jpeg;base64"
        assert b64decode(data).startswith(b"\xff\xd8")
        assert words.text(moment.sentence) in str(given["alt"])
        assert words.text(moment.sentence) in read.text
    assert dict(read.tags[0][1]) == {"lang": language}


@pytest.mark.parametrize("game", ["kinapa", "kabuki", "dnup"])
def test_every_game_has_a_page(game: str) -> None:
    referee = played(game, 1, 3)
    assert len(stops_of(Read(render_recap(referee, "en")))) == len(build_timeline(referee))


def test_one_steps_from_stop_to_stop_by_links_that_lead_somewhere() -> None:
    read = Read(render_recap(played("dnup"), "en"))
    links = [str(given["href"]) for tag, given in read.tags if tag == "a"]
    assert links
    assert all(link.startswith("#") and link[1:] in read.ids for link in links)
    assert links.count("#stop2") >= 3  # from the line, from the stop before, from the stop after


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs() -> None:
    text = render_recap(played("kinapa"), "en")
    read = Read(text)
    assert not {"script", "link", "iframe", "object", "embed", "form"} & {tag for tag, _ in read.tags}
    assert not re.search(r"https?:|url\(|@import|\son\w+=", re.sub(r"base64,[^\"]*", "", text))
    policy = next(given for tag, given in read.tags if tag == "meta" and "http-equiv" in given)
    assert str(policy["content"]).startswith("default-src 'none'")


def test_names_are_told_and_escaped() -> None:
    whole = played("kobayakawa").journal
    evil = '<img src=x onerror="alert(1)">&\''
    header = make_header("kobayakawa", whole.header.setup, names=tuple((chair, evil) for chair in range(4)))
    text = render_recap(Referee(RULES["kobayakawa"], MemoryJournal(header, whole.entries)), "en")
    read = Read(text)
    assert evil in read.text
    assert not any(given.get("src") == "x" for _, given in read.tags)


def test_the_marks_of_the_time_line_are_explained_once_each_and_no_others() -> None:
    facts = RecapFacts("Game", "Over", "", [])
    stops = [TimelineStop(kind, f"[{kind}]", "0:01", "told", b"") for kind in ("wrong", "turning", "wrong")]
    text = render_page("en", facts, stops, lambda key, **_: key)
    legend = text.partition('class="legend">')[2].partition("</p>")[0]
    assert [legend.count(f"[{kind}]") for kind in MARKS] == [1, 0, 0, 1]
    assert "<p></p>" not in text


def test_words_that_look_like_tags_stay_words() -> None:
    player = RecapPlayer("<u>", 1, '"><q>', [(0.0, 0.0)], won=True)
    great = DecisiveMoment(0, "<i>", "<s>", "<q>")
    facts = RecapFacts(
        "<s>", "<i>", "<u>", [("<s>", "<q>")], [player], [great], [(0.0, [0.0]), (1.0, [1.0])], '"><u>'
    )
    stop = TimelineStop("wrong", "<q>", "0:01", '<q>"', b"\xff\xd8")
    read = Read(
        render_page("en", facts, [stop], lambda key, **parts: f"<{key}>" + str(parts.get("what", "")))
    )
    assert not {"i", "u", "s", "q"} & {tag for tag, _ in read.tags}


def test_a_game_that_is_not_over_has_no_page() -> None:
    whole = played("kinapa").journal
    running = Referee(RULES["kinapa"], MemoryJournal(whole.header, whole.entries[:-1]))
    with pytest.raises(InputError, match="isn't over"):
        render_recap(running, "en")


GROUNDS = ("ground", "sheet", "here")


def contrast(one: str, other: str) -> float:
    """As WCAG 2 reckons it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        lit = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * lit[0] + 0.7152 * lit[1] + 0.0722 * lit[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_of_words_stands_out_from_every_ground(palette: Mapping[str, str]) -> None:
    """WCAG AA for text: 4.5 to 1."""
    words = [name for name in palette if name not in {*GROUNDS, "line"}]
    found = {(word, ground): contrast(palette[word], palette[ground]) for word in words for ground in GROUNDS}
    assert min(found.values()) >= 4.5, min(found, key=lambda pair: found[pair])
    assert all(f"var(--{name})" in STYLE for name in palette), "a colour that nothing uses"


def test_the_winner_s_colour_can_be_written_on() -> None:
    assert all(contrast(seat.fill, "#1b1526") >= 4.5 for seat in LOOK.seats)
    assert contrast(NEUTRAL, "#1b1526") >= 4.5


def test_the_winner_stands_at_the_top_and_everybody_below_in_shape_and_number() -> None:
    whole = played("kabuki", 2)
    header = replace(whole.journal.header, names=((0, "Mara"), (1, "Jonas")), date="2026-11-21T20:15:00")
    referee = Referee(RULES["kabuki"], MemoryJournal(header, whole.journal.entries))
    text = render_recap(referee, "de", image="a.png")
    top, _, rest = text.partition("</header>")
    assert "Kabuki · 21. November 2026" in top
    assert "<h1>Mara gewinnt!</h1>" in top
    assert f"background:{LOOK.seats[0].fill}" in top
    people = rest.partition("</ul>")[0]
    assert re.findall(r"<b>(.*?)</b><span>(.*?)</span>", people) == [
        ("Mara", "gewonnen"), ("Jonas", ""), ("Grün", ""), ("Gelb", "")
    ]  # fmt: skip
    assert re.findall(r">(\d)</text>", people) == list("1234")
    assert len(set(re.findall(r'points="([^"]+)"', people))) == 4
    assert '<meta property="og:image" content="a.png">' in top


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.score_lead is not None])
def test_what_decided_a_game_are_the_rulings_that_moved_the_chances_most(game: str) -> None:
    moments = build_timeline(played(game, 2))
    found = most_decisive(moments)
    assert 1 <= len(found) <= 3
    assert [one.seq for one in found] == sorted({one.seq for one in found})
    others = [one.chance_shift for one in moments if one.seq not in {each.seq for each in found}]
    assert min(one.chance_shift for one in found) >= max(others, default=0.0)
    won = [after for _, after in moments[-1].chances if after]
    assert found[-1].chances == () or won == [1 / len(won)] * len(won)  # partners win together
    for moment in moments:
        for side in zip(*moment.chances, strict=True):
            assert sum(side) == pytest.approx(1.0)
            assert len(side) == 4
    read = Read(render_recap(played(game, 2), "en"))
    assert [given["href"] for tag, given in read.tags if tag == "a"][: len(found)] == [
        f"#stop{1 + [one.seq for one in moments].index(each.seq)}" for each in found
    ]


def test_of_a_game_that_says_nothing_of_chances_the_page_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = dataclasses.replace(GAMES["kinapa"], score_lead=None)
    monkeypatch.setattr("companion.table.history.GAMES", {"kinapa": silent})
    text = render_recap(played("kinapa"), "en")
    assert "What decided it" not in text
    assert "Who was ahead" not in text
    assert "Timeline" in text


def test_everybody_s_chances_are_equal_until_somebody_is_ahead() -> None:
    assert winning_chances((0.0, 0.0, 0.0, 0.0)) == (0.25,) * 4
    assert winning_chances(()) == ()
    ahead = winning_chances((1.0, 0.0))
    assert ahead == pytest.approx((1 / (1 + math.exp(-1)), 1 / (1 + math.e)))
    assert winning_chances((2000.0, 0.0)) == (1.0, 0.0)


def test_the_picture_beside_a_page_has_the_size_that_messengers_show() -> None:
    data = render_link_picture(played("kinapa"), "en")
    assert data.startswith(b"\x89PNG")
    assert tuple(int.from_bytes(data[at : at + 4], "big") for at in (16, 20)) == LINK_PICTURE_SIZE


def test_a_saved_page_gets_a_name_of_its_own(tmp_path: Path) -> None:
    first, second = (save_recap(played("kobayakawa"), "en", tmp_path) for _ in range(2))
    assert first != second
    assert first.parent == tmp_path / "recaps"
    text = first.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert f'content="{first.stem}.png"' in text
    assert first.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert first.with_suffix(".png").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "recaps").write_text("in the way", encoding="utf-8")
    with pytest.raises(RecapNotSavedError) as problem:
        save_recap(played("kobayakawa"), "en", tmp_path)
    assert problem.value.screen_sentence().key == "shared.trouble.recap"


def test_the_clock_is_told_in_minutes_and_seconds() -> None:
    assert format_clock(125_900_000) == "2:05"
