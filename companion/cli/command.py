"""Entry point of the `companion` command, which turns every error into one sentence."""

import argparse
import errno
import gc
import os
import re
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from companion.cli import COMMAND_GROUPS, DEVELOPER_GROUP, CliCommand, load_commands
from companion.core.errors import EXIT_INTERRUPTED, CompanionError, RepeatedFailureError
from companion.games import game_names
from companion.programs.display import is_headless
from companion.programs.log_file import ProgramLog
from companion.settings.files import load_settings, load_settings_or_defaults
from companion.settings.model import Settings
from companion.system.extras import CLUB_PACKAGE, install_command
from companion.system.file_owner import find_foreign_file
from companion.system.machine import program_version
from companion.system.safe_files import MAX_PIXELS
from companion.system.terminal import print_heading, print_lines, print_text, silence_output

DISK_ERROR_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})
"""What writing to a full or failing disk fails with."""
INTERNAL_ERROR_TEXT = "something went wrong inside the program; details are in the log"

PLAIN_ARGPARSE_MESSAGES = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"argument (\S+): invalid int value: (.*)", r"\1 takes a whole number, not \2"),
        (r"argument (\S+): invalid choice: (.*) \(choose from (.*)\)", r"\1 cannot be \2; choose from: \3"),
        (r"argument (\S+): expected (?:one|at least one) argument", r"\1 needs a value"),
        (r"argument (\S+): ignored explicit argument (.*)", r"\1 takes no value such as \2"),
        (r"argument (\S+): (.*)", r"\1: \2"),
        (r"the following arguments are required: (.*)", r"missing: \1"),
        (r"unrecognized arguments: (.*)", r"there is no option or argument \1"),
    )
)
"""What argparse says of a wrong command, and the same as people say it."""

SENTENCE_OPENING = re.compile(r"\A(Game|No|None|Phones|Printing|The|There|This)\b")
"""Words that begin a sentence: behind the program's name it begins small."""
SEAT_OPTIONS = ("--seats", "--players", "--chairs")
"""What commands call the people at a table; each knows one of them."""

DEVELOPER_COMMAND = "dev"
RENAMED_COMMANDS: Mapping[str, str] = MappingProxyType(
    {"misread": "misread", "schema": "schema", "simulate": "simulate"}
)
"""Old names of commands of `companion dev`, which still work."""
OTHER_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "learn": "teach",
        "lesson": "teach",
        "tutorial": "teach",
        "start": "play",
        "run": "play",
        "train": "drill",
    }
)
"""Other words for a command → its name."""
CLUB_COMMANDS = ("desk", "hub")
"""Commands of a package that need not be installed: who types one is told which."""
WORKS_ON_DEFAULTS = frozenset({"doctor", "play", "report"})
"""Commands that go on without the settings files where one has a mistake, and say so."""
CAMERA_THREAD = "camera"
"""What `hardware.camera_worker` calls the thread that captures and reads."""


class _SuggestingParser(argparse.ArgumentParser):
    """An argument parser that says what was probably meant."""

    def error(self, message: str) -> NoReturn:
        said = message
        for pattern, plain in PLAIN_ARGPARSE_MESSAGES:
            if found := pattern.fullmatch(message):
                said = found.expand(plain)
                break
        unknown = message.partition("unrecognized arguments: ")[2].partition(" ")[0].partition("=")[0]
        near = self._suggest_option(unknown)
        takes_words = any(not action.option_strings for action in self._actions)
        dashed = "what begins with a dash goes after --; see" if unknown and takes_words else "see"
        hint = f"did you mean {near}? See" if near else dashed
        print_lines(f"companion: {said}; {hint}: {self.prog} --help", error=True)
        self.exit(2)

    def _suggest_option(self, option: str) -> str:
        """The option of this command that was probably meant; none where that is not plain."""
        shown = (action for action in self._actions if action.help != argparse.SUPPRESS)
        ours = [name for action in shown for name in action.option_strings if name.startswith("--")]
        if option in SEAT_OPTIONS:
            return next((name for name in ours if name in SEAT_OPTIONS), "")
        return next(iter(get_close_matches(option, ours, n=1, cutoff=0.75)), "")

    def print_help(self, file: object = None) -> None:
        """On the terminal's edge: argparse would not tell whether anybody could read it."""
        for line in self.format_help().splitlines():
            if re.fullmatch(r"[A-Z][a-z ]+:?|[a-z]+:", line):
                print_heading(line)
            else:
                print_lines(line)


