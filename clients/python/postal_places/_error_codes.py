"""The codes of errors of the Postal Places API. Written by npm run generate:openapi: do not edit."""

from __future__ import annotations

from typing import TypedDict

#: The codes of errors; later versions of the API may add some.
ERROR_CODES = (
    "COUNTRY_NOT_FOUND",
    "HEADERS_TOO_LARGE",
    "INTERNAL_ERROR",
    "MALFORMED_REQUEST",
    "NO_NEARBY_PLACE",
    "NO_POSTCODE_DATA",
    "PAYLOAD_TOO_LARGE",
    "PLACE_NOT_FOUND",
    "POSTCODE_NOT_FOUND",
    "RELEASE_NOT_FOUND",
    "REQUEST_TIMEOUT",
    "SERVICE_API_KEY_EXPIRED",
    "SERVICE_API_KEY_INVALID",
    "SERVICE_API_KEY_MISSING",
    "SERVICE_API_KEY_REVOKED",
    "SERVICE_KEY_RESTRICTED",
    "SERVICE_ORIGIN_NOT_ALLOWED",
    "SERVICE_QUOTA_EXCEEDED",
    "SERVICE_RATE_LIMITED",
    "SERVICE_UNAVAILABLE",
    "UNSUPPORTED_MEDIA_TYPE",
    "URI_TOO_LONG",
    "VALIDATION_FAILED",
)


class WithdrawnPostcode(TypedDict):
    #: The code as the earlier release writes it.
    postcode: str
    #: The release that came without the code.
    release: str
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: Id of a place that had the code, as it was then.
    placeId: str
    #: Name of this place.
    placeName: str
    #: Slugs of the ancestors and of the place, root first, each after a slash.
    placePath: str


class InferredPostcode(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: Id of the town, or of the part of it, that has the codes around this one.
    placeId: str
    #: Name of this place.
    placeName: str
    #: Slugs of the ancestors and of the place, root first, each after a slash.
    placePath: str
    #: Name of its city; its own name where it has none.
    city: str


class _ParameterFault(TypedDict):
    #: Name of the parameter as it was sent or should be sent.
    param: str
    #: What is wrong, for people; its wording may change.
    message: str
    #: What is allowed.
    expected: str


class ParameterFault(_ParameterFault, total=False):
    #: Only of a postal code that an earlier release has.
    withdrawn: WithdrawnPostcode
    #: Only of a postal code that the dataset lacks, in a town's block.
    inferred: InferredPostcode
