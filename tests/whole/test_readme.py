"""What the pages tell people is true of the tree: commands parse, files exist, settings and numbers agree."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from companion.cli import load_commands
from companion.cli.command import (
    CLUB_COMMANDS,
    DEVELOPER_COMMAND,
    RENAMED_COMMANDS,
    _command_parser,
    _main_parser,
    _resolve_command,
)
from companion.core import actions
from companion.core import debounce as lockout
from companion.core.errors import EXIT_INTERRUPTED, CompanionError, InputError
from companion.core.house_rules import choice_key, house_rule_questions
from companion.core.switch import SWITCH_TIMING
from companion.games import RULES
from companion.referee import loop as game
from companion.settings.files import read_file
from companion.settings.model import ButtonResolutions
from companion.ui.pages.game import GamePage
from tests.language.sentences import catalogue
from tests.programs import guide, reference
from tests.programs.live.tries import verb_of

CHECKOUT = Path(__file__).parents[2]

DOCS = tuple(sorted(str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / "docs").rglob("*.md")))
PAGES = (
    "README.md",
    "PACKAGE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "hardware/README.md",
    "companion/referee/journal/README.md",
    *DOCS,
)
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MADE = ("build/", ".venv/", "/", "~/")
"""Beginnings of what a page may name without its being in the checkout."""


def text_of(page: str) -> str:
    return (CHECKOUT / page).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def spans(text: str) -> list[str]:
    """What stands in backticks in running text."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def commands(page: str, program: str) -> Iterator[str]:
    """Every command of `program` that a page shows; a general form with … or CAPITALS is no command."""
    text = text_of(page)
    shown = [line for block in blocks(text, "console") for line in block.splitlines()]
    for line in (*shown, *spans(text)):
        words = line.removeprefix(".venv/bin/")
        if words.split(" ")[0] == program and " " in words and not re.search(r"…|\b[A-Z]{4,}\b", words):
            yield words


def shown(program: str) -> list[tuple[str, str]]:
    return [(page, line) for page in PAGES for line in commands(page, program)]


@pytest.mark.parametrize(("page", "line"), shown("companion"))
def test_every_command_is_understood(page: str, line: str) -> None:
    known = {verb.name: verb for verb in load_commands()}
    if line == "companion --help":
        return
    args = _main_parser(known.values()).parse_args(shlex.split(line)[1:])
    name, rest = _resolve_command(args.command, args.rest)
    if name in CLUB_COMMANDS and name not in known:
        pytest.skip("table-companion-club is not installed here")
    assert name in {*known, DEVELOPER_COMMAND}, f"{page}: {line}"
    assert args.command not in RENAMED_COMMANDS, f"{page} still calls it {args.verb}"
    if name != DEVELOPER_COMMAND and (
        rest or line not in spans(text_of(page))
    ):  # in a sentence it is the verb's name
        _command_parser(known[name]).parse_args(rest)


@pytest.mark.parametrize(("page", "line"), shown("make"))
def test_every_make_target_exists(page: str, line: str) -> None:
    targets = re.findall(r"^([a-z0-9-]+):", text_of("Makefile"), flags=re.MULTILINE)
    assert shlex.split(line)[1] in targets, f"{page}: {line}"


def test_the_commands_of_the_first_screen_are_found() -> None:
    assert {"make demo", "make test"} <= set(commands("README.md", "make"))
    assert {"companion play"} <= set(commands("README.md", "companion"))


def test_the_readme_is_read_to_its_end() -> None:
    assert len(README.encode()) <= 8_000


def test_the_wheel_that_is_installed_has_the_name_of_this_version() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    named = re.findall(r"table_companion-\S+\.whl", "".join(map(text_of, PAGES)))
    assert set(named) == {f"table_companion-{version}-py3-none-any.whl"}


def test_every_page_is_found_on_the_site() -> None:
    nav = text_of("mkdocs.yml").partition("\nnav:\n")[2]
    decisions = re.findall(r"\]\((\d\S+\.md)\)", text_of("docs/decisions/index.md"))
    assert {
        *re.findall(r"- (?:\w+: )?(\S+\.md)$", nav, flags=re.MULTILINE),
        *(f"decisions/{page}" for page in decisions),
    } >= {page.removeprefix("docs/") for page in DOCS}


def test_the_guide_has_every_page_on_building_and_shows_its_pictures() -> None:
    nav = text_of("mkdocs.yml").partition("  - Build:\n")[2].partition("  - Fix:")[0]
    assert [page.removeprefix("docs/") for page in guide.PAGES] == re.findall(r"- (\S+\.md)", nav)
    whole = "".join(guide.text_of(page) for page in guide.PAGES)
    pictures = re.findall(r"!\[[^\]]*\]\(file://([^)]+)\)", whole)
    assert len(pictures) > 9
    assert all(Path(picture).exists() for picture in pictures)
    led = set(re.findall(r"\]\(#([^)]+)\)", whole))
    assert led <= {guide.name_of(page) for page in guide.PAGES}


def test_the_reference_of_the_settings_is_that_of_the_code() -> None:
    assert reference.page() == reference.PAGE.read_text(encoding="utf-8"), "make reference"


def test_every_setting_is_told_what_it_is() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \|.*\| ?(.*) \|$", reference.page(), flags=re.MULTILINE)
    assert len(rows) > 25
    assert [key for key, words in rows if not words.strip()] == []


