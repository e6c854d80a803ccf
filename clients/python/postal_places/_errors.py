"""The one error that a call raises, with a code for each reason."""

from __future__ import annotations

from typing import List, Optional, Sequence

from ._error_codes import ParameterFault

#: The codes of errors that the client itself finds; ERROR_CODES are those of the service.
CLIENT_ERROR_CODES = (
    # More than 64 MB came.
    "ANSWER_TOO_LARGE",
    # No whole answer came: no address, no connection, no TLS, no HTTP, or it broke off. `__cause__` says which.
    "CONNECTION_FAILED",
    # Nothing was sent: an argument can't be.
    "INVALID_ARGUMENT",
    # `timeout` was over before the answer was there.
    "TIMEOUT",
    # The answer is not of the service, but of a proxy before it, say. A redirect is such an answer.
    "UNEXPECTED_ANSWER",
)


class PostalPlacesError(Exception):
    """Why a call gave no data. A call raises nothing else."""

    def __init__(
        self,
        message: str,
        code: str = "UNEXPECTED_ANSWER",
        status: Optional[int] = None,
        correlation_id: Optional[str] = None,
        retry_after_seconds: Optional[int] = None,
        details: Sequence[ParameterFault] = (),
    ) -> None:
        super().__init__(message)
        #: One of ERROR_CODES or CLIENT_ERROR_CODES; later versions of the API may add some.
        self.code = code
        #: The HTTP status; None where there is no answer.
        self.status = status
        #: Quote it to support.
        self.correlation_id = correlation_id
        #: Whole seconds after which the request may succeed, where the server tells; at most 999,999,999.
        self.retry_after_seconds = retry_after_seconds
        #: What is wrong with each parameter, where the service tells; else empty.
        self.details: List[ParameterFault] = list(details)
