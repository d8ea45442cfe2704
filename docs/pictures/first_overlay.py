"""Draws first_overlay.svg: the picture that the commands of "Your first overlay" write."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import gossamer

HERE = Path(__file__).parent
PAGE = HERE.parent / "getting-started" / "first-overlay.md"
TABLE = re.compile(r"% file: services\.csv\n```text\n(.*?)```", re.DOTALL)
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")


@dataclass(frozen=True)
class CommandPicture:
    """A picture that a command writes, with coordinates of one decimal."""

    text: str

    def svg(self) -> str:
        """Return the file's content."""
        return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}", self.text)

    def save(self, name: str) -> None:
        """Write the picture beside this script."""
        (HERE / f"{name}.svg").write_text(self.svg(), encoding="utf-8")


def draw() -> CommandPicture:
    """Design the overlay of the page's table, and draw it as ``--picture`` does."""
    table = TABLE.search(PAGE.read_text(encoding="utf-8"))
    assert table, f"{PAGE} has no table services.csv"
    with tempfile.TemporaryDirectory() as folder:
        services, picture = Path(folder, "services.csv"), Path(folder, "overlay.svg")
        services.write_text(table[1], encoding="utf-8")
        interests = gossamer.read_interests(services)
        gossamer.overlay_picture(interests, gossamer.greedy_merge(interests), picture)
        return CommandPicture(picture.read_text(encoding="utf-8"))


if __name__ == "__main__":
    draw().save("first_overlay")
