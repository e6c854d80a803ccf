/** Checks what a snapshot holds beyond single countries: the countries' own answers, and the names of the world. */
import { decodeCountryAnswers } from '../../src/format/country-answers.js';
import type { Manifest } from '../../src/format/manifest.js';
import { decodeNameIndex } from '../../src/format/name-index.js';
import { COUNTRY_SECTIONS } from '../../src/format/sections.js';
import { countryDetailJson } from '../../src/store/country-answers.js';
import { checkWorldNames } from './check-names.js';
import { fail } from './fail.js';
import { readContents, readSection, withFile } from './snapshot-reading.js';

export interface VerifyWorldTask {
  readonly kind: 'verify-world';
  readonly path: string;
}

/** Throws SnapshotError STRUCTURE_INVALID. */
export function verifyWorld({ path }: VerifyWorldTask): void {
  withFile(path, (fd) => {
    const { manifest } = readContents(fd);
    checkCountryAnswers(fd, manifest);
    checkWorld(fd, manifest);
  });
}

function checkCountryAnswers(fd: number, { countries, sections, siteUrl }: Manifest): void {
  const bytes = readSection(fd, sections, 'country-answers');
  const answers = decodeCountryAnswers(bytes, 'country-answers', countries.length);
  for (const offsets of [answers.offsets, answers.statsOffsets]) {
    const wrong = offsets.findIndex((offset, index) => offset < (offsets[index - 1] ?? 0));
    if (wrong !== -1) fail('country-answers', 'offsets ascending', offsets[wrong]);
  }
  let listLength = 0;
  countries.forEach((entry, number) => {
    const [open, stats] = countryDetailJson(answers, number);
    const json = `${Buffer.concat([open, stats]).toString('utf8')}}`;
    listLength += open.length + CLOSING.length;
    const closing = answers.text.subarray(listLength - CLOSING.length, listLength);
    if (Buffer.compare(closing, CLOSING) !== 0) fail('country-answers', 'a brace and a comma', entry.code);
    const detail = parseJson(json);
    const levels = entry.levelCounts.flatMap((count, index) => (count > 0 ? [{ level: index + 1, count }] : []));
    const hasPostcodes = entry.slices.length > 0;
    const expected = {
      ...detail,
      code: entry.code,
      name: entry.name,
      slug: entry.slug,
      latitude: entry.centre?.latitude ?? null,
      longitude: entry.centre?.longitude ?? null,
      hasPostcodes,
      url: `${siteUrl}/${entry.slug}`,
      ...(hasPostcodes && {
        stats: {
          totalPlaces: entry.levelCounts.reduce((sum, count) => sum + count, 0),
          distinctPostcodes: entry.distinctPostcodes,
          levels,
        },
      }),
    };
    if (JSON.stringify(expected) !== json) fail('country-answers', `what the manifest says of ${entry.code}`, json);
    if (!(hasPostcodes || !('stats' in detail))) fail('country-answers', `no stats for ${entry.code}`, json);
  });
}

/** What is behind each country's object in the list. */
const CLOSING = Buffer.from('},', 'latin1');

function parseJson(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json);
  } catch {
    fail('country-answers', 'JSON', json);
  }
}

function checkWorld(fd: number, { countries, sections }: Manifest): void {
  const names = readSection(fd, sections, 'name-index');
  const slice = COUNTRY_SECTIONS.indexOf('name-index');
  const indexes = countries.flatMap((entry, number) => {
    const { offset, length } = entry.slices[slice] ?? { offset: 0, length: 0 };
    if (length === 0) return [];
    return [
      [
        number,
        decodeNameIndex(names.subarray(offset, offset + length), `name-index of ${entry.code}`, 'country'),
      ] as const,
    ];
  });
  const world = decodeNameIndex(readSection(fd, sections, 'world-name-index'), 'world-name-index', 'world');
  checkWorldNames(world, new Map(indexes));
}
