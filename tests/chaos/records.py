"""What a service has done: lines of text, written at once, so that a killed one loses none.

=============================================  ====================================================
line                                           meaning
=============================================  ====================================================
``ready TIME``                                 all topics of the service have subscribers and a link
``published TOPIC NUMBER TIME``                publication, with the time before it
``delivered FROM INCARNATION TOPIC NUMBER TIME``  event, when the application reads it
``dropped COUNT``                              events that a slow reader has not read
=============================================  ====================================================

Times are seconds of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Publication(NamedTuple):
    """Identity of a publication: publisher, its incarnation, topic, and number on the topic."""

    publisher: int
    incarnation: int
    topic: int
    number: int


@dataclass
class Incarnation:
    """One process of a service, from its start to its end.

    Attributes
    ----------
    service, number
        Number of the service, and of this process among those of the service.
    ready
        Time from which it takes part; None if it never did.
    ended
        Time at which it was killed or asked to end; None if it ran to the end of the test.
    killed
        Whether it was killed without notice.
    published
        Time of each publication.
    delivered
        Publications in the order of delivery, with the times.
    dropped
        Events that its slow reader has not read.
    """

    service: int
    number: int
    ready: float | None = None
    ended: float | None = None
    killed: bool = False
    published: dict[Publication, float] = field(default_factory=dict)
    delivered: list[tuple[Publication, float]] = field(default_factory=list)
    dropped: int = 0

    def read(self, lines: Iterable[str]) -> Incarnation:
        """Add what the lines of a record say; a last line without its end is left out."""
        for line in lines:
            if not line.endswith("\n"):
                break
            kind, *words = line.split()
            if kind == "published":
                topic, number, time = int(words[0]), int(words[1]), float(words[2])
                self.published[Publication(self.service, self.number, topic, number)] = time
            elif kind == "delivered":
                self.delivered.append((Publication(*map(int, words[:4])), float(words[4])))
            elif kind == "ready":
                self.ready = float(words[0])
            elif kind == "dropped":
                self.dropped = int(words[0])
        return self
