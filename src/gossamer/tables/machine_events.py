"""Sessions in the raw format of machine events of Google's cluster trace of 2011.

Rows have no header: time in microseconds, machine, event (0 add, 1 remove, 2 update), platform,
CPUs, memory.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.atomic_files import check_output, replacing
from gossamer.errors import ParameterError
from gossamer.model import Sessions
from gossamer.tables.names import names_array

ADD, REMOVE, UPDATE = 0, 1, 2
DESCRIPTION = "HofLGzk1Or,0.5,0.2493"
"""Platform, CPUs and memory of every machine; sessions do not depend on them."""


def write_machine_events(
    path: str | os.PathLike[str],
    sessions: Sessions,
    *,
    names: NDArray[Any] | None = None,
    updates: int = 0,
) -> None:
    """Write sessions as machine events, sorted by time.

    ``gossamer ingest google-machine-events`` reads the same sessions from them. Machines whose
    session ends last are not removed; an update marks the end of the trace.

    Parameters
    ----------
    path
        File, .csv; written atomically.
    sessions
        Sessions of each machine.
    names
        Names of the machines, by id; the ids if not given.
    updates
        Number of further updates, evenly spread over the starts of sessions: rows without effect,
        of which the trace has many.
    """
    place = check_output(path, (".csv",))
    if not len(sessions):
        raise ParameterError("there are no sessions; expected one or more")
    if updates < 0:
        raise ParameterError(f"{updates} updates; expected 0 or more")
    last = int(sessions.ends.max())
    ended = sessions.ends < last
    spread = np.linspace(0, len(sessions) - 1, updates).astype(np.int64)
    final = int(np.argmax(sessions.ends))
    changed = np.concatenate((spread, [final]))
    times = np.concatenate((sessions.ends[ended], sessions.starts, sessions.starts[spread], [last]))
    nodes = np.concatenate((sessions.nodes[ended], sessions.nodes, sessions.nodes[changed]))
    kinds = np.repeat([REMOVE, ADD, UPDATE], [int(ended.sum()), len(sessions), len(changed)])
    order = np.lexsort((nodes, kinds == ADD, kinds == UPDATE, times))
    if names is None:
        names = np.arange(int(sessions.nodes.max()) + 1)
    called = names_array(names, "machine").to_pylist()
    with replacing(place) as partial, open(partial, "w", encoding="utf-8", newline="") as stream:
        for row in order.tolist():
            stream.write(f"{times[row]},{called[nodes[row]]},{kinds[row]},{DESCRIPTION}\n")
