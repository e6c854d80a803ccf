/**
 * The site's data about a snapshot beyond the store's: countries by slug, and maps. It is made once for
 * each snapshot and goes with it; maps are drawn when the first page asks for them, some milliseconds each.
 */
import { POINT_TIERS, type PointTier, pointTier } from '../format/point-index.js';
import { oncePer } from '../store/once-per.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { type CountryMaps, drawCountryMaps } from './map/country-map.js';
import { decodeCountryDetail } from './reading/country-detail.js';

/** A country with postal code data. */
export interface CoveredCountry extends Country {
  readonly structures: CountryStructures;
}

export class SiteSnapshot {
  readonly #bySlug: ReadonlyMap<string, Country>;
  #byAlpha3: ReadonlyMap<string, Country> | undefined;
  readonly #maps = new Map<Country, CountryMaps>();

  constructor(readonly snapshot: Snapshot) {
    this.#bySlug = new Map(snapshot.countries.map((country) => [country.entry.slug, country]));
  }

  countryBySlug(slug: string): Country | undefined {
    return this.#bySlug.get(slug);
  }

  /**
   * By its code of two or of three letters, in upper case. The longer ones are read when the first is asked for, in a
   * millisecond.
   */
  countryByCode(code: string): Country | undefined {
    const { countries, countryByCode } = this.snapshot;
    if (code.length === 2) return countryByCode.get(code);
    this.#byAlpha3 ??= new Map(
      countries.flatMap((country) => this.#alpha3Of(country).map((known) => [known, country])),
    );
    return this.#byAlpha3.get(code);
  }

  /**
   * Empty where the answer of a country is damaged: its own page and the integrity check tell that, and no search fails
   * for it.
   */
  #alpha3Of(country: Country): string[] {
    try {
      return [decodeCountryDetail(this.snapshot, country).alpha3];
    } catch (error) {
      // Thrown for text that is not JSON, and for invalid offsets.
      if (error instanceof SyntaxError || error instanceof RangeError) return [];
      throw error;
    }
  }

  mapsOf(country: CoveredCountry): CountryMaps {
    let maps = this.#maps.get(country);
    if (maps === undefined) {
      maps = drawCountryMaps(pointsToDraw(country));
      this.#maps.set(country, maps);
    }
    return maps;
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
