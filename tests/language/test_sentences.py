"""Sentences of a language: names, numbers, plurals, and what is missing."""

from __future__ import annotations

import io
import os
import re
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion.core.actions import Action, Setup
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Language, LanguageError, compile_catalogue, load_catalogue
from tests.language.sentences import catalogue, events
from tests.languages import LANGUAGES


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    return Language(request.param)


def test_a_chair_is_called_by_name_on_the_screen_and_by_colour_aloud(language: Language) -> None:
    won = Sentence("kinapa.GameWon", (("chair", 1),))
    assert "Anna" in language.text(won, {1: "Anna"})
    assert language.chair_name(1) in language.text(won, {0: "Anna"})
    assert language.chair_name(1) in language.speech_text(won)


def test_the_colours_of_the_settings_are_the_words_of_the_voice() -> None:
    language = Language("en", colours=("pink", "white"))
    won = Sentence("kinapa.GameWon", (("chair", 0),))
    assert language.speech_text(won) == "Pink wins!"
    assert language.clip_name(won) == "kinapa.GameWon.pink"


def test_one_value_may_have_a_sentence_of_its_own() -> None:
    english = Language("en")
    assert "Red loses a Fox" in english.text(Sentence("kinapa.FoxRemoved", (("chair", 0), ("left", 1))))
    assert "no Fox" in english.text(Sentence("kinapa.FoxRemoved", (("chair", 0), ("left", 0))))


def test_a_winner_is_named_and_an_abandoned_game_has_none() -> None:
    english = Language("en")
    assert english.text(Sentence("kinapa.phase.over", (("chair", 0), ("number", 7)))) == "Red wins!"
    assert english.text(Sentence("kinapa.phase.over", (("number", 7),))) == "The game is over."


def test_plurals_follow_the_language() -> None:
    def cards(code: str, count: int) -> str:
        return Language(code).text(Sentence("kinapa.back.cards", (("count", count),)))

    assert "card back" in cards("en", 1)
    assert "cards back" in cards("en", 2)
    assert "Karten" in cards("de", 0)
    assert "0 carte échangée" in cards("fr", 0)


HEAD = """\
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

"""


def with_words(locale: Path, words: str) -> Language:
    """English with a catalogue of its own."""
    folder = locale / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "companion.po").write_text(HEAD + words, encoding="utf-8")
    return Language("en", locale=locale)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ((("points", 3),), "several"),
        ((("chair", 1), ("points", 3)), "several"),
        ((("chair", 3), ("next_seat", 3), ("points", 1)), "one"),
        ((("points", 1), ("total", 7), ("left", 3)), "several"),
        ((("points", 3), ("total", 7)), "one"),
    ],
)
def test_the_only_number_of_a_sentence_decides_its_plural_and_of_several_the_counted_one(
    parts: tuple[tuple[str, str | int], ...], told: str, tmp_path: Path
) -> None:
    words = 'msgid "won"\nmsgid_plural "won"\nmsgstr[0] "one"\nmsgstr[1] "several"\n'
    assert with_words(tmp_path, words).text(Sentence("won", parts)) == told


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ('msgid "won"\nmsgstr[0] "one"\nmsgstr[1] "several"\n', 5),
        ('msgid "won"\nmsgid_plural "won"\nmsgstr "one"\n', 6),
    ],
)
def test_forms_without_a_plural_and_a_plural_without_forms_are_refused_by_file_and_line(
    words: str, line: int, tmp_path: Path
) -> None:
    with pytest.raises(LanguageError, match=rf"companion\.po, line {line}: .*msgid_plural"):
        with_words(tmp_path, words)


def test_a_label_that_lies_hidden_again_is_told_by_its_place(language: Language) -> None:
    told = language.text(Sentence("kinapa.ObjectTurned.hidden", (("slot", 3),)))
    assert "3" in told
    unknown = language.text(Sentence("kinapa.ObjectTurned.hidden", (("slot", 0),)))
    assert "0" not in unknown


def test_every_event_can_be_told_without_a_gap(language: Language) -> None:
    for key, parts in events().items():
        sentence = Sentence(key, tuple((part, 1) for part in sorted(parts)))
        assert "…" not in language.text(sentence), key
        assert "…" not in language.speech_text(sentence), key


def test_a_sentence_that_no_language_has_is_told_by_its_key(language: Language) -> None:
    assert language.tr("kinapa.no{such}key") == "kinapa.no{such}key"


def test_a_part_that_is_missing_leaves_a_gap_and_no_traceback() -> None:
    assert "…" in Language("en").text(Sentence("kinapa.rule.object.closed"))


