/**
 * The second reader's view of one country: its places by the tree, the answers, the path trie, the old paths, the id
 * index, the postcode index, the orders and the contexts; and the countries' own answers. Shares no code with src.
 */
import { createHash } from 'node:crypto';
import {
  COUNTRY_SECTIONS,
  type Column,
  type FileCountry,
  must,
  readBundle,
  type SnapshotFile,
} from './snapshot-file.js';

export const NONE = 0xffffffff;

export type Range = readonly [start: number, end: number];
export type CountryPlaces = ReturnType<typeof readCountryPlaces>;

/** A range of an array that `starts` divides. */
export function partOf(starts: Column, part: number): Range {
  const range = [starts.at(part), starts.at(part + 1)] as const;
  must(range[0] <= range[1], 'offsets never descend');
  return range;
}

/** That `starts` has an element more than there are parts, begins at 0, and ends where what it divides ends. */
export function mustDivide(starts: Column, parts: number, divided: Column): void {
  must(starts.length === parts + 1 && starts.at(0) === 0 && starts.at(parts) === divided.length, 'offsets fit');
}

export function numbersOf(column: Column, [start, end]: Range = [0, column.length]): number[] {
  return Array.from({ length: end - start }, (_, index) => column.at(start + index));
}

export function textOf(column: Column, [start, end]: Range): string {
  return column.bytes.toString('utf8', start, end);
}

export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The entries from slot `hash` mod S on, up to an empty slot. */
export function* probe(slots: Column, hash: number): Generator<number> {
  for (let step = 0; step < slots.length; step++) {
    const slot = slots.at((hash + step) % slots.length);
    if (slot === 0) return;
    yield slot - 1;
  }
}

/** That a hash table has as many slots as the rule gives for its entries. */
export function mustHaveSlotsFor(slots: Column, entryCount: number): void {
  let slotCount = 2;
  while (slotCount < 2 * entryCount) slotCount *= 2;
  must(slots.length === slotCount, 'the number of slots');
}

const SPACE = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const normalForm = (code: string): string =>
  code
    .replace(new RegExp(`${SPACE}+`, 'g'), ' ')
    .replace(/^ | $/g, '')
    .toUpperCase();
const compactForm = (normal: string): string => normal.replace(new RegExp(`${SPACE}|-`, 'g'), '');

/** Its first four bytes, the first the highest. */
function startOfSlug(slug: string): number {
  return Buffer.from(slug.padEnd(4, '\0')).readUInt32BE();
}

