"""How the client asks: the address of a request, its key, how long it may take, and when it is tried again.

Only what is sure to do no harm and may help is tried again: 503 and SERVICE_RATE_LIMITED, a bounded number of times,
each after the seconds that the server asks for. A redirect is never followed, since it could take the key elsewhere.
"""

from __future__ import annotations

import json
import math
import re
import time
from decimal import Decimal
from http.client import HTTPException
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, Union
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

Value = Union[str, int, float, bool, None]

_DEFAULT_WAIT = 1.0


class PostalPlacesError(Exception):
    """What the server answered instead of data.

    Where there is no answer at all, OSError (URLError, TimeoutError, ConnectionError) is raised instead.
    """

    def __init__(
        self,
        message: str,
        code: str,
        status: int,
        correlation_id: Optional[str],
        retry_after_seconds: Optional[int],
    ) -> None:
        super().__init__(message)
        #: One of ERROR_CODES; UNEXPECTED_ANSWER where the answer is not of the service, but of a proxy before it, say.
        self.code = code
        #: The HTTP status.
        self.status = status
        #: Quote it to support.
        self.correlation_id = correlation_id
        #: Whole seconds after which the request may succeed, where the server tells.
        self.retry_after_seconds = retry_after_seconds


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Transport:
    """Makes requests. Keeps no state between them, so several threads may use one."""

    def __init__(self, base_url: str, api_key: str, timeout: float, max_retries: int, max_wait: float) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or parts.netloc == "" or parts.query or parts.fragment:
            raise ValueError(f"base_url must be an http or https address without query: {base_url}")
        if api_key == "":
            raise ValueError("api_key is empty")
        self._base_url = base_url.rstrip("/")
        self._headers = {"x-api-key": api_key, "accept": "application/json", "user-agent": "postal-places-client"}
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._opener: OpenerDirector = build_opener(_NoRedirects())

    def get(
        self, template: str, path: Mapping[str, Value], query: Mapping[str, Value], timeout: Optional[float]
    ) -> Any:
        """The data of the answer. `template` has the names of path parameters in braces."""
        url = self._base_url + _fill_path(template, path) + _to_search(query)
        attempt = 0
        while True:
            data, error = self._attempt(url, self._timeout if timeout is None else timeout)
            if error is None:
                return data
            wait = _DEFAULT_WAIT * 2**attempt if error.retry_after_seconds is None else error.retry_after_seconds
            may_retry = error.status == 503 or error.code == "SERVICE_RATE_LIMITED"
            if not may_retry or attempt >= self._max_retries or wait > self._max_wait:
                raise error
            time.sleep(wait)
            attempt += 1

    def _attempt(self, url: str, timeout: float) -> Tuple[Any, Optional[PostalPlacesError]]:
        try:
            try:
                response = self._opener.open(Request(url, headers=self._headers), timeout=timeout)
            except HTTPError as refusal:
                response = refusal
            with response:
                status = response.status
                headers = response.headers
                body = _parse_json(response.read())
        except HTTPException as problem:
            raise ConnectionError(f"the answer broke off: {problem!r}") from problem
        if status == 200 and "data" in body:
            return body["data"], None
        return None, _to_error(status, headers, body)


def iterate_pages(first: int, fetch_page: Callable[[int], Any]) -> Iterator[Any]:
    """The items of all pages from `first` on, each page asked for when it is reached."""
    number = first
    while True:
        page = fetch_page(number)
        yield from page["items"]
        if not page["hasNextPage"]:
            return
        number += 1


def _fill_path(template: str, path: Mapping[str, Value]) -> str:
    def fill(match: "re.Match[str]") -> str:
        name = match.group(1)
        text = str(path[name])
        # As segments of a path these would ask for something else.
        if text in ("", ".", ".."):
            raise ValueError(f'{name} must be given, and not be "{text}"')
        return quote(text, safe="")

    return re.sub(r"\{(\w+)\}", fill, template)


def _to_search(query: Mapping[str, Value]) -> str:
    given = {name: _to_text(name, value) for name, value in query.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _to_text(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, and not {value}")
        # Without exponent, which the API does not read.
        return format(Decimal(repr(value)), "f")
    return str(value)


def _to_error(status: int, headers: Mapping[str, str], body: Dict[str, Any]) -> PostalPlacesError:
    told = body.get("error")
    error = told if isinstance(told, dict) else {}
    retry_after = headers.get("retry-after") or ""
    return PostalPlacesError(
        error.get("message", f"The answer has the status {status} and is not of the service."),
        error.get("code", "UNEXPECTED_ANSWER"),
        status,
        headers.get("x-correlation-id"),
        int(retry_after) if re.fullmatch("[0-9]+", retry_after) else None,
    )


def _parse_json(text: bytes) -> Dict[str, Any]:
    """Empty for what is no JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
