"""The saved recap: one file, escaped, nothing from elsewhere, to be read by eye and by ear."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from companion.core.errors import InputError
from companion.games import RULES
from companion.recap.page import MARKS, STYLE, Facts, Stop, page
from companion.recap.timeline import timeline
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.referee import Referee
from companion.table.save_recap import NotSaved, clock, recap_page, save_recap
from companion.ui.language import Language
from tests.recap.test_timeline import played

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


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_page_has_every_stop_with_its_picture_and_its_words(language: str) -> None:
    referee = played("kobayakawa")
    read = Read(recap_page(referee, language))
    words, moments = Language(language), timeline(referee)
    pictures = [given for tag, given in read.tags if tag == "img"]
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
    assert len([1 for tag, _ in Read(recap_page(referee, "en")).tags if tag == "img"]) == len(
        timeline(referee)
    )


def test_one_steps_from_stop_to_stop_by_links_that_lead_somewhere() -> None:
    read = Read(recap_page(played("dnup"), "en"))
    links = [str(given["href"]) for tag, given in read.tags if tag == "a"]
    assert links
    assert all(link.startswith("#") and link[1:] in read.ids for link in links)
    assert links.count("#stop2") == 3  # from the line, from the stop before, from the stop after


def test_nothing_is_loaded_from_elsewhere_and_nothing_runs() -> None:
    text = recap_page(played("kinapa"), "en")
    read = Read(text)
    assert not {"script", "link", "iframe", "object", "embed", "form"} & {tag for tag, _ in read.tags}
    assert not re.search(r"https?:|url\(|@import|\son\w+=", re.sub(r"base64,[^\"]*", "", text))
    policy = next(given for tag, given in read.tags if tag == "meta" and "http-equiv" in given)
    assert str(policy["content"]).startswith("default-src 'none'")


def test_names_are_told_and_escaped() -> None:
    whole = played("kobayakawa").journal
    evil = '<img src=x onerror="alert(1)">&\''
    header = header_of("kobayakawa", whole.header.setup, names=tuple((chair, evil) for chair in range(4)))
    text = recap_page(Referee(RULES["kobayakawa"], MemoryJournal(header, whole.entries)), "en")
    read = Read(text)
    assert evil in read.text
    assert not any(given.get("src") == "x" for _, given in read.tags)


def test_the_marks_of_the_time_line_are_explained_once_each_and_no_others() -> None:
    facts = Facts("Game", "Over", "", [])
    stops = [Stop(kind, f"[{kind}]", "0:01", "told", b"") for kind in ("wrong", "turning", "wrong")]
    text = page("en", facts, stops, lambda key, **_: key)
    legend = text.partition('class="legend">')[2].partition("</p>")[0]
    assert [legend.count(f"[{kind}]") for kind in MARKS] == [1, 0, 0, 1]
    assert "<p></p>" not in text


def test_words_that_look_like_tags_stay_words() -> None:
    facts = Facts("<b>", "<i>", "<u>", [("<s>", "<p>")])
    stop = Stop("wrong", "<a>", "0:01", '<q>"', b"\xff\xd8")
    read = Read(page("en", facts, [stop], lambda key, **parts: f"<{key}>" + str(parts.get("what", ""))))
    assert not {"b", "i", "u", "s", "q"} & {tag for tag, _ in read.tags}


def test_a_game_that_is_not_over_has_no_page() -> None:
    whole = played("kinapa").journal
    running = Referee(RULES["kinapa"], MemoryJournal(whole.header, whole.entries[:-1]))
    with pytest.raises(InputError, match="not over"):
        recap_page(running, "en")


def test_every_colour_of_words_stands_out_from_white() -> None:
    """WCAG AA for text: 4.5 to 1."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        lit = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * lit[0] + 0.7152 * lit[1] + 0.0722 * lit[2]

    ground = luminance("fff8e6")  # the darker of the two grounds
    colours = re.findall(r"(?<![-\w])color:#([0-9a-f]{6})", STYLE)
    assert len(colours) >= 6
    assert all((ground + 0.05) / (luminance(colour) + 0.05) >= 4.5 for colour in colours)


def test_a_saved_page_gets_a_name_of_its_own(tmp_path: Path) -> None:
    first, second = (save_recap(played("kobayakawa"), "en", tmp_path) for _ in range(2))
    assert first != second
    assert first.parent == tmp_path / "recaps"
    assert first.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "recaps").write_text("in the way", encoding="utf-8")
    with pytest.raises(NotSaved) as problem:
        save_recap(played("kobayakawa"), "en", tmp_path)
    assert problem.value.sentence().key == "shared.trouble.recap"


def test_the_clock_is_told_in_minutes_and_seconds() -> None:
    assert clock(125_900_000) == "2:05"
