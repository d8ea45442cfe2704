"""The one place where the golden cases call Spark jobs; see :mod:`tests.golden.program`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gossamer import pipeline
from tests.golden.program import Values, assessed_values, bounded_values, fitted_values


def ingest(source: str, raw: Path, out: Path, session: Any) -> tuple[list[str], Values]:
    """Return the tables that were written, the rejected lines aside, and how many rows."""
    done = pipeline.ingest(source, raw, out, session=session, max_bad=5)
    names = [name for name in done.tables if not name.startswith("rejected")]
    return names, ([done.tables[name] for name in names], done.records, sum(done.rejected.values()))


def profile(folder: Path, session: Any) -> Values:
    found = pipeline.profile(folder, seed=4, session=session)
    who, alike, what, when = found.interests, found.correlation, found.publications, found.sessions
    assert who is not None
    assert alike is not None
    assert what is not None
    assert when is not None
    return (
        (
            who.nodes, who.topics, who.subscriptions, fitted_values(who.per_node),
            fitted_values(who.per_topic), who.top_topics,
        ),
        (
            alike.compared, alike.top_intersections, alike.sharing_pairs, alike.mean_shared,
            alike.mean_jaccard, alike.mean_shared_if_any, alike.mean_jaccard_if_any,
        ),
        (
            what.publications, what.seconds, what.per_second, fitted_values(what.per_topic),
            None if what.per_publication is None else fitted_values(what.per_publication),
            what.top_topics, what.pairs,
        ),
        (
            when.sessions, when.nodes, when.hours, fitted_values(when.lengths), when.joins,
            when.leaves, when.node_hours, when.times, when.present, when.came, when.went,
        ),
    )  # fmt: skip


def sample(folder: Path, out: Path, session: Any) -> Values:
    done = pipeline.sample(folder, out, nodes=120, seed=2, session=session)
    return (
        done.full_nodes, done.full_relations, done.nodes, done.relations, done.levels,
        *(
            (fitted_values(one.full), fitted_values(one.sample), one.distance,
             one.rescaled_distance)
            for one in (done.followers, done.followed)
        ),
    )  # fmt: skip


def design(name: str, options: Mapping[str, Any], path: Path, out: Path, session: Any) -> Values:
    done = pipeline.design(path, out, algorithm=name, options=options, seed=5, session=session)
    return (
        done.nodes, done.topics, done.subscriptions, done.links, done.mean_degree,
        done.max_degree, done.max_diameter, done.promised_diameter, done.blocks,
        done.mean_degree_in_blocks, done.mean_degree_joining,
    )  # fmt: skip


def assess(path: Path, links: Path, session: Any) -> Values:
    return assessed_values(pipeline.assess(path, links, session=session))


def bound(path: Path, out: Path, session: Any) -> Values:
    return bounded_values(pipeline.lower_bound(path, out, session=session))[:4]
