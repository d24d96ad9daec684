"""Files that a command reads whole: by name, or stdin."""

from __future__ import annotations

from kqj_sim.text_files import open_stream, read_stream


def read_content(file: str, most: int) -> bytes:
    """Return the content of a file, - for stdin; raise OSError as `read_stream`."""
    with open_stream(file) as (stream, name):
        return read_stream(stream, name, most)
