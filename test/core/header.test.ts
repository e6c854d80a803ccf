/** The header page and the manifest, through their bytes and back. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import koffi from 'koffi';
import { packageRoot } from '../../src/base/package-root.js';
import { allocatePageAligned } from '../../src/core/snapshot/check-sections.js';
import { checksumOf } from '../../src/core/snapshot/checksum.js';
import { FOLDING_VERSION } from '../../src/core/snapshot/fold-text.js';
import {
  decodeHeader,
  encodeHeader,
  HEADER_BYTES,
  type Header,
  MAX_SNAPSHOT_BYTES,
} from '../../src/core/snapshot/header.js';
import {
  type CountryEntry,
  decodeManifest,
  encodeManifest,
  type Manifest,
  type Section,
} from '../../src/core/snapshot/manifest.js';
import {
  COUNTRY_SECTIONS,
  FORMAT_VERSION,
  PAGE_BYTES,
  SECTIONS,
  SLICE_ALIGNMENT,
  WORLD_SECTIONS,
} from '../../src/core/snapshot/sections.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';

/** The header page: a round trip, its bytes, and the order in which it refuses. (See also hostile-bytes.test.ts.) */
describe('header', () => {
  const headers = fc
    .record({
      pages: fc.integer({ min: 1, max: (MAX_SNAPSHOT_BYTES - 2 ** 24) / 4096 }),
      manifestLength: fc.nat(2 ** 24),
      manifestChecksum: fc.nat(0xffffffff),
    })
    .map(({ pages, manifestLength, manifestChecksum }): Header => {
      const manifestOffset = pages * 4096;
      return {
        version: FORMAT_VERSION,
        fileLength: manifestOffset + manifestLength,
        manifestOffset,
        manifestLength,
        manifestChecksum,
      };
    });

  test('what was encoded is decoded, files of up to 4 GiB', () => {
    fc.assert(
      fc.property(headers, (header) => {
        const page = encodeHeader(header);
        expect(page).toHaveLength(HEADER_BYTES);
        expect(decodeHeader(page, header.fileLength)).toEqual(header);
      }),
      { seed: 20260330 },
    );
  });

  test('golden bytes', () => {
    const page = Buffer.from(
      encodeHeader({
        fileLength: 0x2_0000_0040,
        manifestOffset: 0x2_0000_0000,
        manifestLength: 64,
        manifestChecksum: 0xdeadbeef,
      }),
    );
    const parts = [
      '895050530d0a1a0a',
      '0c000000',
      '00000000',
      '4000000002000000',
      '0000000002000000',
      '4000000000000000',
      'efbeadde',
    ].join('');
    expect(page.subarray(0, 44).toString('hex')).toBe(parts);
    expect(page.readUInt32LE(44)).toBe(checksumOf(Buffer.from(parts, 'hex')));
    expect(page.subarray(44, 48).toString('hex')).toBe('b5f092e1');
    expect(page.subarray(48).every((byte) => byte === 0)).toBe(true);
  });

  test('the checksum is CRC-32, and goes on over several parts', () => {
    // The check value of the CRC catalogue.
    expect(checksumOf(Buffer.from('123456789'))).toBe(0xcbf43926);
    expect(checksumOf(Buffer.from('6789'), checksumOf(Buffer.from('12345')))).toBe(0xcbf43926);
    expect(checksumOf(new Uint8Array(0))).toBe(0);
    expect(checksumOf(new Uint8Array(0), 77)).toBe(77);
  });

  test('a page that lies inside a larger buffer is read from its own start', () => {
    const header = {
      version: FORMAT_VERSION,
      fileLength: 8192,
      manifestOffset: 4096,
      manifestLength: 4096,
      manifestChecksum: 5,
    };
    const around = new Uint8Array(HEADER_BYTES * 2 + 24).fill(0xee);
    around.set(encodeHeader(header), 24);
    expect(decodeHeader(around.subarray(24, 24 + HEADER_BYTES), 8192)).toEqual(header);
  });
});

