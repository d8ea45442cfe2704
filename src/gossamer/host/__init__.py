"""The only interpreter of effects, for both worlds.

A host holds the machine of one node. ``sim`` and ``live`` give it a clock and a wire; only the
host knows what effects mean. Here too: the codec of messages, the trace, the journal of a live node
with its replay, and the clock of an event loop, which a live node reads for each event.
"""

from gossamer.host.codec import Codec
from gossamer.host.host import Clock, Host, Timer, Wire
from gossamer.host.journal import Journal, Replay, replay
from gossamer.host.trace import Tracer, trace_digest
from gossamer.random_stream import Stream, stream_of

__all__ = [
    "Clock",
    "Codec",
    "Host",
    "Journal",
    "Replay",
    "Stream",
    "Timer",
    "Tracer",
    "Wire",
    "replay",
    "stream_of",
    "trace_digest",
]
