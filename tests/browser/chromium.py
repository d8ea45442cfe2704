"""A headless Chromium, controlled over two pipes; all its requests are recorded.

Chromium uses a proxy of the tests for every address, localhost included, so that each request
reaches the proxy. The proxy answers none of them.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Browser", "find_chromium", "open_browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_SECONDS = 120.0
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-features=OptimizationHints,MediaRouter,Translate",
)
# Chromium reads from descriptor 3 and writes to 4; a small program puts the pipes there.
LAUNCHER = (
    "import fcntl, os, sys; r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]);"
    "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
)


def find_chromium() -> str | None:
    """Return the path of Chromium, if it is installed."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


class Browser:
    """One page in a browser, with its errors and requests."""

    def __init__(self, source: int, sink: int) -> None:
        self._sink = sink
        self._replies: dict[int, dict[str, Any]] = {}
        self._inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._last = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.sent_out: list[str] = []
        threading.Thread(target=self._listen, args=(source,), daemon=True).start()

    def _listen(self, source: int) -> None:
        with os.fdopen(source, "rb") as stream:
            rest = b""
            while chunk := os.read(stream.fileno(), 1 << 16):
                *whole, rest = (rest + chunk).split(b"\0")
                for message in whole:
                    self._inbox.put(json.loads(message))
        self._inbox.put(None)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser, and return its result."""
        self._last += 1
        number = self._last
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        content = json.dumps(message).encode() + b"\0"
        while content:
            content = content[os.write(self._sink, content) :]
        until = time.monotonic() + TIMEOUT_SECONDS
        while number not in self._replies:
            self._note(self._inbox.get(timeout=max(0.0, until - time.monotonic())))
        reply = self._replies.pop(number)
        assert "error" not in reply, f"{method}: {reply}"
        result: dict[str, Any] = reply["result"]
        return result

    def _note(self, message: dict[str, Any] | None) -> None:
        assert message is not None, "the browser has ended"
        if "id" in message:
            self._replies[message["id"]] = message
            return
        method, event = message["method"], message["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and event["type"] in {"error", "warning"}:
            words = [part.get("value", part.get("description")) for part in event["args"]]
            self.complaints.append(" ".join(map(str, words)))
        elif method == "Log.entryAdded" and event["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(event["entry"]["text"])

    def start(self) -> None:
        """Attach to a new, empty page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def look(self, *, width: int, height: int, dark: bool = False, phone: bool = False) -> None:
        """Set the size of the screen, and a light or dark theme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, page: Path) -> None:
        """Open a file, and clear errors and requests."""
        self.complaints.clear()
        self.requests.clear()
        self.call("Page.navigate", url=page.as_uri())
        self.wait(f"document.readyState == 'complete' && location.href == '{page.as_uri()}'")

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        reply = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        until = time.monotonic() + TIMEOUT_SECONDS
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < until, f"is never true: {expression}; {self.complaints}"
            time.sleep(0.05)

    def paint(self) -> None:
        """Wait until the page has been painted twice, so that its requests have been made."""
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def picture(self) -> bytes:
        """Return the whole page as a PNG."""
        import base64

        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])


class _Recorder(socketserver.ThreadingTCPServer):
    """A proxy that records the first line of each request, and closes the connection."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen
        super().__init__(("127.0.0.1", 0), _Line)


class _Line(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Recorder)
        line = self.rfile.readline(4096).decode(errors="replace").strip()
        self.server.seen.append(line or "a connection without a request")


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile in a folder, and end it afterwards."""
    program = find_chromium()
    assert program is not None
    source, theirs_out = os.pipe()
    theirs_in, sink = os.pipe()
    browser = Browser(source, sink)
    with _Recorder(browser.sent_out) as recorder:
        threading.Thread(target=recorder.serve_forever, daemon=True).start()
        flags = [
            *FLAGS,
            f"--user-data-dir={folder / 'profile'}",
            f"--proxy-server=http://127.0.0.1:{recorder.server_address[1]}",
            "--proxy-bypass-list=<-loopback>",
        ]
        launcher = [sys.executable, "-c", LAUNCHER, str(theirs_in), str(theirs_out)]
        with open(folder / "chromium.log", "wb") as log:
            process = subprocess.Popen(
                [*launcher, program, *flags, "about:blank"],
                pass_fds=(theirs_in, theirs_out),
                stdout=log,
                stderr=log,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            browser.start()
            yield browser
        finally:
            os.close(sink)  # Chromium exits when its pipe is closed
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            recorder.shutdown()