def test_a_key_that_one_language_lacks_is_told_in_english(tmp_path: Path) -> None:
    for code, entry in (("en", 'msgid "greeting"\nmsgstr "Hello"\n'), ("de", "")):
        folder = tmp_path / code / "LC_MESSAGES"
        folder.mkdir(parents=True)
        head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        (folder / "companion.po").write_text(head + entry, encoding="utf-8")
    assert Language("de", locale=tmp_path).tr("greeting") == "Hello"


def test_a_language_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(LanguageError, match="'tlh'; there are: en, de, fr"):
        Language("tlh")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_catalogue_is_read_as_the_build_compiles_it(code: str, checkout: Path) -> None:
    source = checkout / "assets" / "locale" / code / "LC_MESSAGES" / "companion.po"
    built = io.BytesIO()
    with source.open("rb") as text:
        write_mo(built, read_po(text, locale=code))
    read = GNUTranslations(compile_catalogue(source))
    theirs = GNUTranslations(io.BytesIO(built.getvalue()))
    for one in (read, theirs):
        del one._catalog[""]  # type: ignore[attr-defined]
    assert read._catalog == theirs._catalog  # type: ignore[attr-defined]
    assert [read.plural(count) for count in range(3)] == [theirs.plural(count) for count in range(3)]


def test_what_a_translator_doubts_is_not_said_and_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    source = tmp_path / "game.po"
    doubted = '#, fuzzy\nmsgid "a"\nmsgstr "A"\n\nmsgid "b"\nmsgstr ""\n"B"\n#~ msgid "c"\n#~ msgstr "C"\n'
    source.write_text(doubted, encoding="utf-8")
    read = GNUTranslations(compile_catalogue(source))
    assert [read.gettext(key) for key in "abc"] == ["a", "B", "c"]
    source.write_text(doubted + "msgid unquoted\n", encoding="utf-8")
    with pytest.raises(LanguageError, match=r"game\.po, line 10"):
        compile_catalogue(source)


def test_an_edited_catalogue_is_compiled_again_in_memory(tmp_path: Path) -> None:
    folder = tmp_path / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    source, compiled = folder / "companion.po", folder / "companion.mo"
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
    source.write_text(head + 'msgid "greeting"\nmsgstr "Hello"\n', encoding="utf-8")
    compiled.write_bytes(compile_catalogue(source).getvalue())
    source.write_text(head + 'msgid "greeting"\nmsgstr "Good evening"\n', encoding="utf-8")
    os.utime(compiled, (1, 1))
    assert load_catalogue(tmp_path, "en").gettext("greeting") == "Good evening"


@pytest.mark.parametrize(("code", "players"), [("en", "player"), ("de", "Spieler|Person"), ("fr", "joueur")])
def test_what_is_so_for_every_deck_is_not_told_of_players(code: str, players: str) -> None:
    """With two, three, or a BOT there are more decks than people."""
    counted = ("announce.range", "object.no_such_slot", "hand.foxed", "draw.not_lowered", "X2", "X3", "X4")
    told = catalogue(code)
    with_bots = (f"kinapa.why.{key}.bot" for key in counted if f"kinapa.why.{key}.bot" in told)
    always = (f"kinapa.why.{key}" for key in counted if f"kinapa.why.{key}.bot" not in told)
    per_deck = [*with_bots, *always, "kinapa.hint.choosing", "kinapa.hint.succeeding"]
    wrong = [key for key in per_deck if re.search(players, told[key][0])]
    assert wrong == []


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("game", "verb"),
    [
        ("kobayakawa", "show"),
        ("kobayakawa", "kobayakawa"),
        ("dnup", "size"),
        ("dnup", "value"),
        ("kabuki", "twins"),
    ],
)
def test_a_number_that_was_chosen_is_no_bare_number_in_the_log(game: str, verb: str, code: str) -> None:
    rules, action = RULES[game], Action(0, verb, 3)
    state = rules.initial_state(Setup(tuple(range(rules.players[0])), rules.options()))
    panel, log = (
        Language(code).text(said)
        for said in (rules.label(state, action), rules.choice_for_log(state, action))
    )
    assert panel == "3"
    assert log.replace("3", "").strip()


@pytest.mark.parametrize(
    ("code", "sets", "late"),
    [
        ("en", ("Red plays a single 8.", "Red plays two 8s."), "0.4"),
        ("de", ("Rot spielt eine 8.", "Rot spielt zwei 8er."), "0,4"),
        ("fr", ("Rouge joue un 8.", "Rouge joue deux 8."), "0,4"),
    ],
)
def test_small_numbers_are_words_and_thousandths_have_the_decimal_mark_of_the_language(
    code: str, sets: tuple[str, str], late: str
) -> None:
    language = Language(code)
    told = tuple(language.tr("dnup.SetPlayed", chair=0, count=count, many=count, value=8) for count in (1, 2))
    assert told == sets
    assert late in language.tr("kabuki.StopVoided", chair=0, ms="0.4")
