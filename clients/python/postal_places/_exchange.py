"""One request and its whole answer, within a time and a size, whatever the server sends.

The standard library bounds each wait for bytes, but neither the sum of the waits nor the number of bytes. Here every
read of a connection waits as long as the whole exchange has left, and counts its bytes: those of headers, body and the
reply of a proxy. Nothing follows a redirect, since it could take the key elsewhere. Only the search for the addresses of
a host has no bound but the system's own.
"""

from __future__ import annotations

import io
import socket
import time
from email.message import Message
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, Dict, List, Optional, Tuple
from urllib.error import URLError
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from ._errors import PostalPlacesError

#: The most bytes that are read for one request, headers included. No answer of the API has 1 MB.
MAX_ANSWER_BYTES = 64 * 1024 * 1024

#: The bytes of a body that are read at a time: a server that announces more than it sends takes no more memory than this.
_PIECE_BYTES = 64 * 1024


class Deadline:
    """The end of a call, by a clock that nobody sets."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds; 0 or less where the time is over."""
        return self._end - time.monotonic()


class _TooLarge(Exception):
    """More than MAX_ANSWER_BYTES came."""


class _Limits:
    """What one exchange may still take."""

    def __init__(self, seconds: float) -> None:
        self._deadline = Deadline(seconds)
        self._bytes = 0

    def wait(self) -> float:
        """The longest next wait in seconds. Raises socket.timeout where the time is over."""
        left = self._deadline.left()
        if left <= 0:
            raise socket.timeout("timed out")
        return left

    def count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MAX_ANSWER_BYTES:
            raise _TooLarge

    def connect(self, address: Tuple[str, int], *_: Any) -> socket.socket:
        """As socket.create_connection, but the addresses of a host share the time."""
        problem = OSError(f"{address[0]} has no address")
        found = socket.getaddrinfo(*address, 0, socket.SOCK_STREAM)
        for index, (family, kind, protocol, _name, target) in enumerate(found):
            wait = self.wait() / (len(found) - index)
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(wait)
                connection.connect(target)
                # For the TLS handshake and the request, which are one wait each.
                connection.settimeout(self.wait())
                return connection
            except OSError as failure:
                connection.close()
                problem = failure
        raise problem


class _LimitedReader(io.RawIOBase):
    def __init__(self, connection: socket.socket, limits: _Limits) -> None:
        self._connection = connection
        self._raw = connection.makefile("rb", buffering=0)
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._limits.wait())
        size = self._raw.readinto(buffer) or 0
        self._limits.count(size)
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


class _LimitedSocket:
    """All that HTTPResponse needs of a socket."""

    def __init__(self, connection: socket.socket, limits: _Limits) -> None:
        self._reader = _LimitedReader(connection, limits)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._reader)


class _LimitedConnection(HTTPConnection):
    """`timeout` is for the whole life of the connection. Every reply is read by `response_class`, a proxy's as well."""

    def __init__(self, host: str, timeout: float, **options: Any) -> None:
        super().__init__(host, timeout=timeout, **options)
        self._limits = limits = _Limits(timeout)
        self._create_connection = limits.connect
        self.response_class = lambda connection, *args, **more: HTTPResponse(
            _LimitedSocket(connection, limits), *args, **more  # type: ignore[arg-type]
        )

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(self._limits.wait())


class _LimitedTlsConnection(_LimitedConnection, HTTPSConnection):
    pass


class _Http(HTTPHandler):
    def http_open(self, request: Request) -> Any:
        return self.do_open(_LimitedConnection, request)


class _Https(HTTPSHandler):
    def https_open(self, request: Request) -> Any:
        return self.do_open(_LimitedTlsConnection, request, context=getattr(self, "_context", None))


def create_opener() -> OpenerDirector:
    """Knows the proxies of the environment and nothing else: no handler is there that would follow a redirect."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), _Http(), _Https()):
        opener.add_handler(handler)
    return opener


def exchange(
    opener: OpenerDirector, url: str, headers: Dict[str, str], body: Optional[bytes], deadline: Deadline
) -> Tuple[int, Message, bytes]:
    """The status, the headers and the body. Raises PostalPlacesError where no whole answer comes."""
    try:
        # A timeout of 0 would mean that nothing waits.
        with opener.open(Request(url, data=body, headers=headers), timeout=max(deadline.left(), 0.001)) as response:
            return response.status, response.headers, _read_whole(response)
    except _TooLarge as problem:
        raise PostalPlacesError(
            f"The answer has more than {MAX_ANSWER_BYTES >> 20} MB.", "ANSWER_TOO_LARGE"
        ) from problem
    # Over bytes that are no HTTP the standard library raises ValueError and others besides.
    except Exception as problem:
        reason = problem.reason if isinstance(problem, URLError) else problem
        if isinstance(reason, socket.timeout) or deadline.left() <= 0:
            raise PostalPlacesError("The answer did not come in time.", "TIMEOUT") from problem
        raise PostalPlacesError(f"No whole answer came: {reason!r}", "CONNECTION_FAILED") from problem


def _read_whole(response: HTTPResponse) -> bytes:
    pieces: List[bytes] = []
    while True:
        piece = response.read(_PIECE_BYTES)
        if not piece:
            break
        pieces.append(piece)
    # What the announced length lacks at the end of the connection.
    if response.length:
        raise IncompleteRead(b"", response.length)
    return b"".join(pieces)
