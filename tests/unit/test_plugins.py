"""Plug-ins: definitions outside the package, from files, modules, packages and notebooks."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import gossamer
from gossamer import plugins
from gossamer.cli.main import app
from gossamer.errors import ParameterError, PluginError, PluginWarning, Stopped
from gossamer.live.cluster import LocalCluster
from gossamer.maintain import DynamicOverlay, LinkChanges
from gossamer.maintain.checked_changes import checked_changes
from gossamer.model import Interests, Overlay
from gossamer.protocols.contract import Message
from gossamer.protocols.spidercast.machine import SpiderCast

IDEAS = Path(__file__).parents[1] / "plugins" / "five_ideas.py"
INTERESTS = Interests.from_lists({node: [node % 3, node % 4 + 3] for node in range(12)})

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on a table of twelve nodes; return the result."""
    monkeypatch.chdir(tmp_path)
    gossamer.write_interests(tmp_path / "subs.csv", INTERESTS)

    def command(*words: str | Path) -> Any:
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return command


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("design subs.csv --algorithm star-per-topic --centre last --out l.csv", "max_degree"),
        ("design subs.csv --algorithm star-per-topic:centre=last --out l.csv", "max_degree"),
        ("compare subs.csv --algorithms star-per-topic,cd-oda --metrics outer_nodes", "outer_n"),
        ("front subs.csv --algorithms star-per-topic --protocols greet-all", "greet-all"),
        ("workload neighbouring-topics --nodes 9 --topics 5 --distance 2 --out w.csv", "nodes"),
        ("maintain subs.csv --events rounds:9 --strategy link-to-all --out kept "
         "--algorithm star-per-topic --verify every", "topic_connected"),
        ("simulate greet-all subs.csv --pause 50 --duration 3s --check-invariants", "half_open"),
        ("simulate elasto subs.csv --initial-overlay star-per-topic --duration 1s", "links"),
        ("disseminate subs.csv --algorithm star-per-topic:centre=last", "deliveries"),
        ("algorithms", "star-per-topic"),
        ("simulate --list", "greet-all"),
        ("workload --list", "neighbouring-topics"),
        ("maintain --list", "link-to-all"),
        ("ingest --list", "bar-pairs"),
    ],
    ids=lambda value: value.replace(" ", "_")[:30],
)  # fmt: skip
def test_entries_of_a_plugin_are_known_to_commands(run: Run, words: str, says: str) -> None:
    done = run(*words.split(), "--plugin", IDEAS, "--json", "--quiet")
    assert done.exit_code == 0, done.stderr
    assert says in json.dumps(json.loads(done.stdout))
    assert done.stderr == ""


def test_recommended_command_loads_the_plugin(run: Run) -> None:
    words = ("compare", "subs.csv", "--algorithms", "star-per-topic", "--plugin", IDEAS)
    found = json.loads(run(*words, "--json").stdout)["recommendations"]
    assert all(f"--plugin {IDEAS}" in one["command"] for one in found)
    gossamer.load_plugin(IDEAS)
    compared = gossamer.compare(INTERESTS, ["star-per-topic"])
    assert f"--plugin {IDEAS}" in gossamer.recommend(compared)[0].command
    local = gossamer.compare(INTERESTS, [lambda interests, *, seed: gossamer.cd_oda(interests)])
    assert gossamer.recommend(local)[0].command == ""


def test_plugin_file_is_loaded_again_without_a_note() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gossamer.load_plugin(IDEAS)
        gossamer.load_plugin(IDEAS)
    assert plugins.options_to_load("five_ideas") == ["--plugin", str(IDEAS)]


def test_definition_of_a_notebook_replaces_the_former_one() -> None:
    cell = (
        "@gossamer.algorithm('my-idea')\n"
        "def my_idea(interests, *, seed):\n"
        "    return gossamer.Overlay.from_links(interests.node_count, [(0, {})])\n"
    )
    exec(cell.format(1), {"gossamer": gossamer})
    with pytest.warns(PluginWarning, match="the algorithm my-idea is now my_idea"):
        exec(cell.format(2), {"gossamer": gossamer})
    assert gossamer.design(INTERESTS, "my-idea").overlay.links.tolist() == [[0, 2]]


def test_installed_package_names_its_plugins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ideas_of_a_package-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: ideas-of-a-package\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(
        "[gossamer.plugins]\nmine = ideas_of_a_package\nbroken = ideas_of_a_package.absent\n"
    )
    (tmp_path / "ideas_of_a_package.py").write_text(
        "import gossamer\n"
        "@gossamer.algorithm('of-a-package')\n"
        "def of_a_package(interests, *, seed):\n"
        "    return gossamer.cd_oda(interests)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_installed_found", False)
    with pytest.warns(PluginWarning, match="'broken' of the package ideas-of-a-package is left"):
        assert "of-a-package" in gossamer.algorithms()
    compared = gossamer.compare(INTERESTS, ["of-a-package"])
    assert gossamer.recommend(compared)[0].command.endswith("--out links.parquet")
    sys.modules.pop("ideas_of_a_package")


