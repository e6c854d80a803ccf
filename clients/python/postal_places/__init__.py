"""The client of the Postal Places API: one class, the types of its answers, and its error."""

from . import _api
from ._api import *  # noqa: F403
from ._errors import CLIENT_ERROR_CODES, PostalPlacesError

__all__ = ["CLIENT_ERROR_CODES", "PostalPlacesError"]
__all__ += _api.__all__
