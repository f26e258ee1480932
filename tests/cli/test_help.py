"""What `companion --help` says of every command and every argument."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest

from companion.cli import COMMAND_GROUPS, CliCommand, load_commands
from companion.cli.command import (
    _command_parser,
    _dev_parser,
    _main_parser,
    _resolve_command,
    format_examples,
)
from tests.language.test_words import BANS

KNOWN = {verb.name: verb for verb in load_commands()}
WIDE = 80
"""Signs of a line of the list; a terminal is rarely narrower than a hundred."""
each_verb = pytest.mark.parametrize("verb", KNOWN.values(), ids=KNOWN)


def arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument, those of parts such as `dev schema` too; a part itself is listed with its help."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from arguments(part)
        else:
            yield action


@each_verb
def test_every_argument_says_what_it_is_for(verb: CliCommand) -> None:
    assert verb.load()
    assert [action.dest for action in arguments(_command_parser(verb)) if not action.help] == []


@each_verb
def test_a_command_says_in_a_few_words_what_it_does(verb: CliCommand) -> None:
    assert len(verb.help) <= WIDE, verb.help
    assert ";" not in verb.help


@each_verb
def test_every_command_is_listed_once_where_people_look_for_it(verb: CliCommand) -> None:
    listed = _main_parser(KNOWN.values()).format_help(), _dev_parser(KNOWN.values()).format_help()
    assert [page.count(f"\n  {verb.name} ") for page in listed] == (
        [0, 1] if verb.name.startswith("dev ") else [1, 0]
    )


@each_verb
def test_every_command_shows_examples_that_are_understood(verb: CliCommand) -> None:
    assert verb.examples
    for example in format_examples(verb):
        assert f"\n  {example}\n" in _command_parser(verb).format_help()
        words = shlex.split(example.removeprefix("sudo ").partition(" > ")[0])[1:]
        args = _main_parser(KNOWN.values()).parse_args(words)
        name, rest = _resolve_command(args.command, args.rest)
        assert name == verb.name
        _command_parser(verb).parse_args(rest)


@each_verb
def test_the_help_is_said_as_people_speak(verb: CliCommand) -> None:
    said = " ".join(_command_parser(verb).format_help().split())
    assert [ban.why for ban in BANS["en"] if not ban.keys and re.search(ban.pattern, said)] == []


def test_the_list_of_commands_calls_them_commands() -> None:
    said = _main_parser(KNOWN.values()).format_help()
    assert all(f"\n{group}:\n" in said for group in COMMAND_GROUPS)
    assert "verb" not in said.lower().replace("--verbose", "")


@pytest.mark.parametrize("paper", ["Letter", "letter", "LETTER"])
def test_a_choice_is_taken_in_any_case(paper: str) -> None:
    assert _command_parser(KNOWN["print"]).parse_args(["--paper", paper]).paper == "Letter"