FAULTY = """\
import gossamer
from gossamer.protocols.contract import Link, Message, Send, SetTimer

@gossamer.algorithm("boom")
def boom(interests, *, seed): return {}["nothing"]
@gossamer.algorithm("outside")
def outside(interests, *, seed): return gossamer.Overlay.from_links(interests.node_count, [(0, 99)])
@gossamer.algorithm("exits")
def exits(interests, *, seed): raise SystemExit(3)
@gossamer.algorithm("liar", topic_connected=True)
def liar(interests, *, seed): return gossamer.Overlay.from_links(interests.node_count, [(0, 1)])
@gossamer.algorithm("long-paths", diameter=1)
def long_paths(interests, *, seed): return gossamer.greedy_merge(interests)
@gossamer.workload("columns")
def columns(topics, sizes):
    class Columns:
        topic_count = topics
        subscriptions_of = lambda self, nodes, *, seed=0: [1, 2]
    Columns.sizes = sizes
    return Columns()
@gossamer.workload("outside-ids")
def outside_ids(topics, sizes):
    pattern = columns(topics, sizes)
    type(pattern).subscriptions_of = lambda self, nodes, *, seed=0: (nodes, [99] * len(nodes))
    return pattern
@gossamer.strategy("nothing")
class Nothing:
    def __init__(self, *, seed): pass
    def begin(self, overlay): pass
    def joined(self, overlay, node): pass
    left = None
Nothing.left = lambda self, overlay, node, neighbours: None
class Hello(Message, frozen=True): pass
class Other(Message, frozen=True): pass
class Quiet:
    def __init__(self, context): self.topics = context.topics
    topics = ()
    linked = lambda self: ()
    neighbours_on = lambda self, topic: ()
    link_states = lambda self: {}
    check_invariants = lambda self: None
@gossamer.protocol("no-effects", messages=[Hello])
class NoEffects(Quiet):
    def handle(self, event, now): pass
@gossamer.protocol("bad-effect", messages=[Hello])
class BadEffect(Quiet):
    def handle(self, event, now): return ["x"]
@gossamer.protocol("other-message", messages=[Hello])
class OtherMessage(Quiet):
    def handle(self, event, now): return [Send(0, Other())]
@gossamer.protocol("bad-link", messages=[Hello])
class BadLink(Quiet):
    def handle(self, event, now): return [Link(99)]
@gossamer.protocol("bad-timer", messages=[Hello])
class BadTimer(Quiet):
    def handle(self, event, now): return [SetTimer("again", "soon")]
@gossamer.protocol("bad-neighbours", messages=[Hello], views_by_topic=True)
class BadNeighbours(Quiet):
    neighbours_on = lambda self, topic: ["bob"]
    def handle(self, event, now): return []
@gossamer.protocol("fails", messages=[Hello])
class Fails(Quiet):
    def handle(self, event, now): return 1 / 0
"""


