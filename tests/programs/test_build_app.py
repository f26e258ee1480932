"""One settings file, four programs: what the settings say reaches glass, screen and voice of every one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Any, NamedTuple

import pygame
import pytest

from companion.core.actions import SECOND, Setup
from companion.core.clock import GameClock, ManualClock
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kabuki.drill import KabukiDrill
from companion.games.kit.world import PlayStyle
from companion.programs.build_app import build_runtime
from companion.programs.demo import build_demo_app
from companion.programs.drill import build_drill_loop
from companion.programs.run_table import RealTable
from companion.programs.simulated_host import DemoHost, build_practice_app
from companion.referee.journal import MemoryJournal, make_header
from companion.settings.files import load_settings
from companion.settings.model import Settings, TableSettings
from companion.simulation.simulated_table import SimulatedTable
from companion.table.app import App
from companion.table.runtime import Runtime, chair_colours
from companion.ui import commands as do
from companion.ui.frame import UiState
from companion.ui.pages.base import Page
from companion.ui.toolkit.window import Window

DIM = 40
CHOSEN = f"""
[table]
language = "fr"
level = "assisted"
colours = ["white", "orange"]
[sound]
volume = 35
mute = true
slow = true
verbosity = "little"
[screen]
size = [1024, 600]
brightness = {DIM}
large_text = true
calm = true
[buttons.keys]
ok = "return"
[camera]
kind = "none"
[storage]
folder = "FOLDER"
"""
COLOURS = ("white", "orange", "green", "yellow", "purple", "red", "pink", "blue")


class Built(NamedTuple):
    """What of a program the settings have a say in."""

    ui_state: UiState
    colours: tuple[str, ...]
    page: Page[Any]
    window: Window
    draw: Callable[[], object]
    shared: Runtime | None
    """None: it has no voice."""
    app: App | None


def of(app: App, shared: Runtime, page: str) -> Built:
    return Built(app.ui_state, app.frame().colours, app._pages[page], app.window, app.draw, shared, app)


def shared_of(settings: Settings) -> Runtime:
    return build_runtime(settings, ManualClock(), silent=True)


def play(settings: Settings, closing: list[Callable[[], object]]) -> Built:
    shared = build_runtime(settings, GameClock(), silent=True)  # a demo that is visited has threads
    table = RealTable(settings, shared)
    closing.append(table.close)
    return of(table.build_app(), shared, "home")


def demo(settings: Settings, closing: list[Callable[[], object]]) -> Built:
    shared, rules = shared_of(settings), RULES["kobayakawa"]
    journal = MemoryJournal(make_header(rules.name, Setup((0, 1, 2), rules.options()), kind="demo", seed=1))

    def open_table(fingers: Any) -> SimulatedTable:
        return SimulatedTable(
            rules, journal, seed=1, styles=(PlayStyle.LAWFUL,) * 3, clock=shared.clock, inbox=shared.inbox
        )

    host = DemoHost(open_table, shared, threads=False)
    closing.append(host.table.close)
    return of(build_demo_app(settings, host, shared), shared, "game")


def practice(settings: Settings, closing: list[Callable[[], object]]) -> Built:
    shared = shared_of(settings)
    return of(build_practice_app(settings, shared, do.StartPractice("kobayakawa"), seed=1), shared, "game")


def drill(settings: Settings, closing: list[Callable[[], object]]) -> Built:
    one = build_drill_loop(settings, ManualClock(), SimpleQueue(), lambda: KabukiDrill(Random(1)))
    return Built(one.ui_state, one.frame().colours, one._page, one.window, one.draw, None, None)


PROGRAMS = {"play": play, "demo": demo, "practice": practice, "drill": drill}
Build = Callable[[str], Built]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    file = tmp_path / "settings.toml"
    file.write_text(CHOSEN.replace("FOLDER", str(tmp_path / "games")), encoding="utf-8")
    return load_settings(file=file)


@pytest.fixture
def build(settings: Settings) -> Iterator[Build]:
    closing: list[Callable[[], object]] = []

    def built(program: str) -> Built:
        found = PROGRAMS[program](settings, closing)
        closing.append(found.window.close)
        return found

    yield built
    for close in reversed(closing):
        close()


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_glass_begins_as_the_settings_say(program: str, build: Build) -> None:
    ui_state = build(program).ui_state
    assert (ui_state.language, ui_state.level, ui_state.volume, ui_state.mute) == ("fr", "assisted", 35, True)
    assert ui_state.verbosity == "little"
    assert (ui_state.slow, ui_state.brightness, ui_state.large, ui_state.calm) == (True, DIM, True, True)


@pytest.mark.parametrize("program", ["demo", "practice", "drill"])
def test_every_glass_is_the_tables_but_for_the_game_that_is_set_up(program: str, build: Build) -> None:
    mine, tables = (build(one).ui_state for one in (program, "play"))
    fields = set(UiState.__struct_fields__) - {"draft"}
    assert {name: getattr(mine, name) for name in fields} == {name: getattr(tables, name) for name in fields}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_screen_has_the_tables_colours_words_and_keys(program: str, build: Build) -> None:
    built = build(program)
    assert built.colours == COLOURS
    screen: Any = built.page.resources
    assert screen.size == (1024, 600)
    assert screen.words("fr").chair_name(1) == screen.words("fr").tr("ui.colour.orange")
    assert screen.keys["ok"] == "return"


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_painted_is_as_dark_as_the_settings_ask(program: str, build: Build) -> None:
    built = build(program)
    built.window.read_events()
    built.draw()
    lightest = pygame.surfarray.pixels3d(built.window.surface).max()
    assert 0 < lightest <= DIM * 255 // 100


@pytest.mark.parametrize("program", ["play", "demo", "practice"])
def test_the_voice_is_slow_says_little_and_calls_chairs_by_the_tables_colours(
    program: str, build: Build
) -> None:
    built = build(program)
    assert built.shared is not None
    assert built.app is not None
    assert built.shared.voice._slow
    assert built.shared.voice._verbosity == "little"
    asked = Sentence("shared.address", (("chair", 1),))
    for language in ("fr", "de"):
        words = built.shared.voice._sounds.language
        assert (words.code, words.clip_name(asked).rpartition(".")[2]) == (language, "orange")
        built.app.carry_out(do.ChangeSetting("language", "de"))


def test_a_demo_and_a_practice_at_the_table_keep_its_colours_and_loudness(build: Build) -> None:
    built = build("play")
    assert built.shared is not None
    app = built.app
    assert app is not None
    app.carry_out(do.ChangeSetting("volume", 20))
    for visit in (do.StartPractice("kobayakawa"), do.ShowPage("demo", "kobayakawa")):
        app.carry_out(visit)
        assert app.session is not None
        assert app.frame().colours == COLOURS
        app.carry_out(do.ChangeSetting("language", "de"))
        assert built.shared.voice._sounds.language.colours == COLOURS
        assert (app.ui_state.volume, app.ui_state.mute) == (20, True)
        app.carry_out(do.LeaveOrQuit())
        assert app.page == "home"


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ((), ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")),
        (("pink",), ("pink", "blue", "green", "yellow", "purple", "orange", "red", "white")),
        (("blue", "red"), ("blue", "red", "green", "yellow", "purple", "orange", "pink", "white")),
        (("white", "orange"), COLOURS),
    ],
)
def test_no_two_chairs_have_one_colour(chosen: Any, found: tuple[str, ...]) -> None:
    assert chair_colours(Settings(table=TableSettings(colours=chosen))) == found


def test_after_a_practice_game_another_is_played_against_the_same(build: Build) -> None:
    app = build("practice").app
    assert app is not None
    first = app.session
    assert first is not None
    app.carry_out(do.Rematch())
    assert app.session is not None
    for _ in range(100):
        app._clock.move_to(app._clock.now() + SECOND // 5)  # type: ignore[attr-defined]
        app.step()
    assert first.game.referee.journal.entries == []
    assert app.session.game.referee.journal.entries
    assert app.session is not first
    assert app.session.game.referee.journal.header.kind == "practice"
    assert app.session.game.referee.rules.name == "kobayakawa"


@pytest.mark.parametrize("asked", [do.ShowPage("setup"), do.ShowPage("demo"), do.SaveRecap()])
def test_what_a_demo_cannot_give_is_told_and_the_demo_goes_on(asked: do.Command, build: Build) -> None:
    app = build("demo").app
    assert app is not None
    app.navigation.attempt("Asking", lambda: app.carry_out(asked))
    assert app.frame().trouble == Sentence("shared.trouble.demo")
    app._clock.move_to(app._clock.now() + 20 * SECOND)  # type: ignore[attr-defined]
    assert app.frame().trouble is None
