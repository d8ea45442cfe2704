"""Changes of links that a strategy of a plug-in returns, checked before they are applied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.definitions import blame
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import LinkChanges


def checked_changes(strategy: object, overlay: DynamicOverlay, changes: object) -> LinkChanges:
    """Return the changes as arrays, or raise the error of the strategy.

    Raises
    ------
    PluginError
        If they are no :class:`LinkChanges`, name an absent node, remove a link that is not there,
        or add one that is.
    """
    kind = type(strategy)
    if not isinstance(changes, LinkChanges):
        blame(kind, f"returned {changes!r:.40}; expected LinkChanges(links, unlinks), pairs of ids")
    links, unlinks = (_pairs(kind, overlay, pairs) for pairs in changes)
    linked = {tuple(pair) for pair in overlay.links().tolist()}
    for pair in map(tuple, unlinks.tolist()):
        if pair not in linked:
            blame(kind, f"removes the link {pair}; expected a link of the overlay")
        linked.remove(pair)
    for pair in map(tuple, links.tolist()):
        if pair in linked:
            blame(kind, f"adds the link {pair}, which the overlay has; expected a new link")
        linked.add(pair)
    return LinkChanges(links, unlinks)


def _pairs(kind: type, overlay: DynamicOverlay, pairs: object) -> NDArray[np.int32]:
    """Return pairs of present nodes, the lower id first."""
    found = np.asarray(pairs)
    if not found.size:
        return np.empty((0, 2), dtype=np.int32)
    if found.dtype.kind not in "iu" or found.ndim != 2 or found.shape[1] != 2:
        blame(
            kind, f"returned links of {found.dtype} and shape {found.shape}; expected pairs of ids"
        )
    count = overlay.node_count
    if found.min() < 0 or found.max() >= count:
        blame(kind, f"names node {found.max()}; expected 0 to {count - 1}")
    absent = found[~overlay.present[found]]
    if len(absent):
        blame(kind, f"links node {absent[0]}, which is absent; expected present nodes")
    if (found[:, 0] == found[:, 1]).any():
        blame(kind, "links a node to itself; expected two nodes")
    return np.sort(found, axis=1).astype(np.int32)
