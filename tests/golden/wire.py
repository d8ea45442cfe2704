"""Messages as they are on the wire: every kind of every protocol, encoded."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from tests.golden import program, simulation
from tests.golden.inputs import Case

CASES: dict[str, Case] = {}


def _encoded(protocol: str) -> Any:
    found = []
    for at, kind in enumerate(program.message_kinds(protocol)):
        messages = [_any(msgspec.inspect.type_info(kind), at + salt) for salt in range(4)]
        encoded = [msgspec.msgpack.encode(message) for message in messages]
        assert [msgspec.msgpack.decode(one, type=kind) for one in encoded] == messages
        found.append(encoded)
    return found


def _any(kind: Any, salt: int) -> Any:
    """Make a value of a type, another one for another salt."""
    inspect = msgspec.inspect
    match kind:
        case inspect.IntType():
            least = kind.ge if kind.ge is not None else 0
            most = min(kind.le if kind.le is not None else 70_000, 70_000)
            return least + salt * 331 % (most - least + 1)
        case inspect.FloatType():
            return salt / 8
        case inspect.StrType():
            return f"10.0.0.{salt}:70"
        case inspect.BytesType():
            return bytes(range(salt))
        case inspect.BoolType():
            return bool(salt % 2)
        case inspect.NoneType():
            return None
        case inspect.UnionType():
            ordered = sorted(kind.types, key=lambda one: type(one).__name__)
            return _any(ordered[salt % len(ordered)], salt)
        case inspect.VarTupleType():
            length = min(max(salt % 4, kind.min_length or 0), kind.max_length or 4)
            return tuple(_any(kind.item_type, salt + at) for at in range(length))
        case inspect.TupleType():
            return tuple(_any(one, salt + at) for at, one in enumerate(kind.item_types))
        case inspect.StructType():
            return kind.cls(*(_any(one.type, salt + at) for at, one in enumerate(kind.fields)))
    raise AssertionError(f"how to make a {kind} is not known; add it here")


for _name in simulation.OPTIONS:
    CASES[f"wire/{_name}"] = partial(_encoded, _name)
