"""The command itself: help, usage, and how errors are told."""

from __future__ import annotations

import ast
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.cli import doctor, load_commands, play, report
from companion.cli.checks.machine_checks import check_settings
from companion.settings.model import Settings
from companion.system.machine import Machine
from tests.cli.command_line import Command
from tests.outside_programs import needs

HEAVY = ("pygame", "cv2", "numpy", "gpiozero", "picamera2", "sqlite3", "platformdirs", "tomlkit")


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "companion", *words], capture_output=True, text=True, check=False, **more
    )


def test_help_lists_every_verb_with_a_sentence(companion: Command) -> None:
    said = companion("--help"), companion("dev")
    assert [one.code for one in said] == [0, 0]
    for verb in load_commands():
        page = said[verb.name.startswith("dev ")].out
        assert f"  {verb.name} " in page
        assert verb.help in page


def test_without_a_verb_and_a_screen_the_help_is_shown(companion: Command) -> None:
    assert "Look back:" in companion().out


def test_without_a_verb_the_window_opens(companion: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    monkeypatch.setattr(play, "play_command", lambda args, settings: opened.append(args.game) or 0)
    assert companion().code == 0
    assert opened == [None], "no game is set up yet: people choose at the table"


@pytest.mark.parametrize(
    ("old", "new"), [("misread", "misread"), ("schema", "schema"), ("simulate", "simulate")]
)
def test_a_command_that_moved_goes_on_working_and_says_its_new_name(
    companion: Command, old: str, new: str
) -> None:
    said = companion(old, "--help")
    assert said.code == 0
    assert f"usage: companion dev {new}" in said.out
    assert said.err == f"companion: {old!r} is now: companion dev {new}\n"


def test_headings_are_bold_where_somebody_looks_and_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for wish, terminal in (("", True), ("1", True), ("", False)):
        out = io.StringIO()
        monkeypatch.setattr(out, "isatty", lambda seen=terminal: seen)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setenv("NO_COLOR", wish)
        monkeypatch.setenv("TERM", "xterm")
        assert main(["--help"]) == 0
        shown[wish, terminal] = "\033[1mPlay:\033[0m" in out.getvalue()
    assert shown == {("", True): True, ("1", True): False, ("", False): False}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_every_command_and_option(companion: Command, shell: str) -> None:
    said = companion("completion", shell)
    assert said.code == 0
    for word in ("practice", "lessons", "schema", "doctor"):
        assert word in said.out


TAKES = {
    "bash": (
        """
        COMP_WORDS=(companion demo ko) COMP_CWORD=2
        source "$1" && _shtab_companion companion ko demo && echo "${COMPREPLY[@]}"
        """,
        "kobayakawa",
    ),
    "fish": (
        """source $argv[1]; complete -C "companion demo ko" | string split -f1 \\t""",
        "kobayakawa",
    ),
    "zsh": (
        """autoload -Uz compinit; compinit -D -u; eval "$(<"$1")" && echo ${_comps[companion]}""",
        "_shtab_companion",
    ),
}
"""What each shell is asked and answers; zsh completes only at a terminal, so it only takes the file."""


@pytest.mark.parametrize(
    "shell", ["bash", pytest.param("fish", marks=needs("fish")), pytest.param("zsh", marks=needs("zsh"))]
)
def test_a_shell_takes_what_it_is_told(companion: Command, shell: str, tmp_path: Path) -> None:
    script = tmp_path / "companion.completion"
    script.write_text(companion("completion", shell).out, encoding="utf-8")
    plain = {"bash": ("--norc", "-c"), "fish": ("--no-config", "-c"), "zsh": ("-f", "-c")}[shell]
    asked, answer = TAKES[shell]
    words = [shell, *plain, asked, *(() if shell == "fish" else (shell,)), str(script)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == (answer, "")


@pytest.mark.parametrize("verb", [verb.name for verb in load_commands()])
def test_every_verb_has_its_own_help(companion: Command, verb: str) -> None:
    said = companion(*verb.split(), "--help")
    assert said.code == 0
    assert f"companion {verb}" in said.out


def test_an_unknown_verb_names_the_nearest(companion: Command) -> None:
    said = companion("docter")
    assert said.code == 2
    assert "did you mean 'doctor'?" in said.err


@pytest.mark.parametrize(("typed", "meant"), [("learn", "teach"), ("tutorial", "teach"), ("start", "play")])
def test_another_word_for_a_command_is_told_which_it_is(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([typed, "kinapa"]) == 2
    assert f"there is no command '{typed}'; did you mean '{meant}'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--nonsense"], ["settings", "--nonsense"], ["--set", "volume"], ["export", "three"], ["dev", "schema"]],
)
def test_wrong_usage_exits_2_and_names_the_help(companion: Command, words: list[str]) -> None:
    said = companion(*words)
    assert said.code == 2
    assert "--help" in said.err


