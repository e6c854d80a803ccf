"""The operations of the Postal Places API and their answers. Written by npm run generate:openapi: do not edit."""

from __future__ import annotations

from typing import Iterator, List, Optional, Sequence, TypedDict, Union, cast

from ._error_codes import ERROR_CODES, WithdrawnPostcode, InferredPostcode, ParameterFault
from ._transport import Transport, iterate_pages

__all__ = [
    "ERROR_CODES",
    "WithdrawnPostcode",
    "InferredPostcode",
    "ParameterFault",
    "PostalPlaces",
    "Country",
    "LevelCount",
    "CountryStats",
    "CountryDetail",
    "Place",
    "PlacePage",
    "PlaceCodes",
    "City",
    "PlaceDetail",
    "PostcodePlaces",
    "SuggestionContext",
    "Suggestion",
    "NearestPlace",
    "NearbyPlace",
    "NearbyPostcode",
    "DistanceSide",
    "Distance",
    "PlacePostcode",
    "PlacePostcodePage",
    "PostcodeCheck",
    "AddressConflict",
    "AddressMatch",
    "PlaceChange",
    "ChangePage",
    "LookupByPostcode",
    "LookupByPosition",
    "LookupByPath",
    "LookupById",
    "LookupByAddress",
    "LookupByName",
    "BulkError",
    "BulkEntry",
    "ReleaseCountry",
    "SourceLicense",
    "Source",
    "Release",
]


