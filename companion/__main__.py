"""The command `companion`: finds the verb, loads the settings, and turns every error into one sentence."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from companion.about import program_version
from companion.cli import Verb, verbs
from companion.errors import CompanionError
from companion.settings_files import load

INTERRUPTED = 130
"""128 + SIGINT, as shells count."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that says what was probably meant."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; 0 well, 1 fault, 2 wrong use or file, 130 interrupted."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")  # SIGTERM and Ctrl-C are ours to answer
    # Small matrices: threads of their own cost numpy several times what they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            return _run(sys.argv[1:] if argv is None else argv)
        except SystemExit as stop:  # argparse has said what there was to say
            return stop.code if isinstance(stop.code, int) else 0
        finally:
            sys.stdout.flush()
    except CompanionError as error:
        sys.stderr.write(f"companion: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _output_ends()
        return 0
    except OSError as error:
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        _output_ends()
        what = f"{error.filename}: " if error.filename else "the output cannot be written: "
        sys.stderr.write(f"companion: {what}{error.strerror or error} (--verbose tells where)\n")
        return CompanionError.exit_code


def _output_ends() -> None:
    """Nobody takes our output any more: the interpreter must not try to flush it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
    known = {verb.NAME: verb for verb in verbs()}
    args = _parser(known.values()).parse_args(argv)
    if args.verb is None:
        _parser(known.values()).print_help()
        return 0
    verb = known.get(args.verb)
    if verb is None:
        close = get_close_matches(args.verb, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see: companion --help"
        sys.stderr.write(f"companion: there is no verb {args.verb!r}; {hint}\n")
        return 2
    _log_to_stderr(verbose=args.verbose)
    wanted = _verb_parser(verb).parse_args(args.rest, namespace=args)
    overrides = dict(args.set)
    if args.table is not None:
        overrides["table.name"] = args.table
    return verb.run(wanted, load(file=args.settings, overrides=overrides))


def _parser(known: Iterable[Verb]) -> argparse.ArgumentParser:
    listed = sorted(known, key=lambda verb: verb.NAME)
    widest = max((len(verb.NAME) for verb in listed), default=0)
    parser = _Parser(
        prog="companion",
        usage="companion [--settings FILE] [--table NAME] [--set KEY=VALUE] [--verbose] VERB …",
        description="A referee for real card games at a real table.",
        epilog="verbs:\n"
        + "".join(f"  {verb.NAME:<{widest}}  {verb.HELP}\n" for verb in listed)
        + "\nHelp for a verb: companion VERB --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"companion {program_version()}")
    parser.add_argument("--settings", metavar="FILE", type=Path, help="read this settings file, no other")
    parser.add_argument("--table", metavar="NAME", help="another table: its games are another store")
    parser.add_argument(
        "--set", metavar="KEY=VALUE", type=_pair, action="append", default=[], help="one setting for this run"
    )
    parser.add_argument("--verbose", action="store_true", help="log what the parts do")
    parser.add_argument("verb", metavar="VERB", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _verb_parser(verb: Verb) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"companion {verb.NAME}", description=verb.HELP, allow_abbrev=False)
    verb.add_arguments(parser)
    return parser


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key.strip() and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, such as sound.volume=50")
    return key.strip(), value.strip()


class _PriorityPrefix(logging.Formatter):
    """Puts systemd's `<N>` before a record; journald takes it as the priority."""

    def format(self, record: logging.LogRecord) -> str:
        priority = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4}.get(record.levelno, 3)
        return f"<{priority}>{super().format(record)}"


def _log_to_stderr(*, verbose: bool) -> None:
    handler = logging.StreamHandler()
    form = "%(name)s: %(message)s"
    under_systemd = "JOURNAL_STREAM" in os.environ
    handler.setFormatter(_PriorityPrefix(form) if under_systemd else logging.Formatter(form))
    logging.basicConfig(level=logging.DEBUG if verbose else logging.WARNING, handlers=[handler])


if __name__ == "__main__":
    raise SystemExit(main())