/** The manifest through FlatBuffers and back: nothing is lost, absent and zero are told apart. */
describe('manifest', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const degrees = (limit: number) => fc.oneof(fc.constant(0), fc.double({ min: -limit, max: limit, noNaN: true }));
  const centre = fc.option(fc.record({ latitude: degrees(90), longitude: degrees(180) }));

  const countryParts = fc.record({
    name: text,
    slug: text,
    alpha3: fc.string({ unit: fc.constantFrom(...'AXZ'), minLength: 3, maxLength: 3 }),
    population: fc.nat(0xffffffff),
    givenFormat: fc.option(text),
    centre,
    distinctPostcodes: fc.nat(0xffffffff),
    levelCounts: fc.array(fc.nat(0xffffffff), { minLength: 4, maxLength: 4 }),
    sliceLengths: fc.option(
      fc.array(fc.nat(5000), { minLength: COUNTRY_SECTIONS.length, maxLength: COUNTRY_SECTIONS.length }),
    ),
  });
  const codes = fc.uniqueArray(fc.string({ unit: fc.constantFrom(...'ABXYZ'), minLength: 2, maxLength: 2 }), {
    maxLength: 8,
  });

  const url = fc.domain().map((domain) => `https://${domain}/`);
  const source = fc.record({
    name: text,
    url,
    license: fc.record({ name: text, identifier: text, url }),
    attribution: text,
    fullCodesOf: codes,
  });

  /** Manifests whose slices and sections lie as the format wants it. */
  const manifests = fc
    .record({
      release: text,
      sourceDate: fc.option(text),
      previousRelease: fc.option(text),
      builderVersion: fc.option(text),
      siteUrl: text,
      countries: codes.chain((list) =>
        fc.tuple(fc.constant(list.sort()), fc.array(countryParts, { minLength: list.length, maxLength: list.length })),
      ),
      worldLengths: fc.array(fc.nat(9000), { minLength: WORLD_SECTIONS.length, maxLength: WORLD_SECTIONS.length }),
      sources: fc.array(source, { maxLength: 3 }),
      checksums: fc.array(fc.nat(0xffffffff), { minLength: SECTIONS.length, maxLength: SECTIONS.length }),
    })
    .map(({ countries: [codeList, parts], worldLengths, checksums, sources, ...rest }): Manifest => {
      const lengths = new Array<number>(COUNTRY_SECTIONS.length).fill(0);
      const countries = codeList.map((code, index): CountryEntry => {
        const { sliceLengths, ...country } = parts[index] as (typeof parts)[number];
        const slices = (sliceLengths ?? []).map((length, section) => {
          const offset = alignUp(lengths[section] as number, SLICE_ALIGNMENT);
          lengths[section] = offset + length;
          return { offset, length };
        });
        return { code, ...country, slices };
      });
      let end = HEADER_BYTES;
      const sections = SECTIONS.map((name, index): Section => {
        const offset = alignUp(end, PAGE_BYTES);
        const length = [...lengths, ...worldLengths][index] as number;
        end = offset + length;
        return { name, offset, length, checksum: checksums[index] as number };
      });
      return { ...rest, foldingVersion: FOLDING_VERSION, countries, sections, sources };
    });

  function alignUp(offset: number, alignment: number): number {
    return offset + ((alignment - (offset % alignment)) % alignment);
  }

  function headerOf(manifest: Manifest, bytes: Uint8Array): Header {
    const last = manifest.sections.at(-1) as Section;
    const manifestOffset = alignUp(last.offset + last.length, PAGE_BYTES);
    return {
      version: FORMAT_VERSION,
      manifestOffset,
      manifestLength: bytes.length,
      fileLength: manifestOffset + bytes.length,
      manifestChecksum: checksumOf(bytes),
    };
  }

  const decodeEncoded = (manifest: Manifest): Manifest => {
    const bytes = encodeManifest(manifest);
    return decodeManifest(bytes, headerOf(manifest, bytes));
  };

  const country = (code: string, centreOf: CountryEntry['centre']): CountryEntry => ({
    code,
    name: 'Name',
    slug: 'name',
    alpha3: 'AAA',
    population: 0,
    givenFormat: null,
    centre: centreOf,
    distinctPostcodes: 0,
    levelCounts: [0, 0, 0, 0],
    slices: [],
  });

  const empty: Manifest = {
    release: '2026-03-30',
    sourceDate: null,
    previousRelease: null,
    builderVersion: null,
    siteUrl: 'https://site.test',
    foldingVersion: FOLDING_VERSION,
    countries: [],
    sections: SECTIONS.map((name) => ({ name, offset: HEADER_BYTES, length: 0, checksum: 0 })),
    sources: [],
  };

  test('what was encoded is decoded', () => {
    fc.assert(
      // FlatBuffers writes -0 as 0: both are the default of a double.
      fc.property(manifests, (manifest) => expect(decodeEncoded(manifest)).toEqual(withoutNegativeZero(manifest))),
      { seed: 20260330, numRuns: 200, examples: [[empty]] },
    );
  });

  function withoutNegativeZero(manifest: Manifest): Manifest {
    const plain = (degreesOf: number): unknown => (Object.is(degreesOf, -0) ? expect.closeTo(0) : degreesOf);
    const countries = manifest.countries.map((entry) => ({
      ...entry,
      centre:
        entry.centre === null
          ? null
          : { latitude: plain(entry.centre.latitude) as number, longitude: plain(entry.centre.longitude) as number },
    }));
    return { ...manifest, countries };
  }

  test('no centre, a centre at 0, 0 and a centre on one axis are told apart', () => {
    const centres = [
      null,
      { latitude: 0, longitude: 0 },
      { latitude: 0, longitude: 7 },
      { latitude: -7, longitude: 0 },
    ];
    const countries = centres.map((centreOf, index) => country(`A${'ABCD'[index]}`, centreOf));
    expect(decodeEncoded({ ...empty, countries }).countries.map((entry) => entry.centre)).toEqual(centres);
  });

  test.each(['', 'AA', 'AAAA', 'aaa', 'A1A'])('a country without a three-letter code is refused: %j', (alpha3) => {
    const countries = [{ ...country('AA', null), alpha3 }];
    expect(() => decodeEncoded({ ...empty, countries })).toThrow(/^MANIFEST_DAMAGED: .*three-letter code/);
  });

  test.each(['', 'javascript:alert(1)', ' https://site.test'])(
    'a source at %j, to which pages would link, is refused',
    (url) => {
      const license = { name: 'Licence', identifier: 'X', url: 'https://site.test' };
      const good = { name: 'Source', url: 'http://site.test', license, attribution: 'Credit', fullCodesOf: [] };
      for (const bad of [
        { ...good, url },
        { ...good, license: { ...license, url } },
      ])
        expect(() => decodeEncoded({ ...empty, sources: [good, bad] })).toThrow(/^MANIFEST_DAMAGED: /);
    },
  );

  test('the same manifest gives the same bytes', () => {
    const [once, again] = fc
      .sample(manifests, { seed: 7, numRuns: 1 })
      .flatMap((manifest) => [manifest, structuredClone(manifest)]);
    expect(encodeManifest(once as Manifest)).toEqual(encodeManifest(again as Manifest));
  });
});

/** Where memory lies that files are read into. */
describe('memory that files are read into', () => {
  test.each([1 << 18, 5000, 1])('%d bytes of zeros that begin on a page', (length) => {
    const bytes = allocatePageAligned(length);
    expect(bytes).toHaveLength(length);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(koffi.address(bytes) % 4096n).toBe(0n);
  });
});

test('the generated code is what the schema gives', () => {
  const folder = createTemporaryFolder();
  try {
    const out = join(folder.path, 'generated');
    try {
      execFileSync('sh', [join(packageRoot(), 'scripts/generate-manifest.sh'), out], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    } catch (error) {
      // Without flatc the script says how to install it: this must fail, or a changed schema would go unnoticed.
      throw new Error(`scripts/generate-manifest.sh: ${(error as { stderr?: string }).stderr}`, { cause: error });
    }
    const contents = (base: string): [string, string][] =>
      readdirSync(base, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .sort()
        .map((name) => [name, readFileSync(join(base, name), 'utf8')]);
    const committed = contents(join(packageRoot(), 'src/core/snapshot/generated'));
    expect(committed.length).toBe(1);
    expect(contents(out)).toEqual(committed);
  } finally {
    folder.remove();
  }
});
