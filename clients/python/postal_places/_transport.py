"""How the client asks: the address of a request, its key, how long a call may take, and when it is tried again.

Only what is sure to do no harm and may help is tried again: 503 and SERVICE_RATE_LIMITED, a bounded number of times,
each after the seconds that the server asks for, and within the time of the call. Whatever goes wrong is a
PostalPlacesError.
"""

from __future__ import annotations

import json
import math
import re
import time
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast
from urllib.parse import quote, urlencode, urlsplit

from ._error_codes import ParameterFault
from ._errors import PostalPlacesError
from ._exchange import Deadline, create_opener, exchange

Value = Union[str, int, float, bool, Sequence[str], None]

#: Seconds before the second attempt where the server does not say; twice as long before each later one.
_DEFAULT_WAIT = 1.0

#: The longest `timeout`, seconds: a day, which the timers of every system can take.
_LONGEST_TIMEOUT = 86_400.0

#: The most seconds that an error tells of Retry-After: 31 years. Python refuses to read a number of 5,000 digits.
_LONGEST_RETRY_AFTER = 999_999_999


class Transport:
    """Makes requests. Keeps no state between them, so several threads may use one."""

    def __init__(self, base_url: str, api_key: str, timeout: float, max_retries: int, max_wait: float) -> None:
        if not _is_address(base_url):
            raise _invalid("base_url must be an http or https address without user, query and fragment")
        if not re.fullmatch("[!-~]+", api_key):
            raise _invalid("api_key must be one or more visible ASCII characters")
        self._base_url = base_url.rstrip("/")
        self._headers = {"x-api-key": api_key, "accept": "application/json", "user-agent": "postal-places-client"}
        self._timeout = _check_timeout(timeout)
        self._max_retries = max_retries
        self._max_wait = max_wait
        self._opener = create_opener()

    def call(
        self,
        template: str,
        parameters: Mapping[str, Value],
        timeout: Optional[float],
        body: Optional[Mapping[str, Any]] = None,
    ) -> Any:
        """The data of the answer. `template` has the names of path parameters in braces; the others are the query.

        With a body the request is a POST. A request that is tried again was not counted.
        """
        try:
            sent = None if body is None else _to_json(body)
            url = self._base_url + _to_target(template, parameters)
        except (ValueError, TypeError, RecursionError) as problem:
            raise _invalid(str(problem)) from problem
        headers = self._headers if sent is None else {**self._headers, "content-type": "application/json"}
        deadline = Deadline(self._timeout if timeout is None else _check_timeout(timeout))
        attempt = 0
        while True:
            status, answered, text = exchange(self._opener, url, headers, sent, deadline)
            told = _parse_json(answered, text)
            if status == 200 and "data" in told:
                return told["data"]
            error = _to_error(status, answered, told)
            wait = _DEFAULT_WAIT * 2**attempt if error.retry_after_seconds is None else error.retry_after_seconds
            may_retry = error.status == 503 or error.code == "SERVICE_RATE_LIMITED"
            is_too_long = wait > min(self._max_wait, max(deadline.left(), 0))
            if not may_retry or attempt >= self._max_retries or is_too_long:
                raise error
            time.sleep(wait)
            attempt += 1


def iterate_pages(first: int, fetch_page: Callable[[int], Any]) -> Iterator[Any]:
    """The items of all pages from `first` on, each page asked for when it is reached."""
    number = first
    while True:
        page = fetch_page(number)
        items = page.get("items") if isinstance(page, dict) else None
        # Pages without places that have a next page would be asked for without end.
        if not isinstance(items, list) or (not items and page.get("hasNextPage")):
            raise PostalPlacesError("The answer is no page of places.")
        yield from items
        if not page.get("hasNextPage"):
            return
        number += 1


def _is_address(base_url: str) -> bool:
    try:
        parts = urlsplit(base_url)
        # Reading the port checks it.
        is_whole = parts.hostname is not None and parts.port != 0
    except ValueError:
        return False
    is_bare = not (parts.query or parts.fragment or "@" in parts.netloc or re.search(r"[\s\x00-\x1f]", base_url))
    return parts.scheme in ("http", "https") and is_whole and is_bare


def _check_timeout(timeout: float) -> float:
    if not isinstance(timeout, (int, float)) or not 0 < timeout <= _LONGEST_TIMEOUT:
        raise _invalid(f"timeout must be above 0 and at most {_LONGEST_TIMEOUT:.0f} seconds, and not {timeout}")
    return timeout


def _invalid(message: str) -> PostalPlacesError:
    return PostalPlacesError(message, "INVALID_ARGUMENT")


def _to_target(template: str, parameters: Mapping[str, Value]) -> str:
    """Path and query."""

    def fill(match: "re.Match[str]") -> str:
        name = match.group(1)
        text = "" if parameters[name] is None else str(parameters[name])
        # As segments of a path these would ask for something else.
        if text in ("", ".", ".."):
            raise ValueError(f'{name} must be given, and not be "{text}"')
        return quote(text, safe="")

    path = re.sub(r"\{(\w+)\}", fill, template)
    others = {name: value for name, value in parameters.items() if f"{{{name}}}" not in template}
    query = {name: _to_text(name, value) for name, value in others.items() if value is not None}
    return f"{path}?{urlencode(query)}" if query else path


def _to_json(body: Mapping[str, Any]) -> bytes:
    given = {name: value for name, value in body.items() if value is not None}
    # NaN and infinite numbers are no JSON.
    return json.dumps(given, allow_nan=False).encode("utf-8")


def _to_text(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, and not {value}")
        # Without exponent, which the API does not read.
        return format(Decimal(repr(value)), "f")
    return str(value)


def _to_error(status: int, headers: Mapping[str, str], body: Dict[str, Any]) -> PostalPlacesError:
    told = body.get("error")
    error = told if isinstance(told, dict) else {}
    message, code = error.get("message"), error.get("code")
    is_told = isinstance(message, str) and isinstance(code, str)
    return PostalPlacesError(
        str(message) if is_told else f"The answer has the status {status} and is not of the service.",
        str(code) if is_told else "UNEXPECTED_ANSWER",
        status,
        headers.get("x-correlation-id"),
        _parse_seconds(headers.get("retry-after") or ""),
        _parse_details(error.get("details")) if is_told else [],
    )


def _parse_details(value: Any) -> List[ParameterFault]:
    return [cast("ParameterFault", entry) for entry in value if _is_fault(entry)] if isinstance(value, list) else []


def _is_fault(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("param", "message", "expected"))


def _parse_seconds(text: str) -> Optional[int]:
    if not re.fullmatch("[0-9]+", text):
        return None
    return int(text) if len(text) <= len(str(_LONGEST_RETRY_AFTER)) else _LONGEST_RETRY_AFTER


def _parse_json(headers: Mapping[str, str], text: bytes) -> Dict[str, Any]:
    """Empty for what is no JSON object in UTF-8, by its type and in fact, and for what Python finds too deep."""
    if (headers.get("content-type") or "").split(";")[0].strip().lower() != "application/json":
        return {}
    try:
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
