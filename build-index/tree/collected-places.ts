/**
 * Converts rows to places, in the order of the rows. Each row is a leaf; its named admin units are the leaf's
 * ancestors. Two rows have the same unit if its column and all names from the root down are equal. A level without a
 * name is skipped. Identical leaves collapse into one.
 */

import type { PositionSource } from '../../src/core/snapshot/place-facts.js';
import { LOCALITY_TYPE } from '../../src/core/snapshot/place-tree.js';
import type { PlacedBy, Row } from '../reading/postal-row.js';

/** The parent of a root. */
export const NO_UNIT = -1;

/** Whether two lists of three texts are equal. The last elements differ most often, so they are compared first. */
function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one[2] === other[2] && one[1] === other[1] && one[0] === other[0];
}

/** Places in the order of their first rows: parallel arrays, each parent before its children. */
export interface CollectedPlaces {
  /** The index of the parent, -1 for a root. */
  readonly parents: number[];
  readonly levels: number[];
  /** An index into PLACE_TYPES. */
  readonly types: number[];
  /** The name in the release; cleaning corrects it. */
  readonly texts: string[];
  /** The distinct codes of a unit in the release, without the empty code; null for a leaf. */
  readonly codes: (ReadonlySet<string> | null)[];
  /** The codes of the admin units of levels 1 and 2 in the place's first row; for a unit, up to its own level. */
  readonly releaseCodes: (readonly [string, string])[];
  /** The postal code of a leaf; null for a unit. */
  readonly postalCodes: (string | null)[];
  /** The coordinates of a leaf; NaN for a unit. */
  readonly latitudes: number[];
  readonly longitudes: number[];
  /** How a leaf got its coordinates, see Row. */
  readonly placedBy: PlacedBy[];
  /** First-level units of which the release has only a code, and their codes. */
  readonly codeOnly: ReadonlyMap<number, string>;
}

interface CollectedPlace {
  readonly parent: number;
  readonly type: number;
  readonly text: string;
  readonly codes: ReadonlySet<string> | null;
  readonly postalCode: string | null;
  readonly latitude: number;
  readonly longitude: number;
  readonly placedBy: PlacedBy;
  readonly releaseCodes: readonly [string, string];
}

export class PlaceCollector {
  readonly places: CollectedPlaces & { readonly codeOnly: Map<number, string> } = {
    parents: [],
    levels: [],
    types: [],
    texts: [],
    codes: [],
    releaseCodes: [],
    postalCodes: [],
    latitudes: [],
    longitudes: [],
    placedBy: [],
    codeOnly: new Map(),
  };
  private readonly units = new Map<string, number>();
  /** The first leaf by unit, code and name. */
  private readonly leaves = new Map<string, number>();
  /** Further leaves with the same unit, code and name, by these and the coordinates. */
  private readonly otherLeaves = new Map<string, number>();
  private lastNames: readonly string[] = [];
  private lastCodes: readonly string[] = [];
  private lastReleaseCodes: readonly [string, string] = ['', ''];
  private lastUnit = NO_UNIT;

  /** `nameOfCode` returns the name of a first-level unit of which the release has only a code. */
  constructor(private readonly nameOfCode: (code: string) => string | undefined) {}

  /** Adds a row's leaf and its missing ancestors. Returns false if an identical leaf exists. */
  add(row: Row): boolean {
    // Most rows have the codes of the previous row: sharing one array saves memory.
    const [code1, code2] = row.adminCodes;
    if (code1 !== this.lastReleaseCodes[0] || code2 !== this.lastReleaseCodes[1])
      this.lastReleaseCodes = [code1, code2];
    const unit = this.findUnit(row.adminNames, row.adminCodes);
    const key = `${unit}\t${row.postalCode}\t${row.placeName}`;
    const { latitude, longitude } = row;
    const first = this.leaves.get(key);
    if (first !== undefined) {
      const { latitudes, longitudes } = this.places;
      const position = `${key}\t${latitude}\t${longitude}`;
      const isSame = latitudes[first] === latitude && longitudes[first] === longitude;
      const same = isSame ? first : this.otherLeaves.get(position);
      if (same !== undefined) {
        if (row.placedBy === 'hand') this.places.placedBy[same] = 'hand';
        return false;
      }
      this.otherLeaves.set(position, this.places.parents.length);
    }
    const leaf = this.push({
      parent: unit,
      type: LOCALITY_TYPE,
      text: row.placeName,
      codes: null,
      postalCode: row.postalCode,
      latitude,
      longitude,
      placedBy: row.placedBy,
      releaseCodes: this.lastReleaseCodes,
    });
    if (first === undefined) this.leaves.set(key, leaf);
    return true;
  }

  private findUnit(names: readonly string[], codes: readonly string[]): number {
    // Releases are sorted by units, so most rows have the units of the previous row.
    if (areEqual(names, this.lastNames) && areEqual(codes, this.lastCodes)) return this.lastUnit;
    let unit = NO_UNIT;
    names.forEach((released, column) => {
      const code = codes[column] as string;
      const isCodeOnly = released === '' && column === 0 && code !== '';
      const name = isCodeOnly ? this.nameOfCode(code) : released;
      if (name === undefined || name === '') return;
      const key = `${unit}\t${column}\t${isCodeOnly ? `=${code}` : name}`;
      unit = this.units.get(key) ?? this.pushUnit(unit, column, name);
      this.units.set(key, unit);
      if (isCodeOnly) this.places.codeOnly.set(unit, code);
      this.addCode(unit, code);
    });
    this.lastNames = names;
    this.lastCodes = codes;
    this.lastUnit = unit;
    return unit;
  }

  private addCode(unit: number, code: string): void {
    if (code !== '') (this.places.codes[unit] as Set<string>).add(code);
  }

  private pushUnit(parent: number, column: number, name: string): number {
    const codes = this.lastReleaseCodes;
    return this.push({
      parent,
      type: column,
      text: name,
      codes: new Set(),
      postalCode: null,
      latitude: Number.NaN,
      longitude: Number.NaN,
      placedBy: 'release',
      releaseCodes: column === 0 ? [codes[0], ''] : codes,
    });
  }

  private push(place: CollectedPlace): number {
    const { places } = this;
    places.parents.push(place.parent);
    places.levels.push(place.parent === NO_UNIT ? 1 : (places.levels[place.parent] as number) + 1);
    places.types.push(place.type);
    places.texts.push(place.text);
    places.codes.push(place.codes);
    places.releaseCodes.push(place.releaseCodes);
    places.postalCodes.push(place.postalCode);
    places.latitudes.push(place.latitude);
    places.longitudes.push(place.longitude);
    places.placedBy.push(place.placedBy);
    return places.parents.length - 1;
  }
}

/** The input of a country's tree: collected places after cleaning, as parallel arrays in any order. */
export interface CleanedPlaces extends CollectedPlaces {
  /** A list of ids, see place-id.ts. */
  readonly ids: Uint8Array;
  /** By unit, the names of the units merged into it, and its released name if it was replaced. */
  readonly mergedNames: ReadonlyMap<number, readonly string[]>;
  /** By leaf, the source of its coordinates. */
  readonly sources: readonly PositionSource[];
  /** By leaf, its coordinates in the release. */
  readonly releasedLatitudes: readonly number[];
  readonly releasedLongitudes: readonly number[];
}
