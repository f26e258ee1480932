"""Games that are installed beside the wheel: Lantern, of which no file of ours knows, and broken ones."""

from __future__ import annotations

import json
import re
import shutil
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from companion import games
from companion.camera import enrolment_task
from companion.language.language import Language
from companion.language.voice.clips import clip_folders
from companion.system import asset_paths
from companion.teach import rulebook
from companion.teach.lesson import find_lesson_files
from tests.whole.wheels import CHECKOUT, built, built_once, environment, installed, run

LANTERN, PEBBLES, CUPS = (CHECKOUT / "tests" / game for game in ("lantern", "pebbles", "cups"))
SCRIPT = """
import os, signal, sys

from companion.__main__ import main
from companion.table.app import App
from companion.language.language import Language

rounds = iter(range(10))
step = App.step


def next_due(app):
    if next(rounds, None) == 9:
        frame, words = app.frame(), Language(app.ui_state.language)
        said = [getattr(frame, "doctor", ())]
        if app.session is not None:
            said.append((frame.view.headline,) if frame.guide is None else (frame.guide.say,))
        print(*(words.text(sentence) for sentences in said for sentence in sentences), sep="\\n", flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
    return 0


App.next_due = next_due
sys.exit(main(sys.argv[1:]))
"""
"""The running table goes round ten times without waiting, says what it shows, and is told to end."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Ours and Lantern's."""
    return built_once(CHECKOUT, tmp_path_factory), built(LANTERN, tmp_path_factory.mktemp("theirs"))


