/**
 * Checks data/starter: it is a release like any other, whose every row the builder takes as it stands; its licence is
 * told wherever its data are; and scripts/cut-starter.py makes it.
 */

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadCountryFacts } from '../../build-index/data-tables/country-facts.js';
import { SEAT } from '../../build-index/gazetteer/city-row.js';
import { type Gazetteer, readGazetteer } from '../../build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../../build-index/reading/gazetteer-files.js';
import { parsePostalRow } from '../../build-index/reading/postal-row.js';
import { openRelease } from '../../build-index/reading/release.js';
import { createRowTally } from '../../build-index/reading/row-problems.js';
import { type RowFile, readLines } from '../../build-index/reading/table-lines.js';
import { withZip } from '../../build-index/reading/zip-archive.js';
import { buildCountryNamesByLanguage } from '../../build-index/structures/build-country-names-by-language.js';
import { hashBigCityNames, readBigCityNames } from '../../build-index/structures/hashed-names.js';
import { isStarterDataDue } from '../../scripts/starter-data.js';
import { packageRoot } from '../../src/base/package-root.js';
import { autocomplete } from '../../src/core/answers/autocomplete.js';
import { findPostcode } from '../../src/core/answers/postcodes.js';
import { readResponseData } from '../../src/core/answers/response-data.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import {
  packagedStarterFile,
  STARTER_COUNTRIES,
  STARTER_RELEASE,
  tellPackagedData,
} from '../../src/releases/packaged/packaged-release.js';
import { siteSettings } from '../../src/site/site-settings.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { createRecordingLogger } from '../fixtures/recording-logger.js';
import { STARTER_DATE } from '../fixtures/starter-snapshot.js';

const root = join(import.meta.dirname, '../..');
const starter = join(root, 'data/starter');
const release = await openRelease(starter);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

async function linesOf(file: RowFile): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  await readLines(file, (line) => lines.push(Buffer.from(line)), 20_000);
  return lines;
}

test('it is a release of one date, and nothing else lies in it', () => {
  expect(release.countryFiles.length).toBe(118);
  expect(release.sourceDate).toBe(STARTER_DATE);
  expect(release.ignoredFiles).toEqual([]);
});

test('data/README.md tells the number of its rows, of which one of India is rejected', async () => {
  const tally = createRowTally();
  for (const file of release.countryFiles) {
    for (const [index, line] of (await linesOf(file)).entries()) {
      const where = () => `${file.textName}:${index + 1}`;
      parsePostalRow(line.toString(), { countryCode: file.countryCode, tally, where });
    }
  }
  // It has a replacement character.
  expect(tally.rowsRejected).toBe(1);
  const { length } = release.countryFiles;
  expect(textOf('data/README.md')).toContain(`${tally.rowsRead.toLocaleString('en-US')} rows of ${length} countries`);
});

const gazetteerFor = async (codes: readonly string[] | null) =>
  (await readGazetteer(await findGazetteer(starter, null, release.countryFiles, codes))) as Gazetteer;

test('each row of its gazetteer is in one of its files, and the inhabited cities are read', async () => {
  const { tally } = await gazetteerFor(null);
  expect(Object.keys(tally.problems)).toEqual(['left out: no longer inhabited']);
  expect(textOf('data/README.md')).toContain(`${tally.citiesRead.toLocaleString('en-US')} cities`);
});

/** Countries that are read together, so that the tables are read twelve times and not for each country. */
function groupCountries(): readonly (readonly string[])[] {
  const codes = release.countryFiles.map(({ countryCode }) => countryCode);
  return Array.from({ length: 12 }, (_, group) => codes.filter((_, at) => at % 12 === group));
}

test('for some countries a build reads what it reads of them for all, and names in all languages', async () => {
  const facts = loadCountryFacts(null);
  const codes = facts.map(({ code }) => code);
  const whole = await gazetteerFor(null);
  expect(isDeepStrictEqual(readBigCityNames(codes), hashBigCityNames(whole, codes))).toBe(true);
  const namesOfCountries = buildCountryNamesByLanguage(facts, whole);
  for (const countryCodes of [['AD'], ...groupCountries()]) {
    const part = await gazetteerFor(countryCodes);
    for (const countryCode of countryCodes) {
      const ofCountry = ({ citiesByCountry, unitNamesByCountry }: Gazetteer) => [
        citiesByCountry.get(countryCode)?.map(({ isLargestOfName, ...city }) => ({
          ...city,
          // It counts for seats alone.
          isLargestOfName: isLargestOfName || city.featureCode !== SEAT,
        })),
        unitNamesByCountry.get(countryCode),
      ];
      expect([countryCode, isDeepStrictEqual(ofCountry(part), ofCountry(whole))]).toEqual([countryCode, true]);
    }
    const isSame = isDeepStrictEqual(buildCountryNamesByLanguage(facts, part), namesOfCountries);
    expect([countryCodes, isSame]).toEqual([countryCodes, true]);
  }
});

