#!/usr/bin/env python3
"""Makes data/starter from a downloaded release of GeoNames and tables of its gazetteer; see data/README.md.

    python3 scripts/cut-starter.py RELEASE CITIES NAMES UNITS OUT

RELEASE is a folder with a zip of each country, as `postal-places download` fills it, CITIES is GeoNames' cities15000.zip,
NAMES its alternateNamesV2.zip, UNITS its admin1CodesASCII.txt, and OUT is a folder that is not there yet. Rows are copied
byte for byte and in their order. Those of a country come into its zip, but for what a build of any country reads: cities
whose name a seat of units has too, and the largest cities with their names in all languages. Of countries without a zip the
big cities stay, from which data/big-city-names.tsv is made. Left out are their other cities, names in other languages, and such
as the table of cities lacks: they add languages but no names, so each city keeps its places. The same input gives the same
files with the same version of zlib.
"""

import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

# Those of the starter countries, and those with most speakers, for a package of which names are a fifteenth.
LANGUAGES = "ar bg cs da de el en es fa fi fr he hu it ja ko nl pl pt ro ru sv tr uk zh zh-CN zh-TW".split()
# People of a big city, as BIG_CITY of src/core/snapshot/name-index.ts; and of the few cities whose names any build reads.
BIG_CITY, LARGEST_CITY = 100_000, 10_000_000
# Columns of the table of cities, from 0, and the code of a seat.
ID, NAME, ASCII_NAME, OTHER_NAMES, FEATURE_CODE, COUNTRY, PEOPLE = 0, 1, 2, 3, 7, 8, 14
SEAT = b"PPLA"
# In place of a country's code: of rows that lie in no country's zip.
ALL = ""

Row = list[bytes]


def cut(release: Path, cities: Path, names: Path, units: Path, out: Path) -> None:
    zips = [path for path in sorted(release.iterdir()) if re.fullmatch("[A-Z]{2}[.]zip", path.name)]
    if not zips:
        sys.exit(f"{release} has no zip of a country")
    codes = {path.stem for path in zips}
    tables = {table: rows_of([table, *zips], text_name(table)) for table in (cities, names)}
    city_of = {row[ID]: row for row in tables[cities]}
    seats = {
        plain(row[ASCII_NAME])
        for row in city_of.values()
        if row[FEATURE_CODE] == SEAT and row[COUNTRY].decode() in codes
    }
    cities_of_name = Counter(plain(row[ASCII_NAME]) for row in city_of.values())
    unit_rows = [row for row in units.read_bytes().splitlines(keepends=True) if row[:2].decode() in codes]
    country_of_unit = {row.rstrip(b"\n").split(b"\t")[3]: row[:2].decode() for row in unit_rows}

    def place_city(city: Row) -> str:
        name = plain(city[ASCII_NAME])
        is_namesake = name in seats and cities_of_name[name] > 1
        country = city[COUNTRY].decode()
        return ALL if is_namesake or int(city[PEOPLE]) >= (LARGEST_CITY if country in codes else BIG_CITY) else country

    def place_name(row: Row) -> str | None:
        _, id, language, name = row[:4]
        if language.decode() not in LANGUAGES:
            return None
        if (city := city_of.get(id)) is None or id in country_of_unit:
            return country_of_unit.get(id)
        if name not in {*city[NAME:OTHER_NAMES], *city[OTHER_NAMES].split(b",")}:
            return None
        country = city[COUNTRY].decode()
        return ALL if country in codes and int(city[PEOPLE]) >= LARGEST_CITY else country

    out.mkdir()
    (out / units.name).write_bytes(b"".join(unit_rows))
    parts = {cities: split(tables[cities], place_city), names: split(tables[names], place_name)}
    for table, texts in parts.items():
        with zipfile.ZipFile(out / table.name, "w") as target:
            add(target, table, text_name(table), texts.get(ALL, b""))
    for path in zips:
        with zipfile.ZipFile(out / path.name, "w") as target:
            add(target, path, text_name(path), text_of(path, text_name(path)))
            for table, texts in parts.items():
                if path.stem in texts:
                    add(target, table, text_name(table), texts[path.stem])


def rows_of(paths: list[Path], name: str) -> list[Row]:
    """The rows of a table: of the whole one, and of zips of countries that were cut before."""
    lines = [line for path in paths for line in text_of(path, name).splitlines(keepends=True)]
    return [line.split(b"\t") for line in lines]


def text_of(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as source:
        return source.read(name) if name in source.namelist() else b""


def split(rows: list[Row], place: Callable[[Row], str | None]) -> dict[str, bytes]:
    """The text of the rows of each place."""
    lines: dict[str | None, list[bytes]] = {}
    for row in rows:
        lines.setdefault(place(row), []).append(b"\t".join(row))
    return {place: b"".join(of_place) for place, of_place in lines.items() if place is not None}


def add(target: zipfile.ZipFile, table: Path, name: str, text: bytes) -> None:
    """Adds a file with the date of the whole table, and nothing of this machine."""
    with zipfile.ZipFile(table) as source:
        info = zipfile.ZipInfo(name, source.getinfo(name).date_time)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    target.writestr(info, text, compresslevel=9)


def text_name(path: Path) -> str:
    return f"{path.stem}.txt"


def plain(name: bytes) -> bytes:
    """Letters and digits of a name in ASCII: two names that the builder takes for one are the same here."""
    return re.sub(rb"[^a-z0-9]", b"", name.lower())


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit("usage: cut-starter.py RELEASE CITIES NAMES UNITS OUT")
    cut(*map(Path, sys.argv[1:]))
