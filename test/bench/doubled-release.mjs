/**
 * Writes a release of twice the rows, in the form of the given one: each country's zip holds every row as it is and
 * once more under the place name with " Zwei" behind it. Units and codes stay the same, so each unit and each code has
 * twice the leaves, as when a country's data grows denser.
 */
import { copyCountryFacts, listReleaseCountries, readCountryLines, writeCountryLines } from './release-files.mjs';

const PLACE_NAME_COLUMN = 2;

/** Both folders exist. The number of rows written. */
export async function writeDoubledRelease(release, folder) {
  let rowCount = 0;
  for (const country of listReleaseCountries(release)) {
    const lines = await readCountryLines(release, country);
    const again = lines.map((line) =>
      line
        .split('\t')
        .map((text, column) => (column === PLACE_NAME_COLUMN ? `${text} Zwei` : text))
        .join('\t'),
    );
    rowCount += lines.length * 2;
    await writeCountryLines(folder, country, [...lines, ...again]);
  }
  copyCountryFacts(release, folder);
  return rowCount;
}
