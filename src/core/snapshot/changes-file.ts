/**
 * The file of a release's changes, `<name of the snapshot>.changes.ndjson`: UTF-8, one JSON object a line. The first
 * line is the header; then comes one line for each change, in the order of the header's countries (ascending by code),
 * then of ENTRY_KINDS, then of the paths, or of the codes. The file is complete: the lengths in the header add up to its
 * length.
 *
 *   {"version":1,"since":"2024-04","sinceSnapshot":"…","release":"2026-03","snapshot":"…","sourceDate":"2026-03-30",
 *    "counts":{…},"countries":[{"code":"AD","placesBefore":11,…,"bytes":{"added":0,"removed":0,"moved":0,"renamed":212}}]}
 *   {"countryCode":"AD","change":"renamed","id":"…","path":"/…","name":"…","localName":"…","type":"locality",
 *    "postalCode":"AD100","oldName":"…"}
 *
 * Nothing here trusts a file: what is parsed has these fields, of these types, in bounded numbers and lengths.
 */

import { isPlaceId } from './place-id.js';
import { isReleaseName } from './release-name.js';
import { MAX_RENDERED_BYTES } from './rendered-places.js';
import { isSnapshotId } from './snapshot-id.js';

/** The order of a country's lines. docs/releases.md says what each word means. */
export const CHANGE_KINDS = ['added', 'removed', 'moved', 'renamed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The order of the lines of a country's full codes, which come after those of its places. */
export const CODE_CHANGE_KINDS = ['fullCodeAdded', 'fullCodeRemoved', 'fullCodeMoved'] as const;
export type CodeChangeKind = (typeof CODE_CHANGE_KINDS)[number];

export const ENTRY_KINDS = [...CHANGE_KINDS, ...CODE_CHANGE_KINDS] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Rises with every change that an older reader would misread. */
const CHANGES_VERSION = 1;
/** Of a file with changes of full codes. */
const FULL_CODES_CHANGES_VERSION = 2;

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
  /** Only where some changed. */
  readonly fullCodes?: FullCodeChanges;
}

/** What changed among the full codes of one country. */
export interface FullCodeChanges extends Readonly<Record<CodeChangeKind, number>> {
  /** The number of full codes in the release before, and in this one. */
  readonly before: number;
  readonly after: number;
  /** As of places; also null where either release has no full codes of the country: all of the other's are the change. */
  readonly bytes: Readonly<Record<CodeChangeKind, number>> | null;
}

export interface ChangesHeader {
  /** The release before, and the id of its snapshot. */
  readonly since: string;
  readonly sinceSnapshot: string;
  readonly release: string;
  readonly snapshot: string;
  /** The date of the newest file of `release`, YYYY-MM-DD; null where unknown. */
  readonly sourceDate: string | null;
  /** The countries with changes, ascending by code. */
  readonly countries: readonly CountryChanges[];
}

/**
 * A change of one place, or of one full code. The fields describe the place as it is now, or a removed place as it was. A
 * full code has the fields of its place, and a removed full code those of its last place.
 */
export interface PlaceChange {
  readonly countryCode: string;
  readonly change: EntryKind;
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly localName: string;
  readonly type: string;
  /** Of a full code, the code itself. */
  readonly postalCode: string | null;
  /** Of a renamed place, if it is another; of a moved full code, that of its place before, if it is another. */
  readonly oldId?: string;
  /** Of every moved place (the same where only the parent is another); of a renamed one and a full code as `oldId`. */
  readonly oldPath?: string;
  /** Of every renamed place. */
  readonly oldName?: string;
  /** Of a renamed place, if it is another. */
  readonly oldLocalName?: string;
  /** Of every moved full code: how far it is from its position before, in kilometres. */
  readonly movedKm?: number;
}

type KindCounts = Partial<Record<EntryKind, number>> & { readonly bytes: Partial<Record<EntryKind, number>> | null };

