"""Search and removal of players' names in stored headers of any format."""

from typing import Any

import msgspec

from companion.referee.journal.codec import DECODE_ERRORS, add_checksum, json_line, strip_checksum
from companion.referee.journal.entry import JOURNAL_FORMAT, Header
from companion.referee.name_search import contains_name, is_same_name, remove_name

KEYS_WITHOUT_NAMES = frozenset(
    {"format", "game", "setup", "kind", "date", "software", "language", "seed", "sum"}
)
"""Keys of a header that never contain names, in future formats either."""


def is_known_format(raw: bytes) -> bool:
    """Whether this program knows where a header of this format contains names."""
    try:
        plain = msgspec.json.decode(raw, type=dict[str, Any])
        plain.pop("sum", None)
        return msgspec.convert(plain, Header).format <= JOURNAL_FORMAT
    except DECODE_ERRORS:
        return False


def is_damaged(raw: bytes) -> bool:
    """Whether it is damaged, so that no version of the program can read it."""
    try:
        msgspec.json.decode(raw, type=dict[str, Any])
    except DECODE_ERRORS:
        return True
    return False


def names_in_header(raw: bytes) -> frozenset[str]:
    """The names in the header, as far as they can be found."""
    try:
        names = msgspec.json.decode(raw)["names"]
        found = names.values() if isinstance(names, dict) else names
        told = (one[1] if isinstance(one, list) else one for one in found)
        return frozenset(one for one in told if isinstance(one, str) and one)
    except (*DECODE_ERRORS, KeyError, TypeError, IndexError):
        return frozenset()  # damaged, or without names


def header_contains_name(raw: bytes, name: str) -> bool:
    """Whether the header contains the name."""
    if any(is_same_name(one, name) for one in names_in_header(raw)):
        return True
    return not is_known_format(raw) and remove_name_from_header(raw, name) is not None


def remove_name_from_header(raw: bytes, name: str) -> bytes | None:
    """The header without a name; None if it does not contain the name.

    In an unknown format, every string with the name becomes empty; if it is not JSON, the bytes are removed.
    A checksum that was right is right again, and a wrong one stays, so that the damage is still found.
    """
    try:
        plain = msgspec.json.decode(raw, type=dict[str, Any])
        kept = dict(plain)
        names = plain.get("names")
        if isinstance(names, list):
            kept["names"] = [one for one in names if not _names(one, name)]
        if not is_known_format(raw):
            kept = {key: one if key in KEYS_WITHOUT_NAMES else _blank(one, name) for key, one in kept.items()}
    except DECODE_ERRORS:
        left = remove_name(raw, name)
        return None if left == raw else left
    if kept == plain:
        return None
    if strip_checksum(raw) is None:
        return msgspec.json.encode(kept)
    del kept["sum"]
    kept["chain_rewritten"] = list(dict.fromkeys((*plain.get("chain_rewritten", ()), "forget")))
    return add_checksum(json_line(kept))


def _names(pair: Any, name: str) -> bool:
    return (
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str) and is_same_name(pair[1], name)
    )


def _blank(value: Any, name: str) -> Any:
    """A JSON value with every string that contains the name made empty."""
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
        return remove_name(raw, name).decode("utf-8", "surrogatepass") if contains_name(raw, name) else value
    if isinstance(value, list):
        return [_blank(one, name) for one in value]
    if isinstance(value, dict):
        return {_blank(key, name): _blank(one, name) for key, one in value.items()}
    return value
