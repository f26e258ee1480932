"""What the author of a game meets: each mistake is told in a sentence, and the guide is right."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import Annotated

import pytest
from lantern import GAME as LANTERN
from lantern.rules import CARDS, CardLaid, Lantern, LanternState, LotFell
from msgspec import Meta
from pebbles import GAME as PEBBLES
from pebbles.rules import Pebbles, PebblesState, PebblesTaken
from pebbles.timed import TIMED_PEBBLES

from companion import games
from companion.__main__ import main
from companion.cli.checks.doctor import run_checks
from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Options, Timer
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.game import Game, lazy_import, make_people
from companion.core.view import View, ViewMode
from companion.games import GAMES
from companion.games.kit import world
from companion.games.kobayakawa.rules import Kobayakawa
from companion.language.language import Language, read_catalogue
from companion.printing.deck_file import load_deck
from companion.printing.sheets import print_sheets
from companion.settings.model import Settings
from companion.system.machine import Machine
from companion.testing import conformance, invariants, sentences
from companion.testing.random_walks import make_cases, new_referee
from companion.vision import layout

CHECKOUT = Path(__file__).parents[2]
LANTERN_WORDS = CHECKOUT / "tests/lantern/lantern/assets/locale/en/LC_MESSAGES/lantern.po"

Offer = Callable[[Game], None]


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Installs a record as a game from outside, beside ours."""

    def install(game: Game) -> None:
        found = {
            **games._find_entry_points(),
            game.name: EntryPoint(game.name, f"{game.name}:GAME", games.ENTRY_POINT_GROUP),
        }
        load = games._load_game
        monkeypatch.setattr(games, "_find_entry_points", lambda: found)
        monkeypatch.setattr(games, "_load_game", lambda name: game if name == game.name else load(name))

    return install


class Bare(Kobayakawa):
    name = "bare"


# Names that do not exist yet --------------------------------------------------------------------------------

UNWRITTEN = [
    ("no_such_bare.players:BareWorld", "No module named 'no_such_bare'"),
    ("companion.no_such:BareWorld", "No module named 'companion.no_such'"),
    ("companion.games.kit.world:BareWorld", "has no attribute 'BareWorld'"),
    ("companion games", "companion games"),
]


@pytest.mark.parametrize(("where", "missing"), UNWRITTEN)
def test_a_name_that_does_not_exist_is_told_with_the_game_and_its_field(where: str, missing: str) -> None:
    game = Game(rules=Bare(), simulated_players=lazy_import(where))
    assert game.simulated_players is not None
    with pytest.raises(InputError) as told:
        game.simulated_players((0, 1), None, ())
    for part in ("bare: simulated_players", where, missing):
        assert part in str(told.value)


def test_simulate_ends_with_that_sentence(offer: Offer, capsys: pytest.CaptureFixture[str]) -> None:
    offer(Game(rules=Bare(), simulated_players=lazy_import("no_such_bare.players:BareWorld")))
    assert main(["dev", "simulate", "bare", "--games", "1"]) == 2
    told = capsys.readouterr().err
    assert "bare: simulated_players is lazy_import('no_such_bare.players:BareWorld')" in told
    assert "something went wrong inside" not in told


NO_PEOPLE = [
    ("pebbles.rules:PEBBLES", "which is neither a class nor a function"),
    ("pebbles.rules:Pebbles", "cannot be made of chairs, chance and habits: Pebbles() takes no arguments"),
    ("pebbles.players:PebblesWorld", "makes PebblesWorld, which has no method look_into_hands."),
]


@pytest.mark.parametrize(("where", "told"), NO_PEOPLE)
def test_what_are_no_opponents_is_told_in_a_sentence(where: str, told: str) -> None:
    setup = next(make_cases(PEBBLES.rules, ("sun",))).setup
    with pytest.raises(InputError, match=f"^pebbles: opponents .*{re.escape(told)}"):
        make_people(
            replace(PEBBLES, opponents=lazy_import(where)), "opponents", setup, Random(1), ["easy"] * 2
        )


@pytest.mark.parametrize("field", ["rules", "simulated_players", "mat"])
def test_a_record_with_a_field_of_the_wrong_kind_says_which(field: str) -> None:
    with pytest.raises(TypeError, match=f"^{field} has to be .*, not 'pebbles.rules'$"):
        replace(PEBBLES, **{field: "pebbles.rules"})


class Blank(Pebbles):
    """Cannot be shown near its end."""

    def view(self, state: PebblesState, mode: ViewMode = ViewMode.PLAY) -> View:
        assert state.left > 1, "nothing to show"
        return super().view(state, mode)


