"""Measures: the name, label, unit and meaning of every number that results, pages and tables show.

The name is the key of ``summary()`` and of ``--json``, and the column of a table. The label says
what is counted; the command line, pictures and pages show it. The Reference of the documentation
lists all measures on the page "Measures and JSON", which is generated from this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

UNITS = {"s": "seconds", "ms": "milliseconds"}
"""Units whose word in a label stands for the unit."""


@dataclass(frozen=True)
class Measure:
    """A measure.

    Attributes
    ----------
    name
        Key in ``summary()`` and ``--json``, and column of a table: snake case.
    label
        What is counted, as people read it.
    unit
        ``share`` (0 to 1, shown as %), ``links``, ``hops``, ``s``, ``ms``, ``bytes``, or empty.
    meaning
        One sentence.
    of
        Measure of the whole, for a number that is a part of it.
    """

    name: str
    label: str
    unit: str
    meaning: str
    of: str = ""

    @property
    def title(self) -> str:
        """The label with its unit, with a capital, for an axis or a heading."""
        unit = {"share": "%", "": "", "links": ""}.get(self.unit, self.unit)
        named = unit and not {unit, UNITS.get(unit)} & {*self.label.split()}
        return _capital(self.label) + (f" ({unit})" if named else "")


GROUPS: Mapping[str, tuple[Measure, ...]] = {
    "Interests": (
        Measure("nodes", "nodes", "", "Number of nodes, those without topics included."),
        Measure("topics", "topics", "", "Number of topics, those without subscribers included."),
        Measure("subscriptions", "subscriptions", "", "Number of distinct (node, topic) pairs."),
        Measure("duplicates", "repeated subscriptions, merged", "", "Number of repeated pairs."),
        Measure("min_topics", "topics per node, minimum", "", "Fewest topics of a node."),
        Measure("mean_topics", "topics per node, mean", "", "Mean number of topics of a node."),
        Measure("max_topics", "topics per node, maximum", "", "Most topics of a node."),
        Measure("min_subscribers", "subscribers per topic, minimum", "", "Of the rarest topic."),
        Measure("mean_subscribers", "subscribers per topic, mean", "", "Mean over topics."),
        Measure("max_subscribers", "subscribers per topic, maximum", "", "Of the top topic."),
    ),
    "Links": (
        Measure("links", "links", "links", "Number of undirected links."),
        Measure("mean_degree", "links per node, mean", "links", "Mean degree over all nodes."),
        Measure("median_degree", "links per node, median", "links", "Median degree."),
        Measure("p95_degree", "links per node, 95th percentile", "links",
                "Smallest degree that 95 % of the nodes do not exceed."),
        Measure("p99_degree", "links per node, 99th percentile", "links",
                "Smallest degree that 99 % of the nodes do not exceed."),
        Measure("max_degree", "links per node, maximum", "links", "Maximum degree."),
        Measure("mean_topics_per_link", "topics per link, mean", "",
                "Mean number of topics that the ends of a link share."),
        Measure("links_without_topic", "links that serve no topic", "links",
                "Links whose ends share no topic."),
        Measure("clustering", "local clustering, mean over nodes", "",
                "Mean local clustering coefficient over all nodes."),
        Measure("degree_cap", "links per node, cap", "links",
                "Cap on the degree; of an average node, if caps differ."),
        Measure("nodes_over_cap", "nodes over their cap", "", "Nodes above their degree cap."),
        Measure("max_over_cap", "links over the cap, maximum", "links",
                "Largest excess of a degree over its cap."),
        Measure("exact_mean_degree", "links per node, mean, of exact greedy merge", "links",
                "Mean degree of greedy merge in memory, for comparison."),
        Measure("exact_max_degree", "links per node, maximum, of exact greedy merge", "links",
                "Maximum degree of greedy merge in memory."),
        Measure("exact_seconds", "seconds of exact greedy merge", "s",
                "Computing time of greedy merge in memory."),
        Measure("blocks", "blocks", "", "Blocks that were designed separately and then joined."),
        Measure("mean_degree_in_blocks", "links per node, mean, within blocks", "links",
                "Part of the mean degree of links within blocks."),
        Measure("mean_degree_joining", "links per node, mean, joining blocks", "links",
                "Part of the mean degree of links between blocks."),
    ),
    "Topics": (
        Measure("topic_connected", "every topic connected", "",
                "Whether the subscribers of every topic are connected without other nodes."),
        Measure("topics_connected", "topics connected, of all", "",
                "Topics whose subscribers are connected; one with a single subscriber counts.",
                of="topics"),
        Measure("links_of_topics", "links, once per topic", "links",
                "Links within topics, summed over topics."),
        Measure("components", "components, over all topics", "",
                "Components of the topics' graphs, summed over topics."),
        Measure("max_diameter", "topic diameter, maximum", "hops",
                "Largest diameter of a topic; of a disconnected one, of its widest component."),
        Measure("mean_diameter", "topic diameter, mean over topics", "hops",
                "Mean over the topics with two or more subscribers."),
        Measure("promised_diameter", "topic diameter, guaranteed maximum", "hops",
                "Largest diameter that the algorithm guarantees."),
        Measure("bridges", "bridges, over all topics", "links",
                "Links whose failure alone disconnects a topic, summed over topics."),
        Measure("bridged_share", "topics of 2 or more subscribers with a bridge", "share",
                "Share of the topics with two or more subscribers that have a bridge."),
        Measure("articulation_points", "articulation points, over all topics", "",
                "Subscribers whose failure alone disconnects a topic, summed over topics."),
        Measure("diameter", "topic diameter", "hops", "Largest diameter of a topic's components."),
        Measure("subscribers", "subscribers", "", "Number of subscribers of a topic."),
    ),
    "Lower bound": (
        Measure("lower_bound", "links per node, mean, proven lower bound", "links",
                "No topic-connected overlay of these interests has a lower mean degree."),
        Measure("lower_bound_links", "links, proven lower bound", "links",
                "No topic-connected overlay of these interests has fewer links."),
        Measure("bound_method", "method of the lower bound", "", "How the bound was proven."),
        Measure("topics_used", "topics in the lower bound", "", "Topics that the proof uses."),
        Measure("ratio_to_lower_bound", "links, multiple of the lower bound", "",
                "Mean degree divided by its proven lower bound; none if a topic is disconnected."),
    ),
    "Resilience": (
        Measure("links_added", "links added", "links", "Number of links added."),
        Measure("links_to_add", "links to add, proven lower bound", "links",
                "Minimum number of links that remove all removable bridges."),
        Measure("max_degree_before", "links per node, maximum, before", "links",
                "Maximum degree before."),
        Measure("bridges_before", "bridges, over all topics, before", "links",
                "Bridges of the given links, or before the first event."),
        Measure("bridges_after", "bridges, over all topics, after", "links",
                "Bridges with the added links, or after the last event."),
        Measure("topics_of_two", "topics of two subscribers, whose link stays a bridge", "",
                "Topics with two connected subscribers: their only link is always a bridge."),
        Measure("articulation_points_before", "articulation points, over all topics, before", "",
                "Articulation points of the given links, or before the first event."),
        Measure("articulation_points_after", "articulation points, over all topics, after", "",
                "Articulation points with the added links, or after the last event."),
    ),
    "Publications": (
        Measure("flood", "forwarding mode", "", "tree, crosspost, simple or notify."),
        Measure("publications", "publications", "", "Number of publications."),
        Measure("mentions", "topics of publications, in total", "",
                "Topics of publications, summed over publications."),
        Measure("published", "publications published", "", "Publications that were published."),
        Measure("not_published", "publications not published", "",
                "The publisher was absent, or the simulation ended before."),
        Measure("deliveries_expected", "deliveries expected", "",
                "Pairs of a publication's topic and another subscriber."),
        Measure("deliveries", "deliveries made", "", "Expected deliveries that were made."),
        Measure("deliveries_missing", "deliveries missing", "",
                "Expected deliveries that were not made."),
        Measure("hit_ratio", "hit ratio, of expected deliveries", "share",
                "Deliveries made over deliveries expected; none if none is expected."),
        Measure("mean_hops", "hops per delivery, mean", "hops", "Mean over deliveries."),
        Measure("p95_hops", "hops per delivery, 95th percentile", "hops",
                "Hops that 95 % of the deliveries do not exceed."),
        Measure("max_hops", "hops per delivery, maximum", "hops", "Hops of the farthest delivery."),
        Measure("copies", "copies sent", "", "Copies of publications, over all nodes."),
        Measure("mean_copies", "copies sent per node, mean", "", "Mean over nodes."),
        Measure("p95_copies", "copies sent per node, 95th percentile", "",
                "Copies that 95 % of the nodes do not exceed."),
        Measure("max_copies", "copies sent per node, maximum", "", "Of the busiest node."),
        Measure("bytes", "bytes sent", "bytes", "Bytes of all copies."),
        Measure("mean_bytes", "bytes sent per node, mean", "bytes", "Mean over nodes."),
        Measure("p95_bytes", "bytes sent per node, 95th percentile", "bytes",
                "Bytes that 95 % of the nodes do not exceed."),
        Measure("max_bytes", "bytes sent per node, maximum", "bytes", "Of the busiest node."),
        Measure("duplicates_per_receipt", "duplicate copies per first copy", "",
                "Copies at nodes that had the publication already, per first copy."),
        Measure("copies_per_delivery", "copies sent per delivery", "",
                "Copies of publications, over all nodes, per delivery."),
        Measure("mean_delay_ms", "milliseconds per delivery, mean", "ms", "Mean over deliveries."),
        Measure("p95_delay_ms", "milliseconds per delivery, 95th percentile", "ms",
                "Delay that 95 % of the deliveries do not exceed."),
        Measure("max_delay_ms", "milliseconds per delivery, maximum", "ms",
                "Delay of the latest delivery."),
        Measure("overhead", "traffic overhead, of first copies", "share",
                "Share of first receptions at nodes without interest in the topic."),
        Measure("overhead_with_duplicates", "traffic overhead, of all copies", "share",
                "The same share of all receptions, duplicates included."),
        Measure("overhead_mean_over_nodes",
                "traffic overhead of a node, mean over nodes", "share",
                "Mean over nodes of each node's share of first receptions."),
        Measure("saving", "saving", "share", "Relative reduction from simple to crosspost."),
        Measure("senders_saving", "senders that save more than 10 %", "share",
                "Share of the senders that send at least 10 % fewer copies with crosspost."),
    ),
    "Simulation": (
        Measure("time", "time", "", "Simulated time in microseconds."),
        Measure("second", "second", "s", "Time since the start."),
        Measure("cycle", "cycle", "", "Number of a cycle."),
        Measure("mean_view", "neighbours per node, once per topic, mean", "",
                "Mean size of a logical view: a neighbour counts once for each topic it serves."),
        Measure("half_open", "links that only one end knows", "links",
                "Links that one end has and the other has not."),
        Measure("under_covered", "nodes below the protocol's target on a topic", "nodes",
                "Nodes with fewer neighbours on a topic than the protocol aims at and than there "
                "are other subscribers."),
        Measure("converged_second", "last change of a link", "s",
                "Time of the last change of a link; none if links still change at the end."),
        Measure("messages", "messages sent", "", "Messages sent, of all kinds."),
        Measure("control", "messages sent, without heartbeats and gossip", "",
                "Control messages."),
        Measure("compounds", "compounds sent", "",
                "Compounds in which messages travelled: those of a step to the same peer together "
                "with --compound, and single messages otherwise."),
        Measure("messages_lost", "messages lost", "",
                "Messages lost on the way, or addressed to an absent node."),
        Measure("messages_dropped", "messages dropped", "", "Messages that a node did not send."),
        Measure("malformed_frames", "connections closed after malformed frames", "",
                "Connections that ended for a peer's mistake."),
        Measure("mean_messages", "messages sent per node, mean", "", "Mean over nodes."),
        Measure("max_messages", "messages sent per node, maximum", "", "Of the busiest node."),
        Measure("message_rate", "messages sent per node and second", "",
                "Messages of all kinds, divided by the seconds for which nodes were present."),
        Measure("connected_share", "topics connected at the end", "share",
                "Share of the topics that are connected, at the end."),
        Measure("joins", "joins", "", "Joins of nodes."),
        Measure("leaves", "leaves", "", "Leaves of nodes."),
        Measure("subscribes", "subscribe events", "", "Topics that nodes subscribed to in place."),
        Measure("unsubscribes", "unsubscribe events", "", "Topics that nodes gave up in place."),
        Measure("departures", "departures", "", "Leaves and crashes of nodes."),
        Measure("interest_changes", "changes of interests", "",
                "Topics that nodes subscribed to or gave up in place."),
        Measure("control_per_change", "control messages per join or departure", "",
                "Control messages, divided by joins (the first ones included) and departures."),
        Measure("connected_throughout", "every topic connected, in every snapshot", "",
                "Whether every topic was connected in every snapshot."),
        Measure("snapshots_connected", "snapshots with every topic connected", "",
                "Snapshots in which every topic was connected.", of="snapshot_count"),
        Measure("snapshot_count", "snapshots", "", "Number of snapshots."),
        Measure("ring", "nodes with the right ring neighbours", "share",
                "Share of nodes with the right successor and predecessor."),
        Measure("rendezvous", "topics with one rendezvous node", "share",
                "Share of topics whose lookups all end at the same node."),
        Measure("gateways", "subscriptions of gateways", "share",
                "Share of subscriptions whose node is a gateway."),
        Measure("events", "events", "", "Number of events processed."),
        Measure("effects", "effects", "", "Number of effects that the protocol returned."),
        Measure("equal", "effects equal", "", "Whether replay gives the recorded effects."),
        Measure("events_per_second", "events per second", "", "Speed of the simulation."),
        Measure("seconds_per_cycle", "seconds per cycle", "s", "Speed of the simulation."),
        Measure("sent", "sent", "", "Number sent."),
        Measure("sent_per_node", "sent per node", "", "Number sent, divided by the nodes."),
        Measure("degree", "links of the node", "links", "Number of links of a node."),
        Measure("view", "neighbours of the node, once per topic", "",
                "Size of the logical view of a node."),
    ),
    "Maintenance": (
        Measure("links_removed", "links removed", "links", "Number of links removed."),
        Measure("time_zero", "time 0 of the tables", "", "Date from which times count."),
        Measure("rebuilds", "rebuilds", "", "Number of designs from scratch during the run."),
        Measure("links_left_out", "links left out at the start", "links",
                "Given links with an absent end."),
        Measure("links_added_at_start", "links added at the start", "links",
                "Links that repair the topics at the start."),
        Measure("nodes_before", "nodes, before", "", "Present nodes before the first event."),
        Measure("links_before", "links, before", "links", "Links before the first event."),
        Measure("mean_degree_before", "links per node, mean, before", "links",
                "Mean degree of the present nodes before the first event."),
        Measure("nodes_after", "nodes, after", "", "Present nodes after the last event."),
        Measure("links_after", "links, after", "links", "Links after the last event."),
        Measure("mean_degree_after", "links per node, mean, after", "links",
                "Mean degree of the present nodes after the last event."),
        Measure("max_degree_after", "links per node, maximum, after", "links",
                "Maximum degree after the last event."),
        Measure("max_degree_ever", "links per node, maximum, after any event", "links",
                "Maximum degree after any event."),
        Measure("mean_links_added", "links added per event, mean", "links", "Mean over events."),
        Measure("mean_links_removed", "links removed per event, mean", "links",
                "Mean over events; those of a leaving node included."),
        Measure("mean_event_ms", "milliseconds per event, mean", "ms", "Mean computing time."),
        Measure("median_event_ms", "milliseconds per event, median", "ms", "Median."),
        Measure("max_event_ms", "milliseconds per event, maximum", "ms", "Of the slowest event."),
        Measure("new_mean_degree", "links per node, mean, of a new design", "links",
                "Mean degree of a new design for the present nodes."),
        Measure("new_max_degree", "links per node, maximum, of a new design", "links",
                "Maximum degree of a new design for the present nodes."),
        Measure("share_of_links_saved", "links that a new design saves", "share",
                "Share of the links that a new design saves; negative if it has more."),
        Measure("links_changed", "links that a rebuild changes", "links",
                "Links that a new design removes, and those that it adds."),
        Measure("rebuild_pays", "a rebuild pays", "",
                "Whether a new design saves the share of links that makes a rebuild pay."),
        Measure("resumed", "events of an earlier run", "", "Events that an earlier run applied."),
        Measure("sessions", "sessions", "", "Intervals of presence of a node."),
        Measure("present", "nodes present at the start", "", "Nodes present at the start."),
        Measure("last_second", "time of the last event", "s", "Time of the last event."),
    ),
    "Tables": (
        Measure("records", "records", "", "Lines or entries read."),
        Measure("bad_records", "bad records", "", "Records left out, with their reason."),
        Measure("users_by_steps", "users by steps from a seed", "",
                "Users at 0, 1, 2, … steps from the nearest seed of the sample."),
        Measure("observations", "observations", "", "Number of observations."),
        Measure("mean", "mean", "", "Mean of the observations."),
        Measure("standard_deviation", "standard deviation", "", "Of the observations."),
        Measure("maximum", "maximum", "", "Largest observation."),
        Measure("share_of_zero", "share of zeros", "share", "Share of observations of value 0."),
        Measure("rows", "rows", "", "Number of rows."),
        Measure("publications_read", "publications read", "", "Rows of the table."),
        Measure("publications_left_out", "publications left out, no subscribed topic", "",
                "Publications without a topic of the subscriptions."),
        Measure("mentions_without_subscribers", "mentions of topics without subscribers", "",
                "Topics of publications that have no subscriber."),
        Measure("mentions_without_publisher", "mentions of topics without their publisher", "",
                "Topics of publications that their publisher does not subscribe to."),
        Measure("users", "users in the sample, of all", "", "Users in the sample.",
                of="all_users"),
        Measure("all_users", "users of the whole graph", "", "Users of the whole graph."),
        Measure("relations", "relations in the sample, of all", "", "Relations in the sample.",
                of="all_relations"),
        Measure("all_relations", "relations of the whole graph", "",
                "Relations of the whole graph."),
    ),
    "What ran": (
        Measure("algorithms", "algorithms", "", "Number of algorithms compared."),
        Measure("protocols", "protocols", "", "Number of protocols compared."),
        Measure("overlays", "overlays", "", "Number of overlays compared."),
        Measure("overlays_on_front", "overlays on the front", "",
                "Overlays that no other dominates."),
        Measure("algorithm", "algorithm", "", "Name of the algorithm, with its options."),
        Measure("protocol", "protocol", "", "Name of the protocol."),
        Measure("strategy", "strategy", "", "Name of the maintenance strategy."),
        Measure("node", "node", "", "Name of a node."),
        Measure("topic", "topic", "", "Name of a topic."),
        Measure("seed", "seed", "", "Seed of the random number generator."),
        Measure("seeds", "seeds, one run each", "", "Number of runs of each algorithm."),
        Measure("error", "failure", "", "Reason why an algorithm has no measures."),
        Measure("problem", "problem", "",
                "What is wrong with an overlay: a broken promise, or a metric that failed."),
        Measure("resilient", "resilient", "", "Whether links were added against single failures."),
        Measure("seconds", "seconds", "s", "Computing time."),
        *(
            Measure(f"seconds_{phase}", f"seconds, {phase}", "s", f"Computing time of {phase}.")
            for phase in ("numbering", "merging", "reinforcing", "naming", "verifying")
        ),
    ),
}  # fmt: skip
"""All measures by subject, in reading order."""

MEASURES: Mapping[str, Measure] = {
    measure.name: measure for group in GROUPS.values() for measure in group
}


HALF_WIDTH = "_half_width"
"""Ending of the name of the half-width of a measure's confidence interval."""


