/**
 * Writes the full codes of a country (src/core/snapshot/full-codes.ts) from the rows of its full file. A row belongs to
 * a place of its first part: of several places to the one that shares most with the row, its name before its units, and
 * of equal ones to the nearest. Of several rows of one code the row nearest its place counts, then the row of the first
 * place, then the row of the lowest position; so the order of rows decides nothing. Memory: 24 bytes for each row, and 50
 * more while the codes are sorted.
 */

import KDBush from 'kdbush';
import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import {
  type CodeParts,
  decodeFullCodeSecondPart,
  divideCode,
  FULL_CODES_SCHEMA,
  UNITS_PER_DEGREE,
} from '../../src/core/snapshot/full-codes.js';
import { POINT_NODE_SIZE } from '../../src/core/snapshot/kd-tree.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import {
  decodePostcodeIndex,
  findPostcode,
  indexedPostcode,
  indexedPostcodePlaces,
} from '../../src/core/snapshot/postcode-index.js';
import { compactPostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { memoize } from '../ordering/grouping.js';
import { parsePostalRow, type Row } from '../reading/postal-row.js';
import type { CountryFile } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';
import {
  createRowTally,
  explainProblems,
  noteProblem,
  noteProblemLine,
  PROBLEM_KINDS,
  type Problems,
} from '../reading/row-problems.js';
import { readLines } from '../reading/table-lines.js';
import type { CountryTree } from '../tree/country-tree.js';

/** What the report says of the rows of full files: the kinds of all rows, and kinds of their own. */
export const FULL_CODE_PROBLEMS = [
  ...(Object.keys(PROBLEM_KINDS) as (keyof typeof PROBLEM_KINDS)[]),
  'merged: the same full code twice',
  'rejected: no place has the first part of the full code',
  'rejected: no second part of one to three letters A-Z and digits',
  'taken: over 50 km from its place',
] as const;

/** Every row is taken, merged or rejected. */
export interface FullCodesTally {
  readonly countryCode: string;
  readonly file: string;
  readonly rowsRead: number;
  readonly codesTaken: number;
  readonly rowsMerged: number;
  readonly rowsRejected: number;
  readonly problems: Problems<(typeof FULL_CODE_PROBLEMS)[number]>;
}

/** Distance of a full code from its place that the report mentions, in km: hardly a first part extends so far. */
const FAR_KM = 50;

/** The chunks of the country's slice. `postcodeChunks` are those of its postcode index. */
export async function buildFullCodes(
  file: CountryFile,
  tree: CountryTree,
  postcodeChunks: readonly Uint8Array[],
): Promise<{ readonly chunks: Uint8Array[]; readonly tally: FullCodesTally }> {
  const { textName, countryCode } = file;
  const tally = { ...createRowTally(), problems: {} as FullCodesTally['problems'] };
  const codes = new FullCodeCollector(tree, postcodeChunks);
  let [number, line] = [0, ''];
  const where = (): string => `${textName}:${number}`;
  await readLines(file, (bytes, lineNumber) => {
    [number, line] = [lineNumber, bytes.toString('utf8')];
    const row = parsePostalRow(line, { countryCode, tally, where });
    if (row === undefined) return;
    if (codes.add(row, lineNumber)) return;
    tally.rowsRejected++;
    const kind = codes.hasFirstPart(row.postalCode)
      ? 'rejected: no second part of one to three letters A-Z and digits'
      : 'rejected: no place has the first part of the full code';
    noteProblemLine(tally, kind, where, line);
  });
  if (codes.count === 0) {
    const reason = explainProblems(tally.problems);
    throw new ReleaseError(`${file.path}: not one full code of ${countryCode}${reason}; remove the file`);
  }
  const arrays = codes.finish((kind, lineNumber, text) => {
    if (kind === 'merged: the same full code twice') tally.rowsMerged++;
    noteProblem(tally, kind, () => `${textName}:${lineNumber}: ${text}`);
  });
  const { rowsRead, rowsMerged, rowsRejected, problems } = tally;
  const codesTaken = arrays.seconds.length;
  return {
    chunks: encodeBundle(FULL_CODES_SCHEMA, arrays),
    tally: { countryCode, file: textName, rowsRead, codesTaken, rowsMerged, rowsRejected, problems },
  };
}

/** The columns of rows, as many as rows were added. */
class FullCodeCollector {
  readonly #postcodes;
  readonly #findFirst;
  /** For each first part, name and units of a row, the places that share most with them, see listPlaces. */
  readonly #places = new Map<string, readonly number[]>();
  readonly #unitsOf;
  readonly #namesOf;
  #firsts = new Uint32Array(1024);
  #seconds = new Uint16Array(1024);
  /** Positions in the list of places of the first part. */
  #placesOf = new Uint16Array(1024);
  /** Longitude and latitude in units of full-codes.ts. */
  #positions = new Int32Array(2048);
  #lines = new Uint32Array(1024);
  #count = 0;

  constructor(
    private readonly tree: CountryTree,
    postcodeChunks: readonly Uint8Array[],
  ) {
    this.#postcodes = decodePostcodeIndex(new Uint8Array(Buffer.concat(postcodeChunks)), tree.countryCode);
    this.#findFirst = memoize((text: string) => findPostcode(this.#postcodes, text, text)?.number);
    this.#namesOf = (place: number): string[] => [
      tree.names[place] as string,
      tree.localNames[place] as string,
      ...(tree.mergedNames.get(place) ?? []),
    ];
    this.#unitsOf = (place: number): Set<string> => {
      const names = new Set<string>();
      for (let unit = tree.parents[place] as number; unit !== NO_PARENT; unit = tree.parents[unit] as number) {
        for (const name of this.#namesOf(unit)) names.add(foldText(name));
      }
      return names;
    };
  }

  /** Adds the row of a line. Returns false if its code is no first part of a place with a second part. */
  add(row: Row, line: number): boolean {
    const parts = this.#partsOf(row.postalCode);
    if (parts === undefined) return false;
    const key = [parts.first, row.placeName, ...row.adminNames].join('\t');
    const candidates = this.#places.get(key) ?? this.#listPlaces(parts.first, row);
    this.#places.set(key, candidates);
    const places = indexedPostcodePlaces(this.#postcodes, parts.first);
    const { latitudes, longitudes } = this.tree;
    let [nearest, nearestKm] = [0, Number.POSITIVE_INFINITY];
    for (const at of candidates) {
      const place = places[at] as number;
      const [latitude, longitude] = [latitudes[place] as number, longitudes[place] as number];
      const km = kmBetween(row.latitude, row.longitude, latitude, longitude);
      if (km < nearestKm) [nearest, nearestKm] = [at, km];
    }
    this.#append(parts, nearest, row, line);
    return true;
  }

  /** Whether a code, whole or up to a space or hyphen, is the first part of a place's codes. */
  hasFirstPart(postalCode: string): boolean {
    return [...postalCode.matchAll(/[ -]|$/g)].some(
      ({ index }) => this.#findFirst(compactPostcode(postalCode.slice(0, index))) !== undefined,
    );
  }

  /** The first and second part of a code as the row divides it, or as a reader does. */
  #partsOf(postalCode: string): CodeParts | undefined {
    const given = /[ -]([^ -]+)$/.exec(postalCode)?.[1];
    for (const parts of divideCode(compactPostcode(postalCode), this.#findFirst)) {
      if (given === undefined || decodeFullCodeSecondPart(parts.second) === given) return parts;
    }
    return undefined;
  }

  /** The positions of the places that share most with a row in the list of places of a first part. */
  #listPlaces(first: number, { placeName, adminNames }: Row): readonly number[] {
    const places = indexedPostcodePlaces(this.#postcodes, first);
    const name = foldText(placeName);
    const units = adminNames.filter((text) => text !== '').map(foldText);
    const scores = Array.from(places, (place) => {
      const own = this.#unitsOf(place);
      const isNamed = this.#namesOf(place).some((text) => foldText(text) === name);
      return (isNamed ? adminNames.length + 1 : 0) + units.filter((unit) => own.has(unit)).length;
    });
    const best = Math.max(...scores);
    return scores.flatMap((score, at) => (score === best ? [at] : []));
  }

  #append({ first, second }: CodeParts, place: number, { latitude, longitude }: Row, line: number): void {
    if (this.#count === this.#firsts.length) {
      this.#firsts = doubled(this.#firsts);
      this.#seconds = doubled(this.#seconds);
      this.#placesOf = doubled(this.#placesOf);
      this.#positions = doubled(this.#positions);
      this.#lines = doubled(this.#lines);
    }
    this.#firsts[this.#count] = first;
    this.#seconds[this.#count] = second;
    this.#placesOf[this.#count] = place;
    this.#positions[this.#count * 2] = Math.round(longitude * UNITS_PER_DEGREE);
    this.#positions[this.#count * 2 + 1] = Math.round(latitude * UNITS_PER_DEGREE);
    this.#lines[this.#count] = line;
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** The arrays of the section, if there are rows. Calls `note` for rows that are merged or far, with line and code. */
  finish(note: (kind: (typeof FULL_CODE_PROBLEMS)[number], line: number, code: string) => void) {
    const rows = this.#sortRows();
    const kept = rows.filter((row, at) => {
      const previous = rows[at - 1];
      const isKept = previous === undefined || !this.#isSameCode(previous, row);
      const isFar = this.#kmOf(row) > FAR_KM;
      if (isKept && !isFar) return true;
      const code = `${indexedPostcode(this.#postcodes, this.#firsts[row] as number)} ${decodeFullCodeSecondPart(this.#seconds[row] as number)}`;
      const kind = isKept ? 'taken: over 50 km from its place' : 'merged: the same full code twice';
      note(kind, this.#lines[row] as number, code);
      return isKept;
    });
    const starts = new Uint32Array(this.#postcodes.codeCount + 1);
    const positions = new Int32Array(kept.length * 2);
    const tree = new KDBush(kept.length, POINT_NODE_SIZE, Float64Array);
    kept.forEach((row, at) => {
      starts[(this.#firsts[row] as number) + 1] = at + 1;
      positions.set(this.#positions.subarray(row * 2, row * 2 + 2), at * 2);
      tree.add(positions[at * 2] as number, positions[at * 2 + 1] as number);
    });
    for (let first = 1; first < starts.length; first++) {
      starts[first] = Math.max(starts[first] as number, starts[first - 1] as number);
    }
    tree.finish();
    return {
      starts,
      seconds: Uint16Array.from(kept, (row) => this.#seconds[row] as number),
      places: Uint16Array.from(kept, (row) => this.#placesOf[row] as number),
      positions,
      order: Uint32Array.from(tree.ids),
    };
  }

  /** The rows by code, those of a code by distance, place, latitude, longitude and line. */
  #sortRows(): Uint32Array {
    const [firsts, seconds, places, positions] = [this.#firsts, this.#seconds, this.#placesOf, this.#positions];
    const lines = this.#lines;
    return new Uint32Array(this.#count)
      .map((_, row) => row)
      .sort(
        (a, b) =>
          (firsts[a] as number) - (firsts[b] as number) ||
          (seconds[a] as number) - (seconds[b] as number) ||
          this.#kmOf(a) - this.#kmOf(b) ||
          (places[a] as number) - (places[b] as number) ||
          (positions[a * 2 + 1] as number) - (positions[b * 2 + 1] as number) ||
          (positions[a * 2] as number) - (positions[b * 2] as number) ||
          (lines[a] as number) - (lines[b] as number),
      );
  }

  /** The distance of a row from its place in km. */
  #kmOf(row: number): number {
    const place = indexedPostcodePlaces(this.#postcodes, this.#firsts[row] as number)[
      this.#placesOf[row] as number
    ] as number;
    const longitude = (this.#positions[row * 2] as number) / UNITS_PER_DEGREE;
    const latitude = (this.#positions[row * 2 + 1] as number) / UNITS_PER_DEGREE;
    const { latitudes, longitudes } = this.tree;
    return kmBetween(latitude, longitude, latitudes[place] as number, longitudes[place] as number);
  }

  #isSameCode(a: number, b: number): boolean {
    return this.#firsts[a] === this.#firsts[b] && this.#seconds[a] === this.#seconds[b];
  }
}

function doubled<Numbers extends Uint16Array | Uint32Array | Int32Array>(numbers: Numbers): Numbers {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
