"""Draws vitis.svg: the way of one publication through clusters, relay nodes and the rendezvous."""

from __future__ import annotations

import gossamer
from drawing import BLUE, FAINT, ORANGE, RED, Drawing, between, on_circle
from gossamer.protocols.components.identifiers import (
    closeness,
    identifier_of_node,
    identifier_of_topic,
)

SECOND = 1_000_000
PUBLISHED = 45
SEED = 5


def draw() -> Drawing:
    """Simulate a publication, and draw its copies on the ring of identifiers."""
    table = gossamer.generate_interests("random", nodes=48, topics=16, subscriptions=2, seed=SEED)
    topic = int(table.popularity.argmax())
    members = set(table.subscribers_of(topic).tolist())
    publisher = min(members)
    publications = gossamer.Publications.from_lists(
        [publisher], [[topic]], times=[PUBLISHED * SECOND]
    )
    scenario = gossamer.Scenario(table, publications=publications, duration=PUBLISHED + 10, seed=1)
    done = gossamer.simulate(
        scenario, "vitis", table_size=5, flood="notify",
        recording=gossamer.Recording(trace=True),
    )  # fmt: skip
    assert done.dissemination is not None
    assert done.trace is not None
    copies = [
        (int(row.node), int(row.peer))
        for row in done.trace
        if row.what == "send" and row.message == "publication" and row.peer is not None
    ]
    nodes = range(table.node_count)
    rendezvous = min(
        nodes, key=lambda node: closeness(identifier_of_node(node), identifier_of_topic(topic))
    )
    center = (250.0, 250.0)

    ring = sorted(nodes, key=identifier_of_node)
    places = dict(zip(ring, on_circle(len(ring), center, 205), strict=True))
    touched = {node for copy in copies for node in copy}
    page = Drawing(820, 500, "The way of one publication in Vitis")
    page.circle(center, 205, stroke=FAINT, width=0.8, dash="3 4")
    for sender, receiver in copies:
        inside = sender in members and receiver in members
        start, end = between(places[sender], places[receiver], 8, 8)
        page.line(start, end, BLUE if inside else ORANGE, 1.8, arrow=True)
    for node, at in places.items():
        color = BLUE if node in members else ORANGE if node in touched else FAINT
        page.circle(at, 6 if node in touched or node in members else 3, color)
    page.circle(places[publisher], 11, stroke=BLUE, width=2.5)
    page.circle(places[rendezvous], 11, stroke=RED, width=2.5)
    relays = touched - members
    rows = [
        (BLUE, f"{len(members)} subscribers of the topic"),
        (ORANGE, f"{len(relays)} relay nodes, which do not subscribe"),
        (FAINT, "other nodes"),
    ]
    for row, (color, text) in enumerate(rows):
        page.circle((526, 170 + 26 * row), 6, color)
        page.text((542, 174 + 26 * row), text)
    for row, (color, text) in enumerate(((BLUE, "publisher"), (RED, "rendezvous node"))):
        page.circle((526, 248 + 28 * row), 9, stroke=color, width=2.5)
        page.text((542, 252 + 28 * row), text)
    page.text(
        (518, 320), f"{len(copies)} copies, {done.dissemination.summary()['deliveries']} deliveries"
    )
    return page


if __name__ == "__main__":
    draw().save("vitis")