/** The lines of a kind: their number, and their length in bytes. Null if the country's are counted only. */
export function changesFileLinesOf(
  country: CountryChanges,
  kind: EntryKind,
): { readonly count: number; readonly byteLength: number } | null {
  const isOfCodes = CODE_CHANGE_KINDS.some((one) => one === kind);
  const counts: KindCounts | undefined = isOfCodes ? country.fullCodes : country;
  if (counts === undefined) return { count: 0, byteLength: 0 };
  return counts.bytes && { count: counts[kind] ?? 0, byteLength: counts.bytes[kind] ?? 0 };
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

/** The changes of full codes of all countries by their kind. */
export function sumCodeChanges(countries: readonly CountryChanges[]): Readonly<Record<CodeChangeKind, number>> {
  const sums = CODE_CHANGE_KINDS.map((kind) => {
    return [kind, countries.reduce((sum, { fullCodes }) => sum + (fullCodes?.[kind] ?? 0), 0)];
  });
  return Object.fromEntries(sums) as Record<CodeChangeKind, number>;
}

/** What happened to a full code, for people. */
export const CODE_CHANGE_WORDS = {
  fullCodeAdded: 'added',
  fullCodeRemoved: 'removed',
  fullCodeMoved: 'moved',
} as const;

/** The header's line, with its line feed. */
export function encodeChangesHeader({ countries, ...names }: ChangesHeader): string {
  const version = countries.some(({ fullCodes }) => fullCodes) ? FULL_CODES_CHANGES_VERSION : CHANGES_VERSION;
  return `${JSON.stringify({ version, ...names, counts: sumChanges(countries), countries })}\n`;
}

/** Parses the header's line. Throws ChangesError. */
export function parseChangesHeader(line: string): ChangesHeader {
  const { version, since, sinceSnapshot, release, snapshot, sourceDate, countries } = parseObject(line);
  if (version !== CHANGES_VERSION && version !== FULL_CODES_CHANGES_VERSION) {
    throw new ChangesError(`it has version ${JSON.stringify(version)}`);
  }
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
  const { code, fullCodes } = fields;
  if (typeof code !== 'string' || !/^[A-Z]{2}$/.test(code)) throw new ChangesError('it lists a country without a code');
  return {
    code,
    ...parseCounts(code, fields, ['placesBefore', 'placesAfter', ...COUNTED], CHANGE_KINDS),
    ...(fullCodes !== undefined && {
      fullCodes: parseCounts(code, fullCodes, ['before', 'after', ...CODE_CHANGE_KINDS], CODE_CHANGE_KINDS),
    }),
  } as unknown as CountryChanges;
}

/** The named counts of a country's changes, and the lengths of their lines, which are of these kinds. */
function parseCounts(code: string, value: unknown, names: readonly string[], kinds: readonly string[]) {
  const fields = (value ?? {}) as Record<string, unknown>;
  const countIn = (source: object, name: string): [string, number] => {
    const count = (source as Record<string, unknown>)[name];
    if (!Number.isSafeInteger(count) || (count as number) < 0) throw new ChangesError(`${code} has no count ${name}`);
    return [name, count as number];
  };
  const counts = Object.fromEntries(names.map((name) => countIn(fields, name)));
  if (fields.bytes === null) return { ...counts, bytes: null };
  const bytes = Object.fromEntries(kinds.map((kind) => countIn(fields.bytes ?? {}, kind)));
  for (const kind of kinds) {
    // So that a number of changes is never more than the file can hold.
    if ((counts[kind] ?? 0) > (bytes[kind] ?? 0)) {
      throw new ChangesError(`${code} has ${counts[kind]} lines of the kind ${kind} in ${bytes[kind]} bytes`);
    }
  }
  return { ...counts, bytes };
}

/** A change's line, with its line feed. */
export function encodeChange(change: PlaceChange): string {
  return `${JSON.stringify(change)}\n`;
}

/** Parses a line of this country and kind. Throws ChangesError. */
export function parseChange(line: string, countryCode: string, change: EntryKind): PlaceChange {
  const fields = parseObject(line);
  const { id, path, name, localName, type, postalCode } = fields;
  const isPlace =
    typeof id === 'string' &&
    isPlaceId(id) &&
    isPath(path) &&
    [name, localName, type].every((text) => typeof text === 'string') &&
    (postalCode === null || typeof postalCode === 'string');
  if (fields.countryCode !== countryCode || fields.change !== change || !isPlace) {
    throw new ChangesError(`a line of ${countryCode} is none of the kind ${change}`);
  }
  const { oldId, oldPath, oldName, oldLocalName, movedKm } = fields;
  const isOld =
    (oldId === undefined || (typeof oldId === 'string' && isPlaceId(oldId))) &&
    (oldPath === undefined ? change !== 'moved' : isPath(oldPath)) &&
    (oldName === undefined ? change !== 'renamed' : typeof oldName === 'string') &&
    (oldLocalName === undefined || typeof oldLocalName === 'string') &&
    (movedKm === undefined ? change !== 'fullCodeMoved' : typeof movedKm === 'number');
  if (!isOld) throw new ChangesError(`a line of ${countryCode} of the kind ${change} does not say what was before`);
  const place = { countryCode, change, id, path, name, localName, type, postalCode };
  const old = Object.entries({ oldId, oldPath, oldName, oldLocalName, movedKm }).filter(
    ([, value]) => value !== undefined,
  );
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
