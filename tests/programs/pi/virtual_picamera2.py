"""Changes the guest's picamera2 so that it runs on libcamera's *virtual* pipeline and can be unplugged.

Small changes, everything else is upstream's: the virtual pipeline has no raw role, wants one plane each for
Y and UV, tells no exposure, and completes pictures as fast as the processor can, where a sensor takes its
time (without this they take all of an emulated one); and no picture comes while `/run/hil/unplugged` exists,
as when somebody pulls the cable.
usage: virtual_picamera2.py SITE_PACKAGES
"""

from __future__ import annotations

import sys
from pathlib import Path

RAW = "generate_configuration([libcamera.StreamRole.Raw])"
VIEW = " or self.camera.generate_configuration([libcamera.StreamRole.Viewfinder])"
PLANE = "                plane[0].length = stream_config.frame_size\n"
TWO_PLANES = """                if str(stream_config.pixel_format) == 'NV12':
                    plane.append(libcamera.FrameBuffer.Plane())
                    y = stream_config.stride * stream_config.size.height
                    plane[0].length = y; plane[1].fd = fd.get(); plane[1].offset = y
                    plane[1].length = stream_config.frame_size - y
"""
SUCCESS = "metadata.status == libcamera.FrameMetadata.Status.Success"
PLUGGED = " and not os.path.exists('/run/hil/unplugged')"
PACE = "            if next(iter(req.request.buffers.values())).metadata.status =="
SLOWLY = "            time.sleep(0.2)\n"
# The virtual pipeline tells the instant of a picture and nothing else of it.
STAMP = "md = self.completed_requests[0].get_metadata()"
NO_EXPOSURE = "; md.setdefault('ExposureTime', 0)"


def add(file: Path, after: str, more: str) -> None:
    """Put `more` behind every `after`, once."""
    text = file.read_text()
    if more not in text:
        assert after in text, f"{file} is not the one this was written for"
        file.write_text(text.replace(after, after + more))


def slow_down(file: Path) -> None:
    """Five pictures a second."""
    text = file.read_text()
    if SLOWLY + PACE not in text:
        assert PACE in text, f"{file} is not the one this was written for"
        file.write_text(text.replace(PACE, SLOWLY + PACE))


def main() -> None:
    folder = Path(sys.argv[1]) / "picamera2"
    add(folder / "picamera2.py", RAW, VIEW)
    add(folder / "picamera2.py", SUCCESS, PLUGGED)
    add(folder / "picamera2.py", STAMP, NO_EXPOSURE)
    slow_down(folder / "picamera2.py")
    add(folder / "allocators" / "dmaallocator.py", PLANE, TWO_PLANES)


if __name__ == "__main__":
    main()
