"""Floods of the StaN study: appendix A on the overlays of one run, and its worked example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gossamer.model import Interests, Publications
from gossamer.quality import Dissemination, TopicGraphs, flood_publications, savings

if TYPE_CHECKING:
    from gossamer.studies.schema import Measurements

SAVINGS = (0, 5, 10, 15, 20, 30, 40)
HOPS = range(1, 13)
EXAMPLES = {
    "shared": {"A": [(0, 1), (0, 2)], "B": [(0, 1), (0, 2)]},
    "apart": {"A": [(0, 1), (0, 2)], "B": [(0, 3), (0, 4)]},
}
"""Links on two topics of node 0: to the same neighbours on both, or to different ones."""


def measure_floods(
    kind: str, when: str, interests: Interests, graphs: TopicGraphs, publications: Publications
) -> Measurements:
    """Flood publications in both ways on the overlays of the topics, and compare them.

    ``… saving …/s`` is the share of nodes that save more than s % of the copies with
    CrosspostFlood, ``… costing …`` the share that sends more copies, and ``… hops …/h`` the share
    of first deliveries after h hops or fewer. ``printed …`` are measurements of floods that send
    copies back to the sender and the publisher, as Algorithm 3 is printed.
    """
    measured: Measurements = {}
    for variant, send_back in (("", False), ("printed ", True)):
        simple, cross = (
            flood_publications(interests, graphs, publications, flood=flood, send_back=send_back)
            for flood in ("simple", "crosspost")
        )
        measured |= _saving(f"{kind} {variant}", when, simple, cross)
    measured[f"{kind} hit ratio {when}"] = cross.hit_ratio
    for flood, done in (("simple", simple), ("crosspost", cross)):
        counts = np.zeros(HOPS[-1] + 1)
        np.add.at(counts, np.minimum(done.hops.values, HOPS[-1]), done.hops.counts)
        within = np.cumsum(counts) / max(counts.sum(), 1)
        measured[f"{kind} mean hops {flood} {when}"] = done.hops.mean if done.hops.total else 0.0
        measured |= {f"{kind} hops {flood} {when}/{hops}": float(within[hops]) for hops in HOPS}
    return measured


def on_one_topic(publications: Publications) -> Publications:
    """Return the publications on the first of their topics alone."""
    first = publications.topics[publications.offsets[:-1]]
    return Publications.from_lists(publications.publishers, first[:, None].tolist())


def describe_posts(publications: Publications) -> Measurements:
    """Return the share of publications on several topics, in %, and their mean number of topics."""
    topics = np.diff(publications.offsets)
    several = topics[topics > 1]
    return {
        "posts crossposted": 100 * len(several) / max(len(topics), 1),
        "posts topics": float(several.mean()) if len(several) else 0.0,
    }


def measure_example(name: str) -> Measurements:
    """Return the copies that node 0 sends with both floods in the example of appendix A."""
    links = EXAMPLES[name]
    nodes = 1 + max(node for pairs in links.values() for pair in pairs for node in pair)
    topics_of = {
        node: [topic for topic, pairs in links.items() if any(node in pair for pair in pairs)]
        for node in range(nodes)
    }
    interests = Interests.from_lists(topics_of)
    arcs = [
        (topic, *ends)
        for topic, pairs in enumerate(links.values())
        for one, other in pairs
        for ends in ((one, other), (other, one))
    ]
    graphs = TopicGraphs.from_arcs(interests, *zip(*arcs, strict=True))
    publications = Publications.from_lists([0], [[0, 1]])
    return {
        f"copies {flood}": float(
            flood_publications(interests, graphs, publications, flood=flood).sent[0]
        )
        for flood in ("simple", "crosspost")
    }


def _saving(kind: str, when: str, simple: Dissemination, cross: Dissemination) -> Measurements:
    """Return copies per receipt of both floods, and what CrosspostFlood saves."""
    saved = savings(simple, cross)
    total = 1 - int(cross.sent.sum()) / max(int(simple.sent.sum()), 1)
    return {
        f"{kind}copies simple {when}": _per_receipt(simple),
        f"{kind}copies crosspost {when}": _per_receipt(cross),
        f"{kind}total saving {when}": 100 * total,
        f"{kind}costing {when}": float((saved < 0).mean()) if len(saved) else 0.0,
        **{
            f"{kind}saving {when}/{p}": float((saved > p).mean()) if len(saved) else 0.0
            for p in SAVINGS
        },
    }


def _per_receipt(done: Dissemination) -> float:
    return int(done.sent.sum()) / max(int(done.receipts.sum()), 1)
