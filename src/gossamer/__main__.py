"""The command ``gossamer``, also as ``python -m gossamer``; it ends with 130 if interrupted."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def run() -> None:
    """Run the command line; the entry point of the installed command."""
    try:
        from gossamer.cli.main import run as run_command  # takes longest, and may be interrupted

        run_command()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    run()
