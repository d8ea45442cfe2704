"""Comparison of protocols: seeds, intervals, failures, own metrics, determinism and pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.confidence import confidence_interval
from gossamer.errors import ParameterError, PluginError
from gossamer.protocols import ComposedMachine, Message, Send, SetTimer
from gossamer.tables.schema import PROTOCOL_RUNS

INTERESTS = gossamer.Interests.from_lists({node: [node % 3, node % 4 + 3] for node in range(16)})
CALM = gossamer.Scenario(INTERESTS, duration=3, seed=4)


class Knock(Message, frozen=True, tag="knock"):
    """A message that is declared."""


class Shout(Message, frozen=True, tag="shout"):
    """A message that is not declared."""


class Knocker(ComposedMachine):
    """Sends a message to the next node every second, after a fixed delay."""

    delay = 0

    def on_started(self, now: int, out: list[Any]) -> None:
        out.append(SetTimer("round", now + 1_000_000 + self.delay))

    def on_timer(self, key: Any, now: int, out: list[Any]) -> None:
        out.append(Send((int(self.me) + 1) % 16, Knock()))
        self.on_started(now, out)

    def on_knock(self, peer: Any, message: Knock, now: int, out: list[Any]) -> None:
        """Nothing to do."""

    def linked(self) -> list[Any]:
        return []

    def neighbours_on(self, topic: Any) -> list[Any]:
        return []

    def on_peer_down(self, peer: Any, now: int, out: list[Any]) -> None:
        """Nothing to do."""

    def on_interest(self, before: Any, now: int, out: list[Any]) -> None:
        """Nothing to do."""

    def on_leave(self, now: int, out: list[Any]) -> None:
        """Nothing to do."""


@gossamer.protocol("test-knocker", messages=[Knock])
class Steady(Knocker):
    """Knock every second."""


@gossamer.protocol("test-forgetful", messages=[Knock])
class Forgetful(Knocker):
    """Knock after a delay that every machine lengthens."""

    def on_started(self, now: int, out: list[Any]) -> None:
        Forgetful.delay += 1
        super().on_started(now, out)


@gossamer.protocol("test-failing", messages=[Knock])
class Failing(Knocker):
    """Fail after two seconds, with seed 5."""

    def on_timer(self, key: Any, now: int, out: list[Any]) -> None:
        super().on_timer(key, now, out)
        if now > 1_500_000:
            raise ZeroDivisionError("after two seconds")


@gossamer.protocol("test-undeclared", messages=[Knock])
class Undeclared(Knocker):
    """Send a message that is not declared, and then fail."""

    def on_timer(self, key: Any, now: int, out: list[Any]) -> None:
        out.append(Send((int(self.me) + 1) % 16, Shout()))
        assert now < 1_500_000, "the undeclared message was not reported at once"


@pytest.fixture(scope="module")
def churning() -> Any:
    scenario = gossamer.Scenario(
        INTERESTS, churn="exponential:4", duration=5, seed=7,
        publications=gossamer.draw_publications(INTERESTS, 6, per_second=2, seed=1),
    )  # fmt: skip
    metrics = {"joins": lambda run: run.joins, "broken": lambda run: 1 / 0}
    return gossamer.compare_protocols(
        scenario, ["spidercast", Steady], seeds=3, metrics=metrics, keep=True
    )


def test_means_and_intervals_are_those_of_the_runs(churning: Any) -> None:
    row = churning.rows[0]
    assert [run.seed for run in row.runs] == [7, 8, 9]
    for name in ("mean_degree", "message_rate", "hit_ratio", "joins"):
        interval = confidence_interval([run.measures[name] for run in row.runs])
        assert (row.measures[name], row.half_widths[name]) == interval[:2]
    for run, done in zip(row.runs, row.simulations, strict=True):
        again = gossamer.simulate(done.scenario, "spidercast")
        assert run.measures["mean_degree"] == again.assessment.mean_degree
        assert again.dissemination is not None
        spread = again.dissemination.summary()
        assert run.measures["mean_delay_ms"] == spread["mean_delay_ms"]
        assert run.measures["copies_per_delivery"] == spread["copies"] / spread["deliveries"]


def test_one_seed_has_the_same_churn_for_all_protocols(churning: Any) -> None:
    joins = [[run.measures["joins"] for run in row.runs] for row in churning.rows]
    assert joins[0] == joins[1]
    assert len(set(joins[0])) > 1, "other seeds have other sessions"
    seconds = [[run.node_seconds for run in found] for found in churning.simulations.values()]
    assert seconds[0] == seconds[1]


def test_message_rate_counts_the_time_for_which_nodes_are_present() -> None:
    run = gossamer.compare_protocols(CALM, Steady, seeds=1, keep=True).rows[0]
    (done,) = run.simulations
    assert done.node_seconds == 16 * 3
    assert run.measures["message_rate"] == sum(done.messages.by_kind.values()) / 48


def test_failed_metric_is_a_problem_with_its_seeds(churning: Any) -> None:
    assert "broken could not be measured" in churning.faults["spidercast"]
    assert churning.faults["spidercast"].endswith("with seeds 7, 8, 9")
    assert churning.rows[0].measures["broken"] is None


def test_text_and_tables(churning: Any) -> None:
    assert repr(churning) == "ProtocolComparison(protocols=2, nodes=16, topics=7, seeds=3)"
    for text in (str(churning), churning._repr_html_()):
        assert "spidercast" in text
        assert "±" in text
        assert "broken could not be measured" in text
    runs = churning.to_arrow()
    assert runs.column("protocol").to_pylist() == ["spidercast"] * 3 + ["test-knocker"] * 3
    assert runs.column("seed").to_pylist() == [7, 8, 9] * 2
    assert runs.column_names == [*PROTOCOL_RUNS.column_names, "joins", "broken"]
    assert churning.to_arrow("protocols").num_rows == 2
    assert len(churning.to_pandas()) == 6
    assert len(churning.to_polars()) == 6


def test_picture(churning: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    gossamer.comparison_picture(churning, path)
    drawn = path.read_text()
    assert "test-knocker" in drawn
    assert "Messages sent per node and second" in drawn


def test_failed_protocol_is_a_row_and_the_others_go_on(tmp_path: Path) -> None:
    found = gossamer.compare_protocols(CALM, ["test-failing", Steady], seeds=2, check_repeats=False)
    assert list(found.faults) == ["test-failing"]
    assert "ZeroDivisionError: after two seconds, with seed 4" in found.faults["test-failing"]
    assert [row.protocol for row in found.measured] == ["test-knocker"]
    assert [run["seed"] for run in found.run_records()] == [4, 4, 5]
    assert found.to_arrow().column("error").null_count == 2
    assert "after two seconds" in str(found)
    failed = gossamer.compare_protocols(CALM, Failing, seeds=1)
    with pytest.raises(ParameterError, match="every protocol failed, so there is nothing to draw"):
        gossamer.comparison_picture(failed, tmp_path / "p.svg")


def test_protocol_that_is_not_deterministic_is_reported() -> None:
    found = gossamer.compare_protocols(CALM, ["test-forgetful", "test-knocker"], seeds=1)
    assert list(found.faults) == ["test-forgetful"]
    assert "another run when it starts again with the same seed, from node" in str(found)
    assert re.match(
        r"Forgetful \(.*test_protocol_comparison.py, line \d+\): another run",
        found.faults["test-forgetful"],
    )
    assert not gossamer.compare_protocols(CALM, Forgetful, seeds=1, check_repeats=False).faults


def test_undeclared_message_is_reported_at_its_first_send() -> None:
    with pytest.raises(PluginError, match=r"Shout .*test-undeclared sends it; expected it among"):
        gossamer.simulate(CALM, "test-undeclared")


def test_cycle_driven_engine() -> None:
    found = gossamer.compare_protocols(CALM, ["opt"], engine="cycles", seeds=2)
    assert {"mean_degree", "hit_ratio", "overhead"} <= {*found.shown_measures}
    assert "message_rate" not in found.shown_measures


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"protocols": ["nix"]}, "no protocol is named 'nix'"),
        ({"protocols": []}, "no protocols are named"),
        ({"protocols": ["spidercast:nix=1"]}, "has no option 'nix'"),
        ({"protocols": [Knocker]}, "Knocker .* is not registered; expected @gossamer.protocol"),
        ({"seeds": 0}, "seeds is 0; expected a number of runs, 1 to 1000"),
        ({"metrics": ["joins"]}, "expected functions of a simulation by name"),
        ({"metrics": {"hit_ratio": len}}, "hit_ratio is a measure of every comparison"),
        ({"initial_overlay": "low-oda"}, "spidercast makes all its links itself"),
    ],
)
def test_rejected_arguments(arguments: dict[str, Any], says: str) -> None:
    protocols = arguments.pop("protocols", ["spidercast"])
    with pytest.raises((ParameterError, PluginError), match=says):
        gossamer.compare_protocols(CALM, protocols, **arguments)


def test_simulate_with_seeds_points_to_the_comparison() -> None:
    with pytest.raises(ParameterError, match="no seeds; several are run by"):
        gossamer.simulate(CALM, "spidercast", seeds=5)
