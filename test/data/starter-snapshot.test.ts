/** The starter data: what ships with the package, when it is compiled, and that it answers as README says. */

import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isStarterDataDue } from '../../scripts/starter-data.js';
import { packageRoot } from '../../src/base/package-root.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { autocomplete } from '../../src/core/suggest/autocomplete.js';
import { findPostcode } from '../../src/core/use-cases/postcodes.js';
import { readResponseData } from '../../src/core/use-cases/response-data.js';
import { STARTER_RELEASE, sourceOrStarter, tellStarterData } from '../../src/releases/find-snapshot.js';
import { siteSettings } from '../../src/site/site-settings.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';
import { STARTER_DATE } from '../fixtures/starter-snapshot.js';

const textOf = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

/** The snapshot of the package, which `npm run build` has compiled. */
const packaged = (): string => sourceOrStarter(null);

describe('the starter data of the package', () => {
  test('are the starter dataset without some of its countries, for the site at its default address', () => {
    const { release, manifest, countries } = openSnapshot(packaged());
    const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
    expect([release, manifest.sourceDate, manifest.siteUrl]).toEqual([
      STARTER_RELEASE,
      STARTER_DATE,
      `http://${siteSettings.host.fallback}:${siteSettings.port.fallback}`,
    ]);
    const dataset = readdirSync(join(packageRoot(), 'data/starter')).flatMap(
      (name) => /^([A-Z]{2})\.zip$/.exec(name)?.slice(1) ?? [],
    );
    expect(dataset.filter((code) => !codes.includes(code))).toEqual(['AT', 'BG', 'GB', 'LV']);
    expect(codes).toEqual(expect.arrayContaining(['CA', 'CH', 'DE', 'US']));
    expect(codes.filter((code) => !dataset.includes(code))).toEqual([]);
    const [, listed] = /The package ships .* of (\d+) of\s+them/.exec(textOf('data/README.md')) ?? [];
    expect(Number(listed)).toBe(codes.length);
    const [, has = '', lacks = ''] = /It has 14\s(.*?)\.\s(.*?) are not in it\./s.exec(textOf('docs/install.md')) ?? [];
    const codesIn = (text: string): string[] =>
      Array.from(text.matchAll(/\(([A-Z]{2})\)/g), ([, code]) => code as string);
    expect(codesIn(has).sort()).toEqual([...codes].sort());
    expect(codesIn(lacks)).toEqual(['AT', 'BG', 'GB', 'LV']);
  });

  test('are compiled again only if a source is newer', () => {
    const root = createTemporaryFolder();
    try {
      mkdirSync(join(root.path, 'data/starter'), { recursive: true });
      const files = ['data/starter.snapshot', 'data/starter/LI.zip', 'package.json'].map((name) =>
        join(root.path, name),
      );
      for (const file of files) writeFileSync(file, '');
      const [snapshot, ...sources] = files as [string, ...string[]];
      for (const source of sources) utimesSync(source, 1_000, 1_000);
      utimesSync(snapshot, 2_000, 2_000);
      expect(isStarterDataDue(root.path)).toBe(false);
      for (const source of sources) {
        utimesSync(source, 3_000, 3_000);
        expect([source, isStarterDataDue(root.path)]).toEqual([source, true]);
        utimesSync(source, 1_000, 1_000);
      }
      rmSync(snapshot);
      expect(isStarterDataDue(root.path)).toBe(true);
    } finally {
      root.remove();
    }
  });

  test('are served, and told of, where SNAPSHOT names no source', () => {
    const logger = createRecordingLogger();
    tellStarterData('places.snapshot', logger);
    expect([logger.lines, sourceOrStarter('places.snapshot')]).toEqual([[], 'places.snapshot']);
    tellStarterData(null, logger);
    expect(JSON.stringify(logger.lines)).toMatch(/SNAPSHOT is not set: .*docs\/building\.md/);
  });
});

/** `data` of the first answer that a document shows, behind the call with this target. */
function shownAnswer(path: string, target: string): unknown {
  const text = textOf(path);
  const [, call = '', shown = ''] = /```sh\n(curl [^\n]*)\n```\n\n```json\n(.*?)\n```/s.exec(text) ?? [];
  expect(call).toContain(`'http://127.0.0.1:3000${target}'`);
  return JSON.parse(shown).data;
}

test("README's answer is what a fresh clone answers", () => {
  const data = shownAnswer('README.md', '/v1/autocomplete?q=reyk&limit=1');
  const snapshot = openSnapshot(packaged());
  expect(data).toEqual(
    JSON.parse(readResponseData(autocomplete(snapshot, { query: 'reyk', country: undefined, limit: 1 }))),
  );
  expect(data).toMatchObject([{ name: 'Reykjavík', countryCode: 'IS' }]);
});

test('the answer that is explained is what a fresh clone answers: 10115 is Berlin', () => {
  const data = shownAnswer('docs/calls.md', '/v1/countries/DE/postcodes/10115');
  const snapshot = openSnapshot(packaged());
  const answer = readResponseData(findPostcode(snapshot, { country: 'DE', postcode: '10115' }));
  expect(data).toEqual(JSON.parse(answer));
  expect(data).toMatchObject({ postcode: '10115', places: [{ name: 'Berlin', ancestors: [{ name: 'Berlin' }, {}] }] });
});