def run(argv: Sequence[str] | None = None) -> int:
    """Run a command; 0 success, 1 fault, 2 wrong use or file, 130 interrupted."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")  # SIGTERM and Ctrl-C are ours to answer
    # Small matrices: threads of their own cost numpy several times what they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")  # a camera that is not there is told by us
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # and a video that is none
    # OpenCV asks once, while it is loaded; without a limit a small file has it decode 2.4 GB.
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MAX_PIXELS))
    # What is loaded stays: to look through it for garbage again and again makes the start longer.
    gc.set_threshold(10_000, 20, 50)
    _reopen_closed_streams()
    with ProgramLog() as logbook:
        code = _run_reporting_errors(sys.argv[1:] if argv is None else argv, logbook)
    if argv is None:
        _exit_during_recognition(code)
    return code


def _reopen_closed_streams() -> None:
    """An output that the shell closed is none for Python: what is said there goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    while nowhere <= 2:  # a closed one's number would go to the next file that is opened
        nowhere = os.dup(nowhere)
    os.close(nowhere)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _exit_during_recognition(code: int) -> None:
    """End at once where a picture is still being read: a reading may take longer than anybody wants to wait.

    An interpreter that shuts down beside a thread in the middle of OpenCV aborts the process (code -6).
    """
    if any(thread.name == CAMERA_THREAD for thread in threading.enumerate()):
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _run_reporting_errors(argv: Sequence[str], logbook: ProgramLog) -> int:
    """Run the command; whatever ends it early is one sentence, and its traceback is in the log."""
    try:
        return _run_command(argv, logbook)
    except SystemExit as stop:  # argparse has said what there was to say
        return stop.code if isinstance(stop.code, int) else 0
    except RepeatedFailureError as error:
        return _report_error(f"{error} (the log: {logbook.location})")
    except CompanionError as error:
        return _report_error(str(error), error.exit_code)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        silence_output()
        return 0
    except OSError as error:
        place = logbook.log_crash(error)
        if isinstance(error, PermissionError) and error.filename:
            foreign = find_foreign_file(Path(os.fsdecode(error.filename)).absolute().parent)
            if foreign is not None:
                return _report_error(f"{foreign}; {foreign.command} (the log: {place})")
        if error.filename:
            return _report_error(f"{error.filename}: {error.strerror or error} (the log: {place})")
        if error.errno in DISK_ERROR_NUMBERS:
            return _report_error(f"can't write to the disk: {error.strerror} (the log: {place})")
        return _report_error(f"{INTERNAL_ERROR_TEXT}: {place}")
    except ImportError as error:
        place = logbook.log_crash(error)
        return _report_error(
            f"a library doesn't load ({error}); companion doctor says what to do (the log: {place})"
        )
    except Exception as error:  # noqa: BLE001 - the outermost: nobody is shown a traceback
        return _report_error(f"{INTERNAL_ERROR_TEXT}: {logbook.log_crash(error)}")


def _report_error(sentence: str, code: int = CompanionError.exit_code) -> int:
    """Say it; what takes more than a line is set in, so that no part of it passes for another's line."""
    first, *more = SENTENCE_OPENING.sub(lambda word: word[0].lower(), sentence).split("\n")
    print_lines(f"companion: {first}", *(f"  {line.strip()}" for line in more), error=True)
    return code


def _run_command(argv: Sequence[str], logbook: ProgramLog) -> int:
    known = {command.name: command for command in load_commands()}
    args = _main_parser(known.values()).parse_args(argv)
    if args.version:
        print_lines(f"companion {program_version()}")
        return 0
    if args.command is None and is_headless():
        print_lines("No display, so no window. What works without one:", "")
        _main_parser(known.values()).print_help()
        return 0
    if args.command and [args.command, "--", *args.rest] == list(argv)[-len(args.rest) - 2 :]:
        args.rest.insert(0, "--")  # which argparse takes for its own
    name, rest = _resolve_command(args.command or "play", args.rest)
    if name == DEVELOPER_COMMAND and rest in ([], ["-h"], ["--help"]):
        _dev_parser(known.values()).print_help()
        return 0
    command = known.get(name)
    if command is None and name in CLUB_COMMANDS:
        install = install_command("hub", package=CLUB_PACKAGE)
        raise CompanionError(f"The command {name} is in the package {CLUB_PACKAGE}: {install}")
    if command is None:
        close = [OTHER_WORDS[name]] if name in OTHER_WORDS else get_close_matches(name, known, n=1)
        parent = f"companion {DEVELOPER_COMMAND}" if name.startswith(DEVELOPER_COMMAND) else "companion"
        hint = f"did you mean {close[0]!r}?" if close else f"see: {parent} --help"
        print_lines(f"companion: there is no command {name!r}; {hint}", error=True)
        return 2
    args.command, args.rest = name, rest
    logbook.set_verbosity(verbose=args.verbose)
    parser = _command_parser(command)
    # Options may also stand between a command's words, but argparse loses a -- there.
    parse = parser.parse_args if "--" in args.rest else parser.parse_intermixed_args
    wanted = parse(args.rest, namespace=args)
    run, run_without_settings = command.load()
    if run_without_settings is not None and (code := run_without_settings(wanted)) is not None:
        return code
    overrides = dict(args.set)
    if args.table is not None:
        overrides["table.name"] = args.table
    load = load_settings_or_defaults if name in WORKS_ON_DEFAULTS else load_settings
    settings = load(file=args.settings, overrides=overrides)
    logbook.folder = settings.store_folder
    return run(wanted, settings)