def label_of(name: str) -> str:
    """Return the label of a measure; of another name, the name in words.

    Examples
    --------
    >>> label_of("mean_degree"), label_of("most_of_all")
    ('links per node, mean', 'most of all')
    """
    if name.endswith(HALF_WIDTH):
        return f"{label_of(name.removesuffix(HALF_WIDTH))}, half-width of the 95 % interval"
    return MEASURES[name].label if name in MEASURES else name.replace("_", " ")


def title_of(name: str) -> str:
    """Return the title of a measure; of another name, the name in words.

    Examples
    --------
    >>> title_of("max_diameter"), title_of("most_of_all")
    ('Topic diameter, maximum (hops)', 'Most of all')
    """
    return MEASURES[name].title if name in MEASURES else _capital(label_of(name))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


SHORT = 0.001
"""Seconds below which people read only that there are less."""
LOWER_BOUNDS = ("lower_bound",)
"""Measures that are rounded down, since a larger number would not be a bound."""


def shown(value: Any, name: str = "", facts: Mapping[str, Any] | None = None) -> str:
    """Return a value as people read it: 1,000,000, 3.14, yes, –, 12.5 %, 9 of 10.

    Parameters
    ----------
    value
        Value of a measure.
    name
        Name of the measure, for its unit.
    facts
        Measures among which the whole is looked up, for a number that is a part of it.

    Examples
    --------
    >>> shown(1_000_000), shown(0.125, "hit_ratio"), shown(None)
    ('1,000,000', '12.5 %', '–')
    >>> shown(9, "topics_connected", {"topics": 10})
    '9 of 10'
    """
    measure = MEASURES.get(name)
    if value is None or value != value:  # NaN is not equal to itself
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if measure is not None and measure.unit == "share":
        return f"{100 * value:.4g} %"
    if measure is not None and measure.of and facts and facts.get(measure.of) is not None:
        return f"{value:,} of {facts[measure.of]:,}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple | list):
        return ", ".join(shown(one) for one in value)
    if isinstance(value, float):
        if measure is not None and measure.unit == "s" and 0 < value < SHORT:
            return f"< {SHORT}"
        if name in LOWER_BOUNDS:
            value = math.floor(value * 100 + 1e-9) / 100
        size = abs(value)
        return (
            f"{value:,.0f}" if size >= 10_000 else f"{value:,.2f}" if size >= 1 else f"{value:.3g}"
        )
    return str(value)


