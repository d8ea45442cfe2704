"""The degree–diameter front of a workload, made: candidates run, kept as they come, judged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gossamer import quality
from gossamer.experiments.candidates import choose_candidates
from gossamer.experiments.checkpoint import Checkpoint, digest_of
from gossamer.experiments.comparison import (
    Candidate,
    Comparison,
    Origin,
    measure_candidates,
    versions,
)
from gossamer.experiments.pareto_front import Front
from gossamer.model import Interests
from gossamer.progress import Progress, silent

__all__ = ["front"]


def front(
    interests: Interests,
    algorithms: Sequence[str] | None = None,
    *,
    radii: Sequence[int] | None = None,
    rho: Sequence[float] | None = None,
    protocols: Sequence[str] | None = None,
    seed: int = 0,
    keep: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    session: Any = None,
) -> Front:
    """Run what trades links for hops on the same interests, and find what no other beats.

    Parameters
    ----------
    interests
        Who wants what.
    algorithms
        Names, with options after a colon, as in ``low-oda:rho=5``. If not given, every
        algorithm that promises to connect all topics, ``bounded-radius`` at radii from 2 to 16
        and ``low-oda`` with ρ from 1.5 to 10; what would take too long is left out, and said.
    radii, rho
        Other values for these two; with ``algorithms``, beside those.
    protocols
        Protocols to stand beside them, as in ``spidercast:kr=1``, each with the overlay that
        it comes to rest with in simulated time when every node knows all others. If not
        given, SpiderCast with and without a random link, up to 20,000 nodes.
    seed
        Settles every random choice.
    keep
        A folder where every result is kept as it comes. Called again with the same interests,
        seed and folder, only what is missing is run.
    progress
        Told what is being done and how far it is.
    session
        A ``SparkSession``, to run each candidate as a task there.

    Raises
    ------
    ParameterError
        If there is no such algorithm, protocol or option, or the folder cannot be written to.
    GossamerError
        If an algorithm refuses these interests; the message names it.

    Examples
    --------
    >>> from gossamer.workloads import generate_interests
    >>> interests = generate_interests("rss", nodes=60, topics=8, subscriptions=3, seed=1)
    >>> found = front(interests, ["greedy-merge", "cd-oda"], protocols=[])
    >>> [point.label for point in found.front("mean")]
    ['cd-oda', 'greedy-merge']
    """
    tell = progress or silent
    chosen = choose_candidates(interests, algorithms, radii=radii, rho=rho, protocols=protocols)
    kept = Checkpoint(keep, "" if keep is None else digest_of(interests, seed))
    if kept.bound is None:
        kept.keep_bound(quality.links_lower_bound(interests, progress=tell))
    assert kept.bound is not None
    missing = [one for one in chosen.candidates if one.label not in kept.rows]
    for _, row in measure_candidates(
        missing, interests, seed=seed, bound=kept.bound, progress=tell, session=session
    ):
        kept.keep(row)
    comparison = Comparison(
        nodes=interests.node_count,
        topics=interests.topic_count,
        subscriptions=interests.subscription_count,
        lower_bound=kept.bound.mean_degree,
        rows=tuple(kept.rows[one.label] for one in chosen.candidates),
        origin=Origin(
            title="The degree–diameter front",
            command=_call(chosen.candidates, seed),
            seed=seed,
            versions=versions(),
        ),
    )
    return Front(
        comparison,
        bound_method=kept.bound.method,
        protocols=frozenset(one.label for one in chosen.candidates if one.protocol),
        left_out=chosen.left_out,
    )


def _call(candidates: Sequence[Candidate], seed: int) -> str:
    named = [one.label for one in candidates if not one.protocol]
    rested = [one.label for one in candidates if one.protocol]
    return f"gossamer.front(interests, {named}, protocols={rested}, seed={seed})"