def _resolve_command(command: str, rest: list[str]) -> tuple[str, list[str]]:
    """The command's whole name and what follows it; an old name is told what it is called now."""
    if command in RENAMED_COMMANDS:
        name = f"{DEVELOPER_COMMAND} {RENAMED_COMMANDS[command]}"
        print_lines(f"companion: {command!r} is now: companion {name}", error=True)
        return name, rest
    if command == DEVELOPER_COMMAND and rest and not rest[0].startswith("-"):
        return f"{DEVELOPER_COMMAND} {rest[0]}", rest[1:]
    return command, rest


def _format_command_list(known: Iterable[CliCommand], group: str) -> str:
    """The commands of a group, in their order of use."""
    ours = sorted((command for command in known if group == command.group), key=lambda command: command.name)
    widest = max((len(command.name) for command in ours), default=0)
    return "".join(f"  {command.name:<{max(widest, 11)}}  {command.help}\n" for command in ours)


def _main_parser(known: Iterable[CliCommand]) -> argparse.ArgumentParser:
    every = list(known)
    parser = _SuggestingParser(
        prog="companion",
        usage="companion [--settings FILE] [--table NAME] [--set KEY=VALUE] [--verbose] COMMAND …",
        description="A referee for real card games at a real table. Without a command it opens its window.",
        epilog="".join(f"{group}:\n{_format_command_list(every, group)}\n" for group in COMMAND_GROUPS)
        + "Help for one command: companion COMMAND --help\n"
        + f"For those who work on the program: companion {DEVELOPER_COMMAND}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_common_options(parser)
    parser.add_argument("command", metavar="COMMAND", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    """What goes before the command."""
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--settings", metavar="FILE", type=Path, help="use this settings file and no other")
    parser.add_argument("--table", metavar="NAME", help="use another table, which has its own games")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        type=_parse_key_value,
        action="append",
        default=[],
        help="change one setting for this run",
    )
    parser.add_argument("--verbose", action="store_true", help="log what each part does")


def _dev_parser(known: Iterable[CliCommand]) -> argparse.ArgumentParser:
    return _SuggestingParser(
        prog=f"companion {DEVELOPER_COMMAND}",
        usage=f"companion {DEVELOPER_COMMAND} COMMAND …",
        description="For those who work on the program.",
        epilog=f"{DEVELOPER_GROUP}:\n{_format_command_list(known, DEVELOPER_GROUP)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )


def _command_parser(command: CliCommand) -> argparse.ArgumentParser:
    parser = _SuggestingParser(
        prog=f"companion {command.name}",
        description=command.help,
        epilog="examples:\n" + "".join(f"  {example}\n" for example in format_examples(command)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return parser


def format_examples(command: CliCommand) -> tuple[str, ...]:
    """Whole commands that can be typed as they stand."""
    game = next(iter(game_names()), "GAME")
    return tuple(example.replace("GAME", game) for example in command.examples)


def build_full_parser() -> argparse.ArgumentParser:
    """Every command in one parser, for what completes them; a run makes only the one it needs."""
    parser = argparse.ArgumentParser(prog="companion")
    _add_common_options(parser)
    commands = parser.add_subparsers()
    developers = commands.add_parser(
        DEVELOPER_COMMAND, help="for those who work on the program"
    ).add_subparsers()
    for command in load_commands():
        first, _, second = command.name.partition(" ")
        made = developers.add_parser(second, help=command.help) if second else None
        command.add_arguments(made or commands.add_parser(first, help=command.help))
    return parser


def _parse_key_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise argparse.ArgumentTypeError(f"{text!r} isn't KEY=VALUE; write it like sound.volume=50")
    return key.strip(), value.strip()


HEADER_PATTERN = re.compile(r"^(# .*\n)+", flags=re.MULTILINE)
"""What the library says of itself: another place than bash looks in."""
INSTALL_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "bash": "Keep it as ~/.local/share/bash-completion/completions/companion: new shells find it there.",
        "zsh": "Keep it as _companion in a folder of $fpath.",
        "fish": "Keep it as ~/.config/fish/completions/companion.fish: a new shell finds it there.",
    }
)


def completion_command(args: argparse.Namespace, settings: Settings) -> int:
    """Print the completion for one shell. Raises `CompanionError` where shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise CompanionError(f"This needs the library shtab: {install_command('completion')}") from None

    parser = build_full_parser()
    _set_completers(parser, shtab.FILE)
    made: str = shtab.complete(parser, args.shell)
    print_text(HEADER_PATTERN.sub(f"# {INSTALL_HINTS[args.shell]}\n", made, count=1))
    return 0


def _set_completers(parser: argparse.ArgumentParser, files: object) -> None:
    """Paths are completed by `files` and games by their names, those of every command too."""
    for action in parser._actions:  # noqa: SLF001 (argparse tells nobody else)
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]  # as shtab's manual has it
        elif action.metavar == "GAME" and action.type is None:
            action.choices = game_names()
        elif isinstance(action.choices, dict):
            for part in action.choices.values():
                _set_completers(part, files)
