"""Independent tasks on Spark, with results in the order of completion.

Each batch of items is a Spark job of one task, so its results arrive when that task finishes, and
Spark runs a task again that is lost with its worker. Only frames are used, which works on classic
sessions and on Spark Connect.
"""

from __future__ import annotations

import secrets
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import pyarrow as pa

from gossamer.errors import EngineError, ParameterError, PluginError
from gossamer.pipeline.session import parallelism, send_plugins, spark_faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Result = TypeVar("Result")

TASK_SECONDS = 3.0
OUTCOMES = "place bigint, seconds double, outcome binary"


def check_picklable(value: Any, what: str) -> None:
    """Raise PluginError if a value, such as a function, cannot be sent to a task."""
    from pyspark import cloudpickle

    send_plugins()
    try:
        cast("Callable[[object], bytes]", cloudpickle.dumps)(value)
    except Exception as fault:
        raise PluginError(f"{what} cannot be sent to a Spark task: {fault}") from None


class Outcome(NamedTuple):
    """Outcome of one item: its index, duration, and result or error."""

    place: int
    seconds: float
    result: Any
    fault: Exception | None


def map_tasks(
    session: SparkSession,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    per_task: int | None = None,
    slots: int | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Apply a function to each item on Spark, and yield results as tasks finish.

    The first tasks have one item each; later ones have as many as take a few seconds. When the
    iterator is closed early, waiting tasks are dropped and running tasks are interrupted. A task
    costs about a tenth of a second in addition to its items.

    Parameters
    ----------
    session
        Spark session.
    function
        Picklable function. It must return the same result for the same item, since a lost task
        is run again.
    items
        Picklable items, all held in memory.
    per_task
        Number of items of a task; by default from measured durations.
    slots
        Maximum number of running tasks: by default one more than Spark runs in parallel, so that
        no core is idle while a result is fetched.

    Yields
    ------
    tuple
        Index of an item and its result, in the order of completion.

    Raises
    ------
    Exception
        First error that the function raised, with the traceback of the task as a note.
    EngineError
        If Spark failed.
    """
    for name, value in (("per_task", per_task), ("slots", slots)):
        if value is not None and value < 1:
            raise ParameterError(f"{name} is {value}; expected 1 or more")
    return _results(session, function, list(items), per_task, slots)


def _results(
    session: SparkSession,
    function: Callable[[Item], Result],
    items: Sequence[Item],
    per_task: int | None,
    slots: int | None,
) -> Generator[tuple[int, Result], None, None]:
    waiting = deque(enumerate(items))
    if not waiting:
        return
    send_plugins()
    if slots is None:
        with spark_faults():
            slots = parallelism(session) + 1
    tag = f"gossamer-{secrets.token_hex(8)}"
    typical: float | None = None
    running: set[Future[list[Outcome]]] = set()
    pool = ThreadPoolExecutor(slots, thread_name_prefix="gossamer-map-tasks")
    try:
        while waiting or running:
            while waiting and len(running) < slots:
                size = per_task or _task_size(typical, len(waiting), slots)
                batch = [waiting.popleft() for _ in range(min(size, len(waiting)))]
                running.add(pool.submit(_run_task, session, tag, function, batch))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                with spark_faults():
                    outcomes = future.result()
                mean = sum(outcome.seconds for outcome in outcomes) / len(outcomes)
                typical = mean if typical is None else (typical + mean) / 2
                for outcome in outcomes:
                    if outcome.fault is not None:
                        raise outcome.fault
                    yield outcome.place, outcome.result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if any(not future.done() for future in running):
            with suppress(Exception):  # Spark itself may have stopped
                session.interruptTag(tag)
        pool.shutdown(wait=True)


def _task_size(seconds: float | None, waiting: int, slots: int) -> int:
    """Return the number of items of a task of some seconds; fewer near the end, for balance."""
    if seconds is None:
        return 1
    most = max(1, waiting // (2 * slots))
    return most if seconds <= 0 else max(1, min(most, int(TASK_SECONDS / seconds)))


def _run_task(
    session: SparkSession,
    tag: str,
    function: Callable[[Any], Any],
    batch: Sequence[tuple[int, Any]],
) -> list[Outcome]:
    """Run a batch as one task, and wait for it; called in its own thread."""
    from pyspark import cloudpickle

    def work(ones: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in ones:
            yield from _apply(function, batch)

    session.addTag(tag)
    try:
        frame = session.range(0, 1, 1, 1).mapInArrow(work, OUTCOMES)
        rows = frame.collect()
    finally:
        session.removeTag(tag)
    return [
        Outcome(row["place"], row["seconds"], *cloudpickle.loads(bytes(row["outcome"])))
        for row in rows
    ]


def _apply(
    function: Callable[[Any], Any], batch: Sequence[tuple[int, Any]]
) -> Iterator[pa.RecordBatch]:
    """Apply the function in the task; an error ends the batch and is returned like a result."""
    for place, item in batch:
        start = time.perf_counter()
        result, fault = None, None
        try:
            result = function(item)
        except Exception as caught:
            fault = caught
            fault.add_note("".join(traceback.format_exception(caught)))
        seconds = time.perf_counter() - start
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([place], pa.int64()),
                pa.array([seconds], pa.float64()),
                pa.array([_pickle(place, result, fault)], pa.binary()),
            ],
            names=["place", "seconds", "outcome"],
        )
        if fault is not None:
            return


def _pickle(place: int, result: Any, fault: Exception | None) -> bytes:
    """Pickle an outcome; one that cannot be pickled becomes an EngineError."""
    from pyspark import cloudpickle

    pack = cast("Callable[[object], bytes]", cloudpickle.dumps)
    try:
        packed = pack((result, fault))
        if fault is not None:
            cloudpickle.loads(packed)
    except Exception as caught:
        what = "result" if fault is None else f"error ({type(fault).__name__}: {fault})"
        packed = pack(
            (None, EngineError(f"the {what} of item {place} cannot be sent back: {caught}"))
        )
    return packed
