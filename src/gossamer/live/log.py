"""The log of live nodes."""

from __future__ import annotations

import asyncio
import logging

LOG = logging.getLogger("gossamer.live")


class RateLimitedLog:
    """A log of at most one warning per second, which counts those that it leaves out."""

    def __init__(self) -> None:
        self._logged = 0.0
        self._unlogged = 0

    def warning(self, text: str) -> None:
        """Log a warning, or count it."""
        now = asyncio.get_running_loop().time()
        if now - self._logged < 1.0:
            self._unlogged += 1
            return
        more = f" (and {self._unlogged} similar ones)" if self._unlogged else ""
        LOG.warning("%s%s", text, more)
        self._logged, self._unlogged = now, 0