def test_simulate_shows_every_state_and_counts_the_games_that_came_to_no_end(
    offer: Offer, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(replace(PEBBLES, rules=Blank()))
    assert main(["dev", "simulate", "pebbles", "--games", "3"]) == 1
    told = capsys.readouterr().out
    assert "unfinished  3" in told
    assert re.search(r"entry \d+: .*/test_author\.py:\d+: AssertionError: nothing to show", told)


def told_by_the_doctor() -> dict[str, str]:
    return {finding.part: finding.what for finding in run_checks(Machine(), Settings())}


def test_doctor_names_what_the_record_of_a_game_from_outside_names_and_is_not_there(
    offer: Offer, tmp_path: Path
) -> None:
    words = tmp_path / "locale" / "de" / "LC_MESSAGES" / "bare.po"
    words.parent.mkdir(parents=True)
    words.write_text('msgid "bare.won"\nmsgstr[0] "ein Punkt"\n')
    offer(Game(rules=Bare(), mat=lazy_import("no_such_bare.mat:layout"), assets=str(tmp_path)))
    told = told_by_the_doctor()
    assert "bare: mat is lazy_import('no_such_bare.mat:layout')" in told["game bare"]
    assert "bare.po, line 2: msgstr[0] needs a line msgid_plural" in told["sentences bare"]


def test_print_ends_with_the_card_that_it_cannot_print(
    offer: Offer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("reportlab")
    decks = tmp_path / "decks"
    decks.mkdir()
    (decks / "bare.toml").write_text('[[card]]\nid = "sun"\nfile = "sun.png"\nback = "back:sun"\n')
    offer(Game(rules=Bare(), mat=GAMES["kobayakawa"].mat, mat_hands=range(2, 5), assets=str(tmp_path)))
    assert main(["print", "bare", "--out", str(tmp_path / "print")]) == 2
    assert "bare.toml, card 'sun': its back 'back:sun' is not in this deck" in capsys.readouterr().err


# The promises -----------------------------------------------------------------------------------------------


class NeverEnds(Lantern):
    """Forgets that a game which is given up has no phase any more."""

    def evolve_game(self, state: LanternState, event: Event) -> LanternState:
        return state if isinstance(event, ev.GameAbandoned) else super().evolve_game(state, event)


def test_a_game_that_asks_on_after_its_end_is_told_so_in_a_sentence() -> None:
    (case,) = make_cases(NeverEnds(), CARDS)
    state = case.rules.initial_state(case.setup)
    for event in (LotFell(0), CardLaid(0, "sun")):
        state = case.rules.evolve(state, event)
    with pytest.raises(AssertionError, match=r"^after GameAbandoned nobody may be asked: \(Prompt\("):
        invariants.check_abandoned_game_is_over(case, state)


@pytest.mark.parametrize(
    "file", sorted((CHECKOUT / "companion" / "testing").glob("*.py")), ids=lambda f: f.stem
)
def test_every_promise_that_is_broken_says_what_it_was(file: Path) -> None:
    walked = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    assert [one.lineno for one in walked if isinstance(one, ast.Assert) and one.msg is None] == []


class Endless(Options, frozen=True):
    heap: int = 7


class Outside(Options, frozen=True):
    heap: Annotated[int, Meta(ge=1, le=5)] = 7


class Asked(Options, frozen=True):
    heap: Annotated[int, Meta(ge=1, le=5)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (Endless, r"^the house rule heap needs bounds, as in Annotated\[int, Meta\(ge=1, le=9\)\]$"),
        (Outside, r"^the default of a house rule is not allowed: Expected `int` <= 5 - at `\$\.heap`$"),
        (Asked, r"^the house rule heap needs a default$"),
    ],
)
def test_a_house_rule_without_default_or_bounds_is_named(options: type[Options], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        invariants.check_house_rules(options)


def test_a_record_whose_house_rules_have_no_default_says_which() -> None:
    class Unset(Pebbles):
        options = Asked

    with pytest.raises(TypeError, match=r"^each house rule needs a default: .*'heap'"):
        Game(rules=Unset())


# Sentences --------------------------------------------------------------------------------------------------


def test_what_a_game_says_and_a_language_has_no_words_for_is_listed(offer: Offer) -> None:
    offer(LANTERN)
    (case,) = make_cases(LANTERN.rules)
    assert [
        sentences.find_missing_sentences(case, Language(code).has_words_for) for code in ("en", "de")
    ] == [[], []]
    french = sentences.find_missing_sentences(case, Language("fr").has_words_for)
    for kind in (
        "name",
        "phase.lay",
        "CardLaid",
        "rule.lay.place",
        "rule.name.twice",
        "do.catch",
        "put_back",
    ):
        assert f"lantern.{kind}" in french, "English lends its words on the screen, and not here"


# The guide --------------------------------------------------------------------------------------------------

GUIDE = (CHECKOUT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
SHOWN = tuple(re.findall(r"```(\w*)\n(.*?)```", GUIDE, flags=re.DOTALL))
PROSE = re.sub(r"```.*?```", "", GUIDE, flags=re.DOTALL)
SUITES = (CHECKOUT / "tests" / "lantern" / "tests" / "test_lantern.py").read_text(encoding="utf-8")


def imported(source: str) -> set[str]:
    """Every dotted name that this source imports."""
    walked = list(ast.walk(ast.parse(source)))
    froms = [node for node in walked if isinstance(node, ast.ImportFrom)]
    whole = {name.name for node in walked if isinstance(node, ast.Import) for name in node.names}
    return whole | {f"{node.module}.{name.name}" for node in froms for name in node.names}


def sources() -> list[str]:
    """What the guide shows in Python; two lines out of the middle of a method import nothing."""
    return [text for language, text in SHOWN if language == "python" and not text.startswith(" ")]


def test_every_name_that_the_guide_imports_or_writes_with_dots_is_there() -> None:
    written = set(re.findall(r"(?<![\[\w/])(?:companion|lantern|pebbles)(?:\.\w+)+", PROSE))
    keys = {name for name in written if name.startswith(("lantern.", "pebbles."))}
    names = (written - keys).union(*map(imported, sources()))
    assert {
        "companion.games.kit.world.WorldBase",
        "companion.core.game_status.GameStatus",
        "companion.testing.sentences",
    } <= names
    for name in sorted(names):
        assert resolve_name(name) is not None
    assert len(keys) >= 7
    words = set(read_catalogue(LANTERN_WORDS)._catalog)  # type: ignore[attr-defined]
    assert keys - words == set()


def test_every_class_that_the_guide_names_can_be_imported_from_what_it_shows() -> None:
    named = set(re.findall(r"`(?:ev\.)?([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", PROSE))
    known = {name.rpartition(".")[2] for text in (*sources(), SUITES) for name in imported(text)}
    elsewhere = {*vars(ev), *vars(world), *vars(layout)}
    assert named - known - elsewhere == set()


@pytest.mark.parametrize(
    "file", ["pebbles/rules.py", "pebbles/players.py", "cups/__init__.py", "cups/rules.py", "cups/players.py"]
)
def test_the_guide_shows_the_smallest_game_and_the_one_without_cards_whole(file: str) -> None:
    assert (CHECKOUT / "tests" / file).read_text(encoding="utf-8") in sources()


@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("rules", [PEBBLES.rules, TIMED_PEBBLES], ids=["plain", "timed"])
def test_the_smallest_game_keeps_what_every_game_promises(
    rules: Pebbles, check: conformance.ConformanceCheck
) -> None:
    for case in make_cases(rules, ("sun",)):
        check(case, 7)


def test_the_limit_of_the_guide_ends_a_turn_by_itself_and_stands_still_in_a_pause() -> None:
    referee = new_referee(next(make_cases(TIMED_PEBBLES, ("sun",))))
    referee.observe(ob.ActionDeclared(at=SECOND, action=Action(0, "take", 2)))
    assert referee.next_timer() == Timer("limit", 21 * SECOND)
    referee.observe(ob.PauseRequested(at=6 * SECOND))
    assert referee.next_timer() is None
    referee.observe(ob.ResumeRequested(at=66 * SECOND))
    assert referee.next_timer() == Timer("limit", 81 * SECOND)
    referee.fire_timers(81 * SECOND + 1)
    assert (referee.state.left, referee.state.seat) == (4, 0)
    assert referee.next_timer() == Timer("limit", 101 * SECOND)


def test_the_smallest_game_is_simulated_and_no_turns_are_told_where_none_are_counted(
    offer: Offer, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(PEBBLES)
    assert main(["dev", "simulate", "pebbles", "--games", "30"]) == 0
    told = capsys.readouterr().out
    assert "Infraction" in told, "careless people are too early"
    assert "turns" not in told
    offer(LANTERN)
    assert main(["dev", "simulate", "lantern", "--games", "3"]) == 0
    assert "4.0 turns" in capsys.readouterr().out


def test_the_deck_of_the_guide_is_printed_as_it_stands(tmp_path: Path) -> None:
    pytest.importorskip("reportlab")
    (deck,) = [text for language, text in SHOWN if language == "toml" and "[[card]]" in text]
    picture = games.game_assets_folder("kinapa") / "decks" / "kinapa" / "mat.jpg"
    (tmp_path / "sun.png").write_bytes(picture.read_bytes())
    (tmp_path / "lantern.toml").write_text(deck, encoding="utf-8")
    faces = load_deck(tmp_path / "lantern.toml")
    placed = print_sheets(faces, tmp_path / "lantern.pdf", games.game_assets_folder("kinapa") / "fonts")
    assert [one.card for one in placed] == ["sun"] * 4 + ["back:lantern"] * 4


def test_the_plural_of_the_guide_is_told_by_its_number(tmp_path: Path) -> None:
    head, words = [text for language, text in SHOWN if not language and "msgstr" in text]
    folder = tmp_path / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "companion.po").write_text(f"{head}\n{words}", encoding="utf-8")
    language = Language("en", locale=tmp_path)
    state = PEBBLES.rules.initial_state(next(make_cases(PEBBLES.rules, ("sun",))).setup)
    told = [PEBBLES.rules.sentence(state, PebblesTaken(1, some)) for some in (1, 2)]
    assert [language.text(sentence, {7: "Ada"}) for sentence in told if sentence] == [
        "Ada takes 1 pebble.",
        "Ada takes 2 pebbles.",
    ]
