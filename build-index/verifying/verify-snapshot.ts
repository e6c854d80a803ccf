/**
 * `verify`: every checksum, every byte of padding and every cross-reference of a snapshot file. Countries are checked
 * on all cores; memory is bounded by the largest country and the name index of the world.
 */
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { checksumOf } from '../../src/format/checksum.js';
import { decodeCountryAnswers } from '../../src/format/country-answers.js';
import { decodeHeader, HEADER_BYTES, type Header } from '../../src/format/header.js';
import { decodeManifest, type Manifest, type Section } from '../../src/format/manifest.js';
import { decodeNameIndex } from '../../src/format/name-index.js';
import { COUNTRY_SECTIONS, SECTIONS, type SectionName } from '../../src/format/sections.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { countryDetailJson } from '../../src/store/country-answers.js';
import type { Pool } from '../pool.js';
import type { Progress } from '../reporting/progress.js';
import { checkWorldNames } from './check-names.js';
import { fail } from './fail.js';
import { readBytes, type VerifyCountryTask } from './verify-country.js';

const CHUNK_BYTES = 1 << 22;

/** Throws SnapshotError with the first thing that is off; returns the manifest of a file that is sound. */
export async function verifySnapshot(path: string, pool: Pool, progress: Progress): Promise<Manifest> {
  const fd = openForReading(path);
  try {
    const { header, manifest } = readContents(fd);
    checkSections(fd, header, manifest);
    const tasks = manifest.countries
      .filter((entry) => entry.slices.length > 0)
      .map(
        (entry): VerifyCountryTask => ({
          kind: 'verify-country',
          path,
          entry,
          sections: manifest.sections,
          pageUrl: `${manifest.siteUrl}/${entry.slug}`,
        }),
      );
    progress.start('verifying', tasks.length);
    let next = 0;
    for await (const _ of pool.run(tasks)) progress.step((tasks[next++] as VerifyCountryTask).entry.code);
    checkCountryAnswers(fd, manifest);
    checkWorld(fd, manifest);
    return manifest;
  } finally {
    closeSync(fd);
  }
}

function openForReading(path: string): number {
  try {
    // Asked before opening: a named pipe would keep the opener waiting for a writer.
    if (!statSync(path).isFile()) throw new Error('it is no regular file');
    return openSync(path, 'r');
  } catch (error) {
    throw new SnapshotError('FILE_UNREADABLE', `to read ${path}`, (error as Error).message, 'check the path');
  }
}

function readContents(fd: number): { header: Header; manifest: Manifest } {
  const info = fstatSync(fd);
  const header = decodeHeader(readBytes(fd, 0, Math.min(info.size, HEADER_BYTES)), info.size);
  const bytes = readBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodeManifest(bytes, header) };
}

/** Checksums of all sections, and zeros everywhere between them. */
function checkSections(fd: number, header: Header, manifest: Manifest): void {
  let end = HEADER_BYTES;
  for (const section of manifest.sections) {
    checkPadding(fd, end, section.offset);
    end = section.offset + section.length;
    let checksum = 0;
    for (let offset = section.offset; offset < end; offset += CHUNK_BYTES) {
      checksum = checksumOf(readBytes(fd, offset, Math.min(CHUNK_BYTES, end - offset)), checksum);
    }
    if (checksum !== section.checksum) {
      throw new SnapshotError('SECTION_DAMAGED', `${section.name} with checksum ${section.checksum}`, `${checksum}`);
    }
  }
  checkPadding(fd, end, header.manifestOffset);
  COUNTRY_SECTIONS.forEach((_, index) => {
    const sectionStart = manifest.sections[index]?.offset ?? 0;
    let sliceEnd = 0;
    for (const { slices } of manifest.countries) {
      const slice = slices[index];
      if (slice === undefined) continue;
      checkPadding(fd, sectionStart + sliceEnd, sectionStart + slice.offset);
      sliceEnd = slice.offset + slice.length;
    }
  });
}

function checkPadding(fd: number, start: number, end: number): void {
  if (end - start >= HEADER_BYTES) {
    throw new SnapshotError('SECTION_TABLE_INVALID', 'less than a page between sections', `${end - start} bytes`);
  }
  if (readBytes(fd, start, end - start).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${start} to ${end}`, 'other bytes');
  }
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

function readSection(fd: number, sections: readonly Section[], name: SectionName): Uint8Array {
  const { offset, length } = sections[SECTIONS.indexOf(name)] as Section;
  return readBytes(fd, offset, length);
}
