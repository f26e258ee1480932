"""Copying of database files in a process of its own, so that no lock of the player is lost.

POSIX drops every lock that a process has on a file as soon as the process closes any descriptor of it
(https://www.sqlite.org/howtocorrupt.html, 2.2). Another program would then take the store for unused and
delete the -wal under the running game. So only SQLite opens the store in our processes, and this program,
which is run by itself, without a library.
"""

# pathlib or subprocess alone would take longer to import than this program runs.
# ruff: noqa: PTH116, PTH123
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from shutil import copyfile

CHUNK = 1 << 20


def read_head(path: str | os.PathLike[str], length: int, *, plays: bool) -> bytes:
    """The first bytes of the file; raises `OSError`.

    `plays`: this process may be playing into the store. One that cannot has no locks to lose and looks
    itself, as its user may not even be allowed to start the interpreter of the table's owner.
    """
    if plays:
        return _run_as_program("head", os.fspath(path), str(length))
    with open(path, "rb") as stream:
        return stream.read(length)


def copy_consistently(
    files: Sequence[tuple[str | os.PathLike[str], str | os.PathLike[str]]], *, plays: bool
) -> bool:
    """Copy each first file to the second; whether they were as copied at one moment. Raises `OSError`.

    One that does not exist is copied as an empty one, except the first. `plays` as in `read_head`.
    """
    if not plays:
        return _copy([(os.fspath(source), os.fspath(copy)) for source, copy in files])
    return _run_as_program("copy", *(os.fspath(file) for pair in files for file in pair)) == b"whole"


def _run_as_program(*words: str) -> bytes:
    """What this file writes when it is run as a program."""
    import subprocess  # noqa: PLC0415 (only whoever starts the program needs it)

    done = subprocess.run([sys.executable, "-I", "-S", __file__, *words], capture_output=True, check=False)
    if done.returncode:
        number, _, file = os.fsdecode(done.stderr).removesuffix("\n").partition(" ")
        if not number.isdigit():
            raise OSError(f"{words[1]} can't be looked at: {number} {file}".strip())
        raise OSError(int(number), os.strerror(int(number)), file)
    return done.stdout


def _copy(files: Sequence[tuple[str, str]]) -> bool:
    for at, (source, copy) in enumerate(files):
        try:
            copyfile(source, copy)
        except FileNotFoundError:
            if not at:
                raise
            open(copy, "wb").close()
    source, copy = files[0]
    return os.stat(source).st_size == os.stat(copy).st_size and all(_begins_with(*pair) for pair in files)


def _begins_with(path: str, copy: str) -> bool:
    """Whether the file still begins with the bytes that were copied."""
    with open(copy, "rb") as known:
        if not os.stat(copy).st_size:
            return True
        with suppress(FileNotFoundError), open(path, "rb") as stream:
            while expected := known.read(CHUNK):
                if stream.read(len(expected)) != expected:
                    return False
            return True
    return False


def main(what: str, *words: str) -> None:
    """Run as a program: `head FILE LENGTH`, or `copy` with pairs of files.

    A failure is told as its number and its file.
    """
    try:
        if what == "head":
            with open(words[0], "rb") as stream:
                sys.stdout.buffer.write(stream.read(int(words[1])))
        elif _copy(list(zip(words[::2], words[1::2], strict=True))):
            sys.stdout.buffer.write(b"whole")
    except OSError as error:
        sys.exit(f"{error.errno} {error.filename or words[0]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
