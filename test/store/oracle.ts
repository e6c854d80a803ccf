/**
 * A plain implementation of every lookup, to compare the store with: lists, maps and scans over the answers of a
 * snapshot, nothing clever, and nothing of the store's but the slice that an answer is. That the answers are those of
 * the rows is a test of its own (answers.test.ts).
 */
import { distance } from 'geokdbush';
import { foldText } from '../../src/format/fold-text.js';
import type { PlaceAnswer } from '../../src/format/place-answers.js';
import { compactPostcode } from '../../src/format/postcode.js';
import { placeJson } from '../../src/store/place-answers.js';
import type { Country, Snapshot } from '../../src/store/snapshot.js';

export interface OraclePlace extends PlaceAnswer {
  /** The number that the snapshot knows the place by. */
  readonly number: number;
}

export interface OracleCountry {
  readonly code: string;
  readonly country: Country;
  readonly places: readonly OraclePlace[];
  readonly placesById: ReadonlyMap<string | null, OraclePlace>;
  readonly childrenById: ReadonlyMap<string | null, readonly OraclePlace[]>;
  readonly leavesByCompactCode: ReadonlyMap<string | null, readonly OraclePlace[]>;
  /** Admin units, and the leaf of the lowest code of those that share parent and names. */
  readonly suggestions: readonly Suggestion[];
}

export interface Suggestion {
  readonly place: OraclePlace;
  /** Distinct postal codes below it. */
  readonly importance: number;
  readonly spellings: readonly string[];
}

const collator = new Intl.Collator('en');

export function createOracle(snapshot: Snapshot): OracleCountry[] {
  return snapshot.countries.flatMap((country): OracleCountry[] => {
    const { structures } = country;
    if (structures === undefined) return [];
    const places = Array.from({ length: structures.tree.placeCount }, (_, number): OraclePlace => {
      const json = Buffer.from(placeJson(structures.answers, number)).toString('utf8');
      return { ...(JSON.parse(json) as PlaceAnswer), number };
    });
    return [
      {
        code: country.entry.code,
        country,
        places,
        placesById: new Map(places.map((place) => [place.id, place])),
        childrenById: groupBy(places, ({ parentId }) => parentId),
        leavesByCompactCode: groupBy(places, ({ postalCode }) => postalCode && compactPostcode(postalCode)),
        suggestions: listSuggestions(places),
      },
    ];
  });
}

function groupBy<T>(list: readonly T[], keyOf: (item: T) => string | null): Map<string | null, T[]> {
  const groups = new Map<string | null, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** By name then id: Unicode root collation, then code points, then the id. */
export function compareByName(a: PlaceAnswer, b: PlaceAnswer): number {
  return collator.compare(a.name, b.name) || compareText(a.name, b.name) || compareText(a.id, b.id);
}

export function oracleLevel({ places }: OracleCountry, level: number | undefined): OraclePlace[] {
  return places.filter((place) => level === undefined || place.level === level).sort(compareByName);
}

export function oracleChildren({ childrenById }: OracleCountry, id: string | null): OraclePlace[] {
  return [...(childrenById.get(id) ?? [])].sort(compareByName);
}

export function oracleAncestors(country: OracleCountry, place: OraclePlace): OraclePlace[] {
  const parent = country.placesById.get(place.parentId);
  return parent === undefined ? [] : [...oracleAncestors(country, parent), parent];
}

/** The places of exactly this code, or else of the lowest code that is the same without spaces and hyphens. */
export function oraclePostcode({ leavesByCompactCode }: OracleCountry, code: string): OraclePlace[] {
  const alike = leavesByCompactCode.get(compactPostcode(code)) ?? [];
  const codes = alike.map(({ postalCode }) => postalCode as string).sort(compareText);
  const spelling = codes.includes(code) ? code : codes[0];
  return alike.filter(({ postalCode }) => postalCode === spelling).sort(compareByName);
}

export interface OracleNearest {
  readonly distanceKm: number;
  /** The numbers of every leaf at that distance. */
  readonly numbers: ReadonlySet<number>;
}

export function oracleNearest(
  { places }: OracleCountry,
  { lat, lng, radiusKm }: { readonly lat: number; readonly lng: number; readonly radiusKm: number },
): OracleNearest | undefined {
  let distanceKm = Number.POSITIVE_INFINITY;
  let numbers = new Set<number>();
  for (const { number, postalCode, latitude, longitude } of places) {
    if (postalCode === null) continue;
    const km = distance(lng, lat, longitude, latitude);
    if (km > radiusKm || km > distanceKm) continue;
    if (km < distanceKm) numbers = new Set();
    numbers.add(number);
    distanceKm = km;
  }
  return numbers.size === 0 ? undefined : { distanceKm, numbers };
}

function listSuggestions(places: readonly OraclePlace[]): Suggestion[] {
  const byId = new Map(places.map((place) => [place.id, place]));
  const codesBelow = new Map<OraclePlace, Set<string>>();
  for (const leaf of places) {
    if (leaf.postalCode === null) continue;
    for (let id = leaf.parentId; id !== null; ) {
      const unit = byId.get(id) as OraclePlace;
      codesBelow.set(unit, (codesBelow.get(unit) ?? new Set()).add(leaf.postalCode));
      id = unit.parentId;
    }
  }
  const groups = groupBy(
    places.filter(({ postalCode }) => postalCode !== null),
    ({ parentId, name, localName }) => JSON.stringify([parentId, name, localName]),
  );
  const suggest = (place: OraclePlace, codes: ReadonlySet<unknown>): Suggestion => {
    const spellings = [...new Set([foldText(place.name), foldText(place.localName)])].filter((text) => text !== '');
    return { place, importance: codes.size, spellings };
  };
  const leaves = [...groups.values()].map((group) => {
    const [first] = [...group].sort(
      (a, b) =>
        compareText(a.postalCode as string, b.postalCode as string) ||
        compareText(a.name, b.name) ||
        compareText(a.id, b.id),
    );
    return suggest(first as OraclePlace, new Set(group.map(({ postalCode }) => postalCode)));
  });
  const units = places
    .filter(({ postalCode }) => postalCode === null)
    .map((unit) => suggest(unit, codesBelow.get(unit) as Set<string>));
  return [...units, ...leaves].filter(({ spellings }) => spellings.length > 0).sort(compareSuggestions);
}

/** The more postal codes the earlier, then the higher level, the folded name, the id. */
function compareSuggestions(a: Suggestion, b: Suggestion): number {
  return (
    b.importance - a.importance ||
    a.place.level - b.place.level ||
    compareText(a.spellings[0] as string, b.spellings[0] as string) ||
    compareText(a.place.id, b.place.id)
  );
}

/** What can be suggested in any of these countries, best first. */
export function oracleSuggestions(countries: readonly OracleCountry[]): Suggestion[] {
  return countries.flatMap(({ suggestions }) => suggestions).sort(compareSuggestions);
}

/** Whole names first, then names that start with the query, then names with a later word that does. */
export function oracleAutocomplete(all: readonly Suggestion[], folded: string, limit: number): OraclePlace[] {
  const groups = [
    (name: string): boolean => name === folded,
    (name: string): boolean => name.startsWith(folded),
    (name: string): boolean => name.includes(` ${folded}`),
  ].map((matches) => all.filter(({ spellings }) => spellings.some(matches)).map(({ place }) => place));
  return [...new Set(groups.flat())].slice(0, limit);
}