def test_with_a_mistake_in_the_settings_doctor_report_and_play_go_on_with_the_defaults(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text("[table]\nlanguage = \u201cde\u201d\n", encoding="utf-8")
    monkeypatch.setenv("CONFIGURATION_DIRECTORY", str(tmp_path))
    told: list[Settings] = []
    for module, name in ((doctor, "run"), (play, "play_command"), (report, "run")):
        monkeypatch.setattr(module, name, lambda args, settings: told.append(settings) or 0)
    for name in ("doctor", "play", "report"):
        assert companion("--set", "sound.volume=30", name).code == 0
    assert {(one.table.language, one.sound.volume) for one in told} == {("en", 30)}
    said = 'line 2: use straight quotes ", not curly ones.'
    assert all(one.mistake.endswith(said) for one in told)
    assert companion("games").err.endswith(f"{said}\n")
    assert companion("--set", "sound.volume=loud", "doctor").code == 2
    found = check_settings(Machine(root=tmp_path), told[0])
    assert (found.state, found.fix.endswith(said)) == ("fault", True)
    assert check_settings(Machine(root=tmp_path), Settings()).state == "ok"


def test_a_typo_in_the_settings_is_one_sentence_and_exits_2(companion: Command, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[sound]\nvolum = 3\n", encoding="utf-8")
    said = companion("--settings", str(path), "games")
    assert said.code == 2
    assert said.err == (
        f'companion: {path}, line 2: "sound.volum" is not a setting; did you mean "sound.volume"?\n'
    )


def test_version_is_printed(companion: Command) -> None:
    assert companion("--version").out.startswith("companion ")


def test_listing_the_verbs_imports_nothing_heavy() -> None:
    script = (
        "import sys; from companion.__main__ import main; main(['--help']);"
        f"print(sorted(set({HEAVY}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_verb_imports_at_its_top_only_what_is_light(checkout: Path) -> None:
    club = checkout / "club" / "companion_club" / "cli"
    for path in [*(checkout / "companion" / "cli").glob("[a-z]*.py"), *club.glob("[a-z]*.py")]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.partition(".")[0] not in HEAVY, f"{path.name} imports {name}"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    pipe_read, pipe_write = os.pipe()
    os.close(pipe_read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "companion", "dev", "schema", "journal"],
            stdout=pipe_write, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(pipe_write)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="/dev/full cannot be written here")
@pytest.mark.parametrize(
    "words", ["--help", "--version", "games --help", "games", "forget", "settings", "dev schema journal"]
)
def test_output_without_room_is_one_sentence(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(words.split()) == 1
    assert capsys.readouterr().err == "companion: can't write the output: No space left on device.\n"


def test_help_to_an_output_that_nobody_reads_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ear, mouth = os.pipe()
    os.close(ear)
    with os.fdopen(mouth, "w", encoding="utf-8") as unheard:
        monkeypatch.setattr(sys, "stdout", unheard)
        assert main(["--help"]) == 0
    assert capsys.readouterr().err == ""


def test_ctrl_c_ends_quietly_with_130() -> None:
    script = (
        "import os, signal, sys; from companion import cli;"
        "from companion.cli import settings as verb;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"  # ignored in a background job
        "verb.run = lambda args, settings: os.kill(os.getpid(), signal.SIGINT);"
        "from companion.__main__ import main; sys.exit(main(['settings']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
    assert signal.SIGINT == 2


def test_main_takes_its_words_from_the_command_line_by_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["companion", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("companion ")


def test_a_settings_file_to_which_an_editor_gave_a_second_ending_is_told(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFIGURATION_DIRECTORY", str(tmp_path))
    (tmp_path / "settings.toml.txt").write_text("[table]\n", encoding="utf-8")
    found = check_settings(Machine(), Settings())
    assert found.what == f"{tmp_path}/settings.toml.txt is not read"
    assert found.fix.startswith("rename it to settings.toml")
    assert f"{found.what}: {found.fix}\n" in companion("settings", "--files").out


def test_a_terminal_that_lacks_a_letter_gets_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(told, encoding="latin-1"))
    assert main(["wiring"]) == 0
    assert b"\\u2013" in told.getvalue()
