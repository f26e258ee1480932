"""What docs/voices.md shows can be used as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from companion.language.voice.clips import builtin_clip_folder, read_index
from companion.language.voice.voice_pack import PackIndex
from companion.settings.files import read_file
from tests.languages import LANGUAGES
from tests.programs.speech_engines import load_voice_file

PAGE = (Path(__file__).parents[2] / "docs" / "voices.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("block", blocks("toml"))
def test_the_settings_shown_are_settings_and_name_sounds_that_there_are(block: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(block, encoding="utf-8")
    reading = read_file(file)
    assert not reading.problems
    names = {*read_index(builtin_clip_folder("en")).clips, "count.tick", "count.beep"}
    events = [key[2] for key in reading.values if key[1] == "events"]
    assert all(any(f"{name}.".startswith(f"{event}.") for name in names) for event in events)


def test_the_pack_shown_is_one_and_says_what_the_table_says() -> None:
    (block,) = blocks("json")
    clips = msgspec.json.decode(block, type=PackIndex).clips
    assert {name: one.text for name, one in clips.items()} == {
        name: read_index(builtin_clip_folder("en")).clips[name].text for name in clips
    }


def test_the_voice_that_is_called_chosen_is_the_one_that_is_built_with() -> None:
    chosen = re.findall(r"^\| \w* \| \*\*(.+?)\*\* \|", PAGE, flags=re.MULTILINE)
    assert chosen == [load_voice_file(code).label for code in LANGUAGES]
