/**
 * The site's data about a snapshot beyond the store's: countries by slug, and maps. It is made once for each snapshot
 * and goes with it; a map is drawn at its first use, in up to 10 ms: before the snapshot is served (prepare-snapshot.ts).
 */
import { POINT_TIERS, type PointTier, pointTier } from '../format/point-index.js';
import { oncePer } from '../store/once-per.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { type CountryMap, drawCountryMap } from './map/country-map.js';
import { packagedOutlines } from './map/outlines.js';
import { countryCodeOfAlias } from './reading/country-aliases.js';

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
function pointsToDraw({ structures: { points } }: CoveredCountry): PointTier {
  const sure = pointTier(points, POINT_TIERS.indexOf('sure'));
  return sure.places.length > 0 ? sure : points;
}

export function isCovered(country: Country): country is CoveredCountry {
  return country.structures !== undefined;
}

export const siteSnapshotOf = oncePer((snapshot: Snapshot) => new SiteSnapshot(snapshot));
