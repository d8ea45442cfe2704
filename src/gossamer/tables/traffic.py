"""Tables of disseminations: traffic by node, and deliveries by number of hops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gossamer.model import Interests
from gossamer.tables.names import names_array
from gossamer.tables.schema import HOPS, TRAFFIC

Numbers = NDArray[np.int64]


def traffic_table(
    interests: Interests, by_flood: Mapping[str, tuple[Numbers, Numbers, Numbers]]
) -> Any:
    """Return the copies sent by each node, their bytes, and deliveries, for each flood.

    Examples
    --------
    >>> one = np.array([7])
    >>> ann = Interests.from_lists({"ann": ["tea"]})
    >>> traffic_table(ann, {"simple": (one, one, one)}).to_pylist()
    [{'node': 'ann', 'flood': 'simple', 'sent': 7, 'bytes': 7, 'deliveries': 7}]
    """
    names = names_array(interests.node_names, "node")
    floods = [flood for flood in by_flood for _ in range(interests.node_count)]
    columns = [np.concatenate(column) for column in zip(*by_flood.values(), strict=True)]
    return TRAFFIC.table(pa.concat_arrays([names] * len(by_flood)), floods, *columns)


def hops_table(by_flood: Mapping[str, tuple[Numbers, Numbers]]) -> Any:
    """Return the number of deliveries by hops, for each flood."""
    floods = [flood for flood, (hops, _) in by_flood.items() for _ in hops]
    columns = [np.concatenate(column) for column in zip(*by_flood.values(), strict=True)]
    return HOPS.table(floods, *columns)
