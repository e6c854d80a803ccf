/**
 * Writes a release with one per cent of changed rows, in one of two forms:
 *
 *   countries  the changes that some countries really had: their rows as they were in an earlier release. Countries are
 *              taken in a seeded order, each where the changed rows stay within one per cent of all rows.
 *   rows       every hundredth row of every country, with another name and another position.
 *
 * `node test/bench/changed-release.mjs countries|rows <release> <folder> [<earlier release>]`
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../fixtures/random.mjs';
import { copyCountryFacts, listReleaseCountries, readCountryLines, writeCountryLines } from './release-files.mjs';

/** Changed rows as a share of all rows. */
const SHARE = 0.01;
const SEED = 31;
const [PLACE_NAME_COLUMN, LAT_COLUMN, ACCURACY_COLUMN] = [2, 9, 11];

const [form, release, folder, earlier] = process.argv.slice(2);
if (
  !['countries', 'rows'].includes(form) ||
  folder === undefined ||
  (form === 'countries') !== (earlier !== undefined)
) {
  process.stderr.write('usage: changed-release.mjs countries|rows <release> <folder> [<earlier release>]\n');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
copyCountryFacts(release, folder);
const countries = listReleaseCountries(release);
const report = form === 'countries' ? await replaceCountries() : await changeRows();
process.stdout.write(`${JSON.stringify(report)}\n`);

async function replaceCountries() {
  const changes = new Map();
  let rows = 0;
  for (const country of countries) {
    const lines = await readCountryLines(release, country);
    rows += lines.length;
    if (existsSync(join(earlier, `${country}.zip`))) changes.set(country, await countChanged(country, lines));
  }
  const random = createRandom(SEED);
  const order = [...changes].map((entry) => ({ entry, at: random() })).sort((a, b) => a.at - b.at);
  const taken = [];
  let changed = 0;
  for (const { entry } of order) {
    const [country, count] = entry;
    if (count === 0 || changed + count > SHARE * rows) continue;
    changed += count;
    taken.push(country);
  }
  for (const country of countries) {
    const from = taken.includes(country) ? earlier : release;
    copyFileSync(join(from, `${country}.zip`), join(folder, `${country}.zip`));
  }
  return { rows, changed, countries: taken.sort() };
}

/** The number of rows that are not among those of the earlier release, or the number that only those are, if higher. */
async function countChanged(country, lines) {
  const [before, after] = [await readCountryLines(earlier, country), lines].map((all) => all.map(withoutAccuracy));
  const [old, now] = [new Set(before), new Set(after)];
  return Math.max(after.filter((line) => !old.has(line)).length, before.filter((line) => !now.has(line)).length);
}

/** The accuracy is no part of a snapshot, and some files have none. */
function withoutAccuracy(line) {
  return line.split('\t').slice(0, ACCURACY_COLUMN).join('\t');
}

async function changeRows() {
  let [rows, changed] = [0, 0];
  for (const country of countries) {
    const lines = await readCountryLines(release, country);
    const written = lines.map((line) => {
      if (rows++ % Math.round(1 / SHARE) !== 0) return line;
      changed++;
      const columns = line.split('\t');
      columns[PLACE_NAME_COLUMN] += ' Neu';
      columns[LAT_COLUMN] = String(Number(columns[LAT_COLUMN]) + 0.001);
      return columns.join('\t');
    });
    await writeCountryLines(folder, country, written);
  }
  return { rows, changed, countries };
}