test.each(['data/README.md', 'README.md'])('%s credits GeoNames, with link, licence and date', (path) => {
  const text = textOf(path).replaceAll(/\s+/g, ' ');
  for (const part of [
    '[GeoNames](https://www.geonames.org/)',
    '[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)',
    STARTER_DATE,
  ])
    expect(text).toContain(part);
});

describe('scripts/cut-starter.py', () => {
  let folder: TemporaryFolder;
  beforeAll(() => {
    folder = createTemporaryFolder();
  });
  afterAll(() => folder.remove());

  const cut = (from: string, name: string): string => {
    const out = join(folder.path, name);
    const tables = ['cities15000.zip', 'alternateNamesV2.zip', 'admin1CodesASCII.txt'].map((name) => join(from, name));
    const args = [from, ...tables, out];
    execFileSync('python3', [join(root, 'scripts/cut-starter.py'), ...args], { stdio: 'pipe' });
    return out;
  };

  test('makes the same rows of its own output', async () => {
    const out = cut(starter, 'whole');
    expect(readdirSync(out)).toEqual(readdirSync(starter));
    // Another version of zlib compresses them otherwise.
    const textsIn = async (path: string) => {
      if (!path.endsWith('.zip')) return readFileSync(path, 'utf8');
      const texts: [string, number][] = [];
      await withZip(path, async (zip) => {
        for await (const { fileName, crc32 } of zip.eachEntry()) texts.push([fileName, crc32]);
      });
      return texts;
    };
    for (const name of readdirSync(starter)) {
      expect([name, await textsIn(join(out, name))]).toEqual([name, await textsIn(join(starter, name))]);
    }
  });

  test('makes the same bytes each time', () => {
    const few = join(folder.path, 'few');
    mkdirSync(few);
    for (const name of ['AD.zip', 'LI.zip', 'cities15000.zip', 'alternateNamesV2.zip', 'admin1CodesASCII.txt']) {
      copyFileSync(join(starter, name), join(few, name));
    }
    const [first, second] = [cut(few, 'first'), cut(few, 'second')];
    for (const name of readdirSync(few)) {
      expect([name, readFileSync(join(second, name)).equals(readFileSync(join(first, name)))]).toEqual([name, true]);
    }
  });

  test('fails where there is no country', () => {
    expect(() => cut(join(root, 'data'), 'none')).toThrow('has no zip of a country');
  });
});

describe('the snapshot of some of them', () => {
  const textOf = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

  /** What `npm run build` has compiled. */
  const packaged = (): string => packagedStarterFile();

  describe('the starter data of the package', () => {
    test('are some countries of the starter dataset, for the site at its default address', () => {
      const { release, manifest, countries } = openSnapshot(packaged());
      const codes = countries.filter(({ structures }) => structures !== undefined).map(({ entry }) => entry.code);
      expect([release, manifest.sourceDate, manifest.siteUrl]).toEqual([
        STARTER_RELEASE,
        STARTER_DATE,
        `http://${siteSettings.host.fallback}:${siteSettings.port.fallback}`,
      ]);
      expect(codes).toEqual([...STARTER_COUNTRIES].sort());
      expect(textOf('data/README.md')).toContain(`compiles ${codes.length} of the countries`);
    });

    test('are compiled again only if a source is newer', () => {
      const root = createTemporaryFolder();
      try {
        for (const name of ['data/starter', 'dist']) mkdirSync(join(root.path, name), { recursive: true });
        const files = [
          'data/starter.snapshot',
          'data/starter/LI.zip',
          'data/countries.tsv',
          'dist/builder.sha256',
          'package.json',
        ].map((name) => join(root.path, name));
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
      tellPackagedData('places.snapshot', logger);
      expect(logger.lines).toEqual([]);
      tellPackagedData(null, logger);
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
    expect(data).toMatchObject({
      postcode: '10115',
      places: [{ name: 'Berlin', ancestors: [{ name: 'Berlin' }, {}] }],
    });
  });
});
