"""What `companion` has of a club: the commands `desk` and `hub`, and a check of `companion doctor`."""

from companion.core.errors import CompanionError
from companion.system.extras import CLUB_PACKAGE, install_command, missing_library

LIBRARIES = ("anyio", "starlette", "uvicorn", "jinja2", "sqlalchemy", "alembic", "argon2", "segno", "paho")
"""What is imported of the extra `hub`; a table that only reports to a club needs none but the last."""
INSTALL_HUB = install_command("hub", package=CLUB_PACKAGE)


def require_hub_libraries() -> None:
    """Raise `CompanionError` where a library of hub or desk is not installed."""
    if name := missing_library(LIBRARIES):
        raise CompanionError(f"This needs the library {name}: {INSTALL_HUB}")
