"""Command-line interface: the commands are listed in `commands.toml`.

Other packages add commands by the entry points `companion.commands`: each is a package like this one.

A command is a function `(args, settings)` that returns the exit code: `run` in the module of its name, or, in
the `module` that it shares with others, its name with `_command` behind it. It raises a `CompanionError`, or
an `InputError` for an argument that cannot be; `cli.command` prints that one sentence. A module may have
`run_without_settings(args)`, which is asked before any settings are read: it does what settings do not
concern, or returns None. A module is imported when its command is given.
"""

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module, resources
from pathlib import Path
from typing import Any, NamedTuple

from companion.settings.model import known_languages
from companion.system.extras import load_extensions

COMMAND_GROUPS = ("Play", "Set up", "Look back", "Maintain")
"""How the commands are listed."""
DEVELOPER_GROUP = "Develop"
"""The group of those that are listed by `companion dev`."""
COMMANDS_GROUP = "companion.commands"


class CliCommand(NamedTuple):
    """A command, as `commands.toml` has it."""

    name: str
    """What is typed after `companion`: one word, or `dev` and one more."""
    group: str
    """One of `COMMAND_GROUPS`, or `DEVELOPER_GROUP`."""
    help: str
    examples: tuple[str, ...]
    """Whole commands that people often want; GAME stands for the first that is installed."""
    arguments: Mapping[str, str | Mapping[str, Any]]
    either: tuple[str, ...] = ()
    """Arguments of which only one may be given."""
    package: str = __name__
    """The package in which its module is."""
    module: str = ""
    """The module that it shares with other commands; empty: it has one of its own name."""

    def load(self) -> tuple[Callable[..., int], Callable[..., int | None] | None]:
        """What it does, and what it does before settings are read, if anything."""
        stem = self.name.replace(" ", "_")
        module = import_module(f"{self.package}.{self.module or stem}")
        if self.module:
            return getattr(module, f"{stem}_command"), None
        return module.run, getattr(module, "run_without_settings", None)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        one_of = parser.add_mutually_exclusive_group() if self.either else parser
        for name, words in self.arguments.items():
            (one_of if name in self.either else parser).add_argument(name, **_to_argparse_options(words))


def load_commands() -> Iterator[CliCommand]:
    """Every command, in the order of `commands.toml`; then those of other packages."""
    for package in (sys.modules[__name__], *load_extensions(COMMANDS_GROUP).values()):
        source = resources.files(package).joinpath("commands.toml").read_text(encoding="utf-8")
        for name, fields in tomllib.loads(source).items():
            yield CliCommand(name, package=package.__name__, **fields)


def parse_size(text: str) -> tuple[int, int]:
    """A window's size, (width, height) in pixels; `ArgumentTypeError` if it is none or too small."""
    width, x, height = text.partition("x")
    if not (x and width.isdigit() and height.isdigit() and min(int(width), int(height)) >= 240):
        raise argparse.ArgumentTypeError("write a size like 1280x720, each side at least 240")
    return int(width), int(height)


def parse_port(text: str) -> int:
    """A port to serve at, 0 for any that is free; `ArgumentTypeError` if it is none."""
    if not (text.isdecimal() and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"there is no port {text}; name one from 1024 to 65535")
    return int(text)


def parse_path(text: str) -> Path:
    """A file or folder; `ArgumentTypeError` for an empty name, which to `Path` is the folder one is in."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


_TYPES: Mapping[str, Any] = {
    "float": float,
    "int": int,
    "path": parse_path,
    "port": parse_port,
    "size": parse_size,
}


def _to_argparse_options(words: str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(words, str):
        return {"action": "store_true", "help": words}
    options = {"help": argparse.SUPPRESS} | dict(words)
    if "type" in options:
        options["type"] = _TYPES[options["type"]]
    if options.get("choices") == "languages":
        options["choices"] = known_languages()
    if "choices" in options:
        options["type"] = _match_choice(options["choices"])
    return options


def _match_choice(choices: Iterable[str]) -> Callable[[str], str]:
    """The choice in any case; another word as it is."""
    known = {choice.lower(): choice for choice in choices}
    return lambda text: known.get(text.lower(), text)
