/**
 * Rows → places, still in the order of the rows: each row is a leaf, its named admin units are the leaf's ancestors,
 * and two rows mean the same unit where column and all names from the root down are the same. A level without a name is
 * left out. Identical leaves collapse; nothing else does.
 */
import { LOCALITY_TYPE } from '../../src/format/place-levels.js';
import type { PlacedBy, Row } from '../reading/row.js';

/** Stands for the parent of a place that has none. */
export const NO_UNIT = -1;

/** Whether two lists of three are equal. The last elements differ most often, so they are compared first. */
function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one[2] === other[2] && one[1] === other[1] && one[0] === other[0];
}

/** Places in the order in which rows named them: parallel arrays, a parent always before its children. */
export interface CollectedPlaces {
  /** The index of the parent, -1 for a root. */
  readonly parents: number[];
  readonly levels: number[];
  /** An index into PLACE_TYPES. */
  readonly types: number[];
  /** The name as the release has it. */
  readonly texts: string[];
  /** The distinct codes of a unit in the release, none of them empty; of a leaf null. */
  readonly codes: (ReadonlySet<string> | null)[];
  /** The codes of admin units 1 and 2 in the first row that named the place; for a unit, those of its columns. */
  readonly releaseCodes: (readonly [string, string])[];
  /** The postal code of a leaf; null for a unit. */
  readonly postalCodes: (string | null)[];
  /** The coordinates of a leaf; NaN for a unit. */
  readonly latitudes: number[];
  readonly longitudes: number[];
  /** What the coordinates of a leaf are, see Row. */
  readonly placedBy: PlacedBy[];
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
  readonly places: CollectedPlaces = {
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
  };
  private readonly units = new Map<string, number>();
  /** By unit, code and name, the first leaf; and by that and the coordinates every further leaf of that unit, code and name. */
  private readonly leaves = new Map<string, number>();
  private readonly otherLeaves = new Map<string, number>();
  private lastNames: readonly string[] = [];
  private lastCodes: readonly string[] = [];
  private lastReleaseCodes: readonly [string, string] = ['', ''];
  private lastUnit = NO_UNIT;

  /** Adds a row's leaf and the ancestors that are missing; false where the very same leaf is there already. */
  add(row: Row): boolean {
    // Places share the codes of the row before, of which there are few.
    const [code1, code2] = row.adminCodes;
    if (code1 !== this.lastReleaseCodes[0] || code2 !== this.lastReleaseCodes[1])
      this.lastReleaseCodes = [code1, code2];
    const unit = this.findUnit(row.adminNames, row.adminCodes);
    const key = `${unit}\t${row.postalCode}\t${row.placeName}`;
    const { latitude, longitude } = row;
    const namesake = this.leaves.get(key);
    if (namesake !== undefined) {
      const { latitudes, longitudes } = this.places;
      const position = `${key}\t${latitude}\t${longitude}`;
      const isSame = latitudes[namesake] === latitude && longitudes[namesake] === longitude;
      const same = isSame ? namesake : this.otherLeaves.get(position);
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
    if (namesake === undefined) this.leaves.set(key, leaf);
    return true;
  }

  private findUnit(names: readonly string[], codes: readonly string[]): number {
    // Releases are sorted by units, so the row before mostly had the same units.
    if (areEqual(names, this.lastNames) && areEqual(codes, this.lastCodes)) return this.lastUnit;
    let unit = NO_UNIT;
    names.forEach((name, column) => {
      if (name === '') return;
      const key = `${unit}\t${column}\t${name}`;
      unit = this.units.get(key) ?? this.pushUnit(unit, column, name);
      this.units.set(key, unit);
      this.addCode(unit, codes[column] as string);
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
