"""`companion settings`: prints the settings in force or checks a settings file."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from companion.settings.check import SettingsError, SettingsLayer
from companion.settings.files import (
    UNREAD_REMEDY,
    effective_settings,
    find_unread_file,
    read_file,
    settings_files,
    settings_schema,
)
from companion.settings.model import Settings
from companion.system.machine import Machine
from companion.system.terminal import count_with_noun, print_json, print_lines


def run_without_settings(args: argparse.Namespace) -> int | None:
    """What looks at files only: another file's mistake is nothing to it."""
    if args.schema:
        print_json(settings_schema())
    elif args.check is not None:
        _check_file(args.check)
    elif args.files:
        for path in settings_files():
            print_lines(f"{path}{'' if path.exists() else '  (no file)'}")
        if unread := find_unread_file(Machine()):
            print_lines(f"{unread} is not read: {UNREAD_REMEDY}")
    else:
        return None
    return 0


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.json:
        listed = {
            key: {"value": value, "origin": origin} for key, value, origin in effective_settings(settings)
        }
        print_json(listed)
    else:
        _print_settings(settings)
    return 0


def _check_file(path: Path) -> None:
    layer = read_file(path)
    problems = layer.problems or tuple(_find_wiring_faults(layer))
    if problems:
        raise SettingsError("\n".join(problems))
    print_lines(f"{path}: {count_with_noun(len(layer.values), 'setting')}, no mistakes.")


def _find_wiring_faults(layer: SettingsLayer) -> Iterator[str]:
    """The first pin of this file that cannot be wired so."""
    from hardware.pin_table import MOST_CHAIRS, PinSettingError, build_pin_table

    wired = {
        part: {key[2]: bcm for key, bcm in layer.values.items() if key[:2] == ("buttons", part)}
        for part in ("pins", "lamps")
    }
    chairs = layer.values.get(("table", "chairs"), MOST_CHAIRS)
    try:
        build_pin_table(**wired, chairs=chairs)
    except PinSettingError as trouble:
        said = [key for name in trouble.keys if (key := tuple(name.split("."))) in layer.values]
        yield f"{layer.location(said[0])}: {trouble}"


def _print_settings(settings: Settings) -> None:
    section = ""
    for key, value, origin in effective_settings(settings):
        head, name = key.rsplit(".", 1)
        if head != section:
            print_lines(*([""] if section else []), f"[{head}]")
            section = head
        print_lines(f"{name + ' = ' + json.dumps(value, ensure_ascii=False):<38} # {origin}")
