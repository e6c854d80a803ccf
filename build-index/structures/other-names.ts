/**
 * The other names of units: those of merged units, a released name that was replaced, and the English name of a
 * first-level unit (Toscana: Tuscany). A unit has the English name of a subdivision of ISO 3166-2 if
 *
 *   by name   one of its names is a name of that subdivision, and of no other; or
 *   by code   it has no such name and has the subdivision's code, in a country whose release uses the codes of ISO
 *
 * A release uses the codes of ISO if nearly all units that are matched by name have the code of their subdivision. Where
 * fewer than three are matched by name, all units must have codes with a letter that are codes of subdivisions: numbers
 * agree by chance.
 */
import { foldText } from '../../src/format/fold-text.js';
import { PLACE_TYPES } from '../../src/format/place-levels.js';
import { appendTo } from '../grouping.js';
import { type Subdivision, subdivisionsOf } from '../reading/subdivision-names.js';
import type { CountryTree } from '../tree/country-tree.js';

/** Minimum share of the units matched by name that have their subdivision's code: a unit may be newer than its code. */
const AGREEING_SHARE = 0.9;
/** Minimum number of units matched by name for their codes to prove anything. */
const MIN_MATCHED = 3;
const REGION = PLACE_TYPES.indexOf('region');
const LETTER = /[a-z]/i;

export type OtherNames = ReadonlyMap<number, readonly string[]>;

type NamedTree = Pick<
  CountryTree,
  'countryCode' | 'levelStarts' | 'types' | 'names' | 'localNames' | 'mergedNames' | 'codes' | 'releaseCodes'
>;

interface Region {
  readonly place: number;
  readonly codes: readonly string[];
  /** The folded names. */
  readonly names: readonly string[];
}

/** The other names by unit; none of them is folded like the unit's name. */
export function listOtherNames(tree: NamedTree): OtherNames {
  const otherNames = new Map<number, readonly string[]>(tree.mergedNames);
  const regions = listRegions(tree);
  for (const [{ place, names }, { english }] of matchSubdivisions(regions, subdivisionsOf(tree.countryCode))) {
    if (!names.includes(foldText(english))) otherNames.set(place, [...(otherNames.get(place) ?? []), english]);
  }
  return otherNames;
}

function listRegions({ levelStarts, types, names, localNames, mergedNames, codes, releaseCodes }: NamedTree): Region[] {
  const regions: Region[] = [];
  for (let place = 0; place < (levelStarts[1] as number); place++) {
    if (types[place] !== REGION) continue;
    const all = [names[place], localNames[place], ...(mergedNames.get(place) ?? [])] as string[];
    const ofPlace = [...(codes[place] as string).split(','), releaseCodes[place]?.[0] ?? ''];
    regions.push({ place, names: all.map(foldText), codes: ofPlace.filter((code) => code !== '') });
  }
  return regions;
}

function matchSubdivisions(regions: readonly Region[], subdivisions: readonly Subdivision[]): Map<Region, Subdivision> {
  const matches = new Map<Region, Subdivision>();
  if (subdivisions.length === 0) return matches;
  const byName = new Map<string, Subdivision[]>();
  for (const subdivision of subdivisions) {
    for (const name of new Set(subdivision.names.map(foldText))) appendTo(byName, name, subdivision);
  }
  for (const region of regions) {
    const found = new Set(region.names.flatMap((name) => byName.get(name) ?? []));
    const [first] = found;
    if (found.size === 1) matches.set(region, first as Subdivision);
  }
  const byCode = new Map(subdivisions.map((subdivision) => [subdivision.code, subdivision]));
  if (!usesCodes(regions, matches, byCode)) return matches;
  for (const region of regions) {
    const found = new Set(region.codes.flatMap((code) => byCode.get(code) ?? []));
    const [first] = found;
    if (!matches.has(region) && found.size === 1) matches.set(region, first as Subdivision);
  }
  return matches;
}

/** Whether the regions have the codes of ISO 3166-2. */
function usesCodes(
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
