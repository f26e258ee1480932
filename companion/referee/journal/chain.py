"""Checksum chain of a journal: each line ends with a checksum over itself and the line before.

So a flipped bit, or a missing, doubled or displaced line, is found at the first line that is wrong.
The chain shows damage, not forgery: a person who changes a game on purpose can rewrite the chain.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256

DIGITS = 16
"""Hexadecimal digits of a checksum: the first 64 bits of SHA-256."""
_KEY, _END = b',"sum":"', b'"}'
_SUM = slice(-DIGITS - len(_END), -len(_END))
_SEAL = len(_KEY) + DIGITS + len(_END)


def add_checksum(line: bytes, before: bytes = b"") -> bytes:
    """The JSON object `line` with its checksum as the last key; `before` is the line before it, if any."""
    body = line[:-1]
    return body + _KEY + sha256(before[_SUM] + body).hexdigest()[:DIGITS].encode() + _END


def strip_checksum(line: bytes, before: bytes = b"") -> bytes | None:
    """The line without its checksum; None if the checksum is wrong or missing."""
    body = line[:-_SEAL] + b"}"
    return body if add_checksum(body, before) == line else None


def rewrite_checksums(lines: Iterable[bytes], was: bytes, now: bytes) -> Iterator[bytes]:
    """The lines after one that `was` and has become `now`, up to the first that is damaged.

    What is damaged stays as it is, so that it is still found.
    """
    for line in lines:
        body = strip_checksum(line, was)
        if body is None:
            return
        was, now = line, add_checksum(body, now)
        yield now