@pytest.fixture(scope="module")
def python(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("environment"), *wheels)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {**environment(tmp_path), "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


def companion(python: Path, environ: dict[str, str], *words: str) -> str:
    done = run(python, environ, "-m", "companion", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No sentence for" not in done.stderr
    return done.stdout


def at_the_table(python: Path, environ: dict[str, str], *words: str) -> list[str]:
    done = run(python, environ, "-c", SCRIPT, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


# Lantern ----------------------------------------------------------------------------------------------------


def test_no_file_of_ours_knows_lantern() -> None:
    """One of Kabuki's masks shows a lantern; the game is a package, a prefix of keys, or a proper name."""
    ours = [
        *(path for folder in ("companion", "hardware") for path in (CHECKOUT / folder).rglob("*.py")),
        *(CHECKOUT / "assets").rglob("*.po"),
    ]
    assert len(ours) > 300
    known = re.compile(r"\bLantern|\blantern[.:/]|import lantern|from lantern")
    assert [path for path in ours if known.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.long
def test_its_demo_plays_a_game_to_its_end_and_tells_it_in_its_own_words(
    python: Path, environ: dict[str, str]
) -> None:
    told = companion(python, environ, "demo", "lantern", "--fast", "--seed", "7").splitlines()
    assert any(re.search(r"Red names [1-5]\.$", line) for line in told)
    seen, _ = told[-2:]
    assert re.search(r": [1-9]\d* presses, [1-9]\d* pictures, [1-9]\d* readings, \d+ of them unsure\.$", seen)
    assert told[-1].startswith("Won by chair ")
    assert told[-1].endswith(" Play yourself: companion play lantern")


def test_its_simulated_people_are_judged_rightly(python: Path, environ: dict[str, str]) -> None:
    assert "broken      0" in companion(python, environ, "dev", "simulate", "lantern", "--games", "20")


def test_a_table_plays_it_and_says_so_in_the_language_of_the_table(
    python: Path, environ: dict[str, str]
) -> None:
    german = {**environ, "COMPANION_TABLE_LANGUAGE": "de"}
    for language, told in ((environ, "lays a card face up."), (german, "legt eine Karte offen hin.")):
        shown = at_the_table(python, language, "play", "lantern", "--chairs", "1,5")
        assert any(line.endswith(told) for line in shown), shown


def test_its_lesson_is_right_and_is_taught(python: Path, environ: dict[str, str]) -> None:
    (listed,) = [line for line in companion(python, environ, "lessons").splitlines() if "lantern" in line]
    assert "Lantern in two steps" in listed
    assert "no mistakes" in companion(python, environ, "lessons", "check", listed.split()[0])
    shown = at_the_table(python, environ, "teach", "lantern", "--simulate")
    assert "You own two of the four places. Lay your sun face up in front of you." in shown


def test_its_cards_and_its_mat_are_printed_from_its_pictures(
    python: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    told = companion(python, environ, "print", "lantern", "--out", str(tmp_path / "print"))
    assert "lantern.pdf: 12 cards" in told
    for name in ("lantern", "lantern-mat-a2", "lantern-mat-a4", "lantern-quickstart"):
        assert (tmp_path / "print" / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_its_cards_are_recognised_by_its_own_deck(python: Path, environ: dict[str, str]) -> None:
    picture = LANTERN / "lantern" / "assets" / "decks" / "lantern" / "enrol" / "moon.jpg"
    assert "moon" in companion(python, environ, "recognise", str(picture), "--deck", "lantern")


def test_its_own_tests_have_the_suites_of_ours(python: Path, environ: dict[str, str], tmp_path: Path) -> None:
    shutil.copytree(LANTERN / "tests", tmp_path / "tests")
    done = run(python, environ, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_about_adding_a_game_shows_its_examples_as_they_are() -> None:
    page = (CHECKOUT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    written = (path for folder in (LANTERN, PEBBLES, CUPS) for path in folder.rglob("*"))
    files = [path for path in written if path.suffix in {".py", ".toml", ".po"}]
    known = {line for path in files for line in path.read_text(encoding="utf-8").splitlines()}
    blocks = re.findall(r"```(?:python|toml)\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 5
    assert [line for block in blocks for line in block.splitlines() if line not in known] == []


def test_what_belongs_to_it_is_found_in_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(LANTERN)
    found = {
        **games._find_entry_points(),
        "lantern": EntryPoint("lantern", "lantern:GAME", games.ENTRY_POINT_GROUP),
    }
    monkeypatch.setattr(games, "_find_entry_points", lambda: found)
    monkeypatch.setattr(games, "_load_game", games._load_game.__wrapped__)
    monkeypatch.setattr(rulebook, "_load_sections", rulebook._load_sections.__wrapped__)
    own = LANTERN / "lantern" / "assets"
    assert games.game_assets_folder("lantern") == own
    assert games.all_asset_folders() == (asset_paths.bundled_assets_folder(), own)
    assert rulebook.rulebook_section("lantern", "lay.place") == ("heading", "1")
    assert clip_folders("de") == (asset_paths.bundled_assets_folder() / "clips" / "de", own / "clips" / "de")
    assert "lantern" in enrolment_task.enrollable_games()
    assert enrolment_task.list_cards("lantern") == ("sun", "moon", "star", "back:lantern")
    assert [file.parent for file in find_lesson_files("lantern")] == [own / "lessons" / "lantern"]
    assert Language("de").tr("lantern.name") == "Laterne"
    assert Language("fr").tr("lantern.name") == "Lantern", "a language it lacks is told in English"
    assert Language("de").tr("kinapa.name") == "Kinapa"


# Broken games -----------------------------------------------------------------------------------------------

RECORD = "from companion.core.game import Game\nfrom companion.games.kobayakawa.rules import Kobayakawa\n"
BROKEN = {
    "missing": ("import no_such_library\n", "cannot be imported: No module named 'no_such_library'"),
    "wrong": ("GAME = 'kinapa'\n", "is not the record of a game"),
    "older": (RECORD + "GAME = Game(rules=Kobayakawa(), interface=0)\n", "was written for interface 0"),
    "newer": (RECORD + "GAME = Game(rules=Kobayakawa(), interface=99)\n", "was written for interface 99"),
    "renamed": (RECORD + "GAME = Game(rules=Kobayakawa())\n", "is called 'kobayakawa'"),
}
"""Name → the package that was installed, and what has to be said of it."""


def offered(site: Path, name: str, source: str) -> Path:
    """A folder of packages with one more in it, which offers a game."""
    about = site / f"game_{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: game-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[companion.games]\n{name} = game_{name}:GAME\n")
    (site / f"game_{name}.py").write_text(source)
    return site


@pytest.fixture
def with_broken(environ: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The same environment with four more games, none of which can be used."""
    for name, (source, _) in BROKEN.items():
        offered(tmp_path / "site", name, source)
    return {**environ, "PYTHONPATH": str(tmp_path / "site")}


def test_a_game_of_rules_alone_says_what_it_lacks_and_is_played(
    python: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    bare = RECORD + "class Bare(Kobayakawa):\n    name = 'bare'\n\nGAME = Game(rules=Bare())\n"
    alone = {**environ, "PYTHONPATH": str(offered(tmp_path / "site", "bare", bare))}
    for verb in ("demo", "simulate", "print", "teach", "practice"):
        done = run(python, alone, "-m", "companion", verb, "bare")
        assert done.returncode == 2, done.stdout + done.stderr
        assert "something went wrong inside the program" not in done.stderr
    assert len(at_the_table(python, alone, "play", "bare", "--chairs", "1,2,3")) >= 1


def test_doctor_has_a_line_for_each_broken_game(python: Path, with_broken: dict[str, str]) -> None:
    told = run(python, with_broken, "-m", "companion", "doctor", "--json")
    found = {finding["part"]: finding for finding in json.loads(told.stdout)}
    for name, (_, why) in BROKEN.items():
        assert found[f"game {name}"]["state"] == "fault"
        assert why in found[f"game {name}"]["what"]
        assert found[f"game {name}"]["fix"]
    assert {part for part in found if part.startswith("game ")} == {f"game {name}" for name in BROKEN}


def test_the_home_page_names_the_broken_games_and_the_others_are_played(
    python: Path, with_broken: dict[str, str]
) -> None:
    home = at_the_table(python, with_broken, "play")
    for name in BROKEN:
        assert f"“{name}” is installed but doesn’t work: companion doctor says why." in home
    assert "broken      0" in companion(python, with_broken, "dev", "simulate", "lantern", "--games", "2")
    assert "broken      0" in companion(python, with_broken, "dev", "simulate", "kobayakawa", "--games", "2")
