"""Worker processes of this machine: tasks go in and results come out as pickles.

The processes are new ones that import the package, not copies of this one: they need no guard in
the caller's script, and no thread of this process is lost in them.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from typing import IO, Any, TypeVar

from gossamer.errors import EngineError

Task = TypeVar("Task")
Result = TypeVar("Result")

SERVE = "from gossamer.studies.processes import serve; serve()"


def map_in_processes(
    function: Callable[[Task], Result], tasks: Sequence[Task], *, workers: int
) -> Generator[Result, None, None]:
    """Yield the result of each task as it finishes.

    When the iterator is closed early, the processes are ended.

    Parameters
    ----------
    function
        Function of a module.
    tasks
        Arguments that can be pickled.
    workers
        Number of processes.

    Raises
    ------
    Exception
        First error that the function raised.
    EngineError
        If a process ended.
    """
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=environment, start_new_session=True,  # an interrupt is handled here alone
        )
        for _ in range(min(workers, len(tasks)))
    ]  # fmt: skip
    drivers = [
        threading.Thread(target=_drive, args=(process, function, waiting, finished), daemon=True)
        for process in processes
    ]
    for driver in drivers:
        driver.start()
    try:
        for _ in tasks:
            worked, result = finished.get()
            if not worked:
                raise result
            yield result
    finally:
        while not waiting.empty():
            with suppress(queue.Empty):
                waiting.get_nowait()
        for process, driver in zip(processes, drivers, strict=True):
            process.kill()
            driver.join()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what a process that ended has not read
                    assert pipe is not None
                    pipe.close()
            process.wait()


def _drive(
    process: subprocess.Popen[bytes],
    function: Callable[[Task], Result],
    waiting: queue.SimpleQueue[Task],
    finished: queue.SimpleQueue[tuple[bool, Any]],
) -> None:
    """Send waiting tasks to a process, one after the other."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(queue.Empty):
        while True:
            task = waiting.get_nowait()
            try:
                _send(process.stdin, (function, task))
                outcome = pickle.load(process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError):
                outcome = False, EngineError("a worker process ended before its task was done")
            finished.put(outcome)


def serve() -> None:
    """Carry out tasks from standard input, and write their results to standard output."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints is no result
    with suppress(EOFError):
        while True:
            function, task = pickle.load(sys.stdin.buffer)
            try:
                outcome = True, function(task)
            except Exception as fault:  # raised again by the caller
                outcome = False, fault
            _send(results, outcome)


def _send(file: IO[bytes], value: object) -> None:
    pickle.dump(value, file)
    file.flush()
