"""The only interpreter of effects, for both worlds.

A host holds one machine for one life. ``sim`` and ``live`` give it a clock and a wire; what a
machine's effects mean is stderr_lines here and nowhere else. Here too: the random stream of a node,
the codec of messages, the trace, and the journal that lets a life be lived again.
"""

from gossamer.host.codec import Codec
from gossamer.host.host import Clock, Host, Timer, Wire
from gossamer.host.journal import Journal, replay
from gossamer.host.trace import Tracer, trace_digest
from gossamer.random_stream import Stream, stream_of

__all__ = [
    "Clock",
    "Codec",
    "Host",
    "Journal",
    "Stream",
    "Timer",
    "Tracer",
    "Wire",
    "replay",
    "stream_of",
    "trace_digest",
]