UNREPORTED = """\
import gossamer
from gossamer.protocols import ComposedMachine, Message, Send, SetTimer
class Hello(Message, frozen=True, tag="hello"): pass
class HelloAgain(Message, frozen=True, tag="hello-again"): pass
@gossamer.protocol("unreported", messages=[Hello])
class Unreported(ComposedMachine):
    def __init__(self, context):
        super().__init__(context)
        self.peers = []
    def linked(self): return self.peers
    def neighbours_on(self, topic): return ()
    def on_started(self, now, out): out += [SetTimer("round", now + 1000)]
    def on_timer(self, key, now, out): out += [Send((self.me + 1) % 12, Hello())]
    def on_hello(self, peer, message: Hello, now, out): self.peers.append(peer)
    def on_peer_down(self, peer, now, out): pass
    def on_interest(self, before, now, out): pass
    def on_leave(self, now, out): pass
"""


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("design subs.csv --algorithm boom --out l.csv", 2,
         r"boom \(.*faulty.py, line 5\): KeyError: 'nothing'"),
        ("design subs.csv --algorithm outside --out l.csv", 2,
         r"outside \(.*faulty.py, line 7\): link \(0, 99\) names a node outside"),
        ("design subs.csv --algorithm exits --out l.csv", 2, r"exits \(.*\): SystemExit: 3"),
        ("design subs.csv --algorithm liar --out l.csv", 1,
         r"liar \(.*faulty.py, line 10\) left topics disconnected \(7\)"),
        ("design subs.csv --algorithm long-paths --out l.csv", 1, "left a topic diameter of"),
        ("maintain subs.csv --out k --algorithm liar", 1, "left topics disconnected"),
        ("maintain subs.csv --out k --strategy nothing", 2,
         r"Nothing .*: returned None; expected LinkChanges\(links, unlinks\)"),
        ("workload columns --nodes 9 --topics 3 --subscriptions 1 --out w.csv", 2,
         r"columns .*: subscriptions_of returned \[1, 2\]; expected two columns"),
        ("simulate no-effects subs.csv", 2, "handle returned None; expected a list of effects"),
        ("simulate bad-effect subs.csv", 2, "handle returned 'x', which is no effect"),
        ("simulate other-message subs.csv", 2, "other-message sends it; expected it among its mes"),
        ("workload outside-ids --nodes 9 --topics 3 --subscriptions 1 --out w.csv", 2,
         r"outside_ids .*: subscriptions_of returned other ids .*: pair 0 has topic id 99"),
        ("simulate bad-link subs.csv", 2,
         r"BadLink .*: handle of node 0 returned Link\(99\); expected another node, 0 to 11"),
        ("simulate bad-timer subs.csv", 2,
         r"BadTimer .*: handle returned SetTimer\(.*'soon'\); expected a key, and a time"),
        ("simulate bad-neighbours subs.csv", 2,
         r"BadNeighbours .*: neighbours_on of node 0 returned \['bob'\]; expected nodes"),
        ("simulate fails subs.csv", 2, r"Fails.handle \(.*\): ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_error_names_the_function_at_fault(
    run: Run, tmp_path: Path, words: str, code: int, says: str
) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    done = run(*words.split(), "--plugin", "faulty.py", "--quiet")
    assert done.exit_code == code
    error = done.stderr.splitlines()[-1]
    assert error.startswith("error: ")
    assert re.search(says, error), error
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("*.csv"))[1:], "nothing is half-written"


def test_candidate_that_forgets_its_seed_has_a_problem_if_there_are_several_seeds() -> None:
    counter = iter(range(1, 99))

    def forgets(interests: Interests, *, seed: int) -> Overlay:
        return Overlay.from_links(interests.node_count, [(0, next(counter) % 7 + 1)])

    def remembers(interests: Interests, *, seed: int) -> Overlay:
        return Overlay.from_links(interests.node_count, [(0, seed + 1)])

    found = gossamer.compare(INTERESTS, [forgets, remembers], seeds=2)
    assert set(found.faults) == {"forgets"}
    assert "another overlay when it runs again with the same seed" in found.faults["forgets"]
    assert found.faults["forgets"].endswith("seed, with seed 0")
    assert not gossamer.compare(INTERESTS, [forgets]).faults


@pytest.mark.parametrize(
    ("promise", "says"),
    [
        ({"diameter": 0}, "diameter is 0; expected 1 hop or more"),
        ({"diameter": (-1, "hubs")}, "expected 1 hop or more"),
        ({"topic_connected": "yes"}, "topic_connected is 'yes'; expected True or False"),
    ],
)
def test_impossible_promises_are_rejected(promise: dict[str, Any], says: str) -> None:
    def promises(interests: Interests, *, seed: int, hubs: int = 1) -> Overlay:
        return gossamer.greedy_merge(interests)

    with pytest.raises(PluginError, match=says):
        gossamer.algorithm("promises", **promise)(promises)


def test_candidate_that_exits_is_a_row_and_a_signal_ends_the_comparison() -> None:
    def exits(interests: Interests, *, seed: int) -> Overlay:
        raise SystemExit(3)

    def stopped(interests: Interests, *, seed: int) -> Overlay:
        raise Stopped(143)

    failed, good = gossamer.compare(INTERESTS, [exits, "cd-oda"]).rows
    assert "SystemExit: 3" in failed.error
    assert not good.error
    with pytest.raises(Stopped):
        gossamer.compare(INTERESTS, [stopped, "cd-oda"])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ([(0, 1)], "expected LinkChanges"),
        (LinkChanges([(0, 1, 2)], []), "expected pairs of ids"),  # type: ignore[arg-type]
        (LinkChanges([(0, 99)], []), "names node 99; expected 0 to 11"),  # type: ignore[arg-type]
        (LinkChanges([(2, 2)], []), "links a node to itself"),  # type: ignore[arg-type]
        (LinkChanges([(0, 1)], []), r"adds the link \(0, 1\)"),  # type: ignore[arg-type]
        (LinkChanges([], [(2, 3)]), r"removes the link \(2, 3\)"),  # type: ignore[arg-type]
        (LinkChanges([(0, 11)], []), "links node 11, which is absent"),  # type: ignore[arg-type]
    ],
)
def test_changes_of_a_strategy_are_checked(changes: Any, says: str) -> None:
    present = INTERESTS.subscription_sizes > 0
    present[11] = False
    overlay = DynamicOverlay(INTERESTS, present, Overlay.from_links(12, [(0, 1)]))
    with pytest.raises(PluginError, match=says):
        checked_changes(object(), overlay, changes)