class Country(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    code: str
    #: ISO 3166-1 alpha-3 code.
    alpha3: str
    #: English short name.
    name: str
    #: Slug of the country in website addresses.
    slug: str
    #: Continent: AF, AN, AS, EU, NA, OC or SA.
    region: str
    #: Sub-region, as UN M49 calls it.
    subRegion: Optional[str]
    #: ISO 4217 code; empty for Antarctica.
    currencyCode: str
    #: IANA time zone of the capital, in area/city form.
    timezone: str
    #: Centre of the country in decimal degrees; null where it has none.
    latitude: Optional[float]
    #: Centre of the country in decimal degrees; null where it has none.
    longitude: Optional[float]
    #: Pattern of the postal codes: `#` is a digit, `@` a letter, any other character itself; null where unknown.
    postalCodeFormat: Optional[str]
    #: Whether the country has postcode data.
    hasPostcodes: bool
    #: Page on the website that the snapshot was built for; link to it where you show the data.
    url: str


class LevelCount(TypedDict):
    #: Administrative level; 1 is the top.
    level: int
    #: Places of this level.
    count: int


class CountryStats(TypedDict):
    #: Places of all levels.
    totalPlaces: int
    #: Different postal codes.
    distinctPostcodes: int
    #: One entry for each level that has places, ascending.
    levels: List[LevelCount]


class CountryDetail(Country, total=False):
    #: Only where the country has postcode data.
    stats: CountryStats


class Place(TypedDict):
    #: Stays the same from release to release.
    id: str
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: Administrative level; 1 is the top.
    level: int
    #: Name in Latin letters.
    name: str
    #: Name in the local script.
    localName: str
    #: Kind of place: `region`, `district` and `municipality` are admin units, a `locality` is a place with a postal code, a `recipient` an organisation, post boxes or a delivery office with a code of its own. Recipients are answers to a position only where no locality is near, and no suggestions. Later versions may add kinds..
    type: str
    #: Slug of the place, the last segment of its path.
    slug: str
    #: Slugs of the ancestors and of the place, root first, each after a slash.
    path: str
    #: Postal code as the dataset writes it; null for an administrative unit.
    postalCode: Optional[str]
    #: Decimal degrees, WGS 84.
    latitude: float
    #: Decimal degrees, WGS 84.
    longitude: float
    #: Id of the parent; null for level 1.
    parentId: Optional[str]
    #: Page on the website that the snapshot was built for; link to it where you show the data.
    url: str


class PlacePage(TypedDict):
    items: List[Place]
    #: Number of this page, from 1.
    pageNumber: int
    #: Places on a full page.
    pageSize: int
    #: Places on all pages.
    totalCount: int
    #: Pages of this size.
    totalPages: int
    hasPreviousPage: bool
    hasNextPage: bool


class PlaceCodes(TypedDict):
    #: ISO 3166-2 code; null where the unit has none.
    iso3166_2: Optional[str]
    #: Code of the dataset; null where it has none.
    release: Optional[str]


class City(TypedDict):
    #: Id of the place that is the city.
    id: str
    #: Name of the city.
    name: str
    #: Slugs of the ancestors and of the place, root first, each after a slash.
    path: str
    #: Page on the website that the snapshot was built for; link to it where you show the data.
    url: str


class _PlaceDetail(Place):
    #: Root first; empty for level 1.
    ancestors: List[Place]
    #: Direct children.
    childCount: int


class PlaceDetail(_PlaceDetail, total=False):
    #: Codes of the first-level unit that the place is or lies in.
    codes: PlaceCodes
    #: IANA time zone.
    timezone: str
    #: People in the city that the place is, as GeoNames has them: each place of the name of the city has it; null for other places, and for units wider than the city.
    population: Optional[int]
    #: West, south, east and north in decimal degrees of the localities in a unit whose coordinates are sure; west is greater than east across the antimeridian (RFC 7946). Null for a place with a postal code, and for a unit without such localities.
    bounds: Optional[List[float]]
    #: The city that the place belongs to, as on an envelope: a town is its own city, a district or an office belongs to the city around it; null for units wider than a city.
    city: Optional[City]


class PostcodePlaces(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: The postal code that was found, as the dataset writes it.
    postcode: str
    places: List[PlaceDetail]


class SuggestionContext(TypedDict):
    #: Administrative level; 1 is the top.
    level: int
    #: Name in Latin letters.
    name: str
    #: ISO 3166-2 code of a first-level unit; null where there is none.
    iso3166_2: Optional[str]


class _Suggestion(TypedDict):
    #: What is suggested: `place` unless `kinds` asks for more; later versions may add kinds.
    kind: str
    #: Name in Latin letters; of a postal code the code.
    name: str
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: English short name of the country.
    countryName: str
    #: Postal code as the dataset writes it; null for an administrative unit.
    postalCode: Optional[str]
    #: Path of the page after the slug of the country: of a place its `path`; of a country `/`.
    path: str
    #: Page on the website that the snapshot was built for; link to it where you show the data.
    url: str


class Suggestion(_Suggestion, total=False):
    #: Only of a postal code: name of its main place.
    placeName: str
    #: Only of a postal code: places that have it.
    placeCount: int
    #: Only of a place: its id.
    id: str
    #: Administrative level; 1 is the top.
    level: int
    #: Only of a place: its type.
    type: str
    #: Only of a place: name in the local script.
    localName: str
    #: Latitude of the place, of the main place of a code, or of the centre of a country.
    latitude: Optional[float]
    #: Longitude of the same point.
    longitude: Optional[float]
    #: Only of a place: people in the city that the place is; null for other places.
    population: Optional[int]
    #: Only of a place: the units that it lies in, root first.
    context: List[SuggestionContext]
    #: Text to show: the name, the city if it has another name, what tells it from other suggestions, the country.
    label: str
    #: City of the place, or of the main place of a code; null where there is none.
    city: Optional[City]


class NearestPlace(TypedDict):
    place: PlaceDetail
    #: Distance from the point in kilometres; 0 for a place at the point.
    distanceKm: float


class NearbyPlace(TypedDict):
    place: PlaceDetail
    #: Distance from the centre in kilometres, rounded to metres.
    distanceKm: float


class NearbyPostcode(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: Postal code as the dataset writes it.
    postcode: str
    #: Latitude of the place of the code that is nearest to the centre.
    latitude: float
    #: Longitude of this place.
    longitude: float
    #: Distance from the centre in kilometres, rounded to metres.
    distanceKm: float


class DistanceSide(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: Postal code as the dataset writes it; null for a place.
    postcode: Optional[str]
    #: Id of the place; null for a postal code.
    id: Optional[str]
    #: Name of the place; null for a postal code.
    name: Optional[str]
    #: Latitude of the place, or the mean of the places of the code.
    latitude: float
    #: Longitude of the place, or the mean of the places of the code.
    longitude: float


Distance = TypedDict(
    "Distance",
    {
        "from": DistanceSide,
        "to": DistanceSide,
        #: Great-circle distance in kilometres, rounded to metres.
        "distanceKm": float,
    },
)


class PlacePostcode(TypedDict):
    #: Postal code as the dataset writes it.
    postcode: str
    #: Latitude of one of its places here, one with sure coordinates if there is any.
    latitude: float
    #: Longitude of the same place.
    longitude: float
    #: Places here that have the code.
    placeCount: int


class PlacePostcodePage(TypedDict):
    items: List[PlacePostcode]
    #: Number of this page, from 1.
    pageNumber: int
    #: Codes on a full page.
    pageSize: int
    #: Codes on all pages.
    totalCount: int
    #: Pages of this size.
    totalPages: int
    hasPreviousPage: bool
    hasNextPage: bool


class _PostcodeCheck(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: The postal code as it was sent.
    asked: str
    #: The code that was found, as the dataset writes it; null if none was found.
    postcode: Optional[str]
    #: How the code was found. `exact`: as it was sent. `normalised`: in another spelling. `partial`: the dataset has only the first part of the code, or only a part of the code was sent. `inferred`: the dataset lacks the code, and the block of codes around it belongs to one town. `withdrawn`: an earlier release has it. `none`: the dataset does not have it.
    match: str
    #: Whether what was sent, apart from case, spaces and hyphens, fits `format` or is a code of the dataset; true of first parts too where the dataset has only these.
    hasKnownFormat: bool
    #: `postalCodeFormat` of the country; null where unknown.
    format: Optional[str]
    #: A code of the country.
    example: str


class PostcodeCheck(_PostcodeCheck, total=False):
    #: Only of a code that is not found, or only in part, and that an earlier release has.
    withdrawn: WithdrawnPostcode
    #: Only where `match` is `inferred`: the town of the block.
    inferred: InferredPostcode


class AddressConflict(TypedDict):
    #: For programs. `postcode_elsewhere`: the code of the address is not one of its town. `country_without_data`: the address is in a country without postcode data. `town_better_known_elsewhere`: the town is best known in such a country. Later versions may add reasons.
    reason: str
    #: For people; its wording may change.
    message: str
    #: The country of the town, or the one without data.
    countryCode: str


class AddressMatch(TypedDict):
    #: The address as it was sent, without surrounding white space.
    address: str
    #: How the place was found. `exact`: the address has the code of the place. `normalised`: in another spelling. `partial`: the dataset has only the first part of the code, or the place was found by its town, without a code. `inferred`: the dataset lacks the code, which is in the block of this town. `none`: the address leads to no place.
    match: str
    #: ISO 3166-1 alpha-2 code of the place; null where none is found.
    countryCode: Optional[str]
    #: The code that was found, as the dataset writes it; null where the place was found by its town, or none is.
    postcode: Optional[str]
    #: Of several places of a code, the one that the address names, or else the main one. Of a town without a code, the place that stands for it, whatever its code. Null where none is found.
    place: Optional[PlaceDetail]
    #: The city that the place belongs to, as on an envelope; the place itself where it is in no city.
    city: Optional[City]
    #: Why the address leads to no place although it names a town or a country; null where it does not.
    conflict: Optional[AddressConflict]


class _PlaceChange(TypedDict):
    #: Release that the change came with.
    release: str
    #: ISO 3166-1 alpha-2 code.
    countryCode: str
    #: What happened. `added`, `removed`: the place is new, or gone. `moved`: it has another path or parent. `renamed`: it has another name. A place that was moved and renamed has an entry for each. `fullCodeAdded`, `fullCodeRemoved`: the full code `postalCode` is new, or gone. `fullCodeMoved`: it is over 1 km from its old position, or of another place.
    change: str
    #: Id of the place. Of a removed place this and the fields below are as they were; of a full code, the id of the place that has it, or had it if it is removed.
    id: str
    #: Slugs of the ancestors and of the place, root first, each after a slash.
    path: str
    #: Name in Latin letters.
    name: str
    #: Name in the local script.
    localName: str
    #: Kind of place, as `type` of a place.
    type: str
    #: Postal code as the dataset writes it; null for an administrative unit.
    postalCode: Optional[str]


class PlaceChange(_PlaceChange, total=False):
    #: Id before, if a renamed place had another; of a moved full code, the id of the place that had it.
    oldId: str
    #: Path before. A moved place has it always, also if only its parent is another; a renamed place, and the place of a moved full code, if the path was another.
    oldPath: str
    #: Name before; every renamed place has it.
    oldName: str
    #: Local name before, if a renamed place had another.
    oldLocalName: str
    #: Kilometres from the old position of a moved full code.
    movedKm: float


class ChangePage(TypedDict):
    #: The release that was asked for.
    since: str
    #: The release that is served.
    release: str
    #: Countries with so many changes that `items` has none of them, or whose full codes are new or gone as a whole; read these countries again as a whole.
    countriesNotListed: List[str]
    items: List[PlaceChange]
    #: Number of this page, from 1.
    pageNumber: int
    #: Changes on a full page.
    pageSize: int
    #: Changes on all pages.
    totalCount: int
    #: Pages of this size.
    totalPages: int
    hasPreviousPage: bool
    hasNextPage: bool


class _LookupByPostcode(TypedDict):
    #: The postal code.
    postcode: str


class LookupByPostcode(_LookupByPostcode, total=False):
    #: ISO 3166-1 alpha-2 code; if left out, that of the body.
    country: str
    #: Fields to add to a place, separated by commas.
    include: str
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _LookupByPosition(TypedDict):
    #: The latitude.
    lat: float
    #: The longitude.
    lng: float


class LookupByPosition(_LookupByPosition, total=False):
    #: ISO 3166-1 alpha-2 code, or `any`; if left out, that of the body.
    country: str
    #: Fields to add to a place, separated by commas.
    include: str
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _LookupByPath(TypedDict):
    #: The path of a place.
    path: str


class LookupByPath(_LookupByPath, total=False):
    #: ISO 3166-1 alpha-2 code; if left out, that of the body.
    country: str
    #: Fields to add to a place, separated by commas.
    include: str
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _LookupById(TypedDict):
    #: The id of a place.
    id: str


class LookupById(_LookupById, total=False):
    #: ISO 3166-1 alpha-2 code; if left out, that of the body.
    country: str
    #: Fields to add to a place, separated by commas.
    include: str
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _LookupByAddress(TypedDict):
    #: The address, in one line or in several.
    address: str


class LookupByAddress(_LookupByAddress, total=False):
    #: ISO 3166-1 alpha-2 code; if left out, that of the body.
    country: str
    #: Fields to add to a place, separated by commas.
    include: str
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _LookupByName(TypedDict):
    #: The start of a name, or an address line.
    q: str


class LookupByName(_LookupByName, total=False):
    #: ISO 3166-1 alpha-2 code; if left out, that of the body.
    country: str
    #: How many suggestions there may be.
    limit: int
    #: `place` adds fields to each suggestion, such as id, position and label.
    include: str
    #: What to suggest, separated by commas.
    kinds: str
    #: The types of places to suggest, separated by commas.
    types: str
    #: The latitude of a point, near which places come first; needs `lng`.
    lat: float
    #: The longitude of this point; needs `lat`.
    lng: float
    #: The languages of names, separated by commas; if left out, those of the body.
    lang: str


class _BulkError(TypedDict):
    #: For people; its wording may change.
    message: str
    #: For programs.
    code: str


class BulkError(_BulkError, total=False):
    #: Of `VALIDATION_FAILED`: the faulty parameters in the order of the endpoint, then unknown parameters that were probably meant for it. Of `COUNTRY_NOT_FOUND`, and of `POSTCODE_NOT_FOUND` of `findPostcode`: the code that was probably meant, if there is one. Of `POSTCODE_NOT_FOUND` of `findPostcode` and `findPostcodes`: with `withdrawn`, the code that an earlier release has; with `inferred`, the town whose block of codes has the one that the dataset lacks.
    details: List[ParameterFault]


class _BulkEntry(TypedDict):
    #: The status that a request for this lookup alone would have.
    statusCode: int


class BulkEntry(_BulkEntry, total=False):
    #: The `data` that a request for this lookup alone would have; only where `statusCode` is 200.
    data: Union[PostcodePlaces, NearestPlace, PlaceDetail, AddressMatch, List[Suggestion]]
    #: Only where `statusCode` is not 200.
    error: BulkError


class ReleaseCountry(TypedDict):
    #: ISO 3166-1 alpha-2 code.
    code: str
    #: Places of all levels.
    totalPlaces: int
    #: Different postal codes.
    distinctPostcodes: int


class SourceLicense(TypedDict):
    #: Name of the licence.
    name: str
    #: SPDX identifier of the licence.
    identifier: str
    #: Text of the licence.
    url: str


class Source(TypedDict):
    #: Name of the source.
    name: str
    #: Web page of the source.
    url: str
    license: SourceLicense
    #: What to show where the data are shown.
    attribution: str
    #: The countries whose full postal codes are from it; empty for the source of all other data.
    fullCodesOf: List[str]


class _Release(TypedDict):
    #: Name of the release, as the header x-dataset-release has it.
    name: str
    #: Date of the newest file of the release; null where unknown.
    sourceDate: Optional[str]
    #: Name of the release before; null where the snapshot does not know it.
    previousRelease: Optional[str]
    #: Places of all countries.
    totalPlaces: int
    #: Postal codes of all countries; a code of two countries counts twice.
    distinctPostcodes: int
    #: The countries with postcode data, ascending by code.
    countries: List[ReleaseCountry]
    #: Version of the format of the snapshot.
    formatVersion: int
    #: Version of the rules by which names are compared.
    foldingVersion: int
    #: Version of the builder of the snapshot; null where the snapshot does not know it.
    builderVersion: Optional[str]


class Release(_Release, total=False):
    #: Whom to credit, only where that is not GeoNames alone; the source of all other data comes first.
    sources: List[Source]


class PostalPlaces:
    """A client of the Postal Places API. One may serve a whole program, and several threads.

    `timeout` is how many seconds a call may take in all: connecting, reading, waiting and trying again. Answers 503 and
    SERVICE_RATE_LIMITED are asked for again, at most `max_retries` times, after the seconds of Retry-After, unless these
    are more than `max_wait` or than what `timeout` leaves. A call raises nothing but PostalPlacesError.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 2,
        max_wait: float = 30.0,
    ) -> None:
        self._transport = Transport(base_url, api_key, timeout, max_retries, max_wait)

    def list_countries(
        self,
        *,
        has_postcodes: Optional[bool] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Country]:
        """List countries.

        All countries, ascending by code.

        has_postcodes: Whether countries without postcode data are left out: true or false.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries", {"hasPostcodes": has_postcodes, "lang": lang}, timeout)
        return cast("List[Country]", answer)

    def get_country(
        self,
        country: str,
        *,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> CountryDetail:
        """Get a country.

        One country, with counts of its places and postal codes where it has postcode data.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}", {"country": country, "lang": lang}, timeout)
        return cast("CountryDetail", answer)

    def list_places(
        self,
        country: str,
        *,
        level: Optional[int] = None,
        page: int = 1,
        page_size: int = 50,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlacePage:
        """List places of a country.

        A page of the places of a country, ordered by name then id.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        level: The administrative level; all levels if left out: an integer from 1 to 4.
        page: The number of the page (a page past the last is empty): an integer of 1 or more.
        page_size: How many places a page has: an integer from 1 to 100.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/places", {"country": country, "level": level, "page": page, "pageSize": page_size, "lang": lang}, timeout)
        return cast("PlacePage", answer)

    def iterate_places(
        self,
        country: str,
        *,
        level: Optional[int] = None,
        page: int = 1,
        page_size: int = 100,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[Place]:
        """List places of a country, from `page` to the last, each page fetched when it is reached."""
        return iterate_pages(
            page,
            lambda number: self.list_places(
                country, level=level, page=number, page_size=page_size, lang=lang, timeout=timeout
            ),
        )

    def get_place(
        self,
        country: str,
        id: str,
        *,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlaceDetail:
        """Get a place.

        One place with its ancestors. An id of another country is `PLACE_NOT_FOUND`.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        id: The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/places/{id}", {"country": country, "id": id, "include": include, "lang": lang}, timeout)
        return cast("PlaceDetail", answer)

    def list_children(
        self,
        country: str,
        id: str,
        *,
        page: int = 1,
        page_size: int = 50,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlacePage:
        """List children of a place.

        A page of the places directly below a place, ordered by name then id.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        id: The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits.
        page: The number of the page (a page past the last is empty): an integer of 1 or more.
        page_size: How many places a page has: an integer from 1 to 100.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/places/{id}/children", {"country": country, "id": id, "page": page, "pageSize": page_size, "lang": lang}, timeout)
        return cast("PlacePage", answer)

    def iterate_children(
        self,
        country: str,
        id: str,
        *,
        page: int = 1,
        page_size: int = 100,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[Place]:
        """List children of a place, from `page` to the last, each page fetched when it is reached."""
        return iterate_pages(
            page,
            lambda number: self.list_children(
                country, id, page=number, page_size=page_size, lang=lang, timeout=timeout
            ),
        )

    def resolve_path(
        self,
        country: str,
        path: str,
        *,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlaceDetail:
        """Resolve the path of a page.

        The place of a page on the website. Segments are compared as slugs: `/Île-de-France` is `/ile-de-france`. A path
        that a place had in the release before leads to it too, unless another place has it now.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        path: The path of a page, without the slug of its country: a path of 1 to 4 segments that starts with "/", at
        most 1000 characters.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/resolve", {"country": country, "path": path, "include": include, "lang": lang}, timeout)
        return cast("PlaceDetail", answer)

    def find_postcode(
        self,
        country: str,
        postcode: str,
        *,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PostcodePlaces:
        """Find the places of a postal code.

        At most 100 places, ordered by name then id. Case, spaces and hyphens make no difference; `postcode` of the
        answer is the spelling of the dataset.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        postcode: The postal code: a postcode of 1 to 20 characters.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/postcodes/{postcode}", {"country": country, "postcode": postcode, "include": include, "lang": lang}, timeout)
        return cast("PostcodePlaces", answer)

    def autocomplete(
        self,
        q: str,
        *,
        country: Optional[str] = None,
        limit: int = 10,
        include: Optional[Union[str, Sequence[str]]] = None,
        kinds: Optional[Union[str, Sequence[str]]] = None,
        types: Optional[Union[str, Sequence[str]]] = None,
        lat: Optional[float] = None,
        lng: Optional[float] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Suggestion]:
        """Suggest places.

        Places for the start of a name, the best first. Case, accents and script make no difference. With `kinds` also
        postal codes, each once for each country, and countries, by name and ISO code. With `include=place` no two
        suggestions look the same. With `lat` and `lng`, of places that match equally well and are equally important the
        nearest comes first: a near village never comes before a city. If `q` names a country without data, or a large
        city there (`Tokyo`, `東京`), the header `x-country-without-data` has the code of that country. It counts as one
        request of the rate, or as three if a text of more than 8 characters has a digit.

        q: The start of a name, with a letter or digit in it: text of 2 to 100 characters.
        country: The country to suggest places of: a two-letter ISO 3166-1 alpha-2 country code, or up to 10 separated
        by commas.
        limit: How many suggestions there may be: an integer from 1 to 25.
        include: Fields to add to each suggestion, such as id, position and label: place.
        kinds: What to suggest; places if left out: one or more of place, postcode, country, separated by commas.
        types: The types of places to suggest; all if left out: one or more of region, district, municipality, locality,
        recipient, separated by commas.
        lat: The latitude of a point, near which places come first; needs lng: a decimal number from -90 to 90, such as
        -12.34 (no exponent, at most 32 characters).
        lng: The longitude of this point; needs lat: a decimal number from -180 to 180, such as -12.34 (no exponent, at
        most 32 characters).
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/autocomplete", {"q": q, "country": country, "limit": limit, "include": include, "kinds": kinds, "types": types, "lat": lat, "lng": lng, "lang": lang}, timeout)
        return cast("List[Suggestion]", answer)

    def reverse(
        self,
        lat: float,
        lng: float,
        *,
        country: Optional[str] = None,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> NearestPlace:
        """Find the nearest place.

        The nearest place within 80 km of a point. Without `country`, the API searches the country that contains the
        point; at sea, the country with the nearest centre, then all countries. A point in a country without data is
        `NO_POSTCODE_DATA`. `country=any` searches all countries.

        lat: The latitude: a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32 characters).
        lng: The longitude: a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32 characters).
        country: The country to search; the country that contains the point if left out: a two-letter ISO 3166-1 alpha-2
        country code, or "any".
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/reverse", {"lat": lat, "lng": lng, "country": country, "include": include, "lang": lang}, timeout)
        return cast("NearestPlace", answer)

    def nearby(
        self,
        *,
        lat: Optional[float] = None,
        lng: Optional[float] = None,
        country: Optional[str] = None,
        postcode: Optional[str] = None,
        place: Optional[str] = None,
        radius_km: float = 25,
        limit: int = 10,
        countries: Optional[str] = None,
        types: Optional[Union[str, Sequence[str]]] = None,
        by: Optional[str] = None,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[Union[NearbyPlace, NearbyPostcode]]:
        """List what is nearby.

        The places, or with `by=postcode` the postal codes, around a centre, nearest first, across borders. The centre
        is `lat` and `lng`, or `country` with `postcode` or `place`. Of several localities at one point, a list of
        places has the one with the lowest code, and a list of codes has all their codes. The distance of a code is that
        of its nearest place. Where the country has full codes, such as `SW1A 1AA`, the list has these, each with its
        own position. GeoJSON or CSV with a `limit` over 50 counts as two requests of the rate.

        lat: The latitude of the centre: a decimal number from -90 to 90, such as -12.34 (no exponent, at most 32
        characters).
        lng: The longitude of the centre: a decimal number from -180 to 180, such as -12.34 (no exponent, at most 32
        characters).
        country: The country of the postcode or place that is the centre: a two-letter ISO 3166-1 alpha-2 country code.
        postcode: The postal code that is the centre: a postcode of 1 to 20 characters.
        place: The place that is the centre: a place id in UUID form, 8-4-4-4-12 hexadecimal digits.
        radius_km: The radius in kilometres: a decimal number from 0 to 200, such as 12.34 (no exponent, at most 32
        characters).
        limit: How many entries there may be: an integer from 1 to 100.
        countries: The countries to search; all if left out: 1 to 10 two-letter ISO 3166-1 alpha-2 country codes,
        separated by commas.
        types: The types of places to list; localities if left out: one or more of locality, recipient, separated by
        commas.
        by: What to list; places if left out: place or postcode.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/nearby", {"lat": lat, "lng": lng, "country": country, "postcode": postcode, "place": place, "radiusKm": radius_km, "limit": limit, "countries": countries, "types": types, "by": by, "include": include, "lang": lang}, timeout)
        return cast("List[Union[NearbyPlace, NearbyPostcode]]", answer)

    def distance(
        self,
        from_: str,
        to: str,
        *,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Distance:
        """Measure a distance.

        The great-circle distance between two postal codes or places, each of any country.

        from_: The start: a country code, a colon, and a postcode or a place id, such as US:90210.
        to: The end: a country code, a colon, and a postcode or a place id, such as US:90210.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/distance", {"from": from_, "to": to, "lang": lang}, timeout)
        return cast("Distance", answer)

    def list_postcodes(
        self,
        country: str,
        id: str,
        *,
        recipients: Optional[bool] = None,
        full: Optional[bool] = None,
        page: int = 1,
        page_size: int = 50,
        timeout: Optional[float] = None,
    ) -> PlacePostcodePage:
        """List postal codes of a place.

        A page of postal codes, each once, in natural order: `SW2` comes before `SW10`. A unit has the codes of all
        places in it and of places of its name beside it; a place with a code has those of its city. Codes that only
        recipients have are left out without `recipients=true`. With `full=true` the list has full codes, such as `SW1A
        1AA`, where the country has them. It counts as two requests of the rate.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        id: The place: a place id in UUID form, 8-4-4-4-12 hexadecimal digits.
        recipients: Whether codes that only recipients have are listed too: true or false.
        full: Whether full codes are listed, where the country has them, instead of their first parts: true or false.
        page: The number of the page (a page past the last is empty): an integer of 1 or more.
        page_size: How many codes a page has: an integer from 1 to 100.
        """
        answer = self._transport.call("/v1/countries/{country}/places/{id}/postcodes", {"country": country, "id": id, "recipients": recipients, "full": full, "page": page, "pageSize": page_size}, timeout)
        return cast("PlacePostcodePage", answer)

    def iterate_postcodes(
        self,
        country: str,
        id: str,
        *,
        recipients: Optional[bool] = None,
        full: Optional[bool] = None,
        page: int = 1,
        page_size: int = 100,
        timeout: Optional[float] = None,
    ) -> Iterator[PlacePostcode]:
        """List postal codes of a place, from `page` to the last, each page fetched when it is reached."""
        return iterate_pages(
            page,
            lambda number: self.list_postcodes(
                country, id, recipients=recipients, full=full, page=number, page_size=page_size, timeout=timeout
            ),
        )

    def check_postcode(
        self,
        country: str,
        postcode: str,
        *,
        timeout: Optional[float] = None,
    ) -> PostcodeCheck:
        """Check a postal code.

        Tells a form whether the country has a code that somebody typed, in which spelling, and in which format its
        codes are. A code that is not found is no error here. `withdrawn` says of a code from an earlier release which
        release came without it, and which place had it. `inferred` names the town whose block of codes has a code that
        the dataset lacks.

        country: The country: a two-letter ISO 3166-1 alpha-2 country code.
        postcode: The postal code: a postcode of 1 to 20 characters.
        """
        answer = self._transport.call("/v1/countries/{country}/postcodes/{postcode}/check", {"country": country, "postcode": postcode}, timeout)
        return cast("PostcodeCheck", answer)

    def find_postcodes(
        self,
        postcode: str,
        *,
        country: Optional[str] = None,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[PostcodePlaces]:
        """Find a postal code in all countries.

        The places of a postal code, for at most 20 countries that have it: first those that spell the code as it was
        sent, then those with other spaces or hyphens, then those that have a part of it, or have it without the country
        before it. Of equal ones the country with more inhabitants comes first.  GeoJSON or CSV counts as three requests
        of the rate.

        postcode: The postal code: a postcode of 1 to 20 characters.
        country: The countries to search; all if left out: 1 to 10 two-letter ISO 3166-1 alpha-2 country codes,
        separated by commas.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/postcodes/{postcode}", {"postcode": postcode, "country": country, "include": include, "lang": lang}, timeout)
        return cast("List[PostcodePlaces]", answer)

    def match(
        self,
        address: str,
        *,
        country: Optional[str] = None,
        include: Optional[Union[str, Sequence[str]]] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> AddressMatch:
        """Match an address.

        The place that an address leads to: by the postal code in its last line if the rest of the line fits it, or else
        by the town at its end, with its state and country. A country or a telephone number may follow on lines below.
        Nothing is guessed: an address that leads to no place has the match `none`, and is no error. Lines of over 100
        characters are not read. It counts as one request of the rate, or as three for each line that has more than 8
        characters and a digit, of at most 4 lines at the end.

        address: The address, in one line or in several separated by line breaks: an address of 2 to 500 characters.
        country: The country of the address: a two-letter ISO 3166-1 alpha-2 country code.
        include: Fields to add to the place: one or more of codes, timezone, population, bounds, city, separated by
        commas.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/match", {"address": address, "country": country, "include": include, "lang": lang}, timeout)
        return cast("AddressMatch", answer)

    def list_changes(
        self,
        since: str,
        *,
        country: Optional[str] = None,
        change: Optional[Union[str, Sequence[str]]] = None,
        page: int = 1,
        page_size: int = 50,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ChangePage:
        """List what changed since a release.

        A page of the places that were added, removed, moved or renamed from the release `since` to the one that is
        served: release by release, the oldest first, then by country, by kind of change and by path. Full codes that
        were added, removed or moved are listed by code, if `change` asks for them. `since` may be the served release:
        the list is empty then. Lists go back as far as the operator keeps them. A change of type or coordinates alone
        is not listed. Fetch all pages while `release` stays the same; if it changes, begin again.

        since: The release that you have: the name of a release: 1 to 64 letters, digits, dots, hyphens and underscores.
        country: The country of the changes; all countries if left out: a two-letter ISO 3166-1 alpha-2 country code.
        change: The kinds of changes; all changes of places if left out: one or more of added, removed, moved, renamed,
        fullCodeAdded, fullCodeRemoved, fullCodeMoved, separated by commas.
        page: The number of the page (a page past the last is empty): an integer of 1 or more.
        page_size: How many changes a page has: an integer from 1 to 100.
        lang: The languages of names, in order of preference: 1 to 3 language tags such as de or zh-TW, separated by
        commas, each of at most 35 characters.
        """
        answer = self._transport.call("/v1/changes", {"since": since, "country": country, "change": change, "page": page, "pageSize": page_size, "lang": lang}, timeout)
        return cast("ChangePage", answer)

    def iterate_changes(
        self,
        since: str,
        *,
        country: Optional[str] = None,
        change: Optional[Union[str, Sequence[str]]] = None,
        page: int = 1,
        page_size: int = 100,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[PlaceChange]:
        """List what changed since a release, from `page` to the last, each page fetched when it is reached."""
        return iterate_pages(
            page,
            lambda number: self.list_changes(
                since, country=country, change=change, page=number, page_size=page_size, lang=lang, timeout=timeout
            ),
        )

    def bulk(
        self,
        lookups: List[Union[LookupByPostcode, LookupByPosition, LookupByPath, LookupById, LookupByAddress, LookupByName]],
        *,
        country: Optional[str] = None,
        lang: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> List[BulkEntry]:
        """Look up many things at once.

        1 to 1,000 lookups, answered in their order: postal codes, positions, paths, ids, addresses and names, each
        answered as a request of its own would be, with the same parameters. A lookup that fails has an entry with its
        error, and the others are answered. Each lookup costs one request of the quota, and as many of the rate as a
        request of its own would. All lookups are answered or none: if too few requests are left, the answer is 429 and
        nothing counts; if the lookups need more of the rate than the plan allows at once, it is 400 and nothing counts.
        The body has at most 262,144 bytes of JSON, not compressed. A body that is refused costs one request. With
        Transfer-Encoding: chunked it has at most 64 chunks and one more for each 64 bytes; a body with more is answered
        with 413 and counts nothing.

        lookups: The lookups, each with the parameters of its own request.
        country: The country of every lookup without a `country` of its own.
        lang: The languages of names for every lookup without a `lang` of its own.
        """
        answer = self._transport.call("/v1/bulk", {}, timeout, {"lookups": lookups, "country": country, "lang": lang})
        return cast("List[BulkEntry]", answer)

    def get_release(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Release:
        """Name the release.

        Needs no key and costs no quota.
        """
        answer = self._transport.call("/v1/release", {}, timeout)
        return cast("Release", answer)