def shown_interval(
    mean: float, half_width: float, name: str = "", facts: Mapping[str, Any] | None = None
) -> str:
    """Return a mean and the half-width of its interval as people read them: 2.73 ± 0.14.

    ``facts`` are as in :func:`shown`.

    Examples
    --------
    >>> shown_interval(13.3333, 5.737), shown_interval(1234.0, 0.0)
    ('13.3 ± 5.8', '1,234 ± 0')
    >>> shown_interval(39.5, 0.8, "topics_connected", {"topics": 40})
    '39.50 ± 0.80 of 40'
    >>> shown_interval(2.7151576, 1e-15), shown_interval(0.49791, 0.000038)
    ('2.715 ± 0', '0.4979 ± 0.0001')
    """
    measure = MEASURES.get(name)
    share = measure is not None and measure.unit == "share"
    end = " %" * share
    if measure is not None and measure.of and facts and facts.get(measure.of) is not None:
        end = f" of {facts[measure.of]:,}"
    mean, half_width = (100 * mean, 100 * half_width) if share else (mean, half_width)
    if measure is not None and measure.unit == "s" and 0 < mean + half_width < SHORT:
        return f"< {SHORT}"
    by_mean = max(0, 3 - math.floor(math.log10(abs(mean)))) if mean else 4
    if half_width <= 1e-12 * abs(mean):  # a difference of rounding
        text = f"{mean:,.0f}" if mean == round(mean) else f"{mean:,.{by_mean}f}"
        return f"{text} ± 0{end}"
    digits = min(by_mean, max(0, 1 - math.floor(math.log10(half_width))))
    # Rounded up, so that no interval is too narrow, and none that is not 0 looks like 0.
    unit = 10.0**-digits
    half_width = math.ceil(half_width / unit - 1e-9) * unit
    return f"{mean:,.{digits}f} ± {half_width:,.{digits}f}{end}"