def test_cluster_rejects_a_protocol_that_its_nodes_cannot_load() -> None:
    found = gossamer.load_plugin(IDEAS)
    cluster = LocalCluster([[1]], protocol="greet-all")
    assert cluster._words == ["--protocol", "greet-all", "--plugin", str(IDEAS)]
    mesh = type("Mesh", (found.GreetAll,), {"__module__": "__main__"})
    gossamer.protocol("of-a-notebook", messages=[found.Greeting])(mesh)
    with pytest.raises(ParameterError, match="of-a-notebook is defined in a notebook or script"):
        LocalCluster([[1]], protocol="of-a-notebook")


def test_protocol_without_messages_is_rejected() -> None:
    found = gossamer.load_plugin(IDEAS)
    with pytest.raises(PluginError, match=r"there are no messages; expected their types"):
        gossamer.protocol("silent")(found.GreetAll)


def unreported(file: Path, old: str = "", new: str = "") -> Path:
    """Write a plug-in whose links are never reported, after replacing a text in it."""
    text = UNREPORTED.replace(old, new) if old else UNREPORTED
    assert not old or text != UNREPORTED
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("message: Hello", "message",
         r"Unreported \(.*unreported.py, line 5\): no method takes the message Hello; expected "
         r"def on_hello\(self, peer, message: Hello, now, out\)"),
        ("message: Hello", "hello: Hello", "no method takes the message Hello"),
        ("[Hello]", "[Hello, HelloAgain]", r"message HelloAgain; expected def on_hello_again\("),
        ("def on_leave", "def leave",
         r"Unreported \(.*unreported.py, line 5\): does not define on_leave\(self, now, out\);"),
        ("def linked", "def links", r"does not define linked\(self\)"),
        ("def on_timer", "def timer", r"does not define on_timer\(self, key, now, out\)"),
    ],
)  # fmt: skip
def test_incomplete_machine_is_rejected(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(PluginError, match=says):
        gossamer.load_plugin(unreported(tmp_path / "unreported.py", old, new))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("", "", r"Received\(.*: linked\(\) has peer \d+, but link\(\) was not called for it"),
        ("self.peers.append(peer)", "self.link(peer, now, out)",
         r"linked\(\) lacks peer \d+, but unlink\(\) was not called for it"),
        ("self.peers.append(peer)", "self.peers.append(self.me); self.link(self.me, now, out)",
         "the node is linked to itself"),
    ],
)  # fmt: skip
def test_violated_invariant_of_a_plugin_is_one_line(
    run: Run, tmp_path: Path, old: str, new: str, says: str
) -> None:
    unreported(tmp_path / "unreported.py", old, new)
    words = "simulate unreported subs.csv --duration 1s --check-invariants --plugin unreported.py"
    done = run(*words.split(), "--quiet")
    assert done.exit_code == 2
    place = r"error: Unreported \(.*unreported.py, line 5\): node \d+, at \S+ s, after "
    assert re.fullmatch(f"{place}.*{says}\n", done.stderr), done.stderr


def test_machine_without_timers_needs_no_method_for_them(tmp_path: Path) -> None:
    calm = unreported(tmp_path / "unreported_calm.py", "def on_timer", "def timer")
    calm.write_text(calm.read_text().replace('[SetTimer("round", now + 1000)]', "[]"))
    gossamer.load_plugin(calm)


def test_arguments_of_decorators_are_checked() -> None:
    def idea(interests: Interests, *, seed: int) -> Overlay:
        return gossamer.cd_oda(interests)

    for arguments, says in (
        ({"checks": ["k"]}, "checks is ['k']; expected functions by the names of options"),
        ({"caps": 3}, "caps is 3; expected a function of interests and options"),
    ):
        with pytest.raises(PluginError, match=re.escape(says)):
            gossamer.algorithm("idea", **arguments)(idea)
    with pytest.raises(PluginError, match=r"messages is .*; expected a list of types"):
        gossamer.protocol("idea", messages=Message)(SpiderCast)  # type: ignore[arg-type]
