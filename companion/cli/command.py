"""The command `companion`: finds the verb, loads the settings, and turns every error into one sentence."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from companion.appliance.machine import program_version
from companion.cli import Unsettled, Verb, verbs
from companion.core.errors import INTERRUPTED, CompanionError, Stopped
from companion.core.strangers import MOST_PIXELS
from companion.run.logbook import Logbook
from companion.settings.files import load
from companion.settings.terminal import nobody_hears, say

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})
"""What writing to a full or failing disk fails with."""
NEVER = "something went wrong inside the program; details are in the log"

PLAINLY = tuple(
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

CAMERA_THREAD = "camera"
"""What `hardware.camera_worker` calls the thread that captures and reads."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that says what was probably meant."""

    def error(self, message: str) -> NoReturn:
        said = message
        for pattern, plain in PLAINLY:
            if found := pattern.fullmatch(message):
                said = found.expand(plain)
                break
        say(f"companion: {said}; see: {self.prog} --help", error=True)
        self.exit(2)

    def print_help(self, file: object = None) -> None:
        """On the terminal's edge: argparse would not tell whether anybody could read it."""
        say(*self.format_help().splitlines())


def run(argv: Sequence[str] | None = None) -> int:
    """Run one verb; 0 success, 1 fault, 2 wrong use or file, 130 interrupted."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")  # SIGTERM and Ctrl-C are ours to answer
    # Small matrices: threads of their own cost numpy several times what they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")  # a camera that is not there is told by us
    # OpenCV asks once, while it is loaded; without a limit a small file has it decode 2.4 GB.
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
    _open_streams()
    with Logbook() as logbook:
        code = _told(sys.argv[1:] if argv is None else argv, logbook)
    if argv is None:
        _end_beside_a_reading(code)
    return code


def _open_streams() -> None:
    """An output that the shell closed is none for Python: what is said there goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    while nowhere <= 2:  # a closed one's number would go to the next file that is opened
        nowhere = os.dup(nowhere)
    os.close(nowhere)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _end_beside_a_reading(code: int) -> None:
    """End at once where a picture is still being read: a reading may take longer than anybody wants to wait.

    An interpreter that shuts down beside a thread in the middle of OpenCV aborts the process (code -6).
    """
    if any(thread.name == CAMERA_THREAD for thread in threading.enumerate()):
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _told(argv: Sequence[str], logbook: Logbook) -> int:
    """Run the verb; whatever ends it early is one sentence, and its traceback is in the log."""
    try:
        return _run(argv, logbook)
    except SystemExit as stop:  # argparse has said what there was to say
        return stop.code if isinstance(stop.code, int) else 0
    except Stopped as error:
        return _end(f"{error} (the log: {logbook.place})")
    except CompanionError as error:
        return _end(str(error), error.exit_code)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        nobody_hears()
        return 0
    except OSError as error:
        place = logbook.keep(error)
        if error.filename:
            return _end(f"{error.filename}: {error.strerror or error} (the log: {place})")
        if error.errno in NO_ROOM:
            return _end(f"can't write to the disk: {error.strerror} (the log: {place})")
        return _end(f"{NEVER}: {place}")
    except Exception as error:  # noqa: BLE001 - the outermost: nobody is shown a traceback
        return _end(f"{NEVER}: {logbook.keep(error)}")


def _end(sentence: str, code: int = CompanionError.exit_code) -> int:
    """Say it; what takes more than a line is set in, so that no part of it passes for another's line."""
    first, *more = sentence.split("\n")
    say(f"companion: {first}", *(f"  {line.strip()}" for line in more), error=True)
    return code


def _run(argv: Sequence[str], logbook: Logbook) -> int:
    known = {verb.NAME: verb for verb in verbs()}
    args = _parser(known.values()).parse_args(argv)
    if args.version:
        say(f"companion {program_version()}")
        return 0
    if args.verb is None:
        _parser(known.values()).print_help()
        return 0
    verb = known.get(args.verb)
    if verb is None:
        close = get_close_matches(args.verb, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see: companion --help"
        say(f"companion: there is no command {args.verb!r}; {hint}", error=True)
        return 2
    logbook.tell(verbose=args.verbose)
    wanted = _verb_parser(verb).parse_args(args.rest, namespace=args)
    if isinstance(verb, Unsettled) and (code := verb.run_unsettled(wanted)) is not None:
        return code
    overrides = dict(args.set)
    if args.table is not None:
        overrides["table.name"] = args.table
    settings = load(file=args.settings, overrides=overrides)
    logbook.folder = settings.store_folder
    return verb.run(wanted, settings)


def _parser(known: Iterable[Verb]) -> argparse.ArgumentParser:
    listed = sorted(known, key=lambda verb: verb.NAME)
    widest = max((len(verb.NAME) for verb in listed), default=0)
    parser = _Parser(
        prog="companion",
        usage="companion [--settings FILE] [--table NAME] [--set KEY=VALUE] [--verbose] COMMAND …",
        description="A referee for real card games at a real table.",
        epilog="commands:\n"
        + "".join(f"  {verb.NAME:<{widest}}  {verb.HELP}\n" for verb in listed)
        + "\nHelp for one command: companion COMMAND --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--settings", metavar="FILE", type=Path, help="use this settings file and no other")
    parser.add_argument("--table", metavar="NAME", help="use another table, which has its own games")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        type=_pair,
        action="append",
        default=[],
        help="change one setting for this run",
    )
    parser.add_argument("--verbose", action="store_true", help="log what each part does")
    parser.add_argument("verb", metavar="COMMAND", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _verb_parser(verb: Verb) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"companion {verb.NAME}", description=verb.HELP, allow_abbrev=False)
    verb.add_arguments(parser)
    return parser


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise argparse.ArgumentTypeError(f"{text!r} isn't KEY=VALUE; write it like sound.volume=50")
    return key.strip(), value.strip()
