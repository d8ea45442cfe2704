"""From a subscription table to a broker overlay: read, design, check, write.

Run it anywhere: ``python examples/design_brokers.py``. It makes a small table first; put
the path of your own in its place.
"""

from __future__ import annotations

from pathlib import Path

import gossamer

table = Path("brokers.csv")
gossamer.write_interests(
    table,
    gossamer.generate_interests("nyse", nodes=300, topics=40, subscriptions="2-12", seed=7),
)

interests = gossamer.read_interests(table)
overlay = gossamer.low_oda(interests, rho=3)
found = gossamer.assess(interests, overlay)
print(found)

assert found.topic_connected
gossamer.write_links("broker_links.csv", interests, overlay)
print(f"{overlay.link_count} links in broker_links.csv")
