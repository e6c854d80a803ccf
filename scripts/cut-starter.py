#!/usr/bin/env python3
"""Makes data/starter from a downloaded release of GeoNames and its table of cities; see data/README.md.

    python3 scripts/cut-starter.py RELEASE CITIES OUT

RELEASE is a folder with a zip of each country, as `postal-places download` fills it, CITIES is GeoNames' cities15000.zip, and
OUT is a folder that is not there yet. The zips of countries are copied as they are. The table keeps the rows of these
countries, in their order and byte for byte. The same input gives the same files with the same version of zlib.
"""

import shutil
import sys
import zipfile
from pathlib import Path

COUNTRIES = "AD AT BE BG CA CH DE FO GB IE IS LI LU LV MC NL PR US".split()
COUNTRY_COLUMN = 8


def cut(release: Path, cities: Path, out: Path) -> None:
    out.mkdir()
    for country in COUNTRIES:
        shutil.copyfile(release / f"{country}.zip", out / f"{country}.zip")
    codes = {country.encode() for country in COUNTRIES}
    with zipfile.ZipFile(cities) as source:
        entry = source.getinfo(f"{cities.stem}.txt")
        rows = source.read(entry).splitlines(keepends=True)
    kept = b"".join(row for row in rows if row.split(b"\t")[COUNTRY_COLUMN] in codes)
    # The entry has the date of the whole table, and nothing of this machine.
    info = zipfile.ZipInfo(entry.filename, entry.date_time)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    with zipfile.ZipFile(out / cities.name, "w") as target:
        target.writestr(info, kept, compresslevel=9)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: cut-starter.py RELEASE CITIES OUT")
    cut(*map(Path, sys.argv[1:]))
