"""The picture of churn events: how many of them take at most so long (ElastO, Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.growth_picture import COLOURS, STYLE
from gossamer.tables import replacing

__all__ = ["draw_times"]

Times = Mapping[str, list[float]]
ACROSS = 3


def draw_times(panels: Mapping[str, Times], path: Path) -> None:
    """Draw a panel for each workload and size, with a curve for each way to keep an overlay."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for times in panels.values() for name in times))
    colours = dict(zip(names, COLOURS * len(names), strict=False))
    down = -(-len(panels) // ACROSS)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(11, 3.2 * down + 0.4), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False).ravel()
        for axis, (title, times) in zip(axes, panels.items(), strict=False):
            axis.set_title(title)
            axis.set_xscale("log")
            axis.grid(True, color="#E6E6E6", linewidth=0.7)
            for name, listed in times.items():
                ordered = np.sort(listed)
                shares = np.arange(1, len(ordered) + 1) / len(ordered)
                axis.step(
                    ordered, shares, where="post", color=colours[name], linewidth=1.6, label=name
                )
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for place, axis in enumerate(axes[: len(panels)]):
            axis.set_xlabel("milliseconds an event")
            axis.xaxis.set_tick_params(labelbottom=True)
            if place % ACROSS == 0:
                axis.set_ylabel("share of events")
        handles = {
            label: handle
            for axis in axes[: len(panels)]
            for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            list(handles.values()), list(handles), loc="outside lower center", ncols=6,
            frameon=False,
        )  # fmt: skip
        with replacing(path) as partial:
            figure.savefig(partial, format="svg", metadata={"Date": None})
