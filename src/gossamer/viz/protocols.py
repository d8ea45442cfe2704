"""A comparison of protocols: a chart for each measure."""

from __future__ import annotations

from gossamer.experiments.protocol_comparison import ProtocolComparison
from gossamer.measures import MEASURES, label_of, title_of
from gossamer.viz.blocks import Chart
from gossamer.viz.charts import dots_chart
from gossamer.viz.labels import INTERVALS, statistic, subject

DEGREES = ("mean_degree", "max_degree")


def protocol_charts(comparison: ProtocolComparison) -> list[Chart]:
    """Return a chart for each measure that protocols have, with intervals; degrees share one."""
    others = [name for name in comparison.shown_measures if name not in DEGREES]
    return [_chart(comparison, DEGREES), *(_chart(comparison, (name,)) for name in others)]


def _chart(comparison: ProtocolComparison, names: tuple[str, ...]) -> Chart:
    values: dict[str, dict[str, float]] = {}
    spread: dict[str, dict[str, float]] = {}
    scale = 100 if names[0] in MEASURES and MEASURES[names[0]].unit == "share" else 1
    for name in names:
        shown = statistic(name) if len(names) > 1 else label_of(name)
        rows = [row for row in comparison.measured if row.measures.get(name) is not None]
        values[shown] = {row.protocol: scale * row.measures[name] for row in rows}
        spread[shown] = {row.protocol: scale * row.half_widths.get(name, 0.0) for row in rows}
    title = subject(names[0]) if len(names) > 1 else title_of(names[0])
    several = any(any(found.values()) for found in spread.values())
    return dots_chart(
        title, values, value=title, spread=spread, note=INTERVALS if several else "",
        in_order=True,
    )  # fmt: skip
