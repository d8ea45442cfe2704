"""The unstructured overlays that SpiderCast is compared with (§3.9.1).

``similarity`` links to x most similar nodes and y random ones, ``random`` to random nodes. The
machine is SpiderCast's with link quotas in place of coverage, as in the paper.
"""

from gossamer.protocols.registry import register_protocol
from gossamer.protocols.similarity.config import RandomConfig, SimilarityConfig
from gossamer.protocols.spidercast import ALL_BACKGROUND, ALL_MESSAGES, REFERENCE, SpiderCast

__all__ = ["RandomConfig", "SimilarityConfig"]

register_protocol(
    "similarity",
    SpiderCast,
    SimilarityConfig,
    reference=f"Chand, Felber, Euro-Par 2005, as compared in {REFERENCE}, §3.9.1",
    messages=ALL_MESSAGES,
    background=ALL_BACKGROUND,
    topic_connected=False,
)
register_protocol(
    "random",
    SpiderCast,
    RandomConfig,
    reference=f"{REFERENCE}, §3.9.1",
    messages=ALL_MESSAGES,
    background=ALL_BACKGROUND,
    topic_connected=False,
)
