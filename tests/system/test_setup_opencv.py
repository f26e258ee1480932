"""Set-up where libGL is missing: which package takes which place."""

from __future__ import annotations

from companion.system.setup_opencv import has_libgl, pip_commands


def test_with_libgl_nothing_is_swapped() -> None:
    assert pip_commands("5.0.0.93", libgl=True) == ()


def test_without_libgl_the_headless_package_of_the_same_version_takes_the_place() -> None:
    away, come = pip_commands("5.0.0.93", libgl=False)
    assert away == ("uninstall", "-y", "opencv-python")
    assert come[-1] == "opencv-python-headless==5.0.0.93"


def test_a_second_run_has_nothing_to_do() -> None:
    assert pip_commands(None, libgl=False) == ()


def test_after_pip_brought_the_full_package_back_headless_is_written_anew() -> None:
    away, come = pip_commands("5.0.0.94", libgl=False)
    assert away[-1] == "opencv-python"
    assert "--force-reinstall" in come
    assert come[-1] == "opencv-python-headless==5.0.0.94"


def test_a_library_that_no_loader_finds_is_missing() -> None:
    assert not has_libgl("libc.so.6", "libNobodyEverWroteThis.so.1")
    assert has_libgl("libc.so.6")
