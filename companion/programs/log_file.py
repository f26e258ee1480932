"""Sends the program's log to systemd's journal or to a file beside the games.

A terminal gets warnings as sentences and never a traceback; a log that cannot be written stops nobody.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from companion.system.terminal import shorten_text, to_printable

MAX_FILE_SIZE = 1 << 20
OLD_FILES = 3
"""Files beside the newest."""
FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
SHORT = "%(name)s: %(message)s"
ESCAPED = "companion.escaped"
"""Logs what ends the program; the command itself says it on the terminal."""
JOURNAL = "journalctl -u companion"


def is_journal_stream(environ: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> bool:
    """Whether what is written to stderr goes to systemd's journal; a terminal may inherit the variable."""
    try:
        found = os.fstat((stream or sys.stderr).fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


class ProgramLog:
    """The log of one run. Opened before anything else; nothing is written until there is something to say."""

    def __init__(self) -> None:
        self.folder: Callable[[], Path] = _default_folder
        """Where the file goes; the settings know better than the default, once they are read."""
        self._journal = is_journal_stream()
        self._file = _LogFile(self._log_path)
        self._before: tuple[Any, Any, bool] | None = None

    def __enter__(self) -> ProgramLog:
        self._before = threading.excepthook, sys.unraisablehook, logging.raiseExceptions
        logging.raiseExceptions = False  # the logging module prints its own tracebacks otherwise
        threading.excepthook, sys.unraisablehook = _log_thread_failure, _log_unraisable
        if not self._journal:
            logging.getLogger().addHandler(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            threading.excepthook, sys.unraisablehook, logging.raiseExceptions = self._before
        logging.getLogger().removeHandler(self._file)
        self._file.close()

    def set_verbosity(self, *, verbose: bool) -> None:
        """Warnings, or everything, to the terminal or the journal."""
        handler: logging.Handler = logging.StreamHandler()
        if self._journal:
            handler.setFormatter(_PriorityPrefix(SHORT))
        else:
            handler.setFormatter(_OneLineFormatter(SHORT, lambda: self.location))
            handler.addFilter(lambda record: record.name != ESCAPED)
        root = logging.getLogger()
        if not [known for known in root.handlers if known is not self._file]:
            root.addHandler(handler)
            root.setLevel(logging.DEBUG if verbose else logging.WARNING)

    def log_crash(self, error: BaseException) -> str:
        """What ends the program goes into the log with its traceback; where that is."""
        logging.getLogger(ESCAPED).error("The program ended", exc_info=error)
        return self.location

    def _log_path(self) -> Path:
        return self.folder()

    @property
    def location(self) -> str:
        """Where somebody finds the log."""
        return JOURNAL if self._journal else self._file.place


class _LogFile(logging.Handler):
    """A file that is opened with its first record, for nobody else to read; full, it is put aside."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        super().__init__()
        self._folder = folder
        self._opened: RotatingFileHandler | None = None

    @property
    def place(self) -> str:
        return str(self._folder() / "log") if self._opened is None else self._opened.baseFilename

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):
            self._opened = self._opened or self._open()
            self._opened.emit(record)

    def _open(self) -> RotatingFileHandler:
        from companion.system.file_owner import make_folder

        try:
            folder = self._folder()
            make_folder(folder)
            opened = _PrivateLogFile(
                folder / "log", maxBytes=MAX_FILE_SIZE, backupCount=OLD_FILES, encoding="utf-8"
            )
        except OSError:  # no room, or not ours: elsewhere, and the place is named
            handle, name = tempfile.mkstemp(prefix="companion-", suffix=".log")
            os.close(handle)
            opened = _PrivateLogFile(name, encoding="utf-8")
        opened.setFormatter(logging.Formatter(FORM))
        return opened

    def close(self) -> None:
        if self._opened is not None:
            with suppress(OSError):  # what a full disk has no room for is lost
                self._opened.close()
        super().close()


class _PrivateLogFile(RotatingFileHandler):
    """Only the owner of its folder reads it, also where root writes it."""

    def _open(self) -> TextIOWrapper:
        from companion.system.file_owner import private_file

        with private_file(Path(self.baseFilename)):
            return open(self.baseFilename, "a", encoding="utf-8", opener=_open_private)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class _OneLineFormatter(logging.Formatter):
    """One line; where there is more to read, it says where."""

    def __init__(self, form: str, place: Callable[[], str]) -> None:
        super().__init__(form)
        self._place = place

    def format(self, record: logging.LogRecord) -> str:
        bare = {**record.__dict__, "exc_info": None, "exc_text": None, "stack_info": None}
        line = shorten_text(to_printable(super().format(logging.makeLogRecord(bare))))
        return f"{line} (the log: {self._place()})" if record.exc_info else line


class _PriorityPrefix(logging.Formatter):
    """Puts systemd's `<N>` before each line of a record; journald takes it as the priority."""

    def format(self, record: logging.LogRecord) -> str:
        priority = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4}.get(record.levelno, 3)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())


def _default_folder() -> Path:
    from companion.settings.model import Settings

    return Settings().store_folder()


def _log_thread_failure(args: threading.ExceptHookArgs) -> None:
    from companion.system.fault_isolation import log_thread_failure

    log_thread_failure(args)


def _log_unraisable(args: Any) -> None:
    """What was raised where nobody could catch it: in a destructor, at the end of the program."""
    with suppress(Exception):
        logging.getLogger(ESCAPED).error("Ignored in %r", args.object, exc_info=args.exc_value)
