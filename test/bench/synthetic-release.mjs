/**
 * `node test/bench/synthetic-release.mjs <release folder> <folder to write> <rows> [<seed>]`: writes a release of any number
 * of rows that is shaped like the given one, and prints the shape of both. Each country keeps its share of the rows. Its
 * rows stand there as they are and then again and again, the last time a part of them, each time with new names, codes and
 * points in the place of all old ones (synthetic/), so that units, names, codes and points are as many for each row as in
 * the given release. Of fewer rows than that has, each country gets a run of its rows as they are.
 *
 * The same arguments give the same files. What is not like a real release: local and Latin spellings of one name, which
 * become words that have nothing to do with each other; codes of countries that use nearly all of theirs (KR, US), some of
 * which get a digit more; and units, which grow in number as rows do, though a country's regions stay few. Five
 * million rows take two to three minutes of processor time, and memory by the largest country.
 */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRandom } from '../fixtures/random.mjs';
import { count, printTable } from './measuring.mjs';
import { copyCountryFacts, listReleaseCountries, readCountryLines, writeCountryLines } from './release-files.mjs';
import { CodeMaker } from './synthetic/code-maker.mjs';
import { NameMaker } from './synthetic/name-maker.mjs';
import { PointMaker } from './synthetic/point-maker.mjs';
import { Shape } from './synthetic/shape.mjs';

const POSTAL_CODE = 1;
const NAMES = [2, 3, 5, 7];
/** The names and codes of units. */
const UNITS = [
  [3, 4],
  [5, 6],
  [7, 8],
];
const POINT = [9, 10];
/** Of a postal code so much tells the area. */
const AREA_SHARE = 1 / 3;

/**
 * Both folders exist. `rowCount` is what was asked for, or more by one row for each country that would have none. The
 * shapes of both releases.
 */
export async function writeSyntheticRelease(release, folder, { rowCount, seed = 1, onCountry = () => {} }) {
  const shapes = { real: new Shape(), synthetic: new Shape() };
  const countries = listReleaseCountries(release);
  const counts = new Map();
  for (const country of countries) counts.set(country, (await readCountryLines(release, country)).length);
  const growth = rowCount / [...counts.values()].reduce((sum, lines) => sum + lines, 0);
  let [before, written] = [0, 0];
  for (const country of countries) {
    before += counts.get(country);
    const wanted = Math.max(1, Math.round(before * growth) - written);
    written += wanted;
    const rows = (await readCountryLines(release, country)).map((line) => line.split('\t'));
    const grown = growRows(rows, wanted, createRandom(seedOf(seed, country)));
    shapes.real.add(rows);
    shapes.synthetic.add(grown);
    await writeCountryLines(
      folder,
      country,
      lazily(grown, (row) => row.join('\t')),
    );
    onCountry(country, grown.length);
  }
  copyCountryFacts(release, folder);
  return shapes;
}

function* lazily(list, value) {
  for (const one of list) yield value(one);
}

function seedOf(seed, country) {
  return Math.imul(seed, 0x9e3779b1) ^ ((country.charCodeAt(0) << 8) | country.charCodeAt(1));
}

/** `wanted` rows of which the first are those of the country. */
function growRows(rows, wanted, random) {
  if (wanted <= rows.length) return runOf(rows, wanted, random);
  const makers = createMakers(rows, random);
  const grown = [...rows];
  while (grown.length < wanted) {
    for (const maker of makers.all) maker.startCopy();
    const part = runOf(rows, Math.min(rows.length, wanted - grown.length), random);
    part.forEach((row, at) => {
      grown.push(renewRow(row, part[at + 1] ?? part[at - 1] ?? row, makers));
    });
  }
  return grown;
}

/** So many rows from any row on, and from the first on behind the last: releases are sorted by units, which stay whole. */
function runOf(rows, length, random) {
  if (length === rows.length) return rows;
  const start = Math.floor(random() * rows.length);
  return [...rows.slice(start), ...rows.slice(0, start)].slice(0, length);
}

function createMakers(rows, random) {
  const distinct = (columns) => new Set(rows.flatMap((row) => columns.map((column) => row[column])));
  const names = new NameMaker(distinct(NAMES), random);
  const postalCodes = new CodeMaker(distinct([POSTAL_CODE]), random, AREA_SHARE);
  const unitCodes = UNITS.map(([, code]) => new CodeMaker(distinct([code]), random, 0));
  const points = new PointMaker(random);
  return { names, postalCodes, unitCodes, points, all: [names, postalCodes, ...unitCodes, points] };
}

function renewRow(row, beside, { names, postalCodes, unitCodes, points }) {
  const renewed = [...row];
  renewed[POSTAL_CODE] = postalCodes.recode(row[POSTAL_CODE]);
  for (const column of NAMES) renewed[column] = names.rename(row[column]);
  UNITS.forEach(([name, code], index) => {
    // A code without a name is no unit's.
    if (row[name] !== '' && row[code] !== '') renewed[code] = unitCodes[index].recode(row[code]);
  });
  const pointOf = (one) => POINT.map((column) => one[column]);
  points.move(pointOf(row), pointOf(beside)).forEach((degrees, axis) => {
    renewed[POINT[axis]] = degrees;
  });
  return renewed;
}

function printShapes({ real, synthetic }) {
  const ofSynthetic = new Map(synthetic.figures());
  const text = (figure) => (Number.isInteger(figure) ? count(figure) : figure.toFixed(3));
  printTable(
    ['within each country, added up', 'given', 'synthetic', 'ratio'],
    real.figures().map(([what, figure]) => {
      const other = ofSynthetic.get(what);
      return [what, text(figure), text(other), (other / figure).toFixed(2)];
    }),
  );
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === import.meta.filename) {
  const [release, folder, rows, seed] = process.argv.slice(2);
  const rowCount = Number(rows);
  if (release === undefined || folder === undefined || !(rowCount >= 1)) {
    process.stderr.write('synthetic-release: name a release folder, a folder to write and how many rows\n');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  const onCountry = (country, written) => process.stderr.write(`${country} ${count(written)}\n`);
  const options = { rowCount, ...(seed === undefined ? {} : { seed: Number(seed) }), onCountry };
  printShapes(await writeSyntheticRelease(resolve(release), resolve(folder), options));
}
