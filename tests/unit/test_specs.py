"""Names with options, such as ``low-oda:rho=5``, and functions, in the place of an algorithm."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.cycles.models import MODELS
from gossamer.design import find_algorithm
from gossamer.design.registry import resolve_algorithm
from gossamer.errors import ParameterError, PluginError
from gossamer.live.cluster import LocalCluster
from gossamer.maintain.strategies import registry as strategy_registry
from gossamer.maintain.strategies.registry import strategies
from gossamer.model import Interests, Overlay, Scenario, WorkloadSpec
from gossamer.options import split_spec
from gossamer.pipeline import generate
from gossamer.protocols import protocols
from gossamer.protocols import registry as protocol_registry
from gossamer.protocols.registry import REGISTRY as PROTOCOLS
from gossamer.workloads import generate_interests, generate_workload, kinds
from gossamer.workloads import registry as workload_registry

INTERESTS = Interests.from_lists({node: [node % 5, (node + 1) % 5] for node in range(12)})


def star(interests: Interests, *, seed: int = 0, centre: int = 0) -> Overlay:
    pairs = [(centre, node) for node in range(interests.node_count) if node != centre]
    return Overlay.from_links(interests.node_count, pairs)


def test_design_takes_names_with_options_and_functions() -> None:
    plain = gossamer.design(INTERESTS, "low-oda", rho=5)
    named = gossamer.design(INTERESTS, "low-oda:rho=5")
    assert (named.algorithm, named.options) == ("low-oda", plain.options)
    assert named.overlay == plain.overlay
    assert gossamer.design(INTERESTS, find_algorithm("low-oda"), rho=5).overlay == plain.overlay
    assert gossamer.design(INTERESTS, gossamer.low_oda, rho=5).algorithm == "low-oda"
    found = gossamer.design(INTERESTS, star, centre=3)
    assert (found.algorithm, found.options) == ("star", {"centre": 3})
    assert gossamer.design(INTERESTS, functools.partial(star, centre=2)).algorithm == "star"
    assert gossamer.design(INTERESTS, lambda interests, *, seed: star(interests)).resilient is False


def test_resilient_is_an_option_of_every_algorithm() -> None:
    given = gossamer.design(INTERESTS, "low-oda", resilient=True)
    named = gossamer.design(INTERESTS, "low-oda:resilient=yes")
    assert named.overlay == given.overlay
    assert named.resilient
    assert "resilient" not in named.options
    with pytest.raises(ParameterError, match="resilient is given twice"):
        gossamer.design(INTERESTS, "low-oda:resilient=no", resilient=True)


@pytest.mark.parametrize(
    ("algorithm", "options", "says"),
    [
        ("low_oda", {}, "no algorithm is named 'low_oda'; did you mean 'low-oda'?"),
        ("low-oda:rh=5", {}, "low-oda has no option 'rh'; did you mean 'rho'?"),
        ("low-oda", {"rhos": 5}, "low-oda has no option 'rhos'; did you mean 'rho'?"),
        ("low-oda:rho=5", {"rho": 5}, "rho is given twice: in 'low-oda:rho=5', and beside it"),
        ("low-oda:rho=0.5", {}, "rho is 0.5; expected 1 or more"),
        ("bounded-radius", {"radius": 0}, "radius is 0; expected 1 to"),
        ("random:links=-1", {}, "links is -1; expected 0 or more"),
        ("similarity:similar=-1", {}, "similar is -1; expected 0 or more"),
        ("regular-per-topic:degree=1", {}, "degree is 1; expected 2 or more"),
        ("partitioned-radius:block=-1", {}, "block is -1; expected 1 or more"),
        ("subset-merge:degree-cap=-1", {}, "degree_cap is -1; expected 1 or more"),
        ("greedy-omniscient:slack=-1", {}, "slack is -1; expected 0 or more"),
        (7, {}, "the algorithm is 7; expected a name such as 'low-oda', or a function"),
    ],
)
def test_options_are_checked_when_the_algorithm_is_named(
    algorithm: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(ParameterError, match=says.replace("?", r"\?")):
        resolve_algorithm(algorithm, options)


def test_functions_that_do_not_fit_are_named() -> None:
    with pytest.raises(PluginError, match=r"<lambda> \(.*test_specs.py, line \d+\): takes no seed"):
        gossamer.design(INTERESTS, lambda interests: star(interests))
    with pytest.raises(PluginError, match="returned a value of type list; expected an overlay"):
        gossamer.design(INTERESTS, lambda interests, *, seed: [(0, 1)])  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("seed", ["x", 1.5, None, -1, 2**64])
def test_seeds_are_checked_alike(seed: Any) -> None:
    overlay = gossamer.cd_oda(INTERESTS)
    calls: list[Callable[[], Any]] = [
        lambda: gossamer.design(INTERESTS, "random", seed=seed),
        lambda: gossamer.reinforce(INTERESTS, overlay, seed=seed),
        lambda: gossamer.compare(INTERESTS, ["random"], seed=seed),
        lambda: gossamer.front(INTERESTS, ["random"], protocols=[], seed=seed),
        lambda: Scenario(INTERESTS, seed=seed),
        lambda: gossamer.Maintainer(INTERESTS, overlay, seed=seed),
        lambda: gossamer.draw_publications(INTERESTS, 3, seed=seed),
        lambda: gossamer.churn_rounds(INTERESTS, 3, seed=seed),
        lambda: gossamer.generate_interests("rss", nodes=9, topics=3, subscriptions=1, seed=seed),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match=r"seed is .*; expected (a whole|0 to 2.64 - 1)"):
            call()


def test_split_spec_joins_the_options_beside_it() -> None:
    assert split_spec("a:b=1", {"c-d": "2"}) == ("a", {"b": "1", "c-d": "2"})
    with pytest.raises(ParameterError, match="b is given twice: in 'a:b=1', and beside it"):
        split_spec("a:b=1", {"b": "2"})


def test_simulation_takes_names_with_options() -> None:
    scenario = Scenario(INTERESTS, duration=1.0)
    given = gossamer.simulate(scenario, "spidercast", kr=1)
    named = gossamer.simulate(scenario, "spidercast:kr=1")
    assert (named.protocol, named.options) == ("spidercast", {"kr": 1})
    assert named.last.overlay == given.last.overlay
    cycles = gossamer.simulate(scenario, "vitis:table_size=9", engine="cycles")
    assert cycles.options["table_size"] == 9
    installed = gossamer.simulate(scenario, "elasto", initial_overlay="low-oda:rho=5")
    assert installed.last.overlay.link_count
    for wrong, says in (("low-oda:rho=0", "rho is 0"), ("low-odaa", "did you mean 'low-oda'")):
        with pytest.raises(ParameterError, match=says):
            gossamer.simulate(scenario, "elasto", initial_overlay=wrong)
    with pytest.raises(ParameterError, match="spidercast makes all its links itself"):
        gossamer.simulate(scenario, "spidercast", initial_overlay="low-oda")


def test_options_of_protocols_and_strategies_are_arguments() -> None:
    scenario = Scenario(INTERESTS, duration=1.0)
    with pytest.raises(ParameterError, match="kr is given twice: in 'spidercast:kr=1', and beside"):
        gossamer.simulate(scenario, "spidercast:kr=1", kr=2)
    with pytest.raises(ParameterError, match=r"vitis .* has no option 'friends'; its options are"):
        gossamer.simulate(scenario, "vitis", friends=3)
    with pytest.raises(ParameterError, match=r"a name is 7; expected text"):
        gossamer.simulate(scenario, 7)  # type: ignore[arg-type]
    churning = Scenario(INTERESTS, churn="rounds:10", seed=1)
    named = gossamer.maintain(churning, "elasto-g:rho=5")
    assert gossamer.maintain(churning, "elasto-g", rho=5.0).overlay == named.overlay
    with pytest.raises(ParameterError, match="rho is given twice"):
        gossamer.maintain(churning, "elasto-g:rho=5", rho=5.0)
    maintainer = gossamer.Maintainer(INTERESTS, strategy="low-oda-inc:rho=5")
    assert getattr(maintainer.strategy, "rho") == 5  # noqa: B009
    with pytest.raises(ParameterError, match="the strategy is an object, and has no options"):
        gossamer.Maintainer(INTERESTS, strategy=maintainer.strategy, rho=5.0)


def test_workloads_take_names_with_options() -> None:
    given = generate_interests("zipf", nodes=30, topics=9, subscriptions=3, seed=1, alpha=0.8)
    named = generate_interests("zipf:alpha=0.8", nodes=30, topics=9, subscriptions=3, seed=1)
    described = WorkloadSpec("zipf:alpha=0.8", nodes=30, topics=9, subscriptions="3", seed=1)
    assert named == given == generate_workload(described)
    wrongs: list[tuple[str, dict[str, Any], str]] = [
        ("zipf:alpha=0.8", {"alpha": 0.8}, "alpha is given twice"),
        ("zipf:alpha=x", {}, "alpha is 'x'; expected a number"),
        ("zipf:beta=1", {}, "zipf has no option 'beta'"),
        ("zip", {}, "no kind of interests is named 'zip'; did you mean 'zipf'?"),
    ]
    for wrong, options, says in wrongs:
        with pytest.raises(ParameterError, match=re.escape(says)):
            generate_interests(wrong, nodes=9, topics=9, subscriptions=3, **options)


def test_no_option_has_the_name_of_an_argument() -> None:
    """An option and an argument of one name could not both be given."""
    kinds_of_entries: list[tuple[Any, Iterable[Any], list[Any]]] = [
        (protocol_registry, [*protocols().values(), *MODELS.values()],
         [gossamer.simulate, gossamer.Node, LocalCluster, gossamer.design]),
        (strategy_registry, strategies().values(), [gossamer.maintain, gossamer.Maintainer]),
        (workload_registry, kinds().values(), [generate_interests, generate]),
    ]  # fmt: skip
    for registry, entries, functions in kinds_of_entries:
        for function in functions:
            taken = {
                one.name
                for one in inspect.signature(function).parameters.values()
                if one.kind is not one.VAR_KEYWORD
            }
            assert taken - {"seed"} <= set(registry.RESERVED), function  # seed: checked apart
        for entry in entries:
            named = {one.keyword for one in entry.options.listed}
            assert not named & set(registry.RESERVED), entry.name


def test_live_nodes_take_names_with_options() -> None:
    with pytest.raises(ParameterError, match="kg is given twice"):
        gossamer.Node(protocol="spidercast:kg=2", kg=3)
    cluster = LocalCluster([[1], [1]], protocol="spidercast:kg=2")
    assert cluster.protocol.name == "spidercast"


@pytest.mark.parametrize(
    "words",
    [
        ("design", "gone.csv", "--out", "links.csv", "--algorithm", "{}"),
        ("compare", "gone.csv", "--algorithms", "cd-oda,{}"),
        ("front", "gone.csv", "--algorithms", "cd-oda,{}"),
        ("disseminate", "gone.csv", "--algorithm", "{}"),
        ("simulate", "elasto", "gone.csv", "--initial-overlay", "{}"),
        ("maintain", "gone.csv", "--out", "out", "--algorithm", "{}"),
        ("cluster", "--protocol", "elasto", "--initial-overlay", "{}"),
    ],
    ids=lambda words: words[0],
)
def test_commands_check_an_algorithm_before_they_read(
    run_command: Callable[..., tuple[int, str]], words: tuple[str, ...]
) -> None:
    for spec, says in (
        ("low-oda:rho=0", "rho is 0.0; expected 1 or more"),
        ("low-oda:rho=x", "--rho is 'x'; expected a number"),
        ("low-oda:rh=1", "low-oda has no option --rh; did you mean --rho?"),
        ("low-odaa", "no algorithm is named 'low-odaa'; did you mean 'low-oda'?"),
    ):
        code, err = run_command(*(word.format(spec) for word in words))
        assert code == 2
        assert err.startswith("error: ")
        assert says in err


@pytest.fixture
def run_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    from typer.testing import CliRunner

    from gossamer.cli.main import app

    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, list(words))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stderr

    return run


def test_nodes_of_a_cluster_load_the_plug_in_of_its_protocol(tmp_path: Path) -> None:
    file = tmp_path / "quiet_protocol.py"
    file.write_text(
        "import gossamer\n"
        "from gossamer.protocols import ComposedMachine\n"
        "@gossamer.protocol('quiet')\n"
        "class Quiet(ComposedMachine):\n"
        "    '''Make no links.'''\n"
        "    linked = neighbours_on = on_started = on_peer_down = on_interest = on_leave = (\n"
        "        lambda *_: ()\n"
        "    )\n"
    )
    try:
        gossamer.load_plugin(file)
        words = LocalCluster([[1], [1]], protocol="quiet")._words
        assert words == ["--protocol", "quiet", "--plugin", str(file)]
        assert "--plugin" not in LocalCluster([[1]])._words
    finally:
        PROTOCOLS._remove("quiet_protocol")
