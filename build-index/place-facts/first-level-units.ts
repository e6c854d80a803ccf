/** The first-level units of a country, as they are compared with the subdivisions of ISO 3166-2. */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import type { Subdivision } from '../data-tables/subdivisions.js';
import type { CountryTree } from '../tree/country-tree.js';

/** Minimum share of the units matched by name that have their subdivision's code: a unit may be newer than its code. */
const AGREEING_SHARE = 0.9;
/** Minimum number of units matched by name for their codes to prove anything. */
const MIN_MATCHED = 3;
const REGION = PLACE_TYPES.indexOf('region');
const LETTER = /[a-z]/i;

export type NamedTree = Pick<
  CountryTree,
  'countryCode' | 'levelStarts' | 'types' | 'names' | 'localNames' | 'mergedNames' | 'codes' | 'releaseCodes'
>;

export interface Region {
  readonly place: number;
  readonly codes: readonly string[];
  /** The names as written. */
  readonly writtenNames: readonly string[];
  /** The folded names. */
  readonly names: readonly string[];
}

export function listFirstLevelUnits({
  levelStarts,
  types,
  names,
  localNames,
  mergedNames,
  codes,
  releaseCodes,
}: NamedTree): Region[] {
  const regions: Region[] = [];
  for (let place = 0; place < (levelStarts[1] as number); place++) {
    if (types[place] !== REGION) continue;
    const all = [names[place], localNames[place], ...(mergedNames.get(place) ?? [])] as string[];
    const ofPlace = [...(codes[place] as string).split(','), releaseCodes[place]?.[0] ?? ''];
    regions.push({
      place,
      writtenNames: all,
      names: all.map(foldText),
      codes: ofPlace.filter((code) => code !== ''),
    });
  }
  return regions;
}

/**
 * Whether the regions have the codes of ISO 3166-2: nearly all units that are matched by name have the code of their
 * subdivision. Where fewer than three are matched by name, all units must have codes with a letter that are codes of
 * subdivisions: numbers agree by chance.
 */
export function usesFirstLevelUnitCodes(
  regions: readonly Region[],
  matches: ReadonlyMap<Region, Subdivision>,
  byCode: ReadonlyMap<string, Subdivision>,
): boolean {
  const agreeing = [...matches].filter(([{ codes }, { code }]) => codes.includes(code)).length;
  if (agreeing < AGREEING_SHARE * matches.size) return false;
  return (
    matches.size >= MIN_MATCHED ||
    regions.every(({ codes }) => codes.some((code) => LETTER.test(code) && byCode.has(code)))
  );
}
