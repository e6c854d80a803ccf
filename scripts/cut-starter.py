#!/usr/bin/env python3
"""Makes data/starter from a downloaded release of GeoNames and tables of its gazetteer; see data/README.md.

    python3 scripts/cut-starter.py RELEASE CITIES NAMES UNITS OUT

RELEASE is a folder with a zip of each country, as `postal-places download` fills it, CITIES is GeoNames' cities15000.zip,
NAMES its alternateNamesV2.zip, UNITS its admin1CodesASCII.txt, and OUT is a folder that is not there yet. The zips of
countries are copied as they are. The tables keep the rows of these countries, in their order and byte for byte; of names,
those in some languages, of cities only such as the table of cities has too: they add
languages but no names, so each city keeps its places. The same input gives the same files with the same version of zlib.
"""

import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

COUNTRIES = "AD AT BE BG CA CH DE FO GB IE IS LI LU LV MC NL PR US".split()
# Those of the countries, and those with most speakers, for a package of which names are a fiftieth.
LANGUAGES = "ar bg cs da de el en es fa fi fr he hu it ja ko nl pl pt ro ru sv tr uk zh zh-CN zh-TW".split()
COUNTRY_COLUMN = 8


def cut(release: Path, cities: Path, names: Path, units: Path, out: Path) -> None:
    out.mkdir()
    for country in COUNTRIES:
        shutil.copyfile(release / f"{country}.zip", out / f"{country}.zip")
    codes = {country.encode() for country in COUNTRIES}
    names_by_id: dict[bytes, set[bytes]] = {}

    def is_of_city(columns: list[bytes]) -> bool:
        if columns[COUNTRY_COLUMN] not in codes:
            return False
        names_by_id[columns[0]] = {*columns[1:3], *columns[3].split(b",")}
        return True

    cut_zip(cities, out, is_of_city)
    rows = units.read_bytes().splitlines(keepends=True)
    kept = [row for row in rows if row[:2] in codes]
    unit_ids = {row.rstrip(b"\n").split(b"\t")[3] for row in kept}
    (out / units.name).write_bytes(b"".join(kept))
    languages = {language.encode() for language in LANGUAGES}

    def is_name(columns: list[bytes]) -> bool:
        _, id, language, name = columns[:4]
        return language in languages and (id in unit_ids or name in names_by_id.get(id, ()))

    cut_zip(names, out, is_name)


def cut_zip(table: Path, out: Path, is_kept: Callable[[list[bytes]], bool]) -> None:
    with zipfile.ZipFile(table) as source:
        entry = source.getinfo(f"{table.stem}.txt")
        rows = source.read(entry).splitlines(keepends=True)
    kept = b"".join(row for row in rows if is_kept(row.split(b"\t")))
    # The entry has the date of the whole table, and nothing of this machine.
    info = zipfile.ZipInfo(entry.filename, entry.date_time)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    with zipfile.ZipFile(out / table.name, "w") as target:
        target.writestr(info, kept, compresslevel=9)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit("usage: cut-starter.py RELEASE CITIES NAMES UNITS OUT")
    cut(*map(Path, sys.argv[1:]))
