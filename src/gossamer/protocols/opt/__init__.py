"""OPT: an overlay for each topic with few links, by interest alone (Vitis, §IV).

The unstructured system that Vitis is compared with, like SpiderCast. Without a bound on links
nodes have many of them; with a bound some subscribers receive nothing.
"""

from gossamer.protocols.opt.config import OptConfig
from gossamer.protocols.opt.machine import Opt
from gossamer.protocols.opt.messages import BACKGROUND_MESSAGES, MESSAGES
from gossamer.protocols.registry import register_protocol
from gossamer.protocols.vitis import REFERENCE

__all__ = ["Opt", "OptConfig"]

register_protocol(
    "opt",
    Opt,
    OptConfig,
    reference=f"As compared in {REFERENCE}, §IV; like SpiderCast (Chockler et al., DEBS 2007)",
    messages=MESSAGES,
    background=BACKGROUND_MESSAGES,
    topic_connected=False,
)
