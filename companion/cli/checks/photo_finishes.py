"""Lists or draws the photo finishes of a stored game."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.core.actions import Chair
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.exhibits import PhotoFinish
from companion.core.rules import Rules
from companion.games import RULES
from companion.language.language import Language
from companion.referee.journal import Entry, Header, standing_entries


def find_photo_finishes(
    rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]
) -> tuple[PhotoFinish, ...]:
    """Every race of presses that stands, the oldest first."""
    return rules.photo_finishes(state, reversed(list(standing_entries(entries))))


def describe_finish(found: PhotoFinish, language: Language, names: Mapping[Chair, str]) -> list[str]:
    """One line per press, with its distance from the first that could have counted."""
    lines = []
    for press in found.presses:
        away = (press.at - found.zero_time) / 1_000
        who = names.get(press.chair) or language.tr(f"ui.colour.{_chair_colour(press.chair)}")
        verdict = language.tr(f"ui.finish.{press.verdict}")
        lines.append(f"{away:+9.1f} ms  {who} ({press.source}): {verdict}")
    return lines


def draw_photo_finishes(
    header: Header, state: Any, found: Sequence[PhotoFinish], folder: Path, language: str
) -> int:
    """Draw a picture of each photo finish, as the overlay shows it, into `folder`; returns their number.

    Raises `InputError` if the folder cannot be written.
    """
    from companion.ui.finish_images import save_finish_images

    view = RULES[header.game].view(state)
    try:
        save_finish_images(view, found, folder, language=language, names=dict(header.names))
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise InputError(f"can't save pictures in {folder} ({reason}); name a folder of yours.") from trouble
    return len(found)


def _chair_colour(chair: Chair) -> str:
    from companion.core.actions import PALETTE

    return PALETTE[chair]
