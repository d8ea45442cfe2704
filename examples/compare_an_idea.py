"""An idea of your own beside the published algorithms, in one file.

Mark your function with ``@algorithm`` and ``compare`` knows it by its name. Run it:
``python examples/compare_an_idea.py``.
"""

from __future__ import annotations

import numpy as np

import gossamer
from gossamer import Interests, Overlay
from gossamer.design.registry import algorithm
from gossamer.progress import Progress


@algorithm("busiest-hub", reference="an idea", topic_connected=True, diameter=2)
def busiest_hub(
    interests: Interests, *, seed: int = 0, progress: Progress | None = None
) -> Overlay:
    """Link each topic's subscribers to the one of them that has the most topics."""
    pairs = [np.empty((0, 2), dtype=np.int32)]
    for topic in range(interests.topic_count):
        members = interests.subscribers_of(topic)
        if len(members):
            hub = members[np.argmax(interests.subscription_sizes[members])]
            others = members[members != hub]
            pairs.append(np.stack((np.full_like(others, hub), others), axis=1))
    return Overlay.from_links(interests.node_count, np.concatenate(pairs))


interests = gossamer.generate_interests("rss", nodes=500, topics=60, subscriptions="2-15", seed=1)
comparison = gossamer.compare(interests, ["busiest-hub", "cd-oda-2", "td-cd-oda", "greedy-merge"])
for row in comparison.rows:
    print(
        f"{row.algorithm:14} mean degree {row.mean_degree:6.2f}, maximum {row.max_degree:4}, "
        f"largest diameter {row.max_diameter}"
    )
