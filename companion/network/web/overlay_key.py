"""Secret key of the stream overlay's address, revoked by making another."""

import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from companion.core.errors import CompanionError
from companion.system.atomic_files import atomic_write

KEY_FILE = "overlay.key"
"""The file in the page's own folder (`StateDirectory` in `systemd/companion-page.service`)."""
KEY_BYTES = 16
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")
MAX_DELAY_S = 60


class OverlayKeyError(CompanionError):
    """The key cannot be read or written."""


class OverlayKey:
    """The one key that is valid now. In a folder it outlives the page, and another process may replace it."""

    def __init__(self, folder: Path | None = None) -> None:
        """Without a `folder` the key lasts as long as this object."""
        self._file = None if folder is None else folder / KEY_FILE
        self._stamp: tuple[int, int] | None = None
        self._key = ""
        self._read()
        if not self._key:
            self.renew()

    @property
    def key(self) -> str:
        """The key as it is in the file now; empty once it was taken away."""
        self._read()
        return self._key

    def matches(self, key: str) -> bool:
        """Whether this is the valid key, compared in constant time."""
        valid = self.key
        return bool(valid) and hmac.compare_digest(key.encode(), valid.encode())

    def renew(self) -> str:
        """Make another key; every overlay that was opened with the one before goes dark.

        Raises `OverlayKeyError` if it cannot be saved.
        """
        self._key = secrets.token_hex(KEY_BYTES)
        if self._file is not None:
            try:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with atomic_write(self._file, mode=0o600) as new:
                    new.write(f"{self._key}\n".encode())
                    if os.geteuid() == 0:  # root made it for the page, which reads it as a user of its own
                        owner = self._file.parent.stat()
                        os.fchown(new.fileno(), owner.st_uid, owner.st_gid)
            except OSError as trouble:
                raise OverlayKeyError(
                    f"can't save the overlay's key in {self._file.parent} ({trouble.strerror})"
                ) from trouble
            self._stamp = self._file_stamp()
        return self._key

    def _read(self) -> None:
        """Read the file again if it is another than before."""
        if self._file is None or (stamp := self._file_stamp()) == self._stamp:
            return
        self._stamp, self._key = stamp, ""
        with suppress(OSError, UnicodeDecodeError):
            found = self._file.read_text(encoding="ascii").strip()
            self._key = found if KEY_PATTERN.fullmatch(found) else ""

    def _file_stamp(self) -> tuple[int, int] | None:
        assert self._file is not None
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns
