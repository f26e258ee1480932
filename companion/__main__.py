"""Entry point of the command, with an answer for a broken installation."""

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

EXIT_INTERRUPTED = 130
"""128 + SIGINT; as in `core.errors`, which is not imported yet."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; see `companion.cli.command.run` for the exit codes."""
    try:
        from companion.cli.command import run  # noqa: PLC0415 (Ctrl-C may come while this is imported)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Exception as problem:  # noqa: BLE001 (whatever an installation lacks)
        checkout = Path(__file__).parents[1]
        fix = f"make demo in {checkout}" if (checkout / "Makefile").exists() else "install it again"
        sys.stderr.write(f"companion: this installation is not whole ({problem}); {fix}\n")
        return 1
    if isinstance(sys.stdout, TextIOWrapper):  # of a terminal that has not all our letters
        sys.stdout.reconfigure(errors="backslashreplace")
    return run(argv)


if __name__ == "__main__":
    raise SystemExit(main())
