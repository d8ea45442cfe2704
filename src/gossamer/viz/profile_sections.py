"""What a workload is like, as sections of a page: the numbers, and how they are spread."""

from __future__ import annotations

from gossamer.quality.profiles import WorkloadProfile
from gossamer.viz.blocks import Section, Table
from gossamer.viz.charts import ccdf_chart

__all__ = ["profile_sections"]

TITLES = {
    "interests": "Who wants what",
    "correlation": "How alike the interests are",
    "publications": "What is published",
    "sessions": "Who is there when",
}
DRAWN = {
    "interests": ("topics of a node", "subscribers of a topic"),
    "publications": ("publications on a topic", "topics of a publication"),
}
"""The distributions that are drawn in each part."""

TOPICS_LISTED = 10


def profile_sections(profile: WorkloadProfile) -> list[Section]:
    """Show a profile: one section for each part that it has."""
    spread = dict(profile.distributions())
    sections = []
    for part, facts in profile.facts().items():
        rows = [(name, value) for name, value in facts.items() if value is not None]
        charts = []
        for name in DRAWN.get(part, ()):
            if name not in spread or len(spread[name].histogram.values) < 2:
                continue
            found = spread[name].histogram
            counted = dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
            what, _, of = name.partition(" of a " if " of a " in name else " on a ")
            charts.append(
                ccdf_chart(
                    f"{name[0].upper()}{name[1:]}",
                    {name: counted},
                    value=what,
                    of=f"{of}s",
                )
            )
        tables = [Table("In numbers", ("measure", "value"), rows)]
        if part == "interests" and profile.interests is not None:
            top = profile.interests.top_topics[:TOPICS_LISTED]
            tables.append(Table("Most popular topics", ("topic", "subscribers"), top))
        sections.append(Section(TITLES[part], charts=tuple(charts), tables=tuple(tables)))
    return sections
