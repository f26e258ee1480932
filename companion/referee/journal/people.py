"""Finds and removes the names of players in stored headers of any format."""

from typing import Any

import msgspec

from companion.referee.journal.chain import seal, unseal
from companion.referee.journal.codec import UNREADABLE, json_line
from companion.referee.journal.entry import FORMAT, Header
from companion.referee.traces import cut, same, stands_in

NAMELESS = frozenset({"format", "game", "setup", "kind", "date", "software", "language", "seed", "sum"})
"""Keys of a header that never contain names, in future formats either."""


def is_known(raw: bytes) -> bool:
    """Whether this program knows where a header of this format contains names."""
    try:
        plain = msgspec.json.decode(raw, type=dict[str, Any])
        plain.pop("sum", None)
        return msgspec.convert(plain, Header).format <= FORMAT
    except UNREADABLE:
        return False


def is_broken(raw: bytes) -> bool:
    """Whether it is damaged, so that no version of the program can read it."""
    try:
        msgspec.json.decode(raw, type=dict[str, Any])
    except UNREADABLE:
        return True
    return False


def people_in(raw: bytes) -> frozenset[str]:
    """The names in the header, as far as they can be found."""
    try:
        names = msgspec.json.decode(raw)["names"]
        found = names.values() if isinstance(names, dict) else names
        told = (one[1] if isinstance(one, list) else one for one in found)
        return frozenset(one for one in told if isinstance(one, str) and one)
    except (*UNREADABLE, KeyError, TypeError, IndexError):
        return frozenset()  # damaged, or without names


def is_named(raw: bytes, name: str) -> bool:
    """Whether the header contains the name."""
    if any(same(one, name) for one in people_in(raw)):
        return True
    return not is_known(raw) and without(raw, name) is not None


def without(raw: bytes, name: str) -> bytes | None:
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
        if not is_known(raw):
            kept = {key: one if key in NAMELESS else _blank(one, name) for key, one in kept.items()}
    except UNREADABLE:
        left = cut(raw, name)
        return None if left == raw else left
    if kept == plain:
        return None
    if unseal(raw) is None:
        return msgspec.json.encode(kept)
    del kept["sum"]
    kept["chain_rewritten"] = list(dict.fromkeys((*plain.get("chain_rewritten", ()), "forget")))
    return seal(json_line(kept))


def _names(pair: Any, name: str) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str) and same(pair[1], name)


def _blank(value: Any, name: str) -> Any:
    """A JSON value with every string that contains the name made empty."""
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
        return cut(raw, name).decode("utf-8", "surrogatepass") if stands_in(raw, name) else value
    if isinstance(value, list):
        return [_blank(one, name) for one in value]
    if isinstance(value, dict):
        return {_blank(key, name): _blank(one, name) for key, one in value.items()}
    return value
