/**
 * A snapshot file as checked, read-only views. Opening reads the header and the manifest and creates views of every
 * structure. It checks bounds and lengths but not contents (`postal-places verify` does), so it takes a few milliseconds
 * whatever the file's size. A Snapshot never changes; a new release is another Snapshot.
 */

import { runCooperatively, runSync, type Steps } from '../../base/cooperative.js';
import { type ByteString, encodeUtf8 } from './byte-string.js';
import { centreVectors } from './country-centres.js';
import { type CountryGrid, decodeCountryGrid } from './country-grid.js';
import { decodeFullCodes, type FullCodes } from './full-codes.js';
import { decodeHeader, HEADER_BYTES } from './header.js';
import { type CountryEntry, decodeManifest, type Manifest } from './manifest.js';
import { decodeNameIndex, type NameIndex } from './name-index.js';
import { decodeNamesByLanguage, type NamesByLanguage } from './names-by-language.js';
import { decodeOldPaths, type OldPaths } from './old-paths.js';
import { decodePathTrie, type PathTrie } from './path-trie.js';
import { decodePlaceCities, type PlaceCities } from './place-cities.js';
import { decodePlaceContexts, type PlaceContexts } from './place-contexts.js';
import { decodePlaceFacts, type PlaceFacts } from './place-facts.js';
import { decodeIdIndex, type IdIndex } from './place-id-index.js';
import { decodePlaceOrders, type PlaceOrders } from './place-orders.js';
import { decodePlacePositions, type PlacePositions } from './place-positions.js';
import { decodePlaceTree, type PlaceTree } from './place-tree.js';
import { decodePointIndex, type PointIndex } from './point-index.js';
import { decodePostcodeIndex, type PostcodeIndex } from './postcode-index.js';
import { NO_CHANGES, type ReleaseChanges } from './release-changes.js';
import { decodeRenderedCountries, type RenderedCountries } from './rendered-countries.js';
import { decodeRenderedPlaces, type RenderedPlaces } from './rendered-places.js';
import { type CountrySectionName, sectionIndexOf, type WorldSectionName } from './sections.js';
import { openFile } from './snapshot-file.js';
import { snapshotIdOf } from './snapshot-id.js';
import { decodeWorldPostcodes, type WorldPostcodes } from './world-postcodes.js';

/** The structures of one country with postcode data. */
export interface CountryStructures {
  readonly renderedPlaces: RenderedPlaces;
  readonly tree: PlaceTree;
  readonly trie: PathTrie;
  readonly ids: IdIndex;
  readonly postcodes: PostcodeIndex;
  readonly orders: PlaceOrders;
  readonly points: PointIndex;
  readonly positions: PlacePositions;
  readonly names: NameIndex;
  readonly contexts: PlaceContexts;
  readonly oldPaths: OldPaths;
  readonly facts: PlaceFacts;
  readonly cities: PlaceCities;
  /** Undefined for a country without full codes. */
  readonly fullCodes: FullCodes | undefined;
  /** Undefined for a country without names in other languages. */
  readonly namesByLanguage: NamesByLanguage | undefined;
}

export interface Country {
  readonly entry: CountryEntry;
  /** The country's number in the manifest. */
  readonly number: number;
  /** Undefined for a country without postcode data. */
  readonly structures: CountryStructures | undefined;
}

export interface Snapshot {
  /** The id of the content, see snapshotIdOf. */
  readonly id: string;
  readonly release: string;
  readonly manifest: Manifest;
  readonly byteLength: number;
  /** False if the file was read into memory because it could not be mapped. */
  readonly mapped: boolean;
  /** Ascending by code. */
  readonly countries: readonly Country[];
  readonly countryByCode: ReadonlyMap<string, Country>;
  readonly renderedCountries: RenderedCountries;
  /** Each country's name as JSON text. */
  readonly countryNamesJson: readonly ByteString[];
  /** The names of countries in other languages, and all languages of names; undefined for a snapshot without them. */
  readonly countryNamesByLanguage: NamesByLanguage | undefined;
  readonly worldNames: NameIndex;
  readonly worldPostcodes: WorldPostcodes;
  readonly countryGrid: CountryGrid;
  /** See nearestCentre. */
  readonly centreVectors: Float64Array;
  /** NO_CHANGES unless the opener of the snapshot provides lists. */
  readonly changes: ReleaseChanges;
}

/** Opens a snapshot file. Throws SnapshotError, and closes the file, if it isn't a snapshot or is inconsistent. */
export function openSnapshot(path: string): Snapshot {
  return runSync(openInSteps(path));
}

/** The same, cooperatively: for a process that serves requests meanwhile. */
export function openSnapshotCooperatively(path: string): Promise<Snapshot> {
  return runCooperatively(openInSteps(path));
}

/**
 * The same for a program that ends after one lookup: the views of a country are created, and its bounds and lengths
 * checked, when the country is used. Of the world this takes a third of the time. A lookup may throw SnapshotError.
 */
export function openSnapshotForOneLookup(path: string): Snapshot {
  return runSync(openInSteps(path, createLazyCountry));
}

/** The snapshot in `bytes`, which hold a whole file. */
export function decodeSnapshot(bytes: Uint8Array, mapped: boolean): Snapshot {
  return runSync(decodeInSteps(bytes, mapped, createCountry));
}

