"""The studies: one for each folder of this package with a file ``figures.toml``."""

from __future__ import annotations

from pathlib import Path

from gossamer.errors import ParameterError
from gossamer.studies.figures_file import FIGURES_FILE, load_study
from gossamer.studies.schema import Study


def studies() -> dict[str, Study]:
    """Return every study by name, in alphabetical order."""
    return {name: find_study(name) for name in sorted(_folders())}


def find_study(name: str) -> Study:
    """Return the study of that name."""
    folders = _folders()
    if name not in folders:
        raise ParameterError(f"no study is named {name!r}; there are {', '.join(sorted(folders))}")
    folder = folders[name]
    return load_study(f"{__package__}.{folder.name}", folder)


def _folders() -> dict[str, Path]:
    files = Path(__file__).parent.glob(f"*/{FIGURES_FILE}")
    return {file.parent.name.replace("_", "-"): file.parent for file in files}
