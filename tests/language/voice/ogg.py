"""Ogg pages (RFC 3533): as much of them as it takes to give a stream a serial number of our own."""

from __future__ import annotations

from functools import cache

HEADER = 27
SERIAL = slice(14, 18)
CHECKSUM = slice(22, 26)
SEGMENTS = 26
"""Where a page says how many lengths follow its header."""


@cache
def _table() -> tuple[int, ...]:
    """The checksum of every byte: polynomial 0x04c11db7, most significant bit first."""
    entries = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x04C11DB7 if value & 0x80000000 else 0)
        entries.append(value & 0xFFFFFFFF)
    return tuple(entries)


def checksum(page: bytes) -> int:
    """A page's checksum, its own field taken as zero."""
    table, value = _table(), 0
    for byte in page:
        value = ((value << 8) & 0xFFFFFFFF) ^ table[(value >> 24) ^ byte]
    return value


def with_serial(stream: bytes, serial: int) -> bytes:
    """The same stream under another serial number."""
    out = bytearray()
    at = 0
    while at < len(stream):
        if stream[at : at + 4] != b"OggS":
            raise ValueError(f"No Ogg page at byte {at}")
        lengths = stream[at + HEADER : at + HEADER + stream[at + SEGMENTS]]
        end = at + HEADER + len(lengths) + sum(lengths)
        page = bytearray(stream[at:end])
        page[SERIAL] = serial.to_bytes(4, "little")
        page[CHECKSUM] = bytes(4)
        page[CHECKSUM] = checksum(bytes(page)).to_bytes(4, "little")
        out += page
        at = end
    return bytes(out)