type CreateCountry = (entry: CountryEntry, number: number, decode: () => CountryStructures) => Country;

const createCountry: CreateCountry = (entry, number, decode) => ({
  entry,
  number,
  structures: entry.slices.length === 0 ? undefined : decode(),
});

const createLazyCountry: CreateCountry = (entry, number, decode) => {
  let structures: CountryStructures | undefined;
  return {
    entry,
    number,
    get structures() {
      if (entry.slices.length > 0) structures ??= decode();
      return structures;
    },
  };
};

function* openInSteps(path: string, create = createCountry): Steps<Snapshot> {
  const { bytes, mapped } = openFile(path);
  yield;
  return yield* decodeInSteps(bytes, mapped, create);
}

function* decodeInSteps(bytes: Uint8Array, mapped: boolean, create: CreateCountry): Steps<Snapshot> {
  const { manifest, manifestBytes } = decodeContents(bytes);
  yield;
  const sectionBytes = (name: CountrySectionName | WorldSectionName): Uint8Array => {
    const section = manifest.sections.find((one) => one.name === name);
    return section === undefined
      ? bytes.subarray(0, 0)
      : bytes.subarray(section.offset, section.offset + section.length);
  };
  const countries: Country[] = [];
  for (const [number, entry] of manifest.countries.entries()) {
    const sliceOf = (name: CountrySectionName): Uint8Array => {
      const { offset, length } = entry.slices[sectionIndexOf(name)] ?? { offset: 0, length: 0 };
      return sectionBytes(name).subarray(offset, offset + length);
    };
    countries.push(create(entry, number, () => decodeCountryStructures(entry.code, sliceOf)));
    yield;
  }
  const countryNames = sectionBytes('country-names-by-language');
  return Object.freeze({
    id: snapshotIdOf(manifestBytes),
    release: manifest.release,
    manifest,
    byteLength: bytes.length,
    mapped,
    countries,
    countryByCode: new Map(countries.map((country) => [country.entry.code, country])),
    renderedCountries: decodeRenderedCountries(sectionBytes('country-answers'), 'country-answers', countries.length),
    countryNamesJson: countries.map(({ entry }) => encodeUtf8(JSON.stringify(entry.name))),
    countryNamesByLanguage:
      countryNames.length === 0
        ? undefined
        : decodeNamesByLanguage(countryNames, 'country-names-by-language', countries.length),
    worldNames: decodeNameIndex(sectionBytes('world-name-index'), 'world-name-index', 'world'),
    worldPostcodes: decodeWorldPostcodes(sectionBytes('world-postcodes'), 'world-postcodes'),
    countryGrid: decodeCountryGrid(sectionBytes('country-grid'), 'country-grid'),
    centreVectors: centreVectors(manifest.countries.map(({ centre }) => centre)),
    changes: NO_CHANGES,
  });
}

/** The checked manifest of a whole file, and its bytes. */
function decodeContents(bytes: Uint8Array): { manifest: Manifest; manifestBytes: Uint8Array } {
  const header = decodeHeader(bytes.subarray(0, HEADER_BYTES), bytes.length);
  const manifestBytes = bytes.subarray(header.manifestOffset, header.manifestOffset + header.manifestLength);
  return { manifest: decodeManifest(manifestBytes, header), manifestBytes };
}

/** Views of a country's slices, which must be consistent. */
export function decodeCountryStructures(
  code: string,
  sliceOf: (name: CountrySectionName) => Uint8Array,
): CountryStructures {
  const where = (name: CountrySectionName): string => `${name} of ${code}`;
  const tree = decodePlaceTree(sliceOf('place-tree'), where('place-tree'));
  const { placeCount } = tree;
  const postcodes = decodePostcodeIndex(sliceOf('postcode-index'), where('postcode-index'));
  const fullCodes = sliceOf('full-codes');
  const namesByLanguage = sliceOf('names-by-language');
  return {
    tree,
    renderedPlaces: decodeRenderedPlaces(sliceOf('place-answers'), where('place-answers'), placeCount),
    trie: decodePathTrie(sliceOf('path-trie'), where('path-trie'), placeCount),
    ids: decodeIdIndex(sliceOf('id-index'), where('id-index'), placeCount),
    postcodes,
    orders: decodePlaceOrders(sliceOf('place-orders'), where('place-orders'), placeCount),
    points: decodePointIndex(sliceOf('point-index'), where('point-index')),
    positions: decodePlacePositions(sliceOf('place-positions'), where('place-positions'), placeCount),
    names: decodeNameIndex(sliceOf('name-index'), where('name-index'), 'country'),
    contexts: decodePlaceContexts(sliceOf('place-contexts'), where('place-contexts')),
    oldPaths: decodeOldPaths(sliceOf('old-paths'), where('old-paths')),
    facts: decodePlaceFacts(sliceOf('place-facts'), where('place-facts'), placeCount),
    cities: decodePlaceCities(sliceOf('place-cities'), where('place-cities'), placeCount),
    fullCodes: fullCodes.length === 0 ? undefined : decodeFullCodes(fullCodes, where('full-codes'), postcodes),
    namesByLanguage:
      namesByLanguage.length === 0
        ? undefined
        : decodeNamesByLanguage(namesByLanguage, where('names-by-language'), placeCount),
  };
}
