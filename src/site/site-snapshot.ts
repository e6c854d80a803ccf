/**
 * The site's data about a snapshot beyond the store's: countries by slug, and maps. It is made once for each snapshot
 * and goes with it; a map is drawn at its first use, in up to 10 ms: before the snapshot is served.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Steps } from '../base/cooperative.js';
import { oncePer } from '../base/once-per.js';
import { packageRoot } from '../base/package-root.js';
import { citiesOf } from '../core/lookup/cities.js';
import { naturalOrderOf } from '../core/lookup/natural-order.js';
import { POINT_TIERS, type PointTier, pointTier } from '../core/snapshot/point-index.js';
import { slugOf } from '../core/snapshot/slug.js';
import type { Country, CountryStructures, Snapshot } from '../core/snapshot/snapshot.js';
import { type CountryMap, drawCountryMap } from './map/country-map.js';
import { packagedOutlines } from './map/land.js';

/** A country with postal code data. */
export interface CoveredCountry extends Country {
  readonly structures: CountryStructures;
}

export class SiteSnapshot {
  readonly #bySlug: ReadonlyMap<string, Country>;
  readonly #byAlpha3: ReadonlyMap<string, Country>;
  readonly mapOf = oncePer(
    (country: CoveredCountry): CountryMap =>
      drawCountryMap(pointsToDraw(country), packagedOutlines().ringsOf(country.entry.code)),
  );

  constructor(readonly snapshot: Snapshot) {
    this.#bySlug = new Map(snapshot.countries.map((country) => [country.entry.slug, country]));
    this.#byAlpha3 = new Map(snapshot.countries.map((country) => [country.entry.alpha3, country]));
  }

  countryBySlug(slug: string): Country | undefined {
    return this.#bySlug.get(slug);
  }

  /** By its slug, by another name of it, or by its code of two or three letters: the first segment of a path. */
  countryByAlias(slug: string): Country | undefined {
    const country = this.#bySlug.get(slug);
    if (country !== undefined) return country;
    return this.snapshot.countryByCode.get(countryCodeOfAlias(slug) ?? '') ?? this.countryByCode(slug.toUpperCase());
  }

  /** By its code of two or of three letters, in upper case. */
  countryByCode(code: string): Country | undefined {
    return code.length === 2 ? this.snapshot.countryByCode.get(code) : this.#byAlpha3.get(code);
  }
}

/** The points of localities that lie where their coordinates say; all points, where a country has no such locality. */
function pointsToDraw({ structures: { points } }: CoveredCountry): Omit<PointTier, 'degrees'> {
  const sure = pointTier(points, POINT_TIERS.indexOf('sure'));
  return sure.places.length > 0 ? sure : points;
}

export function isCovered(country: Country): country is CoveredCountry {
  return country.structures !== undefined;
}

export const siteSnapshotOf = oncePer((snapshot: Snapshot) => new SiteSnapshot(snapshot));

/*
 * Computes the site's data about a snapshot before the snapshot is served, so that no request waits for it: the other
 * names of countries, and the cities and the map of each country. For the world that takes 0.4 seconds, at most 20 ms
 * for one step. Pages that are made without it compute the same data on first use.
 */

export function* prepareInSteps(snapshot: Snapshot): Steps<void> {
  const data = siteSnapshotOf(snapshot);
  readCountryAliases();
  yield;
  for (const country of snapshot.countries.filter(isCovered)) {
    naturalOrderOf(country.structures.postcodes);
    yield;
    citiesOf(country.structures);
    yield;
    data.mapOf(country);
    yield;
  }
}

/*
 * Other names of countries as the first segment of a path, such as /uk and /deutschland: the names of
 * data/country-facts.tsv that only one country has. The codes of countries are aliases too (SiteSnapshot).
 */

/** What people write for a code that ISO 3166 gives to another letter pair. */
const CODES_IN_USE: readonly (readonly [string, string])[] = [['uk', 'GB']];

let aliases: ReadonlyMap<string, string> | undefined;

/** The two-letter code of the country with this name as a slug. */
function countryCodeOfAlias(slug: string): string | undefined {
  return readCountryAliases().get(slug);
}

/** All codes by slug; the first call reads the file, in 20 ms. */
function readCountryAliases(): ReadonlyMap<string, string> {
  aliases ??= readAliases();
  return aliases;
}

function readAliases(): ReadonlyMap<string, string> {
  const found = new Map<string, string | undefined>(CODES_IN_USE);
  for (const line of readFileSync(join(packageRoot(), 'data', 'country-names.tsv'), 'utf8').split('\n')) {
    const [code = '', ...names] = line.split('\t');
    for (const slug of new Set(names.map(slugOf))) found.set(slug, found.has(slug) ? undefined : code);
  }
  return new Map([...found].filter((entry): entry is [string, string] => entry[0] !== '' && entry[1] !== undefined));
}
