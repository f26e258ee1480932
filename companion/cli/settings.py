"""`companion settings`: what is in force and why, the schema, or the check of one file."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.check import Reading, SettingsError
from companion.settings.files import entries, files, read_file, schema
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json


def run_unsettled(args: argparse.Namespace) -> int | None:
    """What looks at files only: another file's mistake is nothing to it."""
    if args.schema:
        say_json(schema())
    elif args.check is not None:
        _check(args.check)
    elif args.files:
        for path in files():
            say(f"{path}{'' if path.exists() else '  (no file)'}")
    else:
        return None
    return 0


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.json:
        listed = {key: {"value": value, "origin": origin} for key, value, origin in entries(settings)}
        say_json(listed)
    else:
        _print_all(settings)
    return 0


def _check(path: Path) -> None:
    layer = read_file(path)
    problems = layer.problems or tuple(_wiring(layer))
    if problems:
        raise SettingsError("\n".join(problems))
    say(f"{path}: {counted(len(layer.values), 'setting')}, no mistakes.")


def _wiring(layer: Reading) -> Iterator[str]:
    """The first pin of this file that cannot be wired so."""
    from hardware.pins import pin_table

    wired = {
        part: {key[2]: bcm for key, bcm in layer.values.items() if key[:2] == ("buttons", part)}
        for part in ("pins", "lamps")
    }
    try:
        pin_table(**wired)
    except InputError as trouble:
        key, _, _ = str(trouble).partition(":")
        yield f"{layer.place(tuple(key.split('.')))}: {trouble}"


def _print_all(settings: Settings) -> None:
    section = ""
    for key, value, origin in entries(settings):
        head, name = key.rsplit(".", 1)
        if head != section:
            say(*([""] if section else []), f"[{head}]")
            section = head
        say(f"{name + ' = ' + json.dumps(value, ensure_ascii=False):<38} # {origin}")
