/**
 * The second reader's searches: the nearest point, the countries near a point, and names by what they start with.
 * Shares no code with src.
 */
import { mustDivide, mustHaveSlotsFor, NONE, numbersOf, partOf, probe, type Range, textOf } from './country-places.js';
import { type Column, must, readBundle } from './snapshot-file.js';

const RADIUS_KM = 6371;
const NODE_SIZE = 16;
const LARGE_RANGE = 256;
const TOP_RANKS = 25;
const OTHER_NAME = 0x80000000;
const MOST_CITIES_FIRST = 4;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const haversine = (angle: number): number => Math.sin(angle / 2) ** 2;

export function distanceKm(lat1: number, lng1: number, lat2: number, lng2: number): number {
  const [phi1, phi2] = [radians(lat1), radians(lat2)];
  const h = haversine(phi2 - phi1) + Math.cos(phi1) * Math.cos(phi2) * haversine(radians(lng2 - lng1));
  return 2 * RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** West, south, east and north of a node's points. */
type Box = readonly [number, number, number, number];

/** No point of the box is nearer: along a meridian inside it, or else to its nearer side meridian. */
function leastDistanceKm(lat: number, lng: number, [west, south, east, north]: Box): number {
  const clamped = Math.min(Math.max(lat, south), north);
  if (west <= lng && lng <= east) return distanceKm(lat, lng, clamped, lng);
  const toSide = (side: number): number => {
    const cosine = Math.cos(radians(lng - side));
    /** Where a great circle from the point meets the side's meridian at a right angle, the nearest latitude on it. */
    const foot = (Math.atan2(Math.sin(radians(lat)), Math.cos(radians(lat)) * cosine) * 180) / Math.PI;
    const ends = [south, north, ...(south < foot && foot < north ? [foot] : [])];
    return Math.min(...ends.map((end) => distanceKm(lat, lng, end, side)));
  };
  return Math.min(toSide(west), toSide(east));
}

/** The numbers of the countries that can have a code of this hash. */
export function readWorldPostcodes(slice: Buffer) {
  const { hashes, countries } = readBundle(slice, { hashes: 'u32', countries: 'u8' });
  must(hashes.length === countries.length, 'a country for each hash');
  const countriesByHash = new Map<number, number[]>();
  for (let at = 0; at < hashes.length; at++) {
    const [hash, country] = [hashes.at(at), countries.at(at)];
    const others = countriesByHash.get(hash);
    must(at === 0 || hashes.at(at - 1) <= hash, 'hashes ascend');
    must(others === undefined || (others.at(-1) as number) < country, 'countries of a hash ascend');
    if (others === undefined) countriesByHash.set(hash, [country]);
    else others.push(country);
  }
  return { count: hashes.length, countriesWith: (hash: number): readonly number[] => countriesByHash.get(hash) ?? [] };
}

export interface Nearest {
  readonly distanceKm: number;
  readonly place: number;
}

/** The k-d trees of a country: of the sure localities, of the others, of recipients. */
export function readPointIndex(slice: Buffer) {
  const { tierStarts, places, coords, codeStarts, codes } = readBundle(slice, {
    ...{ tierStarts: 'u32', places: 'u32', coords: 'f64', codeStarts: 'u32', codes: 'u32' },
  } as const);
  mustDivide(codeStarts, places.length, codes);
  const codesOf = (point: number): number[] => numbersOf(codes, partOf(codeStarts, point));
  must(coords.length === 2 * places.length, 'two coordinates for each point');
  mustDivide(tierStarts, 3, places);
  const tiers = [0, 1, 2].map((tier) => readTier(places, coords, partOf(tierStarts, tier)));

  /** The nearest point of the first tier that has one within 80 km; of none, the nearest of all. */
  function findNearest(lat: number, lng: number): Nearest {
    const nearest = tiers.map((tier) => tier.findNearest(lat, lng));
    const all = nearest.reduce((best, one) => (one.distanceKm < best.distanceKm ? one : best));
    return nearest.find(({ distanceKm }) => distanceKm <= 80) ?? all;
  }
  return { tiers, findNearest, codesOf, points: tiers.flatMap(({ points }) => points) };
}

function readTier(places: Column, coords: Column, [start, end]: Range) {
  const lngOf = (point: number): number => coords.at(2 * point);
  const latOf = (point: number): number => coords.at(2 * point + 1);

  function findNearest(lat: number, lng: number): Nearest {
    let best: Nearest = { distanceKm: Number.POSITIVE_INFINITY, place: NONE };
    const look = (point: number): void => {
      const distance = distanceKm(lat, lng, latOf(point), lngOf(point));
      if (distance < best.distanceKm) best = { distanceKm: distance, place: places.at(point) };
    };
    const visit = (left: number, right: number, axis: 0 | 1, box: Box): void => {
      if (leastDistanceKm(lat, lng, box) > best.distanceKm + 1e-6) return;
      if (right - left <= NODE_SIZE) {
        for (let point = left; point <= right; point++) look(point);
        return;
      }
      const split = Math.floor((left + right) / 2);
      const value = coords.at(2 * split + axis);
      look(split);
      const [lower, upper] = [
        [...box] as [number, number, number, number],
        [...box] as [number, number, number, number],
      ];
      lower[2 + axis] = value;
      upper[axis] = value;
      visit(left, split - 1, axis === 0 ? 1 : 0, lower);
      visit(split + 1, right, axis === 0 ? 1 : 0, upper);
    };
    if (start < end) visit(start, end - 1, 0, [-180, -90, 180, 90]);
    return best;
  }
  const points = numbersOf(places, [start, end]).map((place, index) => {
    return { place, lat: latOf(start + index), lng: lngOf(start + index) };
  });
  return { points, findNearest };
}

/** The countries by square degree. */
export function readCountryGrid(section: Buffer) {
  const { cells, starts, countries } = readBundle(section, { cells: 'u32', starts: 'u32', countries: 'u16' });
  mustDivide(starts, cells.length, countries);
  const cellNumbers = numbersOf(cells);
  const rowOf = (lat: number): number => Math.min(179, Math.floor(lat + 90));
  const columnOf = (lng: number): number => (Math.floor(lng + 180) + 360) % 360;
  const countriesOf = (cell: number): number[] => {
    const index = cellNumbers.indexOf(cell);
    return index < 0 ? [] : numbersOf(countries, partOf(starts, index));
  };
  const countriesAt = (lat: number, lng: number): number[] => countriesOf(rowOf(lat) * 360 + columnOf(lng));

  /** The countries of every cell that the circle touches, ascending. */
  function countriesWithin(lat: number, lng: number, radiusKm: number): number[] {
    const angle = radiusKm / RADIUS_KM + 1e-9;
    const height = (angle * 180) / Math.PI;
    const holdsPole = Math.abs(lat) + height >= 90;
    const width = holdsPole ? 180 : (Math.asin(Math.sin(angle) / Math.cos(radians(lat))) * 180) / Math.PI;
    const [south, north] = [rowOf(Math.max(-90, lat - height)), rowOf(Math.min(90, lat + height))];
    const west = holdsPole ? 0 : Math.floor(lng - width + 180);
    const east = holdsPole ? 359 : Math.floor(lng + width + 180);
    const found = new Set<number>();
    for (let row = south; row <= north; row++) {
      for (let column = west; column <= east; column++) {
        for (const country of countriesOf(row * 360 + ((column + 360) % 360))) found.add(country);
      }
    }
    return [...found].sort((a, b) => a - b);
  }
  return { cells: cellNumbers, countriesAt, countriesWithin };
}

const rangeHash = (start: number, end: number): number => {
  const mixed = Math.imul(start ^ Math.imul(end, 0x9e3779b1), 0x85ebca6b) >>> 0;
  return (mixed ^ (mixed >>> 15)) >>> 0;
};

export type NameIndex = ReturnType<typeof readNameIndex>;

/** A prefix index: of one country, or of the world. */
export function readNameIndex(slice: Buffer, kind: 'country' | 'world') {
  const index = readBundle(slice, {
    ...{ nameOffsets: 'u32', nameText: 'u8', rankStarts: 'u32', ranks: 'u32', entryNames: 'u32', entryOffsets: 'u8' },
    ...{
      places: 'u32',
      cityEnds: 'u32',
      cityPeople: 'u32',
      bigCityNames: 'u32',
      bigCityCountries: 'u16',
      countryNames: 'u32',
      namedCountries: 'u16',
      cityNames: 'u32',
      firstSameName: 'u32',
      countries: 'u16',
    },
    ...{ topSlots: 'u32', topRanges: 'u32', topRanks: 'u32', entryRanks: 'u32' },
    ...{ namePrefixes: 'u32', entryPrefixes: 'u32', cityPrefixes: 'u32' },
  } as const);
  const [nameCount, topCount] = [index.nameOffsets.length - 1, index.topRanges.length / 2];
  mustDivide(index.nameOffsets, nameCount, index.nameText);
  mustDivide(index.rankStarts, nameCount, index.ranks);
  must(
    index.entryNames.length === index.entryOffsets.length && index.firstSameName.length === 1,
    'entries and same-name places',
  );
  must(index.cityEnds.length === 2, 'two ends of cities');
  must(index.cityPeople.length === index.cityEnds.at(1), 'the people of each city');
  must(index.bigCityCountries.length === index.bigCityNames.length, 'the country of each name of a big city');
  must(index.namedCountries.length === index.countryNames.length, 'the country of each name of a country');
  must(index.countries.length === (kind === 'world' ? index.places.length : 0), 'countries of the world only');
  must(index.topRanks.length === 2 * TOP_RANKS * topCount, 'fifty ranks for each top');
  mustHaveSlotsFor(index.topSlots, topCount);

  const nameOf = (name: number): string => textOf(index.nameText, partOf(index.nameOffsets, name));
  const names = Array.from({ length: nameCount }, (_, name) => nameOf(name));
  const ranksOf = (name: number): { own: number[]; other: number[] } => {
    const all = numbersOf(index.ranks, partOf(index.rankStarts, name));
    return {
      own: all.filter((rank) => rank < OTHER_NAME),
      other: all.flatMap((rank) => (rank < OTHER_NAME ? [] : [rank - OTHER_NAME])),
    };
  };
  const entryText = (entry: number): string =>
    (names[index.entryNames.at(entry)] as string).slice(index.entryOffsets.at(entry));

  /** The first entry whose text `isBehind` what is sought. */
  const firstEntry = (isBehind: (text: string) => boolean): number => {
    let [start, end] = [0, index.entryNames.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (isBehind(entryText(middle))) end = middle;
      else start = middle + 1;
    }
    return start;
  };
  const rangeOf = (prefix: string): Range => [
    firstEntry((text) => text >= prefix),
    firstEntry((text) => text.slice(0, prefix.length) > prefix),
  ];

  const calledRanks = (text: string): { own: number[]; other: number[] } => {
    const [start, end] = rangeOf(text);
    const isCalled = start < end && index.entryOffsets.at(start) === 0 && entryText(start) === text;
    return isCalled ? ranksOf(index.entryNames.at(start)) : { own: [], other: [] };
  };
  /** The ranks of step 3 and of step 4, from every entry of the range. */
  const collectRanks = ([start, end]: Range): [number[], number[]] => {
    const found = [new Set<number>(), new Set<number>()] as const;
    for (let entry = start; entry < end; entry++) {
      const step = index.entryOffsets.at(entry) === 0 ? 0 : 1;
      const { own, other } = ranksOf(index.entryNames.at(entry));
      for (const rank of own) found[step].add(rank);
      for (const rank of other) found[1].add(rank);
    }
    return [[...found[0]].sort((a, b) => a - b), [...found[1]].sort((a, b) => a - b)];
  };
  /** The same, the lowest 25 of each, from the tops of a large range. */
  const findTop = ([start, end]: Range): [number[], number[]] | undefined => {
    for (const top of probe(index.topSlots, rangeHash(start, end))) {
      if (index.topRanges.at(2 * top) !== start || index.topRanges.at(2 * top + 1) !== end) continue;
      const [from, middle] = [2 * TOP_RANKS * top, (2 * top + 1) * TOP_RANKS];
      const kept = (range: Range): number[] => numbersOf(index.topRanks, range).filter((rank) => rank !== NONE);
      return [kept([from, middle]), kept([middle, middle + TOP_RANKS])];
    }
    return undefined;
  };

  /** The plainest suggestions for a folded text, at most 25 ranks. */
  const suggest = (text: string): number[] => {
    const range = rangeOf(text);
    const isLarge = range[1] - range[0] > LARGE_RANGE;
    const found = isLarge ? findTop(range) : collectRanks(range);
    must(found !== undefined, 'a top for every large range');
    const { own, other } = calledRanks(text);
    const big = (ranks: readonly number[]): number[] => ranks.filter((rank) => rank < index.cityEnds.at(0));
    const inOrder = [big(own), big(found[0]).slice(0, MOST_CITIES_FIRST), big(other), own, other, ...found].flat();
    const [first, firstSameName] = [[...new Set(inOrder)], index.firstSameName.at(0)];
    return [...first.filter((rank) => rank < firstSameName), ...first.filter((rank) => rank >= firstSameName)].slice(
      0,
      TOP_RANKS,
    );
  };
  return {
    ...{ names, topCount, rangeOf, calledRanks, collectRanks, findTop, suggest },
    firstSameName: index.firstSameName.at(0),
    entries: numbersOf(index.entryNames).map((name, entry) => ({ name, offset: index.entryOffsets.at(entry) })),
    ranksOf,
    cityEnds: numbersOf(index.cityEnds),
    cityNames: numbersOf(index.cityNames),
    entryRanks: numbersOf(index.entryRanks),
    prefixes: {
      names: { prefixes: numbersOf(index.namePrefixes), texts: names, step: 16 },
      entries: {
        prefixes: numbersOf(index.entryPrefixes),
        texts: Array.from({ length: index.entryNames.length }, (_, at) => entryText(at)),
        step: 16,
      },
      cities: {
        prefixes: numbersOf(index.cityPrefixes),
        texts: numbersOf(index.cityNames).map((name) => names[name]?.slice(3)),
        step: 1,
      },
    },
    places: numbersOf(index.places),
    countries: numbersOf(index.countries),
  };
}
