"""Scenario files in Python, and the plug-ins that they name."""

from __future__ import annotations

import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import gossamer
from gossamer import plugins
from gossamer.errors import ParameterError, PluginWarning, TableError
from gossamer.registry import Registry
from tests.cli.conftest import Invoke, invoke  # noqa: F401  # fixture

IDEA = '''
import gossamer
from gossamer.protocols.contract import Message

class Hello(Message, frozen=True, tag="hello"):
    pass

@gossamer.protocol("silent", messages=[Hello], topic_connected=False)
class Silent:
    """Link to no node."""

    topics = ()

    def __init__(self, context, *, pause: int = 5) -> None:
        self.topics = context.topics

    def linked(self):
        return ()

    def neighbours_on(self, topic):
        return ()

    def link_states(self):
        return {}

    def check_invariants(self):
        pass

    def handle(self, event, now):
        return []
'''
INTERESTS = gossamer.Interests.from_lists({"ann": ["tea"], "bob": ["tea"], "cy": ["tea"]})


def forget(name: str) -> None:
    """Remove the plug-in, as in another process."""
    del plugins._loaded[name], sys.modules[name]
    for registry in Registry._registries:
        registry._remove(name)


def test_scenario_and_run_are_read_as_written(tmp_path: Path) -> None:
    scenario = gossamer.Scenario(INTERESTS, loss=0.25, duration=3, seed=4)
    recording = gossamer.Recording(snapshots=1.0)
    written = gossamer.write_scenario(
        tmp_path / "run.toml", scenario, "spidercast:kr=1", recording=recording, kg=2
    )
    assert [one.name for one in written] == ["run.toml", "run.interests.parquet"]
    read, run = gossamer.read_scenario(tmp_path / "run.toml")
    assert run == {
        "protocol": "spidercast", "engine": "events", "recording": recording, "kr": 1, "kg": 2
    }  # fmt: skip
    assert (read.interests, read.loss, read.seed) == (INTERESTS, 0.25, 4)
    assert "loss=0.25" in repr(read)
    assert "seed=4" in repr(read)
    again = gossamer.simulate(read, **run)
    assert again.overlay == gossamer.simulate(scenario, "spidercast:kr=1", kg=2).overlay


def test_scenario_without_a_run(tmp_path: Path) -> None:
    gossamer.write_scenario(tmp_path / "s.toml", gossamer.Scenario(INTERESTS, seed=2))
    assert gossamer.read_scenario(tmp_path / "s.toml")[1] == {}
    text = (tmp_path / "s.toml").read_text()
    (tmp_path / "s.toml").write_text(text.replace("[run]", "[run]\nspeed = 3"))
    with pytest.raises(TableError, match="its run has unknown keys speed"):
        gossamer.read_scenario(tmp_path / "s.toml")
    with pytest.raises(ParameterError, match="no option 'kz'"):
        gossamer.write_scenario(
            tmp_path / "s.toml", gossamer.Scenario(INTERESTS), "spidercast", kz=1
        )


def test_plugin_is_copied_and_never_loaded_by_itself(tmp_path: Path) -> None:
    (tmp_path / "idea.py").write_text(IDEA)
    gossamer.load_plugin(tmp_path / "idea.py")
    saved = tmp_path / "run.toml"
    written = gossamer.write_scenario(saved, gossamer.Scenario(INTERESTS), "silent", pause=7)
    copy = tmp_path / "run.idea.py"
    assert written[-1] == copy
    assert copy.read_text() == IDEA
    entry = tomllib.loads(saved.read_text())["plugins"]["idea.py"]
    assert entry["file"] == "run.idea.py"
    assert entry["protocol"] == "silent"
    forget("idea")
    (tmp_path / "idea.py").unlink()
    with pytest.raises(
        ParameterError, match=r"idea\.py for the protocol silent; read its code, an"
    ):
        gossamer.read_scenario(saved)
    gossamer.load_plugin(copy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scenario, run = gossamer.read_scenario(saved)
    assert run["pause"] == 7
    assert gossamer.write_scenario(saved, scenario, **run)[-1] == copy
    forget("run_idea")
    copy.write_text(IDEA + "\n# changed\n")
    gossamer.load_plugin(copy)
    with pytest.warns(PluginWarning, match="differs from the plug-in"):
        gossamer.read_scenario(saved)


def test_command_names_the_plugin_to_add(
    invoke: Invoke,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("idea.py").write_text(IDEA)
    gossamer.write_interests("t.csv", INTERESTS)
    words = ("simulate", "silent", "t.csv", "--duration", "1s", "--plugin", "idea.py")
    shown = invoke(*words, "--save-scenario", "run.toml").works().out
    assert shown.splitlines()[-1] == "wrote run.toml, run.interests.parquet, run.idea.py"
    forget("idea")
    again = ("simulate", "--scenario", "run.toml")
    invoke(*again).fails("add --plugin run.idea.py to run it")
    assert "silent, seed 0" in invoke(*again, "--plugin", "run.idea.py").works().out


def test_definition_in_no_file_is_not_written(tmp_path: Path) -> None:
    code = compile(IDEA, "<stdin>", "exec")
    exec(code, {"__name__": "__main__"})
    with pytest.raises(ParameterError, match="silent is defined in a notebook or script"):
        gossamer.write_scenario(tmp_path / "s.toml", gossamer.Scenario(INTERESTS), "silent")
