"""``python -m gossamer``: the same as the command ``gossamer``."""

from gossamer.cli.main import run

if __name__ == "__main__":
    run()
