/**
 * Decides whether a place lies in the admin unit of a city. Gazetteer and release use the same authority's codes in
 * some countries (CN, FR, US) and different ones in others (DE). The country's surest matches show which: where nearly
 * all have equal codes, codes are compared. Elsewhere each gazetteer code is mapped to the release's codes or units in
 * which its cities were found.
 */

import type { City } from '../gazetteer/city-row.js';

/** Minimum number of sure matches before codes are compared: fewer may agree by chance. */
const MIN_SURE_MATCHES = 5;
/** Minimum share of sure matches with equal codes for one authority's codes; the rest allows for reformed units. */
const AGREEING_SHARE = 0.97;
/** Minimum number of cities with a gazetteer code before a unit without any of them counts as different. */
const MIN_CITIES_OF_CODE = 5;
/** Minimum share of a gazetteer code's cities in a unit for the two to be the same; below it they are strays. */
const MIN_SHARE_OF_CODE = 0.1;

export class AdminAgreement {
  private sureMatches = 0;
  private equalCodes = 0;
  private readonly unitsByCode = new Map<string, { cities: number; readonly units: Map<string, number> }>();

  /**
   * `level` (1 or 2) selects the admin codes to compare. `releaseCodes` holds all codes of that level in the country's
   * rows.
   */
  constructor(
    private readonly level: 1 | 2,
    private readonly releaseCodes: ReadonlySet<string>,
  ) {}

  /**
   * Learns from a city whose place is known. `units` are the codes or other keys of the release's units that hold the
   * nearby places of the city's name.
   */
  learn(city: City, units: ReadonlySet<string>): void {
    const code = this.codeOf(city);
    if (code === '' || units.size === 0) return;
    this.sureMatches++;
    if (units.has(code)) this.equalCodes++;
    const known = this.unitsByCode.get(this.keyOf(city)) ?? { cities: 0, units: new Map<string, number>() };
    this.unitsByCode.set(this.keyOf(city), known);
    known.cities++;
    for (const unit of units) known.units.set(unit, (known.units.get(unit) ?? 0) + 1);
  }

  agreementOf(city: City, unit: string): Agreement {
    const code = this.codeOf(city);
    if (code === '' || unit === '') return 'unknown';
    if (this.sureMatches >= MIN_SURE_MATCHES && this.equalCodes >= AGREEING_SHARE * this.sureMatches) {
      if (code === unit) return 'same';
      // A code that the release lacks may be an older or newer one of the same unit.
      return this.releaseCodes.has(code) ? 'different' : 'unknown';
    }
    const known = this.unitsByCode.get(this.keyOf(city));
    if (known === undefined) return 'unknown';
    const here = known.units.get(unit) ?? 0;
    // A count of one may be the city that is being matched.
    if (here <= 1) return known.cities >= MIN_CITIES_OF_CODE ? 'different' : 'unknown';
    return here >= MIN_SHARE_OF_CODE * known.cities ? 'same' : 'unknown';
  }

  private codeOf({ adminCodes }: City): string {
    return adminCodes[this.level - 1] as string;
  }

  /** Includes the code of level 1: units of level 1 may reuse each other's codes of level 2. */
  private keyOf({ adminCodes }: City): string {
    return adminCodes.slice(0, this.level).join('.');
  }
}

/** Whether a place and a city lie in the same admin unit: see AdminAgreement. */
type Agreement = 'same' | 'unknown' | 'different';

/** The agreement at level 1 and at level 2. */
export interface UnitAgreement {
  readonly level1: Agreement;
  readonly level2: Agreement;
}
