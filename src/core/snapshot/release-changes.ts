/**
 * The file of a release's changes, `<name of the snapshot>.changes.ndjson`: UTF-8, one JSON object a line. The first
 * line is the header; then comes one line for each change, in the order of the header's countries (ascending by code),
 * then of CHANGE_KINDS, then of the paths. The file is complete: the lengths in the header add up to its length.
 *
 *   {"version":1,"since":"2024-04","sinceSnapshot":"…","release":"2026-03","snapshot":"…","sourceDate":"2026-03-30",
 *    "counts":{…},"countries":[{"code":"AD","placesBefore":11,…,"bytes":{"added":0,"removed":0,"moved":0,"renamed":212}}]}
 *   {"countryCode":"AD","change":"renamed","id":"…","path":"/…","name":"…","localName":"…","type":"locality",
 *    "postalCode":"AD100","oldName":"…"}
 *
 * Nothing here trusts a file: what is parsed has these fields, of these types, in bounded numbers and lengths.
 */

import { isSnapshotId } from './header.js';
import { isPlaceId } from './place-id.js';
import { MAX_RENDERED_BYTES } from './rendered-places.js';

/* The name of a release: part of the name of a published snapshot, and of addresses. */

export const RELEASE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isReleaseName(value: unknown): value is string {
  return typeof value === 'string' && RELEASE_NAME.test(value);
}

/** The order of a country's lines. docs/releases.md says what each word means. */
export const CHANGE_KINDS = ['added', 'removed', 'moved', 'renamed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Rises with every change that an older reader would misread. */
const CHANGES_VERSION = 1;

/** Maximum length of all lines behind the header in bytes: 256 MiB, about a million changes of 250 bytes. */
export const MAX_CHANGES_BYTES = 256 << 20;
/** Maximum length of the header in bytes: 256 KiB, four times what 250 countries need. */
export const MAX_HEADER_BYTES = 256 << 10;
/** Maximum length of a line in bytes: a place before and after, each as long as a snapshot allows. */
export const MAX_LINE_BYTES = 2 * MAX_RENDERED_BYTES;
/** Maximum number of countries in a header: all pairs of two letters. */
const MAX_COUNTRIES = 26 * 26;

const COUNTED = [...CHANGE_KINDS, 'codesAdded', 'codesRemoved'] as const;
export type ChangeCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** What changed in one country. */
export interface CountryChanges extends ChangeCounts {
  readonly code: string;
  /** Both are 0 for a country without postcode data. */
  readonly placesBefore: number;
  readonly placesAfter: number;
  /** The length of the lines of each kind; null if the country is counted only, because of MAX_CHANGES_BYTES. */
  readonly bytes: Readonly<Record<ChangeKind, number>> | null;
}

export interface ChangesHeader {
  /** The release before, and the id of its snapshot. */
  readonly since: string;
  readonly sinceSnapshot: string;
  readonly release: string;
  readonly snapshot: string;
  /** The date of the newest file of `release`, YYYY-MM-DD; null where unknown. */
  readonly sourceDate: string | null;
  /** Those that changed, ascending by code. */
  readonly countries: readonly CountryChanges[];
}

/** A change of one place. The fields are those of the place now, or of a removed place as it was. */
export interface PlaceChange {
  readonly countryCode: string;
  readonly change: ChangeKind;
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly localName: string;
  readonly type: string;
  readonly postalCode: string | null;
  /** Of a renamed place, if it is another. */
  readonly oldId?: string;
  /** Of every moved place (the same where only the parent is another), and of a renamed one if it is another. */
  readonly oldPath?: string;
  /** Of every renamed place. */
  readonly oldName?: string;
  /** Of a renamed place, if it is another. */
  readonly oldLocalName?: string;
}

/** The file of changes is not usable; the message says why. */
export class ChangesError extends Error {
  override readonly name = 'ChangesError';
}

/** The sum of the counts of countries. */
export function sumChanges(countries: readonly ChangeCounts[]): ChangeCounts {
  const sum = (name: (typeof COUNTED)[number]): number => countries.reduce((total, counts) => total + counts[name], 0);
  return Object.fromEntries(COUNTED.map((name) => [name, sum(name)])) as unknown as ChangeCounts;
}

/** The header's line, with its line feed. */
export function encodeChangesHeader({ countries, ...names }: ChangesHeader): string {
  return `${JSON.stringify({ version: CHANGES_VERSION, ...names, counts: sumChanges(countries), countries })}\n`;
}

/** Parses the header's line. Throws ChangesError. */
export function parseChangesHeader(line: string): ChangesHeader {
  const { version, since, sinceSnapshot, release, snapshot, sourceDate, countries } = parseObject(line);
  if (version !== CHANGES_VERSION) throw new ChangesError(`it has version ${JSON.stringify(version)}`);
  if (!isReleaseName(since) || !isReleaseName(release) || !isSnapshotId(sinceSnapshot) || !isSnapshotId(snapshot)) {
    throw new ChangesError('its first line does not name two releases and their snapshots');
  }
  if (!Array.isArray(countries) || countries.length > MAX_COUNTRIES) throw new ChangesError('it lists no countries');
  const date = typeof sourceDate === 'string' && /^\d{4}-\d\d-\d\d$/.test(sourceDate) ? sourceDate : null;
  let previous = '';
  const parsed = countries.map((value) => {
    const country = parseCountry(value);
    if (country.code <= previous) throw new ChangesError(`country ${country.code} stands after ${previous}`);
    previous = country.code;
    return country;
  });
  return { since, sinceSnapshot, release, snapshot, sourceDate: date, countries: parsed };
}

function parseCountry(value: unknown): CountryChanges {
  const fields = (value ?? {}) as Record<string, unknown>;
  const { code, bytes } = fields;
  if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code)) throw new ChangesError('it lists a country without a code');
  const countIn = (source: object, name: string): [string, number] => {
    const count = (source as Record<string, unknown>)[name];
    if (!Number.isSafeInteger(count) || (count as number) < 0) throw new ChangesError(`${code} has no count ${name}`);
    return [name, count as number];
  };
  const counts = Object.fromEntries(['placesBefore', 'placesAfter', ...COUNTED].map((name) => countIn(fields, name)));
  const lengths = bytes === null ? null : Object.fromEntries(CHANGE_KINDS.map((kind) => countIn(bytes ?? {}, kind)));
  const country = { code, ...counts, bytes: lengths } as unknown as CountryChanges;
  for (const kind of CHANGE_KINDS) {
    // So that a number of changes is never more than the file can hold.
    if (lengths !== null && country[kind] > (lengths[kind] ?? 0)) {
      throw new ChangesError(`${code} has ${country[kind]} ${kind} places in ${lengths[kind]} bytes`);
    }
  }
  return country;
}

