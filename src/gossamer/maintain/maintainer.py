"""Maintainer: an overlay, the strategy that repairs it, and the loop over churn events."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.definitions import is_own
from gossamer.errors import InputError, OverlayError, ParameterError
from gossamer.maintain.checked_changes import checked_changes
from gossamer.maintain.components import count_components, describe_disconnected
from gossamer.maintain.dynamic_overlay import DynamicOverlay
from gossamer.maintain.events import EventRecord, LinkChanges, RepairCost
from gossamer.maintain.initial_overlay import ConnectingDesign
from gossamer.maintain.strategies.low_oda_re import link_changes
from gossamer.maintain.strategies.registry import Strategy, require_topics, resolve_strategy
from gossamer.model import ChurnEvents, Interests, Overlay
from gossamer.model.churn import JOIN, LEAVE, SUBSCRIBE
from gossamer.model.interests import Name, check_interests
from gossamer.model.wording import quoted
from gossamer.progress import Progress
from gossamer.random_stream import check_seed

Link = tuple[Name, Name]


class Change(NamedTuple):
    """Links added and links removed by an event, by name."""

    links: list[Link]
    unlinks: list[Link]


class Maintainer:
    """An overlay that stays topic-connected while nodes join, leave and change their interests.

    Parameters
    ----------
    interests
        Topics of every node that may ever be present, at the start. Further nodes can join later,
        with their topics.
    overlay
        Initial links over the ids of the interests; designed by
        :func:`~gossamer.design.low_oda.low_oda` for the present nodes if not given. A topic that
        they leave disconnected may stay so until an event concerns it; see ``check``.
    strategy
        Name of a strategy, with options or without, as in ``elasto-g:rho=5``, see
        :func:`gossamer.maintain.strategies.registry.strategies`; or an object with the methods of
        :class:`~gossamer.maintain.strategies.registry.Strategy`.
    present
        Initial presence of each node, by id; all are present if not given.
    seed
        Seed of the random number generator.
    check
        Whether to reject an overlay that leaves a topic disconnected, in O(subscriptions and the
        links within each topic).
    progress
        Callback that receives the current step and the fraction done, of the initial design.
    **options
        Options of the strategy, as in ``rho=5``.

    Examples
    --------
    >>> interests = Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})
    >>> maintainer = Maintainer(interests)
    >>> links, unlinks = maintainer.leave("ann")
    >>> links, unlinks
    ([('bob', 'cy')], [('ann', 'bob'), ('ann', 'cy')])
    >>> maintainer.join("dan", topics=["tea"]).links
    [('bob', 'dan')]
    >>> maintainer.subscribe("dan", "jazz"), maintainer.subscribe("cy", "jazz")
    (Change(links=[], unlinks=[]), Change(links=[('cy', 'dan')], unlinks=[]))
    >>> maintainer.unsubscribe("dan", "jazz").links
    []
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
        check_seed(seed)
        check_interests(interests)
        count = interests.node_count
        presence = np.ones(count, dtype=np.bool_) if present is None else np.asarray(present)
        if presence.shape != (count,) or presence.dtype != np.bool_:
            raise ParameterError(
                f"present is an array of {presence.dtype} of shape {presence.shape}; expected "
                f"{count} truth values, one a node"
            )
        self.strategy = resolve_strategy(strategy, options, seed=seed).build()
        self._own = is_own(type(self.strategy))
        self.seed = seed
        self._overlay = DynamicOverlay(
            interests, presence, Overlay.from_links(count, ()) if overlay is None else overlay
        )
        if overlay is None:
            self.rebuild("low-oda", progress=progress)
        if check:
            self._check_connected()
        self.strategy.begin(self._overlay)

    # -- state ---------------------------------------------------------------------------

    @property
    def dynamic_overlay(self) -> DynamicOverlay:
        """The state by id, for strategies and measurements; not to be changed."""
        return self._overlay

    @property
    def interests(self) -> Interests:
        """Current topics of all nodes; their ids are used throughout."""
        return self._overlay.interests

    @property
    def present_interests(self) -> Interests:
        """Interests in which absent nodes have no topics."""
        return self._overlay.present_interests()

    @property
    def overlay(self) -> Overlay:
        """The current overlay, over the ids of :attr:`interests`. O(links log links)."""
        return self._overlay.overlay()

    @property
    def present(self) -> NDArray[np.bool_]:
        """Presence of each node, by id; a copy."""
        return self._overlay.present.copy()

    @property
    def degrees(self) -> NDArray[np.int32]:
        """Degrees of the present nodes."""
        found: NDArray[np.int32] = self._overlay.degrees[self._overlay.present]
        return found

    # -- events --------------------------------------------------------------------------

    def join(self, node: Name, topics: Iterable[Name] | None = None) -> Change:
        """Add a node, and return the links to add and to remove.

        Parameters
        ----------
        node
            Name of the node.
        topics
            Topics of the node; those it had before, if not given. New names, or other topics
            than before, cost O(subscriptions) once.

        Raises
        ------
        InputError
            If the node is present, or unknown and without topics, or the topics are a string.
        """
        if isinstance(topics, str | bytes):
            raise InputError(f"topics is the text {quoted(topics)}; expected a list of topics")
        if topics is not None:
            self._set_topics(node, list(topics))
        return self.named(self.join_id(self._overlay.names.node_id(node)))

    def leave(self, node: Name) -> Change:
        """Remove a node, and return the links to add and those removed, its own included.

        Raises
        ------
        InputError
            If the node is not present.
        """
        return self.named(self.leave_id(self._overlay.names.node_id(node)))

    def subscribe(self, node: Name, topic: Name) -> Change:
        """Add a topic to those of a node, and return the links to add and to remove.

        Parameters
        ----------
        node
            Name of the node. If it is absent, the change takes effect when it joins.
        topic
            Name of the topic. A new name costs O(subscriptions) once.

        Raises
        ------
        InputError
            If the node is unknown, or subscribes to the topic already.
        """
        overlay = self._overlay
        place = overlay.names.node_id(node)
        try:
            known = overlay.names.topic_id(topic)
        except InputError:
            overlay.add_topics([topic])
            known = overlay.names.topic_id(topic)
        return self.named(self.subscribe_id(place, known))

    def unsubscribe(self, node: Name, topic: Name) -> Change:
        """Remove a topic from those of a node, and return the links to add and those removed.

        Links of the node that serve no other topic are removed.

        Raises
        ------
        InputError
            If the node or the topic is unknown, or the node does not subscribe to it.
        """
        names = self._overlay.names
        return self.named(self.unsubscribe_id(names.node_id(node), names.topic_id(topic)))

    def join_id(self, node: int) -> LinkChanges:
        """Add a node by id; as :meth:`join`."""
        if self._overlay.present[node]:
            raise InputError(f"{self._name(node)} cannot join: it is present")
        self._overlay.add_node(node)
        return self._apply(self.strategy.joined(self._overlay, node))

    def leave_id(self, node: int) -> LinkChanges:
        """Remove a node by id; as :meth:`leave`."""
        if not self._overlay.present[node]:
            raise InputError(f"{self._name(node)} cannot leave: it is not present")
        neighbours = self._overlay.remove_node(node)
        changes = self._apply(self.strategy.left(self._overlay, node, neighbours))
        own = np.stack((np.minimum(neighbours, node), np.maximum(neighbours, node)), axis=1)
        return LinkChanges(changes.links, np.concatenate((own.astype(np.int32), changes.unlinks)))

    def subscribe_id(self, node: int, topic: int) -> LinkChanges:
        """Add a topic to those of a node, both by id; as :meth:`subscribe`."""
        strategy = require_topics(self.strategy, 1)
        if self._overlay.is_subscribed(node, topic):
            raise InputError(f"{self._name(node)} cannot subscribe to {self._topic(topic)} again")
        self._overlay.subscribe(node, topic)
        if not self._overlay.present[node]:
            return LinkChanges()
        return self._apply(strategy.subscribed(self._overlay, node, topic))

    def unsubscribe_id(self, node: int, topic: int) -> LinkChanges:
        """Remove a topic from those of a node, both by id; as :meth:`unsubscribe`."""
        strategy, overlay = require_topics(self.strategy, 1), self._overlay
        if not overlay.is_subscribed(node, topic):
            raise InputError(
                f"{self._name(node)} cannot unsubscribe from {self._topic(topic)}: it does not "
                "subscribe to it"
            )
        overlay.unsubscribe(node, topic)
        if not overlay.present[node]:
            return LinkChanges()
        neighbours = overlay.subscribers_among(overlay.neighbours_of(node), topic)
        own = set(overlay.topics_of(node).tolist())
        idle = [one for one in neighbours.tolist() if own.isdisjoint(overlay.topics_of(one))]
        ends = [(min(node, one), max(node, one)) for one in idle]
        unlinks = np.array(ends, dtype=np.int32).reshape(-1, 2)
        self._apply(LinkChanges(unlinks=unlinks))
        changes = self._apply(strategy.unsubscribed(overlay, node, topic, neighbours))
        return LinkChanges(changes.links, np.concatenate((unlinks, changes.unlinks)))

    def run(
        self,
        events: ChurnEvents,
        *,
        start: int = 0,
        rebuild_every: int | None = None,
        design: ConnectingDesign | None = None,
        check: bool = False,
    ) -> Iterator[EventRecord]:
        """Apply events one by one, and yield a record of each.

        Parameters
        ----------
        events
            Joins, leaves and changes of interests, by id.
        start
            Number of events to skip, because they were applied before.
        rebuild_every
            Number of events between two rebuilds; none if not given.
        design
            Design of the rebuilds; LowODA if not given.
        check
            Whether to count the disconnected topics after each event.
        """
        overlay = self._overlay
        columns = (events.nodes[start:], events.kinds[start:], events.topics[start:])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for number, (node, kind, topic) in enumerate(rows, start=start + 1):
            began = time.perf_counter()
            changes = self._change(node, kind, topic)
            rebuild = None
            if rebuild_every and number % rebuild_every == 0:
                rebuild = self._rebuild(design or ConnectingDesign("low-oda"))
            seconds = time.perf_counter() - began
            disconnected = -1
            if check:
                components = count_components(self.interests, self.overlay, overlay.present)
                disconnected = int((components > 1).sum())
            count = int(np.count_nonzero(overlay.present))
            yield EventRecord(
                node=node,
                kind=kind,
                topic=topic,
                nodes=count,
                links=overlay.link_count,
                mean_degree=2 * overlay.link_count / max(count, 1),
                max_degree=int(overlay.degrees.max(initial=0)),
                disconnected_topics=disconnected,
                changes=changes,
                rebuild=rebuild,
                seconds=seconds,
                cost=getattr(self.strategy, "last", RepairCost()),
            )

    def rebuild(self, algorithm: str = "low-oda", *, progress: Progress | None = None) -> Change:
        """Replace the overlay by a new design (TcoCreator), and return the differences.

        Parameters
        ----------
        algorithm
            Name and options of a design algorithm, as in ``low-oda:rho=5``.
        progress
            Callback that receives the current step and the fraction done.

        Raises
        ------
        ParameterError
            If the algorithm is unknown, or does not promise that topics are connected.
        """
        return self.named(self._rebuild(ConnectingDesign(algorithm), progress=progress))

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the memory of the strategy, besides presence and links, as arrays.

        A maintainer of the same overlay that restores it goes on as this one would. Strategies
        with a memory have methods ``state`` and ``restore``.
        """
        state = getattr(self.strategy, "state", None)
        return {} if state is None else dict(state())

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore a :meth:`state`."""
        restore = getattr(self.strategy, "restore", None)
        if state and restore is not None:
            restore(state)

    def named(self, changes: LinkChanges) -> Change:
        """Return changes with names in place of ids."""
        names = self._overlay.names.node_names
        return Change(
            [(one, other) for one, other in names[changes.links].tolist()],
            [(one, other) for one, other in names[changes.unlinks].tolist()],
        )

    def _change(self, node: int, kind: int, topic: int) -> LinkChanges:
        """Apply an event."""
        if kind == JOIN:
            return self.join_id(node)
        if kind == LEAVE:
            return self.leave_id(node)
        change = self.subscribe_id if kind == SUBSCRIBE else self.unsubscribe_id
        return change(node, topic)

    def _rebuild(
        self, design: ConnectingDesign, *, progress: Progress | None = None
    ) -> LinkChanges:
        links = design.links(self._overlay, seed=self.seed, progress=progress)
        return self._apply(link_changes(self._overlay, links))

    def _apply(self, changes: LinkChanges) -> LinkChanges:
        if not self._own:
            changes = checked_changes(self.strategy, self._overlay, changes)
        for one, other in changes.unlinks.tolist():
            self._overlay.unlink(one, other)
        self._overlay.add_links(changes.links)
        return changes

    def _set_topics(self, node: Name, topics: list[Name]) -> None:
        """Replace the topics of an absent or new node."""
        old = self.interests
        if node in old.node_names.tolist():
            known = old.node_id(node)
            if self._overlay.present[known]:
                raise InputError(f"{quoted(node)} cannot join: it is present")
            if set(old.topic_names[old.topics_of(known)].tolist()) == set(topics):
                return
        lists = {
            name: old.topic_names[old.topics_of(place)].tolist()
            for place, name in enumerate(old.node_names.tolist())
        }
        lists[node] = topics
        new = Interests.from_lists(lists)
        places = np.searchsorted(new.node_names, old.node_names)
        present = np.zeros(new.node_count, dtype=np.bool_)
        present[places] = self._overlay.present
        overlay = Overlay.from_links(new.node_count, places[self._overlay.links()])
        renumber = getattr(self.strategy, "renumber", None)
        if renumber is not None:
            renumber(places, new.node_count)
        self._overlay = DynamicOverlay(new, present, overlay)
        self.strategy.begin(self._overlay)

    def _name(self, node: int) -> str:
        return quoted(self._overlay.names.node_names[node])

    def _topic(self, topic: int) -> str:
        return quoted(self._overlay.names.topic_names[topic])

    def _check_connected(self) -> None:
        components = count_components(self.interests, self.overlay, self._overlay.present)
        if (components > 1).any():
            raise OverlayError(
                f"the links leave {describe_disconnected(self.interests, components)}; expected "
                "every topic connected among its present subscribers"
            )
