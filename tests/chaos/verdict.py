"""Counts of what was lost, duplicated and out of order."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.records import Incarnation, Publication

LATE = 0.25
"""Seconds after which a delivery counts towards the time of recovery."""
LAST_WORDS = 1.0
"""Seconds before a kill whose publications may have reached no other service."""


@dataclass
class Counts:
    """Counts of a period or of a pair of services.

    Attributes
    ----------
    expected
        Deliveries expected: the subscriber has run from the publication to the end of the test.
    lost
        Expected deliveries that did not happen.
    last_words
        Those of them that were published within a second before the publisher was killed.
    dropped
        Those that a slow reader dropped by its policy.
    duplicated
        Deliveries of what the same process had been given before.
    out_of_order
        Deliveries after a later one of the same publisher and topic; those from the history do
        not count.
    to_returned
        Deliveries from the history to services that were absent at the publication.
    latencies
        Seconds of each expected delivery.
    recovered
        Time of the last delivery that was late.
    """

    expected: int = 0
    lost: int = 0
    last_words: int = 0
    dropped: int = 0
    duplicated: int = 0
    out_of_order: int = 0
    to_returned: int = 0
    latencies: list[float] = field(default_factory=list)
    recovered: float = 0.0

    def percentile(self, share: float) -> float:
        """Return a percentile of the latencies, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@dataclass
class Verdict:
    """Counts of each period and of each pair of publisher and subscriber."""

    periods: list[Counts]
    pairs: dict[tuple[int, int], Counts]


def judge(
    incarnations: Sequence[Incarnation],
    topics: Mapping[int, Iterable[int]],
    starts: Sequence[float],
    slow: frozenset[int] = frozenset(),
) -> Verdict:
    """Compare what was published with what was delivered.

    Parameters
    ----------
    incarnations
        All processes.
    topics
        Topics that each service subscribes to.
    starts
        Time at which each period begins.
    slow
        Services that read slowly: what they miss is dropped, up to what they report.
    """
    published = {one: at for each in incarnations for one, at in each.published.items()}
    killed = {
        (each.service, each.number): each.ended
        for each in incarnations
        if each.killed and each.ended is not None
    }
    by_topic: dict[int, list[Publication]] = {}
    for one in published:
        by_topic.setdefault(one.topic, []).append(one)
    periods = [Counts() for _ in starts]
    pairs: dict[tuple[int, int], Counts] = {}

    def counts_of(one: Publication, subscriber: int) -> tuple[Counts, Counts]:
        period = periods[max(0, bisect_right(starts, published[one]) - 1)]
        return period, pairs.setdefault((one.publisher, subscriber), Counts())

    for each in incarnations:
        times: dict[Publication, float] = {}
        newest: Counter[tuple[int, int, int]] = Counter()
        for one, at in each.delivered:
            if one not in published:
                continue  # its publisher was killed before it was recorded
            stream, present = one[:3], each.ready is not None and published[one] >= each.ready
            for counts in counts_of(one, each.service):
                counts.duplicated += one in times
                counts.out_of_order += present and one not in times and one.number < newest[stream]
                counts.to_returned += not present
            if present:
                newest[stream] = max(newest[stream], one.number)
            times.setdefault(one, at)
        if each.ready is None or each.ended is not None:
            continue
        room = each.dropped if each.service in slow else 0
        for one in (one for topic in topics[each.service] for one in by_topic.get(topic, ())):
            if one.publisher == each.service or published[one] < each.ready:
                continue
            late_words = published[one] > killed.get(one[:2], float("inf")) - LAST_WORDS
            is_lost = one not in times
            is_dropped = is_lost and room > 0
            room -= is_dropped
            for counts in counts_of(one, each.service):
                counts.expected += 1
                counts.dropped += is_dropped
                counts.lost += is_lost and not is_dropped
                counts.last_words += is_lost and not is_dropped and late_words
                if not is_lost:
                    _note_latency(counts, published[one], times[one], each.service in slow)
    return Verdict(periods, pairs)


def _note_latency(counts: Counts, published: float, delivered: float, slow: bool) -> None:
    if slow:
        return  # it waits for its reader
    counts.latencies.append(delivered - published)
    if delivered - published > LATE:
        counts.recovered = max(counts.recovered, delivered)
