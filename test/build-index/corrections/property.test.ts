/**
 * Seeded corrections of a seeded release: the snapshot is, byte for byte, the one of the release's text edited by a naive
 * oracle, for any order of files and lines.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type CorrectionFields, csvOf } from '../../fixtures/corrections.js';
import { answeringSections } from '../../fixtures/damage.js';
import {
  buildFrom,
  createTemporaryFolder,
  fileTextOf,
  type TemporaryFolder,
  writeRelease,
} from '../../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../../fixtures/hand-made-release.js';
import { createRandom } from '../../fixtures/random.mjs';
import { seededRelease } from '../../fixtures/seeded-release.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder.remove());

/** The columns of a line of a release. */
const [CODE, NAME, LATITUDE, LONGITUDE] = [1, 2, 9, 10];
const UNITS = [3, 5, 7];

type Lines = Record<string, string[][]>;

const linesOf = (rows: RowsByCountry): Lines =>
  Object.fromEntries(
    Object.entries(rows).map(([country, list]) => [
      country,
      fileTextOf(country, list)
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')),
    ]),
  );

/** A tenth of the lines twice, for places that collapse. */
function withRepeats(lines: Lines, random: () => number): Lines {
  return Object.fromEntries(
    Object.entries(lines).map(([country, list]) => [country, [...list, ...list.filter(() => random() < 0.1)]]),
  );
}

const textOf = (fields: CorrectionFields, column: keyof CorrectionFields): string => `${fields[column] ?? ''}`;
const unitsOf = (fields: CorrectionFields): string[] =>
  [fields.admin1, fields.admin2, fields.admin3].map((unit) => `${unit ?? ''}`);

function fits(line: readonly string[], fields: CorrectionFields): boolean {
  const { action, latitude } = fields;
  const isNarrowed = action !== 'add' && action !== 'move' && latitude !== undefined;
  return (
    line[CODE] === fields.code &&
    line[NAME] === fields.name &&
    UNITS.every((column, index) => ['', line[column]].includes(unitsOf(fields)[index])) &&
    (!isNarrowed || (line[LATITUDE] === textOf(fields, 'latitude') && line[LONGITUDE] === textOf(fields, 'longitude')))
  );
}

const replace = (line: readonly string[], column: number, text: string | number | undefined): string[] =>
  line.map((value, index) => (index === column && text !== undefined ? `${text}` : value));

/** The lines after a person has edited them by the corrections. */
function editByHand(lines: Lines, corrections: readonly CorrectionFields[]): Lines {
  return Object.fromEntries(
    Object.entries(lines).map(([country, list]) => {
      const ofCountry = corrections.filter((fields) => fields.country === country);
      const edited = list.flatMap((line) => {
        const fitting = ofCountry.filter((fields) => fields.action !== 'add' && fits(line, fields));
        if (fitting.some(({ action }) => action === 'remove')) return [];
        return [
          fitting.reduce((result, { action, newCode, newName, latitude, longitude }) => {
            if (action === 'recode') return replace(result, CODE, newCode);
            if (action === 'rename') return replace(result, NAME, newName);
            return replace(replace(result, LATITUDE, latitude), LONGITUDE, longitude);
          }, line),
        ];
      });
      const added = ofCountry
        .filter((fields) => fields.action === 'add' && !edited.some((line) => fits(line, fields)))
        .map((fields) => {
          const units = unitsOf(fields);
          const unitColumns = units.flatMap((unit, index) => {
            const isSame = (line: readonly string[]): boolean =>
              UNITS.slice(0, index + 1).every((column, outer) => line[column] === units[outer]);
            const first = unit === '' ? undefined : edited.find(isSame);
            return [unit, first?.[(UNITS[index] as number) + 1] ?? ''];
          });
          const position = [textOf(fields, 'latitude'), textOf(fields, 'longitude')];
          return [country, textOf(fields, 'code'), textOf(fields, 'name'), ...unitColumns, ...position, ''];
        });
      return [country, [...edited, ...added]];
    }),
  );
}

