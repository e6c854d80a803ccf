/** Names in other languages: which names places have, what views of a snapshot share, and what damaged bytes lead to. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packSnapshot } from '../../build-index/building/pack-snapshot.js';
import { hasCountedChanges } from '../../build-index/diffing/change-counts.js';
import { diffSnapshots } from '../../build-index/diffing/diff-snapshots.js';
import { verifySnapshot } from '../../build-index/verifying/verify-snapshot.js';
import type { ResponseData } from '../../src/core/answers/response-data.js';
import { service } from '../../src/core/answers/service.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import type { Bundle } from '../../src/core/snapshot/array-bundle.js';
import { inLanguages } from '../../src/core/snapshot/in-languages.js';
import { languagesOf, type NAMES_BY_LANGUAGE_SCHEMA } from '../../src/core/snapshot/names-by-language.js';
import { type CountryStructures, decodeSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { damageStructure, structureBytes } from '../fixtures/damage.js';
import {
  buildFixtureSnapshot,
  compileFrom,
  createTemporaryFolder,
  type FixtureSnapshot,
} from '../fixtures/fixture-snapshot.js';
import { EXPECTED_NAMES, NAMED_ROWS } from '../fixtures/named-release.js';
import { poolHere } from '../fixtures/pool-here.js';
import { createRandom } from '../fixtures/random.mjs';
import { silentProgress } from '../fixtures/silent-progress.js';
import { parseAnswer } from './answer.js';
import { type Call, findFaults, listCalls } from './endpoint-calls.js';

const pool = poolHere;
const scratch = createTemporaryFolder();
let fixture: FixtureSnapshot;
let bytes: Uint8Array;
let snapshot: Snapshot;
beforeAll(async () => {
  fixture = await buildFixtureSnapshot(NAMED_ROWS);
  bytes = readFileSync(fixture.path);
  snapshot = decodeSnapshot(bytes, false);
});
afterAll(() => {
  fixture?.cleanup();
  scratch.remove();
});

const nameOf = (view: Snapshot, country: string, path: string): string =>
  parseAnswer(service.resolvePath(view, { country, segments: path.slice(1).split('/') })).name;

describe('the name of a place', () => {
  test.each(EXPECTED_NAMES)('%s %s in %s is %s', (country, path, tags, name) => {
    expect(nameOf(inLanguages(snapshot, tags), country, path)).toBe(name);
  });

  test('each leaf of the city, its ancestors and its country have it, and the local name stays', () => {
    const view = inLanguages(snapshot, 'ru');
    const { places } = parseAnswer(service.findPostcode(view, { country: 'DE', postcode: '80333' }));
    const { name, localName, ancestors } = places[0];
    expect([name, localName]).toEqual(['Мюнхэн', 'München']);
    expect(ancestors.map((unit: { name: string }) => unit.name)).toEqual(['Бавария', 'Oberbayern']);
    expect(parseAnswer(service.getCountry(view, { country: 'DE' }))).toMatchObject({ name: 'Германия' });
    const countries = parseAnswer(service.listCountries(inLanguages(snapshot, 'zh-HK'), { hasPostcodes: true }));
    expect(countries.find(({ code }: { code: string }) => code === 'DE').name).toBe('德國');
    const [suggestion] = parseAnswer(service.autocomplete(view, { ...QUERY, query: 'münchen', include: ['place'] }));
    expect(suggestion).toMatchObject({ name: 'Мюнхэн', countryName: 'Германия', label: 'Мюнхэн, Германия' });
    expect(suggestion.context[0].name).toBe('Бавария');
  });
});

const QUERY = { country: 'DE', limit: 1 } as const;

/** The answer or, for a refused call, the error. */
function answerTo(view: Snapshot, { name, input }: Call): unknown {
  try {
    return parseAnswer((service[name] as (snapshot: Snapshot, input: object) => ResponseData)(view, input));
  } catch (error) {
    if (error instanceof DomainError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

test('every answer of a view is that of the snapshot but for the names of places and countries', () => {
  const view = inLanguages(snapshot, 'ru,fr,zh');
  const names = new Map<string, string>();
  const learn = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { id, code, name } = value as Record<string, string>;
    if (name !== undefined) names.set(id ?? code ?? '', name);
    for (const part of Object.values(value)) learn(part);
  };
  const codes = Object.keys(NAMED_ROWS).filter((code) => code.length === 2);
  for (const country of codes) {
    learn(parseAnswer(service.listPlaces(view, { country, level: undefined, page: 1, pageSize: 100 })));
  }
  learn(parseAnswer(service.listCountries(view, { hasPostcodes: undefined })));
  /** With the names of the view; texts made of names are left out. */
  const named = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(named);
    if (typeof value !== 'object' || value === null) return value;
    const { label: _, countryName, ...fields } = value as Record<string, unknown>;
    const key = String(fields.id ?? fields.code);
    const other = fields.name !== undefined && names.has(key) ? { name: names.get(key) } : {};
    const of = countryName === undefined ? {} : { countryName: names.get(String(fields.countryCode)) };
    return Object.fromEntries(Object.entries({ ...fields, ...other, ...of }).map(([key, part]) => [key, named(part)]));
  };
  const calls = listCalls(snapshot, 50).flat();
  const suggestions = { kinds: ['place', 'postcode', 'country'], include: ['place'] } as const;
  let changedCount = 0;
  for (const call of calls) {
    const isSuggested = call.name === 'autocomplete';
    const asked = isSuggested ? { ...call, input: { ...call.input, ...suggestions } } : call;
    const [before, after] = [answerTo(snapshot, asked), answerTo(view, asked)];
    if (JSON.stringify(before) !== JSON.stringify(after)) changedCount++;
    // Suggestions of countries and units in the context have no id.
    const withoutNames = (list: unknown) =>
      JSON.parse(JSON.stringify(list, (key, value) => (/ame$|context/.test(key) ? '' : value)));
    if (isSuggested) expect(withoutNames(named(after))).toEqual(withoutNames(named(before)));
    else expect([call, named(after)]).toEqual([call, named(before)]);
  }
  expect(changedCount).toBeGreaterThan(calls.length / 3);
});

test('a snapshot knows its languages, and one without such names has none', async () => {
  const german = snapshot.countryByCode.get('DE')?.structures as CountryStructures;
  expect(languagesOf(german.namesByLanguage as NonNullable<typeof german.namesByLanguage>)).toContain('ja');
  const { alternateNamesV2: _, ...rows } = NAMED_ROWS;
  const plain = await buildFixtureSnapshot(rows);
  try {
    const opened = decodeSnapshot(readFileSync(plain.path), false);
    expect(inLanguages(opened, 'de')).toBe(opened);
    // The names of places are no part of what releases are compared by.
    expect(
      diffSnapshots(plain.path, fixture.path, silentProgress).countries.some(({ counts }) => hasCountedChanges(counts)),
    ).toBe(false);
  } finally {
    plain.cleanup();
  }
});

test('views are few: of languages that the snapshot has, and the same for the same languages', () => {
  const view = inLanguages(snapshot, 'de,en');
  expect(inLanguages(snapshot, 'de-AT,xx,en-GB')).toBe(view);
  expect(inLanguages(snapshot, 'x-y,qaa')).toBe(snapshot);
  expect(view.countryByCode.get('LI')?.structures).toBe(snapshot.countryByCode.get('LI')?.structures);
  const { structures } = view.countryByCode.get('DE') ?? {};
  expect(view.countryByCode.get('DE')?.structures).toBe(structures);
  expect(structures?.tree).toBe(snapshot.countryByCode.get('DE')?.structures?.tree);
  const known = ['de', 'en', 'fr', 'it', 'es', 'pt', 'ru', 'zh', 'ja', 'he', 'no', 'sr'];
  for (const one of known) for (const other of known) inLanguages(snapshot, `${one},${other}`);
  expect(inLanguages(snapshot, 'de,en')).not.toBe(view);
});

test('a pack has the names of its countries, and is as a build of these', async () => {
  for (const code of ['DE', 'LI']) {
    const out = join(scratch.path, 'packed.snapshot');
    await packSnapshot({ source: fixture.path, outPath: out, countries: [code] }, pool, silentProgress);
    const built = join(scratch.path, 'built.snapshot');
    await compileFrom(fixture.releasePath, built, { countries: [code] });
    expect(readFileSync(out).equals(readFileSync(built))).toBe(true);
  }
});

test('the bytes of Norway', () => {
  const hex = Buffer.from(structureBytes(bytes, 'names-by-language', 'NO')).toString('hex');
  expect(hex).toBe(
    `08000000 00000000 0800000000000000 0800000000000000 0800000000000000 0400000000000000 0800000000000000
     0c00000000000000 2500000000000000 0600000000000000
     00000000 01000000 00000000 00000000 00000000 02000000 0000 0100 00000000 00000000 01000000
     00000000 08000000 25000000 00000000
     224f736c6f627922 22d09ed181d0bbd0be205c22d181d182d0bed0bbd0b8d186d0b05c2222 000000 6e6f0a72750a 0000`.replace(
      /\s/g,
      '',
    ),
  );
});

describe('damage', () => {
  type Names = Bundle<typeof NAMES_BY_LANGUAGE_SCHEMA>;
  test.each<[string, (names: Names) => void]>([
    ['places in disorder', ({ places }) => places.reverse()],
    ['a place that is none', ({ places }) => places.fill(999, -1)],
    ['a list that is none', ({ lists }) => lists.fill(999, 0, 1)],
    ['lists in disorder', ({ listStarts }) => listStarts.fill(999, 1, 2)],
    ['languages in disorder', ({ entryLanguages }) => entryLanguages.fill(0, 1, 2)],
    ['a language that is none', ({ entryLanguages }) => entryLanguages.fill(999, 0, 1)],
    ['a name that is none', ({ entryNames }) => entryNames.fill(0xfffffffe, 0, 1)],
    ['names in disorder', ({ nameStarts }) => nameStarts.fill(999, 1, 2)],
    ['a name without quotes', ({ names }) => names.fill(0x41, 0, 1)],
    ['a name that is no UTF-8', ({ names }) => names.fill(0xff, 1, 2)],
    ['a tag that is none', ({ languages }) => languages.fill(0x41, 0, 1)],
  ])('%s is found by verify, and leads to no error of a lookup', async (_, change) => {
    for (const [section, country] of [
      ['names-by-language', 'DE'],
      ['country-names-by-language', undefined],
    ] as const) {
      const damaged = damageStructure(bytes, section, country, change);
      const path = join(scratch.path, 'damaged.snapshot');
      writeFileSync(path, damaged);
      await expect(verifySnapshot(path, pool, silentProgress)).rejects.toMatchObject({ code: 'STRUCTURE_INVALID' });
      const calls = listCalls(snapshot, 3).flat();
      expect(findFaults(inLanguages(decodeSnapshot(damaged, false), 'ru,fr,zh'), calls)).toEqual([]);
    }
  });

  test('bits at random lead to answers or DomainErrors', () => {
    const random = createRandom(43);
    const calls = listCalls(snapshot, 2).flat();
    for (let round = 0; round < 40; round++) {
      const damaged = Uint8Array.from(bytes);
      for (const [name, code] of [
        ['names-by-language', 'DE'],
        ['names-by-language', 'TW'],
        ['country-names-by-language', undefined],
      ] as const) {
        const structure = structureBytes(damaged, name, code);
        // Behind the directory, whose damage opening finds.
        for (let bit = 0; bit < 8; bit++) {
          const at = 72 + Math.floor(random() * (structure.length - 72));
          structure[at] = (structure[at] as number) ^ (1 << Math.floor(random() * 8));
        }
      }
      let opened: Snapshot;
      try {
        opened = decodeSnapshot(damaged, false);
      } catch (error) {
        expect(error).toMatchObject({ name: 'SnapshotError' });
        continue;
      }
      expect(findFaults(inLanguages(opened, 'ru,fr,zh'), calls)).toEqual([]);
    }
  });
});
