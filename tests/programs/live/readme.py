"""The command lines that README and docs show: in their blocks, in running text and in tables."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
PROGRAMS = frozenset({"companion", "make", "sudo"})
TRIED_ELSEWHERE = frozenset({"add-a-game.md"})
"""Pages whose commands another test runs (`tests/whole/test_author.py`)."""


def lines(text: str) -> tuple[str, ...]:
    """Each once, in the order of the page, as a user types it: without comment and path."""
    blocks = re.findall(r"```(?:console|sh)\n(.*?)```", text, flags=re.DOTALL)
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    shown = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", prose)
    typed = (re.sub(r"\s+#.*", "", line).removeprefix(".venv/bin/").strip() for line in shown)
    return tuple(dict.fromkeys(line for line in typed if line.split()[:1] and is_command(line)))


def is_command(line: str) -> bool:
    """Whether this is a program of ours with words after it."""
    program, *words = line.split()
    return program in PROGRAMS and bool(words)


def of_the_pages() -> tuple[str, ...]:
    """The README's own first, then those that the docs add; a guide for authors has a test of its own."""
    docs = sorted(path for path in (CHECKOUT / "docs").rglob("*.md") if path.name not in TRIED_ELSEWHERE)
    pages = [CHECKOUT / "README.md", *docs]
    return lines("\n".join(page.read_text(encoding="utf-8") for page in pages))
