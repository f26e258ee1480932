"""The wheel, installed outside the checkout, is the whole product."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from companion.build_hook import ADDRESS_VARIABLE, AddressHook
from tests.processes import running
from tests.programs.install_check import requirements
from tests.whole.wheels import CHECKOUT, built_once, environment, installed, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built_once(CHECKOUT, tmp_path_factory)


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("environment"), wheel)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return environment(tmp_path)


def test_the_wheel_carries_assets_catalogues_and_hardware(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    listing = ["git", "ls-files", "assets", "hardware", "companion"]
    listed = subprocess.run(listing, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    for path in listed.stdout.splitlines():
        if (CHECKOUT / path).exists() and path != "companion/build_hook.py":
            assert (f"companion/{path}" if path.startswith("assets/") else path) in inside
    for source in CHECKOUT.glob("assets/locale/*/LC_MESSAGES/companion.po"):
        assert f"companion/{source.relative_to(CHECKOUT).with_suffix('.mo').as_posix()}" in inside
    assert "companion/build_hook.py" not in inside


def test_what_is_installed_comes_from_the_wheel_alone(python: Path, environ: dict[str, str]) -> None:
    ask = "import sys, companion as c, hardware as h; print(c.__file__, h.__file__, *sys.path, sep='\\n')"
    found = run(python, environ, "-c", ask).stdout.splitlines()
    for place in found[:2]:
        assert Path(place).is_relative_to(python.parent.parent)
    assert str(CHECKOUT) not in found


def test_the_installed_command_helps_and_finds_its_assets(python: Path, environ: dict[str, str]) -> None:
    assert "commands:" in run(python, environ, "-m", "companion", "--help").stdout
    found = json.loads(run(python, environ, "-m", "companion", "doctor", "--json").stdout)
    states = {finding["part"]: finding for finding in found}
    assert states["decks"]["state"] == "ok"
    assert states["decks"]["what"]
    if any(CHECKOUT.glob("assets/locale/*/LC_MESSAGES/companion.po")):
        assert states["language"]["state"] == "ok"


def about(wheel: Path) -> str:
    """What the wheel says of itself, its long description included."""
    inside = zipfile.ZipFile(wheel)
    (name,) = [name for name in inside.namelist() if name.endswith("dist-info/METADATA")]
    return inside.read(name).decode()


def test_the_page_of_the_package_leads_nowhere_that_only_a_checkout_has(wheel: Path) -> None:
    head, _, page = about(wheel).partition("\n\n")
    assert page.startswith("# Table companion")
    assert len(page) < 3_000
    assert re.findall(r"\]\((?!https://)[^)]*\)", page) == []
    assert "Programming Language :: Python :: 3.14" in head


def test_the_package_links_to_nothing_unless_whoever_builds_it_says_where_it_lives(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = about(wheel)
    assert re.findall(r"https?://\S+", text) == []
    assert "Project-URL" not in text
    for address, urls in (
        ("", {}),
        ("https://cards.example/table", {"Homepage": "https://cards.example/table"}),
    ):
        monkeypatch.setenv(ADDRESS_VARIABLE, address)
        metadata: dict[str, object] = {}
        AddressHook("", {}).update(metadata)
        assert metadata == {"urls": urls}


def test_the_wheel_carries_each_licence_and_names_that_of_each_library(wheel: Path, checkout: Path) -> None:
    inside = zipfile.ZipFile(wheel)
    licences = {name.partition("/licenses/")[2] for name in inside.namelist() if "/licenses/" in name}
    fonts, decks, clips = "assets/fonts/OFL.txt", "assets/decks/LICENSE", "assets/clips/LICENSE"
    assert licences == {"LICENSE", "LICENCES.md", fonts, decks, clips}
    told = (checkout / "LICENCES.md").read_text(encoding="utf-8")
    listed = {
        name for row in re.findall(r"^\| ([a-z, -]+) \|", told, re.MULTILINE) for name in row.split(", ")
    }
    locked = (checkout / "systemd" / "requirements.lock").read_text(encoding="utf-8")
    ours = {asked.name for python in ("3.13", "3.14") for asked in requirements(python)}
    assert ours | set(re.findall(r"^([a-z0-9-]+)==", locked, re.MULTILINE)) <= listed


def test_a_compiled_catalogue_does_not_say_when_it_was_built(wheel: Path) -> None:
    """So two builds of one checkout are the same byte for byte."""
    inside = zipfile.ZipFile(wheel)
    for name in [name for name in inside.namelist() if name.endswith("companion.mo")]:
        dates = re.findall(rb"(?:POT-Creation|PO-Revision)-Date: (.+)", inside.read(name))
        assert dates == [b"2020-02-02 00:00+0000"] * 2, name


PRINTED = ("", "-mat-a2", "-mat-a4", "-quickstart")


def test_the_installed_command_prints_a_game(python: Path, environ: dict[str, str], tmp_path: Path) -> None:
    done = run(python, environ, "-m", "companion", "print", "kinapa", "--out", "sheets")
    assert done.returncode == 0, done.stderr
    made = {file.name for file in (tmp_path / "sheets").iterdir()}
    assert made == {"buttons.pdf", "first-evening.pdf", *(f"kinapa{part}.pdf" for part in PRINTED)}


def test_without_its_library_printing_says_the_command_that_adds_it(
    python: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    for folder in filter(lambda path: path.endswith(("site-packages", "dist-packages")), sys.path):
        for library in Path(folder).iterdir():
            if "reportlab" not in library.name and "companion" not in library.name:
                (libraries / library.name).unlink(missing_ok=True)
                (libraries / library.name).symlink_to(library)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = run(python, environ, "-c", ask).stdout.strip()
    alone = f"import sys; sys.path += [{site!r}, {str(libraries)!r}]\n"
    start = alone + "from companion.__main__ import main; sys.exit(main(['print', 'kinapa']))"
    done = run(python, environ, "-S", "-c", start)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "printing needs the library reportlab. Install it: " in done.stderr
    assert "-m pip install 'table-companion[print]'" in done.stderr
    assert "Traceback" not in done.stderr


DEMO = ("-m", "companion", "demo", "kobayakawa", "--fast", "--seed", "3")


def test_the_installed_demo_presses_reads_cards_and_is_left_in_order(
    python: Path, environ: dict[str, str]
) -> None:
    """To its end it takes long: `make long` waits for it, and Lantern's demo is played to its own."""
    with running([python, *DEMO], env=environ, cwd=environ["HOME"], stdout=subprocess.PIPE) as demo:
        assert demo.stdout is not None
        assert any(re.search(r" puts the \d+ face up\.$", line) for line in demo.stdout)
        demo.terminate()
        seen, ended = demo.stdout.read().splitlines()[-2:]
        demo.wait()
    assert demo.returncode == 0
    assert re.search(r": [1-9]\d* presses, [1-9]\d* pictures, [1-9]\d* readings, \d+ of them unsure\.$", seen)
    assert re.fullmatch(r"Demo closed after \d+ rulings?\. Play yourself: companion play kobayakawa", ended)


@pytest.mark.long
def test_the_installed_demo_plays_a_game_to_its_end(python: Path, environ: dict[str, str]) -> None:
    done = run(python, environ, *DEMO)
    assert done.returncode == 0, done.stderr
    seen, ended = done.stdout.splitlines()[-2:]
    assert re.search(r": [1-9]\d* presses, [1-9]\d* pictures, [1-9]\d* readings, \d+ of them unsure\.$", seen)
    assert re.fullmatch(
        r"Won by chair [1-8] after \d+ rulings\. Play yourself: companion play kobayakawa", ended
    )