/** Corrections of a few hundred rows, each matching one row; some are stale. */
function makeCorrections(lines: Lines, random: () => number): CorrectionFields[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const corrections: CorrectionFields[] = [];
  let number = 0;
  for (const [country, list] of Object.entries(lines)) {
    const touched = new Set<string>();
    for (let round = 0; round < 150; round++) {
      number++;
      const line = pick(list);
      const [code = '', name = ''] = [line[CODE], line[NAME]];
      // Corrections of rows that share code and name are tried in applying.system.ts.
      if (touched.has(`${code}\t${name}`)) continue;
      touched.add(`${code}\t${name}`);
      const units = Object.fromEntries(UNITS.map((column, index) => [`admin${index + 1}`, line[column] as string]));
      const position = { latitude: line[LATITUDE] as string, longitude: line[LONGITUDE] as string };
      const target = { latitude: (random() * 170 - 85).toFixed(3), longitude: (random() * 360 - 180).toFixed(3) };
      const isOne = (fields: CorrectionFields): boolean =>
        new Set(list.filter((other) => fits(other, fields)).map((other) => other.join('\t'))).size === 1;
      const row = [{}, units, { ...units, ...position }]
        .map((narrowing) => ({ country, code, name, ...narrowing }) as CorrectionFields)
        .find((fields) => isOne({ action: 'remove', ...fields }));
      if (row === undefined) throw new Error(`${code} ${name} is twice at one position with other codes`);
      const kind = random();
      if (kind < 0.15) {
        corrections.push({ ...row, action: 'remove' });
      } else if (kind < 0.65) {
        if (chance(0.5))
          corrections.push({ ...row, action: 'rename', newName: chance(0.5) ? `Neuer ${number}` : 'Bad' });
        if (chance(0.5)) corrections.push({ ...row, action: 'recode', newCode: `${country}${number}` });
        // Of rows that only their position tells apart none can be moved.
        if (row.latitude === undefined && chance(0.5)) corrections.push({ ...row, ...target, action: 'move' });
      } else if (kind < 0.9) {
        const unit = pick([units, { admin1: line[UNITS[0] as number] as string, admin2: `Kreis ${number}` }, {}]);
        corrections.push({ country, code, name: `Zusatz ${number}`, ...unit, ...target, action: 'add' });
      } else {
        const { latitude: _, longitude: __, ...place } = row;
        corrections.push(
          pick<CorrectionFields>([
            { ...row, name: `${name} war`, action: 'rename', newName: name },
            { ...row, code: 'gone', action: 'remove' },
            { ...place, ...target, action: 'add' },
            ...(row.latitude === undefined ? [{ ...place, ...position, action: 'move' }] : []),
          ]),
        );
      }
    }
  }
  return corrections;
}

test.each([11, 12])('seed %i', async (seed) => {
  const random = createRandom(seed);
  const release = Object.entries(seededRelease(seed)).map(([country, rows]) => [country, rows.slice(0, 300)]);
  const lines = withRepeats(linesOf(Object.fromEntries(release)), random);
  const corrections = makeCorrections(lines, random);
  const edited = editByHand(lines, corrections);
  const build = async (name: string, content: Lines, correctionPaths: string[]) => {
    const rows = Object.entries(content).map(([country, list]) => [country, list.map((line) => line.join('\t'))]);
    writeRelease(join(folder.path, name), Object.fromEntries(rows));
    const path = join(folder.path, `${name}.snapshot`);
    const report = await buildFrom(join(folder.path, name), path, { correctionPaths });
    return { bytes: readFileSync(path), corrections: report.corrections };
  };
  const expected = await build('edited', edited, []);
  const untouched = await build('untouched', lines, []);
  expect(untouched.bytes.equals(expected.bytes)).toBe(false);

  const totals: object[] = [];
  for (const order of [0, 1]) {
    const shuffled = corrections
      .map((fields) => ({ fields, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ fields }) => fields);
    const files = [shuffled.slice(0, 100), shuffled.slice(100)].map((part, index) => {
      const path = join(folder.path, `${order}-${index}.csv`);
      writeFileSync(path, csvOf(part));
      return path;
    });
    const corrected = await build('corrected', lines, files);
    expect(answeringSections(corrected.bytes)).toEqual(answeringSections(expected.bytes));
    const { applied, rowsRemoved, stale } = corrected.corrections?.tally ?? {};
    expect(Math.min(...Object.values(applied ?? {}))).toBeGreaterThan(10);
    expect(stale).toBeGreaterThan(5);
    const all = Object.values(applied ?? {}).reduce((sum, count) => sum + count, stale as number);
    expect(all).toBe(corrections.length);
    const [before, after] = [lines, edited].map((content) => Object.values(content).flat().length) as [number, number];
    expect(before + (applied?.add as number) - (rowsRemoved as number)).toBe(after);
    totals.push({ applied, rowsRemoved, stale });
  }
  expect(totals[1]).toEqual(totals[0]);
});
