#!/usr/bin/env python3
"""Makes data/starter from a downloaded release of GeoNames and tables of its gazetteer; see data/README.md.

    python3 scripts/cut-starter.py RELEASE CITIES NAMES UNITS OUT

RELEASE is a folder with a zip of each country, as `postal-places download` fills it, CITIES is GeoNames' cities15000.zip,
NAMES its alternateNamesV2.zip, UNITS its admin1CodesASCII.txt, and OUT is a folder that is not there yet. The zips of
countries, without full codes, and the table of cities are copied as they are. Of units and names, those of these countries
stay, in their order and byte for byte; of names, those in some languages, of cities only such as the table of cities has
too: they add languages but no names, so each city keeps its places. The same input gives the same files with the same
version of zlib.
"""

import re
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

# Those of the starter countries, and those with most speakers, for a package of which names are a fifteenth.
LANGUAGES = "ar bg cs da de el en es fa fi fr he hu it ja ko nl pl pt ro ru sv tr uk zh zh-CN zh-TW".split()
COUNTRY_COLUMN = 8


def cut(release: Path, cities: Path, names: Path, units: Path, out: Path) -> None:
    zips = [path for path in sorted(release.iterdir()) if re.fullmatch("[A-Z]{2}[.]zip", path.name)]
    if not zips:
        sys.exit(f"{release} has no zip of a country")
    out.mkdir()
    for path in [*zips, cities]:
        shutil.copyfile(path, out / path.name)
    codes = {path.stem.encode() for path in zips}
    names_by_id = {
        row[0]: {*row[1:3], *row[3].split(b",")} for row in rows_of(cities) if row[COUNTRY_COLUMN] in codes
    }
    rows = units.read_bytes().splitlines(keepends=True)
    kept = [row for row in rows if row[:2] in codes]
    unit_ids = {row.rstrip(b"\n").split(b"\t")[3] for row in kept}
    (out / units.name).write_bytes(b"".join(kept))
    languages = {language.encode() for language in LANGUAGES}

    def is_name(columns: list[bytes]) -> bool:
        _, id, language, name = columns[:4]
        return language in languages and (id in unit_ids or name in names_by_id.get(id, ()))

    cut_zip(names, out, is_name)


def rows_of(table: Path) -> list[list[bytes]]:
    with zipfile.ZipFile(table) as source:
        return [row.split(b"\t") for row in source.read(f"{table.stem}.txt").splitlines(keepends=True)]


def cut_zip(table: Path, out: Path, is_kept: Callable[[list[bytes]], bool]) -> None:
    with zipfile.ZipFile(table) as source:
        entry = source.getinfo(f"{table.stem}.txt")
    kept = b"".join(b"\t".join(row) for row in rows_of(table) if is_kept(row))
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
