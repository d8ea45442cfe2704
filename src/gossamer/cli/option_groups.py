"""Option groups: options that are declared once and shared by commands.

A command is a function decorated with :func:`expand`. Its parameters are single options, each
``Annotated`` with :func:`option` or :func:`argument`, and groups: frozen dataclasses whose fields
are options. Each group is replaced by its fields on the command line, under the heading
``PANEL`` of its class, and checks its values in ``__post_init__``::

    @expand
    def assess(
        subscriptions: Subscriptions,
        table: TableOptions,
        *,
        seed: Seed = 0,
        top: Annotated[int, option("Number of topics to show.", min=1)] = 10,
        as_json: Annotated[bool, option("Print JSON instead of a table.", "--json")] = False,
    ) -> None: ...

A group may extend another, whose options come last. Flags follow from the names. A truth
value has one flag, without a value. A default of None is not shown. Groups that commands share
are in ``options``; options of an algorithm, which no command declares, in ``algorithm_options``.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo, ParameterInfo

from gossamer.atomic_files import TABLE_ENDINGS


def option(text: str, *flags: str, panel: str | None = None, **settings: Any) -> Any:
    """Declare an option: its help, flags other than its name, and settings of ``typer.Option``.

    ``panel`` is the heading in the help; options of a group are under that of the group.
    """
    return typer.Option(..., *flags, help=text, rich_help_panel=panel, **settings)


def output_table(
    text: str, *flags: str, endings: Sequence[str] = TABLE_ENDINGS, **settings: Any
) -> Any:
    """Declare an option that names an output table; ``-`` is standard output."""
    *others, last = endings
    text = f"{text}: {', '.join(others)} or {last}; - for standard output."
    declared = option(text, *flags, **settings)
    declared.is_output_table = True
    return declared


def output_tables(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Return the names of the parameters that are options of output tables."""
    return [
        parameter.name
        for parameter in parameters
        if any(hasattr(one, "is_output_table") for one in get_args(parameter.annotation))
    ]


def argument(text: str, **settings: Any) -> Any:
    """Declare an argument: its help, and settings of ``typer.Argument``."""
    return typer.Argument(..., help=text, **settings)


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is an option group by the options of the group.

    Options keep the order of the parameters. A group is built, and so checked, before the
    command's body runs.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters.extend(options_of_group(groups[name]))
        else:
            parameters.append(_parameter(name, hints[name], parameter.default))

    @wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    expanded.__dict__.pop("__wrapped__")
    vars(expanded)["__signature__"] = inspect.Signature(parameters)
    expanded.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return expanded


def options_of_group(group: Any) -> Iterator[inspect.Parameter]:
    """Return the options of a group as parameters for Typer."""
    hints = get_type_hints(group, include_extras=True)
    own = inspect.get_annotations(group)
    for field in sorted(fields(group), key=lambda field: field.name not in own):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield _parameter(field.name, hints[field.name], default, getattr(group, "PANEL", None))


def _parameter(name: str, hint: Any, default: Any, panel: str | None = None) -> inspect.Parameter:
    """Return a parameter for Typer, with what follows from its name, type and default."""
    if get_origin(hint) is Annotated:
        kind, declared, *_ = get_args(hint)
        if isinstance(declared, ParameterInfo):
            declared = copy.copy(declared)
            declared.rich_help_panel = panel or declared.rich_help_panel
            if default is None or default is inspect.Parameter.empty:
                declared.show_default = False
            unnamed = declared.default is ... and not declared.param_decls
            if isinstance(declared, OptionInfo) and kind is bool and unnamed:
                declared.param_decls = (f"--{name.replace('_', '-')}",)
            hint = Annotated[kind, declared]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option was typed, by the name of its parameter."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
