"""Settings: which source wins, and how a mistake is told."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.__main__ import main
from companion.core.actions import Options
from companion.core.errors import CompanionError
from companion.settings.check import SettingsError
from companion.settings.files import (
    effective_settings,
    load_settings,
    read_file,
    save_settings,
    settings_files,
    settings_schema,
)
from companion.settings.model import ButtonResolutions, ButtonSettings, Settings
from companion.system.toml_lines import find_key_lines


class Whist(Options, frozen=True):
    """House rules of a game that only these tests know."""

    ruff: Literal["must", "may"] = "may"
    stakes: int = 1
    revoke: Literal["two_tricks", "three_tricks", "nothing"] = "two_tricks"

    def find_conflict(self) -> tuple[str, str] | None:
        return ("ruff", "revoke") if self.ruff == "must" and self.revoke == "nothing" else None


RULES = {"whist": Whist}


def written(folder: Path, text: str, name: str = "settings.toml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def mistakes(folder: Path, text: str) -> str:
    with pytest.raises(SettingsError) as raised:
        load_settings(file=written(folder, text), games=RULES, environ={})
    return str(raised.value)


def test_without_any_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = load_settings(environ={"CONFIGURATION_DIRECTORY": str(tmp_path)}, games=RULES)
    assert settings == Settings()
    assert {origin for _, _, origin in effective_settings(settings, RULES)} == {"default"}


def test_the_command_line_wins_over_environment_machine_user_and_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    machine = written(tmp_path / "etc", '[table]\nlanguage = "de"\nchairs = 7\nname = "club"\n')
    environ = {"CONFIGURATION_DIRECTORY": str(machine.parent), "COMPANION_TABLE_LANGUAGE": "fr"}
    user = settings_files(environ)[-1]
    assert tmp_path in user.parents
    written(user.parent, '[table]\nchairs = 5\nnames = ["Ann"]\n', user.name)
    settings = load_settings(environ=environ, overrides={"table.name": "attic"}, games=RULES)
    assert settings.table.name == "attic"
    assert settings.table.language == "fr"
    assert settings.table.chairs == 7
    assert settings.table.names == ("Ann",)
    assert settings.origins["table.name"] == "command line"
    assert settings.origins["table.language"] == "environment COMPANION_TABLE_LANGUAGE"
    assert settings.origins["table.chairs"] == str(machine)
    assert settings.origins["table.names"] == str(user)


def test_a_named_file_stands_in_for_the_machines_and_the_users(tmp_path: Path) -> None:
    machine = written(tmp_path / "etc", "[sound]\nvolume = 3\n")
    named = written(tmp_path, "[sound]\nmute = true\n", "mine.toml")
    settings = load_settings(
        file=named, environ={"CONFIGURATION_DIRECTORY": str(machine.parent)}, games=RULES
    )
    assert settings.sound.mute
    assert settings.sound.volume == 80


def test_the_environment_may_name_the_file(tmp_path: Path) -> None:
    named = written(tmp_path, "[sound]\nvolume = 3\n")
    assert load_settings(environ={"COMPANION_SETTINGS": str(named)}, games=RULES).sound.volume == 3


def test_a_named_file_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="can't read"):
        load_settings(file=tmp_path / "nowhere.toml", environ={}, games=RULES)


def test_an_unknown_key_names_its_line_and_what_was_meant(tmp_path: Path) -> None:
    said = mistakes(tmp_path, "# our table\n\n[sound]\nmute = true\nvolum = 3\n")
    assert 'settings.toml, line 5: "sound.volum" is not a setting; did you mean "sound.volume"?' in said


def test_an_unknown_section_names_what_was_meant(tmp_path: Path) -> None:
    assert 'did you mean "screen"?' in mistakes(tmp_path, "[scren]\nfullscreen = true\n")


def test_a_key_in_the_wrong_section_names_the_right_one(tmp_path: Path) -> None:
    told = mistakes(tmp_path, "[buttons.pins]\nback = 4\nchairs = 4\n")
    move = "it stands under [buttons.pins]: move it under the line [table], or write that line, too"
    assert f'line 3: "buttons.pins.chairs" is not a setting; {move}.' in told
    told = mistakes(tmp_path, "[buttons.pins]\nback = 4\ntable.chairs = 4\n")
    assert f'"buttons.pins.table" is not a setting; {move}.' in told, "nor by its whole name"


def test_a_wrong_type_is_told_in_words(tmp_path: Path) -> None:
    said = mistakes(tmp_path, '[sound]\nvolume = "loud"\n')
    assert 'line 2: sound.volume must be a whole number from 0 to 100, not "loud".' in said


def test_a_number_out_of_range_is_a_mistake(tmp_path: Path) -> None:
    assert "table.chairs must be a whole number from 2 to 8, not 12" in mistakes(
        tmp_path, "[table]\nchairs = 12"
    )


def test_a_wrong_word_names_the_nearest(tmp_path: Path) -> None:
    said = mistakes(tmp_path, '[camera]\nkind = "ubs"\n')
    assert 'did you mean "usb"?' in said


def test_a_character_that_ends_a_name_is_named_with_its_line(tmp_path: Path) -> None:
    said = mistakes(tmp_path, '[storage]\nfolder = "a\\u0000b"\n')
    assert "line 2: storage.folder contains the character NUL" in said


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    said = mistakes(tmp_path, "[sound]\nvolum = 3\nmute = 1\n[table]\nchairs = 0\n").splitlines()
    assert [line.split(":")[0].rsplit(" ", 1)[1] for line in said] == ["2", "3", "5"]


def test_a_value_where_a_section_belongs_is_a_mistake(tmp_path: Path) -> None:
    assert "sound is a section; write [sound]" in mistakes(tmp_path, "sound = 3\n")


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("language = \u201cde\u201d", 'use straight quotes ", not curly ones'),
        ("chairs\u00a0= 4", "write plain spaces: one here was copied from a page or a text program"),
        ("chairs = 04", "a number has no 0 before it"),
        ("delay = 0,8", "write a dot in a number, not a comma"),
        ('language = "de', "a closing quote is missing"),
        ("language = 'de", "a closing quote is missing"),
        ("language = de", "write a number in digits, and a word in quotes"),
        ("chairs: 4", "between a name and its value belongs ="),
        ("voice = True", "write true or false, in small letters"),
        ('folder = "C:\\Users"', "write / for \\ in a path"),
        ("[buttons", "a closing ] is missing"),
        ("pins = {1 = 17", "a closing } is missing"),
        ("[table]", "this is there twice: keep one, with the lines of both"),
        ("volume = 80 %", "take away what follows the value; a remark begins with #"),
    ],
)
def test_a_slip_of_the_hand_is_told_with_its_line_and_remedy(tmp_path: Path, line: str, remedy: str) -> None:
    said = mistakes(tmp_path, f"[table]\n{line}\nchairs = 4\n")
    assert said.endswith(f"settings.toml, line 2: {remedy}.")


def test_a_file_of_an_old_editor_names_the_line_and_how_to_save_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes('[table]\nchairs = 4\nname = "Küche"\n'.encode("cp1252"))
    with pytest.raises(SettingsError, match=r"settings\.toml, line 3: .* save the file as UTF-8"):
        load_settings(file=file)


def test_a_mistake_in_the_form_names_its_line(tmp_path: Path) -> None:
    assert "settings.toml, line 2: this isn't TOML" in mistakes(tmp_path, "[sound]\nvolume = = 3\n")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[" * 50_000, b"a = " + b"[" * 50_000])
def test_a_foreign_file_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError):
        load_settings(file=path, environ={}, games=RULES)


def test_house_rules_are_checked_against_their_game(tmp_path: Path) -> None:
    said = mistakes(tmp_path, '[rules.whist]\nruf = "must"\nstakes = "high"\n[rules.wist]\n')
    assert 'line 2: "rules.whist.ruf" is not a setting; did you mean "rules.whist.ruff"?' in said
    assert "line 3: rules.whist.stakes must be a whole number" in said
    assert 'line 4: "rules.wist" is not a setting; did you mean "rules.whist"?' in said


def test_house_rules_that_do_not_go_together_are_refused_by_line(tmp_path: Path) -> None:
    told = mistakes(tmp_path, '[rules.whist]\nruff = "must"\nstakes = 2\nrevoke = "nothing"\n')
    assert told == (
        f'{tmp_path}/settings.toml, line 4: rules.whist.revoke = "nothing" does not go with '
        f'rules.whist.ruff = "must" ({tmp_path}/settings.toml, line 2); write "three_tricks" or "two_tricks".'
    )


def test_house_rules_of_two_sources_that_do_not_go_together_name_both(tmp_path: Path) -> None:
    file = written(tmp_path, '[rules.whist]\nrevoke = "nothing"\n')
    with pytest.raises(SettingsError, match=r"settings\.toml, line 2: .* \(command line\)"):
        load_settings(file=file, overrides={"rules.whist.ruff": "must"}, games=RULES, environ={})


def test_house_rules_that_do_not_go_together_are_not_saved(tmp_path: Path) -> None:
    path = written(tmp_path, '[rules.whist]\nruff = "must"\n')
    with pytest.raises(SettingsError, match="does not go with"):
        save_settings(path, {"rules.whist.revoke": "nothing"}, games=RULES)
    assert path.read_text(encoding="utf-8") == '[rules.whist]\nruff = "must"\n'


@pytest.mark.parametrize("second", ["move", "one_each", "none"])
def test_k_t60_four_foxes_of_two_are_refused_by_line(tmp_path: Path, second: str) -> None:
    text = f'[rules.kinapa]\ntwo_liars = "both"\nsecond_liar = "{second}"\n'
    with pytest.raises(
        SettingsError, match=r"line 3: .*second_liar.*two_liars.*line 2\); write \"counters\""
    ):
        load_settings(file=written(tmp_path, text), environ={})


def test_house_rules_keep_their_origin(tmp_path: Path) -> None:
    path = written(tmp_path, '[rules.whist]\nruff = "must"\n')
    settings = load_settings(file=path, environ={"COMPANION_RULES_WHIST_STAKES": "5"}, games=RULES)
    shown = {key: (value, origin) for key, value, origin in effective_settings(settings, RULES)}
    assert shown["rules.whist.ruff"] == ("must", str(path))
    assert shown["rules.whist.stakes"] == (5, "environment COMPANION_RULES_WHIST_STAKES")


def test_a_house_rule_with_one_possible_value_is_read_and_not_shown(tmp_path: Path) -> None:
    written_before = written(tmp_path, '[rules.kabuki]\npenalty = "all_he_has"\n')
    settings = load_settings(file=written_before, environ={})
    assert settings.house_rules("kabuki") == load_settings(environ={}).house_rules("kabuki")
    shown = {key for key, _, _ in effective_settings(settings)}
    assert "rules.kabuki.penalty" not in shown
    assert "rules.kabuki.self_stop" in shown


def test_pins_merge_button_by_button_over_the_files(tmp_path: Path) -> None:
    path = written(tmp_path, "[buttons.pins]\n1 = 5\n2 = 6\nok = 7\n")
    settings = load_settings(file=path, overrides={"buttons.pins.2": "26"}, environ={}, games=RULES)
    assert settings.buttons.pins == {"1": 5, "2": 26, "ok": 7}
    assert settings.origins["buttons.pins.2"] == "command line"


def test_a_ninth_chair_has_no_button(tmp_path: Path) -> None:
    assert "known here: 1, 2, 3, 4, 5, 6, 7, 8, back, next, ok" in mistakes(
        tmp_path, "[buttons.pins]\n9 = 5\n"
    )


def test_a_typo_in_the_environment_is_named() -> None:
    with pytest.raises(SettingsError, match="did you mean COMPANION_SOUND_VOLUME"):
        load_settings(environ={"COMPANION_SOUND_VOLUM": "3"}, games=RULES)


def test_a_wrong_value_in_the_environment_names_the_variable() -> None:
    with pytest.raises(SettingsError, match=r"environment COMPANION_SOUND_MUTE: sound\.mute must be true or"):
        load_settings(environ={"COMPANION_SOUND_MUTE": "perhaps"}, games=RULES)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("sound.mute", "true", True),
        ("sound.volume", "30", 30),
        ("table.name", "12", "12"),
        ("camera.size", "[640, 480]", (640, 480)),
        ("table.names", '["Ann", "Ben"]', ("Ann", "Ben")),
        ("camera.device", "/dev/video0", "/dev/video0"),
    ],
)
def test_bare_text_is_read_by_the_settings_type(key: str, text: str, value: object) -> None:
    settings = load_settings(overrides={key: text}, environ={}, games=RULES)
    assert {name: found for name, found, _ in effective_settings(settings, RULES)}[key] == value


def test_a_table_whose_name_leaves_the_folder_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"table\.name"):
        load_settings(overrides={"table.name": "../elsewhere"}, environ={}, games=RULES)


def test_saving_keeps_comments_order_and_what_is_not_changed(tmp_path: Path) -> None:
    path = written(
        tmp_path, "# our table\n[sound]\nvolume = 3  # the baby sleeps\nmute = true\n\n[table]\nchairs = 6\n"
    )
    save_settings(path, {"sound.volume": 55, "table.language": "de", "sound.mute": None}, games=RULES)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# our table\n[sound]\nvolume = 55  # the baby sleeps\n\n[table]\nchairs = 6\n")
    settings = load_settings(file=path, environ={}, games=RULES)
    assert (settings.sound.volume, settings.sound.mute) == (55, False)
    assert (settings.table.language, settings.table.chairs) == ("de", 6)


def test_saving_makes_sections_and_folders_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"
    save_settings(path, {"rules.whist.ruff": "must", "buttons.pins.1": 5}, games=RULES)
    settings = load_settings(file=path, environ={}, games=RULES)
    assert settings.rules == {"whist": {"ruff": "must"}}
    assert settings.buttons.pins == {"1": 5}


def test_saving_a_wrong_value_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path, "[sound]\nvolume = 3\n")
    with pytest.raises(SettingsError):
        save_settings(path, {"sound.volume": 300}, games=RULES)
    assert path.read_text(encoding="utf-8") == "[sound]\nvolume = 3\n"
    assert [left.name for left in tmp_path.iterdir()] == ["settings.toml"]


def test_saving_where_no_file_can_be_says_so(tmp_path: Path) -> None:
    written(tmp_path, "", "folder")
    with pytest.raises(CompanionError, match="can't write"):
        save_settings(tmp_path / "folder" / "settings.toml", {"sound.volume": 5}, games=RULES)


def test_saving_keeps_the_rights_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    path.chmod(0o640)
    save_settings(path, {"sound.volume": 5}, games=RULES)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@given(volume=st.integers(0, 100), names=st.lists(st.text(max_size=24), max_size=8))
def test_what_was_saved_is_what_is_loaded(
    volume: int, names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("saved") / "settings.toml"
    save_settings(path, {"sound.volume": volume, "table.names": names}, games=RULES)
    settings = load_settings(file=path, environ={}, games=RULES)
    assert (settings.sound.volume, list(settings.table.names)) == (volume, names)


def test_the_schema_accepts_a_good_file_and_refuses_a_typo() -> None:
    printed = json.loads(json.dumps(settings_schema(RULES)))
    jsonschema.Draft202012Validator.check_schema(printed)
    jsonschema.validate({"sound": {"volume": 3}, "rules": {"whist": {"ruff": "may"}}}, printed)
    for wrong in ({"sond": {}}, {"sound": {"volume": 101}}, {"rules": {"wist": {}}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, printed)


def test_a_value_of_several_lines_is_named_by_its_first() -> None:
    text = "[table]\n\n# everybody\nnames = [\n  'a',\n  'b',\n]\nchairs = 4\n"
    assert find_key_lines(text)[("table", "names")] == 4
    assert find_key_lines(text)[("table", "chairs")] == 8
    assert ("table", "colours") not in find_key_lines(text)


def test_reading_a_file_reports_instead_of_raising_on_mistakes(tmp_path: Path) -> None:
    layer = read_file(written(tmp_path, "[sound]\nvolume = 5\nvolum = 3\n"), RULES)
    assert layer.values == {("sound", "volume"): 5}
    assert len(layer.problems) == 1


def test_how_finely_the_buttons_tell_presses_apart_goes_into_the_game() -> None:
    from companion.games.kabuki.rules.model import KabukiOptions

    plain = Settings().house_rules("kabuki")
    assert plain == KabukiOptions(), "the settings' own figures are the rules' own"
    coarse = Settings(buttons=ButtonSettings(resolution_us=ButtonResolutions(gpio=3_000, usb=9_000)))
    rules = coarse.house_rules("kabuki")
    assert isinstance(rules, KabukiOptions)
    assert (rules.gpio_us, rules.usb_us, rules.key_us) == (3_000, 9_000, 16_000)
    told = Settings(buttons=coarse.buttons, rules={"kabuki": {"gpio_us": 500}}).house_rules("kabuki")
    assert isinstance(told, KabukiOptions)
    assert (told.gpio_us, told.usb_us) == (500, 9_000), "a house rule says it for this game alone"


def test_a_key_outside_its_section_is_named_with_it_however_it_is_spelt(tmp_path: Path) -> None:
    said = mistakes(tmp_path, 'language = "en"\nlangauge = "en"\n[sound]\nlangauge = "en"\n')
    assert 'line 1: "language" is not a setting; did you mean "table.language"?' in said
    assert 'line 2: "langauge" is not a setting; did you mean "table.language"?' in said
    assert 'line 4: "sound.langauge" is not a setting; did you mean "table.language"?' in said


def test_of_many_mistakes_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    said = mistakes(tmp_path, "[sound]\n" + "".join(f"k{number} = 1\n" for number in range(1_000)))
    first, *_, last = said.splitlines()
    assert 'line 2: "sound.k0"' in first
    assert last.endswith("and 980 more mistakes; fix these first.")
    assert len(said.splitlines()) == 21


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[sound]\nvolume = " + "9" * 5_000, "line 2 is longer than 1000 characters"),
        ("[sound]\nvolume = " + "9" * 900, "sound.volume must be a whole number from 0 to 100"),
        ("a" + ".a" * 400 + " = 1", "line 1 has more than 40 dots"),
        ("[" * 900, "this isn't TOML"),
        ("a = " + "[" * 900 + "\n" + "[" * 900, "nested too deeply"),
        ("#" * 70_000, "it is larger than 64 kB"),
    ],
)
def test_what_no_settings_file_says_is_refused_in_a_sentence(tmp_path: Path, text: str, why: str) -> None:
    said = mistakes(tmp_path, text)
    assert why in said
    assert len(said) < 400


def test_a_number_of_thousands_of_digits_on_the_command_line_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"sound\.volume must be a whole number from 0 to 100"):
        load_settings(overrides={"sound.volume": "9" * 5_000}, environ={}, games=RULES)


def test_a_file_is_checked_whatever_ails_the_settings_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPANION_SETTINGS", str(written(tmp_path, "x = 1", "broken.toml")))
    good = written(tmp_path, "[sound]\nvolume = 7\n", "good.toml")
    assert main(["settings", "--check", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: 1 setting, no mistakes.\n"
    assert main(["settings"]) == 2
    assert "broken.toml, line 1" in capsys.readouterr().err


@pytest.mark.parametrize("twice", ["[buttons.pins]\n1 = 5\n2 = 5\n", "[buttons.lamps]\n1 = 13\n"])
def test_a_pin_that_is_used_twice_is_a_mistake_of_the_file(
    tmp_path: Path, twice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["settings", "--check", str(written(tmp_path, twice))]) == 2
    assert "line 2: buttons." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "window", "fills"),
    [
        ("", False, True),
        ("", True, False),
        ("size = [800, 480]\n", False, False),
        ("fullscreen = false\n", False, False),
        ("fullscreen = true\nsize = [800, 480]\n", False, True),
        ("fullscreen = true\n", True, False),
    ],
)
def test_play_fills_the_screen_unless_somebody_wants_a_window(
    tmp_path: Path, lines: str, *, window: bool, fills: bool
) -> None:
    settings = load_settings(file=written(tmp_path, f"[screen]\n{lines}"), games=RULES, environ={})
    assert settings.with_full_screen(window=window).screen.fullscreen is fills
    assert Settings().screen.fullscreen is False, "a demo comes in a window"