/** The structures of a country with data. */
export function readCountryPlaces(country: FileCountry) {
  const slice = (name: string): Buffer => {
    const bytes = country.slices[COUNTRY_SECTIONS.indexOf(name)];
    must(bytes !== undefined, 'a country with data');
    return bytes;
  };
  const tree = readBundle(slice('place-tree'), { levelStarts: 'u32', ids: 'u8', parents: 'u32', childStarts: 'u32' });
  const answers = readBundle(slice('place-answers'), { offsets: 'u32', fieldOffsets: 'u16', text: 'u8' });
  const { childrenBySlug, slugStarts } = readBundle(slice('path-trie'), { childrenBySlug: 'u32', slugStarts: 'u32' });
  const idIndex = readBundle(slice('id-index'), { slots: 'u32' });
  const postcodes = readBundle(slice('postcode-index'), {
    ...{ codeOffsets: 'u32', codeText: 'u8', placeStarts: 'u32', places: 'u32', slots: 'u32' },
  } as const);
  const orders = readBundle(slice('place-orders'), { all: 'u32', byLevel: 'u32' });
  const contexts = readBundle(slice('place-contexts'), { units: 'u32', textStarts: 'u32', text: 'u8' });
  const oldPaths = readBundle(slice('old-paths'), { digests: 'u32', places: 'u32' });

  const placeCount = tree.parents.length;
  must(tree.levelStarts.length === 5 && tree.levelStarts.at(0) === 0, 'levelStarts begins at 0');
  must(tree.levelStarts.at(4) === placeCount && tree.ids.length === 16 * placeCount, 'levels and ids of n places');
  must(tree.childStarts.length === placeCount + 1 && tree.childStarts.at(placeCount) === placeCount, 'childStarts');
  must(childrenBySlug.length === placeCount, 'a place number for each place');
  must(slugStarts.length === placeCount, 'the start of a slug for each place');
  must(orders.all.length === placeCount && orders.byLevel.length === placeCount, 'orders of n places');
  must(answers.fieldOffsets.length === 5 * placeCount, 'five fieldOffsets for each place');
  mustDivide(answers.offsets, placeCount, answers.text);
  mustHaveSlotsFor(idIndex.slots, placeCount);
  const codeCount = country.distinctPostcodes;
  mustDivide(postcodes.codeOffsets, codeCount, postcodes.codeText);
  mustDivide(postcodes.placeStarts, codeCount, postcodes.places);
  mustHaveSlotsFor(postcodes.slots, codeCount);
  must(oldPaths.digests.length === 2 * oldPaths.places.length, 'a digest for each old path');
  mustDivide(contexts.textStarts, contexts.units.length + 1, contexts.text);

  /** The level's first place and the end of its places. */
  const levelRange = (level: number): Range => partOf(tree.levelStarts, level - 1);
  const levelOf = (place: number): number => [1, 2, 3, 4].find((level) => place < levelRange(level)[1]) as number;
  /** The children of a place, or the roots. */
  const childRange = (parent: number | undefined): Range =>
    parent === undefined ? [0, tree.childStarts.at(0)] : partOf(tree.childStarts, parent);
  const parentOf = (place: number): number | undefined => {
    const parent = tree.parents.at(place);
    return parent === NONE ? undefined : parent;
  };
  const ancestorsOf = (place: number): number[] => {
    const parent = parentOf(place);
    return parent === undefined ? [] : [...ancestorsOf(parent), parent];
  };
  const idOf = (place: number): string =>
    tree.ids.bytes.toString('hex', 16 * place, 16 * place + 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

  const answerOf = (place: number): string => {
    const [start, end] = partOf(answers.offsets, place);
    must(textOf(answers.text, [end - 1, end]) === ',', 'a comma behind each object');
    return textOf(answers.text, [start, end - 1]);
  };
  /** The JSON values that the field offsets give without the object being parsed. */
  const cutValuesOf = (place: number): { name: string; path: string; postalCode: string; url: string } => {
    const [start, end] = partOf(answers.offsets, place);
    const between = (from: number, to: number): string => textOf(answers.text, [start + from, start + to]);
    const [nameEnd, path, pathEnd, codeEnd, url] = numbersOf(answers.fieldOffsets, [5 * place, 5 * place + 5]) as [
      ...[number, number, number, number, number],
    ];
    return {
      name: between(81, nameEnd),
      path: between(path, pathEnd),
      postalCode: between(pathEnd + 14, codeEnd),
      url: between(url, end - start - 2),
    };
  };
  const pathOf = (place: number): string => cutValuesOf(place).path.slice(1, -1);
  const slugOf = (place: number): string => {
    const parent = parentOf(place);
    return pathOf(place).slice(parent === undefined ? 1 : pathOf(parent).length + 1);
  };

  const findChild = (parent: number | undefined, slug: string): number | undefined => {
    let [start, end] = childRange(parent);
    while (start < end) {
      const middle = (start + end) >>> 1;
      const place = childrenBySlug.at(middle);
      const found = slugOf(place);
      must(slugStarts.at(middle) === startOfSlug(found), 'the start of a slug beside its place');
      if (found === slug) return place;
      if (found < slug) start = middle + 1;
      else end = middle;
    }
    return undefined;
  };
  const findByPath = (slugs: readonly string[]): number | undefined => {
    let place: number | undefined;
    for (const slug of slugs) {
      place = findChild(place, slug);
      if (place === undefined) return undefined;
    }
    return place;
  };

  /** The place that had a path in the previous snapshot. */
  const findByOldPath = (slugs: readonly string[]): number | undefined => {
    const sought = createHash('sha1')
      .update(`/${slugs.join('/')}`)
      .digest();
    let [start, end] = [0, oldPaths.places.length];
    while (start < end) {
      const middle = (start + end) >>> 1;
      const [high, low] = numbersOf(oldPaths.digests, [2 * middle, 2 * middle + 2]) as [number, number];
      const order = high - sought.readUInt32BE(0) || low - sought.readUInt32BE(4);
      if (order === 0) return oldPaths.places.at(middle);
      if (order < 0) start = middle + 1;
      else end = middle;
    }
    return undefined;
  };

  const findById = (id: string): number | undefined => {
    const sought = Buffer.from(id.replaceAll('-', ''), 'hex');
    for (const place of probe(idIndex.slots, sought.readUInt32BE(0))) {
      if (tree.ids.bytes.subarray(16 * place, 16 * place + 16).equals(sought)) return place;
    }
    return undefined;
  };

  const codeOf = (code: number): string => textOf(postcodes.codeText, partOf(postcodes.codeOffsets, code));
  const findPostcode = (text: string): { postcode: string; places: number[] } | undefined => {
    const normal = normalForm(text);
    const compact = compactForm(normal);
    const probed = [...probe(postcodes.slots, textHash(compact))];
    const alike = probed.filter((code) => compactForm(codeOf(code)) === compact);
    const code = alike.find((number) => codeOf(number) === normal) ?? alike.sort((a, b) => a - b)[0];
    if (code === undefined) return undefined;
    return { postcode: codeOf(code), places: numbersOf(postcodes.places, partOf(postcodes.placeStarts, code)) };
  };

  const contextOf = (part: number) => {
    const lines = textOf(contexts.text, partOf(contexts.textStarts, part)).split('\n');
    must(lines.pop() === '', 'a line feed behind each line');
    return {
      names: lines.filter((line) => !line.startsWith('=')),
      codes: lines.filter((line) => line.startsWith('=')).map((line) => line.slice(1)),
    };
  };
  const units = numbersOf(contexts.units);
  return {
    ...{ placeCount, levelOf, levelRange, childRange, parentOf, ancestorsOf, idOf, answerOf, cutValuesOf, slugOf },
    ...{ findByPath, findByOldPath, findById, findPostcode, units },
    oldPathCount: oldPaths.places.length,
    codes: Array.from({ length: codeCount }, (_, code) => codeOf(code)),
    orderedPlaces: (level: number | undefined): number[] =>
      level === undefined ? numbersOf(orders.all) : numbersOf(orders.byLevel, levelRange(level)),
    countryContext: contextOf(0),
    unitContext: (unit: number) => contextOf(1 + units.indexOf(unit)),
  };
}

/** Each country's object; with its stats where it has data. */
export function readCountryAnswers({ world, countries }: SnapshotFile) {
  const types = { offsets: 'u32', text: 'u8', statsOffsets: 'u32', stats: 'u8' } as const;
  const { offsets, text, statsOffsets, stats } = readBundle(world[0] as Buffer, types);
  mustDivide(offsets, countries.length, text);
  mustDivide(statsOffsets, countries.length, stats);
  const plain = (country: number): string => {
    const [start, end] = partOf(offsets, country);
    must(textOf(text, [end - 1, end]) === ',', 'a comma behind each object');
    return textOf(text, [start, end - 1]);
  };
  const withStats = (country: number): string =>
    `${plain(country).slice(0, -1)}${textOf(stats, partOf(statsOffsets, country))}}`;
  return { plain, withStats };
}
