"""Keeping an overlay up to date when nodes come and go, one at a time, without building it anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.design.registry import Algorithm, find_algorithm
from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.strategies.low_oda_re import differences
from gossamer.maintain.strategies.registry import LinkChanges, Strategy, find_strategy
from gossamer.maintain.topic_components import count_pieces
from gossamer.model import Interests, Overlay
from gossamer.model.interests import Name
from gossamer.model.wording import quoted
from gossamer.progress import Progress

__all__ = ["Change", "Maintainer", "find_connecting"]

Link = tuple[Name, Name]


class Change(NamedTuple):
    """What an event did to the overlay: links that are new, and links that ended, by name."""

    links: list[Link]
    unlinks: list[Link]


class Maintainer:
    """An overlay that is kept topic-connected while nodes join and leave.

    Parameters
    ----------
    interests
        What everybody wants who may ever be there; who is not among them can join later, with
        their topics.
    overlay
        The links at first, over the ids of the interests; if not given, those of
        :func:`~gossamer.design.low_oda.low_oda`, among those who are there. Topics that they
        leave in pieces may stay so where nothing happens; see ``check``.
    strategy
        How it is kept: a name out of :func:`gossamer.maintain.strategies.registry.strategies`, or
        an object of one's own that has the methods of
        :class:`~gossamer.maintain.strategies.registry.Strategy`.
    present
        Who is there at first, by id; everybody if not given.
    seed
        Settles every random choice.
    check
        Whether to refuse an overlay that leaves a topic in pieces, which costs
        O(subscriptions and the links within each topic).
    progress
        Told how far the first overlay is.
    options
        The strategy's own.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> maintainer = Maintainer(interests)
    >>> links, unlinks = maintainer.leave("ann")
    >>> links, unlinks
    ([('bob', 'cy')], [('ann', 'bob'), ('ann', 'cy')])
    >>> maintainer.join("dan", topics=["tea"]).links
    [('bob', 'dan')]
    """

    def __init__(
        self,
        interests: Interests,
        overlay: Overlay | None = None,
        *,
        strategy: str | Strategy = "elasto-g",
        present: NDArray[np.bool_] | None = None,
        seed: int = 0,
        check: bool = False,
        progress: Progress | None = None,
        **options: Any,
    ) -> None:
        if seed < 0:
            raise ParameterError(f"seed is {seed}; expected 0 or more")
        count = interests.node_count
        here = np.ones(count, dtype=np.bool_) if present is None else np.asarray(present)
        if here.shape != (count,) or here.dtype != np.bool_:
            raise ParameterError(
                f"present is an array of {here.dtype} of shape {here.shape}; expected {count} "
                "truth values, one a node"
            )
        if isinstance(strategy, str):
            self.strategy = find_strategy(strategy)(seed=seed, **options)
        elif options:
            raise ParameterError(
                f"the strategy is an object, and has no options; got {', '.join(options)}"
            )
        else:
            self.strategy = strategy
        self.seed = seed
        self._upkeep = DynamicOverlay(interests, here, Overlay.from_links(count, ()))
        if overlay is None:
            self.rebuild("low-oda", progress=progress)
        else:
            self._upkeep = DynamicOverlay(interests, here, overlay)
        if check:
            _check_connected(self._upkeep)
        self.strategy.begin(self._upkeep)

    # -- what there is -------------------------------------------------------------------

    @property
    def dynamic_overlay(self) -> DynamicOverlay:
        """The state itself, by id, for strategies and measures; not to be changed."""
        return self._upkeep

    @property
    def interests(self) -> Interests:
        """What everybody wants who was ever there; ids are its."""
        return self._upkeep.interests

    @property
    def interests_now(self) -> Interests:
        """What those who are there want; the others have no topics."""
        return self._upkeep.interests_now()

    @property
    def overlay(self) -> Overlay:
        """The overlay as it is now, over the ids of :attr:`interests`. O(links log links)."""
        return self._upkeep.overlay()

    @property
    def present(self) -> NDArray[np.bool_]:
        """Who is there, by id; a copy."""
        return self._upkeep.present.copy()

    @property
    def degrees(self) -> NDArray[np.int32]:
        """The degrees of those who are there."""
        found: NDArray[np.int32] = self._upkeep.degrees[self._upkeep.present]
        return found

    # -- what happens --------------------------------------------------------------------

    def join(self, node: Name, topics: Iterable[Name] | None = None) -> Change:
        """Let a node join; return the links to make, and to end.

        Parameters
        ----------
        node
            Its name.
        topics
            What it wants; what it wanted before, if not given. Names that are new, or other
            topics than before, cost O(subscriptions) once.

        Raises
        ------
        InputError
            If it is there already, or not known and without topics; or its topics are one text.
        """
        if isinstance(topics, str | bytes):
            raise InputError(f"topics is the text {quoted(topics)}; expected a list of topics")
        if topics is not None:
            self._want(node, list(topics))
        return self.named(self.join_id(self.interests.node_id(node)))

    def leave(self, node: Name) -> Change:
        """Let a node leave; return the links to make, and those that ended, its own among them.

        Raises
        ------
        InputError
            If it is not there.
        """
        return self.named(self.leave_id(self.interests.node_id(node)))

    def join_id(self, node: int) -> LinkChanges:
        """As :meth:`join`, by id."""
        if self._upkeep.present[node]:
            raise InputError(f"{quoted(self.interests.node_names[node])} cannot join: it is there")
        self._upkeep.come(node)
        return self._carry_out(self.strategy.joined(self._upkeep, node))

    def leave_id(self, node: int) -> LinkChanges:
        """As :meth:`leave`, by id."""
        if not self._upkeep.present[node]:
            raise InputError(
                f"{quoted(self.interests.node_names[node])} cannot leave: it is not there"
            )
        neighbours = self._upkeep.go(node)
        done = self._carry_out(self.strategy.left(self._upkeep, node, neighbours))
        own = np.stack((np.minimum(neighbours, node), np.maximum(neighbours, node)), axis=1)
        return LinkChanges(done.links, np.concatenate((own.astype(np.int32), done.unlinks)))

    def apply(self, nodes: Iterable[int], joins: Iterable[bool]) -> Iterator[LinkChanges]:
        """Let one event after another happen, by id, and give what each did."""
        for node, joining in zip(nodes, joins, strict=True):
            yield self.join_id(node) if joining else self.leave_id(node)

    def rebuild(
        self, algorithm: str = "low-oda", *, progress: Progress | None = None, **options: Any
    ) -> Change:
        """Build the overlay anew with a design algorithm (TcoCreator); return the differences.

        Raises
        ------
        ParameterError
            If there is no such algorithm, or it does not promise that topics are connected.
        """
        found = find_connecting(algorithm)
        # Without those who are away: some algorithms link nodes that want nothing, too.
        here, interests = self._upkeep.interests_here()
        overlay = found(interests, seed=self.seed, progress=progress, **options)
        return self.named(self._carry_out(differences(self._upkeep, here[overlay.links])))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return what the strategy remembers, besides the overlay and who is there, as arrays.

        A maintainer of the same overlay that restores it goes on as this one would.
        Strategies that remember something have methods ``state`` and ``restore``.
        """
        kept = getattr(self.strategy, "state", None)
        return {} if kept is None else dict(kept())

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a :meth:`state`."""
        restore = getattr(self.strategy, "restore", None)
        if state and restore is not None:
            restore(state)

    def named(self, mended: LinkChanges) -> Change:
        """Return a change with names for ids."""
        names = self.interests.node_names
        return Change(
            [(one, other) for one, other in names[mended.links].tolist()],
            [(one, other) for one, other in names[mended.unlinks].tolist()],
        )

    def _carry_out(self, mended: LinkChanges) -> LinkChanges:
        for one, other in mended.unlinks.tolist():
            self._upkeep.unlink(one, other)
        for one, other in mended.links.tolist():
            self._upkeep.link(one, other)
        return mended

    def _want(self, node: Name, topics: list[Name]) -> None:
        """Let a node that is not there want these topics, whatever it wanted before."""
        old = self.interests
        if node in old.node_names.tolist():
            at = old.node_id(node)
            if self._upkeep.present[at]:
                raise InputError(f"{quoted(node)} cannot join: it is there")
            if set(old.topic_names[old.topics_of(at)].tolist()) == set(topics):
                return
        lists = {
            name: old.topic_names[old.topics_of(place)].tolist()
            for place, name in enumerate(old.node_names.tolist())
        }
        lists[node] = topics
        new = Interests.from_lists(lists)
        place = np.searchsorted(new.node_names, old.node_names)
        present = np.zeros(new.node_count, dtype=np.bool_)
        present[place] = self._upkeep.present
        overlay = Overlay.from_links(new.node_count, place[self._upkeep.links()])
        renumber = getattr(self.strategy, "renumber", None)
        if renumber is not None:
            renumber(place, new.node_count)
        self._upkeep = DynamicOverlay(new, present, overlay)
        self.strategy.begin(self._upkeep)


def find_connecting(name: str) -> Algorithm:
    """Return the design algorithm of that name, if it promises that topics are connected."""
    found = find_algorithm(name)
    if not found.topic_connected:
        raise ParameterError(
            f"{name} does not promise that topics are connected; expected an algorithm that does, "
            "to rebuild by"
        )
    return found


def _check_connected(dynamic_overlay: DynamicOverlay) -> None:
    pieces = count_pieces(dynamic_overlay)
    broken = np.flatnonzero(pieces > 1)
    if len(broken):
        first = quoted(dynamic_overlay.interests.topic_names[broken[0]])
        raise OverlayError(
            f"the links leave {len(broken):,} of {len(pieces):,} topics in pieces (first: {first}, "
            f"in {pieces[broken[0]]}); expected every topic connected among those there"
        )
