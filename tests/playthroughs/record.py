"""Plays the playthroughs that a game of ours still lacks: `python tests/playthroughs/record.py kinapa`."""

from __future__ import annotations

import sys
from pathlib import Path

from companion.testing.playthroughs import record

if __name__ == "__main__":
    record(sys.argv[1], Path(__file__).parent / sys.argv[1])