/** A change's line, with its line feed. */
export function encodeChange(change: PlaceChange): string {
  return `${JSON.stringify(change)}\n`;
}

/** Parses a line of this country and kind. Throws ChangesError. */
export function parseChange(line: string, countryCode: string, change: ChangeKind): PlaceChange {
  const fields = parseObject(line);
  const { id, path, name, localName, type, postalCode } = fields;
  const isPlace =
    typeof id === 'string' &&
    isPlaceId(id) &&
    isPath(path) &&
    [name, localName, type].every((text) => typeof text === 'string') &&
    (postalCode === null || typeof postalCode === 'string');
  if (fields.countryCode !== countryCode || fields.change !== change || !isPlace) {
    throw new ChangesError(`a line is no ${change} place of ${countryCode}`);
  }
  const { oldId, oldPath, oldName, oldLocalName } = fields;
  const isOld =
    (oldId === undefined || (typeof oldId === 'string' && isPlaceId(oldId))) &&
    (oldPath === undefined ? change !== 'moved' : isPath(oldPath)) &&
    (oldName === undefined ? change !== 'renamed' : typeof oldName === 'string') &&
    (oldLocalName === undefined || typeof oldLocalName === 'string');
  if (!isOld) throw new ChangesError(`a line does not say how a ${change} place of ${countryCode} was`);
  const place = { countryCode, change, id, path, name, localName, type, postalCode };
  const old = Object.entries({ oldId, oldPath, oldName, oldLocalName }).filter(([, value]) => value !== undefined);
  return { ...place, ...Object.fromEntries(old) } as PlaceChange;
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ChangesError('a line is no JSON object');
}

/** A path of one or more slugs. */
function isPath(value: unknown): boolean {
  return typeof value === 'string' && /^(?:\/[a-z0-9-]+)+$/.test(value);
}

/*
 * What a snapshot knows of the releases before it: the lists of changes that lead to it, one for each release. Who opens
 * the snapshot provides them, since they are other files. They may come and go while the snapshot is served.
 */

/** A list of changes: from the release `header.since` to `header.release`. */
export interface ChangesList {
  readonly header: ChangesHeader;
  /** When the file was last written, ISO 8601 in UTC. */
  readonly writtenAt: string;
  /**
   * The changes of a kind in one of the header's countries, from number `start` up to but not including `end`, which
   * must be in the list. Undefined if the list turns out to be damaged or gone; then ReleaseChanges no longer has it.
   */
  read(country: CountryChanges, kind: ChangeKind, start: number, end: number): readonly PlaceChange[] | undefined;
}

export interface ReleaseChanges {
  /**
   * The lists from the snapshot back: the first one leads to the snapshot's release, and each other to the release
   * where the one before it starts. Empty where none is known.
   */
  lists(): readonly ChangesList[];
}

export const NO_CHANGES: ReleaseChanges = { lists: () => [] };
