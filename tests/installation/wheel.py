"""The wheel, what each extra brings, and an environment with nothing else.

``python -m tests.installation.wheel`` prints the size of an installation with each extra.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
MEGABYTE = 1_000_000
SHOWN = ("core", "design", "report", "spark", "all")
"""Extras whose size is printed, beside the core."""


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the source tree, without a network; return its path."""
    code = f"import hatchling.build as b; print(b.build_wheel({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.split()[-1]


def own_requirements(extra: str) -> list[str]:
    """Return the requirements that pyproject.toml states for the core, or for an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"][extra] if extra else project["dependencies"])


def requirements(name: str, extra: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield each requirement of a distribution, with the extras that it asks for."""
    texts = (metadata.requires(name) or []) if name != "gossamer" else own_requirements(extra)
    for text in texts:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
            yield requirement.name, requirement.extras


def needed_distributions(extra: str = "") -> set[str]:
    """Return the names of all distributions that gossamer needs with an extra, itself left out."""
    found: set[tuple[str, str]] = set()
    waiting = [("gossamer", ""), ("gossamer", extra)]
    while waiting:
        name, asked = waiting.pop()
        if (name, asked) in found:
            continue
        found.add((name, asked))
        for other, extras in requirements(name, asked):
            waiting += [(other, one) for one in ("", *extras)]
    return {name for name, _ in found} - {"gossamer"}


def installed_size(name: str) -> int:
    """Return the bytes of the files of an installed distribution, without compiled bytecode."""
    files = metadata.files(name) or ()
    places = (Path(str(one.locate())) for one in files if one.suffix != ".pyc")
    return sum(place.stat().st_size for place in places if place.is_file())


def source_size() -> int:
    """Return the bytes of gossamer's own modules."""
    files = (ROOT / "src").rglob("*")
    return sum(file.stat().st_size for file in files if file.suffix in (".py", ".pyi", ".toml"))


def extra_sizes() -> dict[str, int]:
    """Return the bytes of an installation with each extra, all dependencies included."""
    return {
        extra: source_size()
        + sum(
            installed_size(name)
            for name in needed_distributions("" if extra == "core" else extra)
        )
        for extra in SHOWN
    }  # fmt: skip


def install(wheel: Path, environment: Path, extra: str = "") -> Path:
    """Make an environment with the wheel and what it needs with an extra; return its Python.

    The needed packages are links to those of the present environment, so that nothing is
    downloaded. No other package can be imported.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    for name in needed_distributions(extra):
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(distribution.locate_file(top)))
    return environment / "bin" / "python"


def main() -> None:
    """Print the size of an installation with each extra."""
    print("installed size, dependencies included, without compiled bytecode:")
    for extra, size in extra_sizes().items():
        print(f"{size / MEGABYTE:8.0f} MB  gossamer{'' if extra == 'core' else f'[{extra}]'}")


if __name__ == "__main__":
    main()