@pytest.mark.parametrize("page", [page for page in DOCS if page.startswith(("docs/build/", "docs/fix/"))])
def test_what_a_page_finds_under_settings_stands_there(page: str) -> None:
    on_screen = set(chain.from_iterable(catalogue("en").values()))
    named = re.findall(
        r"\*Settings\*,\s\*([^*]+)\*(?:,\s\*([^*]+)\*)?|\*([^*]+)\* in\sthe\ssettings", text_of(page)
    )
    assert {word for words in named for word in words if word} <= on_screen


def test_every_verb_is_listed() -> None:
    listed = {verb_of(line) for line in commands("docs/commands.md", "companion")}
    assert {verb.name for verb in load_commands()} <= listed


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_is_named_exists(page: str) -> None:
    text = text_of(page)
    folder = (CHECKOUT / page).parent
    linked = re.findall(r"\]\(([^)#\s]+)\)", text)
    missing = [link for link in linked if "://" not in link and not (folder / link).exists()]
    for span in spans(text):
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", span) and not span.startswith(MADE):
            missing += [span] if not (CHECKOUT / span).exists() else []
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_no_page_names_somebodys_machine(page: str) -> None:
    assert not re.findall(r"(?<![\w.])/(?:work|root|tmp|home|Users)\b[^\s)`]*", text_of(page))


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    (block,) = blocks(text_of("docs/settings.md"), "toml")
    path = tmp_path / "settings.toml"
    path.write_text(block, encoding="utf-8")
    assert not read_file(path).problems


@pytest.mark.parametrize("game", RULES)
def test_every_house_rule_stands_with_its_default_first(game: str) -> None:
    options = RULES[game].options
    section = text_of(f"docs/play/{game}.md").partition("\n## House rules\n")[2]
    table = dict(re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", section, flags=re.MULTILINE))
    told = {key: values.split(", ") for key, values in table.items()}
    chosen = {rule.key: (rule.value, rule.choices) for rule in house_rule_questions(options())}
    for name, (default, choices) in chosen.items():
        assert told[name][0] == choice_key(default), name
        assert sorted(told[name]) == sorted(map(choice_key, choices)), name
    assert set(told) == {*chosen}, "Who can't choose has nothing to look up"


def test_the_numbers_of_fairness_are_those_of_the_program() -> None:
    text = " ".join((text_of("docs/know/presses.md") + text_of("docs/play/index.md")).split())
    sources = ButtonResolutions()
    for number in (
        f"the next {SWITCH_TIMING.settle // 1000} ms",
        f"Then {SWITCH_TIMING.lockout // 1000} ms may bounce",
        f"every {lockout.PIN_POLL_INTERVAL // 1000} ms",
        f"until it is {game.GRACE // 1000} ms old",
        f"for {actions.HOLD_TIME / actions.SECOND} s for the second",
        f"`gpio` {sources.gpio // 1000} ms, `usb` {sources.usb // 1000} ms",
        f"`key` and `touch` {sources.key // 1000} ms",
    ):
        assert number in text


def test_the_pictures_stay_small() -> None:
    shown = re.findall(r"\((docs/pictures/[^)]+)\)", README)
    assert shown
    for name in shown:
        assert (CHECKOUT / name).stat().st_size < 400_000, name


def test_every_key_of_a_running_game_is_listed() -> None:
    table = text_of("docs/play/index.md")
    for key in GamePage.shortcuts:
        assert f"`{key.upper()}`" in table


def told_by_the_table() -> str:
    """Every English sentence and label, one a line; whatever stands for a name is a star."""
    catalogue = text_of("assets/locale/en/LC_MESSAGES/companion.po").translate(str.maketrans("“”’", '""\''))
    lines = re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', catalogue, flags=re.MULTILINE)
    return "\n".join(re.sub(r"{\w+}", "*", line.replace(r"\"", '"')) for line in lines)


@pytest.mark.parametrize("page", [page for page in DOCS if re.match(r"docs/(play|fix)/(?!stream)", page)])
def test_what_the_screen_shows_is_quoted_as_it_stands_there(page: str) -> None:
    """A label stands whole, a sentence from its beginning; Red and 3 stand for any chair and any place."""
    prose = re.sub(r"```.*?```|`[^`]*`", "", text_of(page), flags=re.DOTALL)
    shown = re.findall(r"(?<![*\w])\*([A-Z][^*]+)\*(?![*\w])", " ".join(prose.split()))
    lines = told_by_the_table().replace("*'s", "Red's").replace("place *", "place 3").splitlines()
    missing = [
        words
        for words in shown
        if words not in lines and not (" " in words and any(line.startswith(words) for line in lines))
    ]
    assert missing == []


@pytest.mark.parametrize("page", [page for page in DOCS if page.startswith("docs/fix/")])
def test_what_the_program_says_is_quoted_as_it_says_it(page: str) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", text_of(page), flags=re.DOTALL)
    sources = [
        CHECKOUT / "Makefile",
        CHECKOUT / "systemd" / "install.sh",
        *(CHECKOUT / "companion").rglob("*.py"),
        *(CHECKOUT / "hardware").glob("*.py"),
    ]
    said = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    for words in re.findall(r'"([^"]+)"', prose):
        parts = [part.strip() for part in re.split(r"\([^)]*\)", " ".join(words.split()))]
        assert all(part in said for part in parts), words


def test_every_exit_code_is_named() -> None:
    codes = text_of("docs/commands.md").partition("Exit codes: ")[2].partition(". ")[0]
    for code in (0, CompanionError.exit_code, InputError.exit_code, EXIT_INTERRUPTED):
        assert re.search(rf"\b{code}\b", codes)
