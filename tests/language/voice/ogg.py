"""Ogg pages (RFC 3533), as much of them as it takes to give a stream of Opus (RFC 7845) a serial number of
our own and to leave out the hundreds of zeros that libsndfile puts behind its tags.
"""

from __future__ import annotations

from functools import cache

HEADER = 27
SERIAL = slice(14, 18)
CHECKSUM = slice(22, 26)
SEGMENTS = 26
"""Where a page says how many lengths follow its header."""
TAGS = b"OpusTags"
"""How the page begins that names the encoder and may say more."""


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


def rewrite(stream: bytes, serial: int) -> bytes:
    """The same sound under another serial number, without padding behind its tags."""
    out = bytearray()
    at = 0
    while at < len(stream):
        if stream[at : at + 4] != b"OggS":
            raise ValueError(f"No Ogg page at byte {at}")
        begin = at + HEADER + stream[at + SEGMENTS]
        lengths = stream[at + HEADER : begin]
        end = begin + sum(lengths)
        header, body = bytearray(stream[at : at + HEADER]), stream[begin:end]
        if body.startswith(TAGS):
            body = body[: _tags_length(body)]
            lengths = bytes([255] * (len(body) // 255) + [len(body) % 255])
        header[SERIAL] = serial.to_bytes(4, "little")
        header[CHECKSUM] = bytes(4)
        header[SEGMENTS] = len(lengths)
        page = header + lengths + body
        page[CHECKSUM] = checksum(bytes(page)).to_bytes(4, "little")
        out += page
        at = end
    return bytes(out)


def _tags_length(packet: bytes) -> int:
    """How long a packet of tags is before its padding: the encoder's name, then a list of comments."""

    def number(at: int) -> int:
        return int.from_bytes(packet[at : at + 4], "little")

    at = len(TAGS) + 4 + number(len(TAGS))
    comments = number(at)
    at += 4
    for _ in range(comments):
        at += 4 + number(at)
    return at
